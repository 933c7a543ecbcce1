//! The options of mem-index.

use clap::{Args as ClapArgs, ValueEnum};

/// Limits of the index as a model gets it, what is checked, and whether it is mended.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// Most lines of MEMORY.md that a model gets
    #[arg(long, value_name = "LINES", default_value_t = 200)]
    pub max_lines: u64,

    /// Most bytes of MEMORY.md that a model gets, counted after --max-lines and cut at a line's end
    #[arg(long, value_name = "BYTES", default_value_t = 25_000)]
    pub max_bytes: u64,

    /// What --max-bytes counts: bytes, or characters as clients count them
    #[arg(long, value_enum, value_name = "UNIT", default_value_t)]
    pub unit: UnitChoice,

    /// Most characters of an index entry
    #[arg(long, value_name = "N", default_value_t = 150)]
    pub max_line: u64,

    /// Most topic files that count as visible, newest first
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub max_files: u64,

    /// Status 1 when something is found: drift, size, quality, secrets; without a list, all four
    #[arg(long, value_enum, value_name = "LIST", num_args = 0..=1, require_equals = true, value_delimiter = ',',
          default_missing_values = ["drift", "size", "quality", "secrets"])]
    pub check: Vec<Class>,

    /// Look at what git would commit, not at the files on disk
    #[arg(long, conflicts_with = "apply")]
    pub staged: bool,

    /// Show what --apply would change in MEMORY.md
    #[arg(long)]
    pub diff: bool,

    /// Bring MEMORY.md together with the files and within its limits
    #[arg(long)]
    pub apply: bool,
}

/// What the size of the index is counted in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum UnitChoice {
    /// Bytes of UTF-8.
    #[default]
    Bytes,
    /// UTF-16 units, as Claude Code counts.
    Characters,
}

/// What can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Class {
    /// Files without a line, lines without a file, double lines, lines that say something else than their file.
    Drift,
    /// Lines and index over their limits.
    Size,
    /// Descriptions nobody can choose by, missing types, words that age, what is said elsewhere.
    Quality,
    /// Secrets in the index and in topic files.
    Secrets,
}

impl Class {
    /// Returns the class as it is written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Drift => "drift",
            Self::Size => "size",
            Self::Quality => "quality",
            Self::Secrets => "secrets",
        }
    }
}

impl mem_cli::Arguments for Args {
    const DOCUMENT: &'static [&'static str] = &["max_lines", "max_bytes", "unit", "max_line", "max_files"];
    const ABOUT: &'static str = "Layer 2: what is remembered at all, one line each. Finds the memory folder, reads \
                                 MEMORY.md as a model would get it, and lists the topic files";
    const AFTER_HELP: &'static str = "\
Reads documents (JSON objects) on stdin, adds the key 'index' to each, and writes them to stdout.

Examples:
  mem-index -n --format text                 the memory of the project around this folder
  mem-index -n --memory-dir DIR | jq .index  the memory in DIR, as JSON
  mem-index -n --diff --format text          what would be mended in MEMORY.md; --apply does it
  mem-index -n --staged --check --format text --memory-dir .claude/memory    in a git hook
  find ~ -path '*/projects/*/memory' -print0 | mem-index --paths -0    many folders, one line each

Status: 0 answered, 1 --check or --strict found something, 2 called wrongly, 3 something was not done.
More: mem-index(1), mem(7), mem-document(5).";

    fn writes(&self) -> bool {
        self.apply
    }
}
