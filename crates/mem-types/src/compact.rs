//! Layer 5: what stays when the window is full.

use serde::{Deserialize, Serialize};

/// What mem-compact writes under `.compact`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Compact {
    /// `below`, `compacted`, `unchanged` or `over-budget`.
    pub state: String,
    /// What asked for it: `auto`, `manual`, `budget` or `force`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// Why, when nothing was folded or the budget is not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Tokens of `.messages` before, counted as `budget` is.
    pub tokens_before: u64,
    /// Tokens of `.messages` after, counted as `budget` is.
    pub tokens_after: u64,
    /// Tokens at which the fold begins, over everything in the window.
    pub threshold: u64,
    /// Who holds how much of the window, before and after.
    pub window: Vec<WindowShare>,
    /// Question-and-answer groups that were looked at.
    pub blocks: u64,
    /// The folded parts, each with the ids that it covers.
    pub summaries: Vec<Summary>,
    /// Files used last, for re-orientation.
    pub restored: Vec<RestoredFile>,
    /// Scoped rules and nested files that load again when touched.
    pub until_touched: Vec<String>,
    /// What no longer stands in the result.
    pub loss: Vec<Loss>,
    /// What is kept word for word.
    pub pins: Vec<String>,
    /// Raised by each compaction.
    pub epoch: u64,
}

/// One holder of the window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WindowShare {
    /// `system`, `tools`, `instructions`, `index`, `recall`, `messages`.
    pub holder: String,
    /// Estimated tokens before.
    pub before: u64,
    /// Estimated tokens after.
    pub after: u64,
}

/// A folded part of the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// Unique in the document.
    pub id: String,
    /// 1 for points of a block, 2 for a digest of points.
    pub level: u64,
    /// What stands in the message in place of the originals.
    pub text: String,
    /// Ids of messages or of summaries.
    pub covers: Vec<String>,
}

/// A file that was used shortly before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RestoredFile {
    /// Absolute, as the tools named it.
    pub path: String,
    /// Estimated tokens of the file; 0 for a path only.
    pub tokens: u64,
    /// `path` (named only).
    pub state: String,
}

/// Something that no longer stands in the result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Loss {
    /// `message`, `image`, `thinking`, `tool-result` or `pin`.
    pub kind: String,
    /// What, by id or in its first words.
    pub what: String,
    /// Bytes that went.
    pub bytes: u64,
}
