//! Compaction: images, endless folds, instructions that changed, damaged session files, branches, files that are given back.

use std::fs;

use serde_json::{Value, json};

use crate::support::{NOW, Place, Ran};

fn fold(place: &Place, arguments: &[&str], document: &Value) -> Value {
    place.answer("mem-compact", arguments, &document.to_string())
}

fn ran(place: &Place, arguments: &[&str], document: &Value) -> Ran {
    place.run("mem-compact", &[&["--now", NOW], arguments].concat(), document.to_string())
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

/// Returns `turns` turns of talk, about 90 tokens each, with ids.
fn talk(turns: usize) -> Vec<Value> {
    let turn = |number: usize| {
        let mut asked = user(&format!("Look at part {number} of the importer and tell me what it does."));
        let mut said = assistant(&"It reads one row after the other and hands them on. ".repeat(6));
        asked["uuid"] = json!(format!("q{number}"));
        said["uuid"] = json!(format!("a{number}"));
        [asked, said]
    };
    (0..turns).flat_map(turn).collect()
}

fn call(id: &str, name: &str, input: Value) -> Value {
    json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": input}]})
}

fn result(id: &str, content: Value) -> Value {
    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": content}]})
}

fn codes(document: &Value) -> Vec<String> {
    let problems = document["problems"].as_array().cloned().unwrap_or_default();
    problems.iter().map(|problem| problem["code"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn c02_images_leave_their_type_and_size() {
    let image =
        |data: &str| json!({"type": "image", "source": {"type": "base64", "media_type": "image/webp", "data": data}});
    let mut messages = vec![
        json!({"role": "user", "content": [{"type": "text", "text": "This is what I see."}, image(&"A".repeat(6_000_000))]}),
        call("t1", "Screenshot", json!({})),
        result("t1", json!([{"type": "text", "text": "taken"}, image(&"B".repeat(4_000))])),
        assistant("I see it."),
    ];
    messages.extend(talk(3));
    let place = Place::new();
    let answer = fold(&place, &["--force", "--hot-turns", "1"], &json!({"messages": messages}));
    let text = answer["messages"].to_string();
    assert!(text.len() < 10_000 && !text.contains("AAAA") && !text.contains("BBBB"));
    assert!(text.contains("image/webp, 4500000 bytes"), "{text}");
    assert!(answer["compact"]["summaries"].to_string().contains("image/webp, 3000 bytes"));
    assert!(answer["compact"]["tokens_after"].as_u64() < Some(1_500));
    let dropped = answer["compact"]["dropped"].as_array().unwrap();
    assert!(dropped.iter().any(|row| row["kind"] == "image" && row["count"] == 1));
}

#[test]
fn c04_three_failures_open_the_circuit() {
    let place = Place::new();
    let messages = talk(20);
    for session in [json!({"failures": 3}), json!({"failures": 7})] {
        let document = json!({"messages": messages, "budget": 600, "session": {"compact": session}});
        let answer = fold(&place, &[], &document);
        assert_eq!(answer["compact"]["state"], "circuit-open");
        assert!(answer["compact"]["reason"].as_str().unwrap().contains("circuit open"));
        assert_eq!(answer["messages"], json!(messages));
        let mut by_hand = document.clone();
        by_hand["trigger"] = json!("manual");
        let answer = fold(&place, &[], &by_hand);
        assert_eq!(answer["compact"]["state"], "compacted");
        assert!(answer["session"]["compact"].get("failures").is_none(), "a success closes it");
    }
    let answer =
        fold(&place, &[], &json!({"messages": messages, "budget": 600, "session": {"compact": {"failures": 2}}}));
    assert_eq!(answer["compact"]["state"], "compacted");
}

#[test]
fn c04_what_cannot_be_folded_fails_three_times_and_not_a_fourth() {
    let place = Place::new();
    let mut session = json!({});
    for (turn, state) in ["over-budget", "over-budget", "over-budget", "circuit-open"].into_iter().enumerate() {
        let messages = [user(&format!("{turn} {}", "word ".repeat(4_000)))];
        let document =
            json!({"messages": messages, "budget": 600, "session": session, "prompt_id": format!("p{turn}")});
        let answer = fold(&place, &[], &document);
        assert_eq!(answer["compact"]["state"], state, "{turn}");
        // The same turn asked again is no further failure.
        let again = fold(
            &place,
            &[],
            &json!({"messages": messages, "budget": 600, "session": answer["session"], "prompt_id": format!("p{turn}")}),
        );
        session = again["session"].clone();
    }
}

#[test]
fn c04_a_window_that_is_full_again_at_once_is_thrash() {
    let place = Place::new();
    let (mut messages, mut session) = (talk(8), json!({}));
    let mut states = Vec::new();
    for turn in 0..5 {
        messages.push(user(&format!("And what about point {turn}? {}", "It matters a lot here. ".repeat(6))));
        messages.push(assistant(&"That one is quite another thing. ".repeat(50)));
        let document =
            json!({"messages": messages, "budget": 900, "session": session, "prompt_id": format!("p{turn}")});
        let answer = fold(&place, &[], &document);
        states.push(answer["compact"]["state"].as_str().unwrap().to_owned());
        messages = answer["messages"].as_array().unwrap().clone();
        session = answer["session"].clone();
    }
    assert_eq!(states, ["compacted", "compacted", "compacted", "compacted", "thrash"]);
}

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
fn c09_c10_damaged_lines_cost_only_themselves() {
    let record = |uuid: &str, parent: Value, role: &str, text: &str| {
        json!({"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": {"role": role, "content": text}}).to_string()
    };
    let first = record("a", Value::Null, "user", "Always use port 8443 for the tests.");
    let second = record(
        "b",
        json!("a"),
        "assistant",
        &format!("Yes \u{2028} I will. {}", "It goes on and on like this. ".repeat(40)),
    );
    let third = record("c", json!("b"), "user", "X").replace("\"X\"", "\"and \\ud83d now?\"");
    let file = format!(
        "{first}\n\n{second}{third}\n\0\0\n{{\"type\":\"never-seen\",\"uuid\":\"z\",\"sessionId\":\"s\"}}\n{}",
        &first[..40]
    );
    let place = Place::new();
    place.write("s.jsonl", &file);
    let answer =
        fold(&place, &["--force", "--hot-turns", "0"], &json!({"transcript_path": place.top().join("s.jsonl")}));
    let text = answer["messages"].to_string();
    assert!(text.contains("port 8443") && text.contains("and \u{FFFD} now?"), "{text}");
    let found = codes(&answer);
    assert!(found.contains(&"bad-line".into()) && found.contains(&"unknown-record".into()), "{found:?}");
    assert!(answer["problems"].as_array().unwrap().iter().any(|problem| problem["line"].is_u64()));
}

#[test]
fn c10_a_lone_surrogate_in_what_stays_is_mended() {
    let place = Place::new();
    let mut messages = talk(6);
    messages.push(user("SURROGATE"));
    let document =
        json!({"messages": messages}).to_string().replace("SURROGATE", r"half \udc00 and whole \ud83d\ude00");
    let ran = place.run("mem-compact", &["--force", "--hot-turns", "0", "--now", NOW], document);
    assert!(!ran.stdout.contains(r"\udc00"), "{}", ran.stdout);
    let last = ran.document()["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["content"], "half \u{FFFD} and whole \u{1F600}");
}

#[test]
fn c13_the_live_branch_is_folded_and_each_original_comes_back() {
    let record = |uuid: &str, parent: Value, role: &str, text: &str| json!({"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": {"role": role, "content": text}});
    let mut records = vec![
        record("a", Value::Null, "user", "Use tabs in all files."),
        record("b", json!("a"), "assistant", "Yes."),
        record("c", json!("b"), "user", "DEAD BRANCH"),
        record("d", json!("b"), "user", "Go on with 4711."),
        record("d2", json!("d"), "assistant", &"It is done, as I said. ".repeat(40)),
        json!({"type": "system", "subtype": "compact_boundary", "uuid": "x", "parentUuid": null, "logicalParentUuid": "d2", "sessionId": "s",
               "compactMetadata": {"trigger": "auto", "preTokens": 9, "preservedMessages": {"anchorUuid": "d2", "uuids": ["d", "d2"]}}}),
        json!({"type": "user", "uuid": "e", "parentUuid": "x", "isCompactSummary": true, "sessionId": "s",
               "message": {"role": "user", "content": "This session is being continued from a previous conversation. Use tabs."}}),
        record("f", json!("e"), "user", "And now the next part, please."),
        record("g", json!("f"), "assistant", "Here it is."),
        record("h", json!("g"), "user", "Thanks, and the last one?"),
    ];
    let place = Place::new();
    let write = |records: &[Value]| {
        let lines: Vec<String> = records.iter().map(Value::to_string).collect();
        place.write("s.jsonl", &lines.join("\n"));
    };
    write(&records);
    let document = json!({"transcript_path": place.top().join("s.jsonl")});
    let answer = fold(&place, &["--force", "--hot-turns", "0"], &document);
    let text = answer.to_string();
    assert!(!text.contains("DEAD BRANCH") && text.contains("4711"), "{text}");
    let digest = answer["compact"]["summaries"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
    let expanded = fold(&place, &["--expand", &digest], &answer);
    let ids: Vec<&str> = expanded["compact"]["expanded"]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["uuid"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["e", "d", "d2", "f", "g"]);
    // A later compaction of the agent's own takes nothing away.
    records.push(json!({"type": "system", "subtype": "compact_boundary", "uuid": "y", "parentUuid": null, "logicalParentUuid": "h", "sessionId": "s", "compactMetadata": {"trigger": "manual"}}));
    records.push(record("i", json!("y"), "user", "Again from the start, please."));
    write(&records);
    let expanded = fold(&place, &["--expand", &digest], &answer);
    assert_eq!(expanded["compact"]["expanded"]["messages"].as_array().unwrap().len(), 5);
    // A cycle of parents ends.
    records[0]["parentUuid"] = json!("d");
    write(&records);
    fold(&place, &["--force"], &document);
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
fn wrong_input_ends_by_where_it_came_from() {
    let place = Place::new();
    for arguments in [
        vec!["--budget", "many"],
        vec!["--budget=-5"],
        vec!["--context-tokens", "0"],
        vec!["--context-tokens", "1000", "--output-reserve-tokens", "1000"],
        vec!["--hot-turns", "-1"],
    ] {
        assert_eq!(ran(&place, &arguments, &json!({})).status, 2, "{arguments:?}");
    }
    for document in [
        json!({"budget": "many"}),
        json!({"budget": -5}),
        json!({"window": {"context_tokens": -1}}),
        json!({"window": {"context_tokens": "200k"}}),
        json!({"window": {"context_tokens": 100, "output_reserve_tokens": 100}}),
        json!({"options": {"compact": {"budget": "many"}}}),
    ] {
        let ran = ran(&place, &[], &document);
        assert_eq!(ran.status, 3, "{document}");
        assert_eq!(ran.document()["failed"]["code"], "bad-value", "{document}");
    }
}

#[test]
fn a_snapshot_brings_a_session_back_and_its_originals() {
    let place = Place::new();
    let file = place.top().join("snap.json").to_string_lossy().into_owned();
    let messages = talk(12);
    let document = json!({"session_id": "s1", "cwd": place.project(), "messages": messages});
    let folded = fold(&place, &["--force", "--snapshot", &file], &document);
    assert_eq!(folded["compact"]["snapshot"]["state"], "written");
    let block = folded["compact"]["summaries"][0].clone();
    // Neither transcript nor messages hold them any more.
    let expanded = fold(&place, &["--expand", block["id"].as_str().unwrap(), "--snapshot", &file], &folded);
    assert_eq!(expanded["compact"]["expanded"]["messages"], json!(&messages[..2]));
    let without = ran(&place, &["--expand", block["id"].as_str().unwrap()], &folded);
    assert_eq!(without.status, 3);
    assert_eq!(without.document()["compact"]["expanded"]["missing"][0]["id"], "q0");
    let kept = fold(&place, &["--force", "--keep-originals"], &document);
    let expanded = fold(&place, &["--expand", block["id"].as_str().unwrap()], &kept);
    assert_eq!(expanded["compact"]["expanded"]["messages"], json!(&messages[..2]));
    // A later snapshot of the folded session keeps what the summaries speak of.
    fold(&place, &["--snapshot", &file], &folded);
    let expanded = fold(&place, &["--expand", block["id"].as_str().unwrap(), "--snapshot", &file], &folded);
    assert_eq!(expanded["compact"]["expanded"]["messages"], json!(&messages[..2]));
    let resumed = fold(&place, &["--resume", &file], &json!({"session_id": "s2"}));
    assert_eq!(resumed["compact"]["state"], "resumed");
    assert_eq!(resumed["messages"], folded["messages"]);
    assert!(codes(&resumed).contains(&"changed-since-snapshot".into()));
    for bad in ["", "{}", "[1]", r#"{"snapshot_schema":9}"#] {
        fs::write(place.top().join("bad.json"), bad).unwrap();
        let path = place.top().join("bad.json").to_string_lossy().into_owned();
        let ran = ran(&place, &["--resume", &path], &document);
        assert_eq!((ran.status, &ran.document()["messages"]), (3, &document["messages"]), "{bad}");
        assert_eq!(ran.document()["failed"]["code"], "bad-snapshot");
    }
    let nowhere = ran(&place, &["--force", "--snapshot", "/nowhere/at/all.json"], &document);
    assert_eq!(nowhere.status, 3);
    assert_eq!(nowhere.document()["compact"]["state"], "compacted");
    let dry = ran(&place, &["--force", "--snapshot", "dry.json", "--dry-run"], &document);
    assert!(dry.status == 0 && !place.project().join("dry.json").exists());
}

#[test]
fn secrets_do_not_reach_a_snapshot() {
    let place = Place::new();
    let secret = ["sk-ant-api03-", "Qm7xT2vLp9Zr4KsYw8Nd3HfBj6Gc1Ea5Ru0Io"].concat();
    let mut messages = talk(4);
    messages.push(user(&format!("the key is {secret}")));
    let file = place.top().join("snap.json").to_string_lossy().into_owned();
    fold(&place, &["--snapshot", &file], &json!({"messages": messages}));
    let saved = fs::read_to_string(&file).unwrap();
    assert!(saved.contains("the key is") && !saved.contains(&secret[..]), "{saved}");
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
fn a_long_run_of_tools_is_folded_by_whole_calls() {
    let place = Place::new();
    let mut messages = talk(2);
    messages.push(user("Now go through all forty files and mend the imports. Never touch vendor/."));
    for number in 0..40 {
        let id = format!("t{number}");
        messages.push(call(&id, "Edit", json!({"file_path": format!("/p/src/f{number}.rs")})));
        messages.push(result(&id, json!("changed one line; it compiles\n".repeat(30))));
    }
    let document = json!({"messages": messages, "window": {"context_tokens": 8_000}});
    let answer = fold(&place, &[], &document);
    let kept = answer["messages"].as_array().unwrap();
    assert_eq!(answer["compact"]["state"], "compacted");
    assert!(kept.contains(&messages[4]), "the typed message is there as it was");
    assert!(kept.ends_with(&messages[messages.len() - 6..]), "the newest calls are there as they were");
    assert!(answer["compact"]["tokens_after"].as_u64().unwrap() < answer["compact"]["threshold"].as_u64().unwrap());
    assert!(kept[0]["content"].as_str().unwrap().contains("changed: /p/src/f0.rs"));
}

/// Answers each connection with the next of these bodies, and returns what was asked.
fn serve(answers: Vec<(u16, String)>) -> (u16, std::thread::JoinHandle<Vec<String>>) {
    use std::io::{BufRead, BufReader, Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let thread = std::thread::spawn(move || {
        let mut asked = Vec::new();
        for (status, body) in answers {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
            }
            let mut question = vec![0; length];
            reader.read_exact(&mut question).unwrap();
            asked.push(String::from_utf8(question).unwrap());
            let mut stream = stream;
            let head = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(body.as_bytes()).unwrap();
        }
        asked
    });
    (port, thread)
}

fn answered(content: &Value) -> String {
    json!({"choices": [{"message": {"role": "assistant", "content": content.to_string()}, "finish_reason": "stop"}]})
        .to_string()
}

#[test]
fn c03_a_question_that_is_too_long_loses_its_oldest_blocks() {
    let too_long = || (400, json!({"error": {"message": "prompt is too long: 900 tokens > 300 maximum"}}).to_string());
    let digest = json!({"entries": [{"slot": "goal", "text": "Understand the importer.", "from": [2]}], "blocks": []});
    // Each try is two questions: one with a schema, and one in words for servers that know none.
    let (port, server) = serve(vec![too_long(), too_long(), too_long(), too_long(), (200, answered(&digest))]);
    let place = Place::new();
    let url = format!("http://127.0.0.1:{port}/v1");
    let answer = fold(&place, &["--force", "--llm", "openai:m", "--llm-url", &url], &json!({"messages": talk(20)}));
    let asked = server.join().unwrap();
    assert!(asked[0].len() > asked[2].len() && asked[2].len() > asked[4].len());
    let last = asked[4].split("<conversation>").nth(1).unwrap();
    assert!(last.starts_with("\\n# block ") && last.split("\\n").nth(2).unwrap().contains("] user:"), "{last}");
    assert_eq!(answer["compact"]["writer"], "model");
    assert!(answer["messages"][0]["content"].as_str().unwrap().contains("Understand the importer."));
    assert!(codes(&answer).contains(&"model-question-cut".into()));
    let (port, server) = serve((0..6).map(|_| too_long()).collect());
    let url = format!("http://127.0.0.1:{port}/v1");
    let answer = fold(&place, &["--force", "--llm", "openai:m", "--llm-url", &url], &json!({"messages": talk(20)}));
    server.join().unwrap();
    assert_eq!(answer["compact"]["writer"], "rules");
    assert!(codes(&answer).contains(&"model-question-too-long".into()));
}

#[test]
fn c02_images_do_not_reach_the_model() {
    let digest = json!({"entries": [{"slot": "goal", "text": "Look at the picture.", "from": [0]}], "blocks": []});
    let (port, server) = serve(vec![(200, answered(&digest))]);
    let data = "QUJD".repeat(50_000);
    let mut messages = vec![
        json!({"role": "user", "content": [{"type": "text", "text": "This is what I see."},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}]}),
        assistant("I see it."),
    ];
    messages.extend(talk(5));
    let url = format!("http://127.0.0.1:{port}/v1");
    fold(&Place::new(), &["--force", "--llm", "openai:m", "--llm-url", &url], &json!({"messages": messages}));
    let asked = server.join().unwrap();
    assert!(!asked[0].contains("QUJDQUJD") && asked[0].contains("[image/png, 150000 bytes]"));
}

#[test]
fn a_model_that_loses_a_pin_is_asked_again_and_then_replaced() {
    let entry = |text: &str| json!({"entries": [{"slot": "wishes", "text": text, "from": [0]}], "blocks": [{"block": 0, "points": ["It was about port 8443."]}]});
    let messages =
        [vec![user("Always use port 8443 for the tests."), assistant(&"It is as you say. ".repeat(60))], talk(8)]
            .concat();
    let pins = json!(["the build number is 77"]);
    let place = Place::new();
    let ask = |answers: Vec<Value>| {
        let (port, server) = serve(answers.iter().map(|answer| (200, answered(answer))).collect());
        let url = format!("http://127.0.0.1:{port}/v1");
        let document = json!({"messages": messages, "pins": pins});
        let answer = fold(&place, &["--force", "--llm", "openai:m", "--llm-url", &url], &document);
        (answer, server.join().unwrap())
    };
    let whole = entry("Always use port 8443 for the tests. And: the build number is 77");
    let (answer, asked) = ask(vec![entry("Something about ports."), whole]);
    assert_eq!(answer["compact"]["writer"], "model");
    assert!(
        asked[1].contains("do not stand in the entries word for word") && asked[1].contains("the build number is 77")
    );
    assert_eq!(answer["compact"]["loss"]["pins"], json!({"total": 1, "kept": 1}));
    assert_eq!(answer["compact"]["usage"]["requests"], 2);
    assert_eq!(answer["compact"]["summaries"][0]["text"], "- It was about port 8443.");
    let (answer, asked) = ask(vec![entry("a"), entry("b"), entry("c")]);
    assert_eq!((answer["compact"]["writer"].as_str(), asked.len()), (Some("rules"), 3));
    assert!(codes(&answer).contains(&"model-lost-pins".into()));
    assert!(answer["messages"][0]["content"].as_str().unwrap().contains("Always use port 8443"));
}
