//! Layer 2: the index of the memory folder.

use std::collections::BTreeMap;

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
    /// `lines`, `bytes` or `characters`: the limit that cut.
    pub truncated_by: Option<String>,
    /// The entries that the cut took away.
    pub lost: Vec<LostEntry>,
    /// Topic files, newest first.
    pub memories: Vec<IndexedMemory>,
    /// The topic files that are not among the newest, and so not in `memories`; newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub beyond: Vec<Beyond>,
    /// Daily logs, when there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logs: Option<Logs>,
    /// Where the memory of this project may lie when it was moved or renamed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// How many things a check found, when one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
    /// MEMORY.md as it should be, when that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed: Option<Proposed>,
}

/// The daily logs of a folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Logs {
    /// How many there are.
    pub count: u64,
    /// Their size together.
    pub bytes: u64,
    /// The day of the last one, `YYYY-MM-DD`.
    pub last: String,
    /// All of them, newest first, relative to the folder.
    pub paths: Vec<String>,
}

/// A memory folder of a project that is no longer where it was.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Candidate {
    /// The memory folder, absolute.
    pub dir: String,
    /// Where its project was.
    pub cwd: String,
}

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Check {
    /// How many findings each class has that was checked: `drift`, `size`, `quality`, `secrets`.
    pub findings: BTreeMap<String, u64>,
    /// What to type or to do; nothing when nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// MEMORY.md as it should be.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Proposed {
    /// `unchanged`, `proposed` or `applied`.
    pub state: String,
    /// The whole file.
    pub text: String,
    /// Each line that is added, removed or changed, and why.
    pub changes: Vec<ProposedChange>,
    /// Topic files that have no line since what weighs more fills the index.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The difference, as `diff -u` prints it; empty when there is none.
    pub diff: String,
}

/// One line of MEMORY.md that should be another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProposedChange {
    /// `add`, `remove` or `change`.
    pub action: String,
    /// Why, as a fixed word: `orphan`, `double-entry`, `stale-hook`, `line-too-long`, `no-room`, `dangling-entry`, …
    pub code: String,
    /// Why, in words.
    pub message: String,
    /// Where the line stands now, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The topic file concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The line as it should be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// A topic file that is not among the newest.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Beyond {
    /// Relative to its folder.
    pub path: String,
    /// Its folder, unless it is one's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
    /// Its size.
    pub bytes: u64,
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
