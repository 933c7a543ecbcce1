//! Layer 4: what the conversation taught.

use serde::{Deserialize, Serialize};

use crate::asking::Usage;

/// What mem-extract writes under `.extract`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Extract {
    /// `planned`, `applied`, `nothing`, `skipped`, `folded` or `detached`.
    pub state: String,
    /// Why, when it was skipped or nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What is to be written, in the order in which it was said.
    pub operations: Vec<Operation>,
    /// What holds for this session only, of this turn and the earlier ones; compaction keeps it word for word.
    pub session_rules: Vec<SessionRule>,
    /// What was not kept, and why.
    pub refused: Vec<Refused>,
    /// What is missing before something can be kept.
    pub needs: Vec<String>,
    /// The last message that was read: its uuid, else its number from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// What asking a model has cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// One change to the memory folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Operation {
    /// `create`, `update`, `none`, `supersede`, `archive` or `append-instruction`.
    pub op: String,
    /// Relative to the memory folder, ending in `.md`; not there for `append-instruction`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The instruction file that `append-instruction` writes to: `project`, `local` or `user`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// `feedback`, `user`, `project` or `reference`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Short name.
    pub name: String,
    /// One line by which it is found again.
    pub description: String,
    /// The memory itself, in Markdown.
    pub body: String,
    /// Why this is to be remembered.
    pub why: String,
    /// Where it was said.
    pub sources: Vec<Source>,
    /// SHA-256 of the file that this replaces; refused when the file differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The text that an update or a supersede replaces, without its front matter, shortened with a mark when long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// Situations in which it helps; they replace those that the memory has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<String>,
    /// The instruction that this reinforces or excepts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reinforces: Option<String>,
    /// The memory that replaces this one; for `supersede`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// After `--apply`: `written`, `unchanged` or `refused: …`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

/// `.session.extract`: how far the conversation was read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExtractSession {
    /// The turn that was read last.
    pub turn: String,
    /// The last message read before that turn: a rerun starts behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The last message read in that turn: the next turn starts behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// What holds for this session only, of the turns before this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules_before: Vec<SessionRule>,
    /// The same with what this turn added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<SessionRule>,
}

/// Where something was said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    /// The message's uuid, else its number from 0.
    pub message_id: String,
    /// The words themselves, shortened with a mark when long.
    pub quote: String,
}

/// A wish for this session only.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionRule {
    /// The user's words.
    pub text: String,
    /// The message's uuid, else its number from 0.
    pub message_id: String,
}

/// Something that was not kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Refused {
    /// The words, masked and shortened.
    pub text: String,
    /// Why not.
    pub reason: String,
    /// The message's uuid, else its number from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
}
