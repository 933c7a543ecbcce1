//! A document may come from anywhere: it changes nothing, starts nothing and sends nothing.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::{COMMANDS, Place, feed, program, snapshot};

/// Every name that could change, start, open or write something, for every command.
const NAMES: [&str; 33] = [
    "apply",
    "record",
    "session",
    "cache",
    "undo",
    "restore",
    "purge",
    "detach",
    "prefetch",
    "collect",
    "allow_external",
    "allow-external",
    "allow_instructions",
    "trust_project",
    "fork_read",
    "include_native",
    "llm",
    "llm_url",
    "llm-record",
    "model",
    "provider",
    "selector",
    "policy",
    "sink",
    "team",
    "audit",
    "snapshot",
    "resume",
    "expand",
    "format",
    "input",
    "jobs",
    "memory_dir",
];

fn document(place: &Place, value: &Value) -> String {
    let options: serde_json::Map<String, Value> =
        NAMES.iter().map(|name| ((*name).to_owned(), value.clone())).collect();
    let all: serde_json::Map<String, Value> =
        COMMANDS.iter().map(|command| (command[4..].to_owned(), Value::Object(options.clone()))).collect();
    json!({
        "options": all, "cwd": place.project(), "memory_dir": place.memory(), "session_id": "s1",
        "messages": [{"role": "user", "content": "Remember that we never deploy on Fridays."}],
        "prompt": "when do we deploy?",
    })
    .to_string()
}

#[test]
fn options_that_a_document_may_not_set_are_ignored_and_said() {
    let place = Place::new();
    place
        .write("memory/a.md", "---\nname: a\ndescription: deploys\n---\nNever on Fridays.\n")
        .write("memory/MEMORY.md", "- [a](a.md)\n");
    let witness = place.top().join("started");
    let program_file = place.top().join("evil.sh");
    std::fs::write(&program_file, format!("#!/bin/sh\ntouch {}\n", witness.display())).unwrap();
    std::fs::set_permissions(&program_file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let before = snapshot(&place.top());
    let values = [
        json!(true),
        json!(format!("exec:{}", program_file.display())),
        json!(program_file),
        json!(address),
        json!(format!("openai:{address}")),
        json!(place.top().join("written.json")),
        json!(["a.md"]),
    ];
    for command in COMMANDS {
        for value in &values {
            let mut process = place.command(program(command));
            process
                .env("ANTHROPIC_API_KEY", "sk-ant-api03-abcdefghijklmnopqrstuvwxyz")
                .env("OPENAI_API_KEY", "sk-abcdefghijklmnopqrstuvwxyz");
            let ran = feed(process, document(&place, value).as_bytes());
            assert_eq!(ran.status, 0, "{command} {value}: {}", ran.stderr);
            let problems = ran.document()["problems"].as_array().cloned().unwrap_or_default();
            let refused = problems.iter().filter(|problem| problem["code"] == "refused-option").count();
            assert_eq!(refused, NAMES.len(), "{command} {value}");
            assert!(!ran.stdout.contains("sk-a") && !ran.stderr.contains("sk-a"), "{command} told a key");
        }
    }
    assert_eq!(snapshot(&place.top()), before, "something on disk changed");
    assert!(!witness.exists(), "a program was started");
    assert!(listener.accept().is_err(), "an address was opened");
}

#[test]
fn an_unknown_option_is_said_and_a_known_one_obeyed() {
    let place = Place::new();
    let document = place.answer("mem-recall", &[], r#"{"options":{"recall":{"max-files":2,"max_flies":3}}}"#);
    assert_eq!(document["recall"]["budget"]["max_files"], 2);
    let codes: Vec<_> =
        document["problems"].as_array().unwrap().iter().map(|problem| problem["code"].clone()).collect();
    assert!(codes.contains(&json!("unknown-option")), "{codes:?}");
}

#[test]
fn no_command_writes_anything_unasked() {
    let place = Place::new();
    place
        .write("proj/CLAUDE.md", "Use pnpm.")
        .write("memory/a.md", "---\nname: a\ndescription: deploys\n---\nNever on Fridays.\n");
    let before = snapshot(&place.top());
    for command in COMMANDS {
        for format in ["json", "text", "context", "hook", "request"] {
            let ran = place.run(command, &["--format", format], document(&place, &json!(1)));
            assert_eq!(ran.status, 0, "{command}: {}", ran.stderr);
        }
    }
    assert_eq!(snapshot(&place.top()), before);
}

#[test]
fn the_commands_start_no_process_and_open_no_socket() {
    let place = Place::new();
    if std::process::Command::new("strace").arg("-V").output().is_err() {
        return; // Watched where the tool is there; .ci/run installs it.
    }
    for command in COMMANDS {
        let log = place.top().join("trace");
        let mut process = place.command("strace");
        process.args(["-f", "-qq", "-e", "trace=execve,socket,connect", "-o"]).arg(&log).arg(program(command));
        let ran = feed(process, document(&place, &json!(true)).as_bytes());
        assert_eq!(ran.status, 0, "{command}: {}", ran.stderr);
        let trace = std::fs::read_to_string(&log).unwrap();
        assert_eq!(trace.matches("execve(").count(), 1, "{command}:\n{trace}");
        assert_eq!(trace.matches("socket(").count(), 0, "{command}:\n{trace}");
    }
}
