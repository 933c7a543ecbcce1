//! The options of mem-index.

use clap::Args as ClapArgs;

/// Limits of the index as a model gets it.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// Most lines of MEMORY.md that a model gets
    #[arg(long, value_name = "LINES", default_value_t = 200)]
    pub max_lines: u64,

    /// Most bytes of MEMORY.md that a model gets, counted after --max-lines and cut at a line's end
    #[arg(long, value_name = "BYTES", default_value_t = 25_000)]
    pub max_bytes: u64,

    /// Most topic files that count as visible, newest first
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub max_files: u64,
}

impl mem_cli::Arguments for Args {
    const DOCUMENT: &'static [&'static str] = &["max_lines", "max_bytes", "max_files"];
    const ABOUT: &'static str = "Layer 2: what is remembered at all, one line each. Finds the memory folder, reads \
                                 MEMORY.md as a model would get it, and lists the topic files";
    const AFTER_HELP: &'static str = "\
Reads documents (JSON objects) on stdin, adds the key 'index' to each, and writes them to stdout.

Examples:
  mem-index -n --format text                 the memory of the project around this folder
  mem-index -n --memory-dir DIR | jq .index  the memory in DIR, as JSON
  find ~ -path '*/projects/*/memory' -print0 | mem-index --paths -0    many folders, one line each

Status: 0 answered, 1 --strict found something, 2 called wrongly, 3 something was not done.
More: mem-index(1), mem(7), mem-document(5).";
}
