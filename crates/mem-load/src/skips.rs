//! Why a file is left out, in words.

use mem_store::instructions::{MAX_BYTES, Skip};
use mem_types::Problems;

/// Returns the reason for people, and tells what an author does not expect as a problem besides.
pub fn tell(skip: &Skip, path: &str, problems: &mut Problems) -> String {
    match skip {
        Skip::Same(first) => format!("the same file as {}", first.display()),
        Skip::MainCheckout => "of the main checkout; this worktree has its own".into(),
        Skip::NoRule => "no rule: its name does not end in .md".into(),
        Skip::ClaudeMdThere => {
            problems
                .info("agents-md-not-read", "an AGENTS.md is not read, because a CLAUDE.md or CLAUDE.local.md is there")
                .path(path)
                .hint("import it with a line '@AGENTS.md', or give --instruction-files claude-md-and-agents-md");
            "a CLAUDE.md or CLAUDE.local.md is there".into()
        }
        Skip::SwitchedOff => "switched off by 'instructionFiles'".into(),
        Skip::OtherName => "another file comes before it, and only one counts".into(),
        Skip::AddedFolder => {
            problems
                .info("added-folder-not-read", "the files of an added folder are not read without the agent's switch")
                .path(path)
                .hint("set CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD=1");
            "in an added folder, without CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD=1".into()
        }
        Skip::Excluded { pattern, file } => format!("excluded by '{pattern}' in {file}"),
        Skip::Unreadable(reason) => {
            problems.warning("unreadable-file", format!("cannot be loaded: {reason}")).path(path);
            reason.clone()
        }
        Skip::TooLarge(bytes) => {
            problems
                .warning("file-too-large", format!("{bytes} bytes are over the limit of {MAX_BYTES}"))
                .path(path)
                .hint("split it");
            format!("{bytes} bytes, over the limit of {MAX_BYTES}")
        }
        Skip::LinkOutside => {
            problems
                .warning("link-outside", "a file that links out of the project is not loaded")
                .path(path)
                .hint("give --allow-external if you trust this project");
            "links out of the project".into()
        }
        Skip::External | Skip::NotText | Skip::Secret => import(skip).into(),
    }
}

/// Returns why an import is refused; that is told with the importing file and line.
pub fn import(skip: &Skip) -> &'static str {
    match skip {
        Skip::External => "external",
        Skip::NotText => "no text file",
        Skip::Secret => "holds keys or passwords",
        _ => "cannot be loaded",
    }
}
