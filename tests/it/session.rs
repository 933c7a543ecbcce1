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
