//! A memory folder inside a repository: gates of git and make, in a scratch repository with the real programs.

use std::fs;
use std::path::Path;

use crate::support::{Place, Ran, checkout, feed, program};

/// A repository whose memory folder is `docs/memory`, with mem's hooks in it.
struct Repository {
    place: Place,
}

impl Repository {
    /// Returns nothing where there is no git.
    fn new() -> Option<Self> {
        let place = Place::new();
        let repository = Self { place };
        if repository.place.command("git").arg("--version").output().is_err() {
            return None;
        }
        for arguments in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.name", "t"],
            &["config", "user.email", "t@example.org"],
            &["config", "mem.memoryDir", "docs/memory"],
        ] {
            assert_eq!(repository.git(arguments).status, 0, "{arguments:?}");
        }
        let mut install = repository.command("sh");
        install.arg(checkout().join("bin/mem-hook")).args(["--install", "git", "--yes"]);
        let ran = feed(install, b"");
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        Some(repository)
    }

    fn command(&self, program_name: &str) -> std::process::Command {
        let mut command = self.place.command(program_name);
        command.env("MEM_BIN", Path::new(program("mem-load")).parent().unwrap());
        command
    }

    fn git(&self, arguments: &[&str]) -> Ran {
        let mut git = self.command("git");
        git.args(arguments);
        feed(git, b"")
    }

    fn make(&self, target: &str) -> Ran {
        let text =
            format!("export MEM_MEMORY_DIR = docs/memory\ninclude {}\n", checkout().join("bin/mem.mk").display());
        self.place.write("proj/Makefile", &text);
        let mut make = self.command("make");
        make.args(["-s", target]);
        feed(make, b"")
    }

    fn memory(&self, name: &str, text: &str) {
        self.place.write(&format!("proj/docs/memory/{name}"), text);
    }

    fn index(&self) -> String {
        fs::read_to_string(self.place.project().join("docs/memory/MEMORY.md")).unwrap_or_default()
    }

    fn commit(&self, message: &str) -> Ran {
        assert_eq!(self.git(&["add", "-A"]).status, 0);
        self.git(&["commit", "-q", "-m", message])
    }
}

const DATABASE: &str = "---\nname: test database\ndescription: integration tests use a real postgres database\ntype: feedback\n---\nPostgres, never a mock.\n";

#[test]
fn a_commit_of_a_broken_index_is_refused_and_says_what_to_type() {
    let Some(repository) = Repository::new() else { return };
    repository.memory("db.md", DATABASE);
    repository.memory(
        "MEMORY.md",
        "- [Database](db.md) — integration tests use a real postgres database\n- [Gone](gone.md) — was here once\n",
    );
    let refused = repository.commit("broken");
    assert_ne!(refused.status, 0, "{}", refused.stderr);
    assert!(refused.stderr.contains("gone.md"), "{}", refused.stderr);
    assert!(refused.stderr.contains("mem-index") && refused.stderr.contains("--apply"), "{}", refused.stderr);
    repository.memory("MEMORY.md", "- [Database](db.md) — integration tests use a real postgres database\n");
    let taken = repository.commit("whole");
    assert_eq!(taken.status, 0, "{}", taken.stderr);
}

#[test]
fn what_counts_is_what_is_staged() {
    let Some(repository) = Repository::new() else { return };
    repository.memory("db.md", DATABASE);
    repository.memory("MEMORY.md", "- [Gone](gone.md) — was here once\n");
    assert_eq!(repository.git(&["add", "-A"]).status, 0);
    // The file on disk is whole by now, the staged one is not.
    repository.memory("MEMORY.md", "- [Database](db.md) — integration tests use a real postgres database\n");
    assert_ne!(repository.git(&["commit", "-q", "-m", "x"]).status, 0);
}

#[test]
fn a_secret_in_a_memory_is_not_committed_and_not_printed() {
    let Some(repository) = Repository::new() else { return };
    let secret = "ghp_".to_owned() + &"a1B2c3D4e5F6g7H8i9".repeat(2);
    repository.memory("db.md", &format!("{DATABASE}\nToken: {secret}\n"));
    repository.memory("MEMORY.md", "- [Database](db.md) — integration tests use a real postgres database\n");
    let refused = repository.commit("secret");
    assert_ne!(refused.status, 0);
    assert!(refused.stderr.contains("db.md") && !refused.stderr.contains(&secret), "{}", refused.stderr);
}

#[test]
fn a_checkout_and_a_merge_bring_the_index_up_to_date() {
    let Some(repository) = Repository::new() else { return };
    repository.memory("db.md", DATABASE);
    repository.memory("MEMORY.md", "- [Database](db.md) — integration tests use a real postgres database\n");
    assert_eq!(repository.commit("first").status, 0);
    assert_eq!(repository.git(&["checkout", "-q", "-b", "side"]).status, 0);
    repository.memory(
        "deploy.md",
        "---\nname: deploy day\ndescription: releases go out on Tuesdays\ntype: project\n---\nTuesday.\n",
    );
    assert_eq!(repository.git(&["add", "-A"]).status, 0);
    assert_eq!(repository.git(&["commit", "-q", "--no-verify", "-m", "side"]).status, 0);
    assert_eq!(repository.git(&["checkout", "-q", "main"]).status, 0);
    assert!(!repository.index().contains("deploy.md"));
    let merged = repository.git(&["merge", "-q", "side"]);
    assert_eq!(merged.status, 0, "{}", merged.stderr);
    assert!(repository.index().contains("deploy.md"), "{}", repository.index());
    assert!(repository.index().starts_with("- [Database](db.md) — integration tests use a real postgres database\n"));
}

#[test]
fn a_repository_without_a_memory_folder_is_left_in_peace() {
    let Some(repository) = Repository::new() else { return };
    repository.place.write("proj/a.txt", "a\n");
    let taken = repository.commit("no memory at all");
    assert_eq!((taken.status, taken.stderr.as_str()), (0, ""));
    assert!(!repository.place.project().join("docs").exists());
}

#[test]
fn make_checks_mends_and_ages() {
    let Some(repository) = Repository::new() else { return };
    if repository.place.command("make").arg("--version").output().is_err() {
        return;
    }
    repository.memory("db.md", DATABASE);
    repository.memory("MEMORY.md", "# Memory\n\n- [Gone](gone.md) — was here once\n");
    let checked = repository.make("memory-check");
    assert_ne!(checked.status, 0);
    assert!(checked.stdout.contains("gone.md"), "{}", checked.stdout);
    let mended = repository.make("memory-index");
    assert_eq!(mended.status, 0, "{}", mended.stderr);
    assert!(
        repository.index().starts_with("# Memory\n") && repository.index().contains("(db.md)"),
        "{}",
        repository.index()
    );
    assert_eq!(repository.make("memory-check").status, 0);
    let aged = repository.make("memory-age");
    assert_eq!(aged.status, 0, "{}", aged.stderr);
    assert!(aged.stdout.contains("1 memory"), "{}", aged.stdout);
}
