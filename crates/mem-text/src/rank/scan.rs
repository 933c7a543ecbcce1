//! Counts the words of the question in the items, in one pass, without keeping the items' words.

use std::ops::Range;

use super::Item;
use super::association::Place;
use super::nearly::{SHORTEST_NEAR, initial, nearly};
use super::passage::passage_end;
use super::query::{Query, Signal, key};
use crate::stems::Stems;
use crate::words::{Kind, Splitter};

/// Where a word stood: one of the four parts of the head, or a passage of the body.
pub const NAME: u16 = 0;
/// See `NAME`.
pub const DESCRIPTION: u16 = 1;
/// See `NAME`.
pub const TRIGGERS: u16 = 2;
/// See `NAME`.
pub const HEADINGS: u16 = 3;
/// The first passage; the next ones follow.
pub const BODY: u16 = 4;

/// The words before a word that a phrase may need.
const LONGEST_PHRASE: usize = 8;

/// A word of the question that was met.
#[derive(Clone, Copy, Debug)]
pub struct Met {
    /// What it is a sign of.
    pub signal: Signal,
    /// Where it stood.
    pub place: u16,
    /// True when it is only spelt like the word asked for.
    pub near: bool,
}

/// What was counted in one item.
#[derive(Debug, Default)]
pub struct Counted {
    /// Its place in the list of items.
    pub index: usize,
    /// In the order of the text.
    pub met: Vec<Met>,
    /// Words in the body.
    pub length: u32,
    /// Ranges of bytes of the body, empty when no word was met there.
    pub passages: Vec<Range<usize>>,
}

/// Counts of all items.
#[derive(Debug, Default)]
pub struct Scan {
    /// Only items in which a word was met, in the order given.
    pub counted: Vec<Counted>,
    /// How many items there are.
    pub items: usize,
    /// Words in all bodies.
    pub words: u64,
}

/// Fewer items than this are counted faster than a thread is started for them.
const ITEMS_A_THREAD: usize = 100;
/// Most threads: a question is asked beside other work of the machine.
const MOST_THREADS: usize = 4;

/// Counts the words of `query` in each item, parts of the list side by side.
pub fn scan(items: &[Item<'_>], query: &Query) -> Scan {
    let threads = (items.len() / ITEMS_A_THREAD).clamp(1, MOST_THREADS);
    let size = items.len().div_ceil(threads).max(1);
    let mut parts = items.chunks(size).enumerate();
    let Some((_, first)) = parts.next() else { return Scan::default() };
    std::thread::scope(|scope| {
        let others: Vec<_> =
            parts.map(|(number, part)| scope.spawn(move || scan_part(part, number * size, query))).collect();
        let mut scan = scan_part(first, 0, query);
        for other in others {
            let part = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            scan.items += part.items;
            scan.words += part.words;
            scan.counted.extend(part.counted);
        }
        scan
    })
}

fn scan_part(items: &[Item<'_>], first: usize, query: &Query) -> Scan {
    let mut scanner = Scanner::new(query);
    let mut scan = Scan { items: items.len(), ..Scan::default() };
    for (index, item) in items.iter().enumerate() {
        let mut counted = Counted { index: first + index, ..Counted::default() };
        scanner.item(item, &mut counted);
        scan.words += u64::from(counted.length);
        if !counted.met.is_empty() {
            scan.counted.push(counted);
        }
    }
    scan
}

struct Scanner<'a> {
    query: &'a Query,
    splitter: Splitter,
    stems: Stems,
    near: Near<'a>,
}

/// The words of the question of which a misspelling is looked for, too.
pub struct Near<'a> {
    /// Each with its signal.
    pub words: Vec<(Signal, &'a str)>,
    /// Their first letters.
    initials: u32,
}

impl<'a> Near<'a> {
    /// Returns the plain words of the question that are long enough.
    pub fn new(query: &'a Query) -> Self {
        let plain = |word: &str| word.len() >= SHORTEST_NEAR && word.bytes().all(|byte| byte.is_ascii_lowercase());
        let concepts = query.concepts.iter().enumerate();
        let words: Vec<(Signal, &str)> = concepts
            .filter(|(_, concept)| concept.kind == Kind::Part && !concept.ordinary && plain(&concept.folded))
            .filter_map(|(index, concept)| Some((Signal::try_from(index).ok()?, concept.folded.as_str())))
            .collect();
        let initials = words.iter().fold(0, |bits, (_, word)| bits | initial(word));
        Self { words, initials }
    }

    /// False when no word that is looked for has the first letter of this one.
    pub fn may_be(&self, word: &str) -> bool {
        self.initials & initial(word) != 0
    }
}

impl<'a> Scanner<'a> {
    fn new(query: &'a Query) -> Self {
        Self { query, splitter: Splitter::default(), stems: Stems::default(), near: Near::new(query) }
    }

    fn item(&mut self, item: &Item<'_>, counted: &mut Counted) {
        self.text(file_stem(item.path), NAME, &mut counted.met);
        if item.name != file_stem(item.path) {
            self.text(item.name, NAME, &mut counted.met);
        }
        self.text(item.description, DESCRIPTION, &mut counted.met);
        self.text(item.triggers, TRIGGERS, &mut counted.met);
        self.body(item.body, counted);
    }

    fn body(&mut self, body: &str, counted: &mut Counted) {
        let before = counted.met.len();
        let mut place = BODY;
        let mut at = 0;
        while at < body.len() {
            let end = passage_end(body, at);
            counted.length += self.text(&body[at..end], place, &mut counted.met);
            counted.passages.push(at..end);
            place = place.saturating_add(1);
            at = end;
        }
        if counted.met.len() == before {
            counted.passages.clear();
        } else {
            self.headings(body, &mut counted.met);
        }
    }

    fn headings(&mut self, body: &str, met: &mut Vec<Met>) {
        for line in body.lines().filter(|line| line.starts_with('#')) {
            self.text(line, HEADINGS, met);
        }
    }

    /// Adds the words of the question that stand in `text`; returns how many words it has.
    fn text(&mut self, text: &str, place: u16, met: &mut Vec<Met>) -> u32 {
        let Self { query, splitter, stems, near } = self;
        let mut before: Vec<Place> = Vec::new();
        query.dates_in(text, |signal| met.push(Met { signal, place, near: false }));
        splitter.each(text, |word| {
            if query.may_hold(word.text) {
                let is_pair = word.kind == Kind::Two;
                let here = Place { hash: key(&word, stems), position: word.position, is_pair };
                query.signals(here, &before, |signal| met.push(Met { signal, place, near: false }));
                if matches!(word.kind, Kind::Part | Kind::Two) {
                    remember(&mut before, here);
                }
            }
            if word.kind == Kind::Part && near.may_be(word.text) {
                nearly(&word, &near.words, |signal| met.push(Met { signal, place, near: true }));
            }
        })
    }
}

/// Keeps a word for the phrases that may end behind it.
pub fn remember(before: &mut Vec<Place>, here: Place) {
    if before.len() == LONGEST_PHRASE {
        before.remove(0);
    }
    before.push(here);
}

/// Returns the name of the file without its ending.
pub fn file_stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name)
}
