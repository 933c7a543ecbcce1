//! Chooses the few memories that a prompt needs; none is a fine answer.
//!
//! The ranking itself is in mem-text. Here: what the question is, which memories may be chosen at all, the budgets,
//! and what is said about each choice.

mod args;
mod asked;
mod candidates;
mod choice;
mod cites;
mod names;
mod note;
mod question;
#[cfg(test)]
mod run_tests;
mod seen;
mod selector;
mod serving;
mod text;
mod tools;

use mem_store::{Memory, Scan, World, access};
use mem_text::rank::{self, Item, Ranking};
use mem_types::input::Access;
use mem_types::recall::{PassedOver, Recall, RecallBudget};
use mem_types::{Answer, Document, Failure, Problems};

pub use args::Args;

use candidates::Candidates;
use choice::Choice;
use seen::Seen;
use selector::{Selector, Wanted};
use serving::Serving;

/// More hits than any turn can use: what is over the limit of files must still be there to be named.
const MOST_HITS: usize = 64;
/// In a larger folder the words of what somebody else chose are not told: every memory's would have to be found first.
const MOST_TOLD: usize = 10_000;

/// Chooses the memories for the document's prompt.
///
/// # Errors
/// With `bad-value` when a pattern to exclude is none.
pub fn run(args: &Args, document: &Document, world: &World) -> Result<Answer<Recall>, Failure> {
    let mut problems = Problems::new("mem-recall");
    let seen = Seen::read(document, world);
    let mut recall = Recall { selector: "offline".into(), budget: budget(args, &seen), ..Recall::default() };
    match question::of(document, &mut problems) {
        Ok(question) => choose(args, document, world, &question, &seen, &mut recall, &mut problems)?,
        Err(reason) => end(&mut recall, "skipped", &reason),
    }
    if recall.why.is_empty() {
        recall.why = args.why.iter().map(|path| asked::unranked(path, &recall)).collect();
    }
    let is_undone = args.record && !record(&recall, document, world, &mut problems)?;
    let session = seen.with(&recall, document, world);
    let mut answer = Answer::new(recall, problems, text::render);
    answer.is_undone = is_undone;
    Ok(match session {
        Some(part) => answer.keep(&part),
        None => answer,
    })
}

/// Records what was chosen in one's own folder; says whether all went well.
fn record(recall: &Recall, document: &Document, world: &World, problems: &mut Problems) -> Result<bool, Failure> {
    world.check_target()?;
    let own = world.memory_folders(document, &mut Problems::default()).into_iter().next();
    let Some(folder) = own.filter(|folder| world.may_write() && folder.exists()) else { return Ok(true) };
    let chosen = recall.memories.iter().filter(|memory| memory.dir.is_none());
    let now = Some(world.now().to_rfc3339());
    let uses: Vec<Access> =
        chosen.map(|memory| Access { path: memory.path.clone(), count: 1, last: now.clone() }).collect();
    let recorded = access::record(&folder, &uses);
    if let Err(reason) = &recorded {
        problems.error("use-not-recorded", reason.clone()).path(".mem/access.jsonl");
    }
    Ok(recorded.is_ok())
}

fn choose(
    args: &Args,
    document: &Document,
    world: &World,
    question: &str,
    seen: &Seen,
    recall: &mut Recall,
    problems: &mut Problems,
) -> Result<(), Failure> {
    let folders = world.memory_folders(document, problems);
    if let Some((_, reason)) = folders.first().and_then(|folder| folder.closed.as_ref()) {
        end(recall, "skipped", reason);
        return Ok(());
    }
    let memories: Vec<Memory> = folders.iter().flat_map(|folder| folder.memories(Scan::Whole, problems)).collect();
    let own = folders.first().map(|folder| folder.dir.as_path());
    let tools = tools::used_lately(document, problems);
    let candidates = Candidates::new(args, own, seen, &tools, world.now())?;
    let (eligible, passed_over) = candidates.sort_out(&memories);
    recall.passed_over = passed_over;
    let asked = asked::Asked::new(&args.why, &memories, &eligible);
    let has_room = args.max_files > 0 && seen.bytes() < args.session_bytes;
    let selector = Selector::of(args, world.environment()).filter(|_| has_room && !eligible.is_empty());
    let all: Vec<usize> = (0..eligible.len()).filter(|_| selector.is_some() && eligible.len() <= MOST_TOLD).collect();
    let ranking = rank(&eligible, question, if all.is_empty() { asked.told() } else { &all });
    let choice = match &selector {
        None => Choice::offline(&ranking),
        Some(selector) => {
            let wanted = Wanted { question, tools: &tools, max_files: args.max_files, now: world.now() };
            Choice::asked(selector, &wanted, &eligible, &ranking, problems)
        }
    };
    let mut serving = Serving::new(args, document, world, own, seen.bytes());
    serving.serve(&eligible, &choice, recall, problems);
    conclude(recall, &choice, &serving, memories.len());
    recall.why = asked.answer(&ranking, &candidates, &eligible, recall);
    recall.selector = choice.selector;
    recall.fallback = choice.fallback;
    recall.usage = choice.usage;
    Ok(())
}

fn rank(memories: &[&Memory], question: &str, told: &[usize]) -> Ranking {
    let triggers: Vec<String> = memories.iter().map(|memory| memory.triggers.join("\n")).collect();
    let items: Vec<Item<'_>> =
        memories.iter().zip(&triggers).map(|(memory, triggers)| item(memory, triggers)).collect();
    rank::rank(&items, question, &rank::Options { limit: MOST_HITS, told, ..rank::Options::default() })
}

fn item<'a>(memory: &'a Memory, triggers: &'a str) -> Item<'a> {
    Item {
        path: &memory.path,
        name: &memory.name,
        description: &memory.description,
        kind: memory.kind.as_deref().unwrap_or_default(),
        triggers,
        body: memory.body(),
    }
}

/// Says how it went, now that all is chosen.
fn conclude(recall: &mut Recall, choice: &Choice, serving: &Serving<'_>, found: usize) {
    if !recall.memories.is_empty() {
        recall.state = "selected".into();
    } else if serving.is_exhausted() {
        end(recall, "budget-exhausted", "the bytes of this session are used up");
    } else if found == 0 {
        end(recall, "nothing", "there are no memories yet");
    } else if let Some(shown) = choice.shown {
        end(recall, "nothing", &format!("the {} chose none of {shown} memories", choice.selector));
    } else {
        end(recall, "nothing", &format!("none of {found} memories helps with this prompt"));
    }
}

fn end(recall: &mut Recall, state: &str, reason: &str) {
    recall.state = state.into();
    recall.reason = Some(reason.into());
}

fn budget(args: &Args, seen: &Seen) -> RecallBudget {
    RecallBudget {
        max_files: args.max_files,
        max_bytes: args.max_bytes,
        session_bytes: args.session_bytes,
        used_bytes: 0,
        used_session_bytes: seen.bytes(),
    }
}

/// Returns an entry for a memory that was not chosen.
fn passed_over(memory: &Memory, why: impl Into<String>) -> PassedOver {
    PassedOver { path: memory.path.clone(), why: why.into() }
}
