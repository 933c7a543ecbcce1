//! The options of mem-age.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::strength::Form;

/// When a memory counts as old, how much one plan may take away, and what is to be done on disk.
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

    /// How memories fade
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    pub strength: Form,

    /// Ask git when a memory without a date last changed, and whether cited commits are there
    #[arg(long)]
    pub git: bool,

    /// Carry the plan out: the one in the document, else one made now
    #[arg(long, conflicts_with_all = ["undo", "restore", "purge"])]
    pub apply: bool,

    /// Take back what the last --apply or --restore did
    #[arg(long, conflicts_with_all = ["restore", "purge"])]
    pub undo: bool,

    /// Bring a memory back from the archive, by path or name
    #[arg(long, value_name = "NAME", conflicts_with = "purge")]
    pub restore: Option<String>,

    /// Remove a memory for good, by path or name: also from archive, undo, logs and sessions
    #[arg(long, value_name = "NAME")]
    pub purge: Option<String>,

    /// Show what a memory, by path or name, said before, and from when until when
    #[arg(long, value_name = "NAME", conflicts_with_all = ["apply", "undo", "restore", "purge"])]
    pub history: Option<String>,

    /// With --purge: a file or folder to be searched, too, such as a snapshot; may be repeated
    #[arg(long, value_name = "PATH", requires = "purge")]
    pub purge_also: Vec<PathBuf>,

    /// Whether a model writes what comes of a merge, and which.
    #[command(flatten)]
    pub model: mem_cli::ModelOptions,
}

impl Args {
    /// Whether something is to be changed on disk.
    pub fn changes_something(&self) -> bool {
        self.apply || self.undo || self.restore.is_some() || self.purge.is_some()
    }
}

impl mem_cli::Arguments for Args {
    const DOCUMENT: &'static [&'static str] = &["stale_days", "unused_days", "max_files", "max_removed", "strength"];
    const ABOUT: &'static str = "Ageing: what is stale, false, double, or to be forgotten. Judges every memory of the \
                                 folder and plans what to do about it; changes something on disk only when asked";
    const AFTER_HELP: &'static str = "\
Reads documents (JSON objects) on stdin, adds the key 'age' to each, and writes them to stdout.

Each memory gets one state, the first that fits:
  expired       names a last day that is over ('expires' in the front matter, or 'until 2026-04-03')
  contradicted  a newer memory gives another value, or says the opposite
  duplicate     says what another memory says
  dangling      cites a path, a symbol() or a command that the project does not have
  stale         about the project or a reference, old, and not used lately
  dormant       not stale yet, but weak by its recorded use
  unknown       has no date anywhere
  fresh         none of these
What is said about a person (types feedback and user) never goes by its age, and what is pinned never goes.

Examples:
  mem-age -n --format text               the memory of the project around this folder
  mem-age -n | jq '.age.actions[]'       the plan, as JSON
  mem-age -n --apply --format text       carry it out; mem-age -n --undo takes it back
  find ~ -path '*/projects/*/memory' -print0 | mem-age --paths -0 -j 2    many folders, one line each

Status: 0 answered, 1 --strict found something, 2 called wrongly, 3 something was not done.
More: mem-age(1), mem(7), mem-document(5).";

    fn writes(&self) -> bool {
        self.changes_something()
    }
}
