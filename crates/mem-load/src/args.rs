//! The options of mem-load.

use std::path::{Component, Path, PathBuf};

use clap::{Args as ClapArgs, ValueEnum};
use mem_store::instructions::InstructionFiles;
use mem_types::Problems;
use mem_types::load::InstructionLayer;

use crate::glob::Meaning;

/// Limits and choices of mem-load; what it loads follows from the folder and the touched files.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// What the patterns of a rule mean
    #[arg(long, value_enum, default_value_t, value_name = "MEANING")]
    pub glob: GlobChoice,

    /// When AGENTS.md counts; the default is what the agent's own settings say, else the first
    #[arg(long, value_enum, value_name = "MODE", alias = "agents-md")]
    pub instruction_files: Option<FilesChoice>,

    /// Names of further files to read in each folder, such as GEMINI.md, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub file_names: Vec<String>,

    /// A further folder whose files count, if the agent's switch for that is set; may be given several times
    #[arg(long, value_name = "DIR")]
    pub add_dir: Vec<PathBuf>,

    /// Follow imports and links that lead out of the project
    #[arg(long)]
    pub allow_external: bool,

    /// Say it when instructions take more than N percent of the window
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub max_share: u8,

    /// Say it when a layer takes more than N tokens; may be repeated
    #[arg(long, value_name = "LAYER=N", value_parser = layer_budget)]
    pub layer_budget: Vec<(InstructionLayer, u64)>,

    /// Look also for rules that match no file; status 1 when anything is found
    #[arg(long)]
    pub check: bool,

    /// The team's instructions, between the organisation's and the user's
    #[arg(long, value_name = "FILE")]
    pub team: Option<PathBuf>,

    /// A program that prints instructions as JSON, such as 'exec:team-rules --json'; may be repeated
    #[arg(long = "provider", id = "providers", value_name = "exec:CMD", value_parser = program)]
    pub providers: Vec<String>,

    /// Seconds that a provider may take
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub provider_timeout: u64,

    /// Say step by step why the file PATH is in or out
    #[arg(long, value_name = "PATH")]
    pub why: Option<PathBuf>,

    /// Append a line of JSON for each loaded file to FILE
    #[arg(long, value_name = "FILE")]
    pub audit: Option<PathBuf>,
}

fn program(text: &str) -> Result<String, String> {
    match text.strip_prefix("exec:") {
        Some(command) if !command.trim().is_empty() => Ok(text.to_owned()),
        _ => Err("give it as 'exec:' and a command".into()),
    }
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

/// When AGENTS.md counts, in the words of the agent's own setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FilesChoice {
    /// Where no folder has a CLAUDE.md or CLAUDE.local.md.
    #[value(name = "claude-md-or-agents-md")]
    ClaudeOrAgents,
    /// In each folder, behind CLAUDE.md.
    #[value(name = "claude-md-and-agents-md")]
    ClaudeAndAgents,
    /// Never.
    #[value(name = "claude-md")]
    Claude,
    /// Never, nor anything but the organisation's files.
    #[value(name = "managed-only")]
    ManagedOnly,
}

impl From<FilesChoice> for InstructionFiles {
    fn from(choice: FilesChoice) -> Self {
        match choice {
            FilesChoice::ClaudeOrAgents => Self::ClaudeOrAgents,
            FilesChoice::ClaudeAndAgents => Self::ClaudeAndAgents,
            FilesChoice::Claude => Self::Claude,
            FilesChoice::ManagedOnly => Self::ManagedOnly,
        }
    }
}

impl Args {
    /// Returns the names of further files; one that leads elsewhere is told and left out.
    pub(crate) fn names(&self, problems: &mut Problems) -> Vec<String> {
        let mut names = Vec::new();
        for name in self.file_names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
            let stays = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
            if stays {
                names.push(name.to_owned());
            } else {
                problems.warning("bad-file-name", format!("'{name}' is no name of a file in a folder"));
            }
        }
        names
    }
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
    const DOCUMENT: &'static [&'static str] = &["add_dir", "glob", "instruction_files", "layer_budget", "max_share"];
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
