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
