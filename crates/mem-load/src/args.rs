//! The options of mem-load.

use clap::Args as ClapArgs;

/// mem-load has no options of its own yet: what it loads follows from the folder and the touched files.
#[derive(Debug, Clone, ClapArgs)]
pub struct Args {}

impl mem_cli::Arguments for Args {
    const DOCUMENT: &'static [&'static str] = &[];
    const ABOUT: &'static str = "Layer 1: the instructions that are always present. Finds the CLAUDE.md files and rules \
                                 for a folder, in the order in which they count, and says of each why it is in or out";
    const AFTER_HELP: &'static str = "\
Reads documents (JSON objects) on stdin, adds the key 'load' to each, and writes them to stdout. Files touched lately \
('files', or a hook's 'tool_input') bring the rules that match them and the folders that hold them.

Examples:
  mem-load -n --format text                        what is loaded here, from where, and how many tokens it takes
  mem-load -n -C DIR | jq '.load.files[].path'     the files for another folder
  echo '{\"files\":[\"src/a.ts\"]}' | mem-load --format text    with the rules for a touched file

Status: 0 answered, 1 --strict found something, 2 called wrongly, 3 something was not done.
More: mem-load(1), mem(7), mem-document(5).";
}
