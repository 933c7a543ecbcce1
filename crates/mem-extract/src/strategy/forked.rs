//! A fork at work: at most five rounds of the model's tool calls, each through the gate, in a thread that may write
//! nowhere.

use mem_exec::confine::{self, Confined};
use mem_llm::Model;
use mem_store::front_matter;
use mem_text::secrets;
use mem_transcript::{Kind, Speaker};
use mem_types::Problems;
use mem_types::asking::{Asking, Usage};
use mem_types::extract::{Extract, Refused};
use serde_json::{Value, json};

use super::checks::{Checks, Proposal, squeezed};
use super::fork::Body;
use super::{InVain, Lesson, Ways, prompts};
use crate::compare::Known;
use crate::gate::{Gate, MOST_CALLS};

/// Most answers of the model.
const MOST_ROUNDS: usize = 5;

/// What a fork has come to.
struct Ended {
    gate: Gate,
    usage: Usage,
    confined: Confined,
    unrecorded: Option<String>,
}

/// Runs the fork, and adds to `extract` what may be kept.
pub fn run(
    ways: &Ways,
    asking: &Asking,
    mut body: Body,
    lesson: &Lesson<'_>,
    known: &Known,
    extract: &mut Extract,
    problems: &mut Problems,
) -> Result<(), InVain> {
    if let Some(own) = &body.replaced {
        problems
            .warning(
                "cache-miss-expected",
                format!("another model than the conversation's '{own}' is asked, so its prompt cache does not help"),
            )
            .hint("name the conversation's own model with --llm");
    }
    let project = lesson.world.project_root(lesson.document, problems);
    let today = lesson.world.now().zoned().strftime("%A, %Y-%m-%d").to_string();
    let memory = &lesson.folder.dir;
    let count = lesson.conversation.typed.max(1) * 2;
    let words = prompts::fork(known, &memory.to_string_lossy(), &project.to_string_lossy(), count, &today);
    body.add(&json!({"role": "user", "content": secrets::mask(&words)}));
    if let Some(dir) = &asking.record
        && let Err(reason) = mem_store::recording::prepare(dir)
    {
        problems.warning("not-recorded", reason);
    }
    let gate = Gate::new(&project, memory, &ways.fork_read);
    let ended = apart(asking, body, gate)?;
    report(&ended, extract, problems);
    let foreign = foreign(lesson);
    let checks = Checks {
        utterances: &lesson.conversation.utterances,
        foreign: &foreign,
        known,
        policy: &lesson.conversation.policy,
        now: lesson.world.now(),
    };
    for (path, text) in ended.gate.written() {
        checks.take(&proposal(path, text, known), extract);
    }
    extract.usage = Some(ended.usage);
    Ok(())
}

/// Works in a thread of its own, so that only this is confined, and documents after it are not.
fn apart(asking: &Asking, body: Body, gate: Gate) -> Result<Ended, InVain> {
    let worked = std::thread::scope(|scope| {
        let work = move || {
            let writable: Vec<_> = asking.record.iter().cloned().collect();
            let confined = confine::to_writing_in(&writable);
            rounds(&Model::new(asking.clone()), body, gate, confined)
        };
        std::thread::Builder::new().spawn_scoped(scope, work).map(|thread| thread.join())
    });
    match worked {
        Ok(Ok(ended)) => ended.map_err(InVain),
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => Err(InVain(mem_llm::Unanswered::Unfit(format!("no thread can be started: {error}")))),
    }
}

fn rounds(model: &Model, mut body: Body, mut gate: Gate, confined: Confined) -> Result<Ended, mem_llm::Unanswered> {
    let mut usage = Usage::default();
    let mut unrecorded = None;
    for _ in 0..MOST_ROUNDS {
        let turn = model.messages(&body.text())?;
        usage.add(&turn.usage);
        unrecorded = unrecorded.or(turn.unrecorded);
        let content = &turn.message["content"];
        let results = answers(&mut gate, content);
        if results.is_empty() {
            break;
        }
        body.add(&json!({"role": "assistant", "content": content}));
        body.add(&json!({"role": "user", "content": results}));
    }
    Ok(Ended { gate, usage, confined, unrecorded })
}

/// Returns the results of all tool calls in an answer, in their order.
fn answers(gate: &mut Gate, content: &Value) -> Vec<Value> {
    let calls = content.as_array().into_iter().flatten().filter(|block| block["type"] == "tool_use");
    let mut results = Vec::new();
    for (at, call) in calls.enumerate() {
        let (name, id) = (call["name"].as_str().unwrap_or_default(), &call["id"]);
        results.push(if at < MOST_CALLS {
            let answer = gate.answer(name, &call["input"]);
            json!({"type": "tool_result", "tool_use_id": id, "content": answer.text, "is_error": answer.is_error})
        } else {
            let words = format!("Refused: {MOST_CALLS} calls in one answer are enough. Nothing was done.");
            json!({"type": "tool_result", "tool_use_id": id, "content": words, "is_error": true})
        });
    }
    results
}

fn report(ended: &Ended, extract: &mut Extract, problems: &mut Problems) {
    match &ended.confined {
        Confined::Wholly => {}
        Confined::Partly => {
            problems.info("partly-confined", "this kernel confines the fork only in part; the gate holds by itself");
        }
        Confined::Not(reason) => {
            problems.info(
                "not-confined",
                format!("the fork is not confined by the kernel ({reason}); the gate holds by itself"),
            );
        }
    }
    if let Some(reason) = &ended.unrecorded {
        problems.warning("not-recorded", reason.clone());
    }
    for (tool, reason) in ended.gate.refused() {
        let text = format!("a call of {tool}");
        extract.refused.push(Refused { text, reason: format!("the gate: {reason}"), message_id: None });
    }
}

/// Returns what tools and the host said in the conversation, squeezed.
fn foreign(lesson: &Lesson<'_>) -> Vec<String> {
    let Some(raw) = lesson.document.get("messages") else { return Vec::new() };
    let read = mem_transcript::read_messages(raw);
    let mut found = Vec::new();
    for message in &read.messages {
        let is_typed = message.is_typed();
        for part in &message.parts {
            match &part.kind {
                Kind::ToolResult { parts, .. } => found.extend(parts.iter().filter_map(|part| words(&part.kind))),
                Kind::Text(text)
                    if message.speaker != Speaker::Assistant && (!is_typed || mem_transcript::is_host_text(text)) =>
                {
                    found.push(squeezed(text));
                }
                _ => {}
            }
        }
    }
    found
}

fn words(kind: &Kind<'_>) -> Option<String> {
    match kind {
        Kind::Text(text) => Some(squeezed(text)),
        _ => None,
    }
}

/// Returns what a written file proposes.
fn proposal(path: &str, text: &str, known: &Known) -> Proposal {
    let parts = front_matter::of_memory(text);
    let matter = parts.matter.unwrap_or_default();
    let field = |key: &str| matter.text(key).or_else(|| matter.metadata_text(key)).unwrap_or_default();
    let is_there = known.memories.iter().any(|memory| memory.path == path && memory.holds);
    Proposal {
        op: if is_there { "update" } else { "create" }.into(),
        path: path.into(),
        kind: field("type"),
        name: field("name"),
        description: field("description"),
        body: parts.body.trim().into(),
        why: String::new(),
        quotes: matter.list("sources"),
        message: None,
    }
}
