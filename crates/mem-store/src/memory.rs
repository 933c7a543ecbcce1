//! Topic files: one memory each, found by walking a memory folder without leaving it.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use mem_types::Problems;

use crate::dated;
use crate::front_matter::{self, FrontMatter};
use crate::hash;
use crate::open;

mod reading;
mod survey;
mod walk;

pub(crate) use survey::survey;
pub use survey::{Glance, Survey};

/// How much of each file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    /// The first 30 lines: enough for the front matter.
    Heads,
    /// The whole file.
    Whole,
}

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
    /// Where that is from: a key of the front matter such as `metadata.modified`, else `mtime` or `unknown`.
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
        let text = reading::decode(bytes, Scan::Whole, path, &mut Problems::default());
        Self::new(folder, path.to_owned(), bytes.len() as u64, None, text)
    }

    fn new(folder: &Path, path: String, bytes: u64, changed: Option<SystemTime>, text: String) -> Self {
        let parts = front_matter::of_memory(&text);
        let body_start = text.len() - parts.body.len();
        let matter = parts.matter.unwrap_or_default();
        let (modified, modified_source) = dated::changed(&matter, changed);
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
            superseded_by: matter.link("superseded_by").or_else(|| matter.link("superseded-by")),
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
    let files = walk::files(folder, problems);
    reading::in_parts(folder, &files, scan, problems, |reader, part, problems| {
        part.iter().filter_map(|path| reader.read(path, problems)).collect()
    })
}

/// Returns the topic file of that relative path, which must not lead out of the folder.
pub(crate) fn one(folder: &Path, path: &str, problems: &mut Problems) -> Option<Memory> {
    let files = [path.to_owned()];
    let is_topic = walk::is_topic(path);
    let mut found =
        reading::in_parts(folder, &files[..usize::from(is_topic)], Scan::Whole, problems, |reader, part, problems| {
            part.iter().filter_map(|path| reader.read(path, problems)).collect()
        });
    found.pop()
}

/// Returns the last part of a path without its `.md`.
#[must_use]
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}

#[cfg(test)]
mod tests;
