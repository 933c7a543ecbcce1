//! Ageing: what is stale, double or done.

use serde::{Deserialize, Serialize};

/// What mem-age writes under `.age`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Age {
    /// Whole days since MEMORY.md changed.
    pub index_age_days: Option<i64>,
    /// Every memory, by path.
    pub memories: Vec<AgedMemory>,
    /// What is proposed; nothing is done.
    pub actions: Vec<Action>,
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
    /// Where the date is from: `metadata.modified`, `modified`, `mtime` or `unknown`.
    pub modified_source: String,
    /// From the second whole day on: how old it is, and that it is to be checked against the present.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What was seen.
    pub findings: Vec<Finding>,
    /// Base level of activation; higher is stronger. Absent without any date.
    pub strength: Option<f64>,
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
}
