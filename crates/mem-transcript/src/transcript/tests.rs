//! Session files as they are met: branches, boundaries, parallel tools, damage.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::{own_words, read_session, read_session_bytes, tool_pairs};

fn user(uuid: &str, parent: &str, text: &str) -> String {
    format!(
        r#"{{"type":"user","uuid":"{uuid}","parentUuid":{parent},"timestamp":"t-{uuid}","message":{{"role":"user","content":"{text}"}}}}"#
    )
}

fn answer(uuid: &str, parent: &str, id: &str, block: &str) -> String {
    format!(
        r#"{{"type":"assistant","uuid":"{uuid}","parentUuid":{parent},"message":{{"id":"{id}","role":"assistant","content":[{block}],"usage":{{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":1}}}}}}"#
    )
}

fn call(id: &str) -> String {
    format!(r#"{{"type":"tool_use","id":"{id}","name":"Read","input":{{}}}}"#)
}

fn result(uuid: &str, parent: &str, id: &str) -> String {
    format!(
        r#"{{"type":"user","uuid":"{uuid}","parentUuid":{parent},"message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"x"}}]}}}}"#
    )
}

fn check(lines: &[String], live: &[&[&str]]) {
    let file = lines.join("\n");
    let session = read_session_bytes(file.as_bytes());
    let transcript = session.transcript();
    let found: Vec<Vec<&str>> = transcript.messages.iter().map(|message| message.uuids().collect()).collect();
    assert_eq!(found, live);
}

#[test]
fn a_branch_that_was_left_is_not_live() {
    let lines = [
        user("a", "null", "one"),
        answer("b", "\"a\"", "m1", r#"{"type":"text","text":"x"}"#),
        user("c", "\"b\"", "left"),
        user("d", "\"b\"", "kept"),
    ];
    check(&lines, &[&["a"], &["b"], &["d"]]);
    assert_eq!(read_session_bytes(lines.join("\n").as_bytes()).dead, 1);
}

#[test]
fn a_cycle_does_not_hang() {
    check(&[user("a", "\"b\"", "one"), user("b", "\"a\"", "two")], &[&["a"], &["b"]]);
    check(&[user("a", "\"a\"", "one")], &[&["a"]]);
}

#[test]
fn lines_of_one_answer_are_one_message() {
    let text = r#"{"type":"text","text":"x"}"#;
    let lines = [user("a", "null", "go"), answer("b", "\"a\"", "m1", text), answer("c", "\"b\"", "m1", &call("t"))];
    check(&lines, &[&["a"], &["b", "c"]]);
    let file = lines.join("\n");
    let session = read_session_bytes(file.as_bytes());
    let transcript = session.transcript();
    assert_eq!(transcript.messages[1].parts.len(), 2);
    assert_eq!(transcript.measured_tokens(), Some(16));
}

#[test]
fn parallel_results_are_live_although_each_hangs_on_its_own_call() {
    let lines = [
        user("a", "null", "go"),
        answer("b", "\"a\"", "m1", &call("t1")),
        answer("c", "\"b\"", "m1", &call("t2")),
        result("d", "\"b\"", "t1"),
        result("e", "\"c\"", "t2"),
        answer("f", "\"e\"", "m2", r#"{"type":"text","text":"done"}"#),
    ];
    check(&lines, &[&["a"], &["b", "c"], &["d", "e"], &["f"]]);
    let file = lines.join("\n");
    let session = read_session_bytes(file.as_bytes());
    assert!(tool_pairs(&session.transcript().messages).unpaired.is_empty());
}

#[test]
fn behind_a_boundary_stand_summary_and_what_was_carried_over() {
    let boundary = r#"{"type":"system","subtype":"compact_boundary","uuid":"x","parentUuid":null,"logicalParentUuid":"b","compactMetadata":{"trigger":"auto","preTokens":95009,"preservedMessages":{"anchorUuid":"b","uuids":["b","gone"]}}}"#;
    let summary = r#"{"type":"user","uuid":"s","parentUuid":"x","isCompactSummary":true,"message":{"role":"user","content":"This session is being continued"}}"#;
    let lines = [
        user("a", "null", "old"),
        answer("b", "\"a\"", "m1", r#"{"type":"text","text":"x"}"#),
        boundary.into(),
        summary.into(),
        user("e", "\"s\"", "new"),
    ];
    check(&lines, &[&["s"], &["b"], &["e"]]);
    let file = lines.join("\n");
    let session = read_session_bytes(file.as_bytes());
    let transcript = session.transcript();
    assert_eq!(transcript.boundary.unwrap().tokens_before, Some(95009));
    assert_eq!(transcript.messages[0].speaker, Speaker::Summary);
    assert_eq!(own_words(&transcript.messages[2]), "new");
}

#[test]
fn a_line_that_is_lost_does_not_cut_the_thread() {
    check(
        &[user("a", "null", "one"), user("b", "\"a\"", "two")[..50].into(), user("c", "\"b\"", "three")],
        &[&["a"], &["c"]],
    );
}

#[test]
fn subagents_are_told_apart() {
    let aside =
        user("s", "null", "for the helper").replace("{\"type\"", "{\"isSidechain\":true,\"agentId\":\"ab1\",\"type\"");
    check(&[user("a", "null", "one"), aside.clone()], &[&["a"]]);
    check(std::slice::from_ref(&aside), &[&["s"]]);
    assert_eq!(read_session_bytes(aside.as_bytes()).subagent.as_deref(), Some("ab1"));
    let both = format!("{}\n{aside}", user("a", "null", "one"));
    assert_eq!(read_session_bytes(both.as_bytes()).sidechain, 1);
}

#[test]
fn what_is_of_no_agent_is_named_and_not_read() {
    assert_eq!(read_session_bytes(b"{\"type\":\"odd\"}").problems.last().unwrap().code, "unknown-transcript");
    assert_eq!(read_session_bytes(b"").format, Format::Empty);
}

/// Checks who says what in a session file of any agent.
fn check_words(file: &str, format: Format, expected: &[(Speaker, &str)]) {
    let session = read_session_bytes(file.as_bytes());
    assert_eq!(session.format, format, "{file}");
    let transcript = session.transcript();
    let said = transcript.messages.iter().map(|message| {
        let text: Vec<String> = message.parts.iter().map(|part| part.text().into_owned()).collect();
        (message.speaker, text.join("|"))
    });
    let said: Vec<_> = said.collect();
    let said: Vec<_> = said.iter().map(|(speaker, text)| (*speaker, text.as_str())).collect();
    assert_eq!(said, expected, "{file}");
    assert!(tool_pairs(&transcript.messages).unpaired.is_empty(), "{file}");
}

#[test]
fn a_rollout_of_codex_is_read_from_its_last_compaction_on() {
    let lines = [
        r#"{"timestamp":"t0","type":"session_meta","payload":{"id":"x"}}"#,
        r#"{"timestamp":"t1","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"old"}]}}"#,
        r#"{"timestamp":"t2","type":"compacted","payload":{"message":"what was said"}}"#,
        r##"{"timestamp":"t3","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /x"}]}}"##,
        r#"{"timestamp":"t4","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"run it"}]}}"#,
        r#"{"timestamp":"t5","type":"event_msg","payload":{"type":"user_message","message":"run it"}}"#,
        r#"{"timestamp":"t6","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c1"}}"#,
        r#"{"timestamp":"t7","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"{\"output\":\"a b\",\"metadata\":{\"exit_code\":0}}"}}"#,
        r#"{"timestamp":"t8","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}"#,
    ];
    let expected = [
        (Speaker::Summary, "what was said"),
        (Speaker::Host, "# AGENTS.md instructions for /x"),
        (Speaker::UserWords, "run it"),
        (Speaker::Assistant, ""),
        (Speaker::Tool, "a b"),
        (Speaker::Assistant, "done"),
    ];
    check_words(&lines.join("\n"), Format::Codex, &expected);
}

#[test]
fn sessions_of_gemini_are_read_in_every_form() {
    let call = r#"{"id":"w","name":"write_file","args":{"file_path":"a"},"status":"success","result":[{"functionResponse":{"id":"w","response":{"output":"ok"}}}]}"#;
    let user = r#"{"id":"1","timestamp":"t","type":"user","content":"write it"}"#;
    let model = format!(r#"{{"id":"2","timestamp":"t","type":"gemini","content":"","toolCalls":[{call}]}}"#);
    let notice = r#"{"id":"3","type":"warning","content":"hook failed"}"#;
    let expected = [(Speaker::UserWords, "write it"), (Speaker::Assistant, ""), (Speaker::Tool, "ok")];
    let checkpoint = format!("{{\n \"sessionId\":\"s\",\n \"messages\":[\n{user},\n{model},\n{notice}\n]}}");
    check_words(&checkpoint, Format::Gemini, &expected);
    check_words(&format!("{{\"sessionId\":\"s\",\"messages\":[{user},{model}]}}"), Format::Gemini, &expected);
    let left = r#"{"id":"9","timestamp":"t","type":"user","content":"left"}"#;
    let lines = format!("{user}\n{left}\n{{\"$rewindTo\":\"9\"}}\n{model}\n{notice}\n");
    check_words(&lines, Format::Gemini, &expected);
    let history = r#"[{"role":"user","parts":[{"text":"write it"}]},
        {"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},
        {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"ok"}}}]}]"#;
    check_words(history, Format::Gemini, &expected);
}

#[test]
fn lists_of_chat_services_are_read() {
    let list = r#"[{"role":"system","content":"be good"},{"role":"user","content":"run it"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"sh","arguments":"{\"a\":1}"}}]},
        {"role":"tool","tool_call_id":"c","content":"ok"},{"role":"assistant","content":"done"}]"#;
    let expected = [
        (Speaker::Host, "be good"),
        (Speaker::UserWords, "run it"),
        (Speaker::Assistant, ""),
        (Speaker::Tool, "ok"),
        (Speaker::Assistant, "done"),
    ];
    check_words(list, Format::Messages, &expected);
    check_words(&format!("{{\"model\":\"m\",\"messages\":{list}}}"), Format::Messages, &expected);
    let lines = "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"assistant\",\"content\":\"b\"}\n";
    check_words(lines, Format::Messages, &[(Speaker::UserWords, "a"), (Speaker::Assistant, "b")]);
}

#[test]
fn a_thread_that_leads_behind_a_later_root_is_whole() {
    let lines = [
        user("a", "null", "one"),
        answer("b", "\"a\"", "m1", r#"{"type":"text","text":"x"}"#),
        user("r", "null", "a root that was left"),
        user("c", "\"b\"", "two"),
    ];
    check(&lines, &[&["a"], &["b"], &["c"]]);
}

#[test]
fn of_a_file_that_repeats_itself_only_the_last_part_is_held() {
    let once =
        format!("{}\n{}\n", user("a", "null", "one"), answer("b", "\"a\"", "m", r#"{"type":"text","text":"x"}"#));
    let session = read_session(std::io::Cursor::new(once.repeat(1_000))).unwrap();
    assert!(session.text.len() < once.len() + 10);
    assert_eq!((session.records, session.dead), (2_000, 1_998));
}

#[test]
fn a_message_of_the_transcript_is_written_as_a_documents_message() {
    let file = answer("b", "null", "m1", r#"{"type":"text","text":"a\ud83d"}"#);
    let session = read_session_bytes(file.as_bytes());
    let transcript = session.transcript();
    assert_eq!(
        transcript.to_json(),
        r#"[{"uuid":"b","role":"assistant","content":[{"type":"text","text":"a\ufffd"}]}]"#
    );
    let file = user("a", "null", "hi");
    let session = read_session_bytes(file.as_bytes());
    assert_eq!(session.transcript().to_json(), r#"[{"uuid":"a","timestamp":"t-a","role":"user","content":"hi"}]"#);
}

#[test]
fn an_answer_of_several_lines_keeps_all_their_ids() {
    let file = format!(
        "{}\n{}\n{}\n",
        user("a", "null", "hi"),
        answer("b", "\"a\"", "m", r#"{"type":"text","text":"x"}"#),
        answer("c", "\"b\"", "m", r#"{"type":"text","text":"y"}"#)
    );
    let session = read_session_bytes(file.as_bytes());
    let json = session.transcript().to_json();
    assert!(json.contains(r#"{"uuid":"b","joined":["c"],"role":"assistant""#), "{json}");
    let read = crate::read_messages(&json);
    assert_eq!(read.messages[1].uuids().collect::<Vec<_>>(), ["b", "c"]);
}
