//! The options of mem-compact.

use clap::Args as ClapArgs;

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

    /// Tokens of the model's whole window [default: of the document's window, else 200,000]
    #[arg(long, value_name = "TOKENS")]
    pub context_tokens: Option<usize>,

    /// Tokens kept free for the answer [default: of the document's window, else 20,000 or a tenth of a small window]
    #[arg(long, value_name = "TOKENS")]
    pub output_reserve_tokens: Option<usize>,
}

impl mem_cli::Arguments for Args {
    const DOCUMENT: &'static [&'static str] =
        &["budget", "force", "hot_turns", "context_tokens", "output_reserve_tokens"];
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
  jq -nc --arg t \"$FILE\" '{transcript_path: $t}' | mem-compact --force | jq .messages

Status: 0 answered, 1 --strict found something, 2 called wrongly, 3 something was not done.
More: mem-compact(1), mem(7), mem-document(5).";
}
