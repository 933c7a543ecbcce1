//! Ageing: what is stale, double or done.

use serde::{Deserialize, Serialize};

use crate::asking::Usage;

/// What mem-age writes under `.age`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Age {
    /// Whole days since MEMORY.md changed.
    pub index_age_days: Option<i64>,
    /// Every memory, by path.
    pub memories: Vec<AgedMemory>,
    /// What is proposed, or with `--apply` what was carried out.
    pub actions: Vec<Action>,
    /// What changed on disk in this run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<Deed>,
    /// After a purge: where the memory may still stand, and no command of ours reaches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreached: Vec<String>,
    /// With `--history`: what one memory said, the oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Version>,
    /// What asking a model has cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// What a memory said for some time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Version {
    /// Relative to the memory folder.
    pub path: String,
    /// `holds`, `contradicted` (a newer one is there, and it is not marked yet), `superseded` or `archived`.
    pub state: String,
    /// The day from which it held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The day from which it held no longer; nothing for what holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Where it lies in the archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<String>,
    /// What follows its front matter, secrets masked.
    pub text: String,
}

/// One file that changed on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Deed {
    /// `applied`, `finished` (what an interrupted run had begun), `undone`, `restored` or `purged`.
    pub what: String,
    /// Relative to the memory folder; absolute outside of it.
    pub path: String,
    /// `written`, `unchanged`, in a dry run `planned`, or `refused: ` and the reason.
    pub outcome: String,
}

/// A memory and what became of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgedMemory {
    /// Relative to its folder.
    pub path: String,
    /// The first that fits of expired, contradicted, duplicate, dangling, stale, dormant, unknown, fresh.
    pub state: String,
    /// The memory that stays in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Whole days since its content changed.
    pub age_days: Option<i64>,
    /// Where the date is from: a key of the front matter such as `metadata.modified`, else `git`, `mtime` or `unknown`.
    pub modified_source: String,
    /// From the second whole day on: how old it is, and that it is to be checked against the present.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What was seen.
    pub findings: Vec<Finding>,
    /// Base level of activation; higher is stronger. Absent without any date.
    pub strength: Option<f64>,
    /// How the strength comes about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<Terms>,
    /// What it cites, and whether that is there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<Citation>,
}

/// The terms of a strength: their values summed give what the form of the score is made from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Terms {
    /// `act-r` or `half-life`.
    pub form: String,
    /// The decay of the form `act-r`, or the days of the form `half-life`.
    pub fades_by: f64,
    /// Whether it is pinned or evergreen, and so never forgotten, however weak.
    pub is_kept: bool,
    /// What was added up.
    pub parts: Vec<Term>,
}

/// One term of a strength.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Term {
    /// `written` or `used`.
    pub what: String,
    /// How often.
    pub count: u64,
    /// Days since, the last time.
    pub days: f64,
    /// What it adds.
    pub value: f64,
}

/// Something that a memory cites.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Citation {
    /// `path`, `symbol`, `command`, `link` or `commit`.
    pub kind: String,
    /// As cited.
    pub what: String,
    /// `fresh`: it is there. `stale`: it is not. `unverifiable`: that cannot be known.
    pub verdict: String,
    /// Where it seems to have gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
}

/// One thing seen about a memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Finding {
    /// A state's name, or `superseded`, `suspect`, `future`, `relative-date`.
    pub kind: String,
    /// What shows it.
    pub evidence: String,
}

/// One proposed act.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Action {
    /// `note`, `refresh`, `supersede`, `merge` or `archive`.
    pub action: String,
    /// Relative to the folder.
    pub path: String,
    /// The memory that stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub into: Option<String>,
    /// Why.
    pub reason: String,
    /// SHA-256 of the file that this is for.
    pub sha256: String,
    /// For `merge`: the new body of the memory that stays. Without it that keeps its own and gets the other's lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// With `--apply`: `written` (in a dry run `planned`), `unchanged`, `noted` or `refused: ` and the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}
