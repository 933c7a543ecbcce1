//! Finds the live thread of a session file: from the last message back to its root, without the branches that were left.
//!
//! Records form a tree. A rewind or a fork starts a new branch and leaves the old one in the file; tools that run side by
//! side make short branches that are not dead; a compaction starts a new root and may carry a few older messages over.

use std::collections::HashMap;

use crate::envelope::{Id, Tool};
use crate::survey::{Carried, Entry, Sort, Survey};

/// The live part of a session file.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    /// Indexes of live records, in the order of the conversation.
    pub live: Vec<usize>,
    /// Index of the boundary at which the live part starts, if it was compacted.
    pub boundary: Option<usize>,
    /// Whether a parent was not found among the records.
    pub has_gap: bool,
}

/// Returns the live thread. With `sidechain` it is that of a subagent's own file.
pub(crate) fn live(survey: &Survey, sidechain: bool) -> Thread {
    let entries = &survey.entries;
    let mut walk = Walk { entries, index: by_uuid(entries), sidechain, has_gap: false };
    let chain = walk.chain();
    let mut is_live = vec![false; entries.len()];
    chain.iter().for_each(|&at| is_live[at] = true);
    let boundary = chain.first().copied().filter(|&at| entries[at].sort == Sort::Boundary);
    let kept = boundary.map(|at| carried(&entries[..at], &survey.carried)).unwrap_or_default();
    let kept: Vec<usize> = kept.into_iter().filter(|&at| !std::mem::replace(&mut is_live[at], true)).collect();
    let live = insert_carried(entries, with_siblings(entries, chain, &mut is_live), kept);
    Thread { live, boundary, has_gap: walk.has_gap }
}

/// Where a record was written twice, the first place counts: its parents are before it.
fn by_uuid(entries: &[Entry]) -> HashMap<Id, usize> {
    let mut index = HashMap::with_capacity(entries.len());
    for (at, entry) in entries.iter().enumerate() {
        if let Some(uuid) = entry.uuid {
            index.entry(uuid).or_insert(at);
        }
    }
    index
}

struct Walk<'e> {
    entries: &'e [Entry],
    index: HashMap<Id, usize>,
    sidechain: bool,
    has_gap: bool,
}

impl Walk<'_> {
    /// Walks from the live leaf to the root and returns the way in the order of the conversation.
    fn chain(&mut self) -> Vec<usize> {
        let is_leaf = |entry: &Entry| entry.sort == Sort::Message && entry.is_sidechain == self.sidechain;
        let leaf = self.entries.iter().rposition(is_leaf);
        let mut chain = Vec::new();
        let mut seen = vec![false; self.entries.len()];
        let mut next = leaf;
        while let Some(at) = next.filter(|&at| !std::mem::replace(&mut seen[at], true)) {
            chain.push(at);
            next = self.parent(at);
        }
        chain.reverse();
        chain
    }

    fn parent(&mut self, at: usize) -> Option<usize> {
        if self.entries[at].sort == Sort::Boundary {
            return None;
        }
        let uuid = self.entries[at].parent?;
        if let Some(found) = self.index.get(&uuid) {
            return Some(*found);
        }
        // A parent that is not in the file stood on a line that cannot be read; the record before it is the best guess.
        self.has_gap = true;
        self.entries[..at].iter().rposition(|entry| entry.uuid.is_some() && entry.is_sidechain == self.sidechain)
    }
}

/// Returns the older messages that a compaction carried over, in the order of the file.
pub(crate) fn carried(before: &[Entry], carried: &Carried) -> Vec<usize> {
    let mut found = match carried.segment {
        Some((head, tail)) => segment(before, head, tail),
        None if carried.uuids.is_empty() => Vec::new(),
        None => {
            let index = by_uuid(before);
            carried.uuids.iter().filter_map(|uuid| index.get(uuid).copied()).collect()
        }
    };
    found.retain(|&at| before[at].sort == Sort::Message);
    found.sort_unstable();
    found.dedup();
    found
}

fn segment(before: &[Entry], head: Id, tail: Id) -> Vec<usize> {
    let index = by_uuid(before);
    let mut segment = Vec::new();
    let mut next = index.get(&tail).copied();
    while let Some(at) = next.filter(|_| segment.len() < before.len()) {
        segment.push(at);
        if before[at].uuid == Some(head) {
            return segment;
        }
        next = before[at].parent.and_then(|uuid| index.get(&uuid).copied());
    }
    Vec::new()
}

/// Puts the carried messages behind the summary, where the next request had them.
fn insert_carried(entries: &[Entry], live: Vec<usize>, carried: Vec<usize>) -> Vec<usize> {
    if carried.is_empty() {
        return live;
    }
    let summary = live.iter().position(|&at| entries[at].is_summary);
    let place = summary.map_or(1, |position| position + 1).min(live.len());
    let mut merged = live;
    merged.splice(place..place, carried);
    merged
}

/// Adds the lines that belong to a live answer although the chain does not lead through them: further blocks of the same
/// answer, and the results of its tools, each of which may hang on its own call.
fn with_siblings(entries: &[Entry], chain: Vec<usize>, is_live: &mut [bool]) -> Vec<usize> {
    let (Some(&first), Some(&last)) = (chain.first(), chain.last()) else {
        return chain;
    };
    let mut open = Open::default();
    for (position, &at) in chain.iter().enumerate() {
        open.note(&entries[at], position);
    }
    let mut added: Vec<(usize, usize)> = Vec::new();
    for at in first.min(last)..entries.len() {
        let entry = &entries[at];
        if is_live[at] || entry.sort != Sort::Message || entry.is_sidechain != entries[last].is_sidechain {
            continue;
        }
        if let Some(position) = open.place(entry) {
            open.note(entry, position);
            is_live[at] = true;
            added.push((position, at));
        }
    }
    merge(chain, added)
}

fn merge(chain: Vec<usize>, mut added: Vec<(usize, usize)>) -> Vec<usize> {
    if added.is_empty() {
        return chain;
    }
    added.sort_by_key(|(position, _)| *position);
    let mut added = added.into_iter().peekable();
    let mut merged = Vec::with_capacity(chain.len() + added.len());
    for (position, at) in chain.into_iter().enumerate() {
        merged.push(at);
        while let Some((_, sibling)) = added.next_if(|(place, _)| *place == position) {
            merged.push(sibling);
        }
    }
    merged
}

/// Where the live answers stand in the chain, and their calls that have no result yet.
#[derive(Default)]
struct Open {
    answers: HashMap<Id, usize>,
    calls: HashMap<Id, usize>,
}

impl Open {
    fn note(&mut self, entry: &Entry, position: usize) {
        if let Some(answer) = entry.answer {
            self.answers.insert(answer, position);
        }
        for tool in &entry.tools {
            match tool {
                Tool::Call(call) => self.calls.insert(*call, position),
                Tool::Result(call) => self.calls.remove(call),
            };
        }
    }

    fn place(&self, entry: &Entry) -> Option<usize> {
        let own = entry.answer.and_then(|answer| self.answers.get(&answer));
        let result = entry.tools.iter().find_map(|tool| match tool {
            Tool::Result(call) => self.calls.get(call),
            Tool::Call(_) => None,
        });
        own.or(result).copied()
    }
}
