//! Finds the user's own words in the document's conversation, from the cursor on.

use std::borrow::Cow;
use std::path::Path;

use jiff::{Timestamp, ZonedDateTime};
use mem_store::World;
use mem_transcript::{Kind, Message, Role, Turn};
use mem_types::{Document, Problems};

use crate::claims::Claim;
use crate::policy::Policy;
use crate::quarantine::{self, Quarantined};
use crate::reading::Utterance;

/// What was said since the cursor.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    /// What the user typed, in order.
    pub utterances: Vec<Utterance>,
    /// A sentence that is to be saved as it is.
    pub remember: Option<Utterance>,
    /// How many messages the user typed.
    pub typed: usize,
    /// The last message: its uuid, else its number.
    pub cursor: Option<String>,
    /// A memory that the agent wrote itself.
    pub written_by_agent: Option<String>,
    /// What stands in the daily logs as a memory.
    pub noted: Vec<Claim>,
    /// What the project wants remembered besides, and what never.
    pub policy: Policy,
    /// What reads like an instruction and stands in the output of tools.
    pub quarantined: Vec<Quarantined>,
}

impl Conversation {
    /// Returns the conversation with nothing but the sentence that is to be saved as it is.
    pub fn only_remembered(&self) -> Conversation {
        Conversation { remember: self.remember.clone(), ..Conversation::default() }
    }
}

/// Returns what was said behind the message that `cursor` names.
pub fn read(
    document: &Document,
    world: &World,
    memory_dir: &Path,
    cursor: Option<&str>,
    problems: &mut Problems,
) -> Conversation {
    let mut conversation = match document.list("messages", problems) {
        Some(raw) => {
            let read = mem_transcript::read_messages(raw);
            note(&read.problems, problems);
            since(&read.messages, cursor, world, memory_dir, problems)
        }
        None => of_transcript(document, world, memory_dir, cursor, problems),
    };
    conversation.remember = remembered(document, world, problems);
    add_prompt(document, world, &mut conversation);
    conversation
}

fn of_transcript(
    document: &Document,
    world: &World,
    memory_dir: &Path,
    cursor: Option<&str>,
    problems: &mut Problems,
) -> Conversation {
    let Some(path) = document.read::<String>("transcript_path", problems).filter(|path| !path.is_empty()) else {
        return Conversation::default();
    };
    let path = world.resolve(&path, &world.environment().started_in);
    let Some(file) = mem_store::transcript::open(&path, problems) else { return Conversation::default() };
    let session = match mem_transcript::read_session(file) {
        Ok(session) => session,
        Err(error) => {
            mem_store::transcript::unreadable(&error, &path, problems);
            return Conversation::default();
        }
    };
    let transcript = session.transcript();
    note(&transcript.problems, problems);
    if transcript.subagent.is_some() {
        problems.info("subagent-transcript", "a subagent's session file holds no words of the user");
        return Conversation::default();
    }
    since(&transcript.messages, cursor, world, memory_dir, problems)
}

fn note(found: &[mem_transcript::Problem], problems: &mut Problems) {
    for problem in found {
        problems.info(problem.code, format!("{} ({} times)", problem.message, problem.count));
    }
}

fn since(
    messages: &[Message<'_>],
    cursor: Option<&str>,
    world: &World,
    memory_dir: &Path,
    problems: &mut Problems,
) -> Conversation {
    let start = start(messages, cursor, problems);
    let mut conversation = Conversation {
        cursor: messages.len().checked_sub(1).map(|last| id(messages, last)),
        written_by_agent: written_by_agent(messages, start, memory_dir),
        quarantined: quarantine::find(messages, start),
        ..Conversation::default()
    };
    for turn in mem_transcript::turns(messages) {
        if turn.messages.end > start && !mem_transcript::was_interrupted(messages, &turn) {
            take_turn(messages, &turn, start, world, &mut conversation);
        }
    }
    conversation
}

/// Returns the number of the first message that is new. A cursor that is gone was compacted or rewound away: then
/// all that is live is new.
fn start(messages: &[Message<'_>], cursor: Option<&str>, problems: &mut Problems) -> usize {
    let Some(cursor) = cursor else { return 0 };
    if let Some(at) = messages.iter().rposition(|message| message.uuids().any(|uuid| uuid == cursor)) {
        return at + 1;
    }
    let by_number =
        cursor.parse().ok().filter(|number: &usize| messages.get(*number).is_some_and(|m| m.uuid.is_none()));
    by_number.map_or_else(
        || {
            let message = "the message read last is no longer there; what is live now is read from its start";
            problems.info("cursor-gone", message);
            0
        },
        |number| number + 1,
    )
}

fn id(messages: &[Message<'_>], at: usize) -> String {
    let message = &messages[at];
    message.joined.last().or(message.uuid.as_ref()).map_or_else(|| at.to_string(), ToString::to_string)
}

fn take_turn(messages: &[Message<'_>], turn: &Turn, start: usize, world: &World, conversation: &mut Conversation) {
    for at in turn.messages.clone().filter(|at| *at >= start) {
        let message = &messages[at];
        if !message.is_typed() {
            continue;
        }
        conversation.typed += 1;
        let before = said_before(messages, at);
        for text in typed_texts(message) {
            conversation.utterances.push(Utterance {
                id: message.uuid.as_deref().map_or_else(|| at.to_string(), str::to_owned),
                text: text.into_owned(),
                moment: Some(moment(message.timestamp.as_deref(), world)),
                before: before.clone(),
            });
        }
    }
}

fn typed_texts<'m>(message: &'m Message<'_>) -> impl Iterator<Item = Cow<'m, str>> {
    message.parts.iter().filter_map(|part| match &part.kind {
        Kind::Text(text) => Some(mem_transcript::without_host_blocks(text))
            .filter(|text| !text.trim().is_empty() && !mem_transcript::is_host_text(text)),
        _ => None,
    })
}

/// Returns the assistant's last words before a message.
fn said_before(messages: &[Message<'_>], at: usize) -> String {
    let earlier = messages[..at].iter().rev().take(50).filter(|message| message.role == Role::Assistant);
    earlier.map(|message| message.text().into_owned()).find(|text| !text.trim().is_empty()).unwrap_or_default()
}

/// Returns when a message was written, as people in the user's zone speak of it.
fn moment(timestamp: Option<&str>, world: &World) -> ZonedDateTime {
    let now = world.now().zoned();
    let said = timestamp.and_then(|text| text.parse::<Timestamp>().ok());
    said.map_or_else(|| now.clone(), |said| said.to_zoned_datetime(now.time_zone().clone()))
}

/// Returns a file of the memory folder that the agent has written since `start`, if the write went well.
fn written_by_agent(messages: &[Message<'_>], start: usize, memory_dir: &Path) -> Option<String> {
    let folder = memory_dir.to_string_lossy();
    let written = mem_transcript::files_written_in(messages, &folder);
    let done = written.into_iter().find(|touch| touch.message >= start && !has_failed(messages, touch))?;
    Some(done.path)
}

fn has_failed(messages: &[Message<'_>], touch: &mem_transcript::Touch) -> bool {
    let calls = messages[touch.message].parts.iter().filter_map(|part| match &part.kind {
        Kind::ToolUse { id, name, .. } if *name == touch.tool => Some(id.as_ref()),
        _ => None,
    });
    let calls: Vec<&str> = calls.collect();
    let later = messages[touch.message..].iter().flat_map(|message| &message.parts);
    later.into_iter().any(|part| match &part.kind {
        Kind::ToolResult { id, is_error, .. } => *is_error && calls.contains(&id.as_ref()),
        _ => false,
    })
}

fn remembered(document: &Document, world: &World, problems: &mut Problems) -> Option<Utterance> {
    let text = document.read::<String>("remember", problems).filter(|text| !text.trim().is_empty())?;
    Some(said_now("remember", text, world))
}

/// What the user says now counts too, unless it stands among the messages or a hook sends it before the answer.
fn add_prompt(document: &Document, world: &World, conversation: &mut Conversation) {
    let prompt: Option<String> = document.try_read("prompt").ok().flatten();
    let prompt = prompt.map(|prompt| mem_transcript::without_host_blocks(&prompt).into_owned());
    let Some(prompt) = prompt.filter(|prompt| !prompt.trim().is_empty()) else { return };
    let is_there = conversation.utterances.iter().any(|utterance| utterance.text.trim() == prompt.trim());
    if !is_there && !document.has("hook_event_name") && !mem_transcript::is_host_text(&prompt) {
        conversation.typed += 1;
        conversation.utterances.push(said_now("prompt", prompt, world));
    }
}

fn said_now(id: &str, text: String, world: &World) -> Utterance {
    Utterance { id: id.into(), text, moment: Some(world.now().zoned().clone()), before: String::new() }
}
