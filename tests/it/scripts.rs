//! The shell commands that are composed of the six.

use std::path::Path;
use std::process::Command;

use crate::support::{Place, Ran, checkout, feed, program};

/// Runs a script of `bin/` with the tests' binaries in front of all others.
fn script(place: &Place, name: &str, arguments: &[&str], input: &str) -> Ran {
    let mut process = place.command("sh");
    process.env("MEM_BIN", Path::new(program("mem-load")).parent().unwrap());
    process.arg(checkout().join("bin").join(name)).args(arguments);
    feed(process, input.as_bytes())
}

fn remember_database(place: &Place) {
    place.write("proj/CLAUDE.md", "Use pnpm.\n").write("proj/.git/HEAD", "ref: refs/heads/main\n");
    place.write(
        &format!("{}/db.md", place.own_memory()),
        "---\nname: test database\ndescription: integration tests use a real postgres database\ntype: feedback\n---\nPostgres, never a mock.\n",
    );
}

#[test]
fn mem_turn_shows_what_a_model_would_be_given() {
    let place = Place::new();
    remember_database(&place);
    let ran = script(&place, "mem-turn", &["which", "database do our tests use?"], "");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    for part in ["Use pnpm.", "Postgres, never a mock.", "which database do our tests use?"] {
        assert!(ran.stdout.contains(part), "{part} is missing in\n{}", ran.stdout);
    }
    let json = script(&place, "mem-turn", &["--json", "which database do our tests use?"], "");
    assert_eq!(json.document()["recall"]["memories"][0]["path"], "db.md");
    for key in ["load", "index", "recall", "extract", "compact"] {
        assert!(json.document()[key].is_object(), "{key}");
    }
}

#[test]
fn mem_turn_says_in_an_empty_folder_that_there_is_nothing_yet() {
    let place = Place::new();
    let ran = script(&place, "mem-turn", &["hello there, which database?"], "");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("Nothing yet"), "{}", ran.stdout);
    let wrong = script(&place, "mem-turn", &[], "");
    assert_eq!((wrong.status, wrong.stdout.as_str()), (2, ""));
}

#[test]
fn mem_hook_answers_each_event_and_never_blocks() {
    let place = Place::new();
    remember_database(&place);
    for event in [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolBatch",
        "Stop",
        "SubagentStop",
        "PreCompact",
        "PostCompact",
        "SessionEnd",
        "InstructionsLoaded",
        "SubagentStart",
        "PostToolUseFailure",
        "Unheard",
    ] {
        let input = serde_json::json!({
            "hook_event_name": event, "session_id": "s1", "cwd": place.project(),
            "prompt": "which database do our tests use?", "transcript_path": "/nowhere.jsonl",
        });
        let ran = script(&place, "mem-hook", &[event], &input.to_string());
        assert_eq!(ran.status, 0, "{event}: {}", ran.stderr);
        if event == "UserPromptSubmit" {
            assert!(ran.stdout.contains("never a mock"), "{}", ran.stdout);
        }
        if ["Stop", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd", "InstructionsLoaded"].contains(&event) {
            assert_eq!(ran.stdout, "", "{event}");
        }
        let broken = script(&place, "mem-hook", &[event], "{broken");
        assert!(broken.status <= 1 && broken.stdout.is_empty(), "{event}: {broken:?}");
        let mut homeless = place.command("sh");
        homeless.env_remove("HOME").env("MEM_BIN", "/nowhere").arg(checkout().join("bin/mem-hook")).arg(event);
        assert!(feed(homeless, input.to_string().as_bytes()).status <= 1, "{event} without the commands");
    }
    assert!(script(&place, "mem-hook", &[], "{}").status <= 1);
}

#[test]
fn scripts_pass_shellcheck() {
    if Command::new("shellcheck").arg("--version").output().is_err() {
        return; // .ci/run installs it.
    }
    for name in ["bin/mem-turn", "bin/mem-hook", ".ci/run"] {
        let checked = Command::new("shellcheck").arg(checkout().join(name)).output().unwrap();
        assert!(checked.status.success(), "{name}: {}", String::from_utf8_lossy(&checked.stdout));
    }
}
