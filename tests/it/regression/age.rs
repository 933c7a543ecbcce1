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
