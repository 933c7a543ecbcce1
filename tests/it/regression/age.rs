//! Ageing: dates that lie, days that shift with the zone, and memories that were replaced.

use serde_json::{Value, json};

use crate::support::Place;

fn age(place: &Place, now: &str, zone: Option<&str>) -> Value {
    let mut process = place.command(crate::support::program("mem-age"));
    process.args(["--memory-dir", "../memory", "--now", now]);
    if let Some(zone) = zone {
        process.env("TZ", zone);
    }
    crate::support::feed(process, b"{}").document()
}

/// The time so many seconds after the start of 1970.
fn at(seconds: u64) -> std::time::SystemTime {
    std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds)
}

fn memory(place: &Place, name: &str, modified: &str, more: &str) {
    place.write(
        &format!("memory/{name}.md"),
        &format!("---\nname: {name}\ndescription: about {name}\ntype: project\nmodified: {modified}\n{more}---\nText of {name}.\n"),
    );
}

#[test]
fn a01_the_index_has_an_age_of_its_own() {
    let place = Place::new();
    place.write("memory/MEMORY.md", "- x\n");
    let days = |now| age(&place, now, None)["age"]["index_age_days"].as_i64().unwrap();
    assert!(days("2036-01-01T00:00:00Z") > 1000);
}

#[test]
fn a03_reading_makes_nothing_young() {
    let place = Place::new();
    memory(&place, "a", "2026-01-01T00:00:00Z", "");
    let before = crate::support::snapshot(&place.memory());
    place.answer("mem-recall", &["--memory-dir", "../memory", "--prompt", "tell me about a"], "{}");
    assert_eq!(crate::support::snapshot(&place.memory()), before);
    assert_eq!(age(&place, "2026-03-02T00:00:00Z", None)["age"]["memories"][0]["age_days"], 60);
}

#[test]
fn a05_days_are_elapsed_seconds_in_every_zone() {
    let place = Place::new();
    memory(&place, "a", "2026-03-05T15:50:00Z", "");
    for zone in ["UTC", "Asia/Shanghai", "America/Los_Angeles", "Pacific/Kiritimati"] {
        let document = age(&place, "2026-03-06T00:10:00+08:00", Some(zone));
        assert_eq!(document["age"]["memories"][0]["age_days"], 0, "{zone}");
    }
}

#[test]
fn a06_ages_and_notes_begin_where_they_should() {
    let place = Place::new();
    for (modified, days) in [
        ("2026-03-10T12:00:00Z", 0),
        ("2026-03-09T12:00:01Z", 0),
        ("2026-03-09T12:00:00Z", 1),
        ("2026-03-08T12:00:01Z", 1),
        ("2026-03-08T12:00:00Z", 2),
        ("2026-02-08T12:00:00Z", 30),
        ("2026-03-10T13:00:00Z", 0),
    ] {
        memory(&place, "a", modified, "");
        let document = age(&place, "2026-03-10T12:00:00Z", None);
        assert_eq!(document["age"]["memories"][0]["age_days"], days, "{modified}");
        let is_future = modified > "2026-03-10T12:00:00Z";
        let said = document["problems"].to_string().contains("future");
        assert_eq!(said, is_future, "{modified}: {}", document["problems"]);
        let recalled = place.answer(
            "mem-recall",
            &["--memory-dir", "../memory", "--prompt", "what is the text about a?", "--now", "2026-03-10T12:00:00Z"],
            "{}",
        );
        for memory in recalled["recall"]["memories"].as_array().unwrap() {
            assert_eq!(memory.get("note").is_some(), days >= 2, "{modified}");
        }
    }
}

#[test]
fn a08_a_superseded_memory_is_marked_and_not_recalled() {
    let place = Place::new();
    memory(&place, "a", "2026-03-01T00:00:00Z", "superseded_by: b.md\n");
    memory(&place, "b", "2026-03-05T00:00:00Z", "");
    let document = age(&place, "2026-03-10T12:00:00Z", None);
    let first = &document["age"]["memories"][0];
    assert_eq!(first["state"], "contradicted");
    assert!(first["findings"].as_array().unwrap().iter().any(|finding| finding["kind"] == "superseded"), "{first}");
    let recalled =
        place.answer("mem-recall", &["--memory-dir", "../memory", "--prompt", "what is the text about a?"], "{}");
    assert!(!recalled["recall"]["memories"].to_string().contains("a.md"));
    assert_eq!(json!(recalled["recall"]["state"].is_string()), json!(true));
}

#[test]
fn a01_the_note_on_an_old_index_names_it_and_a_young_one_has_none() {
    let place = Place::new();
    place.write("memory/MEMORY.md", "- x\n");
    let file = std::fs::File::options().write(true).open(place.memory().join("MEMORY.md")).unwrap();
    for (now, days, is_told) in [
        ("2026-03-01T00:00:00Z", 0, false),
        ("2026-03-31T00:00:00Z", 30, false),
        ("2026-05-30T00:00:00Z", 90, true),
        ("2026-01-01T00:00:00Z", 0, false),
    ] {
        file.set_modified(at(1_772_323_200)).unwrap();
        let document = age(&place, now, None);
        assert_eq!(document["age"]["index_age_days"], days, "{now}");
        assert_eq!(document["problems"].to_string().contains("old-index"), is_told, "{now}");
    }
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    assert!(age(&place, "2026-03-01T00:00:00Z", None)["age"]["index_age_days"].is_null());
}

#[test]
fn a03_no_reading_and_no_act_that_leaves_a_text_alone_makes_it_young() {
    let place = Place::new();
    // Without a date of its own a memory has that of its file.
    for (name, text) in
        [("old", "The mill turns at 40 rounds."), ("new", "The mill turns at 45 rounds."), ("keep", "Flour is rye.")]
    {
        place.write(
            &format!("memory/{name}.md"),
            &format!("---\nname: {name}\ndescription: \"\"\ntype: project\n---\n{text}\n"),
        );
        let day = if name == "old" { 1_767_225_600 } else { 1_768_089_600 };
        let file = std::fs::File::options().write(true).open(place.memory().join(format!("{name}.md"))).unwrap();
        file.set_modified(at(day)).unwrap();
    }
    let days = |document: &Value| -> Vec<i64> {
        document["age"]["memories"]
            .as_array()
            .unwrap()
            .iter()
            .map(|memory| memory["age_days"].as_i64().unwrap())
            .collect()
    };
    let now = "2026-03-02T00:00:00Z";
    for command in ["mem-index", "mem-recall", "mem-age"] {
        place.run(
            command,
            &["--memory-dir", "../memory", "--prompt", "how fast does the mill turn?", "--now", now],
            "{}",
        );
    }
    assert_eq!(days(&age(&place, now, None)), [50, 50, 60]);
    let run = |arguments: &[&str]| {
        place.run("mem-age", &[&["-n", "--memory-dir", "../memory", "--now", now], arguments].concat(), "")
    };
    assert_eq!(run(&["--apply"]).status, 0);
    assert_eq!(days(&age(&place, now, None)), [50, 50, 60]);
    assert_eq!(run(&["--undo"]).status, 0);
    assert_eq!(days(&age(&place, now, None)), [50, 50, 60]);
}

#[test]
fn a05_a_night_of_23_hours_is_no_day_and_one_of_25_is_one() {
    let place = Place::new();
    memory(&place, "a", "2026-03-28T12:00:00+01:00", "");
    memory(&place, "b", "2026-10-24T12:00:00+02:00", "");
    for (now, zone, days) in [
        ("2026-03-29T12:00:00+02:00", "Europe/Berlin", [0, 0]),
        ("2026-10-25T11:00:00+01:00", "Europe/Berlin", [210, 1]),
        ("2026-10-25T10:59:59+01:00", "America/New_York", [210, 0]),
    ] {
        let document = age(&place, now, Some(zone));
        let memories = document["age"]["memories"].as_array().unwrap();
        let got: Vec<i64> = memories.iter().map(|memory| memory["age_days"].as_i64().unwrap()).collect();
        assert_eq!(got, days, "{now}");
    }
}

#[test]
fn a08_each_way_of_naming_a_successor_marks_and_hides_the_old_one() {
    for link in ["b.md", "b", "[[b]]", "./b.md", "\"[[b]]\""] {
        let place = Place::new();
        memory(&place, "a", "2026-03-01T00:00:00Z", &format!("superseded_by: {link}\n"));
        memory(&place, "b", "2026-02-05T00:00:00Z", "");
        let document = age(&place, "2026-03-10T12:00:00Z", None);
        assert_eq!(document["age"]["memories"][0]["state"], "contradicted", "{link}");
        assert_eq!(document["age"]["memories"][0]["of"], "b.md", "{link}");
    }
    // Withdrawn without a successor.
    let place = Place::new();
    memory(&place, "a", "2026-03-01T00:00:00Z", "superseded: 2026-03-05\n");
    let document = age(&place, "2026-03-10T12:00:00Z", None);
    assert_eq!(document["age"]["memories"][0]["state"], "contradicted");
    assert_eq!(document["age"]["actions"], json!([]));
    // A circle is no successor, and nothing is taken away for it.
    memory(&place, "a", "2026-03-01T00:00:00Z", "superseded_by: b.md\n");
    memory(&place, "b", "2026-03-05T00:00:00Z", "superseded_by: a.md\n");
    let document = age(&place, "2026-03-10T12:00:00Z", None);
    assert!(
        document["age"]["actions"].as_array().unwrap().iter().all(|action| action["action"] == "note"),
        "{document}"
    );
}

#[test]
fn git_tells_when_a_text_changed_and_a_rename_or_a_clone_makes_nothing_young() {
    let place = Place::new();
    let git = |arguments: &[&str], day: &str| {
        let mut process = place.command("git");
        process.current_dir(place.top()).args(["-c", "user.name=n", "-c", "user.email=e@x.y"]).args(arguments);
        process.env("GIT_COMMITTER_DATE", day).env("GIT_AUTHOR_DATE", day);
        let ran = crate::support::feed(process, b"");
        assert_eq!(ran.status, 0, "{ran:?}");
    };
    if std::process::Command::new("git").arg("--version").output().is_err() {
        return;
    }
    place.write("memory/a.md", "---\nname: a\ndescription: d\ntype: project\n---\nThe mill turns.\n");
    git(&["init", "-q"], "");
    git(&["add", "memory"], "");
    git(&["commit", "-qm", "x"], "2026-01-01T00:00:00Z");
    git(&["mv", "memory/a.md", "memory/b.md"], "");
    git(&["commit", "-qm", "y"], "2026-02-20T00:00:00Z");
    let run = |arguments: &[&str]| {
        let all = [&["-n", "--memory-dir", "../memory", "--now", "2026-03-02T00:00:00Z"], arguments].concat();
        place.run("mem-age", &all, "").document()["age"]["memories"][0].clone()
    };
    assert_eq!(run(&[])["modified_source"], "mtime");
    let known = run(&["--git"]);
    assert_eq!((&known["modified_source"], &known["age_days"]), (&json!("git"), &json!(60)));
    // What is not committed is as old as the file.
    place.write("memory/b.md", "---\nname: a\ndescription: d\ntype: project\n---\nThe mill stands.\n");
    assert_eq!(run(&["--git"])["modified_source"], "mtime");
}
