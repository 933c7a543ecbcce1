//! `mem-hook --install`: into an agent's settings and a repository's hooks, and out again to the byte.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::support::{Place, Ran, checkout, feed};

fn hook(place: &Place, arguments: &[&str]) -> Ran {
    let mut process = place.command("sh");
    process.arg(checkout().join("bin/mem-hook")).args(arguments);
    feed(process, b"")
}

const EVENTS: [&str; 6] = ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PreCompact", "SessionEnd"];

#[test]
fn settings_of_every_shape_get_the_hooks_and_are_left_as_they_were() {
    let place = Place::new();
    for before in [
        "{}",
        "{\n}\n",
        "{ }",
        "{\"model\": \"x}\\\"{\", \"n\": 1.50}",
        "{\"hooks\":{}}\n",
        "{\"hooks\": { }, \"z\": [1, {\"hooks\": {\"Stop\": []}}]}",
        "{\"hooks\": {\"Stop\": [], \"Other\": [1]}, \"b\": null}",
        "{\"hooks\": {\"Stop\": [ ]}}",
        "{\r\n  \"hooks\": {\r\n    \"Stop\": [{\"hooks\":[{\"type\":\"command\",\"command\":\"a\"}]}]\r\n  }\r\n}\r\n",
        "{\"键\": \"值\",\n\t\"hooks\": {\"SessionStart\": [1,2]}}\n\n",
        "",
        "\n",
    ] {
        place.write("home/.claude/settings.json", before);
        let file = place.home().join(".claude/settings.json");
        let installed = hook(&place, &["--install", "claude-code", "--yes"]);
        assert_eq!(installed.status, 0, "{before:?}: {}", installed.stderr);
        let text = fs::read_to_string(&file).unwrap();
        let settings: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        for event in EVENTS {
            let entries = settings["hooks"][event].to_string();
            assert_eq!(entries.matches(&format!("mem-hook {event}\"")).count(), 1, "{before:?}: {entries}");
        }
        for (key, value) in serde_json::from_str::<serde_json::Map<String, Value>>(before).unwrap_or_default() {
            assert!(key == "hooks" || settings[&key] == value, "{before:?}: {key}");
        }
        hook(&place, &["--install", "claude-code", "--yes"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "a second time changes nothing");
        assert_eq!(hook(&place, &["--uninstall", "claude-code", "--yes"]).status, 0);
        assert_eq!(fs::read_to_string(&file).unwrap_or_default(), before.trim_start_matches('\n'), "{before:?}");
    }
}

#[test]
fn without_a_yes_the_change_is_shown_and_not_made() {
    let place = Place::new();
    place.write("home/.claude/settings.json", "{}\n");
    let ran = hook(&place, &["--install", "claude-code", "--save"]);
    assert_eq!(ran.status, 1);
    assert!(ran.stdout.contains("+") && ran.stdout.contains("MEM_EXTRACT_APPLY=1"), "{}", ran.stdout);
    assert!(ran.stderr.contains("--yes"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(place.home().join(".claude/settings.json")).unwrap(), "{}\n");
}

#[test]
fn a_settings_file_that_is_new_goes_again_and_one_that_is_no_json_stays() {
    let place = Place::new();
    let file = place.home().join(".claude/settings.json");
    assert_eq!(hook(&place, &["--install", "claude-code", "--yes"]).status, 0);
    assert!(file.exists());
    assert_eq!(hook(&place, &["--uninstall", "claude-code", "--yes"]).status, 0);
    assert!(!file.exists());
    for broken in ["not json", "[1]", "{\"hooks\": 3}", "{\"a\": \"unclosed", "{\"hooks\": {\"Stop\": 1}}"] {
        place.write("home/.claude/settings.json", broken);
        let ran = hook(&place, &["--install", "claude-code", "--yes"]);
        assert_eq!(ran.status, 3, "{broken}");
        assert!(ran.stderr.contains("unchanged"), "{}", ran.stderr);
        assert_eq!(fs::read_to_string(&file).unwrap(), broken);
    }
}

#[test]
fn settings_that_an_editor_wrote_anew_lose_our_entries_and_nothing_else() {
    let place = Place::new();
    place.write(
        "home/.claude/settings.json",
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"mine\"}]}]},\"a\":1}",
    );
    let file = place.home().join(".claude/settings.json");
    hook(&place, &["--install", "claude-code", "--yes"]);
    let settings: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    fs::write(&file, serde_json::to_string_pretty(&settings).unwrap()).unwrap();
    assert_eq!(hook(&place, &["--uninstall", "claude-code", "--yes"]).status, 0);
    let left: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let expected = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]},"a":1}"#;
    assert_eq!(left, serde_json::from_str::<Value>(expected).unwrap());
}

fn git(place: &Place, arguments: &[&str]) -> bool {
    let status = Command::new("git").args(arguments).current_dir(place.project()).env("HOME", place.home()).output();
    status.is_ok_and(|output| output.status.success())
}

#[test]
fn hooks_of_a_repository_are_put_in_front_of_what_is_there_and_taken_out() {
    let place = Place::new();
    if !git(&place, &["init", "-q"]) {
        return;
    }
    let own = "#!/bin/bash\nexit 0";
    place.write("proj/.git/hooks/pre-commit", own);
    let ran = hook(&place, &["--install", "git", "--yes"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let read = |name: &str| fs::read_to_string(place.project().join(".git/hooks").join(name));
    let text = read("pre-commit").unwrap();
    assert!(text.starts_with("#!/bin/bash\n# mem-hook begin") && text.ends_with("exit 0"), "{text}");
    assert!(read("post-merge").unwrap().starts_with("#!/bin/sh\n# mem-hook begin"));
    assert!(read("post-checkout").is_ok());
    assert_eq!(hook(&place, &["--uninstall", "git", "--yes"]).status, 0);
    assert_eq!(read("pre-commit").unwrap(), own);
    assert!(read("post-merge").is_err() && read("post-checkout").is_err());
    place.write("proj/.git/hooks/pre-commit", "#!/usr/bin/env python3\nprint()\n");
    let ran = hook(&place, &["--install", "git", "--yes"]);
    assert_eq!(ran.status, 3);
    assert!(ran.stderr.contains("add this line"), "{}", ran.stderr);
}
