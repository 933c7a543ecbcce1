//! Format hook: never status 2, nothing printed where printing does harm.

use crate::support::{COMMANDS, Place, feed, program};

const EVENTS: [&str; 14] = [
    "SessionStart",
    "InstructionsLoaded",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
    "SomethingNew",
];

fn event(name: &str, place: &Place) -> String {
    let memory = place.memory();
    serde_json::json!({
        "hook_event_name": name, "session_id": "s", "prompt": "which database do the tests use?",
        "memory_dir": memory, "cwd": place.project(), "transcript_path": "/nowhere.jsonl",
    })
    .to_string()
}

#[test]
fn whatever_goes_wrong_the_status_is_at_most_1_and_stdout_stays_empty() {
    let place = Place::new();
    place.write("home/.config/mem/config.yaml", "- broken");
    for command in COMMANDS {
        for name in EVENTS {
            let event = event(name, &place);
            let broken = format!("{event}x");
            let calls: [(&[&str], &str); 6] = [
                (&["--no-such-option"], &event),
                (&["--now", "soon"], &event),
                (&["-j", "x"], &event),
                (&["-i", "/none"], &event),
                (&[], &broken),
                (&[], "{\"hook_event_name\":"),
            ];
            for (arguments, input) in calls {
                let ran = place.run(command, &[&["--format", "hook"], arguments].concat(), input);
                assert_eq!((ran.status, ran.stdout.as_str()), (1, ""), "{command} {name} {arguments:?}");
            }
        }
    }
}

#[test]
fn the_format_may_come_from_the_environment_and_home_may_be_unset() {
    let place = Place::new();
    for command in COMMANDS {
        for name in EVENTS {
            let mut process = place.command(program(command));
            process.env_remove("HOME").env("MEM_FORMAT", "hook");
            let ran = feed(process, event(name, &place).as_bytes());
            assert!(ran.status <= 1, "{command} {name}: {ran:?}");
            let mut process = place.command(program(command));
            process.env("MEM_FORMAT", "hook").arg("--no-such-option");
            assert_eq!(feed(process, b"{}").status, 1, "{command} {name}");
        }
    }
}

#[test]
fn a_recalled_memory_is_the_answer_where_the_model_sees_it_and_nowhere_else() {
    let place = Place::new();
    place.write(
        "memory/db.md",
        "---\nname: test database\ndescription: integration tests use a real postgres database\ntype: feedback\n---\nThe tests use postgres, never a mock.\n",
    );
    for name in EVENTS {
        let recalled = place.run("mem-recall", &[], event(name, &place));
        let ran = place.run("mem-index", &["--format", "hook"], &recalled.stdout);
        assert_eq!(ran.status, 0, "{name}: {}", ran.stderr);
        let reaches =
            ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch"].contains(&name);
        assert_eq!(!ran.stdout.is_empty(), reaches, "{name}: {}", ran.stdout);
        if name == "UserPromptSubmit" {
            assert!(ran.stdout.contains("never a mock"), "{}", ran.stdout);
        }
    }
}

#[test]
fn what_the_agent_loads_by_itself_is_left_out() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "MK_project").write("home/.claude/CLAUDE.md", "MK_user");
    place.write(&format!("{}/MEMORY.md", place.own_memory()), "- MK_index\n");
    let input = r#"{"hook_event_name":"SessionStart","source":"startup"}"#;
    let loaded = place.run("mem-index", &[], place.run("mem-load", &[], input).stdout);
    assert!(loaded.stdout.contains("MK_index") && loaded.stdout.contains("MK_project"));
    let plain = place.run("mem-index", &["--format", "hook"], &loaded.stdout);
    assert_eq!((plain.status, plain.stdout.as_str()), (0, ""));
    let all = place.run("mem-index", &["--format", "hook", "--include-native"], &loaded.stdout);
    for marker in ["MK_index", "MK_project", "MK_user"] {
        assert_eq!(all.stdout.matches(marker).count(), 1, "{marker}");
    }
}

#[test]
fn a_notice_of_the_host_is_no_prompt() {
    let place = Place::new();
    place.write("memory/db.md", "---\nname: agent\ndescription: background agent finished task\n---\nX\n");
    let input = serde_json::json!({
        "hook_event_name": "UserPromptSubmit", "memory_dir": place.memory(),
        "prompt": "<task-notification>background agent finished task</task-notification>",
    });
    let ran = place.run("mem-recall", &["--format", "hook"], input.to_string());
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""));
}
