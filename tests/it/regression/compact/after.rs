//! After a fold: instructions, files, plans and what was lost are given back.

use std::fs;

use super::*;

#[test]
fn c05_instructions_are_read_again_and_what_was_touched_waits() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "Use pnpm.").write("proj/.claude/rules/all.md", "Be brief.");
    place.write("proj/.claude/rules/web.md", "---\npaths: \"web/**\"\n---\nNo jQuery.");
    place.write("proj/web/CLAUDE.md", "Nested.");
    place.write(&format!("{}/MEMORY.md", place.own_memory()), "- [A](a.md) — first\n");
    let start = json!({"messages": talk(12), "files": ["web/a.ts"]});
    let loaded = place.answer("mem-load", &[], &start.to_string());
    let indexed = place.answer("mem-index", &[], &loaded.to_string());
    place.write("proj/CLAUDE.md", "Use yarn.<!-- x -->\n<!-- not for a model -->");
    place.write(&format!("{}/MEMORY.md", place.own_memory()), "- [A](a.md) — second\n");
    let answer = fold(&place, &["--force"], &indexed);
    let again: Vec<&str> = answer["compact"]["reloaded"]["instructions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["text"].as_str().unwrap())
        .collect();
    assert_eq!(again, ["Use yarn.<!-- x -->", "Be brief."]);
    assert!(answer["compact"]["reloaded"]["index"].as_str().unwrap().contains("second"));
    let waiting = answer["compact"]["until_touched"].to_string();
    assert!(waiting.contains("web/CLAUDE.md") && waiting.contains("rules/web.md"), "{waiting}");
    let request = ran(&place, &["--force", "--format", "request"], &indexed).stdout;
    assert!(request.contains("Use yarn.") && !request.contains("Use pnpm.") && !request.contains("No jQuery."));
    assert!(request.contains("second") && !request.contains("first\\n"));
}

#[test]
fn c05_a_document_cannot_name_what_is_read() {
    let place = Place::new();
    place.write("secret.md", "TOP SECRET");
    let path = place.top().join("secret.md");
    for kind in ["import", "instructions", "rule"] {
        let load = json!({"files": [{"path": path, "state": "active", "scope": "always", "kind": kind, "text": "x"}]});
        let answer = fold(&place, &["--force"], &json!({"messages": talk(12), "load": load}));
        assert_eq!(answer["compact"]["state"], "compacted");
        assert!(!answer["compact"].to_string().contains("TOP SECRET"), "{kind}");
    }
}

#[test]
fn c14_five_files_come_back_with_their_text() {
    let place = Place::new();
    let root = place.project();
    let path = |name: &str| root.join(name).to_string_lossy().into_owned();
    let memory = place.top().join(place.own_memory()).join("m.md").to_string_lossy().into_owned();
    place.write("proj/two.txt", &"several words on a line here\n".repeat(1_500));
    for name in ["one", "four", "five", "six", "seven"] {
        place.write(&format!("proj/{name}.txt"), &format!("text of {name}"));
    }
    place.write("proj/CLAUDE.md", "Rule.").write("proj/.env", "TOKEN=1").write("outside.txt", "OUTSIDE");
    let outside = place.top().join("outside.txt").to_string_lossy().into_owned();
    let newest_first = [
        path("one.txt"),
        path("two.txt"),
        path("gone.txt"),
        path("CLAUDE.md"),
        memory.clone(),
        outside.clone(),
        path(".env"),
        path("six.txt"),
        path("seven.txt"),
    ];
    let mut messages = talk(2);
    for (number, path) in newest_first.iter().rev().enumerate() {
        let id = format!("t{number}");
        messages.push(call(&id, "Read", json!({"file_path": path})));
        messages.push(result(&id, json!("…")));
    }
    messages.push(assistant("All read."));
    messages.extend(talk(5));
    let answer = fold(&place, &["--force"], &json!({"messages": messages, "cwd": root}));
    let restored = answer["compact"]["restored"].as_array().unwrap();
    let states: Vec<(&str, &str)> = restored
        .iter()
        .map(|file| (file["path"].as_str().unwrap().rsplit('/').next().unwrap(), file["state"].as_str().unwrap()))
        .collect();
    assert_eq!(
        states,
        [
            ("one.txt", "content"),
            ("two.txt", "path"),
            ("outside.txt", "path"),
            (".env", "path"),
            ("six.txt", "content")
        ]
    );
    assert_eq!(restored[0]["text"], "text of one");
    assert!(restored[1]["reason"].as_str().unwrap().contains("over the limit of 5000"));
    assert!(!answer["compact"].to_string().contains("OUTSIDE") && !answer["compact"].to_string().contains("TOKEN=1"));
    let dropped = answer["compact"]["dropped"].to_string();
    assert!(dropped.contains("gone.txt") && dropped.contains("deleted") && dropped.contains("CLAUDE.md"));
}

#[test]
fn c15_after_the_agents_own_compaction_what_was_lost_is_given_back() {
    let record = |uuid: &str, parent: Value, role: &str, text: &str| {
        json!({"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": {"role": role, "content": text}}).to_string()
    };
    let before = [
        record("a", Value::Null, "user", "Never touch the table ledger_2019."),
        record("b", json!("a"), "assistant", "I will not."),
        record("c", json!("b"), "user", "以后一律用中文写提交说明。"),
        record("d", json!("c"), "assistant", "好。"),
    ]
    .join("\n");
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "uuid": "x", "parentUuid": null, "logicalParentUuid": "d", "sessionId": "s", "compactMetadata": {"trigger": "auto"}});
    let summary = json!({"type": "user", "uuid": "e", "parentUuid": "x", "isCompactSummary": true, "sessionId": "s",
        "message": {"role": "user", "content": "This session is being continued from a previous conversation. The user wants that nobody will ever touch the table ledger_2019: never."}});
    let place = Place::new();
    let hook = json!({"hook_event_name": "SessionStart", "source": "compact", "session_id": "s", "cwd": place.project(),
        "transcript_path": place.top().join("s.jsonl"), "pins": ["the build number is 77"]});
    let answer = || {
        let ran = ran(&place, &["--format", "hook"], &hook);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        ran.document()["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    };
    place.write("s.jsonl", &format!("{before}\n{boundary}\n{summary}\n"));
    let text = answer();
    assert!(text.contains("以后一律用中文写提交说明。") && text.contains("build number is 77"), "{text}");
    assert!(!text.contains("ledger_2019"), "the summary holds it: {text}");
    // The agent may not have written its compaction yet.
    place.write("s.jsonl", &before);
    assert!(answer().contains("ledger_2019"));
    let start = json!({"hook_event_name": "SessionStart", "source": "startup", "cwd": place.project()});
    assert_eq!(ran(&place, &["--format", "hook"], &start).stdout, "");
}

#[test]
fn c16_a_fold_raises_the_epoch_by_which_recall_begins_again() {
    let place = Place::new();
    place.write(
        "memory/a.md",
        "---\nname: a\ndescription: the tests use postgres\ntype: feedback\n---\nUse postgres in tests.\n",
    );
    place.write("memory/MEMORY.md", "- [a](a.md) — the tests use postgres\n");
    let shown = json!([{"path": "a.md", "bytes": 61_440, "turn": "old", "epoch": 0}]);
    let mut document = json!({"memory_dir": place.memory(), "prompt": "which database do the tests use, postgres?",
        "messages": talk(20), "session": {"recall": {"shown": shown}, "shown": shown}});
    let recalled = place.answer("mem-recall", &[], &document.to_string());
    assert_eq!(recalled["recall"]["memories"].as_array().unwrap().len(), 0);
    let folded = fold(&place, &["--force"], &document);
    assert_eq!(folded["session"]["compact"]["epoch"], 1);
    document["session"] = folded["session"].clone();
    let recalled = place.answer("mem-recall", &[], &document.to_string());
    assert_eq!(recalled["recall"]["memories"][0]["path"], "a.md");
}

#[test]
fn a_plan_and_skills_come_back() {
    let place = Place::new();
    place.write("proj/.claude/skills/release/SKILL.md", "Tag, then push.");
    let mut messages = vec![
        user("Plan the release, please, and then do it."),
        call("t1", "ExitPlanMode", json!({"plan": "1. tag 2. push"})),
        result("t1", json!("ok")),
        call("t2", "Skill", json!({"skill": "release"})),
        result("t2", json!("ok")),
        call("t3", "Skill", json!({"skill": "../../etc"})),
        result("t3", json!("ok")),
        assistant("Done."),
    ];
    messages.extend(talk(6));
    let document = json!({"messages": messages, "cwd": place.project()});
    let answer = fold(&place, &["--force"], &document);
    assert_eq!(answer["compact"]["plan"]["text"], "1. tag 2. push");
    assert_eq!(answer["compact"]["skills"], json!(["release", "../../etc"]));
    assert!(answer["compact"].get("skill_bodies").is_none());
    let answer = fold(&place, &["--force", "--skill-bodies"], &document);
    assert_eq!(answer["compact"]["skill_bodies"][0]["text"], "Tag, then push.");
    assert_eq!(answer["compact"]["skill_bodies"].as_array().unwrap().len(), 1);
}

#[test]
fn the_index_is_read_again_as_it_was_loaded() {
    let place = Place::new();
    let memory = place.memory();
    fs::create_dir_all(&memory).unwrap();
    let lines: String = (0..230).map(|number| format!("- [M{number}](m{number}.md) — note {number}\n")).collect();
    fs::write(
        std::path::Path::new(&memory).join("MEMORY.md"),
        format!("\u{feff}---\nname: x\n---\n<!-- kept out -->\n{lines}"),
    )
    .unwrap();
    let document = json!({"memory_dir": memory, "messages": talk(8)});
    let loaded = place.answer("mem-index", &[], &document.to_string());
    let folded = fold(&place, &["--force", "--hot-turns", "0"], &loaded);
    assert_eq!(folded["compact"]["reloaded"]["index"], loaded["index"]["text"]);
    assert!(loaded["index"]["text"].as_str().unwrap().contains("230 lines"), "{loaded}");
}
