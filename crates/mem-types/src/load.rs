//! Layer 1: the instruction files that are always present.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What mem-load writes under `.load`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Load {
    /// The project root, absolute.
    pub root: String,
    /// SHA-256 over the active files' paths and texts.
    pub version: String,
    /// Files of the start in load order, then those that touched files brought.
    pub files: Vec<LoadedFile>,
    /// Estimated tokens of all active texts.
    pub tokens: u64,
    /// What each layer takes, from the lowest weight to the highest.
    pub layers: Vec<LayerSize>,
    /// The window that shares are of, in tokens.
    pub window: u64,
    /// Why one file is in or out, when that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// With profile `all`: what each agent loads, by its name; the files above are mem's own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub profiles: BTreeMap<String, Reading>,
}

/// What one agent loads from a folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reading {
    /// SHA-256 over the active files' paths and texts.
    pub version: String,
    /// As `files` of the load itself, in the agent's own order.
    pub files: Vec<LoadedFile>,
    /// Estimated tokens of all active texts.
    pub tokens: u64,
}

/// A file that a touch brought in a session; an entry of `.session.load.brought`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Brought {
    /// Absolute, as reached.
    pub path: String,
    /// The call that brought it; a rerun of the same call brings it again.
    pub call: String,
}

/// What the active files of one layer take.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerSize {
    /// Whose words these are.
    pub layer: InstructionLayer,
    /// How many files are active.
    pub files: u64,
    /// Estimated tokens of their texts.
    pub tokens: u64,
    /// Part of the window, from 0 to 1.
    pub share: f64,
    /// The most tokens that the layer may have, when a limit was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
}

/// Why a file is in or out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Why {
    /// The file that was asked about, absolute.
    pub path: String,
    /// `active`, `waiting`, `skipped` or `absent`.
    pub state: String,
    /// What was looked at, in order; the last one decides.
    pub steps: Vec<String>,
}

/// A part of an instruction file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Section {
    /// The heading without its marks; empty for what stands above the first one.
    pub heading: String,
    /// What kind of rule stands there.
    pub class: SectionClass,
}

/// What kind of rule a section holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SectionClass {
    /// How things are written and named.
    Style,
    /// What must or must not be.
    Constraint,
    /// How work is done: building, testing, releasing.
    Process,
    /// None of these.
    #[default]
    #[serde(other)]
    Other,
}

/// One instruction file, loaded or not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadedFile {
    /// Absolute, as reached.
    pub path: String,
    /// Whose words these are.
    pub layer: InstructionLayer,
    /// When the file applies: `always`, `paths` or `folder`.
    pub scope: String,
    /// Who wins in a conflict: the higher number.
    pub priority: u8,
    /// `instructions`, `rule`, `import` or `provider`.
    pub kind: String,
    /// Whether its text is there.
    pub state: FileState,
    /// Why it is in or out, in the words of the client's audit: `session_start`, `nested_traversal`, `path_glob_match`,
    /// `include`, `compact`; of any other file words for people.
    pub reason: String,
    /// Whether the agent whose hook asks loads it by itself, or was given it before. Only for hooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native: Option<bool>,
    /// The file that imports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Hops below the first file of the chain, from 1; of an import only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
    /// The patterns of a rule with `paths`, as read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub globs: Vec<String>,
    /// The touched file that brought it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched_by: Option<String>,
    /// Size on disk.
    pub bytes: u64,
    /// Estimated tokens of the text.
    pub tokens: u64,
    /// Part of `.load.tokens`, from 0 to 1.
    pub share: f64,
    /// SHA-256 of the file on disk.
    pub sha256: String,
    /// The parts of the text by its headings. Only when active.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
    /// What a model gets: front matter, BOM, CR, block comments and needless blank lines taken off. Only when active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Whose words an instruction file holds, from the lowest weight to the highest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InstructionLayer {
    /// The organisation's policy on this machine.
    Managed,
    /// A team's shared baseline.
    Team,
    /// The user's own, for all projects.
    User,
    /// Checked into the project.
    #[default]
    Project,
    /// The user's own for this project.
    Local,
    /// A layer that a later version knows.
    #[serde(other)]
    Other,
}

/// Whether a file's text is given to the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileState {
    /// Its text is there.
    #[default]
    Active,
    /// A rule whose `paths` no touched file matches; its text is not there.
    Waiting,
    /// Left out; `reason` says why.
    Skipped,
    /// A state that a later version knows.
    #[serde(other)]
    Other,
}

impl InstructionLayer {
    /// Returns who wins in a conflict, from 1 (managed) to 5 (local): DESIGN section 5.
    #[must_use]
    pub fn priority(self) -> u8 {
        match self {
            Self::Managed => 1,
            Self::Team => 2,
            Self::User => 3,
            Self::Project | Self::Other => 4,
            Self::Local => 5,
        }
    }

    /// Returns the layer of a name on the wire.
    #[must_use]
    pub fn named(name: &str) -> Self {
        [Self::Managed, Self::Team, Self::User, Self::Project, Self::Local]
            .into_iter()
            .find(|layer| layer.name() == name)
            .unwrap_or(Self::Other)
    }

    /// Returns the layer's name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::Team => "team",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Other => "other",
        }
    }
}
