//! Folders that hold more than an index, links that lead out of them, and what is said of both.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use super::memory;
use crate::support::Place;

/// Runs mem-index and returns its answer.
fn answer(place: &Place, options: &[&str]) -> Value {
    place.answer("mem-index", &[&["--memory-dir", "../memory"], options].concat(), "{}")
}

fn problems<'a>(answer: &'a Value, code: &str) -> Vec<&'a Value> {
    answer["problems"].as_array().unwrap().iter().filter(|problem| problem["code"] == code).collect()
}

fn full() -> Place {
    let place = Place::new();
    let mut index = String::from("# Mine\n");
    for number in 0..9 {
        let (path, day) = (format!("m{number}.md"), format!("2026-01-0{}", number + 1));
        memory(&place, &path, "project", &format!("the number of thing {number} is {number}"), &day);
        index += &format!("- [m{number}]({path}) — the number of thing {number} is {number}\n");
    }
    memory(&place, "new.md", "project", "what was learned about the harbour", "2026-11-29");
    place.write("memory/MEMORY.md", &index);
    place
}

#[test]
fn a_plain_run_promises_no_line_that_has_no_room() {
    let place = full();
    let hint = |options: &[&str]| {
        let answer = answer(&place, options);
        problems(&answer, "not-listed")[0]["hint"].as_str().unwrap().to_owned()
    };
    assert!(hint(&[]).contains("--apply adds them"), "{}", hint(&[]));
    for options in [["--max-lines", "10"], ["--max-bytes", "500"]] {
        assert!(hint(&options).contains("find room"), "{options:?}: {}", hint(&options));
    }
}

#[test]
fn after_an_apply_the_new_index_is_described_and_each_line_that_went_is_named() {
    let place = full();
    let before = answer(&place, &["--max-lines", "5"]);
    assert_eq!(problems(&before, "index-truncated").len(), 1);
    let after = answer(&place, &["--max-lines", "5", "--apply"]);
    assert_eq!(problems(&after, "index-truncated").len(), 0, "{after}");
    assert_eq!(after["index"]["lost"], serde_json::json!([]));
    let index = fs::read_to_string(place.memory().join("MEMORY.md")).unwrap();
    let gone: Vec<String> =
        (0..9).map(|number| format!("(m{number}.md)")).filter(|link| !index.contains(link)).collect();
    let named = problems(&after, "no-room");
    assert!(index.contains("(new.md)") && gone.len() == 6, "{index}");
    assert_eq!(named.len(), gone.len(), "{after}");
    assert!(named.iter().all(|problem| problem["message"].as_str().unwrap().contains(" bytes)")), "{named:?}");
}

#[test]
fn a_link_that_leads_out_or_to_nothing_is_named_once_and_its_line_stays() {
    let place = Place::new();
    place.write("ext/team.md", "---\nname: team\ndescription: outside\n---\nMK_secret\n");
    place.write("ext/more/deep.md", "x\n");
    memory(&place, "a.md", "user", "prefers tabs over blanks", "2026-01-01");
    symlink(place.top().join("ext/team.md"), place.memory().join("team.md")).unwrap();
    symlink(place.top().join("ext/more"), place.memory().join("more")).unwrap();
    symlink("nowhere.md", place.memory().join("broken.md")).unwrap();
    let text =
        "- [a](a.md) — prefers tabs over blanks\n- [Team](team.md) — ours\n- [Deep](more/deep.md)\n- [B](broken.md)\n";
    place.write("memory/MEMORY.md", text);
    for options in [&[][..], &["--diff"], &["--check=drift,size"], &["--apply"]] {
        let answer = answer(&place, options);
        assert_eq!(problems(&answer, "link-outside").len(), 1, "{answer}");
        assert_eq!(problems(&answer, "dangling-entry").len(), 0, "{options:?}: {answer}");
        assert!(!answer.to_string().contains("MK_secret"));
    }
    assert_eq!(fs::read_to_string(place.memory().join("MEMORY.md")).unwrap(), text);
}

#[test]
fn an_index_that_is_a_link_out_of_the_folder_is_not_read() {
    let place = Place::new();
    place.write("ext/passwords.md", "MK_secret\n");
    memory(&place, "a.md", "user", "prefers tabs over blanks", "2026-01-01");
    symlink(place.top().join("ext/passwords.md"), place.memory().join("MEMORY.md")).unwrap();
    let answer = answer(&place, &[]);
    assert!(!answer.to_string().contains("MK_secret"), "{answer}");
    assert_eq!(problems(&answer, "link-outside").len(), 1, "{answer}");
    let ran = place.run("mem-index", &["-n", "--memory-dir", "../memory", "--apply"], "");
    assert_eq!(ran.status, 3, "{}", ran.stdout);
    assert_eq!(fs::read_to_string(place.top().join("ext/passwords.md")).unwrap(), "MK_secret\n");
}

#[test]
fn what_is_beyond_the_visible_is_named_with_its_size_in_one_list() {
    let place = full();
    let answer = answer(&place, &["--max-files", "4"]);
    let paths = |list: &str| -> Vec<String> {
        let list = answer["index"][list].as_array().unwrap();
        list.iter().map(|memory| memory["path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(paths("memories"), ["new.md", "m8.md", "m7.md", "m6.md"]);
    assert_eq!(paths("beyond"), ["m5.md", "m4.md", "m3.md", "m2.md", "m1.md", "m0.md"]);
    let said = problems(&answer, "beyond-visible");
    assert_eq!(said.len(), 1);
    let bytes: u64 =
        answer["index"]["beyond"].as_array().unwrap().iter().map(|file| file["bytes"].as_u64().unwrap()).sum();
    assert!(said[0]["message"].as_str().unwrap().contains(&format!("{bytes} bytes in all: m5.md")), "{said:?}");
}

#[test]
fn a_description_by_which_recall_finds_others_is_vague() {
    let place = Place::new();
    let words = ["harbour", "ferry", "tickets", "timetable"];
    for number in 0..8 {
        let said = format!("the harbour ferry and {} tickets, timetable {}", words[number % 4], number % 2);
        memory(&place, &format!("ferry{number}.md"), "project", &said, "2026-01-01");
    }
    memory(&place, "zz.md", "project", "ferry tickets at the harbour", "2026-01-01");
    memory(&place, "own.md", "project", "release notes are written in Portuguese", "2026-01-01");
    let ran = place.run("mem-index", &["-n", "--memory-dir", "../memory", "--check=quality"], "");
    let document = ran.document();
    let vague: Vec<&str> =
        problems(&document, "description-vague").iter().filter_map(|found| found["path"].as_str()).collect();
    assert!(vague.contains(&"zz.md") && !vague.contains(&"own.md"), "{document}");
}
