//! Ageing: tells which memories are stale, false, double or done, and plans what to do about it. Changes what it is
//! asked to change, and takes it back.

mod apply;
pub mod args;
mod author;
mod citations;
mod commands;
mod deadline;
mod deeds;
mod forget;
mod history;
mod judge;
mod memory;
mod merge;
mod plan;
mod presence;
mod purge;
mod relations;
mod restore;
mod strength;
mod text;
mod versions;

use std::collections::BTreeMap;

use jiff::Timestamp;
use mem_store::{MemoryFolder, Scan, World};
use mem_types::age::{Action, Age, AgedMemory};
use mem_types::input::Forget;
use mem_types::{Answer, Document, Failure, Problems};

use crate::deeds::Deeds;
use crate::judge::{Evidence, Limits};
use crate::memory::Memory;
use crate::plan::Room;
use crate::presence::Cited;
use crate::strength::Use;

pub use args::Args;

/// Judges the memories of the document's own folder, plans what to do about them, and does what the options ask for.
///
/// # Errors
/// When something is to be changed and nobody said where, the folder is no memory folder, or the disk fails.
pub fn run(args: &Args, document: &Document, world: &World) -> Result<Answer<Age>, Failure> {
    let mut problems = Problems::new("mem-age");
    let folders = world.memory_folders(document, &mut problems);
    let Some(folder) = folders.first() else {
        return Ok(Answer::new(Age::default(), problems, text::render));
    };
    if let Some((code, reason)) = &folder.closed {
        problems.info(code, reason);
    }
    let mut age = Age::default();
    let deeds = Deeds { args, folder, document, world };
    deeds.before(&mut age, &mut problems)?;
    judge_and_plan(args, folder, document, world, &mut age, &mut problems)?;
    deeds.after(&mut age, &mut problems)?;
    let is_undone = apply::report(&age.actions, &mut problems) || deeds::report(&age.done, &mut problems);
    Ok(Answer { is_undone, ..Answer::new(age, problems, text::render) })
}

fn judge_and_plan(
    args: &Args,
    folder: &MemoryFolder,
    document: &Document,
    world: &World,
    age: &mut Age,
    problems: &mut Problems,
) -> Result<(), Failure> {
    let stored = folder.memories(Scan::Whole, problems);
    let mut memories: Vec<Memory> = stored.iter().map(Memory::of).collect();
    if args.git {
        history::date(&mut memories, &folder.dir, problems);
    }
    let evidence = evidence(args, &memories, folder, document, world, problems);
    let relations = relations::of(&memories);
    let limits = Limits { stale_days: args.stale_days, unused_days: args.unused_days, form: args.strength };
    age.memories = judge::all(&memories, &evidence, &relations, limits, world.now().zoned());
    report_future(&age.memories, problems);
    age.index_age_days = index_age(folder, world, args.stale_days, problems);
    if let Some(name) = &args.history {
        age.history = versions::of(name, &memories, &relations, folder, world)?;
    }
    if args.undo || args.restore.is_some() || args.purge.is_some() {
        return Ok(());
    }
    let wishes = document.read::<Forget>("forget", problems).map(Forget::into_list).unwrap_or_default();
    let asked = forget::actions(wishes, &memories, problems);
    let room = Room { max_files: args.max_files, max_removed_percent: percent(args) };
    let hash = |place: usize| stored[place].sha256();
    age.actions = plan::plan(&memories, &age.memories, room, asked, hash, problems);
    // The plan in a document is carried out as it stands.
    let is_given = args.apply && document.get("age").is_some();
    if let Some(asking) = args.model.asking(world.environment()).filter(|_| !is_given) {
        let files = stored.iter().map(|memory| (memory.path.as_str(), memory.text.clone())).collect();
        age.usage = author::write_bodies(&mut age.actions, files, asking, problems);
    }
    Ok(())
}

fn percent(args: &Args) -> usize {
    usize::try_from(args.max_removed).unwrap_or(100)
}

/// Returns the actions that stand in the document, perhaps edited; nothing when there is no plan in it.
fn given_actions(document: &Document, problems: &mut Problems) -> Option<Vec<Action>> {
    let age = Document::parse(document.get("age")?).ok()?;
    age.read::<Vec<Action>>("actions", problems)
}

/// Gathers for each memory its recorded uses and what it cites.
fn evidence(
    args: &Args,
    memories: &[Memory],
    folder: &MemoryFolder,
    document: &Document,
    world: &World,
    problems: &mut Problems,
) -> Vec<Evidence> {
    let mut uses = uses(folder, document, problems);
    let cited = presence::of(memories, args.git, document, world, problems);
    let of_one = |(memory, cited): (&Memory, Cited)| Evidence {
        uses: uses.remove(&memory.path).unwrap_or_default(),
        missing: cited.missing,
        cites: cited.cites,
    };
    memories.iter().zip(cited).map(of_one).collect()
}

/// Returns the recorded uses by path; a record without a readable time says nothing.
fn uses(folder: &MemoryFolder, document: &Document, problems: &mut Problems) -> BTreeMap<String, Vec<Use>> {
    let mut uses: BTreeMap<String, Vec<Use>> = BTreeMap::new();
    for access in mem_store::access::uses(folder, document, problems) {
        let at: Option<Timestamp> = access.last.as_deref().and_then(mem_store::moment::parse_date);
        if let Some(at) = at {
            uses.entry(access.path).or_default().push(Use { at, count: access.count });
        }
    }
    uses
}

fn report_future(judged: &[AgedMemory], problems: &mut Problems) {
    for memory in judged {
        if let Some(finding) = memory.findings.iter().find(|finding| finding.kind == "future") {
            problems
                .warning("future-date", format!("a memory counts as of today: {}", finding.evidence))
                .path(&memory.path)
                .hint("check the clock, or the date in the file");
        }
    }
}

/// Returns the whole days since MEMORY.md changed, and says when they are many.
fn index_age(folder: &MemoryFolder, world: &World, stale_days: u64, problems: &mut Problems) -> Option<i64> {
    let metadata = folder.index(problems)?.metadata;
    let modified = Timestamp::try_from(metadata.modified().ok()?).ok()?;
    // A file time of 0 is no date.
    if modified.as_second() <= 0 {
        return None;
    }
    let days = world.now().days_since(modified);
    if u64::try_from(days).is_ok_and(|days| days >= stale_days) {
        problems
            .info("old-index", format!("the index has not changed for {days} days"))
            .path(mem_store::index_file::NAME)
            .hint("check its lines against the present");
    }
    Some(days)
}
