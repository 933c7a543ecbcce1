//! Reads a session file into the messages of its live thread.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::{self, Object};
use crate::lines::{self, Record};
use crate::message::{Kind, Message, Role, Speaker};
use crate::problem::{Problem, Problems};
use crate::thread;
use crate::turns;

/// Which agent wrote a session file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Claude Code: a record a line, threaded by `parentUuid`.
    ClaudeCode,
    /// A rollout of Codex. It is known but not read.
    Codex,
    /// Something else. It is not read.
    Unknown,
    /// No record at all.
    Empty,
}

/// A session file, read.
#[derive(Debug)]
pub struct Transcript<'a> {
    /// Who wrote it.
    pub format: Format,
    /// The live messages, in the order of the conversation.
    pub messages: Vec<Message<'a>>,
    /// The compaction at which the live part starts.
    pub boundary: Option<Boundary<'a>>,
    /// How many compactions the file holds.
    pub compactions: usize,
    /// The subagent whose own file this is.
    pub subagent: Option<Cow<'a, str>>,
    /// The session that the last record belongs to.
    pub session: Option<Cow<'a, str>>,
    /// Messages on branches that were left, or before the compaction.
    pub dead: usize,
    /// Messages of subagents that stand in the file of the main agent. They are not among the messages.
    pub sidechain: usize,
    /// How many records the file holds.
    pub records: usize,
    /// Lines that could not be read, by kind.
    pub problems: Vec<Problem>,
}

/// Where an agent compacted its conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundary<'a> {
    /// Its id.
    pub uuid: Option<Cow<'a, str>>,
    /// `auto` or `manual`.
    pub trigger: Option<Cow<'a, str>>,
    /// Tokens before, as the agent counted them.
    pub tokens_before: Option<u64>,
}

/// Record types that hold no messages and are no news to us.
const KNOWN_TYPES: [&str; 26] = [
    "agent-name",
    "agent-setting",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "attachment",
    "content-replacement",
    "cost-state",
    "custom-title",
    "file-history-delta",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "summary",
    "system",
    "tag",
    "task-summary",
    "tools-used",
    "user",
    "assistant",
];

/// Returns the live messages of a session file. What it cannot read is among the problems; it never fails.
pub fn read_transcript(bytes: &[u8]) -> Transcript<'_> {
    let mut problems = Problems::default();
    let records = lines::records(bytes, &mut problems);
    let format = format(&records);
    let mut transcript = empty(format, &records);
    match format {
        Format::ClaudeCode => read_claude_code(&records, &mut transcript, &mut problems),
        Format::Empty => {}
        Format::Codex => problems.add("unknown-transcript", "rollouts of Codex are not read", 1),
        Format::Unknown => problems.add("unknown-transcript", "the transcript is of no agent that is known here", 1),
    }
    transcript.problems = problems.finish();
    transcript
}

fn empty<'a>(format: Format, records: &[Record<'a>]) -> Transcript<'a> {
    Transcript {
        format,
        messages: Vec::new(),
        boundary: None,
        compactions: 0,
        subagent: None,
        session: None,
        dead: 0,
        sidechain: 0,
        records: records.len(),
        problems: Vec::new(),
    }
}

fn format(records: &[Record<'_>]) -> Format {
    if records.is_empty() {
        return Format::Empty;
    }
    let is_codex = |record: &Record<'_>| {
        let known = matches!(record.kind.as_ref(), "session_meta" | "response_item" | "event_msg" | "turn_context");
        known && record.members.get("payload").is_some()
    };
    let is_claude = |record: &Record<'_>| {
        let has_envelope = ["uuid", "sessionId", "leafUuid"].iter().any(|key| record.members.get(key).is_some());
        KNOWN_TYPES.contains(&record.kind.as_ref()) && has_envelope
    };
    match () {
        () if records.iter().any(is_claude) => Format::ClaudeCode,
        () if records.iter().any(is_codex) => Format::Codex,
        () => Format::Unknown,
    }
}

fn read_claude_code<'a>(records: &[Record<'a>], transcript: &mut Transcript<'a>, problems: &mut Problems) {
    for record in records.iter().filter(|record| !KNOWN_TYPES.contains(&record.kind.as_ref())) {
        problems.add("unknown-record", "records of a type that is not known here", record.line);
    }
    let messages = records.iter().filter(|record| record.is_message());
    let aside = messages.clone().filter(|record| record.sidechain).count();
    // In a subagent's own file every message is on the side.
    let is_subagent = aside > 0 && aside == messages.count();
    let thread = thread::live(records, is_subagent);
    transcript.subagent = is_subagent.then(|| last_text(records, "agentId").unwrap_or_default());
    transcript.sidechain = if is_subagent { 0 } else { aside };
    transcript.session = last_text(records, "sessionId");
    transcript.compactions = records.iter().filter(|record| record.is_boundary()).count();
    transcript.boundary = thread.boundary.map(|at| boundary(&records[at]));
    transcript.dead = thread.dead.len();
    transcript.messages = join_lines(records, &thread.live, problems);
    turns::number(&mut transcript.messages);
}

fn last_text<'a>(records: &[Record<'a>], key: &str) -> Option<Cow<'a, str>> {
    records.iter().rev().find_map(|record| record.members.text(key))
}

fn boundary<'a>(record: &Record<'a>) -> Boundary<'a> {
    let metadata = record.members.get("compactMetadata").and_then(json::object).unwrap_or_default();
    Boundary {
        uuid: record.uuid.clone(),
        trigger: metadata.text("trigger"),
        tokens_before: metadata.get("preTokens").and_then(|raw| raw.parse().ok()),
    }
}

/// Makes one message of the lines of one answer, and one of the results of its tools.
fn join_lines<'a>(records: &[Record<'a>], live: &[usize], problems: &mut Problems) -> Vec<Message<'a>> {
    let mut messages: Vec<Message<'a>> = Vec::new();
    // Answers of the running turn; a typed message closes them, so that an id used again is another answer.
    let mut answers: HashMap<Cow<'a, str>, usize> = HashMap::new();
    for record in live.iter().map(|&at| &records[at]).filter(|record| record.is_message()) {
        let Some(message) = read_record(record) else {
            problems.add("bad-line", "a message of the transcript has no content that can be read", record.line);
            continue;
        };
        if message.is_typed() {
            answers.clear();
        }
        let same = message.answer.as_ref().and_then(|answer| answers.get(answer).copied());
        let place = same.or_else(|| joins_results(&messages, &message).then(|| messages.len() - 1));
        match place {
            Some(index) => join(&mut messages[index], message),
            None => {
                if let Some(answer) = &message.answer {
                    answers.insert(answer.clone(), messages.len());
                }
                messages.push(message);
            }
        }
    }
    messages
}

fn joins_results(messages: &[Message<'_>], message: &Message<'_>) -> bool {
    message.speaker == Speaker::Tool && messages.last().is_some_and(|last| last.speaker == Speaker::Tool)
}

fn join<'a>(message: &mut Message<'a>, line: Message<'a>) {
    message.joined.extend(line.uuid);
    message.joined.extend(line.joined);
    message.parts.extend(line.parts);
    message.usage = line.usage.or(message.usage);
}

fn read_record<'a>(record: &Record<'a>) -> Option<Message<'a>> {
    let mut members = record.members.get("message").and_then(json::object).or_else(|| bare(record))?;
    members.inherit(&record.members, &["isMeta", "isCompactSummary", "isApiErrorMessage", "uuid", "timestamp"]);
    let mut message = Message::from_object(&members);
    if message.role == Role::Other {
        message.role = if record.kind == "assistant" { Role::Assistant } else { Role::User };
    }
    message.line = Some(record.line);
    if message.role == Role::User {
        message.answer = None;
    }
    (!message.parts.is_empty()).then_some(message)
}

/// Some writers put role and content into the record itself.
fn bare<'a>(record: &Record<'a>) -> Option<Object<'a>> {
    record.members.get("content").map(|_| record.members.clone())
}

impl Transcript<'_> {
    /// Returns the tokens of the context as the service last reported them, if it did.
    pub fn measured_tokens(&self) -> Option<u64> {
        self.messages.iter().rev().find_map(|message| message.usage)
    }

    /// Returns whether a message of this id is live.
    pub fn has(&self, uuid: &str) -> bool {
        self.messages.iter().any(|message| message.uuids().any(|own| own == uuid))
    }

    /// Returns the messages as the JSON list of a Messages API body, ids and times included.
    pub fn to_json(&self) -> String {
        let messages: Vec<_> = self.messages.iter().map(Message::to_json).collect();
        format!("[{}]", messages.join(","))
    }

    /// Returns the number of tool calls and results in the live messages.
    pub fn tool_blocks(&self) -> usize {
        let parts = self.messages.iter().flat_map(|message| &message.parts);
        parts.filter(|part| matches!(part.kind, Kind::ToolUse { .. } | Kind::ToolResult { .. })).count()
    }
}

#[cfg(test)]
mod tests;
