//! Layer 5: folds the old part of a conversation into its points when the window is full, and keeps the rest as it is.
//!
//! No model is asked: sentences are chosen, not written. What was chosen stands in one digest at the head of the messages;
//! everything from the cut on keeps its bytes.

pub mod args;
mod choice;
mod collect;
mod compaction;
mod digest;
mod dropped;
mod files;
mod fold;
mod gather;
mod limits;
mod loss;
mod mend;
mod plan;
mod points;
mod sentences;
mod slots;
mod text;
mod words;

use mem_store::World;
use mem_types::compact::{Compact, Loss};
use mem_types::{Answer, Document, Failure, Problems};

use crate::gather::Conversation;
use crate::mend::Mended;

pub use args::Args;

/// Returns what becomes of the document's conversation, with the messages when they were folded.
///
/// # Errors
/// With `bad-value` when the window or the budget is no number of tokens, or leaves no room.
pub fn run(args: &Args, document: &Document, world: &World) -> Result<Answer<Compact>, Failure> {
    let mut problems = Problems::new("mem-compact");
    let source = gather::source(document, world, &mut problems);
    let conversation = Conversation::read(&source, document, world, &mut problems);
    let request = gather::request(args, document, world, &conversation, &mut problems)?;
    let compacted = compaction::compact(&conversation.messages, &request, |messages| {
        gather::last_used(document, world, messages, &mut Problems::default())
    });
    report(&compacted.compact, &mut problems);
    report_mended(&compacted.mended, &mut problems);
    let session = conversation.session_after(&compacted.compact);
    let is_news = session != conversation.session;
    let mut answer = Answer::new(compacted.compact, problems, text::render);
    answer.messages = compacted.messages;
    Ok(if is_news { answer.keep(&session) } else { answer })
}

/// Adds what went wrong in a fold: a broken budget, and what was pinned and no longer stands.
fn report(compact: &Compact, problems: &mut Problems) {
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

/// Tells what the messages lacked to be a request that a service takes.
fn report_mended(mended: &Mended, problems: &mut Problems) {
    let Mended { unanswered, orphans, left_out } = *mended;
    let told = [
        (unanswered, "unanswered-call", "calls of tools had no result and got a placeholder"),
        (orphans, "orphan-result", "results of tools had no call and became texts"),
        (left_out, "empty-message", "messages had no content and are left out"),
    ];
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
