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

/// What the host would give by itself stands in its own profile; together with the hook's answer each marker comes once.
#[test]
fn each_instruction_comes_once_from_the_host_or_from_the_hook() {
    let place = Place::new();
    place.write("home/.claude/CLAUDE.md", "MK_user\n").write("home/team.md", "MK_team\n");
    place.write("proj/CLAUDE.md", "MK_project\n\nSee @docs/a.md, for more.\n").write("proj/docs/a.md", "MK_import\n");
    place.write("proj/.claude/rules/always.md", "MK_always\n");
    place.write("proj/.claude/rules/ts.md", "---\npaths: \"src/**/*.ts\"\n---\nMK_scoped\n");
    place.write("proj/.claude/rules/list.md", "---\npaths:\n  - **/*.ts\n---\nMK_list\n");
    place.write("proj/src/CLAUDE.md", "MK_nested\n").write("proj/src/a.ts", "");
    let file = place.project().join("src/a.ts");
    let start = ["MK_user", "MK_team", "MK_project", "MK_import", "MK_always"];
    let touched = ["MK_scoped", "MK_nested"];
    for (event, source, tool, wanted) in [
        ("SessionStart", "startup", None, &start[..]),
        ("SessionStart", "clear", None, &start[..]),
        ("SessionStart", "compact", None, &start[..]),
        ("SessionStart", "resume", None, &start[..]),
        ("PreToolUse", "", Some("Read"), &touched[..]),
        ("PostToolUse", "", Some("Read"), &touched[..]),
        ("PostToolUse", "", Some("NotebookEdit"), &touched[..]),
    ] {
        let mut input = serde_json::json!({"hook_event_name": event, "source": source, "cwd": place.project()});
        if let Some(tool) = tool {
            input["tool_name"] = tool.into();
            input["tool_input"] = serde_json::json!({"file_path": file});
        }
        let hook = place.run("mem-load", &["--format", "hook", "--team", "../home/team.md"], input.to_string());
        assert_eq!(hook.status, 0, "{event}: {}", hook.stderr);
        let host = host_gives(&place, &input, tool);
        for marker in wanted {
            let count = hook.stdout.matches(marker).count() + host.iter().filter(|text| text.contains(marker)).count();
            assert_eq!(count, 1, "{event} {source} {tool:?} {marker}\nhook: {}\nhost: {host:?}", hook.stdout);
        }
    }
}

/// Returns the texts that the agent gives by itself for an event.
fn host_gives(place: &Place, input: &serde_json::Value, tool: Option<&str>) -> Vec<String> {
    let mut input = input.clone();
    // The agent does not look at the files of other tools: facts.md, Part A, section 5.
    if tool.is_some_and(|tool| !["Read", "Write", "Edit", "Bash"].contains(&tool)) {
        input["tool_input"] = serde_json::json!({});
    }
    let ran = place.run("mem-load", &["--profile", "claude-code"], input.to_string());
    let document = ran.document();
    let files = document["load"]["files"].as_array().unwrap().iter().filter(|file| file["state"] == "active");
    let is_new = |file: &&serde_json::Value| tool.is_none() || file["reason"] != "session_start";
    files.filter(is_new).map(|file| file["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_resumed_session_is_not_given_again_what_it_was_given() {
    let place = Place::new();
    place.write("home/team.md", "MK_team\n");
    let mut given = 0;
    for source in ["startup", "resume", "compact"] {
        let input = serde_json::json!({"hook_event_name": "SessionStart", "source": source, "session_id": "s1"});
        let arguments = ["--format", "hook", "--session", "session.json", "--team", "../home/team.md"];
        given += place.run("mem-load", &arguments, input.to_string()).stdout.matches("MK_team").count();
    }
    assert_eq!(given, 2, "at the start, and again after compaction");
}
