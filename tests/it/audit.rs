//! What mem-load reports besides the files: lint, the audit, and why a file is in or out.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{NOW, Place};

fn codes(document: &Value) -> Vec<&str> {
    document["problems"].as_array().into_iter().flatten().filter_map(|problem| problem["code"].as_str()).collect()
}

#[test]
fn each_loaded_file_is_a_line_of_the_audit_with_its_reason() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "A").write("proj/.claude/rules/r.md", "---\npaths: \"*.ts\"\n---\nR");
    place.write("proj/.claude/rules/w.md", "---\npaths: \"*.rs\"\n---\nW").write("proj/src/CLAUDE.md", "SRC");
    let input = json!({"session_id": "s1", "files": ["src/a.ts"]}).to_string();
    for _ in 0..2 {
        place.answer("mem-load", &["--audit", "audit.jsonl"], &input);
    }
    place.answer("mem-load", &["--audit", "audit.jsonl", "--dry-run"], &input);
    let text = std::fs::read_to_string(place.project().join("audit.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 6, "{text}");
    let reasons: Vec<&str> = lines[..3].iter().map(|line| line["load_reason"].as_str().unwrap()).collect();
    assert!(reasons.contains(&"session_start") && reasons.contains(&"path_glob_match"), "{reasons:?}");
    for line in &lines {
        assert_eq!((&line["session_id"], &line["at"]), (&json!("s1"), &json!(NOW)));
        let is_late = line["load_reason"] != "session_start";
        assert_eq!(line["trigger_file_path"].is_string(), is_late, "{line}");
    }
}

#[test]
fn an_audit_that_cannot_be_written_is_said_and_the_answer_given() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "A");
    for target in [".", "none/audit.jsonl"] {
        let ran = place.run("mem-load", &["--audit", target, "--now", NOW], "{}");
        assert_eq!(ran.status, 3, "{target}");
        assert_eq!(codes(&ran.document()), ["audit-not-written"]);
        assert_eq!(ran.document()["load"]["files"][0]["text"], "A");
    }
}

#[test]
fn why_tells_what_decides() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "A").write("proj/.claude/rules/r.md", "---\npaths: src/**, *.md\n---\nR");
    place.write("proj/.claude/rules/x.txt", "X").write("proj/docs/CLAUDE.md", "D").write("proj/CLAUDE.local.md", "");
    for (path, files, state, wanted) in [
        ("CLAUDE.md", json!([]), "active", "in: number 1 of 1"),
        (".claude/rules/r.md", json!([]), "waiting", "until a file is touched"),
        (".claude/rules/r.md", json!(["src/a"]), "active", "in: number 2 of 2"),
        (".claude/rules/x.txt", json!([]), "skipped", "does not end in .md"),
        ("docs/CLAUDE.md", json!([]), "absent", "no file was touched yet"),
        ("docs/CLAUDE.md", json!(["docs/x.rst"]), "active", "in: number 2 of 2"),
        ("CLAUDE.local.md", json!([]), "skipped", "empty"),
        ("none.md", json!([]), "absent", "no such file"),
    ] {
        let input = json!({"files": files}).to_string();
        let document = place.answer("mem-load", &["--why", path], &input);
        let why = &document["load"]["why"];
        assert_eq!(why["state"], state, "{path} {why}");
        let last = why["steps"].as_array().unwrap().last().unwrap().as_str().unwrap();
        assert!(last.contains(wanted), "{path}: {why}");
        let text = place.run("mem-load", &["--why", path, "--format", "text"], &input).stdout;
        assert!(text.starts_with(&format!("{path}: {state}\n")), "{text}");
    }
}

#[test]
fn contradictions_between_layers_hidden_text_and_long_files_are_reported() {
    let place = Place::new();
    place.write("home/.claude/CLAUDE.md", "- Always use tabs.\n- 提交信息必须用中文。\n");
    place.write("proj/CLAUDE.md", "Never use tabs.\n\n提交信息不要用中文。\n");
    place
        .write("proj/.claude/rules/hid.md", "Be\u{200b} nice.\n")
        .write("proj/.claude/rules/long.md", &"a\n".repeat(201));
    let document = place.answer("mem-load", &[], "{}");
    let mut found = codes(&document);
    found.sort_unstable();
    assert_eq!(found, ["contradiction", "contradiction", "hidden-text", "long-file"]);
}

#[test]
fn a_check_finds_rules_that_match_no_file_and_nothing_walks_the_project_without_it() {
    let place = Place::new();
    place.write("proj/src/a.ts", "").write("home/.claude/rules/go.md", "---\npaths: \"**/*.go\"\n---\nGO");
    place.write("proj/.claude/rules/ts.md", "---\npaths: \"src/**/*.ts\"\n---\nTS");
    assert_eq!(place.run("mem-load", &["-n", "--check"], "").status, 0);
    place.write("proj/.claude/rules/py.md", "---\npaths: \"src/**/*.py\"\n---\nPY");
    let ran = place.run("mem-load", &["-n", "--check"], "");
    assert_eq!((ran.status, codes(&ran.document())), (1, vec!["rule-matches-nothing"]));
    assert_eq!(place.run("mem-load", &["-n"], "").status, 0);
    if Command::new("strace").arg("-V").output().is_err() {
        return;
    }
    place.write("proj/deep/er/x.ts", "");
    let log = place.top().join("trace");
    let mut process = place.command("strace");
    process.args(["-f", "-qq", "-e", "trace=openat", "-o"]).arg(&log).arg(crate::support::program("mem-load"));
    assert_eq!(crate::support::feed(process, b"{}").status, 0);
    assert!(!std::fs::read_to_string(&log).unwrap().contains("deep"));
}

#[test]
fn a_project_within_another_and_instructions_over_their_share_are_reported() {
    let place = Place::new();
    place.write("proj/.git/HEAD", "ref: refs/heads/main\n").write("proj/CLAUDE.md", "The rules of the outer project.");
    place.write("proj/inner/.git/HEAD", "ref: refs/heads/main\n").write("proj/inner/CLAUDE.md", &"word ".repeat(300));
    let input = json!({"cwd": place.project().join("inner"), "window": {"context_tokens": 1000}}).to_string();
    assert_eq!(codes(&place.answer("mem-load", &[], &input)), ["nested-projects", "instructions-too-large"]);
    let document = place.answer("mem-load", &["--max-share", "100", "--layer-budget", "project=10"], &input);
    assert_eq!(codes(&document), ["nested-projects", "layer-over-budget"]);
    assert_eq!(document["load"]["layers"][0]["budget"], 10);
    let of_document =
        json!({"options": {"load": {"layer-budget": ["project=1", "user=5"], "max_share": 3}}}).to_string();
    assert_eq!(codes(&place.answer("mem-load", &[], &of_document)), ["layer-over-budget"]);
    assert_eq!(place.run("mem-load", &["--layer-budget", "x=1"], "{}").status, 2);
}

fn program_file(place: &Place, name: &str, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    place.write(name, &format!("#!/bin/sh\n{script}\n"));
    let path = place.top().join(name);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("exec:{}", path.display())
}

fn texts(document: &Value) -> Vec<&str> {
    let files = document["load"]["files"].as_array().unwrap().iter().filter(|file| file["state"] == "active");
    files.map(|file| file["text"].as_str().unwrap()).collect()
}

#[test]
fn the_teams_file_stands_between_managed_and_user_also_from_the_users_settings() {
    let place = Place::new();
    place
        .write("managed/CLAUDE.md", "MANAGED")
        .write("home/.claude/CLAUDE.md", "USER")
        .write("proj/CLAUDE.md", "PROJECT");
    place.write("home/team.md", "TEAM");
    let wanted = ["MANAGED", "TEAM", "USER", "PROJECT"];
    assert_eq!(texts(&place.answer("mem-load", &["--team", "../home/team.md"], "{}")), wanted);
    place.write("home/.config/mem/config.yaml", "load.team: ~/team.md\n");
    let document = place.answer("mem-load", &[], "{}");
    assert_eq!(texts(&document), wanted);
    assert_eq!(
        (&document["load"]["files"][1]["layer"], &document["load"]["files"][1]["priority"]),
        (&json!("team"), &json!(2))
    );
    let none = place.answer("mem-load", &["--team", "/none.md"], "{}");
    assert_eq!(texts(&none), ["MANAGED", "USER", "PROJECT"]);
    assert!(codes(&none).contains(&"unreadable-file"), "{none}");
}

#[test]
fn a_provider_gives_instructions_and_its_last_good_answer_is_used_when_it_fails() {
    let place = Place::new();
    place.write("home/.claude/CLAUDE.md", "USER").write("proj/CLAUDE.md", "PROJECT");
    let good = r#"cat > asked.json; [ ! -e broken ] || exit 3; echo '[{"name":"a","text":"PROVIDED"}]'"#;
    let provider = program_file(&place, "ext/provider", good);
    let arguments = ["--provider", &provider, "--session", "session.json"];
    let document = place.answer("mem-load", &arguments, r#"{"prompt":"hi"}"#);
    assert_eq!(texts(&document), ["USER", "PROVIDED", "PROJECT"]);
    assert_eq!(document["load"]["files"][1]["kind"], "provider");
    let asked: Value = serde_json::from_slice(&std::fs::read(place.project().join("asked.json")).unwrap()).unwrap();
    assert_eq!((&asked["prompt"], &asked["cwd"]), (&json!("hi"), &json!(place.project())));
    place.write("proj/broken", "");
    let document = place.answer("mem-load", &arguments, "{}");
    assert_eq!(texts(&document), ["USER", "PROVIDED", "PROJECT"]);
    assert_eq!(codes(&document), ["program-failed"]);
    let document = place.answer("mem-load", &arguments[..2], "{}");
    assert_eq!((texts(&document), codes(&document)), (vec!["USER", "PROJECT"], vec!["program-failed"]));
}

#[test]
fn a_provider_that_hangs_or_says_nonsense_is_said_and_only_the_user_can_name_one() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "PROJECT");
    for (script, code) in
        [("sleep 60", "program-late"), ("echo no", "provider-answer"), ("echo '[7]'", "provider-answer")]
    {
        let provider = program_file(&place, "ext/provider", script);
        let document = place.answer("mem-load", &["--provider", &provider, "--provider-timeout", "1"], "{}");
        assert_eq!((texts(&document), codes(&document)), (vec!["PROJECT"], vec![code]), "{script}");
    }
    let provider = program_file(&place, "ext/provider", "echo '\"MINE\"'");
    place.write("proj/.config/mem/config.yaml", &format!("load.providers: \"{provider}\"\n"));
    let of_document = json!({"options": {"load": {"providers": [provider.clone()], "provider": provider.clone()}}});
    let document = place.answer("mem-load", &[], &of_document.to_string());
    assert_eq!((texts(&document), codes(&document)), (vec!["PROJECT"], vec!["refused-option", "refused-option"]));
    place.write("home/.config/mem/config.yaml", &format!("load:\n  providers:\n    - \"{provider}\"\n"));
    assert_eq!(texts(&place.answer("mem-load", &[], "{}")), ["MINE", "PROJECT"]);
}
