//! The options of mem-recall.

use std::path::PathBuf;

use clap::Args as ClapArgs;

/// What mem-recall can be told.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// The most memories a turn
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub max_files: u64,

    /// The most bytes of one memory; the rest is cut, which is said
    #[arg(long, value_name = "BYTES", default_value_t = 4096)]
    pub max_bytes: u64,

    /// The most lines of one memory
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub max_lines: u64,

    /// The most bytes of all memories of a session that are still in the model's context
    #[arg(long, value_name = "BYTES", default_value_t = 61_440)]
    pub session_bytes: u64,

    /// Only memories of these types, separated by commas
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    pub types: Vec<String>,

    /// Never memories whose path matches this pattern; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,

    /// Memories that another one has replaced, or whose last day is over, too
    #[arg(long)]
    pub with_superseded: bool,

    /// Tell of the memory PATH why it was chosen or not; may be given several times
    #[arg(long, value_name = "PATH")]
    pub why: Vec<String>,

    /// Record what was chosen in .mem/access.jsonl of the memory folder
    #[arg(long)]
    pub record: bool,

    /// A file of words that stand for the same thing, besides our own: a group a line, between commas
    #[arg(long, value_name = "FILE")]
    pub associations: Option<PathBuf>,

    /// Let a program choose: exec:CMD reads the list as JSON and prints {"paths": [...]}
    #[arg(long, value_name = "exec:CMD", value_parser = program)]
    pub selector: Option<String>,

    /// Start the choice in the background and return at once; needs --session
    #[arg(long, conflicts_with = "collect")]
    pub prefetch: bool,

    /// Take what --prefetch has chosen for this session, if it is ready; else give nothing
    #[arg(long)]
    pub collect: bool,

    /// With --collect: wait so long for it
    #[arg(long, value_name = "MS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    pub wait: u64,

    /// How a model is asked
    #[command(flatten)]
    pub model: mem_cli::ModelOptions,
}

fn program(text: &str) -> Result<String, String> {
    match text.strip_prefix("exec:") {
        Some(command) if !command.trim().is_empty() => Ok(text.to_owned()),
        _ => Err("a selector is a program: exec:COMMAND".into()),
    }
}

impl mem_cli::Arguments for Args {
    const DOCUMENT: &'static [&'static str] =
        &["max_files", "max_bytes", "max_lines", "session_bytes", "types", "exclude", "with_superseded"];
    fn writes(&self) -> bool {
        self.record || self.prefetch || self.collect
    }
    const ABOUT: &'static str = "Layer 3: the few memories that this prompt needs. Ranks them offline by their words, \
                                 English and Chinese alike, and says why; none is a fine answer";
    const AFTER_HELP: &'static str = "\
Reads documents (JSON objects) on stdin, adds the key 'recall' to each, and writes them to stdout.

Examples:
  mem-recall -n --prompt 'which database do our tests use?' --format text
  mem-load -n --prompt '部署前要跑哪些测试' | mem-index | mem-recall --max-files 3
  mem-recall -n --memory-dir DIR --prompt deploy | jq -r '.recall.memories[].path'
  mem-recall -n --prompt deploy --why release-days.md --format text    why it was not chosen
  mem-recall -n --prompt deploy --llm anthropic:NAME    let a model choose; what fails there is chosen offline

Status: 0 answered, also when no memory helps; 1 --strict found something, 2 called wrongly, 3 something was not done.
More: mem-recall(1), mem(7), mem-document(5).";
}

#[cfg(test)]
impl Default for Args {
    fn default() -> Self {
        Self {
            max_files: 5,
            max_bytes: 4096,
            max_lines: 200,
            session_bytes: 61_440,
            types: Vec::new(),
            exclude: Vec::new(),
            with_superseded: false,
            why: Vec::new(),
            record: false,
            associations: None,
            selector: None,
            prefetch: false,
            collect: false,
            wait: 0,
            model: mem_cli::ModelOptions::default(),
        }
    }
}
