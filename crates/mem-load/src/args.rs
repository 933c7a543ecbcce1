//! The options of mem-load.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use mem_types::load::InstructionLayer;

use crate::glob::Meaning;

/// Limits and choices of mem-load; what it loads follows from the folder and the touched files.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// What the patterns of a rule mean
    #[arg(long, value_enum, default_value_t, value_name = "MEANING")]
    pub glob: GlobChoice,

    /// Say it when instructions take more than N percent of the window
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub max_share: u8,

    /// Say it when a layer takes more than N tokens; may be repeated
    #[arg(long, value_name = "LAYER=N", value_parser = layer_budget)]
    pub layer_budget: Vec<(InstructionLayer, u64)>,

    /// Look also for rules that match no file; status 1 when anything is found
    #[arg(long)]
    pub check: bool,

    /// Say step by step why the file PATH is in or out
    #[arg(long, value_name = "PATH")]
    pub why: Option<PathBuf>,

    /// Append a line of JSON for each loaded file to FILE
    #[arg(long, value_name = "FILE")]
    pub audit: Option<PathBuf>,
}

fn layer_budget(text: &str) -> Result<(InstructionLayer, u64), String> {
    let (layer, tokens) = text.split_once('=').ok_or("give it as LAYER=TOKENS, such as project=4000")?;
    let known = ["managed", "team", "user", "project", "local"];
    if !known.contains(&layer) {
        return Err(format!("no layer '{layer}'; there are {}", known.join(", ")));
    }
    let tokens = tokens.parse().map_err(|_| format!("'{tokens}' is no number of tokens"))?;
    Ok((InstructionLayer::named(layer), tokens))
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
    const DOCUMENT: &'static [&'static str] = &["glob", "layer_budget", "max_share"];
    const ABOUT: &'static str = "Layer 1: the instructions that are always present. Finds the CLAUDE.md files and rules \
                                 for a folder, in the order in which they count, and says of each why it is in or out";
    const AFTER_HELP: &'static str = "\
Reads documents (JSON objects) on stdin, adds the key 'load' to each, and writes them to stdout. Files touched lately \
('files', or a hook's 'tool_input') bring the rules that match them and the folders that hold them.

Examples:
  mem-load -n --format text                        what is loaded here, from where, and how many tokens it takes
  mem-load -n -C DIR | jq '.load.files[].path'     the files for another folder
  mem-load -n --format text --why PATH             why a file is in or out, step by step
  mem-load -n --check --format text                what is wrong with the instructions; status 1 when anything is
  echo '{\"files\":[\"src/a.ts\"]}' | mem-load --format text    with the rules for a touched file

Status: 0 answered, 1 --check or --strict found something, 2 called wrongly, 3 something was not done.
More: mem-load(1), mem(7), mem-document(5).";
}
