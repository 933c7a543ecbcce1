//! Layer 2: the index of the memory folder.

use serde::{Deserialize, Serialize};

/// What mem-index writes under `.index`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Index {
    /// The memory folder, absolute; one's own when there are several.
    pub dir: String,
    /// `ok`, `empty`, `missing`, `disabled` or `refused`.
    pub state: String,
    /// Whether the agent loads this index by itself: it is the one that it derives from the project.
    pub native: bool,
    /// MEMORY.md as a model gets it: without front matter and block comments, cut at the limits, warning included.
    pub text: String,
    /// Lines that count against the limit, before the cut.
    pub lines: u64,
    /// Bytes that count against the limit, before the cut.
    pub bytes: u64,
    /// Characters that count, before the cut, in UTF-16 units as the client counts them.
    pub characters: u64,
    /// `lines` or `bytes`: the limit that cut.
    pub truncated_by: Option<String>,
    /// The entries that the cut took away.
    pub lost: Vec<LostEntry>,
    /// Topic files, newest first.
    pub memories: Vec<IndexedMemory>,
}

/// An index line that the model does not see.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LostEntry {
    /// Where it stands in MEMORY.md, from 1.
    pub line: u64,
    /// The file that the line links to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line itself, shortened with a mark when it is long.
    pub text: String,
}

/// A topic file as its head describes it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IndexedMemory {
    /// Relative to its folder.
    pub path: String,
    /// The folder, when it is not `.index.dir`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
    /// From the front matter, else the file's name.
    pub name: String,
    /// From the front matter, else empty.
    pub description: String,
    /// As written: `feedback`, `user`, `project`, `reference`, or another word.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// When its content last changed, in RFC 3339, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// `metadata.modified`, `modified`, `mtime` or `unknown`.
    pub modified_source: String,
    /// Whole days from `modified` to now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_days: Option<i64>,
    /// Size on disk.
    pub bytes: u64,
    /// Situations in which it helps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<String>,
    /// The memory that replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Whether MEMORY.md has a line for it.
    pub is_listed: bool,
}
