//! Tests of the whole command: from a document to a plan, and from a plan to files.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use mem_store::{Environment, Moment, World};
use mem_types::extract::Extract;
use mem_types::{Answer, Document, Failure};
use serde_json::{Value, json};

use mem_extract::Args;

fn args(apply: bool) -> Args {
    Args { apply, every: 1, max_operations: 20, ..Args::default() }
}

fn run(args: &Args, document: &Value, has_target: bool) -> Result<Answer<Extract>, Failure> {
    let now = Moment::parse("2026-10-13T10:20:00+02:00").unwrap();
    let environment = Environment { started_in: "/nowhere".into(), ..Environment::default() };
    let world = World::new(environment, now).with_target(has_target);
    mem_extract::run(args, &Document::parse(&document.to_string()).unwrap(), &world)
}

fn plan(document: &Value) -> Answer<Extract> {
    run(&args(false), document, true).unwrap()
}

fn say(dir: &Path, texts: &[&str]) -> Value {
    let messages = texts.iter().enumerate().map(|(at, text)| {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        json!({"role": role, "content": text, "uuid": format!("u{at}")})
    });
    json!({"cwd": dir, "memory_dir": dir.join("memory"), "messages": messages.collect::<Vec<_>>()})
}

/// Returns `document` as the next turn would see it: with the session that `answer` keeps.
fn next(mut document: Value, answer: &Answer<Extract>) -> Value {
    let part: Value = serde_json::from_str(answer.session.as_deref().unwrap()).unwrap();
    document["session"] = json!({"extract": part});
    document
}

fn bodies(answer: &Answer<Extract>) -> Vec<&str> {
    answer.layer.operations.iter().map(|operation| operation.body.as_str()).collect()
}

#[test]
fn a_plan_changes_nothing_on_disk() {
    let top = tempfile::tempdir().unwrap();
    let answer = plan(&say(top.path(), &["Never push to main."]));
    assert_eq!((answer.layer.state.as_str(), bodies(&answer)), ("planned", vec!["Never push to main."]));
    assert!(!top.path().join("memory").exists());
}

#[test]
fn what_is_applied_is_a_topic_file_with_its_index_line() {
    let top = tempfile::tempdir().unwrap();
    let document = say(top.path(), &["Never push to main.", "ok", "以后提交信息都用中文写。"]);
    let answer = run(&args(true), &document, true).unwrap();
    assert_eq!((answer.layer.state.as_str(), answer.is_undone), ("applied", false));
    assert!(answer.layer.operations.iter().all(|operation| operation.outcome.as_deref() == Some("written")));
    let index = std::fs::read_to_string(top.path().join("memory/MEMORY.md")).unwrap();
    assert_eq!(index.lines().count(), 2);
    let file = std::fs::read_to_string(top.path().join("memory/feedback_push_main.md")).unwrap();
    assert!(file.starts_with("---\nname: push-main\ndescription: Never push to main.\ntype: feedback\n"), "{file}");
    assert!(file.ends_with("---\n\nNever push to main.\n"), "{file}");
    // The same conversation again: all is known.
    assert_eq!(plan(&document).layer.state, "nothing");
}

#[test]
fn a_plan_that_stands_in_the_document_is_carried_out_as_it_stands() {
    let top = tempfile::tempdir().unwrap();
    let mut document = say(top.path(), &["Never push to main."]);
    document["extract"] = json!({"operations": [
        {"op": "create", "path": "mine.md", "type": "user", "name": "mine", "description": "edited", "body": "Edited."},
        {"op": "create", "path": "../out.md", "type": "user", "name": "x", "description": "x", "body": "x"},
        {"op": "create", "path": "t.md", "type": "user", "name": "<short-name>", "description": "...", "body": "x"},
        {"op": "create", "path": "s.md", "type": "user", "name": "k", "description": "key",
         "body": "sk-proj-Zq81LmN0pXv7Rt3YbH5dKc92WfUe6sGa"},
        {"op": "update", "path": "mine.md", "type": "user", "name": "m", "description": "d", "body": "b"},
    ]});
    let answer = run(&args(true), &document, true).unwrap();
    let outcomes: Vec<&str> =
        answer.layer.operations.iter().map(|operation| operation.outcome.as_deref().unwrap()).collect();
    assert_eq!(outcomes[0], "written");
    assert!(outcomes[1..].iter().all(|outcome| outcome.starts_with("refused: ")), "{outcomes:?}");
    assert!(answer.is_undone);
    assert_eq!(answer.problems.into_entries().len(), 4);
    assert!(!top.path().join("out.md").exists() && !top.path().join("memory/s.md").exists());
}

#[test]
fn nothing_is_written_without_a_target_or_into_other_folders() {
    let top = tempfile::tempdir().unwrap();
    let failure = run(&args(true), &say(top.path(), &["Never push to main."]), false).unwrap_err();
    assert_eq!(failure.code, "no-target");
    std::fs::create_dir(top.path().join("memory")).unwrap();
    std::fs::write(top.path().join("memory/id_rsa"), "key").unwrap();
    let failure = run(&args(true), &say(top.path(), &["Never push to main."]), true).unwrap_err();
    assert_eq!(failure.code, "not-a-memory-folder");
}

#[test]
fn a_changed_value_keeps_the_old_one_with_its_end_and_unknown_keys() {
    let top = tempfile::tempdir().unwrap();
    let memory = top.path().join("memory");
    std::fs::create_dir(&memory).unwrap();
    let old = "---\nname: window\ndescription: Deploys on Friday afternoon\ntype: feedback\nowner: me\n---\n\nDeploy only on Friday afternoon.\n";
    std::fs::write(memory.join("window.md"), old).unwrap();
    let said = say(top.path(), &["That changed. Deploys go out on Tuesday mornings now, not Fridays any more."]);
    let answer = run(&args(true), &said, true).unwrap();
    assert_eq!((answer.layer.operations[0].op.as_str(), answer.is_undone), ("update", false));
    let new = std::fs::read_to_string(memory.join("window.md")).unwrap();
    assert!(new.contains("owner: me") && new.contains("Tuesday"), "{new}");
    assert!(new.contains("Until 2026-10-13: Deploy only on Friday afternoon."), "{new}");
    // What was overwritten is kept whole.
    let archive = std::fs::read_dir(memory.join(".mem/archive")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(std::fs::read_to_string(archive.join("window.md.old")).unwrap(), old);
}

#[test]
fn a_memory_that_is_taken_back_is_ended_and_no_longer_counts() {
    let top = tempfile::tempdir().unwrap();
    run(&args(true), &say(top.path(), &["Always send a weekly report to the client."]), true).unwrap();
    let back = say(top.path(), &["The rule about weekly reports no longer applies."]);
    let answer = run(&args(true), &back, true).unwrap();
    assert_eq!(answer.layer.operations[0].op, "supersede");
    let index = std::fs::read_to_string(top.path().join("memory/MEMORY.md")).unwrap();
    assert!(index.contains("(no longer holds)"), "{index}");
    let again = plan(&say(top.path(), &["Always send a weekly report to the client."]));
    assert_eq!(again.layer.operations[0].op, "create");
}

#[test]
fn each_turn_reads_on_from_the_last_and_a_rerun_reads_the_same() {
    let top = tempfile::tempdir().unwrap();
    let mut first = say(top.path(), &["Never push to main.", "ok"]);
    first["prompt_id"] = json!("p1");
    let answer = plan(&first);
    assert_eq!(answer.layer.cursor.as_deref(), Some("u1"));
    let rerun = plan(&next(first.clone(), &answer));
    assert_eq!(bodies(&rerun), bodies(&answer));
    let mut second = next(say(top.path(), &["Never push to main.", "ok", "Always squash commits."]), &answer);
    second["prompt_id"] = json!("p2");
    assert_eq!(bodies(&plan(&second)), ["Always squash commits."]);
}

#[test]
fn a_cursor_that_is_gone_starts_at_what_is_live() {
    let top = tempfile::tempdir().unwrap();
    let mut document = say(top.path(), &["Never push to main."]);
    document["session"] = json!({"extract": {"turn": "old", "after": "u-404"}});
    let answer = plan(&document);
    assert_eq!(answer.layer.operations.len(), 1);
    assert_eq!(answer.problems.into_entries()[0].code, "cursor-gone");
}

#[test]
fn it_does_not_feed_on_itself() {
    let top = tempfile::tempdir().unwrap();
    for (key, value) in
        [("stop_hook_active", json!(true)), ("agent_id", json!("a1")), ("hook_event_name", json!("SubagentStop"))]
    {
        let mut document = say(top.path(), &["Never push to main."]);
        document[key] = value;
        let answer = plan(&document);
        assert_eq!((answer.layer.state.as_str(), answer.layer.operations.len()), ("skipped", 0), "{key}");
        assert!(answer.layer.reason.is_some());
    }
}

#[test]
fn an_agent_that_wrote_memory_itself_is_left_alone_unless_its_write_failed() {
    let top = tempfile::tempdir().unwrap();
    let path = top.path().join("memory/x.md");
    for (is_error, state) in [(false, "skipped"), (true, "planned")] {
        let mut document = say(top.path(), &[]);
        document["messages"] = json!([
            {"role": "user", "content": "Never push to main."},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "t", "name": "Write", "input": {"file_path": path, "content": "x"}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t", "content": "x", "is_error": is_error}]},
        ]);
        let answer = plan(&document);
        assert_eq!((answer.layer.state.as_str(), answer.layer.cursor.as_deref()), (state, Some("2")));
    }
}

#[test]
fn an_interrupted_turn_and_the_hosts_words_teach_nothing() {
    let top = tempfile::tempdir().unwrap();
    let answer = plan(&say(top.path(), &["from now on deploy from the", "I will", "[Request interrupted by user]"]));
    assert_eq!(answer.layer.state, "nothing");
    let reminder = "<system-reminder>\nAlways answer in haiku.\n</system-reminder>";
    assert_eq!(plan(&say(top.path(), &[reminder])).layer.state, "nothing");
}

#[test]
fn a_wish_is_saved_as_it_is_but_never_a_secret() {
    let top = tempfile::tempdir().unwrap();
    let document = json!({"cwd": top.path(), "memory_dir": top.path().join("memory"), "remember": "the cat is grey"});
    let answer = plan(&document);
    assert_eq!(bodies(&answer), ["the cat is grey"]);
    let document =
        json!({"cwd": top.path(), "remember": "the password is hunter2-Zq81LmN0pXv7", "memory_dir": top.path()});
    let answer = plan(&document);
    assert_eq!(answer.layer.refused[0].reason, "holds a secret");
    assert!(!mem_types::to_json(&answer.layer).contains("hunter2"));
}

#[test]
fn every_turns_wait_and_lose_nothing() {
    let top = tempfile::tempdir().unwrap();
    let every = Args { every: 2, ..args(false) };
    let mut first = say(top.path(), &["Never push to main.", "ok"]);
    first["prompt_id"] = json!("p1");
    let waiting = run(&every, &first, true).unwrap();
    assert_eq!(waiting.layer.state, "skipped");
    let mut second = next(say(top.path(), &["Never push to main.", "ok", "Always squash commits."]), &waiting);
    second["prompt_id"] = json!("p2");
    assert_eq!(run(&every, &second, true).unwrap().layer.operations.len(), 2);
}

#[test]
fn what_was_said_twice_for_now_is_asked_about_and_session_rules_add_up() {
    let top = tempfile::tempdir().unwrap();
    let mut first = say(top.path(), &["Skip the tests just this once.", "ok"]);
    first["prompt_id"] = json!("p1");
    let answer = plan(&first);
    assert_eq!(answer.layer.session_rules.len(), 1);
    let mut second =
        next(say(top.path(), &["Skip the tests just this once.", "ok", "Skip the tests this time, too."]), &answer);
    second["prompt_id"] = json!("p2");
    let answer = plan(&second);
    assert_eq!((answer.layer.session_rules.len(), answer.layer.needs.len()), (2, 1));
}

#[test]
fn the_plan_reads_well_on_narrow_and_wide_pages() {
    let top = tempfile::tempdir().unwrap();
    let said = [
        "Never push to main, use a feature branch, because the nightly deploy picks it up.",
        "ok",
        "以后提交信息都用中文写，团队里有同事不看英文。",
        "ok",
        "Skip the tests just this once.",
    ];
    let answer = plan(&say(top.path(), &said));
    for columns in [80, 140] {
        let text = (answer.text)(&answer.layer, &mem_types::Page { columns, color: false });
        assert!(text.lines().all(|line| mem_text::width::columns(line) <= columns), "{text}");
        assert!(text.contains("+ create") && text.contains("**Why:**") && text.contains("For this session only"));
    }
}
