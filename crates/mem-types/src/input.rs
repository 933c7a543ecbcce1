//! What comes in: keys that a hook, a caller or a Messages API body brings, as far as more than one command reads them.

use serde::{Deserialize, Serialize};

/// A file that was touched lately, as a bare path or with the tool that touched it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum TouchedFile {
    /// Only the path.
    Path(String),
    /// The path with more about the touch.
    Entry {
        /// Absolute, or relative to `cwd`.
        path: String,
        /// The tool's name.
        #[serde(default)]
        tool: Option<String>,
        /// When, in RFC 3339.
        #[serde(default)]
        at: Option<String>,
    },
}

/// The part of a hook's `tool_input` that names a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ToolInput {
    /// The file that the tool reads or writes.
    pub file_path: Option<String>,
    /// The notebook that it writes.
    pub notebook_path: Option<String>,
}

/// One memory folder, or several: the first is one's own.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum MemoryDirs {
    /// One folder.
    One(String),
    /// Several folders; only the first is ever written.
    Many(Vec<String>),
}

/// How much fits in the model's window.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Window {
    /// Tokens of the whole window.
    pub context_tokens: u64,
    /// Tokens kept free for the answer.
    pub output_reserve_tokens: u64,
}

/// A recorded use of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// Relative to the memory folder.
    pub path: String,
    /// How often, at least 1.
    #[serde(default = "once")]
    pub count: u64,
    /// When last, in RFC 3339; also spelled `at`.
    #[serde(default, alias = "at")]
    pub last: Option<String>,
}

impl TouchedFile {
    /// Returns the path as it was given.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Path(path) | Self::Entry { path, .. } => path,
        }
    }
}

impl MemoryDirs {
    /// Returns the folders in the order given.
    #[must_use]
    pub fn into_list(self) -> Vec<String> {
        match self {
            Self::One(folder) => vec![folder],
            Self::Many(folders) => folders,
        }
    }
}

impl Default for Window {
    /// 200,000 tokens with 20,000 for the answer: facts.md, Part B, section 7.1.
    fn default() -> Self {
        Self { context_tokens: 200_000, output_reserve_tokens: 20_000 }
    }
}

fn once() -> u64 {
    1
}

/// What is to be forgotten: one wish or several.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Forget {
    /// A path, a name, or words that stand in the memory.
    One(ForgetWish),
    /// Several.
    Many(Vec<ForgetWish>),
}

/// One wish to forget.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum ForgetWish {
    /// A path, a name, or words that stand in the memory; it is archived.
    Words(String),
    /// More exactly.
    Entry {
        /// The exact path.
        #[serde(default)]
        path: Option<String>,
        /// The exact name.
        #[serde(default)]
        name: Option<String>,
        /// Words that stand in the memory.
        #[serde(default, alias = "quote")]
        text: Option<String>,
        /// `archive` (the default) or `supersede`.
        #[serde(default)]
        how: Option<String>,
        /// For `supersede`: the path of the memory that holds instead.
        #[serde(default)]
        by: Option<String>,
    },
}

impl Forget {
    /// Returns the wishes.
    #[must_use]
    pub fn into_list(self) -> Vec<ForgetWish> {
        match self {
            Self::One(wish) => vec![wish],
            Self::Many(wishes) => wishes,
        }
    }
}
