//! Ageing: tells which memories are stale, false, double or done, and plans what to do about it. Changes nothing.

pub mod args;
mod citations;
mod deadline;
mod judge;
mod memory;
mod plan;
mod presence;
mod relations;
mod strength;
mod text;

use std::collections::BTreeMap;

use jiff::Timestamp;
use mem_store::{MemoryFolder, Scan, World};
use mem_types::age::{Age, AgedMemory};
use mem_types::{Answer, Document, Failure, Problems};

use crate::judge::{Evidence, Limits};
use crate::memory::Memory;
use crate::plan::Room;
use crate::strength::Use;

pub use args::Args;

/// Judges the memories of the document's own folder and plans what to do about them.
///
/// # Errors
/// None today: a missing folder is an answer without memories.
pub fn run(args: &Args, document: &Document, world: &World) -> Result<Answer<Age>, Failure> {
    let mut problems = Problems::new("mem-age");
    let folders = world.memory_folders(document, &mut problems);
    let Some(folder) = folders.first() else {
        return Ok(Answer::new(Age::default(), problems, text::render));
    };
    if let Some((code, reason)) = &folder.closed {
        problems.info(code, reason);
    }
    let stored = folder.memories(Scan::Whole, &mut problems);
    let memories: Vec<Memory> = stored.iter().map(Memory::of).collect();
    let evidence = evidence(&memories, folder, document, world, &mut problems);
    let relations = relations::of(&memories);
    let limits = Limits { stale_days: args.stale_days, unused_days: args.unused_days };
    let judged = judge::all(&memories, &evidence, &relations, limits, world.now().zoned());
    report_future(&judged, &mut problems);
    let percent = usize::try_from(args.max_removed).unwrap_or(100);
    let room = Room { max_files: args.max_files, max_removed_percent: percent };
    let actions = plan::plan(&memories, &judged, room, |place| stored[place].sha256(), &mut problems);
    let index_age_days = index_age(folder, world, args.stale_days, &mut problems);
    Ok(Answer::new(Age { index_age_days, memories: judged, actions }, problems, text::render))
}

/// Gathers for each memory its recorded uses and what it cites in vain.
fn evidence(
    memories: &[Memory],
    folder: &MemoryFolder,
    document: &Document,
    world: &World,
    problems: &mut Problems,
) -> Vec<Evidence> {
    let mut uses = uses(folder, document, problems);
    let missing = presence::missing(memories, document, world, problems);
    let of_one = |(memory, missing): (&Memory, Vec<String>)| Evidence {
        uses: uses.remove(&memory.path).unwrap_or_default(),
        missing,
    };
    memories.iter().zip(missing).map(of_one).collect()
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
