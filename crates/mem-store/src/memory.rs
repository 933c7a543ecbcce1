//! Topic files: one memory each, found by walking a memory folder without leaving it.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use jiff::Timestamp;
use mem_types::Problems;

use crate::front_matter::{self, FrontMatter};
use crate::hash;
use crate::moment::parse_date;
use crate::open::{self, Content};

/// How much of each file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    /// The first 30 lines: enough for the front matter.
    Heads,
    /// The whole file.
    Whole,
}

/// Most lines of a head: facts.md, Part B, section 4.
const HEAD_LINES: usize = 30;
/// Most bytes in which these lines are sought.
const HEAD_BYTES: u64 = 16 * 1024;
/// Most bytes of one memory; a larger file is named and left out.
const MAX_BYTES: u64 = 1024 * 1024;
/// Most folders below each other; a memory folder is nearly flat.
const MAX_DEPTH: usize = 16;

/// One topic file.
#[derive(Debug, Clone)]
pub struct Memory {
    /// The folder that it was found in, absolute.
    pub folder: PathBuf,
    /// Relative to the folder, with `/`.
    pub path: String,
    /// From the front matter, else the file's name without its ending.
    pub name: String,
    /// From the front matter, else empty.
    pub description: String,
    /// The type as written: `feedback`, `user`, `project`, `reference`, or another word.
    pub kind: Option<String>,
    /// When its content last changed.
    pub modified: Option<Timestamp>,
    /// Where that is from: `metadata.modified`, `modified`, `mtime` or `unknown`.
    pub modified_source: &'static str,
    /// Size on disk.
    pub bytes: u64,
    /// Situations in which it helps.
    pub triggers: Vec<String>,
    /// The last day on which it holds.
    pub expires: Option<String>,
    /// The memory that replaces it.
    pub superseded_by: Option<String>,
    /// The front matter, for further keys.
    pub matter: FrontMatter,
    /// The file as read, without BOM; the first lines only after [`Scan::Heads`].
    pub text: String,
    body_start: usize,
}

impl Memory {
    /// Returns what follows the front matter.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.text[self.body_start..]
    }

    /// Whether its head says that it no longer holds: since `superseded`, or as `superseded_by` holds instead.
    #[must_use]
    pub fn is_superseded(&self) -> bool {
        let is_there = |value: Option<&str>| value.is_some_and(|text| !text.trim().is_empty());
        is_there(self.superseded_by.as_deref()) || is_there(self.matter.text("superseded").as_deref())
    }

    /// Returns the file's absolute path.
    #[must_use]
    pub fn absolute(&self) -> PathBuf {
        self.folder.join(&self.path)
    }

    /// Returns the SHA-256 of the file as it is on disk now, or nothing when it cannot be read.
    #[must_use]
    pub fn sha256(&self) -> Option<String> {
        open::read(&self.absolute()).ok().map(|content| hash::sha256(&content.bytes))
    }

    /// Returns the memory that `bytes` hold, which need not be on disk: it has no other date than its own.
    #[must_use]
    pub fn of_bytes(folder: &Path, path: &str, bytes: &[u8]) -> Self {
        let text = decode(bytes.to_vec(), Scan::Whole, path, &mut Problems::default());
        Self::new(folder, path.to_owned(), bytes.len() as u64, None, text)
    }

    fn new(folder: &Path, path: String, bytes: u64, disk: Option<&Content>, text: String) -> Self {
        let parts = front_matter::of_memory(&text);
        let body_start = text.len() - parts.body.len();
        let matter = parts.matter.unwrap_or_default();
        let (modified, modified_source) = modified(&matter, disk);
        Self {
            folder: folder.to_path_buf(),
            name: matter.text("name").unwrap_or_else(|| stem(&path).to_owned()),
            description: matter.text("description").unwrap_or_default(),
            kind: matter.text("type"),
            modified,
            modified_source,
            bytes,
            triggers: matter.list("triggers"),
            expires: matter.text("expires"),
            superseded_by: matter.link("superseded_by"),
            matter,
            path,
            text,
            body_start,
        }
    }
}

/// Returns the topic files of `folder`, sorted by path. What is left out is named in `problems`.
#[must_use]
pub fn scan(folder: &Path, scan: Scan, problems: &mut Problems) -> Vec<Memory> {
    let mut walk = Walk { folder, real: folder.canonicalize().unwrap_or_else(|_| folder.into()), files: Vec::new() };
    walk.enter(folder, "", 0, problems);
    walk.files.sort_unstable();
    read_all(folder, &walk.files, scan, problems)
}

/// Returns the topic file of that relative path, which must not lead out of the folder.
pub(crate) fn one(folder: &Path, path: &str, problems: &mut Problems) -> Option<Memory> {
    is_topic(path).then(|| read(folder, path, Scan::Whole, problems)).flatten()
}

/// Fewer files than this are read faster than a thread is started for them.
const FILES_A_THREAD: usize = 100;
/// Most threads that read: what is waited for is the kernel, and it does not get faster with more.
const MOST_THREADS: usize = 4;

/// Reads the files, parts of the list side by side; what comes back has the order of the list.
fn read_all(folder: &Path, files: &[String], scan: Scan, problems: &mut Problems) -> Vec<Memory> {
    let threads = (files.len() / FILES_A_THREAD).clamp(1, MOST_THREADS);
    let mut parts = files.chunks(files.len().div_ceil(threads).max(1));
    let Some(first) = parts.next() else { return Vec::new() };
    let read_part = |part: &[String], problems: &mut Problems| -> Vec<Memory> {
        part.iter().filter_map(|path| read(folder, path, scan, problems)).collect()
    };
    std::thread::scope(|scope| {
        let read_part = &read_part;
        let others: Vec<_> = parts
            .map(|part| {
                let mut problems = problems.fresh();
                scope.spawn(move || (read_part(part, &mut problems), problems))
            })
            .collect();
        let mut memories = read_part(first, problems);
        for other in others {
            let (found, found_problems) = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            memories.extend(found);
            problems.extend(found_problems.into_entries());
        }
        memories
    })
}

struct Walk<'a> {
    folder: &'a Path,
    real: PathBuf,
    files: Vec<String>,
}

impl Walk<'_> {
    fn enter(&mut self, folder: &Path, prefix: &str, depth: usize, problems: &mut Problems) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                problems
                    .warning("unreadable-folder", format!("cannot list a folder: {}", open::reason(&error)))
                    .path(folder.to_string_lossy());
                return;
            }
        };
        for entry in entries.flatten() {
            self.visit(&entry, prefix, depth, problems);
        }
    }

    fn visit(&mut self, entry: &DirEntry, prefix: &str, depth: usize, problems: &mut Problems) {
        let file_name = entry.file_name();
        let Some(name) = file_name.to_str() else {
            problems
                .warning("name-not-utf8", "a file whose name is not UTF-8 is left out")
                .path(file_name.to_string_lossy())
                .hint("rename it");
            return;
        };
        if name.starts_with('.') {
            return;
        }
        let path = format!("{prefix}{name}");
        let Ok(kind) = entry.file_type() else { return };
        if kind.is_dir() {
            self.visit_folder(entry, &path, depth, problems);
        } else if kind.is_symlink() && entry.path().is_dir() {
            problems
                .warning("link-to-folder", "a link to a folder is not followed")
                .path(&path)
                .hint("put the folder itself into the memory folder");
        } else if is_topic(&path) {
            if kind.is_symlink() && entry.path().canonicalize().is_err() {
                problems.warning("link-broken", "a link that leads nowhere is passed over").path(&path);
            } else if kind.is_symlink() && !self.leads_inside(&entry.path()) {
                problems
                    .warning("link-outside", "a link that leads out of the memory folder is not followed")
                    .path(&path)
                    .hint("put the file itself into the folder");
            } else {
                self.files.push(path);
            }
        }
    }

    fn visit_folder(&mut self, entry: &DirEntry, path: &str, depth: usize, problems: &mut Problems) {
        if depth >= MAX_DEPTH {
            problems.warning("too-deep", format!("folders below {MAX_DEPTH} levels are left out")).path(path);
        } else if path != "logs" {
            self.enter(&entry.path(), &format!("{path}/"), depth + 1, problems);
        }
    }

    fn leads_inside(&self, link: &Path) -> bool {
        link.canonicalize().is_ok_and(|target| target.starts_with(&self.real) && target != self.folder)
    }
}

/// Whether a relative path is that of a topic file: Markdown, and not the index.
fn is_topic(path: &str) -> bool {
    path.ends_with(".md") && path != "MEMORY.md"
}

fn read(folder: &Path, path: &str, scan: Scan, problems: &mut Problems) -> Option<Memory> {
    // A line feed in a name would forge lines of the index, which a model reads with full weight.
    if path.chars().any(char::is_control) {
        problems
            .warning("unreadable-memory", "a memory is left out: its file name holds control characters")
            .path(path)
            .hint("rename the file");
        return None;
    }
    let absolute = folder.join(path);
    let read = match scan {
        Scan::Heads => open::read_up_to(&absolute, HEAD_BYTES),
        Scan::Whole => open::read_up_to(&absolute, MAX_BYTES),
    };
    let mut content = match read {
        Ok(content) => content,
        Err(error) => {
            problems.warning("unreadable-memory", format!("a memory is left out: {}", open::reason(&error))).path(path);
            return None;
        }
    };
    if content.metadata.len() > MAX_BYTES {
        let size = content.metadata.len();
        problems
            .warning("memory-too-large", format!("a memory of {size} bytes is left out, the limit is {MAX_BYTES}"))
            .path(path)
            .hint("split it");
        return None;
    }
    let text = decode(std::mem::take(&mut content.bytes), scan, path, problems);
    let memory = Memory::new(folder, path.to_owned(), content.metadata.len(), Some(&content), text);
    for finding in memory.matter.findings() {
        problems.info(finding.code, &finding.message).path(path).line(finding.line);
    }
    Some(memory)
}

/// Returns the text without BOM and CR; invalid bytes become U+FFFD, which is said.
fn decode(mut bytes: Vec<u8>, scan: Scan, path: &str, problems: &mut Problems) -> String {
    if scan == Scan::Heads {
        bytes.truncate(head(&bytes).len());
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|error| {
        // A head may end within a character.
        if scan == Scan::Whole {
            problems.info("not-utf8", "bytes that are not UTF-8 are shown as U+FFFD").path(path);
        }
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    });
    let has_mark = text.starts_with('\u{feff}');
    if !has_mark && memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return text;
    }
    front_matter::without_bom(&text).replace("\r\n", "\n")
}

/// Returns the first lines, whole ones unless the first is longer than everything that was read.
fn head(bytes: &[u8]) -> &[u8] {
    let ends = memchr::memchr_iter(b'\n', bytes);
    match ends.take(HEAD_LINES).last() {
        Some(end) => &bytes[..=end],
        None => bytes,
    }
}

fn modified(matter: &FrontMatter, disk: Option<&Content>) -> (Option<Timestamp>, &'static str) {
    if let Some(then) = matter.metadata_text("modified").as_deref().and_then(parse_date) {
        return (Some(then), "metadata.modified");
    }
    if let Some(then) = matter.text("modified").as_deref().and_then(parse_date) {
        return (Some(then), "modified");
    }
    let elapsed =
        disk.and_then(|content| content.metadata.modified().ok()).and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let seconds = elapsed.and_then(|elapsed| i64::try_from(elapsed.as_secs()).ok()).filter(|&seconds| seconds > 0);
    // A modification time of 0 is what tools write that know no better: it is no date.
    match seconds.and_then(|seconds| Timestamp::from_second(seconds).ok()) {
        Some(then) => (Some(then), "mtime"),
        None => (None, "unknown"),
    }
}

/// Returns the last part of a path without its `.md`.
#[must_use]
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn topic_files_are_found_at_every_depth_and_others_are_not() {
        let folder = folder(&[
            ("b.md", "---\nname: B\ndescription: d\ntype: user\n---\nbody\n"),
            ("sub/a.md", "text"),
            ("MEMORY.md", "- x"),
            ("logs/2026/01/2026-01-01.md", "- x"),
            (".mem/x.md", "no"),
            ("c.txt", "no"),
        ]);
        let mut problems = Problems::new("mem-index");
        let memories = scan(folder.path(), Scan::Whole, &mut problems);
        let seen: Vec<(&str, &str)> = memories.iter().map(|memory| (memory.path.as_str(), memory.body())).collect();
        assert_eq!(seen, [("b.md", "body\n"), ("sub/a.md", "text")]);
        assert_eq!((memories[0].name.as_str(), memories[1].name.as_str()), ("B", "a"));
        assert!(problems.is_empty());
    }

    #[test]
    fn dates_of_the_front_matter_come_before_that_of_the_disk() {
        let folder = folder(&[
            ("a.md", "---\nname: a\nmodified: 2026-01-02\n---\n"),
            ("b.md", "---\nname: a\nmetadata:\n  modified: 2026-01-03T00:00:00.000Z\n---\n"),
            ("c.md", "x"),
        ]);
        let memories = scan(folder.path(), Scan::Heads, &mut Problems::default());
        let sources: Vec<&str> = memories.iter().map(|memory| memory.modified_source).collect();
        assert_eq!(sources, ["modified", "metadata.modified", "mtime"]);
    }

    #[test]
    fn links_out_of_the_folder_are_named_and_not_followed() {
        let outside = folder(&[("secret.md", "SECRET")]);
        let folder = folder(&[("a.md", "A")]);
        std::os::unix::fs::symlink(outside.path().join("secret.md"), folder.path().join("b.md")).unwrap();
        std::os::unix::fs::symlink("a.md", folder.path().join("c.md")).unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("d")).unwrap();
        let mut problems = Problems::new("mem-index");
        let memories = scan(folder.path(), Scan::Whole, &mut problems);
        assert_eq!(memories.iter().map(|memory| memory.path.as_str()).collect::<Vec<_>>(), ["a.md", "c.md"]);
        assert_eq!(problems.len(), 2);
    }

    #[test]
    fn a_head_is_thirty_lines() {
        let text = format!("---\nname: a\n---\n{}", "line\n".repeat(50));
        let folder = folder(&[("a.md", &text)]);
        let memories = scan(folder.path(), Scan::Heads, &mut Problems::default());
        assert_eq!(memories[0].text.lines().count(), 30);
    }
}
