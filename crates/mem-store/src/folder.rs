//! A memory folder: whether it may be used, and what lies in it. The writer changes it.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use mem_types::{Failure, Problems};

use crate::archive;
use crate::index_file;
use crate::memory::{self, Memory, Scan, Survey};
use crate::open;

/// A folder of memories and whether it may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryFolder {
    /// Absolute, as reached.
    pub dir: PathBuf,
    /// Why it is not used: the code `disabled` or `refused`, with a sentence.
    pub closed: Option<(&'static str, String)>,
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

    /// Returns the memory of that relative path, or nothing when there is none, or none that may be read.
    #[must_use]
    pub fn memory(&self, path: &str, problems: &mut Problems) -> Option<Memory> {
        let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.');
        let may_be_read = self.closed.is_none() && path.split('/').all(is_plain) && self.has(path);
        may_be_read.then(|| memory::one(&self.dir, path, problems)).flatten()
    }

    /// Returns what the folder holds: all files at a glance, and at least the `most` newest with their heads.
    #[must_use]
    pub fn survey(&self, most: usize, problems: &mut Problems) -> Survey {
        if self.exists() { memory::survey(&self.dir, most, problems) } else { Survey::default() }
    }

    /// Returns MEMORY.md as it is on disk with its modification time, or nothing when there is none.
    #[must_use]
    pub fn index(&self, problems: &mut Problems) -> Option<open::Content> {
        if !self.exists() {
            return None;
        }
        let path = self.dir.join(index_file::NAME);
        if path.is_symlink() && self.has_link(index_file::NAME) {
            problems
                .warning("link-outside", "the index is a link that leads out of the memory folder, and is not read")
                .path(index_file::NAME)
                .hint("put the file itself into the folder");
            return None;
        }
        match open::read(&path) {
            Ok(content) => Some(content),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                let message = format!("the index cannot be read: {}", open::reason(&error));
                problems.warning("unreadable-index", message).path(index_file::NAME);
                None
            }
        }
    }

    /// Whether a file of that relative path is there; a link that leads out of the folder is none.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        let file = self.dir.join(path);
        let is_inside = || match (file.canonicalize(), self.dir.canonicalize()) {
            (Ok(file), Ok(dir)) => file.starts_with(dir),
            _ => false,
        };
        !path.contains('\0') && file.exists() && is_inside()
    }

    /// Whether something is there that is not read, since a link leads out of the folder or to nothing.
    #[must_use]
    pub fn has_link(&self, path: &str) -> bool {
        !path.contains('\0') && std::fs::symlink_metadata(self.dir.join(path)).is_ok() && !self.has(path)
    }

    /// Returns the paths of all files that the archive holds a version of.
    #[must_use]
    pub fn archived_paths(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let Ok(times) = std::fs::read_dir(self.dir.join(archive::FOLDER)) else { return found };
        for time in times.flatten() {
            collect_archived(&time.path(), "", &mut found);
        }
        found
    }

    /// A folder that holds other things is somebody else's.
    pub(crate) fn make(&self) -> Result<(), Failure> {
        match std::fs::symlink_metadata(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_private(&self.dir).map_err(|error| self.failure(&error))
            }
            Err(error) => Err(self.failure(&error)),
            Ok(_) => self.check(),
        }
    }

    /// Says why the folder cannot be worked on.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if let Some((code, reason)) = &self.closed {
            return Err(Failure::new(code, reason.clone()));
        }
        if self.is_memory_folder() {
            return Ok(());
        }
        let message = format!("{} holds neither MEMORY.md nor topic files", self.dir.display());
        Err(Failure::new("not-a-memory-folder", message)
            .with_hint("name the memory folder itself with --memory-dir, or an empty or missing one"))
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
}

/// Deeper than a path of a memory may be nothing lies in the archive.
const MOST_PARTS: usize = 64;

fn collect_archived(folder: &Path, prefix: &str, found: &mut BTreeSet<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = format!("{prefix}{name}");
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && path.matches('/').count() < MOST_PARTS {
            collect_archived(&entry.path(), &format!("{path}/"), found);
        } else if let Some(kept) = path.strip_suffix(archive::ENDING) {
            // A second version of one second has a number behind its name: `a.md.1.old`.
            let end = kept.rfind(".md").map_or(kept.len(), |place| place + 3);
            found.insert(kept[..end].to_owned());
        }
    }
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
