//! Finds the live thread of a session file: from the last message back to its root, without the branches that were left.
//!
//! Records form a tree. A rewind or a fork starts a new branch and leaves the old one in the file; tools that run side by
//! side make short branches that are not dead; a compaction starts a new root and may carry a few older messages over.

use std::collections::HashMap;

use crate::json;
use crate::lines::Record;

/// The live part of a session file.
pub(crate) struct Thread {
    /// Indexes of live records, in the order of the conversation.
    pub live: Vec<usize>,
    /// Indexes of messages that are in the file and not live.
    pub dead: Vec<usize>,
    /// Index of the boundary at which the live part starts, if it was compacted.
    pub boundary: Option<usize>,
}

/// Returns the live thread. With `sidechain` it is that of a subagent's own file.
pub(crate) fn live(records: &[Record<'_>], sidechain: bool) -> Thread {
    let index = by_uuid(records);
    let chain = chain(records, &index, sidechain);
    let mut is_live = vec![false; records.len()];
    chain.iter().for_each(|&at| is_live[at] = true);
    let boundary = chain
        .first()
        .copied()
        .filter(|&at| records[at].is_boundary());
    let preserved = boundary
        .map(|at| preserved(records, &index, at))
        .unwrap_or_default();
    let preserved: Vec<usize> = preserved
        .into_iter()
        .filter(|&at| !std::mem::replace(&mut is_live[at], true))
        .collect();
    let live = insert_preserved(
        records,
        with_siblings(records, chain, &mut is_live),
        preserved,
    );
    let dead = (0..records.len())
        .filter(|&at| {
            !is_live[at] && records[at].is_message() && records[at].sidechain == sidechain
        })
        .collect();
    Thread {
        live,
        dead,
        boundary,
    }
}

/// Where a record was written twice, the first place counts: its parents are before it.
fn by_uuid<'r>(records: &'r [Record<'_>]) -> HashMap<&'r str, usize> {
    let mut index = HashMap::with_capacity(records.len());
    for (at, record) in records.iter().enumerate() {
        if let Some(uuid) = &record.uuid {
            index.entry(uuid.as_ref()).or_insert(at);
        }
    }
    index
}

/// Walks from the live leaf to the root and returns the way in the order of the conversation.
fn chain(records: &[Record<'_>], index: &HashMap<&str, usize>, sidechain: bool) -> Vec<usize> {
    let leaf = records
        .iter()
        .rposition(|record| record.is_message() && record.sidechain == sidechain);
    let mut chain = Vec::new();
    let mut seen = vec![false; records.len()];
    let mut next = leaf;
    while let Some(at) = next.filter(|&at| !std::mem::replace(&mut seen[at], true)) {
        chain.push(at);
        next = parent(records, index, at, sidechain);
    }
    chain.reverse();
    chain
}

fn parent(
    records: &[Record<'_>],
    index: &HashMap<&str, usize>,
    at: usize,
    sidechain: bool,
) -> Option<usize> {
    if records[at].is_boundary() {
        return None;
    }
    let uuid = records[at].parent.as_deref()?;
    // A parent that is not in the file stood on a line that cannot be read; the record before it is the best guess.
    index.get(uuid).copied().or_else(|| {
        records[..at]
            .iter()
            .rposition(|record| record.uuid.is_some() && record.sidechain == sidechain)
    })
}

/// Returns the older messages that a compaction carried over, in the order of the conversation.
fn preserved(records: &[Record<'_>], index: &HashMap<&str, usize>, boundary: usize) -> Vec<usize> {
    let Some(metadata) = records[boundary]
        .members
        .get("compactMetadata")
        .and_then(json::object)
    else {
        return Vec::new();
    };
    if let Some(kept) = metadata.get("preservedMessages").and_then(json::object) {
        let uuids = kept.get("uuids").and_then(json::list).unwrap_or_default();
        let found = uuids
            .into_iter()
            .filter_map(|raw| index.get(json::string(raw)?.as_ref()).copied());
        return found
            .filter(|&at| at < boundary && records[at].is_message())
            .collect();
    }
    let Some(segment) = metadata.get("preservedSegment").and_then(json::object) else {
        return Vec::new();
    };
    segment_between(
        records,
        index,
        segment.text("headUuid").as_deref(),
        segment.text("tailUuid").as_deref(),
        boundary,
    )
}

fn segment_between(
    records: &[Record<'_>],
    index: &HashMap<&str, usize>,
    head: Option<&str>,
    tail: Option<&str>,
    boundary: usize,
) -> Vec<usize> {
    let (Some(head), Some(mut at)) = (head, tail.and_then(|uuid| index.get(uuid).copied())) else {
        return Vec::new();
    };
    let mut segment = Vec::new();
    while at < boundary && segment.len() < boundary {
        if records[at].is_message() {
            segment.push(at);
        }
        if records[at].uuid.as_deref() == Some(head) {
            segment.reverse();
            return segment;
        }
        match records[at]
            .parent
            .as_deref()
            .and_then(|uuid| index.get(uuid))
        {
            Some(&parent) => at = parent,
            None => break,
        }
    }
    Vec::new()
}

/// Puts the carried messages behind the summary, where the next request had them.
fn insert_preserved(records: &[Record<'_>], live: Vec<usize>, preserved: Vec<usize>) -> Vec<usize> {
    if preserved.is_empty() {
        return live;
    }
    let summary = live
        .iter()
        .position(|&at| records[at].members.is_true("isCompactSummary"));
    let place = summary.map_or(1, |position| position + 1).min(live.len());
    let mut merged = live;
    merged.splice(place..place, preserved);
    merged
}

/// Adds the lines that belong to a live answer although the chain does not lead through them: further blocks of the same
/// answer, and the results of its tools, each of which may hang on its own call.
fn with_siblings(records: &[Record<'_>], chain: Vec<usize>, is_live: &mut [bool]) -> Vec<usize> {
    let (Some(&first), Some(&last)) = (chain.first(), chain.last()) else {
        return chain;
    };
    let shapes = Shapes::of(records, first.min(last));
    let mut answers: HashMap<&str, usize> = HashMap::new();
    let mut calls: HashMap<&str, usize> = HashMap::new();
    for (position, &at) in chain.iter().enumerate() {
        shapes.note(at, position, &mut answers, &mut calls);
    }
    let mut added: Vec<(usize, usize)> = Vec::new();
    for at in shapes.start..records.len() {
        if is_live[at]
            || !records[at].is_message()
            || records[at].sidechain != records[last].sidechain
        {
            continue;
        }
        if let Some(position) = shapes.place(at, &answers, &calls) {
            shapes.note(at, position, &mut answers, &mut calls);
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

/// For each record the answer that it is part of, the calls that it makes and the calls that it answers.
struct Shapes {
    start: usize,
    shapes: Vec<Shape>,
}

#[derive(Default)]
struct Shape {
    answer: Option<String>,
    calls: Vec<String>,
    results: Vec<String>,
}

impl Shapes {
    fn of(records: &[Record<'_>], start: usize) -> Self {
        Shapes {
            start,
            shapes: records[start..].iter().map(shape).collect(),
        }
    }

    fn get(&self, at: usize) -> Option<&Shape> {
        self.shapes.get(at.checked_sub(self.start)?)
    }

    fn note<'s>(
        &'s self,
        at: usize,
        position: usize,
        answers: &mut HashMap<&'s str, usize>,
        calls: &mut HashMap<&'s str, usize>,
    ) {
        let Some(shape) = self.get(at) else { return };
        if let Some(answer) = &shape.answer {
            answers.insert(answer, position);
        }
        for call in &shape.calls {
            calls.insert(call, position);
        }
        for result in &shape.results {
            calls.remove(result.as_str());
        }
    }

    fn place(
        &self,
        at: usize,
        answers: &HashMap<&str, usize>,
        calls: &HashMap<&str, usize>,
    ) -> Option<usize> {
        let shape = self.get(at)?;
        let own = shape
            .answer
            .as_deref()
            .and_then(|answer| answers.get(answer));
        own.or_else(|| {
            shape
                .results
                .iter()
                .find_map(|result| calls.get(result.as_str()))
        })
        .copied()
    }
}

fn shape(record: &Record<'_>) -> Shape {
    if !record.is_message() {
        return Shape::default();
    }
    let Some(message) = record.members.get("message").and_then(json::object) else {
        return Shape::default();
    };
    let mut shape = Shape {
        answer: message.text("id").map(Into::into),
        ..Shape::default()
    };
    for block in message
        .get("content")
        .and_then(json::list)
        .unwrap_or_default()
    {
        let Some(block) = json::object(block) else {
            continue;
        };
        match block.text("type").as_deref() {
            Some("tool_use") => shape.calls.extend(block.text("id").map(String::from)),
            Some("tool_result") => shape
                .results
                .extend(block.text("tool_use_id").map(String::from)),
            _ => {}
        }
    }
    shape
}
