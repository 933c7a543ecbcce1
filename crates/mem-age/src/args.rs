//! The options of mem-age.

use clap::Args as ClapArgs;

/// When a memory counts as old, and how much one plan may take away.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {
    /// Age from which a project or reference memory is stale
    #[arg(long, value_name = "DAYS", default_value_t = 90)]
    pub stale_days: u64,

    /// A use within so many days keeps a memory from being stale
    #[arg(long, value_name = "DAYS", default_value_t = 60)]
    pub unused_days: u64,

    /// Most topic files that a folder keeps; over it the weakest stale ones are planned to be archived
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub max_files: usize,

    /// Most files, in percent, that one plan archives or merges away (but at least 3)
    #[arg(long, value_name = "PERCENT", default_value_t = 25, value_parser = clap::value_parser!(u64).range(0..=100))]
    pub max_removed: u64,
}

impl mem_cli::Arguments for Args {
    const DOCUMENT: &'static [&'static str] = &["stale_days", "unused_days", "max_files", "max_removed"];
    const ABOUT: &'static str = "Ageing: what is stale, false, double, or to be forgotten. Judges every memory of the \
                                 folder and plans what to do about it; nothing on disk is changed";
    const AFTER_HELP: &'static str = "\
Reads documents (JSON objects) on stdin, adds the key 'age' to each, and writes them to stdout.

Each memory gets one state, the first that fits:
  expired       names a last day that is over ('expires' in the front matter, or 'until 2026-04-03')
  contradicted  a newer memory gives another value, or says the opposite
  duplicate     says what another memory says
  dangling      cites a path or a symbol() that the project does not have
  stale         about the project or a reference, old, and not used lately
  dormant       not stale yet, but weak by its recorded use
  unknown       has no date anywhere
  fresh         none of these
What is said about a person (types feedback and user) never goes by its age.

Examples:
  mem-age -n --format text               the memory of the project around this folder
  mem-age -n | jq '.age.actions[]'       the plan, as JSON
  find ~ -path '*/projects/*/memory' -print0 | mem-age --paths -0    many folders, one line each

Status: 0 answered, 1 --strict found something, 2 called wrongly, 3 something was not done.
More: mem-age(1), mem(7), mem-document(5).";
}
