//! Gathers what a fold needs from the document, the session and the transcript.

use std::borrow::Cow;

use mem_store::World;
use mem_text::tokens::estimate;
use mem_transcript::{Kind, Message, Transcript, read_messages, read_session};
use mem_types::compact::Compact;
use mem_types::extract::Extract;
use mem_types::index::Index;
use mem_types::load::{FileState, Load};
use mem_types::recall::Recall;
use mem_types::{Document, Failure, Problems};
use serde::{Deserialize, Serialize};

use crate::Args;
use crate::circuit;
use crate::compaction::{Request, Unfolded};
use crate::limits::Limits;
use crate::older;

/// Most texts that can be pinned: each is looked for in the whole conversation.
const MAX_PINS: usize = 200;

/// What is kept in `.session.compact`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Session {
    /// Raised by each fold, ours or the agent's own.
    pub epoch: u64,
    /// The agent's own compaction that was seen last in the transcript.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boundary: Option<String>,
    /// The digest of our last fold: the same fold again is not another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Folds that failed, in a row.
    #[serde(skip_serializing_if = "is_zero")]
    pub failures: u32,
    /// Folds after which the window was full again at once, in a row.
    #[serde(skip_serializing_if = "is_zero")]
    pub refills: u32,
    /// Turns that stayed word for word behind the last fold.
    #[serde(skip_serializing_if = "is_none_kept")]
    pub kept_turns: usize,
    /// The turn of the last fold: the same asked again is not counted again.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub turn: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_none_kept(count: &usize) -> bool {
    *count == 0
}

/// Where the conversation comes from.
pub(crate) struct Source<'d> {
    messages: Cow<'d, str>,
    transcript: Option<FromTranscript>,
}

struct FromTranscript {
    boundary: Option<String>,
    /// Tokens that the service counted for the last answer, and the messages behind it are not among them.
    measured: Option<u64>,
    /// How often in a row the agent's own compactions came soon after each other.
    refills: u32,
}

/// The conversation, with what is known of it.
pub(crate) struct Conversation<'s> {
    pub messages: Vec<Message<'s>>,
    /// The session as it came in.
    pub session: Session,
    /// The session's epoch, raised when the transcript has a compaction that was not seen before.
    pub epoch: u64,
    /// The agent's own compaction that stands in the transcript, else the one seen before.
    pub boundary: Option<String>,
    measured: Option<u64>,
    /// How often in a row the agent's own compactions came soon after each other.
    refills: u32,
    /// A guess of the tokens of all messages.
    said: u64,
    /// Whether the messages stand in the document.
    is_given: bool,
    /// Whether they have the form of a chat service.
    is_chat: bool,
}

/// Returns the document's messages, else those of its transcript.
pub(crate) fn source<'d>(document: &'d Document, world: &World, problems: &mut Problems) -> Source<'d> {
    let given = document.get("messages").filter(|raw| *raw != "null");
    let path = document.read::<String>("transcript_path", problems).filter(|path| !path.is_empty());
    let Some(path) = path.map(|path| world.resolve(&path, &world.cwd(document, problems))) else {
        return Source { messages: Cow::Borrowed(given.unwrap_or("[]")), transcript: None };
    };
    let mut file = mem_store::transcript::open(&path, problems);
    let session = file.as_ref().map(read_session).transpose().unwrap_or_else(|error| {
        mem_store::transcript::unreadable(&error, &path, problems);
        None
    });
    let session = session.unwrap_or_default();
    let transcript = session.transcript();
    let messages = given.map_or_else(|| Cow::Owned(transcript.to_json()), Cow::Borrowed);
    if given.is_none() {
        report(&transcript, &path, problems);
    }
    let measured = given.is_none().then(|| measured(&transcript)).flatten();
    let boundary = transcript.boundary.as_ref().and_then(|boundary| boundary.uuid.as_deref()).map(str::to_owned);
    let may_thrash = transcript.compactions > circuit::REFILLS as usize;
    let refills = file.as_mut().filter(|_| may_thrash).and_then(|file| older::refills(file).ok()).unwrap_or_default();
    Source { messages, transcript: Some(FromTranscript { boundary, measured, refills }) }
}

fn report(transcript: &Transcript<'_>, path: &std::path::Path, problems: &mut Problems) {
    for problem in &transcript.problems {
        let message = problem.to_string();
        let entry = match problem.code {
            "unknown-record" | "long-line" => problems.info(problem.code, message),
            code => problems.warning(code, message),
        };
        let entry = entry.path(path.to_string_lossy());
        if let Some(&line) = problem.places.first() {
            entry.line(line);
        }
    }
}

/// What the service counted for the last answer, plus a guess for what was said since.
fn measured(transcript: &Transcript<'_>) -> Option<u64> {
    let last = transcript.messages.iter().rposition(|message| message.usage.is_some())?;
    let since: u64 = transcript.messages[last + 1..].iter().map(tokens).sum();
    transcript.messages[last].usage.map(|usage| usage.saturating_add(since))
}

impl<'s> Conversation<'s> {
    /// Reads the messages and the session.
    pub(crate) fn read(source: &'s Source<'_>, document: &Document, world: &World, problems: &mut Problems) -> Self {
        let read = read_messages(&source.messages);
        for problem in &read.problems {
            match problem.code {
                "bad-value" => problems.warning("foreign-shape", "'messages' is passed over: it is no list"),
                code => problems.warning(code, problem.to_string()),
            };
        }
        let session: Session = world.session_part(document, "compact").unwrap_or_default();
        let found = source.transcript.as_ref().and_then(|transcript| transcript.boundary.clone());
        let is_new = found.is_some() && found != session.boundary;
        Conversation {
            said: read.messages.iter().map(tokens).sum(),
            is_given: matches!(source.messages, Cow::Borrowed(_)),
            is_chat: read.is_chat,
            messages: read.messages,
            epoch: session.epoch + u64::from(is_new),
            boundary: found.or_else(|| session.boundary.clone()),
            measured: source.transcript.as_ref().and_then(|transcript| transcript.measured),
            refills: source.transcript.as_ref().map_or(0, |transcript| transcript.refills),
            session,
        }
    }
}

impl Conversation<'_> {
    /// Returns the session as it is after this answer, in this turn.
    pub(crate) fn session_after(&self, compact: &Compact, turn: &str) -> Session {
        let digest = compact.loss.as_ref().and_then(|_| compact.summaries.last()).map(|summary| summary.id.clone());
        let mut session = Session {
            epoch: compact.epoch,
            boundary: self.boundary.clone(),
            digest: digest.or_else(|| self.session.digest.clone()),
            ..self.session.clone()
        };
        let kept: usize = compact.blocks.iter().filter(|block| block.folded == 0).map(|block| block.turns).sum();
        circuit::note(&mut session, compact, turn, self.turns_since_fold(), kept);
        session
    }

    /// Says that the agent compacts again and again, once for each compaction; nothing when it does not.
    pub(crate) fn thrash(&self) -> Option<String> {
        let is_new = self.boundary != self.session.boundary;
        (is_new && self.refills >= circuit::REFILLS).then(|| circuit::thrash(self.refills))
    }

    fn unfolded(&self, world: &World) -> Unfolded {
        match self {
            _ if self.is_chat => Unfolded::Left,
            _ if self.is_given => Unfolded::Mended,
            _ if world.asks_for_request() && !self.messages.is_empty() => Unfolded::Written,
            _ => Unfolded::Left,
        }
    }

    /// Returns how many turns there were since our last fold, when it stands at the head of the messages.
    fn turns_since_fold(&self) -> Option<usize> {
        let head = self.messages.first()?.uuid.as_deref();
        if head.is_none() || head != self.session.digest.as_deref() {
            return None;
        }
        let turns = mem_transcript::turns(&self.messages[1..]);
        let typed = turns.iter().filter(|turn| turn.typed.is_some()).count();
        Some(typed.saturating_sub(self.session.kept_turns))
    }
}

/// Returns what is asked for.
///
/// # Errors
/// With `bad-value`, see [`crate::run`].
pub(crate) fn request(
    args: &Args,
    document: &Document,
    world: &World,
    conversation: &Conversation<'_>,
    problems: &mut Problems,
) -> Result<Request, Failure> {
    let load: Load = document.read("load", problems).unwrap_or_default();
    let limits = limits(args, document)?;
    let fixed = fixed(document, &load, conversation, &limits, problems);
    let before = before(document);
    let trigger = trigger(args, document, problems);
    Ok(Request {
        budget: budget(args, document)?,
        limits,
        filled: fixed.iter().map(|(_, tokens)| tokens).sum::<usize>() + as_usize(conversation.said),
        fixed,
        hot_turns: args.hot_turns,
        pins: pins(document, &before, problems),
        root: world.project_root(document, problems).to_string_lossy().into_owned(),
        earlier: before.summaries,
        until_touched: until_touched(&load),
        epoch: conversation.epoch,
        refusal: circuit::refusal(&conversation.session, conversation.refills, trigger.is_some()),
        keep_originals: args.keep_originals,
        may_fold: !crate::is_after_compaction(document),
        wants_bodies: args.skill_bodies,
        originals: before.originals,
        unfolded: conversation.unfolded(world),
        trigger,
        last_digest: conversation.session.digest.clone(),
    })
}

/// Returns our own earlier answer. When its shape is foreign, the command line has refused the document already.
pub(crate) fn before(document: &Document) -> Compact {
    document.try_read("compact").ok().flatten().unwrap_or_default()
}

/// The window as a document gives it, each number by itself.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct WindowSize {
    context_tokens: Option<usize>,
    output_reserve_tokens: Option<usize>,
}

fn limits(args: &Args, document: &Document) -> Result<Limits, Failure> {
    let window: WindowSize = number(document, "window")?.unwrap_or_default();
    let context = args.context_tokens.or(window.context_tokens);
    let reserve = args.output_reserve_tokens.or(window.output_reserve_tokens);
    Limits::new(context, reserve).map_err(|reason| {
        Failure::new("bad-value", reason)
            .with_hint("give the window's size in tokens, such as 200000, and less of it as reserve")
    })
}

fn budget(args: &Args, document: &Document) -> Result<Option<usize>, Failure> {
    let given = number(document, "budget")?;
    Ok(args.budget.or(given))
}

fn number<T: serde::de::DeserializeOwned>(document: &Document, key: &str) -> Result<Option<T>, Failure> {
    document.try_read(key).map_err(|reason| {
        Failure::new("bad-value", format!("'{key}' is no number of tokens: {reason}"))
            .with_hint("write tokens as whole numbers, such as 200000")
    })
}

fn trigger(args: &Args, document: &Document, problems: &mut Problems) -> Option<String> {
    let given = document.read::<String>("trigger", problems).filter(|trigger| trigger == "manual");
    given.or_else(|| args.force.then(|| "force".to_owned()))
}

/// A sum of a few of these cannot overflow.
fn as_usize(tokens: u64) -> usize {
    usize::try_from(tokens).unwrap_or(usize::MAX).min(usize::MAX / 16)
}

/// Returns the tokens of what is in the window beside the messages. What the service counted and nothing here explains,
/// such as the agent's own system prompt and tools, is `other`.
fn fixed(
    document: &Document,
    load: &Load,
    conversation: &Conversation<'_>,
    limits: &Limits,
    problems: &mut Problems,
) -> Vec<(&'static str, usize)> {
    let raw = |key: &str| document.get(key).filter(|raw| *raw != "null").map_or(0, estimate);
    let index: Index = document.read("index", problems).unwrap_or_default();
    let recall: Recall = document.read("recall", problems).unwrap_or_default();
    let parts = [
        ("system", raw("system")),
        ("tools", raw("tools")),
        ("instructions", load.tokens),
        ("index", estimate(&index.text)),
        ("recall", recall.memories.iter().map(|memory| estimate(&memory.text)).sum()),
    ];
    let known = parts.iter().map(|(_, tokens)| tokens).sum::<u64>() + conversation.said;
    // What was measured in a larger window than this says nothing about this one. That it was larger shows also when what
    // nothing here explains would fill this one alone: no fold could help then, and all would be folded for nothing.
    let fits =
        |tokens: u64| tokens <= limits.context_tokens as u64 && tokens.saturating_sub(known) < limits.threshold as u64;
    let measured = conversation.measured.filter(|&tokens| fits(tokens));
    if let Some(tokens) = conversation.measured.filter(|_| measured.is_none()) {
        problems
            .info(
                "measured-elsewhere",
                format!("{tokens} tokens were measured, more than the window has room for; they are guessed instead"),
            )
            .hint("give the size of the window with --context-tokens");
    }
    let other = ("other", measured.unwrap_or(0).saturating_sub(known));
    parts.into_iter().chain([other]).map(|(part, tokens)| (part, as_usize(tokens))).collect()
}

/// Guesses the tokens of a message as a tokenizer would count them.
fn tokens(message: &Message<'_>) -> u64 {
    let part = |part: &mem_transcript::Part<'_>| match &part.kind {
        Kind::Text(text) | Kind::Thinking(text) => estimate(text),
        Kind::ToolUse { name, input, .. } => estimate(name) + estimate(input) + mem_transcript::TOOL_TOKENS as u64,
        Kind::Image { .. } => mem_transcript::IMAGE_TOKENS as u64,
        Kind::ToolResult { parts, .. } => {
            let images = parts.iter().filter(|part| matches!(part.kind, Kind::Image { .. })).count();
            estimate(&part.text()) + (mem_transcript::TOOL_TOKENS + images * mem_transcript::IMAGE_TOKENS) as u64
        }
        Kind::RedactedThinking | Kind::Other { .. } => estimate(part.raw),
    };
    mem_transcript::MESSAGE_TOKENS as u64 + message.parts.iter().map(part).sum::<u64>()
}

/// Returns the caller's pins, those of earlier folds, and the rules of this session, each once.
fn pins(document: &Document, before: &Compact, problems: &mut Problems) -> Vec<String> {
    let given: Vec<String> = document.read("pins", problems).unwrap_or_default();
    let extract: Extract = document.read("extract", problems).unwrap_or_default();
    let rules = extract.session_rules.into_iter().map(|rule| rule.text);
    let mut pins: Vec<String> = Vec::new();
    for pin in given.into_iter().chain(before.pins.iter().cloned()).chain(rules) {
        if pin.trim().is_empty() || pins.contains(&pin) {
            continue;
        }
        if pins.len() < MAX_PINS {
            pins.push(pin);
        } else {
            problems
                .warning("too-many-pins", format!("a pin of {} bytes is left out, {MAX_PINS} are kept", pin.len()))
                .hint("put what belongs together into one pin");
        }
    }
    pins
}

/// Returns the instructions that touched files brought: after a fold they are gone until the next touch.
fn until_touched(load: &Load) -> Vec<String> {
    let comes_by_touch = |scope: &str| matches!(scope, "paths" | "folder");
    let active = load.files.iter().filter(|file| file.state == FileState::Active && comes_by_touch(&file.scope));
    active.map(|file| file.path.clone()).collect()
}
