//! What was folded is found again: branches, snapshots.

use std::fs;

use super::*;

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
