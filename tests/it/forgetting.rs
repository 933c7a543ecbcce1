//! Forgetting on purpose: supersede, release, purge, amnesia, drift of five steps, cascade over two links. All exact, in
//! both languages, and everything on disk is looked at.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{NOW, Place, snapshot};

/// The words of one language for the same story.
struct Story {
    /// A fact, what replaces it, and what belongs to neither.
    old: &'static str,
    new: &'static str,
    other: &'static str,
    /// A promise with a day that is over.
    over: &'static str,
    /// Five values of one subject.
    drift: [&'static str; 5],
    /// What has to be purged, line by line.
    secret: [&'static str; 3],
    question: &'static str,
}

const STORIES: [Story; 2] = [
    Story {
        old: "The ferry timetable is printed on blue paper.",
        new: "The ferry timetable is printed on yellow paper, no longer on blue.",
        other: "Tickets for dogs are sold at the pier kiosk.",
        over: "The north pier is closed until 2026-10-01.",
        drift: [
            "The night ferry leaves at 21:10.",
            "The night ferry leaves at 21:25.",
            "The night ferry leaves at 21:40.",
            "The night ferry leaves at 22:05.",
            "The night ferry leaves at 22:30.",
        ],
        secret: [
            "The harbour master drinks chamomile tea on duty",
            "His locker opens with the birthday of his parrot",
            "He told us so in confidence, at the lighthouse",
        ],
        question: "when does the night ferry leave?",
    },
    Story {
        old: "渡轮时刻表用蓝色纸张打印。",
        new: "渡轮时刻表改用黄色纸张打印，不再用蓝色纸张。",
        other: "宠物船票在码头小卖部出售。",
        over: "北码头封闭，截至2026年10月1日。",
        drift: [
            "夜班渡轮 21:10 出发。",
            "夜班渡轮 21:25 出发。",
            "夜班渡轮 21:40 出发。",
            "夜班渡轮 22:05 出发。",
            "夜班渡轮 22:30 出发。",
        ],
        secret: [
            "港务长值班时只喝洋甘菊茶不喝咖啡",
            "他的柜子密码是那只鹦鹉的生日",
            "这些都是他在灯塔里私下告诉我们的",
        ],
        question: "夜班渡轮几点出发？",
    },
];

pub fn memory(place: &Place, name: &str, kind: &str, day: &str, text: &str) {
    let head = format!(
        "name: {name}\ndescription: \"{}\"\ntype: {kind}\nmodified: {day}\n",
        text.trim_end_matches(['.', '。'])
    );
    place.write(&format!("memory/{name}.md"), &format!("---\n{head}---\n\n{text}\n"));
    let path = place.memory().join("MEMORY.md");
    let index = fs::read_to_string(&path).unwrap_or_default();
    fs::write(path, format!("{index}- [{name}]({name}.md) — {text}\n")).unwrap();
}

pub fn age(place: &Place, arguments: &[&str], more: Value) -> Value {
    let mut document = json!({"memory_dir": place.memory(), "cwd": place.project()});
    for (key, value) in more.as_object().unwrap() {
        document[key] = value.clone();
    }
    place.answer("mem-age", arguments, &document.to_string())
}

pub fn read(place: &Place, path: &str) -> Option<String> {
    fs::read_to_string(place.memory().join(path)).ok()
}

/// The visible part of the folder: everything but `.mem`.
fn visible(place: &Place) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let own = place.memory().join(".mem");
    snapshot(&place.memory()).into_iter().filter(|(path, _)| !path.starts_with(&own)).collect()
}

fn recalled(place: &Place, question: &str) -> Vec<String> {
    let document = place.answer("mem-recall", &["--memory-dir", "../memory", "--prompt", question], "{}");
    let memories = document["recall"]["memories"].as_array().unwrap().clone();
    memories.iter().map(|memory| memory["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn supersede_leaves_the_old_one_with_an_end_and_a_link_and_out_of_the_index() {
    for story in &STORIES {
        let place = Place::new();
        memory(&place, "old", "project", "2026-11-01", story.old);
        memory(&place, "new", "project", "2026-11-20", story.new);
        memory(&place, "other", "reference", "2026-11-20", story.other);
        let untouched = (read(&place, "new.md"), read(&place, "other.md"));
        let before = read(&place, "old.md").unwrap();
        let document = age(&place, &["--apply"], json!({}));
        assert_eq!(document["age"]["actions"][0]["action"], "supersede", "{document}");
        assert_eq!(document["age"]["actions"][0]["outcome"], "written", "{document}");
        let after = read(&place, "old.md").unwrap();
        assert_eq!(after, before.replacen("\n---\n", "\nsuperseded: 2026-11-30\nsuperseded_by: new.md\n---\n", 1));
        assert_eq!((read(&place, "new.md"), read(&place, "other.md")), untouched);
        let index = read(&place, "MEMORY.md").unwrap();
        assert!(!index.contains("(old.md)") && index.contains("(new.md)") && index.contains("(other.md)"), "{index}");
        // A second run finds nothing to do.
        let settled = snapshot(&place.memory());
        let again = age(&place, &["--apply"], json!({}));
        assert_eq!(again["age"]["actions"], json!([]));
        assert_eq!(snapshot(&place.memory()), settled);
    }
}

#[test]
fn what_was_superseded_is_neither_listed_again_nor_recalled() {
    for by in [Some("new.md"), None] {
        let place = Place::new();
        memory(&place, "old", "project", "2026-11-01", "The relay listens on port 7431.");
        memory(&place, "new", "project", "2026-11-20", "The gateway speaks to the relay.");
        let wish = json!([{"path": "old.md", "how": "supersede", "by": by}]);
        let done = age(&place, &["--apply"], json!({"forget": wish}));
        assert_eq!(done["age"]["actions"][0]["outcome"], "written", "{done}");
        let input = json!({"memory_dir": place.memory(), "prompt": "which port does the relay have?"}).to_string();
        let settled = snapshot(&place.memory());
        let indexed = place.answer("mem-index", &["--apply"], &input);
        assert_eq!(indexed["index"]["lost"], json!([]), "{indexed}");
        assert_eq!(snapshot(&place.memory()), settled, "{by:?}");
        let recalled = place.answer("mem-recall", &[], &input);
        let shown = recalled["recall"]["memories"].to_string();
        assert!(
            !shown.contains("old.md") && recalled["recall"]["passed_over"].to_string().contains("superseded"),
            "{recalled}"
        );
    }
}

#[test]
fn release_moves_the_whole_file_to_the_archive_and_undo_and_restore_bring_it_back() {
    for story in &STORIES {
        let place = Place::new();
        memory(&place, "over", "project", "2026-09-01", story.over);
        memory(&place, "other", "reference", "2026-11-20", story.other);
        let whole = read(&place, "over.md").unwrap();
        let before = visible(&place);
        let document = age(&place, &["--apply"], json!({}));
        assert_eq!(document["age"]["actions"][0]["action"], "archive", "{document}");
        assert_eq!(read(&place, "over.md"), None);
        assert_eq!(read(&place, ".mem/archive/20261130T120000Z/over.md.old").as_deref(), Some(whole.as_str()));
        assert!(!read(&place, "MEMORY.md").unwrap().contains("over.md"));
        let undone = age(&place, &["--undo"], json!({}));
        assert_eq!(undone["age"]["done"].as_array().unwrap().len(), 2, "{undone}");
        assert_eq!(visible(&place), before);
        age(&place, &["--apply"], json!({}));
        let restored = age(&place, &["--restore", "over"], json!({}));
        assert_eq!(restored["age"]["done"][0]["what"], "restored");
        assert_eq!(read(&place, "over.md").as_deref(), Some(whole.as_str()));
        assert!(read(&place, "MEMORY.md").unwrap().contains("(over.md)"));
    }
}

#[test]
fn forget_in_the_document_is_a_plan_and_apply_carries_it_out() {
    for story in &STORIES {
        let place = Place::new();
        memory(&place, "old", "feedback", "2026-11-20", story.old);
        memory(&place, "other", "reference", "2026-11-20", story.other);
        let quoted = json!({"forget": format!("\"{}\"", story.old.trim_end_matches(['.', '。']))});
        let planned = age(&place, &[], quoted.clone());
        assert_eq!(planned["age"]["actions"][0]["path"], "old.md", "{planned}");
        assert!(read(&place, "old.md").is_some());
        age(&place, &["--apply"], quoted);
        assert_eq!(read(&place, "old.md"), None);
        assert!(read(&place, "other.md").is_some());
        let superseded = age(&place, &["--apply"], json!({"forget": {"name": "other", "how": "supersede"}}));
        assert_eq!(superseded["age"]["actions"][0]["outcome"], "written", "{superseded}");
        assert!(read(&place, "other.md").unwrap().contains("superseded: 2026-11-30"));
    }
}

/// Returns every file below `folder` whose bytes hold `text`, or its form in JSON.
fn holding(folder: &Path, text: &str) -> Vec<std::path::PathBuf> {
    let holds = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(text);
    snapshot(folder).into_iter().filter(|(_, bytes)| holds(bytes)).map(|(path, _)| path).collect()
}

#[test]
fn purge_leaves_no_fragment_anywhere_and_names_what_it_cannot_reach() {
    for story in &STORIES {
        let place = Place::new();
        let [first, second, third] = story.secret;
        let text = format!("{first}.\n\n- {second}.\n- {third}.");
        memory(&place, "secret", "project", "2026-09-01", &text.replace('\n', " "));
        place.write(
            "memory/secret.md",
            &format!(
                "---\nname: secret\ndescription: \"{first}\"\ntype: project\nmodified: 2026-11-20\n---\n\n{text}\n"
            ),
        );
        memory(&place, "other", "reference", "2026-11-20", story.other);
        // It is superseded, archived, restored; one of its lines is merged into another memory; logs and sessions know it.
        age(&place, &["--apply"], json!({"forget": {"path": "secret.md", "how": "supersede"}}));
        age(&place, &["--apply"], json!({"forget": "secret.md"}));
        age(&place, &["--restore", "secret.md"], json!({}));
        let hash = sha256(&place, "secret.md");
        let copy =
            json!({"action": "merge", "path": "copy.md", "into": "other.md", "sha256": hash, "reason": "by hand"});
        fs::copy(place.memory().join("secret.md"), place.memory().join("copy.md")).unwrap();
        let merged = age(&place, &["--apply"], json!({"age": {"actions": [copy]}}));
        assert_eq!(merged["age"]["actions"][0]["outcome"], "written", "{merged}");
        assert!(read(&place, "other.md").unwrap().contains(second));
        place.write("memory/logs/2026/11/2026-11-20.md", &format!("- 10:00 {first}\n- 11:00 lunch\n"));
        place.write("memory/.mem/access.jsonl", "{\"path\":\"secret.md\",\"at\":\"2026-11-20T00:00:00Z\"}\n{\"path\":\"other.md\",\"at\":\"2026-11-20T00:00:00Z\"}\n");
        let session = json!({"recall": {"shown": [{"path": "secret.md"}, {"path": "other.md"}]}, "texts": [format!("kept\n{second}\n")]});
        place.write("home/.local/state/mem/sessions/s1.json", &session.to_string());
        place.write(
            "snap/one.json",
            &json!({"messages": [{"role": "user", "content": format!("{third} 👍")}]}).to_string(),
        );
        place.write("transcript.jsonl", &json!({"type": "user", "message": {"content": first}}).to_string());
        let also = place.top().join("snap");
        // The copy was a memory of its own, whose archived file has to be purged by its own name.
        for name in ["copy", "secret"] {
            let document = age(&place, &["--purge", name, "--purge-also", &also.to_string_lossy()], json!({}));
            assert!(document["age"]["unreached"].to_string().contains("transcript.jsonl"), "{document}");
        }
        for fragment in story.secret {
            for folder in ["memory", "home", "snap"] {
                assert_eq!(
                    holding(&place.top().join(folder), fragment),
                    Vec::<std::path::PathBuf>::new(),
                    "{fragment}"
                );
            }
        }
        assert_eq!(holding(&place.memory(), "secret.md"), Vec::<std::path::PathBuf>::new());
        assert!(snapshot(&place.memory()).iter().all(|(path, _)| !path.to_string_lossy().contains("secret")));
        assert!(read(&place, "other.md").unwrap().contains(story.other));
        assert!(read(&place, "logs/2026/11/2026-11-20.md").unwrap().contains("lunch"));
        assert!(read(&place, ".mem/access.jsonl").unwrap().contains("other.md"));
        let session = fs::read_to_string(place.home().join(".local/state/mem/sessions/s1.json")).unwrap();
        assert!(session.contains("kept") && session.contains("other.md"), "{session}");
        assert_eq!(place.run("mem-age", &["--memory-dir", "../memory", "--restore", "secret", "-n"], "").status, 3);
    }
}

fn sha256(place: &Place, path: &str) -> String {
    let document = age(place, &[], json!({"forget": path}));
    document["age"]["actions"][0]["sha256"].as_str().unwrap().to_owned()
}

#[test]
fn amnesia_nothing_else_changes_by_any_act() {
    for story in &STORIES {
        let place = Place::new();
        memory(&place, "old", "project", "2026-11-01", story.old);
        memory(&place, "new", "project", "2026-11-20", story.new);
        memory(&place, "over", "project", "2026-09-01", story.over);
        for number in 0..30 {
            memory(
                &place,
                &format!("keep{number}"),
                "feedback",
                "2020-01-01",
                &format!("{} ({number})", story.drift[number % 5]),
            );
            place.write(
                &format!("memory/keep{number}.md"),
                &format!("\u{feff}---\r\nname: \"k{number}\"\r\nx: [a, b]\r\n---\r\nzeta{number} eta{number}\r\n"),
            );
        }
        place.write("memory/notes.txt", "no memory").write("memory/sub/deep.md", "theta iota kappa");
        let keep = |place: &Place| -> Vec<(std::path::PathBuf, Vec<u8>)> {
            let touched = ["old.md", "over.md", "MEMORY.md"];
            visible(place).into_iter().filter(|(path, _)| !touched.iter().any(|name| path.ends_with(name))).collect()
        };
        let before = keep(&place);
        let document = age(&place, &["--apply"], json!({}));
        let written: Vec<&str> =
            document["age"]["done"].as_array().unwrap().iter().map(|deed| deed["path"].as_str().unwrap()).collect();
        assert_eq!(written, ["MEMORY.md", "old.md", "over.md"], "{document}");
        assert_eq!(keep(&place), before);
        let index = read(&place, "MEMORY.md").unwrap();
        assert_eq!(index.lines().count(), 31);
        age(&place, &["--purge", "over"], json!({}));
        assert_eq!(keep(&place), before);
        assert_eq!(read(&place, "MEMORY.md").unwrap(), index);
    }
}

#[test]
fn drift_of_five_steps_leaves_exactly_the_last() {
    for story in &STORIES {
        // All at once, and one after another with a run behind each.
        for is_stepwise in [false, true] {
            let place = Place::new();
            memory(&place, "other", "reference", "2026-11-20", story.other);
            for (step, text) in story.drift.iter().enumerate() {
                memory(&place, &format!("ferry{step}"), "project", &format!("2026-11-0{}", step + 1), text);
                if is_stepwise {
                    age(&place, &["--apply"], json!({}));
                }
            }
            age(&place, &["--apply"], json!({}));
            let index = read(&place, "MEMORY.md").unwrap();
            assert_eq!(index.matches("(ferry").count(), 1, "{index}");
            assert!(index.contains("(ferry4.md)"), "{index}");
            assert_eq!(recalled(&place, story.question), ["ferry4.md"]);
            for step in 0..4 {
                let text = read(&place, &format!("ferry{step}.md")).unwrap();
                assert!(text.contains("superseded: 2026-11-30\n") && text.contains(story.drift[step]), "{text}");
                assert_eq!(text.matches("superseded_by").count(), 1);
            }
            let document = age(&place, &[], json!({}));
            for aged in document["age"]["memories"].as_array().unwrap() {
                let path = aged["path"].as_str().unwrap();
                let is_old = path.starts_with("ferry") && path != "ferry4.md";
                assert_eq!(aged["state"] == "contradicted", is_old, "{aged}");
                assert_eq!(aged["of"], if is_old { json!("ferry4.md") } else { Value::Null }, "{aged}");
            }
        }
    }
}

#[test]
fn cascade_reaches_over_two_links_and_nobody_else() {
    for story in &STORIES {
        let place = Place::new();
        memory(&place, "over", "project", "2026-09-01", story.over);
        memory(&place, "first", "project", "2026-11-20", &format!("{} [[over]]", story.other));
        memory(&place, "second", "project", "2026-11-20", "Kites: see [[first]]");
        memory(&place, "apart", "project", "2026-11-20", "Anchors: see [[apart]] and [[nobody]]");
        let document = age(&place, &["--apply"], json!({}));
        let suspects: Vec<&str> = document["age"]["memories"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|memory| memory["findings"].to_string().contains("suspect"))
            .map(|memory| memory["path"].as_str().unwrap())
            .collect();
        assert_eq!(suspects, ["first.md", "second.md"], "{document}");
        assert_eq!(read(&place, "over.md"), None);
        assert!(read(&place, "first.md").is_some() && read(&place, "second.md").is_some());
    }
}

#[test]
fn an_edited_plan_is_carried_out_and_a_hostile_one_refused() {
    let story = &STORIES[0];
    let place = Place::new();
    memory(&place, "over", "project", "2026-09-01", story.over);
    memory(&place, "other", "reference", "2026-11-20", story.other);
    place.write("outside.md", "mine");
    let plan = age(&place, &[], json!({}));
    let mut action = plan["age"]["actions"][0].clone();
    let refusals = [
        ("sha256", json!("0".repeat(64)), "changed"),
        ("sha256", json!(""), "sha256"),
        ("path", json!("../outside.md"), "leaves"),
        ("path", json!("MEMORY.md"), "index"),
        ("path", json!(".mem/x.md"), "hidden"),
        ("path", json!("nowhere.md"), "no such file"),
        ("action", json!("purge"), "no such action"),
    ];
    for (member, value, word) in refusals {
        let mut wrong = action.clone();
        wrong[member] = value;
        let document = json!({"memory_dir": place.memory(), "age": {"actions": [wrong]}}).to_string();
        let before = visible(&place);
        let ran = place.run("mem-age", &["--apply", "--now", NOW], document);
        assert_eq!(ran.status, 3);
        let outcome = ran.document()["age"]["actions"][0]["outcome"].to_string();
        assert!(outcome.contains("refused") && outcome.contains(word), "{outcome}");
        assert_eq!(visible(&place), before);
    }
    // Nobody said where.
    let homeless = json!({"age": {"actions": [action]}}).to_string();
    assert_eq!(place.run("mem-age", &["--apply"], &homeless).document()["failed"]["code"], "no-target");
    assert_eq!(age(&place, &["--apply", "--dry-run"], json!({"age": {"actions": [action]}}))["age"].get("done"), None);
    assert!(read(&place, "over.md").is_some());
    action["action"] = json!("supersede");
    action["into"] = json!("other.md");
    let edited = age(&place, &["--apply"], json!({"age": {"actions": [action]}}));
    assert_eq!(edited["age"]["actions"][0]["outcome"], "written", "{edited}");
    assert!(read(&place, "over.md").unwrap().contains("superseded_by: other.md"));
    let again = age(&place, &["--apply"], json!({"age": {"actions": [action]}}));
    assert_eq!(again["age"]["actions"][0]["outcome"], "unchanged", "{again}");
}

#[test]
fn a_plan_removes_no_more_than_its_share_also_when_it_was_edited() {
    let place = Place::new();
    for number in 0..12 {
        memory(
            &place,
            &format!("gone{number}"),
            "project",
            "2026-09-01",
            &format!("Gate {number} is shut until 2026-10-0{}.", number % 9 + 1),
        );
    }
    let plan = age(&place, &["--max-removed", "100"], json!({}));
    let removals = |document: &Value, word: &str| {
        let actions = document["age"]["actions"].as_array().unwrap();
        actions.iter().filter(|action| action["outcome"].to_string().contains(word)).count()
    };
    assert!(plan["age"]["actions"].as_array().unwrap().len() > 3, "{plan}");
    let document = json!({"memory_dir": place.memory(), "age": plan["age"]}).to_string();
    let ran = place.run("mem-age", &["--apply", "--now", NOW], document);
    assert_eq!(ran.status, 3);
    let document = ran.document();
    assert_eq!(removals(&document, "written"), 3, "{document}");
    assert!(removals(&document, "at most 3 files") > 0);
}

#[test]
fn pinned_memories_are_never_taken_away_and_terms_show_it() {
    let place = Place::new();
    for key in ["pinned", "evergreen"] {
        place.write(&format!("memory/{key}.md"), &format!("---\nname: {key}\ndescription: over\ntype: project\nmodified: 2020-01-01\n{key}: true\n---\nGate {key} is shut until 2026-10-01.\n"));
    }
    let document = age(&place, &["--apply", "--max-files", "0"], json!({}));
    for action in document["age"]["actions"].as_array().unwrap() {
        assert_eq!((&action["action"], &action["outcome"]), (&json!("note"), &json!("noted")));
    }
    for memory in document["age"]["memories"].as_array().unwrap() {
        assert_eq!(memory["terms"]["is_kept"], true);
        assert!(!memory["findings"].to_string().contains("stale"), "{memory}");
    }
    assert!(read(&place, "pinned.md").is_some() && read(&place, "evergreen.md").is_some());
}

#[test]
fn a_path_that_leads_out_is_refused_alone_and_the_rest_of_the_plan_is_done() {
    let place = Place::new();
    place.write("memory/MEMORY.md", "- [A](a.md) — the build runs on two cores\n");
    place.write("memory/a.md", "---\nname: A\ndescription: the build runs on two cores\ntype: project\n---\nTwo.\n");
    place.write("outside.md", "x\n");
    std::os::unix::fs::symlink(place.top().join("outside.md"), place.memory().join("out.md")).unwrap();
    let planned = |path: &str, action: &str, sha256: &str| serde_json::json!({"action": action, "path": path, "reason": "r", "sha256": sha256});
    let text = std::fs::read(place.memory().join("a.md")).unwrap();
    place.write("sum", &String::from_utf8(text).unwrap());
    let output = std::process::Command::new("sha256sum").arg(place.top().join("sum")).output().unwrap();
    let hash = String::from_utf8(output.stdout).unwrap()[..64].to_owned();
    let actions =
        [planned("out.md", "archive", "0"), planned("/etc/shadow", "refresh", ""), planned("a.md", "archive", &hash)];
    let document = serde_json::json!({"memory_dir": place.memory(), "age": {"actions": actions}}).to_string();
    let ran = place.run("mem-age", &["--now", crate::support::NOW, "--apply"], &document);
    let answer = ran.document();
    assert!(answer.get("failed").is_none(), "{answer}");
    let outcomes: Vec<&str> = answer["age"]["actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|action| action["outcome"].as_str().unwrap_or(""))
        .collect();
    assert!(outcomes[0].starts_with("refused") && outcomes[1].starts_with("refused"), "{outcomes:?}");
    assert!(!place.memory().join("a.md").exists(), "{outcomes:?}");
    assert!(place.top().join("outside.md").exists());
}
