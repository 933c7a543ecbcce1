//! Items split into words once, for many questions: the same ranking as from the text, some hundred times as fast.
//!
//! Each different word is kept once. A question looks at these words, then walks over the numbers that stand for them.

use std::collections::HashMap;
use std::ops::Range;

use super::Item;
use super::association::Place;
use super::nearly::nearly;
use super::passage::passage_end;
use super::query::{Query, Signal, key};
use super::scan::{BODY, Counted, DESCRIPTION, HEADINGS, Met, NAME, Near, Scan, TRIGGERS, file_stem, remember};
use crate::dates::{self, Named};
use crate::stems::Stems;
use crate::words::{Kind, Splitter, Word};

/// Items split into words.
#[derive(Debug, Default)]
pub struct Prepared {
    words: Vec<Known>,
    uses: Vec<Use>,
    dates: Vec<Named>,
    parts: Vec<Part>,
    items: Vec<Split>,
}

/// A word that stands somewhere in the items.
#[derive(Debug)]
struct Known {
    text: Box<str>,
    kind: Kind,
    hash: u64,
}

/// A word at a place.
#[derive(Clone, Copy, Debug)]
struct Use {
    word: u32,
    position: u32,
}

/// A text of an item: one of its heads, a passage, or a heading.
#[derive(Debug)]
struct Part {
    place: u16,
    uses: Range<usize>,
    dates: Range<usize>,
}

#[derive(Debug, Default)]
struct Split {
    /// Name, description, triggers, and the passages of the body.
    parts: Range<usize>,
    /// Headings count only when the body has a word of the question.
    headings: Range<usize>,
    /// The first of the passages among the parts.
    body: usize,
    passages: Vec<Range<usize>>,
    length: u32,
}

impl Prepared {
    /// Splits the items.
    #[must_use]
    pub fn new(items: &[Item<'_>]) -> Self {
        let mut splitting = Splitting::default();
        items.iter().for_each(|item| splitting.item(item));
        splitting.prepared
    }

    /// Counts the words of `query` in the items at `places`, in that order.
    pub(super) fn scan(&self, places: &[usize], query: &Query) -> Scan {
        let asked = self.asked(query);
        let mut scan = Scan { items: places.len(), ..Scan::default() };
        for (index, place) in places.iter().enumerate() {
            let Some(item) = self.items.get(*place) else { continue };
            scan.words += u64::from(item.length);
            let counted = self.count(item, index, query, &asked);
            if !counted.met.is_empty() {
                scan.counted.push(counted);
            }
        }
        scan
    }

    /// Returns for each word whether the question looks for it.
    fn asked(&self, query: &Query) -> Asked {
        let near = Near::new(query);
        let mut asked = Asked { marks: Vec::with_capacity(self.words.len()), near: HashMap::new() };
        for (number, word) in (0..).zip(&self.words) {
            let mut mark = if query.may_hold(&word.text) { HELD } else { 0 };
            if word.kind == Kind::Part && near.may_be(&word.text) {
                let mut signals = Vec::new();
                nearly(&word.shown(), &near.words, |signal| signals.push(signal));
                if !signals.is_empty() {
                    mark |= NEARLY;
                    asked.near.insert(number, signals);
                }
            }
            asked.marks.push(mark);
        }
        asked
    }

    fn count(&self, item: &Split, index: usize, query: &Query, asked: &Asked) -> Counted {
        let mut counted = Counted { index, length: item.length, ..Counted::default() };
        self.meet(item.parts.start..item.body, query, asked, &mut counted.met);
        let before = counted.met.len();
        self.meet(item.body..item.parts.end, query, asked, &mut counted.met);
        if counted.met.len() > before {
            self.meet(item.headings.clone(), query, asked, &mut counted.met);
            counted.passages.clone_from(&item.passages);
        }
        counted
    }

    fn meet(&self, parts: Range<usize>, query: &Query, asked: &Asked, met: &mut Vec<Met>) {
        for part in &self.parts[parts] {
            for named in &self.dates[part.dates.clone()] {
                query.date_signals(named, |signal| met.push(Met { signal, place: part.place, near: false }));
            }
            let mut before: Vec<Place> = Vec::new();
            for here in &self.uses[part.uses.clone()] {
                let mark = asked.marks[here.word as usize];
                if mark == 0 {
                    continue;
                }
                let word = &self.words[here.word as usize];
                if mark & HELD != 0 {
                    let is_pair = word.kind == Kind::Two;
                    let at = Place { hash: word.hash, position: here.position, is_pair };
                    query.signals(at, &before, |signal| met.push(Met { signal, place: part.place, near: false }));
                    if matches!(word.kind, Kind::Part | Kind::Two) {
                        remember(&mut before, at);
                    }
                }
                if mark & NEARLY != 0 {
                    let signals = asked.near.get(&here.word).into_iter().flatten();
                    met.extend(signals.map(|signal| Met { signal: *signal, place: part.place, near: true }));
                }
            }
        }
    }
}

/// The word may be one that is looked for.
const HELD: u8 = 1;
/// The word is spelt nearly like one that is looked for.
const NEARLY: u8 = 2;

/// What a question looks for among the words.
struct Asked {
    marks: Vec<u8>,
    near: HashMap<u32, Vec<Signal>>,
}

impl Known {
    fn shown(&self) -> Word<'_> {
        Word { text: &self.text, kind: self.kind, position: 0, start: 0, end: self.text.len() }
    }
}

#[derive(Default)]
struct Splitting {
    prepared: Prepared,
    numbers: HashMap<(Kind, Box<str>), u32>,
    splitter: Splitter,
    stems: Stems,
}

impl Splitting {
    fn item(&mut self, item: &Item<'_>) {
        let start = self.prepared.parts.len();
        self.text(file_stem(item.path), NAME);
        if item.name != file_stem(item.path) {
            self.text(item.name, NAME);
        }
        self.text(item.description, DESCRIPTION);
        self.text(item.triggers, TRIGGERS);
        let body = self.prepared.parts.len();
        let (mut place, mut at, mut length, mut passages) = (BODY, 0, 0, Vec::new());
        while at < item.body.len() {
            let end = passage_end(item.body, at);
            length += self.text(&item.body[at..end], place);
            passages.push(at..end);
            place = place.saturating_add(1);
            at = end;
        }
        let end = self.prepared.parts.len();
        for line in item.body.lines().filter(|line| line.starts_with('#')) {
            self.text(line, HEADINGS);
        }
        let headings = end..self.prepared.parts.len();
        self.prepared.items.push(Split { parts: start..end, headings, body, passages, length });
    }

    fn text(&mut self, text: &str, place: u16) -> u32 {
        let Self { prepared, numbers, splitter, stems } = self;
        let start = prepared.uses.len();
        let first_date = prepared.dates.len();
        prepared.dates.extend(dates::named(text));
        let used = splitter.each(text, |word| {
            let number = number(&word, &mut prepared.words, numbers, stems);
            prepared.uses.push(Use { word: number, position: word.position });
        });
        let dates = first_date..prepared.dates.len();
        prepared.parts.push(Part { place, uses: start..prepared.uses.len(), dates });
        used
    }
}

/// Returns the number of a word; a new one is added.
fn number(
    word: &Word<'_>,
    words: &mut Vec<Known>,
    numbers: &mut HashMap<(Kind, Box<str>), u32>,
    stems: &mut Stems,
) -> u32 {
    let name = (word.kind, Box::from(word.text));
    *numbers.entry(name).or_insert_with(|| {
        words.push(Known { text: word.text.into(), kind: word.kind, hash: key(word, stems) });
        u32::try_from(words.len() - 1).unwrap_or(u32::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Options, Ranking, rank, rank_prepared};
    use super::*;

    const WORDS: &[&str] = &[
        "deploy",
        "deployed",
        "database",
        "postgres",
        "测试",
        "数据库回滚",
        "cache",
        "parseHTTPBody",
        "src/db/pool.rs",
        "release",
        "roll out",
        "theme",
        "dark mode",
        "staging",
        "review",
        "queue",
        "部署前",
        "2026-05-04",
        "5月4日",
        "the",
        "we",
        "and",
        "use",
    ];

    /// Bodies of pseudo-random words, so that each has some of what is asked.
    fn bodies() -> Vec<String> {
        let mut state = 7_u32;
        let mut next = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        let mut body = |number: usize| {
            let mut text = format!("# About {}\n\n", WORDS[number % WORDS.len()]);
            for word in 0..next(200) {
                text += WORDS[next(WORDS.len())];
                text += if word % 17 == 16 { ".\n\n" } else { " " };
            }
            text
        };
        (0..60).map(&mut body).collect()
    }

    fn item(number: usize, body: &str) -> Item<'_> {
        Item {
            path: WORDS[number % WORDS.len()],
            name: WORDS[number * 3 % WORDS.len()],
            description: WORDS[number * 5 % WORDS.len()],
            kind: "project",
            triggers: "roll out\ndark mode",
            body,
        }
    }

    fn shown(ranking: &Ranking) -> String {
        format!("{ranking:?}")
    }

    #[test]
    fn what_is_prepared_ranks_as_the_text_does() {
        let bodies = bodies();
        let items: Vec<Item<'_>> = bodies.iter().enumerate().map(|(number, body)| item(number, body)).collect();
        let prepared = Prepared::new(&items);
        let some: Vec<usize> = (0..items.len()).filter(|number| number % 3 != 1).collect();
        let all: Vec<usize> = (0..items.len()).collect();
        for question in [
            "how do we deploy the database?",
            "数据库回滚前要跑哪些测试",
            "depoly to stagng",
            "is parse_http_body in src/db/pool.rs used when we ship",
            "colour scheme of the theme",
            "",
            "what broke on 4 May 2026",
            "5月4日部署了什么",
            "weather in Mongolia",
        ] {
            for places in [&all, &some] {
                let chosen: Vec<Item<'_>> = places.iter().map(|place| items[*place]).collect();
                let options = Options { told: &[0, 1, 2], ..Options::default() };
                let plain = rank(&chosen, question, &options);
                assert_eq!(
                    shown(&rank_prepared(&prepared, places, &chosen, question, &options)),
                    shown(&plain),
                    "{question}"
                );
            }
        }
    }
}
