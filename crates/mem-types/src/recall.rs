//! Layer 3: the memories that this prompt needs.

use serde::{Deserialize, Serialize};

use crate::asking::Usage;

/// What mem-recall writes under `.recall`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recall {
    /// Who chose: `offline` (the ranking), `model` or `program`.
    pub selector: String,
    /// `selected`, `nothing`, `skipped`, `pending`, `late` or `budget-exhausted`.
    pub state: String,
    /// Why, when nothing was selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why the ranking chose although a model or a program was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// Best first.
    pub memories: Vec<RecalledMemory>,
    /// What might have been chosen and was not.
    pub passed_over: Vec<PassedOver>,
    /// What was spent and what is left.
    pub budget: RecallBudget,
    /// What asking a model has cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Of the memories that were asked about: what became of each, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<AskedAbout>,
}

/// What became of a memory that was asked about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AskedAbout {
    /// Relative to its folder; as it was asked for when there is none of that name.
    pub path: String,
    /// `chosen`, `passed-over`, `not-ranked` or `not-found`.
    pub outcome: String,
    /// In a few words.
    pub reason: String,
    /// What it scored; missing when it was not ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The score that it needed beside the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_score: Option<f64>,
    /// Its score as a share of a full match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// The share from which a memory helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_share: Option<f64>,
    /// The words that matched, each with its part of the score.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Why>,
    /// What was ranked before it, best first, at most five.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub behind: Vec<Scored>,
}

/// A memory with its score.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scored {
    /// Relative to its folder.
    pub path: String,
    /// Comparable within one answer only.
    pub score: f64,
}

/// A memory with the text that a model is given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecalledMemory {
    /// Relative to its folder.
    pub path: String,
    /// The folder, when it is not one's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
    /// From the front matter, else the file's name.
    pub name: String,
    /// As written in the file.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Comparable within one answer only.
    pub score: f64,
    /// The words that matched, each with its part of the score, strongest first.
    pub why: Vec<Why>,
    /// Whole days since its content changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_days: Option<i64>,
    /// From the second whole day on: an observation of its time, to be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Paths that the text cites, and whether the project has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<Citation>,
    /// The text, cut at the budget, secrets masked.
    pub text: String,
    /// `bytes` or `lines`: the limit that cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated_by: Option<String>,
}

/// A word's part in a choice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Why {
    /// The word as the prompt has it.
    pub word: String,
    /// Its part of the score.
    pub score: f64,
}

/// A cited path.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Citation {
    /// As the memory writes it.
    pub path: String,
    /// `fresh` (it is there), `stale` (it is not) or `unverifiable`.
    pub state: String,
}

/// A memory that was not chosen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PassedOver {
    /// Relative to its folder.
    pub path: String,
    /// In a few words.
    pub why: String,
}

/// The three budgets of recall, in files and bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecallBudget {
    /// Most files a turn.
    pub max_files: u64,
    /// Most bytes a file.
    pub max_bytes: u64,
    /// Most bytes a session.
    pub session_bytes: u64,
    /// Bytes of this answer.
    pub used_bytes: u64,
    /// Bytes of the session that are still in context, this answer included.
    pub used_session_bytes: u64,
}
