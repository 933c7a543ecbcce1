//! Session files as they are met: branches, boundaries, parallel tools, damage.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::{own_words, tool_pairs};

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
    let transcript = read_transcript(file.as_bytes());
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
    assert_eq!(read_transcript(lines.join("\n").as_bytes()).dead, 1);
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
    let transcript = read_transcript(file.as_bytes());
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
    assert!(tool_pairs(&read_transcript(file.as_bytes()).messages).unpaired.is_empty());
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
    let transcript = read_transcript(file.as_bytes());
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
    assert_eq!(read_transcript(aside.as_bytes()).subagent.as_deref(), Some("ab1"));
    let both = format!("{}\n{aside}", user("a", "null", "one"));
    assert_eq!(read_transcript(both.as_bytes()).sidechain, 1);
}

#[test]
fn other_agents_files_are_named_and_not_read() {
    let codex = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"x"}}"#;
    assert_eq!(read_transcript(codex.as_bytes()).format, Format::Codex);
    assert_eq!(read_transcript(codex.as_bytes()).problems[0].code, "unknown-transcript");
    assert_eq!(read_transcript(b"{\"type\":\"odd\"}").problems[0].code, "unknown-transcript");
    assert_eq!(read_transcript(b"").format, Format::Empty);
}

#[test]
fn a_message_of_the_transcript_is_written_as_a_documents_message() {
    let file = answer("b", "null", "m1", r#"{"type":"text","text":"a\ud83d"}"#);
    let transcript = read_transcript(file.as_bytes());
    assert_eq!(
        transcript.to_json(),
        r#"[{"uuid":"b","role":"assistant","content":[{"type":"text","text":"a\ufffd"}]}]"#
    );
    let file = user("a", "null", "hi");
    assert_eq!(
        read_transcript(file.as_bytes()).to_json(),
        r#"[{"uuid":"a","timestamp":"t-a","role":"user","content":"hi"}]"#
    );
}
