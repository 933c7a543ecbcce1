//! The options that mean the same thing in all six commands.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

/// What is printed for each document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The document, one line of JSON.
    #[default]
    Json,
    /// For people: what was loaded, chosen or planned, and why.
    Text,
    /// What a model would be given from all keys present.
    Context,
    /// The answer for the hook event that the document names.
    Hook,
    /// A Messages API body with memory in its place.
    Request,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Common options")]
pub struct Common {
    /// What to print: the document, text for people, what a model would see, a hook's answer, or a request body
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,

    /// Whose reading of the folder: mem's own, exactly that of one agent, or all side by side
    #[arg(long, value_enum, default_value_t, value_name = "PROFILE")]
    pub profile: ProfileChoice,

    /// What the user says now; written into the document as 'prompt'
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub prompt: Option<String>,

    /// Work as if started in DIR; written into the document as 'cwd'
    #[arg(short = 'C', long = "cwd", value_name = "DIR")]
    pub cwd: Option<PathBuf>,

    /// The memory folder; written into the document as 'memory_dir'. Several times: the first is one's own
    #[arg(long, value_name = "DIR")]
    pub memory_dir: Vec<PathBuf>,

    /// The moment that counts as now (RFC 3339 with offset); written into the document as 'now'
    #[arg(long, value_name = "TIME")]
    pub now: Option<String>,

    /// Read nothing: start from one empty document
    #[arg(short = 'n', long)]
    pub no_input: bool,

    /// Read the documents from FILE instead of stdin
    #[arg(short = 'i', long, value_name = "FILE", conflicts_with = "no_input")]
    pub input: Option<PathBuf>,

    /// stdin is a list of memory folders, one a line; each becomes a document
    #[arg(long, conflicts_with = "no_input")]
    pub paths: bool,

    /// With --paths: the folders are separated by NUL, as 'find -print0' prints them
    #[arg(short = '0', long = "null", requires = "paths")]
    pub null: bool,

    /// Work on N documents at once; they are printed in order
    #[arg(short = 'j', long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: u16,

    /// Keep '.session' between processes in FILE, or by session_id with 'auto'
    #[arg(long, value_name = "FILE|auto")]
    pub session: Option<PathBuf>,

    /// Format request with --session: take instructions and index anew, which the model's cache does not have yet
    #[arg(long)]
    pub refresh: bool,

    /// Indent the JSON
    #[arg(long)]
    pub pretty: bool,

    /// When to colour text
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorChoice,

    /// Formats context and request: leave the memory guide out
    #[arg(long)]
    pub no_guide: bool,

    /// Format hook: give also what the agent loads by itself
    #[arg(long)]
    pub include_native: bool,

    /// Show how far the run is, on stderr at a terminal
    #[arg(long)]
    pub progress: bool,

    /// Stop at the first document that fails
    #[arg(long)]
    pub fail_fast: bool,

    /// Status 1 when a warning or an error is reported
    #[arg(long)]
    pub strict: bool,

    /// Let the repository's own settings move its memory folder
    #[arg(long)]
    pub trust_project: bool,

    /// Change nothing on disk, whatever else is asked
    #[arg(long)]
    pub dry_run: bool,

    /// Say nothing on stderr but that a call was wrong
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Tell every problem on stderr, too
    #[arg(short, long)]
    pub verbose: bool,

    /// Print the JSON Schema of the document and leave
    #[arg(long)]
    pub schema: bool,

    /// Print the completion script for SHELL and leave
    #[arg(long, value_enum, value_name = "SHELL")]
    pub completions: Option<Shell>,
}

/// When text is coloured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// At a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Whose reading of a folder is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ProfileChoice {
    /// The architecture of mem: friendly where agents drop things in silence, and it says so.
    #[default]
    Mem,
    /// Exactly what Claude Code loads.
    ClaudeCode,
    /// Exactly what Gemini CLI loads.
    Gemini,
    /// Exactly what Codex loads.
    Codex,
    /// Exactly what opencode loads.
    Opencode,
    /// All of them, side by side.
    All,
}

impl From<ProfileChoice> for mem_store::Profile {
    fn from(choice: ProfileChoice) -> Self {
        match choice {
            ProfileChoice::Mem => Self::Mem,
            ProfileChoice::ClaudeCode => Self::ClaudeCode,
            ProfileChoice::Gemini => Self::Gemini,
            ProfileChoice::Codex => Self::Codex,
            ProfileChoice::Opencode => Self::Opencode,
            ProfileChoice::All => Self::All,
        }
    }
}
