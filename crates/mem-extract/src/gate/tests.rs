//! Hostile and honest calls at the gate, without any help of the kernel.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::*;

/// A project, a memory folder, and something outside both that must stay as it is.
struct Place {
    top: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { top: tempfile::tempdir().unwrap() };
        let (project, memory, outside) = (place.at("project"), place.at("memory"), place.at("outside"));
        for folder in [&project.join("src"), &project.join("deploy"), &project.join(".aws"), &memory, &outside] {
            fs::create_dir_all(folder).unwrap();
        }
        for (path, text) in [
            ("project/a.txt", "one\ntwo words\nthree\n"),
            ("project/src/main.rs", "fn main() {}\n"),
            ("project/.env", "PASSWORD=hunter2hunter2"),
            ("project/.env.local", "x"),
            ("project/deploy/id_rsa", "x"),
            ("project/server.pem", "x"),
            ("project/.aws/credentials", "x"),
            ("outside/secret.txt", "outside"),
            ("outside/x.md", "outside"),
            ("memory/known.md", "---\nname: known\ndescription: d\ntype: user\n---\n\nKnown.\n"),
            ("memory/MEMORY.md", "- [known](known.md) — d\n"),
        ] {
            fs::write(place.at(path), text).unwrap();
        }
        symlink(outside.join("secret.txt"), project.join("link_out")).unwrap();
        symlink(&outside, project.join("folder_out")).unwrap();
        symlink(".env", project.join("notes.txt")).unwrap();
        symlink(outside.join("x.md"), memory.join("out.md")).unwrap();
        symlink(&outside, memory.join("sub_out")).unwrap();
        let git = |arguments: &[&str]| {
            let ended = std::process::Command::new("git").current_dir(&project).args(arguments).output().unwrap();
            assert!(ended.status.success(), "{arguments:?}");
        };
        git(&["init", "-q"]);
        git(&["add", "a.txt", ".env"]);
        git(&["-c", "user.name=n", "-c", "user.email=e@x.y", "commit", "-qm", "first words"]);
        place
    }

    fn at(&self, path: &str) -> PathBuf {
        self.top.path().join(path)
    }

    fn gate(&self) -> Gate {
        Gate::new(&self.at("project"), &self.at("memory"), &[])
    }

    /// Every file with its bytes; git's own index may be refreshed.
    fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut open = vec![self.top.path().to_path_buf()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    open.push(entry.path());
                }
                found.push((entry.path(), if kind.is_file() { fs::read(entry.path()).unwrap() } else { Vec::new() }));
            }
        }
        found.sort();
        found
    }

    fn fill(&self, value: &Value) -> Value {
        let text = value.to_string();
        let text = ["project", "memory", "outside"]
            .iter()
            .fold(text, |text, name| text.replace(&format!("{{{name}}}"), self.at(name).to_str().unwrap()));
        let text = text.replace("{long}", &"a".repeat(300)).replace("{big}", &"b".repeat(40_000));
        serde_json::from_str(&text).unwrap()
    }

    fn check(&self, tool: &str, input: Value, expected: &str) {
        let answer = self.gate().answer(tool, &self.fill(&input));
        assert!(!answer.is_error && answer.text.contains(expected), "{tool} {input}: {answer:?}");
    }
}

#[test]
fn every_hostile_call_is_refused_and_nothing_changes() {
    let place = Place::new();
    let before = place.snapshot();
    let calls: Vec<(String, Value)> =
        serde_json::from_str(include_str!("../../../../tests/it/hostile_calls.json")).unwrap();
    assert!(calls.len() >= 60);
    let mut gate = place.gate();
    for (tool, input) in &calls {
        let answer = gate.answer(tool, &place.fill(input));
        assert!(answer.is_error && answer.text.starts_with("Refused: "), "{tool} {input}: {answer:?}");
        assert!(!answer.text.contains("hunter2"));
    }
    assert_eq!(gate.refused().len(), calls.len());
    assert!(gate.written().is_empty());
    assert_eq!(place.snapshot(), before);
}

#[test]
fn what_is_open_is_answered() {
    let place = Place::new();
    place.check("Read", json!({"file_path": "{project}/a.txt"}), "     2\ttwo words");
    place.check("Read", json!({"file_path": "a.txt", "offset": 3, "limit": 1}), "     3\tthree");
    place.check("Read", json!({"file_path": "{memory}/known.md"}), "Known.");
    place.check("Grep", json!({"pattern": "t.o w", "output_mode": "content"}), "a.txt:2:two words");
    place.check("Grep", json!({"pattern": "FN", "-i": true, "glob": "*.rs"}), "src/main.rs");
    place.check("Glob", json!({"pattern": "**/*.rs"}), "src/main.rs");
    place.check("Bash", json!({"command": "cat a.txt"}), "three");
    place.check("Bash", json!({"command": "head -n 1 'a.txt'"}), "one");
    place.check("Bash", json!({"command": "tail -1 a.txt"}), "three");
    place.check("Bash", json!({"command": "wc -l a.txt"}), "3 a.txt");
    place.check("Bash", json!({"command": "ls -la src"}), "main.rs");
    place.check("Bash", json!({"command": "stat a.txt"}), "file, 20 bytes");
    place.check("Bash", json!({"command": "pwd"}), "project");
    place.check("Bash", json!({"command": "git log --oneline -5"}), "first words");
    place.check("Bash", json!({"command": "git show HEAD:a.txt"}), "two words");
    place.check("Bash", json!({"command": "git show HEAD"}), "a.txt");
    place.check("Bash", json!({"command": "git status --short"}), "server.pem");
}

#[test]
fn what_may_hold_keys_is_neither_found_nor_shown() {
    let place = Place::new();
    let mut gate = place.gate();
    for (tool, input) in [
        ("Grep", json!({"pattern": "hunter2", "output_mode": "content"})),
        ("Glob", json!({"pattern": "**/.env*"})),
        ("Bash", json!({"command": "git show HEAD"})),
        ("Bash", json!({"command": "git log --stat"})),
    ] {
        let answer = gate.answer(tool, &input);
        assert!(!answer.is_error && !answer.text.contains("hunter2"), "{answer:?}");
    }
    let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zaB3dE");
    fs::write(place.at("project/b.txt"), format!("use {token}")).unwrap();
    let answer = gate.answer("Read", &json!({"file_path": "b.txt"}));
    assert!(answer.text.contains("[secret") && !answer.text.contains(&token));
}

#[test]
fn what_is_written_is_read_back_and_is_not_on_the_disk() {
    let place = Place::new();
    let before = place.snapshot();
    let mut gate = place.gate();
    let path = place.at("memory/new.md");
    assert!(!gate.answer("Write", &json!({"file_path": path, "content": "first"})).is_error);
    assert!(!gate.answer("Edit", &json!({"file_path": path, "old_string": "first", "new_string": "second"})).is_error);
    assert!(gate.answer("Read", &json!({"file_path": path})).text.contains("second"));
    let known = place.at("memory/known.md");
    assert!(!gate.answer("Edit", &json!({"file_path": known, "old_string": "Known.", "new_string": "New."})).is_error);
    assert!(gate.written()["known.md"].ends_with("New.\n"));
    assert_eq!(place.snapshot(), before);
}

#[test]
fn what_is_opened_besides_can_be_read_and_nothing_around_it() {
    let place = Place::new();
    let further = [place.at("outside/secret.txt"), place.at("project/.env")];
    let mut gate = Gate::new(&place.at("project"), &place.at("memory"), &further);
    assert!(!gate.answer("Read", &json!({"file_path": further[0]})).is_error);
    assert!(gate.answer("Read", &json!({"file_path": place.at("outside/x.md")})).is_error);
    assert!(gate.answer("Write", &json!({"file_path": place.at("outside/x.md"), "content": "x"})).is_error);
    assert!(!gate.answer("Read", &json!({"file_path": further[1]})).is_error, "named on purpose");
    assert!(gate.answer("Read", &json!({"file_path": place.at("project/.env.local")})).is_error);
}

#[test]
fn a_filter_of_the_repository_is_not_started_by_a_status() {
    let place = Place::new();
    let project = place.at("project");
    let trap = place.at("outside/trap");
    let set = |key: &str, value: &str| {
        let ended = std::process::Command::new("git").current_dir(&project).args(["config", key, value]).status();
        assert!(ended.unwrap().success());
    };
    set("filter.t.clean", &format!("touch {}", trap.display()));
    set("core.fsmonitor", &format!("touch {}", trap.display()));
    fs::write(project.join(".gitattributes"), "*.txt filter=t\n").unwrap();
    fs::write(project.join("a.txt"), "one\ntwo words\nfour!\n").unwrap();
    let mut gate = place.gate();
    assert!(gate.answer("Bash", &json!({"command": "git status"})).is_error);
    assert!(!gate.answer("Bash", &json!({"command": "git log"})).is_error);
    assert!(!trap.exists());
}
