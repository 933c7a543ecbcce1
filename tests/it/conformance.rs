//! What real clients loaded from a folder, compared with what the profile of that client loads.
//!
//! `tests/cases/load/claude-code.jsonl` holds one observed case a line: files below HOME, the project and a folder
//! outside both, and for each run what stood in the first request and what came with the touched files. The order of
//! rules within one folder was that of the file system, so those are compared as a set.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{NOW, Place, Ran, checkout, feed, program};

/// Cases that start git itself to make worktrees.
const NEEDS_GIT: [&str; 1] = ["h12-worktree"];

#[test]
fn the_profile_of_claude_code_loads_what_the_client_loaded() {
    let text = fs::read_to_string(checkout().join("tests/cases/load/claude-code.jsonl")).unwrap();
    let has_git = Command::new("git").arg("--version").output().is_ok_and(|output| output.status.success());
    let mut wrong = Vec::new();
    let mut runs = 0;
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let name = case["case"].as_str().unwrap();
        if has_git || !NEEDS_GIT.contains(&name) {
            runs += check_case(&case, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{} of {runs} runs differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(runs >= 30, "cases were lost: {runs}");
}

/// A case's folders, laid out.
struct Tree {
    place: Place,
    project: PathBuf,
}

impl Tree {
    fn new(case: &Value) -> Self {
        let place = Place::new();
        // A case without a project has its session in HOME.
        let project = if case.get("proj").is_some() { place.project() } else { place.home() };
        fs::create_dir_all(place.top().join("ext")).unwrap();
        let tree = Self { place, project };
        if case["git"] == true {
            tree.place.write("proj/.git/HEAD", "ref: refs/heads/main\n");
        }
        for (key, folder) in [("home", tree.place.home()), ("proj", tree.project.clone()), ("ext", tree.ext())] {
            for (path, content) in case[key].as_object().into_iter().flatten() {
                tree.lay(&folder.join(tree.fill(path)), content);
            }
        }
        tree
    }

    fn ext(&self) -> PathBuf {
        self.place.top().join("ext")
    }

    fn fill(&self, text: &str) -> String {
        text.replace("${HOME}", &self.place.home().to_string_lossy())
            .replace("${PROJ}", &self.project.to_string_lossy())
            .replace("${EXT}", &self.ext().to_string_lossy())
    }

    fn lay(&self, path: &Path, content: &Value) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match content {
            Value::String(text) => fs::write(path, self.fill(text)).unwrap(),
            Value::Object(members) if members.contains_key("link") => {
                std::os::unix::fs::symlink(self.fill(members["link"].as_str().unwrap()), path).unwrap();
            }
            Value::Object(members) if members.contains_key("dir") => fs::create_dir_all(path).unwrap(),
            Value::Object(members) if members.contains_key("text") => {
                fs::write(path, self.fill(members["text"].as_str().unwrap())).unwrap();
            }
            other => panic!("{}: {other}", path.display()),
        }
    }
}

fn check_case(case: &Value, wrong: &mut Vec<String>) -> usize {
    let tree = Tree::new(case);
    if case["git"] == true && case["runs"].to_string().contains("git worktree") {
        commit_all(&tree);
    }
    let mut runs = 0;
    for run in case["runs"].as_array().unwrap() {
        if let Some(script) = run["sh"].as_str() {
            shell(&tree, &tree.fill(script));
            continue;
        }
        runs += 1;
        let found = load(&tree, run);
        for part in ["start", "after"] {
            let expected = expected(&tree, &run[part], &found);
            let found = loaded(&found, part);
            if expected != found {
                wrong.push(format!("{} {part}\n  client {expected:?}\n  mem    {found:?}", case["case"]));
            }
        }
    }
    runs
}

fn commit_all(tree: &Tree) {
    fs::remove_dir_all(tree.project.join(".git")).unwrap();
    shell(tree, "git init -q . && git add -A && git -c user.name=n -c user.email=e commit -qm x");
}

fn shell(tree: &Tree, script: &str) {
    // Cases without git make a repository by hand in one of their folders.
    let status = tree.place.command("sh").arg("-c").arg(script).current_dir(&tree.project).status().unwrap();
    assert!(status.success(), "{script}");
}

fn load(tree: &Tree, run: &Value) -> Value {
    let cwd = run["cwd"].as_str().unwrap();
    let cwd = tree.project.join(tree.fill(cwd));
    let words = |key: &str| run[key].as_array().cloned().unwrap_or_default();
    let added: Vec<String> = words("args")
        .iter()
        .filter_map(|word| word.as_str()?.strip_prefix("--add-dir=").map(|dir| tree.fill(dir)))
        .collect();
    let files: Vec<Value> = words("touched")
        .iter()
        .map(|touch| json!({"tool": touch["tool"], "path": tree.fill(touch["path"].as_str().unwrap())}))
        .collect();
    let document = json!({"cwd": cwd, "files": files, "options": {"load": {"add_dir": added}}});
    let mut command = tree.place.command(program("mem-load"));
    command.args(["--profile", "claude-code", "--now", NOW]);
    for (name, value) in run["env"].as_object().into_iter().flatten() {
        command.env(name, tree.fill(value.as_str().unwrap()));
    }
    let ran: Ran = feed(command, document.to_string().as_bytes());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    ran.document()["load"].clone()
}

/// A file with its label and the marker words in its text.
type Seen = (String, String, BTreeSet<String>);

fn loaded(load: &Value, part: &str) -> Vec<Seen> {
    let files = load["files"].as_array().unwrap().iter().filter(|file| file["state"] == "active");
    let files = files.filter(|file| (part == "after") == file.get("matched_by").is_some());
    let seen = files.map(|file| {
        let label = if part == "after" { "" } else { file["layer"].as_str().unwrap() };
        (file["path"].as_str().unwrap().to_owned(), label.to_owned(), marks(file["text"].as_str().unwrap()))
    });
    with_sets(seen.collect(), load)
}

fn expected(tree: &Tree, sections: &Value, load: &Value) -> Vec<Seen> {
    let mut seen: Vec<Seen> = Vec::new();
    for section in sections.as_array().unwrap().iter().filter(|section| section["label"] != "memory") {
        let marks = section["marks"].as_array().unwrap().iter().map(|mark| mark.as_str().unwrap().to_owned());
        match seen.last_mut().filter(|_| section["label"] == "fake") {
            // A heading that stands in a file's own text.
            Some(last) => last.2.extend(marks),
            None => {
                let label = section["label"].as_str().unwrap_or_default().to_owned();
                seen.push((tree.fill(section["path"].as_str().unwrap()), label, marks.collect()));
            }
        }
    }
    with_sets(seen, load)
}

fn marks(text: &str) -> BTreeSet<String> {
    let word = |rest: &str| {
        rest.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect::<String>()
    };
    text.match_indices("MK_").map(|(place, _)| word(&text[place..])).collect()
}

/// Sorts neighbours that lie in folders of rules, with what they import.
fn with_sets(mut seen: Vec<Seen>, load: &Value) -> Vec<Seen> {
    let is_of_rules = |path: &str| {
        let files = load["files"].as_array().unwrap().iter();
        let parent = files.filter(|file| file["path"] == path).find_map(|file| file["parent"].as_str());
        path.contains("/rules/") || parent.is_some_and(|parent| parent.contains("/rules/"))
    };
    let mut start = 0;
    while start < seen.len() {
        let length = seen[start..].iter().take_while(|(path, ..)| is_of_rules(path)).count();
        seen[start..start + length].sort();
        start += length.max(1);
    }
    seen
}

fn reading(place: &Place, profile: &str, input: &Value) -> Vec<(String, String)> {
    let document = place.answer("mem-load", &["--profile", profile], &input.to_string());
    let top = place.top();
    let files = document["load"]["files"].as_array().unwrap().iter().filter(|file| file["state"] == "active");
    files
        .map(|file| {
            let path = Path::new(file["path"].as_str().unwrap()).strip_prefix(&top).unwrap();
            (path.to_string_lossy().into_owned(), file["text"].as_str().unwrap_or_default().to_owned())
        })
        .collect()
}

fn paths(place: &Place, profile: &str, input: &Value) -> Vec<String> {
    reading(place, profile, input).into_iter().map(|(path, _)| path).collect()
}

/// A repository with the files of every agent.
fn crowded() -> Place {
    let place = Place::new();
    place.write("proj/.git/HEAD", "ref: refs/heads/main\n");
    for folder in ["", "proj/", "proj/a/"] {
        for name in ["CLAUDE.md", "AGENTS.md", "GEMINI.md"] {
            place.write(&format!("{folder}{name}"), &format!("{folder}{name}\n<!-- kept -->\n"));
        }
    }
    place.write("home/.gemini/GEMINI.md", "USER").write("home/.codex/AGENTS.md", "USER");
    place.write("home/.config/opencode/AGENTS.md", "USER").write("home/.claude/CLAUDE.md", "USER");
    place
}

#[test]
fn each_agent_reads_its_own_files_in_its_own_order() {
    let place = crowded();
    let below = json!({"cwd": place.project().join("a")});
    assert_eq!(paths(&place, "gemini", &below), ["home/.gemini/GEMINI.md", "proj/GEMINI.md", "proj/a/GEMINI.md"]);
    assert_eq!(paths(&place, "codex", &below), ["home/.codex/AGENTS.md", "proj/AGENTS.md", "proj/a/AGENTS.md"]);
    assert_eq!(
        paths(&place, "opencode", &below),
        ["home/.config/opencode/AGENTS.md", "proj/a/AGENTS.md", "proj/AGENTS.md"]
    );
    let claude = ["home/.claude/CLAUDE.md", "CLAUDE.md", "proj/CLAUDE.md", "proj/a/CLAUDE.md"];
    assert_eq!(paths(&place, "claude-code", &below), claude);
    assert_eq!(paths(&place, "mem", &below), claude);
    // Comments stay for those who keep them.
    assert!(reading(&place, "codex", &below)[1].1.contains("kept"));
    assert!(!reading(&place, "claude-code", &below)[1].1.contains("kept"));
}

#[test]
fn without_git_some_read_only_the_folder_itself() {
    let place = crowded();
    fs::remove_dir_all(place.project().join(".git")).unwrap();
    let below = json!({"cwd": place.project().join("a")});
    assert_eq!(paths(&place, "gemini", &below), ["home/.gemini/GEMINI.md", "proj/a/GEMINI.md"]);
    assert_eq!(paths(&place, "codex", &below), ["home/.codex/AGENTS.md", "proj/a/AGENTS.md"]);
}

#[test]
fn codex_takes_the_override_and_32_kib_of_project_files() {
    let place = crowded();
    place.write("proj/AGENTS.override.md", &"o".repeat(32_000)).write("proj/a/AGENTS.md", &"中".repeat(1000));
    let read = reading(&place, "codex", &json!({"cwd": place.project().join("a")}));
    assert_eq!(read.iter().map(|(_, text)| text.len()).collect::<Vec<_>>(), [4, 32_000, 768]);
    let document = place.answer("mem-load", &["--profile", "codex", "-C", "a"], "{}");
    assert_eq!(document["problems"][0]["code"], "cut-by-agent");
}

#[test]
fn opencode_reads_claude_md_only_where_there_is_no_agents_md() {
    let place = crowded();
    for name in ["proj/AGENTS.md", "proj/a/AGENTS.md", "home/.config/opencode/AGENTS.md"] {
        fs::remove_file(place.top().join(name)).unwrap();
    }
    let below = json!({"cwd": place.project().join("a")});
    assert_eq!(paths(&place, "opencode", &below), ["home/.claude/CLAUDE.md", "proj/a/CLAUDE.md", "proj/CLAUDE.md"]);
}

#[test]
fn gemini_puts_imports_in_place() {
    let place = Place::new();
    place
        .write("proj/.git/HEAD", "x")
        .write("proj/GEMINI.md", "a @d1.md b\n@gone.md @../ext/x.md @~/h.md `@d1.md`\n@GEMINI.md");
    place.write("ext/x.md", "X").write("home/h.md", "H");
    for depth in 1..6 {
        place.write(&format!("proj/d{depth}.md"), &format!("D{depth} @./d{}.md", depth + 1));
    }
    let read = reading(&place, "gemini", &json!({}));
    let text = &read[0].1;
    assert!(text.starts_with("a <!-- Imported from: d1.md -->\nD1 <!-- Imported from: ./d2.md -->\nD2 "), "{text}");
    assert!(text.contains("D4 @./d5.md\n<!-- End of import from: ./d4.md -->"), "{text}");
    assert!(text.contains("<!-- Import failed: gone.md - ENOENT"), "{text}");
    assert!(text.contains("<!-- Import failed: ../ext/x.md - Path traversal attempt --> @~/h.md `@d1.md`"), "{text}");
    assert!(text.ends_with("<!-- File already processed: GEMINI.md -->"), "{text}");
    let names: Vec<&str> = read.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(names, ["proj/GEMINI.md", "proj/d1.md", "proj/d2.md", "proj/d3.md", "proj/d4.md"]);
}

#[test]
fn all_agents_stand_side_by_side() {
    let place = crowded();
    let document = place.answer("mem-load", &["--profile", "all", "-C", "a"], "{}");
    let profiles = document["load"]["profiles"].as_object().unwrap();
    assert_eq!(profiles.keys().collect::<Vec<_>>(), ["claude-code", "codex", "gemini", "mem", "opencode"]);
    assert_eq!(profiles["mem"]["files"], document["load"]["files"]);
    for (name, profile) in profiles {
        let alone = place.answer("mem-load", &["--profile", name, "-C", "a"], "{}");
        assert_eq!(alone["load"]["files"], profile["files"], "{name}");
        assert_eq!(alone["load"]["version"], profile["version"], "{name}");
    }
    let ran = place.run("mem-load", &["-n", "--profile", "all", "--format", "text", "-C", "a"], "");
    let line = ran.stdout.lines().find(|line| line.ends_with(" a/AGENTS.md")).unwrap();
    assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["-", "-", "-", "3", "2", "a/AGENTS.md"]);
}
