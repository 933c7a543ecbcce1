//! git, so that neither a repository's configuration nor our own environment can start anything through it.

use std::ffi::OsStr;
use std::path::Path;

use crate::program::Program;

/// Before the subcommand: no monitor, no hooks, no pager, no program that checks signatures, no submodules' settings.
const ALWAYS: [&str; 15] = [
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.attributesFile=/dev/null",
    "-c",
    "log.showSignature=false",
    "-c",
    "gpg.program=false",
    "-c",
    "gpg.ssh.program=false",
    "-c",
    "diff.ignoreSubmodules=all",
    "--no-pager",
];

/// Subcommands that would start a program to show a difference, or to turn a file into text.
const SHOWING: [&str; 3] = ["diff", "log", "show"];

/// Returns `git SUBCOMMAND ARGUMENTS` in `folder`, without inherited `GIT_*`.
///
/// It takes no locks, asks no questions, and fetches nothing. `diff`, `log` and `show` start no external program.
#[must_use]
pub fn command(folder: &Path, subcommand: &str, arguments: &[&str]) -> Program {
    let git = Program::new("git").folder(folder).arguments(ALWAYS).arguments([subcommand]);
    let git = if SHOWING.contains(&subcommand) { git.arguments(["--no-ext-diff", "--no-textconv"]) } else { git };
    git.arguments(arguments.iter().copied())
        .variable("GIT_OPTIONAL_LOCKS", "0")
        .variable("GIT_TERMINAL_PROMPT", "0")
        .variable("GIT_NO_LAZY_FETCH", "1")
        .variable("GIT_ALLOW_PROTOCOL", "")
        .variable("GIT_ATTR_NOSYSTEM", "1")
        .variable("LC_ALL", "C.UTF-8")
}

/// Returns the same for a git hook: with the repository and the index that git named in `GIT_DIR` and `GIT_INDEX_FILE`.
///
/// `git commit -a` and `git commit FILE` use an index of their own, which only the variable names.
#[must_use]
pub fn in_hook(
    folder: &Path,
    git_dir: Option<&OsStr>,
    index_file: Option<&OsStr>,
    subcommand: &str,
    arguments: &[&str],
) -> Program {
    let named = [("GIT_DIR", git_dir), ("GIT_INDEX_FILE", index_file)];
    named
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .fold(command(folder, subcommand, arguments), |git, (name, value)| git.variable(name, value))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    fn git(folder: &Path, arguments: &[&str]) {
        let ended = std::process::Command::new("git").current_dir(folder).args(arguments).output().unwrap();
        assert!(ended.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ended.stderr));
    }

    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q"]);
        fs::write(folder.path().join("a.txt"), "one\n").unwrap();
        git(folder.path(), &["add", "a.txt"]);
        git(folder.path(), &["-c", "user.name=n", "-c", "user.email=e@x.y", "commit", "-qm", "first"]);
        folder
    }

    #[test]
    fn what_a_repository_sets_up_to_be_started_is_not_started() {
        let folder = repository();
        let trap = folder.path().join("trap");
        let program = folder.path().join("trap.sh");
        fs::write(&program, format!("#!/bin/sh\necho x >> {}\ncat\n", trap.display())).unwrap();
        git(folder.path(), &["config", "alias.x", "y"]);
        std::process::Command::new("chmod").arg("+x").arg(&program).status().unwrap();
        let program = program.to_str().unwrap();
        for key in
            ["core.fsmonitor", "diff.external", "core.pager", "gpg.program", "diff.t.textconv", "core.sshCommand"]
        {
            git(folder.path(), &["config", key, program]);
        }
        git(folder.path(), &["config", "log.showSignature", "true"]);
        fs::write(folder.path().join(".git/info/attributes"), "*.txt diff=t\n").unwrap();
        fs::write(folder.path().join("a.txt"), "two\n").unwrap();
        for (subcommand, arguments) in
            [("log", &["-p"][..]), ("diff", &[]), ("show", &["HEAD"]), ("status", &["--porcelain"]), ("ls-files", &[])]
        {
            let output = command(folder.path(), subcommand, arguments).run().unwrap();
            assert!(!output.is_empty(), "{subcommand}");
        }
        assert!(!trap.exists(), "a program of the repository was started");
    }

    #[test]
    fn a_hook_sees_the_index_that_its_commit_uses() {
        let folder = repository();
        fs::write(folder.path().join("b.txt"), "b\n").unwrap();
        let index = folder.path().join(".git/other-index");
        let added = std::process::Command::new("git")
            .current_dir(folder.path())
            .env("GIT_INDEX_FILE", &index)
            .args(["add", "b.txt"])
            .status();
        assert!(added.unwrap().success());
        let staged = |git: Program| String::from_utf8(git.run().unwrap()).unwrap();
        let arguments = ["--cached", "--name-only", "--diff-filter=A"];
        assert_eq!(staged(command(folder.path(), "diff", &arguments)), "");
        let own = in_hook(folder.path(), None, Some(index.as_os_str()), "diff", &arguments);
        assert_eq!(staged(own), "b.txt\n");
    }
}
