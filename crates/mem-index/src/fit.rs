//! Brings the index within its limits: long lines are cut at a word, and what has the least weight goes, named.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;
use mem_store::moment::parse_date;
use mem_store::{Memory, Moment};
use mem_types::input::Access;

use crate::draft::Drafts;
use crate::entry;
use crate::mend;
use crate::shelf::Shelf;
use mem_store::index_reading::{self as reading, Limits};

/// Used or changed within so many days counts as recent.
const RECENT_DAYS: i64 = 30;

/// What decides which entries stay: the newest use of each memory, and the moment that counts as now.
pub struct Weights<'a> {
    uses: BTreeMap<&'a str, Timestamp>,
    now: &'a Moment,
}

/// How much an entry weighs: its class, then its last use or change.
type Weight = (u8, Option<Timestamp>);

impl<'a> Weights<'a> {
    /// Returns the weights by the recorded uses.
    #[must_use]
    pub fn new(uses: &'a [Access], now: &'a Moment) -> Self {
        let mut newest = BTreeMap::new();
        for used in uses {
            let Some(last) = used.last.as_deref().and_then(parse_date) else { continue };
            let known = newest.entry(used.path.as_str()).or_insert(last);
            *known = last.max(*known);
        }
        Self { uses: newest, now }
    }

    fn of(&self, memory: &Memory) -> Weight {
        let recency = self.uses.get(memory.path.as_str()).copied().max(memory.modified);
        let is_recent = recency.is_some_and(|then| self.now.days_since(then) <= RECENT_DAYS);
        let is_over = memory.is_superseded()
            || memory.expires.as_deref().and_then(parse_date).is_some_and(|last| self.now.days_since(last) >= 1);
        let class = match memory.kind.as_deref() {
            _ if is_over => 0,
            Some("feedback") => 3,
            _ if is_recent => 2,
            _ => 1,
        };
        (class, recency)
    }
}

/// Cuts entries that are longer than `most` characters.
pub fn shorten(drafts: &mut Drafts<'_>, most: usize) {
    for at in 0..drafts.all.len() {
        let draft = &drafts.all[at];
        if !draft.is_free_entry() {
            continue;
        }
        if let Some(to) = entry::shortened(&draft.text, most) {
            let message = too_long(&draft.text, most);
            drafts.change(at, "line-too-long", message, to);
        }
    }
}

/// Returns what was counted of a line, and by how much it is too long.
#[must_use]
pub fn too_long(text: &str, most: usize) -> String {
    let count = text.chars().count();
    let (title, path, hook) = mend::parts_of(text);
    let marks = count.saturating_sub(title + path + hook);
    format!(
        "an index line has {count} characters (title {title}, path {path}, hook {hook}, marks {marks}), {} over the \
         limit of {most}",
        count.saturating_sub(most)
    )
}

/// Takes out entries of the least weight until the rest fits; returns the files whose new line found no room.
pub fn fit(
    drafts: &mut Drafts<'_>,
    shelf: &Shelf<'_>,
    weights: &Weights<'_>,
    limits: &Limits,
    most: usize,
) -> Vec<String> {
    // What is counted is a little more than a model gets (blank ends count, too), so that a second run decides alike.
    let all = reading::uncut(&drafts.text());
    let mut room = Room { lines: limits.lines, size: limits.size };
    let total = (all.lines().count(), limits.size_of(&all));
    if total.0 <= room.lines && total.1 <= room.size {
        return Vec::new();
    }
    let entries: Vec<usize> = (0..drafts.all.len()).filter(|at| drafts.all[*at].is_entry()).collect();
    let cost = |text: &str| limits.size_of(text) + 1;
    let of_entries: usize = entries.iter().map(|at| cost(&drafts.all[*at].text)).sum();
    room.take(total.0.saturating_sub(entries.len()), total.1.saturating_sub(of_entries));
    let mut left_out = Vec::new();
    for at in by_weight(&entries, drafts, shelf, weights) {
        let draft = &drafts.all[at];
        let size = cost(&draft.text);
        if draft.is_pinned() || room.has(size) {
            room.take(1, size);
            continue;
        }
        let memory = draft.owner.as_deref().and_then(|path| shelf.memory(path));
        // A line made from its description may be shorter, and it is what a second run would try.
        let shorter =
            memory.map(|memory| entry::of(memory, most)).filter(|line| room.has(cost(line)) && *line != draft.text);
        if let Some(line) = shorter {
            room.take(1, cost(&line));
            replace(drafts, at, line);
        } else if draft.line.is_none() {
            left_out.extend(draft.owner.clone());
            drafts.all[at].is_gone = true;
        } else {
            let message = no_room(memory, weights, limits);
            let path = drafts.all[at].owner.clone();
            drafts.remove(at, "no-room", message, path);
        }
    }
    left_out.sort_unstable();
    left_out
}

fn replace(drafts: &mut Drafts<'_>, at: usize, line: String) {
    if drafts.all[at].line.is_some() {
        drafts.change(at, "no-room", "the index is full; a shorter line of this entry still fits".into(), line);
    } else {
        drafts.all[at].text = Cow::Owned(line);
    }
}

fn no_room(memory: Option<&Memory>, weights: &Weights<'_>, limits: &Limits) -> String {
    let limit = format!("{} lines and {} {}", limits.lines, limits.size, limits.unit.word());
    let Some(memory) = memory else {
        return format!("the index is over its limit of {limit}, and this entry has the least weight");
    };
    let kind = memory.kind.as_deref().unwrap_or("memory");
    let age = weights.of(memory).1.map_or_else(
        || "of unknown age".to_owned(),
        |then| format!("last used or changed {} days ago", weights.now.days_since(then)),
    );
    format!("the index is over its limit of {limit}, and this {kind}, {age}, has the least weight")
}

/// Returns the entries, the heaviest first. Pinned ones lead; those without a memory of their own come with the recent.
fn by_weight(entries: &[usize], drafts: &Drafts<'_>, shelf: &Shelf<'_>, weights: &Weights<'_>) -> Vec<usize> {
    let mut weighed: Vec<_> = entries
        .iter()
        .map(|&at| {
            let draft = &drafts.all[at];
            let memory = draft.owner.as_deref().and_then(|path| shelf.memory(path));
            let weight = memory.map_or((2, None), |memory| weights.of(memory));
            (Reverse(draft.is_pinned()), Reverse(weight), draft.owner.clone(), at)
        })
        .collect();
    weighed.sort();
    weighed.into_iter().map(|(_, _, _, at)| at).collect()
}

struct Room {
    lines: usize,
    size: usize,
}

impl Room {
    fn has(&self, size: usize) -> bool {
        self.lines > 0 && self.size >= size
    }

    fn take(&mut self, lines: usize, size: usize) {
        self.lines = self.lines.saturating_sub(lines);
        self.size = self.size.saturating_sub(size);
    }
}
