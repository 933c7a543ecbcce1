//! Layer 5: what stays when the window is full.

use serde::{Deserialize, Serialize};

/// What mem-compact writes under `.compact`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Compact {
    /// `below`, `compacted`, `unchanged` or `over-budget`.
    pub state: String,
    /// What asked for the fold: `budget`, `threshold`, `manual` or `force`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// Why, when nothing was folded although it was asked for, or the budget is not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Tokens of `.messages` before, counted as `budget` is.
    pub tokens_before: usize,
    /// Tokens of `.messages` after, counted as `budget` is.
    pub tokens_after: usize,
    /// Tokens of the model's whole window.
    pub context_tokens: usize,
    /// Tokens at which the fold begins, over everything in the window.
    pub threshold: usize,
    /// The budget of the messages, if one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<usize>,
    /// Who holds how much of the window, before and after.
    pub window: Vec<WindowShare>,
    /// The conversation by question-and-answer groups, and what became of each; empty when nothing was folded.
    pub blocks: Vec<Block>,
    /// The folded parts, each with the ids that it covers: of earlier folds first, the digest in use last.
    pub summaries: Vec<Summary>,
    /// Files used last, for re-orientation.
    pub restored: Vec<RestoredFile>,
    /// Scoped rules and nested files that load again when touched.
    pub until_touched: Vec<String>,
    /// Names of skills that were used in what was folded.
    pub skills: Vec<String>,
    /// What was taken out, by kind, with its size.
    pub dropped: Vec<Dropped>,
    /// What no longer stands in the result; nothing when nothing was folded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// What is kept word for word because the caller or a session rule wants it.
    pub pins: Vec<String>,
    /// Raised by each compaction.
    pub epoch: u64,
}

/// One holder of the window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WindowShare {
    /// `system`, `tools`, `instructions`, `index`, `recall`, `other` (counted by the service, unknown here), `digest`, `older turns`, `last turns` or `current turn`.
    pub holder: String,
    /// Tokens before.
    pub before: usize,
    /// Tokens after.
    pub after: usize,
}

/// A question with its answer, and the short words that carry it on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Block {
    /// Index of its first message, in `messages` as they came in.
    pub first: usize,
    /// How many messages it has.
    pub messages: usize,
    /// Their tokens, counted as `budget` is.
    pub tokens: usize,
    /// `current`, `hot` (word for word), `warm` (points of it stand in the digest) or `cold` (by its id only).
    pub state: String,
    /// How many of its messages were folded.
    pub folded: usize,
    /// The summary that stands for it, when it was folded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// A folded part of the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// Unique in the document, the same for the same text of the same messages.
    pub id: String,
    /// 1 for the points of a block, 2 and more for a digest. Only the last digest stands in the messages.
    pub level: u32,
    /// The text.
    pub text: String,
    /// What it stands for.
    pub covers: Vec<Cover>,
    /// Of a digest: what stands in it, slot by slot, and where each entry came from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<Entry>,
}

/// One thing that a digest says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// `goal`, `wishes`, `decisions`, `rejected`, `files`, `errors`, `open`, `next`, `facts`, `other` or `skills`.
    pub slot: String,
    /// What it says.
    pub text: String,
    /// The messages that it came from.
    pub from: Vec<Cover>,
}

/// What a summary stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cover {
    /// The id of a message or of a summary.
    Id(String),
    /// Index of a message without id, in `messages` as they came in.
    Index(usize),
}

/// A file that was used shortly before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RestoredFile {
    /// Absolute.
    pub path: String,
    /// Tokens of what is given back of the file: 0 for its path only.
    pub tokens: usize,
    /// `path`: named only, to be read again when needed.
    pub state: String,
}

/// Something that was taken out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dropped {
    /// `text`, `thinking`, `tool_use`, `tool_result`, `image`, `host` (what the agent itself wrote), `other`, or `file`
    /// (used lately and not named again).
    pub kind: String,
    /// How many content blocks, or files.
    pub count: usize,
    /// Their tokens, counted as `budget` is.
    pub tokens: usize,
    /// Which one, where it has a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Why.
    pub reason: String,
}

/// What a fold lost, by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Loss {
    /// Texts that the caller pinned.
    pub pins: Lost,
    /// Wishes and corrections of the user.
    pub wishes: Lost,
    /// Tasks that are still open.
    pub tasks: Lost,
    /// Numbers of two digits and more.
    pub numbers: Lost,
    /// Names: paths, identifiers, versions.
    pub identifiers: Lost,
    /// Lines with errors, as tools printed them.
    pub errors: Lost,
    /// Sentences that the user or the model said.
    pub sentences: Lost,
}

/// How many of a kind there were, how many still stand, and which do not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lost {
    /// How many there were.
    pub total: usize,
    /// How many stand in the result.
    pub kept: usize,
    /// The first 20 that do not, shortened with a mark when long.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
}
