//! Which instruction files count: settings that leave some out, the organisation's, names of other agents, AGENTS.md,
//! once a session; and that no file of a real project is passed over in silence.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{NOW, Place, checkout};

fn files(document: &Value) -> &[Value] {
    document["load"]["files"].as_array().unwrap()
}

fn active(document: &Value) -> Vec<&str> {
    files(document).iter().filter(|file| file["state"] == "active").filter_map(|file| file["text"].as_str()).collect()
}

fn codes(document: &Value) -> Vec<&str> {
    document["problems"].as_array().into_iter().flatten().filter_map(|problem| problem["code"].as_str()).collect()
}

/// Returns the reason of the one file whose path ends with `name`.
fn reason<'a>(document: &'a Value, name: &str) -> &'a str {
    let mut found = files(document).iter().filter(|file| file["path"].as_str().unwrap().ends_with(name));
    let reason = found.next().unwrap_or_else(|| panic!("no {name}"))["reason"].as_str().unwrap();
    assert!(found.next().is_none(), "{name} is there twice");
    reason
}

#[test]
fn excludes_of_any_settings_file_leave_files_out_by_their_whole_path() {
    let place = Place::new();
    place.write("home/.claude/CLAUDE.md", "USER").write("proj/CLAUDE.md", "PROJECT\n@docs/more.md");
    place.write("proj/docs/more.md", "MORE").write("proj/CLAUDE.local.md", "LOCAL");
    place.write("proj/.claude/rules/team/a.md", "RULE").write("proj/sub/CLAUDE.md", "SUB");
    place.write("managed/CLAUDE.md", "MANAGED");
    const PROJECT: &str = "PROJECT\n@docs/more.md";
    let all = ["MANAGED", "USER", PROJECT, "MORE", "RULE", "LOCAL", "SUB"];
    let absolute = format!("{}/CLAUDE.md", place.project().display());
    for (settings, pattern, gone) in [
        ("proj/.claude/settings.json", absolute.as_str(), vec![PROJECT, "MORE"]),
        ("home/.claude/settings.json", "**/CLAUDE.local.md", vec!["LOCAL"]),
        ("proj/.claude/settings.local.json", "**/.claude/rules/team/**", vec!["RULE"]),
        ("managed/managed-settings.json", "**/home/.claude/CLAUDE.md", vec!["USER"]),
        ("home/.claude/settings.json", "**/{sub,other}/CLAUDE.md", vec!["SUB"]),
        ("home/.claude/settings.json", "**/docs/*.md", vec!["MORE"]),
        ("home/.claude/settings.json", "**", vec!["USER", PROJECT, "MORE", "RULE", "LOCAL", "SUB"]),
        ("home/.claude/settings.json", "CLAUDE.local.md", vec![]),
        ("home/.claude/settings.json", "**/proj/*.txt", vec![]),
    ] {
        place.write(settings, &json!({"claudeMdExcludes": [pattern]}).to_string());
        let document = place.answer("mem-load", &[], r#"{"files": ["sub/x.rs"]}"#);
        let wanted: Vec<&str> = all.into_iter().filter(|text| !gone.contains(text)).collect();
        assert_eq!(active(&document), wanted, "{pattern}: {document}");
        let is_named =
            |file: &Value| file["reason"].as_str().unwrap().contains(&format!("excluded by '{pattern}' in "));
        assert!(gone.is_empty() || files(&document).iter().any(is_named), "{pattern}: {document}");
        assert_eq!(codes(&document).contains(&"exclude-without-root"), pattern == "CLAUDE.local.md", "{pattern}");
        fs::remove_file(place.top().join(settings)).unwrap();
    }
}

#[test]
fn the_organisation_has_a_file_a_text_in_its_settings_and_rules_and_they_come_first() {
    let place = Place::new();
    place.write("managed/CLAUDE.md", "FILE").write("home/.claude/CLAUDE.md", "USER").write("proj/CLAUDE.md", "PROJECT");
    place.write("managed/managed-settings.json", r#"{"claudeMd": "TEXT\n", "claudeMdExcludes": ["/**"]}"#);
    place.write("managed/.claude/rules/a.md", "RULE A").write("managed/rules/b.md", "RULE B");
    place.write("managed/rules/c.md", "---\npaths: \"**/*.sql\"\n---\nSQL");
    let document = place.answer("mem-load", &[], "{}");
    assert_eq!(active(&document), ["FILE", "TEXT", "RULE A", "RULE B"]);
    let layers: BTreeSet<&str> = files(&document)
        .iter()
        .filter(|file| file["state"] != "skipped")
        .map(|file| file["layer"].as_str().unwrap())
        .collect();
    assert_eq!(layers, BTreeSet::from(["managed"]));
    let touched = place.answer("mem-load", &[], r#"{"files": ["db/x.sql"]}"#);
    assert_eq!(active(&touched), ["FILE", "TEXT", "RULE A", "RULE B", "SQL"]);
}

#[test]
fn settings_dropped_in_for_the_organisation_count_behind_its_own_by_name() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "PROJECT").write("home/.claude/CLAUDE.md", "USER");
    place.write("managed/managed-settings.json", r#"{"claudeMd": "FIRST", "claudeMdExcludes": ["**/proj/CLAUDE.md"]}"#);
    place.write("managed/managed-settings.d/20.json", r#"{"claudeMd": "LAST"}"#);
    place
        .write("managed/managed-settings.d/10.json", r#"{"claudeMd": "MID", "claudeMdExcludes": ["**/.claude/*.md"]}"#);
    place.write("managed/managed-settings.d/.30.json", r#"{"claudeMd": "HIDDEN"}"#);
    place.write("managed/managed-settings.d/40.json", "no JSON");
    let document = place.answer("mem-load", &[], "{}");
    assert_eq!(active(&document), ["LAST"]);
    assert!(reason(&document, "proj/CLAUDE.md").contains("managed-settings.json"));
    assert!(reason(&document, "home/.claude/CLAUDE.md").contains("managed-settings.d/10.json"));
    assert_eq!(codes(&document), ["unreadable-settings"]);
}

#[test]
fn names_of_other_agents_files_may_be_given() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "OWN").write("proj/GEMINI.md", "GEMINI").write("proj/.github/ai.md", "GITHUB");
    place.write("proj/sub/GEMINI.md", "SUB").write("ext/x.md", "EXT");
    let input = r#"{"files": ["sub/x.rs"]}"#;
    let document = place.answer("mem-load", &["--file-names", "GEMINI.md, .github/ai.md,../ext/x.md"], input);
    assert_eq!(active(&document), ["OWN", "GEMINI", "GITHUB", "SUB"]);
    assert_eq!(codes(&document), ["bad-file-name"]);
    assert_eq!(active(&place.answer("mem-load", &[], input)), ["OWN"]);
    // A document may come from anywhere: it must not name files to read.
    let document = place.answer("mem-load", &[], r#"{"options": {"load": {"file_names": ["GEMINI.md"]}}}"#);
    assert_eq!((active(&document), codes(&document)), (vec!["OWN"], vec!["refused-option"]));
}

#[test]
fn agents_md_counts_by_four_modes_that_an_option_or_the_settings_name() {
    let place = Place::new();
    place.write("managed/CLAUDE.md", "ORG").write("proj/AGENTS.md", "AGENTS").write("proj/pkg/x", "");
    place.write("proj/pkg/.claude/AGENTS.md", "PKG AGENTS");
    let check = |with_own: bool, mode: &str, wanted: &[&str]| {
        let input = json!({"cwd": place.project().join("pkg")}).to_string();
        let of_option = place.answer("mem-load", &["--instruction-files", mode], &input);
        let values = json!({"pluginConfigs": {"agents-md@builtin": {"options": {"instructionFiles": mode}}}});
        place.write("home/.claude/settings.json", &values.to_string());
        let of_settings = place.answer("mem-load", &[], &input);
        assert_eq!(active(&of_option), wanted, "{mode}, with a CLAUDE.md: {with_own}");
        assert_eq!(of_option["load"], of_settings["load"], "{mode}");
        if !wanted.contains(&"AGENTS") && mode != "managed-only" {
            assert!(!reason(&of_option, "proj/AGENTS.md").is_empty());
        }
    };
    let agents = ["ORG", "AGENTS", "PKG AGENTS"];
    check(false, "claude-md-or-agents-md", &agents);
    check(false, "claude-md-and-agents-md", &agents);
    check(false, "claude-md", &["ORG"]);
    check(false, "managed-only", &["ORG"]);
    place.write("proj/CLAUDE.md", "OWN");
    check(true, "claude-md-or-agents-md", &["ORG", "OWN"]);
    check(true, "claude-md-and-agents-md", &["ORG", "OWN", "AGENTS", "PKG AGENTS"]);
    check(true, "claude-md", &["ORG", "OWN"]);
    check(true, "managed-only", &["ORG"]);
}

#[test]
fn what_a_touched_file_brings_comes_once_a_session_and_again_after_compaction() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "OWN").write("proj/sub/CLAUDE.md", "SUB");
    place.write("proj/.claude/rules/r.md", "---\npaths: \"sub/**\"\n---\nRULE");
    let session = place.top().join("session.json");
    let turn = |id: &str, epoch: u64| {
        let mut input = json!({"session_id": "s", "prompt_id": id, "files": ["sub/x.rs", "sub/y.rs"]});
        if epoch > 0 {
            input["session"] = json!({"compact": {"epoch": epoch}});
        }
        let arguments = ["--session", session.to_str().unwrap(), "--now", NOW];
        let ran = place.run("mem-load", &arguments, input.to_string());
        active(&ran.document()).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(turn("p1", 0), ["OWN", "SUB", "RULE"]);
    // The same turn asked again says the same.
    assert_eq!(turn("p1", 0), ["OWN", "SUB", "RULE"]);
    assert_eq!(turn("p2", 0), ["OWN"]);
    assert_eq!(turn("p3", 1), ["OWN", "SUB", "RULE"]);
    assert_eq!(turn("p4", 1), ["OWN"]);
}

/// Returns every instruction file of a tree, and every folder for which one counts.
fn candidates(folder: &Path, found: &mut BTreeSet<PathBuf>, folders: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            candidates(&path, found, folders);
            continue;
        }
        let below = path.to_string_lossy();
        let is_rule = below.contains("/.claude/rules/") && below.ends_with(".md");
        let is_named = ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md"].iter().any(|known| name == *known);
        if is_rule || is_named {
            let of_project = below.split("/.claude/").next().unwrap();
            let is_inside = below.contains("/.claude/");
            folders.insert(if is_inside { of_project.into() } else { folder.to_path_buf() });
            found.insert(path);
        }
    }
}

#[test]
fn every_instruction_file_of_a_real_project_is_loaded_or_listed_with_the_reason_and_none_twice() {
    let Ok(trees) = fs::read_dir(checkout().join("../shared/corpus/instructions")) else { return };
    let mut trees: Vec<PathBuf> = trees.flatten().map(|entry| entry.path().canonicalize().unwrap()).collect();
    trees.sort();
    let place = Place::new();
    let (mut missing, mut count) = (Vec::new(), 0);
    for tree in trees.iter().filter(|tree| tree.is_dir()) {
        let (mut wanted, mut folders) = (BTreeSet::new(), BTreeSet::new());
        candidates(tree, &mut wanted, &mut folders);
        let touched: Vec<PathBuf> = folders.iter().map(|folder| folder.join("touched.file")).collect();
        let document = place.answer("mem-load", &[], &json!({"cwd": tree, "files": touched}).to_string());
        let mut listed = BTreeSet::new();
        for file in files(&document) {
            let path = file["path"].as_str().unwrap();
            assert!(listed.insert(path), "{path} is listed twice");
            assert!(!file["reason"].as_str().unwrap().is_empty(), "{path} has no reason");
            assert_eq!(file["state"] == "active", file["text"].is_string(), "{path}");
        }
        count += wanted.len();
        missing.extend(wanted.into_iter().filter(|path| !listed.contains(path.to_str().unwrap())));
    }
    assert!(missing.is_empty(), "{} of {count}: {missing:#?}", missing.len());
    assert!(count > 200, "{count}");
}
