//! The options of mem-compact.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::limits::Limits;

/// When the conversation is folded, and how far.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// Most tokens that the messages may have afterwards, whether the window is full or not
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<usize>,

    /// Fold although the window is not full
    #[arg(long)]
    pub force: bool,

    /// Turns before the current one that stay word for word, as far as --budget reaches
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub hot_turns: usize,

    /// Give back what the summary ID stands for, in '.compact.expanded', and fold nothing
    #[arg(long, value_name = "ID", conflicts_with = "resume")]
    pub expand: Option<String>,

    /// Keep the folded messages themselves in '.compact.originals'
    #[arg(long)]
    pub keep_originals: bool,

    /// Save messages and summaries in FILE, whole or not at all; with --expand: look there, too
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub snapshot: Option<PathBuf>,

    /// Take messages and summaries from the snapshot in FILE
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,

    /// Give back the texts of the skills that were used, not only their names
    #[arg(long)]
    pub skill_bodies: bool,

    /// Tokens of the model's whole window [default: of the document's window, else 200,000]
    #[arg(long, value_name = "TOKENS", value_parser = positive)]
    pub context_tokens: Option<usize>,

    /// Tokens kept free for the answer [default: of the document's window, else 20,000 or a tenth of a small window]
    #[arg(long, value_name = "TOKENS")]
    pub output_reserve_tokens: Option<usize>,

    /// Whether a model writes the summaries, and which.
    #[command(flatten)]
    pub model: mem_cli::ModelOptions,
}

/// Reads a number of tokens that leaves room for something.
fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("a window of no tokens holds nothing".into()),
        Ok(tokens) => Ok(tokens),
        Err(_) => Err("write a whole number of tokens, such as 200000".into()),
    }
}

impl mem_cli::Arguments for Args {
    const DOCUMENT: &'static [&'static str] =
        &["budget", "force", "hot_turns", "context_tokens", "output_reserve_tokens", "keep_originals", "skill_bodies"];
    fn writes(&self) -> bool {
        self.snapshot.is_some() && self.expand.is_none()
    }
    fn check(&self) -> Result<(), String> {
        match (self.context_tokens, self.output_reserve_tokens) {
            (Some(context), Some(reserve)) => Limits::new(Some(context), Some(reserve)).map(drop),
            _ => Ok(()),
        }
    }
    const ABOUT: &'static str = "Layer 5: what stays when the window is full. Folds the old part of a conversation into \
                                 its points and keeps the rest word for word";
    const AFTER_HELP: &'static str = "\
Reads documents (JSON objects) on stdin, adds the key 'compact' to each, folds 'messages' when that is due, and writes
them to stdout. It is due when the window is full (context without output reserve and 13,000 tokens), when the messages
exceed a budget, when the document's 'trigger' is \"manual\", or with --force. Without 'messages' it reads the
conversation from 'transcript_path', and writes 'messages' only when it folded them.

Examples:
  mem-compact --format text < request.json        who holds how much of the window
  mem-compact --budget 8000 < request.json        the same request with at most 8,000 tokens of messages
  mem-compact --force --format request < request.json | curl … --data @-
  mem-compact --expand ID < folded.json | jq .compact.expanded     what a summary stands for
  jq -nc --arg t \"$FILE\" '{transcript_path: $t}' | mem-compact --force | jq .messages

Status: 0 answered, 1 --strict found something, 2 called wrongly, 3 something was not done.
More: mem-compact(1), mem(7), mem-document(5).";
}
