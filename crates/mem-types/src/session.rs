//! What must survive from one turn to the next.

use serde::{Deserialize, Serialize};

/// A memory that a model was shown; an entry of `.session.shown` and of `.session.recall.shown`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shown {
    /// Relative to its folder, or absolute when the folder is not one's own.
    pub path: String,
    /// Bytes of the text that was shown.
    pub bytes: u64,
    /// The turn: `prompt_id`, else a hash of the last user message.
    pub turn: String,
    /// The compaction epoch; what an older epoch showed is out of context.
    pub epoch: u64,
}

/// The part of `.session.compact` that all commands look at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Epoch {
    /// Raised by each compaction.
    pub epoch: u64,
}

/// What a request gave the model and the next one must repeat byte for byte: the part `.session.request`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Frozen {
    /// The compaction epoch in which it was given; in a later one all starts again.
    pub epoch: u64,
    /// Hash of the caller's own `system`.
    pub system_sha256: String,
    /// Hash of the caller's `tools`.
    pub tools_sha256: String,
    /// Blocks that stand behind the caller's `system`: guide and index.
    pub system: Vec<String>,
    /// The block at the front of the first user message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// Instruction files whose text the model has, with the hash of the text.
    pub files: Vec<GivenFile>,
    /// What was put beside later messages, in the order in which it was.
    pub injections: Vec<Injection>,
}

/// An instruction file that a model was given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GivenFile {
    /// Absolute.
    pub path: String,
    /// Of its text.
    pub sha256: String,
}

/// A block that was put at the end of a user message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Injection {
    /// Hash of what the caller's message says.
    pub message: String,
    /// The how manieth message of that content it is, from 0.
    pub nth: u64,
    /// The block's text.
    pub text: String,
    /// Paths of the memories in it.
    pub memories: Vec<String>,
}
