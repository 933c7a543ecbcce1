//! The options of mem-extract.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

/// Where memories go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Sink {
    /// A topic file each, with a line in the index.
    #[default]
    Files,
    /// A bullet each at the end of the daily log.
    Log,
}

/// What is read instead of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum From {
    /// The daily logs of the memory folder.
    Logs,
}

/// What to do with what was learned.
#[derive(Debug, Clone, Default, ClapArgs)]
pub struct Args {
    /// Carry the plan out: the operations that stand in the document, else those found now
    #[arg(long)]
    pub apply: bool,

    /// With --apply: also write to CLAUDE.md what the user wants there
    #[arg(long)]
    pub allow_instructions: bool,

    /// Where memories go: topic files, or the daily log
    #[arg(long, value_enum, value_name = "SINK", default_value_t = Sink::Files)]
    pub sink: Sink,

    /// Read daily logs instead of a conversation, and make topic files of them
    #[arg(long, value_enum, value_name = "WHAT")]
    pub from: Option<From>,

    /// What this project wants remembered besides, and what never: a text file, a wish a line
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,

    /// Return at once and work on in the background; for hooks, with --apply
    #[arg(long)]
    pub detach: bool,

    /// Read only when at least N messages were typed since the last time; else wait, and lose nothing
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub every: u64,

    /// Most memories written in one run; what is beyond is refused by name
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub max_operations: u64,

    /// How to learn: by rules, by one question to a model, or by a fork of the conversation [default: oneshot with --llm]
    #[arg(long, value_enum, value_name = "STRATEGY", hide_default_value = true)]
    pub strategy: Option<Strategy>,

    /// A file or folder that a fork may read, besides the project and the memory folder
    #[arg(long, value_name = "PATH")]
    pub fork_read: Vec<PathBuf>,

    /// Plan better descriptions and triggers for the memories there are; needs --llm
    #[arg(long)]
    pub improve: bool,

    /// How a model is asked
    #[command(flatten)]
    pub model: mem_cli::ModelOptions,
}

/// How a conversation is learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// By rules, offline.
    Rules,
    /// By one question to a model, with the user's words and the list of memories.
    Oneshot,
    /// By the conversation's own model, which goes on with it under a gate.
    Fork,
}

impl Args {
    /// Returns how a model is to be used.
    pub(crate) fn ways(&self, environment: &mem_store::Environment) -> crate::strategy::Ways {
        let asking = self.model.asking(environment);
        let standard = if asking.is_some() { Strategy::Oneshot } else { Strategy::Rules };
        let further = self.fork_read.iter().map(|path| environment.started_in.join(path)).collect();
        crate::strategy::Ways { strategy: self.strategy.unwrap_or(standard), asking, fork_read: further }
    }
}

impl mem_cli::Arguments for Args {
    const DOCUMENT: &'static [&'static str] = &["every", "max_operations", "strategy"];
    fn writes(&self) -> bool {
        self.apply
    }
    const ABOUT: &'static str = "Layer 4: what the conversation taught. Reads what the user typed since the last time \
                                 and plans what to remember of it; writes only with --apply";
    const AFTER_HELP: &'static str = "\
Reads documents (JSON objects) on stdin, adds the key 'extract' to each, and writes them to stdout.
The conversation is the document's 'messages', else the file that 'transcript_path' names.
Only the user's own words count, in English and Chinese: corrections, confirmations, lasting wishes, who the user is,
project facts with dates, pointers to outside systems, and 'remember'. What holds just this once becomes a rule of
the session. Secrets are never saved. With --llm a model is asked; what it proposes must quote the user's own words.

Examples:
  mem-extract --format text < hook.json           what a conversation taught, as a diff, for people
  mem-extract < hook.json | jq .extract.operations
  mem-extract --apply < hook.json                 write it
  mem-extract < hook.json > plan.json; mem-extract --apply < plan.json    look, edit, then write
  echo '{\"remember\":\"we deploy on Tuesdays\"}' | mem-extract -C . --apply
  mem-extract --llm anthropic:NAME < hook.json    what a model finds in what the user typed
  mem-extract --strategy fork --llm anthropic:NAME < request.json    the conversation itself looks back
  mem-extract --improve --llm anthropic:NAME -n   better descriptions, as a plan

Status: 0 answered, 1 --strict found something, 2 called wrongly, 3 something was not done.
More: mem-extract(1), mem(7), mem-document(5).";
}
