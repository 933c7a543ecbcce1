//! The options of mem-load.

use clap::{Args as ClapArgs, ValueEnum};

use crate::glob::Meaning;

/// Limits and choices of mem-load; what it loads follows from the folder and the touched files.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// What the patterns of a rule mean
    #[arg(long, value_enum, default_value_t, value_name = "MEANING")]
    pub glob: GlobChoice,
}

/// What the patterns of a rule mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum GlobChoice {
    /// What they mean in .gitignore: '*.md' at any depth, a folder for all that it holds.
    #[default]
    Gitignore,
    /// The whole path from the folder that holds '.claude': '*.md' in that folder only.
    Path,
}

impl From<GlobChoice> for Meaning {
    fn from(choice: GlobChoice) -> Self {
        match choice {
            GlobChoice::Gitignore => Self::Gitignore,
            GlobChoice::Path => Self::Path,
        }
    }
}

impl mem_cli::Arguments for Args {
    const DOCUMENT: &'static [&'static str] = &["glob"];
    const ABOUT: &'static str = "Layer 1: the instructions that are always present. Finds the CLAUDE.md files and rules \
                                 for a folder, in the order in which they count, and says of each why it is in or out";
    const AFTER_HELP: &'static str = "\
Reads documents (JSON objects) on stdin, adds the key 'load' to each, and writes them to stdout. Files touched lately \
('files', or a hook's 'tool_input') bring the rules that match them and the folders that hold them.

Examples:
  mem-load -n --format text                        what is loaded here, from where, and how many tokens it takes
  mem-load -n -C DIR | jq '.load.files[].path'     the files for another folder
  echo '{\"files\":[\"src/a.ts\"]}' | mem-load --format text    with the rules for a touched file

Status: 0 answered, 1 --strict found something, 2 called wrongly, 3 something was not done.
More: mem-load(1), mem(7), mem-document(5).";
}
