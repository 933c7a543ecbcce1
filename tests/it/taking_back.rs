//! `mem-age --dry-run` and `--undo`: what is looked at is what would be done, and what could not be taken back stays.

use std::fs;

use serde_json::{Value, json};

use crate::forgetting::{age, memory, read};
use crate::support::{NOW, Place, snapshot};

/// Runs with a status and returns the first document that came back.
fn run(place: &Place, arguments: &[&str], more: Value) -> (i32, Value) {
    let mut document = json!({"memory_dir": place.memory(), "now": NOW});
    for (key, value) in more.as_object().unwrap() {
        document[key] = value.clone();
    }
    let ran = place.run("mem-age", arguments, document.to_string());
    (ran.status, serde_json::from_str(ran.stdout.lines().next().unwrap()).unwrap())
}

fn folder() -> Place {
    let place = Place::new();
    memory(&place, "over", "project", "2026-09-01", "The north pier is closed until 2026-10-01.");
    memory(&place, "ferry", "project", "2026-11-01", "夜班渡轮 21:10 出发。");
    memory(&place, "ferry_new", "project", "2026-11-20", "夜班渡轮 22:30 出发。");
    place
}

fn outcomes(document: &Value) -> Vec<&str> {
    document["age"]["actions"].as_array().unwrap().iter().map(|action| action["outcome"].as_str().unwrap()).collect()
}

#[test]
fn a_dry_run_makes_the_checks_of_the_run_and_changes_nothing() {
    let place = folder();
    let before = snapshot(&place.memory());
    let planned = age(&place, &[], json!({}))["age"].clone();
    let (status, dry) = run(&place, &["--apply", "--dry-run"], json!({"age": planned}));
    assert_eq!((status, outcomes(&dry)), (0, vec!["planned", "planned"]), "{dry}");
    let mut hostile = planned.clone();
    hostile["actions"][0]["sha256"] = json!("0".repeat(64));
    hostile["actions"].as_array_mut().unwrap().extend([
        json!({"action": "archive", "path": "../out.md", "sha256": "x"}),
        json!({"action": "merge", "path": "over.md", "into": "gone.md", "sha256": "x"}),
        json!({"action": "delete", "path": "over.md", "sha256": "x"}),
    ]);
    let (dry_status, dry) = run(&place, &["--apply", "--dry-run"], json!({"age": hostile}));
    assert_eq!(snapshot(&place.memory()), before);
    let (wet_status, wet) = run(&place, &["--apply"], json!({"age": hostile}));
    assert_eq!((dry_status, wet_status), (3, 3));
    let as_wet: Vec<String> = outcomes(&dry)
        .iter()
        .map(|outcome| if outcome == &"planned" { "written".to_owned() } else { (*outcome).to_owned() })
        .collect();
    assert_eq!(as_wet, outcomes(&wet), "{dry}");
    assert_eq!(outcomes(&wet).iter().filter(|outcome| outcome.starts_with("refused")).count(), 4, "{wet}");
}

#[test]
fn a_dry_run_of_what_takes_back_tells_what_would_become_of_each_file() {
    let place = folder();
    age(&place, &["--apply"], json!({}));
    let before = snapshot(&place.memory());
    for (arguments, wanted) in [
        (&["--undo"][..], vec!["MEMORY.md", "ferry.md", "over.md"]),
        (&["--restore", "over"], vec!["over.md"]),
        (&["--purge", "ferry_new"], vec!["ferry_new.md"]),
    ] {
        let arguments: Vec<&str> = arguments.iter().copied().chain(["--dry-run"]).collect();
        let (status, dry) = run(&place, &arguments, json!({}));
        let done = dry["age"]["done"].as_array().unwrap();
        let mut paths: Vec<&str> = done.iter().map(|deed| deed["path"].as_str().unwrap()).collect();
        paths.sort_unstable();
        assert_eq!((status, paths), (0, wanted), "{dry}");
        assert!(done.iter().all(|deed| deed["outcome"] == "planned"), "{dry}");
        assert_eq!(snapshot(&place.memory()), before, "{arguments:?}");
    }
    for arguments in [["--restore", "nothing", "--dry-run"], ["--purge", "nothing", "--dry-run"]] {
        assert_eq!(run(&place, &arguments, json!({})).0, 3, "{arguments:?}");
    }
}

#[test]
fn nothing_to_undo_is_said_with_status_3() {
    let place = folder();
    for arguments in [&["--undo"][..], &["--undo", "--dry-run"]] {
        let (status, document) = run(&place, arguments, json!({}));
        assert_eq!((status, &document["failed"]["code"]), (3, &json!("nothing-to-undo")), "{document}");
    }
}

#[test]
fn what_could_not_be_taken_back_stays_to_be_tried_again() {
    let place = folder();
    let before = snapshot(&place.memory());
    age(&place, &["--apply"], json!({}));
    let superseded = read(&place, "ferry.md").unwrap();
    fs::write(place.memory().join("ferry.md"), "somebody was here\n").unwrap();
    for _ in 0..2 {
        let (status, document) = run(&place, &["--undo"], json!({}));
        assert_eq!(status, 3, "{document}");
        assert_eq!(read(&place, "ferry.md").unwrap(), "somebody was here\n");
        assert!(read(&place, "over.md").is_some());
        let index = read(&place, "MEMORY.md").unwrap();
        assert!(index.contains("over.md") && !index.contains("(ferry.md)"), "{index}");
    }
    fs::write(place.memory().join("ferry.md"), superseded).unwrap();
    assert_eq!(run(&place, &["--undo"], json!({})).0, 0);
    let after = snapshot(&place.memory());
    let own = |path: &std::path::Path| path.components().any(|part| part.as_os_str() == ".mem");
    for (path, bytes) in before.iter().filter(|(path, _)| !own(path) && !path.ends_with("MEMORY.md")) {
        assert_eq!(after.iter().find(|(other, _)| other == path).map(|found| &found.1), Some(bytes), "{path:?}");
    }
    assert!(read(&place, "MEMORY.md").unwrap().contains("(ferry.md)"));
    assert_eq!(run(&place, &["--undo"], json!({})).1["failed"]["code"], "nothing-to-undo");
}

#[test]
fn history_tells_a_chain_of_five_before_and_after_it_was_carried_out() {
    let place = Place::new();
    for (step, time) in ["20:00", "20:30", "21:10", "21:50", "22:30"].iter().enumerate() {
        memory(
            &place,
            &format!("ferry_{step}"),
            "project",
            &format!("2026-0{}-01", step + 1),
            &format!("夜班渡轮 {time} 出发。"),
        );
    }
    memory(&place, "dogs", "project", "2026-03-01", "Tickets for dogs are sold at the kiosk.");
    let told = |name: &str| {
        let document = age(&place, &["--history", name], json!({}));
        let versions = document["age"]["history"].as_array().unwrap().clone();
        let word = |version: &Value, key: &str| version[key].as_str().unwrap_or("-").to_owned();
        versions
            .iter()
            .map(|one| ["path", "from", "until", "text"].map(|key| word(one, key)).join(" "))
            .collect::<Vec<_>>()
    };
    let wanted = [
        "ferry_0.md 2026-01-01 2026-02-01 夜班渡轮 20:00 出发。",
        "ferry_1.md 2026-02-01 2026-03-01 夜班渡轮 20:30 出发。",
        "ferry_2.md 2026-03-01 2026-04-01 夜班渡轮 21:10 出发。",
        "ferry_3.md 2026-04-01 2026-05-01 夜班渡轮 21:50 出发。",
        "ferry_4.md 2026-05-01 - 夜班渡轮 22:30 出发。",
    ];
    assert_eq!(told("ferry_1"), wanted);
    age(&place, &["--apply"], json!({}));
    for name in ["ferry_0.md", "ferry_4"] {
        assert_eq!(told(name), wanted, "{name}");
    }
    assert_eq!(told("dogs").len(), 1);
    let forget = json!({"forget": {"path": "dogs.md"}});
    age(&place, &["--apply"], forget);
    let released = age(&place, &["--history", "dogs"], json!({}));
    let version = &released["age"]["history"][0];
    assert_eq!((&version["state"], &version["until"]), (&json!("archived"), &json!(&NOW[..10])), "{released}");
    assert_eq!(run(&place, &["--history", "nobody"], json!({})).1["failed"]["code"], "no-such-memory");
    let text =
        place.run("mem-age", &["-n", "--memory-dir", "../memory", "--history", "ferry_4", "--format", "text"], "");
    assert!(
        text.stdout.starts_with("2026-01-01 to 2026-02-01  ferry_0.md (superseded)\n    夜班渡轮 20:00 出发。\n"),
        "{}",
        text.stdout
    );
    assert!(text.stdout.contains("2026-05-01 to now  ferry_4.md (holds)"), "{}", text.stdout);
}
