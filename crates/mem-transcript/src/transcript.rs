//! Reads a session file into the messages of its live thread.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::{self, Object};
use crate::message::{Kind, Message, Role, Speaker};
use crate::problem::{Problem, Problems};
use crate::session_file::SessionFile;
use crate::turns;

/// Which agent wrote a session file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// Claude Code: a record a line, threaded by `parentUuid`.
    ClaudeCode,
    /// A rollout of Codex.
    Codex,
    /// A checkpoint of Gemini, or its session with a record a line.
    Gemini,
    /// A list of messages, of the Messages API or of OpenAI's form; or one a line.
    Messages,
    /// Something else. It is not read.
    Unknown,
    /// No record at all.
    #[default]
    Empty,
}

/// The live messages of a session file, borrowed from its live part.
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
    pub subagent: Option<&'a str>,
    /// The session that the last record belongs to.
    pub session: Option<&'a str>,
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

/// Returns whether records of this type are known here.
pub(crate) fn is_known(kind: &str) -> bool {
    KNOWN_TYPES.contains(&kind)
}

impl<'a> Transcript<'a> {
    /// Reads the messages of the live part.
    pub(crate) fn of(file: &'a SessionFile) -> Self {
        let mut problems = Problems::default();
        let records = file.lines.iter().filter_map(|(range, line)| Record::read(&file.text[range.clone()], *line));
        let mut messages = join_lines(records, &mut problems);
        turns::number(&mut messages);
        let boundary = file.boundary.clone().and_then(|range| json::object(&file.text[range]));
        Transcript {
            format: file.format,
            messages,
            boundary: boundary.map(|record| self::boundary(&record)),
            compactions: file.compactions,
            subagent: file.subagent.as_deref(),
            session: file.session.as_deref(),
            dead: file.dead,
            sidechain: file.sidechain,
            records: file.records,
            problems: file.problems.iter().cloned().chain(problems.finish()).collect(),
        }
    }
}

/// One record with its members.
struct Record<'a> {
    kind: Cow<'a, str>,
    line: usize,
    members: Object<'a>,
}

impl<'a> Record<'a> {
    fn read(text: &'a str, line: usize) -> Option<Self> {
        let members = json::object(text)?;
        Some(Record { kind: members.text("type")?, line, members })
    }
}

fn boundary<'a>(record: &Object<'a>) -> Boundary<'a> {
    let metadata = record.get("compactMetadata").and_then(json::object).unwrap_or_default();
    Boundary {
        uuid: record.text("uuid"),
        trigger: metadata.text("trigger"),
        tokens_before: metadata.get("preTokens").and_then(|raw| raw.parse().ok()),
    }
}

/// Makes one message of the lines of one answer, and one of the results of its tools.
fn join_lines<'a>(records: impl Iterator<Item = Record<'a>>, problems: &mut Problems) -> Vec<Message<'a>> {
    let mut messages: Vec<Message<'a>> = Vec::new();
    // Answers of the running turn; a typed message closes them, so that an id used again is another answer.
    let mut answers: HashMap<Cow<'a, str>, usize> = HashMap::new();
    for record in records {
        let Some(message) = read_record(&record) else {
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
