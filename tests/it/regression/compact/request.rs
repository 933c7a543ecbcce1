//! What goes out is a request that a service takes, whatever came in.

use std::fs;

use super::*;

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

/// Returns what a service would refuse in the messages of a request.
fn refused(messages: &[Value]) -> Vec<String> {
    let ids = |message: &Value, kind: &str, key: &str| {
        let blocks = message["content"].as_array().cloned().unwrap_or_default();
        let mut ids: Vec<String> =
            blocks.iter().filter(|block| block["type"] == kind).map(|block| block[key].to_string()).collect();
        ids.sort();
        ids
    };
    let mut found = Vec::new();
    if messages.first().is_some_and(|first| first["role"] != "user") {
        found.push("the model speaks first".to_owned());
    }
    for (at, message) in messages.iter().enumerate() {
        let next = messages.get(at + 1).unwrap_or(&Value::Null);
        if message["role"] == next["role"] {
            found.push(format!("two of one role: {message} {next}"));
        }
        if ids(message, "tool_use", "id") != ids(next, "tool_result", "tool_use_id") {
            found.push(format!("calls and results differ: {message} {next}"));
        }
        let is_blank = |block: &Value| block["text"].as_str().is_some_and(|text| text.trim().is_empty());
        let content = &message["content"];
        let has_blank = content.as_array().is_some_and(|blocks| blocks.is_empty() || blocks.iter().any(is_blank));
        if has_blank || content.as_str().is_some_and(|text| text.trim().is_empty()) || content.is_null() {
            found.push(format!("nothing in it: {message}"));
        }
    }
    found
}

/// Checks a broken conversation in every state: below the threshold, with a budget that it keeps, with one that it breaks.
fn check_mended(messages: Value, code: &str) {
    let place = Place::new();
    for arguments in [&[][..], &["--budget", "9000"], &["--force"], &["--budget", "1"]] {
        let document = json!({"messages": messages});
        let folded = fold(&place, arguments, &document);
        let found = folded["messages"].as_array().unwrap();
        assert_eq!(refused(found), Vec::<String>::new(), "{arguments:?} {messages}");
        // What is folded away needs no mending.
        let is_folded = folded["compact"]["loss"].is_object();
        assert!(is_folded || codes(&folded).contains(&code.to_owned()), "{arguments:?} {code} {folded}");
        let after = folded["compact"]["tokens_after"].as_u64().unwrap();
        assert!(after > 0);
        let arguments = [arguments, &["--format", "request"]].concat();
        let request: Value = serde_json::from_str(&ran(&place, &arguments, &document).stdout).unwrap();
        assert_eq!(refused(request["messages"].as_array().unwrap()), Vec::<String>::new());
        let typed = messages
            .as_array()
            .unwrap()
            .iter()
            .rfind(|message| message["role"] == "user" && message["content"].is_string() && message["content"] != "")
            .unwrap();
        let request = request["messages"].as_array().unwrap();
        assert!(request.iter().any(|message| message["content"] == typed["content"]), "{typed}");
        // What is mended is valid: a second run finds nothing.
        let again = json!({"messages": folded["messages"], "compact": folded["compact"]});
        let second = fold(&place, &[], &again);
        assert_eq!(second["messages"], folded["messages"]);
    }
}

#[test]
fn what_no_service_takes_is_mended_whether_it_is_folded_or_not() {
    let hello = [user("look at it"), assistant("yes")];
    let with = |more: &[Value]| json!([&hello[..], more].concat());
    check_mended(with(&[user("read"), call("t1", "Read", json!({})), user("stop, use port 8443")]), "unanswered-call");
    check_mended(
        with(&[user("read"), result("t9", json!("gone")), assistant("so?"), user("停，用 8443 端口")]),
        "orphan-result",
    );
    check_mended(json!([assistant("hello"), user("hi")]), "no-user-first");
    check_mended(with(&[user(""), assistant(""), user("go")]), "empty-message");
    check_mended(with(&[assistant("and more"), user("go")]), "joined-messages");
    check_mended(with(&[user("one thing"), user("and another")]), "two-user-messages");
    let mixed = json!({"role": "user", "content": [{"type": "text", "text": " "}, {"type": "text", "text": "see"}]});
    check_mended(with(&[mixed, assistant("fine"), user("go")]), "odd-block");
    let late = json!({"role": "user", "content": [{"type": "text", "text": "here"}, {"type": "tool_result", "tool_use_id": "t", "content": "x"}]});
    check_mended(with(&[user("read"), call("t", "Read", json!({})), late, assistant("k"), user("go")]), "odd-block");
    let strings = json!({"role": "user", "content": ["a", "b"]});
    check_mended(with(&[strings, assistant("fine"), user("go")]), "odd-block");
    let twins = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "A", "input": {}}, {"type": "tool_use", "id": "t", "name": "B", "input": {}}]});
    check_mended(with(&[user("read"), twins, result("t", json!("x")), assistant("k"), user("go")]), "odd-block");
}

#[test]
fn half_a_character_is_mended_in_messages_that_are_not_folded() {
    let place = Place::new();
    let line = r#"{"messages":[{"role":"user","content":"a\ud83d b"},{"role":"assistant","content":"x"},{"role":"user","content":"go"}]}"#;
    let ran = place.run("mem-compact", &["--now", NOW], line);
    assert!(ran.stdout.contains(r"a\ufffd b") && ran.stdout.contains("half-character"), "{}", ran.stdout);
}

#[test]
fn valid_messages_and_those_of_chat_services_keep_their_bytes() {
    let place = Place::new();
    for messages in [
        r#"[{"role":"user","content":"\u00e9","x":1.0}, {"role":"assistant","content":[{"type":"text","text":"a"}]}]"#,
        r#"[{"role":"system","content":"s"},{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}]"#,
    ] {
        let ran = place.run("mem-compact", &["--now", NOW], format!("{{\"messages\":{messages}}}"));
        let squeezed = messages.replace("}, {", "},{");
        assert!(ran.stdout.contains(messages) || ran.stdout.contains(&squeezed), "{}", ran.stdout);
    }
}

#[test]
fn a_chat_services_conversation_folds_into_a_request_of_the_messages_api() {
    let mut messages = vec![json!({"role": "system", "content": "Be short."})];
    messages.extend(talk(12));
    messages.push(user("Read it"));
    messages.push(json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c", "function": {"name": "Read", "arguments": "{\"file_path\":\"a\"}"}}]}));
    messages.push(json!({"role": "tool", "tool_call_id": "c", "content": "text of a"}));
    messages.push(assistant("read"));
    let folded = fold(&Place::new(), &["--force", "--hot-turns", "0"], &json!({"messages": messages}));
    let found = folded["messages"].as_array().unwrap();
    assert_eq!(refused(found), Vec::<String>::new());
    assert!(found.iter().any(|message| message["content"][0]["input"]["file_path"] == "a"), "{folded}");
    assert!(found.iter().any(|message| message["content"][0]["content"] == "text of a"), "{folded}");
}

#[test]
fn messages_joined_into_one_keep_their_ids_and_come_back() {
    let place = Place::new();
    let mut messages = talk(2);
    for (at, text) in [(1, "First half."), (2, "The port is 8443.")] {
        let mut half = assistant(text);
        half["uuid"] = json!(format!("h{at}"));
        messages.push(half);
    }
    messages.push(user("go on"));
    messages[0]["content"] = json!("Look at part 0, please.");
    let mended = fold(&place, &[], &json!({"messages": messages}));
    let joined = mended["messages"].as_array().unwrap().iter().find(|message| message["joined"].is_array()).unwrap();
    assert_eq!((&joined["uuid"], &joined["joined"]), (&json!("a1"), &json!(["h1", "h2"])));
    let folded = fold(&place, &["--force", "--hot-turns", "0", "--keep-originals"], &mended);
    let summary = folded["compact"]["summaries"]
        .as_array()
        .unwrap()
        .iter()
        .find(|summary| summary["level"] == 1 && summary["covers"].to_string().contains("h2"))
        .unwrap();
    assert!(summary["covers"].as_array().unwrap().contains(&json!("h1")), "{summary}");
    let answer = fold(&place, &["--expand", "h2"], &folded);
    assert!(answer["compact"]["expanded"]["messages"][0].to_string().contains("8443"), "{answer}");
}

#[test]
fn a_request_of_a_session_file_has_its_messages_although_nothing_is_folded() {
    let place = Place::new();
    let lines = [
        json!({"type": "user", "uuid": "a", "parentUuid": null, "message": {"role": "user", "content": "hi"}}),
        json!({"type": "assistant", "uuid": "b", "parentUuid": "a", "message": {"role": "assistant", "id": "m", "content": [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]}}),
    ];
    let text: String = lines.iter().map(|line| line.to_string() + "\n").collect();
    fs::write(place.top().join("s.jsonl"), text).unwrap();
    let document = json!({"transcript_path": place.top().join("s.jsonl"), "prompt": "go on"});
    let request: Value = serde_json::from_str(&ran(&place, &["--format", "request"], &document).stdout).unwrap();
    let messages = request["messages"].as_array().unwrap();
    assert_eq!(refused(messages), Vec::<String>::new());
    assert_eq!((&messages[0]["content"], &messages[2]["content"][1]["text"]), (&json!("hi"), &json!("go on")));
    assert!(fold(&place, &[], &document).get("messages").is_none());
}
