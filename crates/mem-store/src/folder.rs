//! A memory folder: reading it, and changing it under its lock.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder};
use mem_types::{Failure, Problems};

use crate::hash::sha256;
use crate::index_file;
use crate::memory::{self, Memory, Scan};
use crate::moment::Moment;
use crate::open;
use crate::replace::replace;

/// How long a writer waits for the folder's lock before it gives up.
const LOCK_PATIENCE: Duration = Duration::from_secs(10);

/// A folder of memories and whether it may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryFolder {
    /// Absolute, as reached.
    pub dir: PathBuf,
    /// Why it is not used: the code `disabled` or `refused`, with a sentence.
    pub closed: Option<(&'static str, String)>,
}

/// One file to be written, with its line in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Relative to the folder, ending in `.md`.
    pub path: String,
    /// The whole new file.
    pub text: String,
    /// SHA-256 of the file that this replaces; nothing for a new file.
    pub replaces: Option<String>,
    /// The title of its index line.
    pub title: String,
    /// What follows the title in its index line.
    pub hook: String,
}

/// What became of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The file and its index line are on disk.
    Written,
    /// File and index line were there already.
    Unchanged,
    /// Nothing was done, for this reason.
    Refused(String),
}

impl MemoryFolder {
    /// Returns an open folder at `dir`.
    #[must_use]
    pub fn at(dir: PathBuf) -> Self {
        Self { dir, closed: None }
    }

    /// Whether the folder is there.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.closed.is_none() && self.dir.is_dir()
    }

    /// Returns the memories, sorted by path; none when the folder is missing or closed.
    #[must_use]
    pub fn memories(&self, scan: Scan, problems: &mut Problems) -> Vec<Memory> {
        if self.exists() { memory::scan(&self.dir, scan, problems) } else { Vec::new() }
    }

    /// Returns MEMORY.md as it is on disk with its modification time, or nothing when there is none.
    #[must_use]
    pub fn index(&self, problems: &mut Problems) -> Option<open::Content> {
        if !self.exists() {
            return None;
        }
        match open::read(&self.dir.join(index_file::NAME)) {
            Ok(content) => Some(content),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                let message = format!("the index cannot be read: {}", open::reason(&error));
                problems.warning("unreadable-index", message).path(index_file::NAME);
                None
            }
        }
    }

    /// Carries out `changes` in order under the folder's lock and says what became of each.
    ///
    /// A missing folder is made with mode 0700. What is overwritten goes whole into `.mem/archive` first. A change
    /// whose path leaves the folder, or whose file is not the one that it was made for, is refused; the rest is done.
    ///
    /// # Errors
    /// When the folder is no memory folder, cannot be made or locked, or when the disk fails.
    pub fn apply(&self, changes: &[Change], now: &Moment) -> Result<Vec<Outcome>, Failure> {
        if let Some((code, reason)) = &self.closed {
            return Err(Failure::new(code, reason.clone()));
        }
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        self.make()?;
        let held = Dir::open_ambient_dir(&self.dir, ambient_authority()).map_err(|error| self.failure(&error))?;
        let lock = self.lock(&held)?;
        let archive = now.timestamp().strftime("%Y%m%dT%H%M%SZ").to_string();
        let outcomes = changes.iter().map(|change| write(&held, change, &archive)).collect::<io::Result<Vec<_>>>();
        drop(lock);
        outcomes.map_err(|error| self.failure(&error))
    }

    /// A folder that holds other things is somebody else's.
    fn make(&self) -> Result<(), Failure> {
        match std::fs::symlink_metadata(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_private(&self.dir).map_err(|error| self.failure(&error))
            }
            Err(error) => Err(self.failure(&error)),
            Ok(_) if self.is_memory_folder() => Ok(()),
            Ok(_) => Err(Failure::new(
                "not-a-memory-folder",
                format!("{} holds neither MEMORY.md nor topic files", self.dir.display()),
            )
            .with_hint("name the memory folder itself with --memory-dir, or an empty or missing one")),
        }
    }

    /// Whether the folder is empty, or holds an index, a topic file, or the `.mem` that another writer has just made.
    fn is_memory_folder(&self) -> bool {
        let Ok(entries) = std::fs::read_dir(&self.dir) else { return false };
        let mut is_empty = true;
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name == index_file::NAME || name == ".mem" || (name.ends_with(".md") && is_topic_file(&entry.path())) {
                return true;
            }
            is_empty = false;
        }
        is_empty
    }

    /// The lock is the kernel's: it goes with the process that holds it, however that ends.
    fn lock(&self, held: &Dir) -> Result<File, Failure> {
        make_own_folder(held).map_err(|error| self.failure(&error))?;
        let mut options = cap_std::fs::OpenOptions::new();
        let file = held
            .open_with(".mem/lock", options.read(true).write(true).create(true))
            .map_err(|error| self.failure(&error))?
            .into_std();
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(std::fs::TryLockError::Error(error)) => return Err(self.failure(&error)),
                Err(std::fs::TryLockError::WouldBlock) if start.elapsed() > LOCK_PATIENCE => {
                    return Err(Failure::new(
                        "locked",
                        format!("another writer has held {} for {} s", self.dir.display(), LOCK_PATIENCE.as_secs()),
                    )
                    .with_hint("try again when it has finished"));
                }
                Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    fn failure(&self, error: &io::Error) -> Failure {
        Failure::new("write-failed", format!("cannot write in {}: {}", self.dir.display(), open::reason(error)))
    }
}

/// Why a path of a plan may not be used, or nothing when it may.
#[must_use]
pub fn refusal(path: &str) -> Option<&'static str> {
    let parts: Vec<&str> = path.split('/').collect();
    if path.is_empty() || path.contains(['\0', '\\']) || path.chars().any(char::is_control) {
        return Some("the path is empty or holds a character that no memory file has");
    }
    if path.starts_with('/') || path.starts_with('~') || path.get(1..2) == Some(":") {
        return Some("the path is not relative to the memory folder");
    }
    if parts.iter().any(|part| part.is_empty() || *part == "." || *part == "..") {
        return Some("the path leaves the memory folder");
    }
    if parts.iter().any(|part| part.starts_with('.')) {
        return Some("hidden files and folders are not memories");
    }
    if parts[0] == "logs" && parts.len() > 1 {
        return Some("logs/ holds daily logs, not memories");
    }
    if parts.iter().any(|part| part.len() > 255) || path.len() > 1024 {
        return Some("the path is too long");
    }
    if !path.ends_with(".md") {
        return Some("a memory's file ends in .md");
    }
    (path == index_file::NAME).then_some("MEMORY.md is the index, not a memory")
}

fn write(held: &Dir, change: &Change, archive: &str) -> io::Result<Outcome> {
    if let Some(reason) = refusal(&change.path) {
        return Ok(Outcome::Refused(reason.into()));
    }
    let old = read_beneath(held, &change.path)?;
    let is_same_file = old.as_deref() == Some(change.text.as_bytes());
    if !is_same_file && let Some(reason) = mismatch(old.as_deref(), change.replaces.as_deref()) {
        return Ok(Outcome::Refused(reason.into()));
    }
    if !is_same_file {
        if let Some((parent, _)) = change.path.rsplit_once('/') {
            held.create_dir_all(parent)?;
        }
        if let Some(old) = &old {
            keep(held, archive, &change.path, old)?;
        }
        replace(held, &change.path, change.text.as_bytes())?;
    }
    let is_same_index = list(held, change)?;
    Ok(if is_same_file && is_same_index { Outcome::Unchanged } else { Outcome::Written })
}

fn mismatch(old: Option<&[u8]>, replaces: Option<&str>) -> Option<&'static str> {
    match (old, replaces) {
        (None, None) => None,
        (Some(_), None) => Some("a file of that name is there already"),
        (None, Some(_)) => Some("the file that this was made for is gone"),
        (Some(old), Some(hash)) if sha256(old) == hash => None,
        (Some(_), Some(_)) => Some("the file has changed since this was planned"),
    }
}

/// Brings the change's line into the index and says whether it stood there already.
fn list(held: &Dir, change: &Change) -> io::Result<bool> {
    // Read as bytes, so that an index which is not UTF-8 is left alone rather than mended by the way.
    let bytes = read_beneath(held, index_file::NAME)?.unwrap_or_default();
    let text = String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "MEMORY.md is not UTF-8; mend it first"))?;
    let line = index_file::line(&change.title, &change.path, &change.hook);
    let new = index_file::with_line(&text, &change.path, &line);
    if new == text {
        return Ok(true);
    }
    replace(held, index_file::NAME, new.as_bytes())?;
    Ok(false)
}

/// Keeps what is about to be overwritten, whole: `.mem/archive/<UTC time>/<name>.md.old`.
fn keep(held: &Dir, archive: &str, path: &str, old: &[u8]) -> io::Result<()> {
    let flat = path.replace('/', "__");
    let folder = format!(".mem/archive/{archive}");
    held.create_dir_all(&folder)?;
    // Two changes of one file in one second must both be kept.
    let name = (0..1000)
        .map(
            |number| if number == 0 { format!("{folder}/{flat}.old") } else { format!("{folder}/{flat}.{number}.old") },
        )
        .find(|name| !held.exists(name))
        .ok_or_else(|| io::Error::other("the archive of this second is full"))?;
    replace(held, &name, old)
}

fn read_beneath(held: &Dir, path: &str) -> io::Result<Option<Vec<u8>>> {
    match held.metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{path} is no regular file")))
        }
        Ok(_) => held.read(path).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes `.mem` with mode 0700 and a `.gitignore` of `*`.
fn make_own_folder(held: &Dir) -> io::Result<()> {
    if !held.exists(".mem") {
        match held.create_dir_with(".mem", &private()) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    if !held.exists(".mem/.gitignore") {
        held.write(".mem/.gitignore", "*\n")?;
    }
    Ok(())
}

fn private() -> DirBuilder {
    use cap_std::fs::DirBuilderExt;
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

/// Makes a folder, and those above it, that only its owner can enter.
///
/// # Errors
/// When the disk refuses.
pub(crate) fn make_private(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Whether a Markdown file is a memory: it has front matter with a name or a description.
fn is_topic_file(path: &Path) -> bool {
    open::read_up_to(path, 16 * 1024).is_ok_and(|content| {
        let text = String::from_utf8_lossy(&content.bytes);
        let matter = crate::front_matter::of_memory(&text).matter.unwrap_or_default();
        matter.text("name").is_some() || matter.text("description").is_some()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn change(path: &str, text: &str, replaces: Option<String>) -> Change {
        Change { path: path.into(), text: text.into(), replaces, title: "T".into(), hook: "h".into() }
    }

    fn apply(dir: &Path, changes: &[Change]) -> Result<Vec<Outcome>, Failure> {
        let now = Moment::parse("2026-11-30T12:00:00Z").unwrap();
        MemoryFolder::at(dir.to_path_buf()).apply(changes, &now)
    }

    #[test]
    fn a_missing_folder_is_made_and_the_memory_listed() {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join("memory");
        assert_eq!(apply(&dir, &[change("a.md", "x", None)]).unwrap(), [Outcome::Written]);
        assert_eq!(std::fs::read_to_string(dir.join("MEMORY.md")).unwrap(), "- [T](a.md) — h\n");
        assert_eq!(apply(&dir, &[change("a.md", "x", None)]).unwrap(), [Outcome::Unchanged]);
        assert_eq!(std::fs::read_to_string(dir.join(".mem/.gitignore")).unwrap(), "*\n");
    }

    #[test]
    fn what_is_overwritten_is_kept_whole_and_only_the_right_file_is() {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join("memory");
        apply(&dir, &[change("a.md", "one", None)]).unwrap();
        assert!(matches!(apply(&dir, &[change("a.md", "two", None)]).unwrap()[0], Outcome::Refused(_)));
        assert!(matches!(
            apply(&dir, &[change("a.md", "two", Some(sha256(b"other")))]).unwrap()[0],
            Outcome::Refused(_)
        ));
        apply(&dir, &[change("a.md", "two", Some(sha256(b"one")))]).unwrap();
        assert_eq!(std::fs::read_to_string(dir.join("a.md")).unwrap(), "two");
        let kept = dir.join(".mem/archive/20261130T120000Z/a.md.old");
        assert_eq!(std::fs::read_to_string(kept).unwrap(), "one");
    }

    #[test]
    fn paths_that_leave_the_folder_are_refused() {
        for path in [
            "",
            "/etc/x.md",
            "../x.md",
            "a/../../x.md",
            ".mem/x.md",
            "x.txt",
            "MEMORY.md",
            "a//b.md",
            "~/x.md",
            "C:/x.md",
            "a\0.md",
            "a\nb.md",
            "logs/x.md",
            "./a.md",
        ] {
            assert!(refusal(path).is_some(), "{path:?}");
        }
        for path in ["a.md", "sub/a.md", "测试.md", "a b.md"] {
            assert_eq!(refusal(path), None, "{path}");
        }
    }

    #[test]
    fn a_folder_of_other_things_is_not_written_to() {
        let top = tempfile::tempdir().unwrap();
        std::fs::write(top.path().join("id_rsa"), "key").unwrap();
        std::fs::write(top.path().join("README.md"), "# Hello").unwrap();
        let failure = apply(top.path(), &[change("a.md", "x", None)]).unwrap_err();
        assert_eq!(failure.code, "not-a-memory-folder");
        assert!(!top.path().join(".mem").exists());
    }

    #[test]
    fn many_writers_lose_nothing() {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join("memory");
        std::thread::scope(|scope| {
            for number in 0..12 {
                let dir = &dir;
                scope.spawn(move || apply(dir, &[change(&format!("m{number}.md"), "x", None)]).unwrap());
            }
        });
        let index = std::fs::read_to_string(dir.join("MEMORY.md")).unwrap();
        assert_eq!(index.lines().count(), 12);
    }
}
