//! `--session`: parts are merged under a lock, and what was shown is noted once it is out.

use serde_json::{Value, json};

use crate::support::{Place, feed, program};

fn prompt(place: &Place, id: &str, text: &str) -> String {
    json!({"hook_event_name": "UserPromptSubmit", "session_id": "s-1", "prompt_id": id, "prompt": text, "memory_dir": place.memory(), "cwd": place.project()})
        .to_string()
}

fn session(place: &Place) -> Value {
    let text = std::fs::read_to_string(place.home().join(".local/state/mem/sessions/s-1.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn memories_shown_in_one_turn_are_not_repeated_in_the_next() {
    let place = Place::new();
    place.write(
        "memory/db.md",
        "---\nname: test database\ndescription: tests use a real postgres database\ntype: project\n---\nPostgres.\n",
    );
    place.write(
        "memory/ui.md",
        "---\nname: colours\ndescription: the dashboard theme is dark\ntype: user\n---\nDark.\n",
    );
    let recall = |id: &str, format: &str| {
        let input = prompt(&place, id, "which database do the tests use?");
        place.run("mem-recall", &["--session", "auto", "--format", format], input)
    };
    assert!(recall("p1", "hook").stdout.contains("Postgres."));
    assert_eq!(session(&place)["shown"][0]["path"], "db.md");
    assert!(recall("p1", "hook").stdout.contains("Postgres."), "in the same turn it stays eligible");
    assert!(!recall("p2", "hook").stdout.contains("Postgres."));
    let later = recall("p3", "json").document();
    assert!(later["recall"]["passed_over"].to_string().contains("db.md"), "{later}");
}

#[test]
fn parts_of_other_commands_stay() {
    let place = Place::new();
    place.write("memory/db.md", "---\nname: db\ndescription: tests use postgres\n---\nP\n");
    let file = place.top().join("s.json");
    std::fs::write(&file, r#"{"load":{"x":1.50},"other":[1]}"#).unwrap();
    let name = file.to_string_lossy().into_owned();
    let ran = place.run("mem-recall", &["--session", &name], prompt(&place, "p1", "do tests use postgres?"));
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.starts_with(r#"{"load":{"x":1.50},"other":[1],"recall":"#), "{kept}");
    assert!(ran.stdout.contains(r#""load":{"x":1.50}"#), "what the file has is in the document, too");
}

#[test]
fn what_comes_in_wins_over_the_file() {
    let place = Place::new();
    let file = place.top().join("s.json");
    std::fs::write(&file, r#"{"load":{"from":"file"}}"#).unwrap();
    let name = file.to_string_lossy().into_owned();
    let document = place.answer("mem-index", &["--session", &name], r#"{"session":{"load":{"from":"pipe"}}}"#);
    assert_eq!(document["session"]["load"]["from"], "pipe");
}

#[test]
fn many_processes_keep_one_session_whole() {
    let place = Place::new();
    place.write("memory/db.md", "---\nname: db\ndescription: tests use postgres\n---\nP\n");
    std::thread::scope(|scope| {
        for number in 0..8 {
            let place = &place;
            scope.spawn(move || {
                let mut process = place.command(program("mem-recall"));
                process.args(["--session", "auto", "--format", "hook"]);
                let ran = feed(process, prompt(place, &format!("p{number}"), "do tests use postgres?").as_bytes());
                assert_eq!(ran.status, 0, "{}", ran.stderr);
            });
        }
    });
    assert!(session(&place)["recall"].is_object());
}

#[test]
fn a_session_without_an_id_is_said_and_nothing_is_kept() {
    let place = Place::new();
    let document = place.answer("mem-index", &["--session", "auto"], "{}");
    assert!(document["problems"].to_string().contains("no-session"));
    assert!(!place.home().join(".local").exists());
}

/// Sixty memories of about three kB on twelve subjects, five each.
fn sixty_memories(place: &Place) {
    const SUBJECTS: [&str; 12] = [
        "deployment",
        "database",
        "cache",
        "review",
        "billing",
        "search",
        "login",
        "mobile",
        "logging",
        "release",
        "queue",
        "theme",
    ];
    for number in 0..60 {
        let subject = SUBJECTS[number % 12];
        let body = format!("Line about the {subject} and what was agreed on it, number {number}.\n").repeat(45);
        let text = format!(
            "---\nname: {subject} rule {number}\ndescription: what to know of the {subject}\ntype: project\n---\n\n{body}"
        );
        place.write(&format!("memory/m{number:02}.md"), &text);
    }
}

#[test]
fn over_forty_turns_no_memory_comes_twice_and_a_boundary_starts_the_count_again() {
    const ASKED: [&str; 12] = [
        "deployment",
        "database",
        "cache",
        "review",
        "billing",
        "search",
        "login",
        "mobile",
        "logging",
        "release",
        "queue",
        "theme",
    ];
    const BOUNDARY: usize = 24;
    let place = Place::new();
    sixty_memories(&place);
    let transcript = place.top().join("s.jsonl");
    let mut records: Vec<Value> = Vec::new();
    // What is before the model since the last boundary.
    let (mut shown, mut bytes): (Vec<String>, u64) = (Vec::new(), 0);
    let (mut ever, mut states): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for turn in 0..40 {
        let said = format!("what do we know of the {}, please?", ASKED[turn % 12]);
        let parent = records.last().map_or(Value::Null, |record| record["uuid"].clone());
        if turn == BOUNDARY {
            records.push(json!({"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": null,
                "logicalParentUuid": parent, "sessionId": "s-1", "compactMetadata": {"trigger": "auto"}}));
            records.push(json!({"type": "user", "uuid": "sum", "parentUuid": "b", "isCompactSummary": true, "sessionId": "s-1",
                "message": {"role": "user", "content": "This session is being continued from a previous conversation."}}));
        }
        let parent = records.last().map_or(Value::Null, |record| record["uuid"].clone());
        let (user, assistant) = (format!("u{turn}"), format!("a{turn}"));
        records.push(json!({"type": "user", "uuid": user, "parentUuid": parent, "sessionId": "s-1", "promptId": format!("p{turn}"),
            "message": {"role": "user", "content": said}}));
        records.push(json!({"type": "assistant", "uuid": assistant, "parentUuid": user, "sessionId": "s-1",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "Here is what I know."}]}}));
        let lines: Vec<String> = records.iter().map(Value::to_string).collect();
        std::fs::write(&transcript, lines.join("\n") + "\n").unwrap();
        let event = |name: &str| {
            json!({"hook_event_name": name, "source": "compact", "session_id": "s-1", "prompt_id": format!("p{turn}"), "prompt": said,
                   "transcript_path": transcript, "memory_dir": place.memory(), "cwd": place.project()})
            .to_string()
        };
        if turn == BOUNDARY {
            // The agent has compacted: the session starts again, as a hook of SessionStart finds in the transcript.
            let ran = place.run("mem-compact", &["--session", "auto"], event("SessionStart"));
            assert_eq!(ran.status, 0, "{}", ran.stderr);
            (shown, bytes) = (Vec::new(), 0);
        }
        let ran = place.run("mem-recall", &["--session", "auto"], event("UserPromptSubmit"));
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let recall = &ran.document()["recall"];
        for memory in recall["memories"].as_array().unwrap() {
            let path = memory["path"].as_str().unwrap().to_owned();
            assert!(!shown.contains(&path), "turn {turn}: {path} comes twice");
            bytes += memory["text"].as_str().unwrap().len() as u64;
            shown.push(path.clone());
            ever.push(path);
        }
        assert!(bytes <= 61_440, "turn {turn}: {bytes} bytes");
        assert_eq!(recall["budget"]["used_session_bytes"], bytes, "turn {turn}");
        states.push(recall["state"].as_str().unwrap().to_owned());
    }
    assert!(states[..BOUNDARY].contains(&"budget-exhausted".to_owned()), "{states:?}");
    assert_eq!(states[BOUNDARY], "selected", "after the boundary there is room again");
    let mut twice = ever.clone();
    twice.sort();
    twice.dedup();
    assert!(twice.len() < ever.len(), "what was shown before the boundary may come again after it");
}
