//! Layer 5: what stays when the window is full.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::asking::Usage;
use crate::load::InstructionLayer;

/// What mem-compact writes under `.compact`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Compact {
    /// `below`, `compacted`, `unchanged`, `over-budget`, `circuit-open`, `thrash`, `expanded` or `resumed`.
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
    /// Who wrote the summaries: nobody yet, `rules` or `model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer: Option<String>,
    /// What asking a model has cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Files used last, for re-orientation.
    pub restored: Vec<RestoredFile>,
    /// The plan that was agreed on last, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<KeptText>,
    /// Instructions and index as they stand on the disk now; they count in place of `.load` and `.index`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reloaded: Option<Reloaded>,
    /// Scoped rules and nested files that load again when touched.
    pub until_touched: Vec<String>,
    /// Names of skills that were used in what was folded.
    pub skills: Vec<String>,
    /// Their texts, when they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skill_bodies: Vec<KeptText>,
    /// What was taken out, by kind, with its size.
    pub dropped: Vec<Dropped>,
    /// What no longer stands in the result; nothing when nothing was folded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// What is kept word for word because the caller or a session rule wants it.
    pub pins: Vec<String>,
    /// What the user had said before the agent's own compaction, and its summary does not hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub given_back: Vec<GivenBack>,
    /// The folded messages themselves, when they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub originals: Vec<Original>,
    /// The originals of one summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expanded: Option<Expanded>,
    /// The snapshot that was written or read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotNote>,
    /// Raised by each compaction.
    pub epoch: u64,
}

/// A text that is given back after a fold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptText {
    /// Its name: of a skill the skill's, of a plan nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The file that it stands in, absolute; nothing when it stood in the conversation.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Its tokens, estimated.
    pub tokens: usize,
    /// The text.
    pub text: String,
}

/// Instructions and index, read again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reloaded {
    /// Instruction files that are always present, in load order.
    pub instructions: Vec<ReloadedFile>,
    /// The index as a model gets it.
    pub index: String,
}

/// One instruction file, read again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReloadedFile {
    /// Absolute.
    pub path: String,
    /// Whose words it holds.
    pub layer: InstructionLayer,
    /// Its text as a model gets it.
    pub text: String,
    /// Of the bytes of the file.
    pub sha256: String,
}

/// Something that a compaction of the agent's own lost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GivenBack {
    /// `pin`, `wish` or `task`.
    pub kind: String,
    /// Word for word.
    pub text: String,
}

/// A message that was folded, kept with the summary that stands for it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Original {
    /// The id of its summary.
    pub summary: String,
    /// Its index in `messages` as they came in, when it has no id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// The message itself.
    pub message: Raw,
}

/// The originals of one summary.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Expanded {
    /// Which summary.
    pub id: String,
    /// The messages that it covers, in order.
    pub messages: Vec<Raw>,
    /// What it covers and is found nowhere.
    pub missing: Vec<Missing>,
}

/// An original that is found nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// The id, or the index of a message without one.
    pub id: Cover,
    /// Where it was looked for.
    pub reason: String,
}

/// A snapshot of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SnapshotNote {
    /// Where it lies, absolute.
    pub path: String,
    /// `written` or `read`.
    pub state: String,
    /// The session that it is of; empty when it has no id.
    pub session_id: String,
    /// The project's root.
    pub root: String,
    /// When it was written.
    pub now: String,
}

/// A JSON value with its bytes.
#[derive(Debug, Clone)]
pub struct Raw(pub Box<RawValue>);

impl Raw {
    /// Returns a value of JSON text, or nothing when it is none.
    #[must_use]
    pub fn new(json: String) -> Option<Self> {
        RawValue::from_string(json).ok().map(Self)
    }

    /// Returns its JSON text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.get()
    }
}

impl Default for Raw {
    fn default() -> Self {
        Self(RawValue::NULL.to_owned())
    }
}

impl PartialEq for Raw {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Serialize for Raw {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self)
    }
}

/// One holder of the window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WindowShare {
    /// `system`, `tools`, `instructions`, `index`, `recall`, `other` (counted by the service, unknown here), `digest`, `older turns`, `last turns`, `current turn` or `files` (what is given back of them).
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
    /// How many turns it has that began with typed words.
    pub turns: usize,
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
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    /// `content`, or `path`: named only, to be read again when needed.
    pub state: String,
    /// The text of the file as it is on the disk now, secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why only the path is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
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
