//! Layer 5: folds the old part of a conversation into its points when the window is full, and keeps the rest as it is.
//!
//! Without a model sentences are chosen, not written. What was chosen stands in one digest at the head of the messages;
//! everything from the cut on keeps its bytes.

pub mod args;
mod author;
mod choice;
mod circuit;
mod collect;
mod compaction;
mod digest;
mod dropped;
mod expand;
mod files;
mod fold;
mod gather;
mod give_back;
mod limits;
mod loss;
mod mend;
mod older;
mod plan;
mod points;
mod reload;
mod restore;
mod sentences;
mod shape;
mod slots;
mod snapshot;
mod text;
mod whole;
mod words;

use std::path::Path;

use mem_llm::Model;
use mem_store::World;
use mem_types::compact::{Compact, Loss};
use mem_types::{Answer, Document, Failure, Problems};

use crate::author::Author;
use crate::gather::Conversation;
use crate::mend::Mended;
use crate::snapshot::Snapshot;

pub use args::Args;

/// Returns what becomes of the document's conversation, with the messages when they were folded.
///
/// # Errors
/// With `bad-value` when the window or the budget is no number of tokens, or leaves no room; with `bad-snapshot` when a
/// snapshot that is to be read holds none.
pub fn run(args: &Args, document: &Document, world: &World) -> Result<Answer<Compact>, Failure> {
    match (&args.expand, &args.resume) {
        (Some(id), _) => expanded(id, args, document, world),
        (None, Some(file)) => resumed(file, document, world),
        (None, None) => folded(args, document, world),
    }
}

fn folded(args: &Args, document: &Document, world: &World) -> Result<Answer<Compact>, Failure> {
    let mut problems = Problems::new("mem-compact");
    let source = gather::source(document, world, &mut problems);
    let conversation = Conversation::read(&source, document, world, &mut problems);
    let request = gather::request(args, document, world, &conversation, &mut problems)?;
    let author = args.model.asking(world.environment()).map(|asking| Author::new(Model::new(asking)));
    let compacted = compaction::compact(&conversation.messages, &request, author.as_ref(), |messages, room| {
        restore::restore(document, world, messages, room)
    });
    report(&compacted.compact, &mut problems);
    if let Some(reason) = conversation.thrash().filter(|_| compacted.compact.state != "thrash") {
        problems.warning("thrash", reason).hint("give a larger window, or look at what fills it: --format text");
    }
    report_mended(&compacted.mended, &mut problems);
    let session = conversation.session_after(&compacted.compact, &world.turn(document));
    let is_news = session != conversation.session;
    let mut compact = compacted.compact;
    if let Some(author) = author {
        report_author(author, &mut compact, &mut problems);
    }
    if compact.loss.is_some() {
        let load = document.try_read("load").ok().flatten().unwrap_or_default();
        compact.reloaded = Some(reload::reload(document, &load, world, &mut problems));
    }
    if is_after_compaction(document) {
        compact.given_back = give_back::give_back(document, &request.pins, &request.root, world);
    }
    let mut is_undone = false;
    if let Some(file) = args.snapshot.as_ref().filter(|_| world.may_write()) {
        let snapshot = Snapshot::of(&conversation.messages, &compact, document, world);
        is_undone = !save(snapshot, file, &mut compact, world, &mut problems);
    }
    let mut answer = Answer::new(compact, problems, text::render);
    answer.messages = compacted.messages;
    answer.is_undone = is_undone;
    Ok(if is_news { answer.keep(&session) } else { answer })
}

/// Tells what asking the model has cost, and where it failed.
fn report_author(author: Author, compact: &mut Compact, problems: &mut Problems) {
    let usage = author.usage.into_inner();
    compact.usage = (usage.requests > 0).then_some(usage);
    for (code, words, hint) in author.faults.into_inner() {
        problems.warning(&code, words).hint(hint);
    }
}

/// Whether the agent begins again after a compaction of its own.
fn is_after_compaction(document: &Document) -> bool {
    let is = |key: &str, word: &str| document.try_read::<String>(key).ok().flatten().as_deref() == Some(word);
    is("hook_event_name", "SessionStart") && is("source", "compact")
}

/// Writes the snapshot; says whether it was written.
fn save(mut snapshot: Snapshot, file: &Path, compact: &mut Compact, world: &World, problems: &mut Problems) -> bool {
    let path = world.resolve(&file.to_string_lossy(), &world.environment().started_in);
    if let Ok(older) = Snapshot::read(&path) {
        snapshot.keep_older(older);
    }
    match snapshot.write(&path) {
        Ok(()) => {
            compact.snapshot = Some(snapshot.note(&path, "written"));
            true
        }
        Err(reason) => {
            problems.error("snapshot-not-written", reason).hint("name a file in a folder that can be written");
            false
        }
    }
}

/// Gives back what a summary stands for, and changes nothing else.
fn expanded(id: &str, args: &Args, document: &Document, world: &World) -> Result<Answer<Compact>, Failure> {
    let mut problems = Problems::new("mem-compact");
    let started_in = &world.environment().started_in;
    let file = args.snapshot.as_ref().map(|file| world.resolve(&file.to_string_lossy(), started_in));
    let snapshot = file.as_deref().map(Snapshot::read).transpose()?;
    let before = gather::before(document);
    let places = expand::Places { document, world, before: &before, snapshot: snapshot.as_ref() };
    let expanded = expand::expand(id, &places, &mut problems);
    let is_undone = !expanded.missing.is_empty();
    for missing in &expanded.missing {
        let name = mem_types::to_json(&missing.id);
        problems.error("original-missing", format!("the message {name} is {}", missing.reason)).hint(
            "name the snapshot with --snapshot, the transcript with 'transcript_path', or fold with --keep-originals",
        );
    }
    let compact = Compact { state: "expanded".into(), reason: None, expanded: Some(expanded), ..before };
    let mut answer = Answer::new(compact, problems, text::render);
    answer.is_undone = is_undone;
    Ok(answer)
}

/// Takes up a session where its snapshot was made.
fn resumed(file: &Path, document: &Document, world: &World) -> Result<Answer<Compact>, Failure> {
    let mut problems = Problems::new("mem-compact");
    let path = world.resolve(&file.to_string_lossy(), &world.environment().started_in);
    let snapshot = Snapshot::read(&path)?;
    snapshot.report_changes(document, world, &mut problems);
    let session: gather::Session = world.session_part(document, "compact").unwrap_or_default();
    let epoch = session.epoch.max(snapshot.epoch) + 1;
    let compact = Compact {
        state: "resumed".into(),
        snapshot: Some(snapshot.note(&path, "read")),
        summaries: snapshot.summaries.clone(),
        originals: snapshot.originals.clone(),
        pins: snapshot.pins.clone(),
        epoch,
        ..Compact::default()
    };
    let mut answer = Answer::new(compact, problems, text::render);
    answer.messages = Some(snapshot.messages.text().to_owned());
    Ok(answer.keep(&gather::Session { epoch, ..session }))
}

/// Adds what went wrong in a fold: a broken budget, and what was pinned and no longer stands.
fn report(compact: &Compact, problems: &mut Problems) {
    if matches!(compact.state.as_str(), "circuit-open" | "thrash") {
        let reason = compact.reason.as_deref().unwrap_or_default();
        problems
            .error(&compact.state, reason)
            .hint("fold by hand with --force, give a larger window, or begin a new session");
    }
    if compact.state == "over-budget" {
        let reason = compact.reason.as_deref().unwrap_or_default();
        problems
            .error("over-budget", format!("the messages have {} tokens: {reason}", compact.tokens_after))
            .hint("give a larger budget, or let the user say something new before the next fold");
    }
    if let Some(loss) = &compact.loss {
        report_loss(loss, problems);
    }
}

/// Most messages without content that are named.
const NAMED: usize = 20;

/// Tells what the messages lacked to be a request that a service takes.
fn report_mended(mended: &Mended, problems: &mut Problems) {
    let Mended { unanswered, orphans, rewritten, halves, joined, parted, moved, is_begun, left_out } = mended;
    let told = [
        (*unanswered, "unanswered-call", "calls of tools had no result and got a placeholder"),
        (*orphans, "orphan-result", "results of tools had no call and became texts"),
        (
            *rewritten,
            "odd-block",
            "messages had blocks that no service takes there; they became texts, empty ones went",
        ),
        (*halves, "half-character", "messages held half a character, which became U+FFFD"),
        (*joined, "joined-messages", "messages were joined to the one of the same role before"),
        (*parted, "two-user-messages", "short answers were put between two messages of the user"),
        (*moved, "moved-result", "messages were moved so that results stand behind their calls"),
        (usize::from(*is_begun), "no-user-first", "message was put before the first, which is the model's"),
        (left_out.len().saturating_sub(NAMED), "empty-message", "more messages had no content and are left out"),
    ];
    for (at, bytes) in left_out.iter().take(NAMED) {
        problems.info("empty-message", format!("message {at} of {bytes} bytes has no content and is left out"));
    }
    for (count, code, what) in told.into_iter().filter(|(count, _, _)| *count > 0) {
        problems.info(code, format!("{count} {what}"));
    }
}

fn report_loss(loss: &Loss, problems: &mut Problems) {
    for (kind, lost) in [("pin", &loss.pins), ("wish of the user", &loss.wishes), ("open task", &loss.tasks)] {
        for text in &lost.lost {
            let bytes = text.len();
            problems
                .error("pin-lost", format!("a {kind} of {bytes} bytes had no room in the budget: {text}"))
                .hint("give a larger budget");
        }
    }
}
