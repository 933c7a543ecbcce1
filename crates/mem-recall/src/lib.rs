//! Chooses the few memories that a prompt needs; none is a fine answer.
//!
//! The ranking itself is in mem-text. Here: what the question is, which memories may be chosen at all, the budgets,
//! and what is said about each choice.

mod args;
mod asked;
mod associations;
mod candidates;
mod choice;
mod cites;
mod decision;
mod held;
mod names;
mod note;
mod pool;
mod prefetch;
mod question;
#[cfg(test)]
mod run_tests;
mod seen;
mod selector;
mod serving;
mod text;
mod tools;

use mem_store::{Memory, World, access};
use mem_types::input::Access;
use mem_types::recall::{PassedOver, Recall, RecallBudget};
use mem_types::{Answer, Document, Failure, Problems};

pub use args::Args;

use decision::Decision;
use pool::Pool;
use seen::Seen;
use serving::Serving;

/// Chooses the memories for the document's prompt.
///
/// # Errors
/// With `bad-value` when a pattern to exclude is none.
pub fn run(args: &Args, document: &Document, world: &World) -> Result<Answer<Recall>, Failure> {
    let mut problems = Problems::new("mem-recall");
    let seen = if args.collect { Seen::of_all_turns(document, world) } else { Seen::read(document, world) };
    let mut recall = Recall { selector: "offline".into(), budget: budget(args, &seen), ..Recall::default() };
    let is_served = match (args.prefetch, args.collect) {
        (true, _) if world.environment().is_background => {
            prefetch::work(args, document, world, &mut problems);
            false
        }
        (true, _) => prefetch::start(args, document, world, &mut recall, &mut problems).map(|()| false)?,
        (_, true) => prefetch::collect(args, document, world, &seen, &mut recall, &mut problems)?,
        (false, false) => match question::of(document, &mut problems) {
            Ok(question) => {
                choose(args, document, world, &question, &seen, &mut recall, &mut problems).map(|()| true)?
            }
            Err(reason) => {
                end(&mut recall, "skipped", &reason);
                true
            }
        },
    };
    if !is_served {
        return Ok(Answer::new(recall, problems, text::render));
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
    let pool = match Pool::read(document, world, problems) {
        Ok(pool) => pool,
        Err(reason) => {
            end(recall, "skipped", &reason);
            return Ok(());
        }
    };
    let mut decision = Decision::of(args, world, question, seen, &pool, problems)?;
    recall.passed_over = std::mem::take(&mut decision.passed_over);
    let mut serving = Serving::new(args, document, world, pool.own(), seen.bytes());
    serving.serve(&decision.eligible, &decision.choice, recall, problems);
    recall.passed_over.extend(decision.ranked_over());
    conclude(recall, &serving, || match args.max_files {
        0 => "no memory is wanted: --max-files 0".into(),
        _ => decision.choice.none_helps(pool.memories().len()),
    });
    recall.why = decision.why(recall);
    recall.selector = decision.choice.selector;
    recall.fallback = decision.choice.fallback;
    recall.usage = decision.choice.usage;
    Ok(())
}

/// Says how it went, now that all is chosen.
fn conclude(recall: &mut Recall, serving: &Serving<'_>, none: impl FnOnce() -> String) {
    if !recall.memories.is_empty() {
        recall.state = "selected".into();
    } else if serving.is_exhausted() {
        end(recall, "budget-exhausted", "the bytes of this session are used up");
    } else {
        end(recall, "nothing", &none());
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
