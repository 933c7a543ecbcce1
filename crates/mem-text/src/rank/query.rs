//! Prepares a question: its words, what they weigh, and a table to look up the words of the items in.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use super::association::{self, Place, Places, Touched};
use super::dated::{self, Asked, Mention};
use super::filter::Filter;
use super::{Options, Weights};
use crate::dates::{self, Named};
use crate::prompt::stands_alone;
use crate::stems::{Stems, hash, irregular_forms, is_stop_word, weight};
use crate::words::{Kind, Splitter, Word, boundary};

/// A long prompt is searched by the words of its head and of its tail, so many bytes each.
const LONGEST_HALF: usize = 4000;
/// So many different words are looked for.
const MOST_CONCEPTS: usize = 200;
/// One word of the question.
#[derive(Debug)]
pub struct Concept {
    /// Its bytes in the question.
    pub range: Range<usize>,
    /// Lower-cased.
    pub folded: String,
    /// Part, whole, pair or single character.
    pub kind: Kind,
    /// Its weight before its rarity is known.
    pub weight: f32,
    /// True when the word is ordinary in any request.
    pub ordinary: bool,
    /// Its place in the question.
    pub position: u32,
}

/// What a word of an item may be a sign of: the index of a concept or of a touched group.
pub type Signal = u16;

/// Associated words that the question leads to: those before the bar of a group it touches, or those behind it.
#[derive(Debug)]
pub struct Group {
    /// The concepts that they stand for.
    pub concepts: Vec<usize>,
    /// How near they are, 1 for words that mean the same.
    pub nearness: f32,
}

/// How near two entries of a group are: both mean the same, one is a kind of the other, both are kinds of one thing.
const NEARNESS: [f32; 3] = [1.0, 0.7, 0.4];

/// A map whose keys are hashes already, and need not be hashed again.
type Table<V> = HashMap<u64, V, BuildHasherDefault<Hashed>>;

#[derive(Debug, Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = crate::stems::hash(bytes);
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// The question, ready to be looked for.
#[derive(Debug, Default)]
pub struct Query {
    /// As the user wrote it.
    pub question: String,
    /// True for a request that answers itself.
    pub stands_alone: bool,
    /// Its words, in order; a concept's signal is its index.
    pub concepts: Vec<Concept>,
    /// Its groups; a group's signal is `concepts.len()` and its index.
    pub groups: Vec<Group>,
    /// The days it asks about, each with its signal.
    dates: Vec<(Asked, Signal)>,
    /// From the hash of a stem to the signals it gives.
    singles: Table<Vec<Signal>>,
    /// From the hash of the last word to phrases: the hashes before it, and the signal.
    phrases: Table<Vec<(Vec<u64>, Signal)>>,
    filter: Filter,
}

impl Query {
    /// Returns the prepared question.
    pub fn new(question: &str, options: &Options<'_>) -> Self {
        let weights = &options.weights;
        let mut query = Self { question: question.to_owned(), stands_alone: stands_alone(question), ..Self::default() };
        let mut stems = Stems::default();
        let mut places = Places::default();
        let mut from = 0;
        for part in halves(question) {
            from = query.collect(question, part, from, weights, &mut stems, &mut places);
        }
        if weights.date > 0.0 {
            query.dates(dated::asked(question, options.today), weights);
        }
        if weights.association > 0.0 {
            query.associate(&places, options.associations, &mut stems);
        }
        query
    }

    /// Adds the days that the question names; their digits count for nothing beside them.
    fn dates(&mut self, mentions: Vec<Mention>, weights: &Weights) {
        for mention in mentions {
            let Ok(signal) = Signal::try_from(self.concepts.len()) else { return };
            let inside = |concept: &Concept| {
                mention.range.start <= concept.range.start && concept.range.end <= mention.range.end
            };
            for concept in self.concepts.iter_mut().filter(|concept| mention.is_written && inside(concept)) {
                concept.weight = 0.0;
            }
            self.dates.push((mention.asked, signal));
            self.concepts.push(Concept {
                range: mention.range,
                folded: String::new(),
                kind: Kind::Part,
                weight: weights.date,
                ordinary: false,
                // A place behind all words: a date touches no group.
                position: u32::MAX,
            });
        }
    }

    /// Adds the words of a part of the question, whose first word has position `from`.
    fn collect(
        &mut self,
        question: &str,
        part: Range<usize>,
        from: u32,
        weights: &Weights,
        stems: &mut Stems,
        places: &mut Places,
    ) -> u32 {
        let mut splitter = Splitter::default();
        let used = splitter.each(&question[part.clone()], |word| {
            let place = place_of(&word, from, stems);
            places.add(&word, place, stems);
            let range = part.start + word.start..part.start + word.end;
            self.add(&word, place, range, weights, stems);
        });
        from + used + 1
    }

    /// Adds a word unless it says nothing or stands there already.
    fn add(&mut self, word: &Word<'_>, place: Place, range: Range<usize>, weights: &Weights, stems: &Stems) {
        if is_stop_word(word.text) || self.concepts.len() >= MOST_CONCEPTS || self.singles.contains_key(&place.hash) {
            return;
        }
        let by_kind = match word.kind {
            Kind::Part => 1.0,
            Kind::Whole => weights.whole,
            Kind::Two => weights.pair,
            Kind::One => weights.single,
        };
        let ordinariness = weight(word.text);
        self.singles.insert(place.hash, vec![u16::try_from(self.concepts.len()).unwrap_or(u16::MAX)]);
        let stem = stems.text(word.text);
        self.filter.insert(&stem);
        irregular_forms(&stem).for_each(|form| self.filter.insert(form));
        self.concepts.push(Concept {
            range,
            folded: word.text.to_owned(),
            kind: word.kind,
            weight: by_kind * ordinariness,
            ordinary: ordinariness < 1.0,
            position: place.position,
        });
    }

    /// Adds what the question leads to by the groups that it touches.
    fn associate(&mut self, places: &Places, users: &str, stems: &mut Stems) {
        for touched in association::touched(places, users, stems) {
            let (first, last) = touched.span;
            let inside = |concept: &Concept| concept.kind != Kind::One && (first..=last).contains(&concept.position);
            let concepts: Vec<usize> =
                (0..self.concepts.len()).filter(|index| inside(&self.concepts[*index])).collect();
            if !concepts.is_empty() {
                self.lead(&touched, false, concepts.clone(), stems);
                self.lead(&touched, true, concepts, stems);
            }
        }
    }

    /// Adds the entries before or behind the bar as words to look for.
    fn lead(&mut self, touched: &Touched<'_>, to_members: bool, concepts: Vec<usize>, stems: &mut Stems) {
        let Ok(signal) = Signal::try_from(self.concepts.len() + self.groups.len()) else {
            return;
        };
        let mut splitter = Splitter::default();
        for (entry, is_member) in association::entries(touched.line) {
            if is_member != to_members || entry == touched.entry {
                continue;
            }
            let mut found = association::words(entry, stems, &mut splitter);
            let Some(last) = found.words.pop() else { continue };
            let is_plain = found.words.is_empty();
            if found.is_single || (is_plain && (is_stop_word(entry) || weight(entry) < 1.0)) {
                continue;
            }
            splitter.each(entry, |word| self.filter.insert(&stems.text(word.text)));
            if is_plain {
                self.singles.entry(last).or_default().push(signal);
            } else {
                self.phrases.entry(last).or_default().push((found.words, signal));
            }
        }
        let distance = usize::from(touched.is_member) + usize::from(to_members);
        self.groups.push(Group { concepts, nearness: NEARNESS[distance] });
    }

    /// Visits the signals of the days that a text names, when the question asks about days at all.
    pub fn dates_in(&self, text: &str, mut visit: impl FnMut(Signal)) {
        if !self.dates.is_empty() {
            dates::named(text).iter().for_each(|named| self.date_signals(named, &mut visit));
        }
    }

    /// Visits the signals of one day that a text names.
    pub fn date_signals(&self, named: &Named, mut visit: impl FnMut(Signal)) {
        for (_, signal) in self.dates.iter().filter(|(asked, _)| asked.is_met_by(named)) {
            visit(*signal);
        }
    }

    /// False when no word that is looked for begins like this one.
    pub fn may_hold(&self, word: &str) -> bool {
        self.filter.passes(word)
    }

    /// Visits the signals that a word gives, given the words before it (the nearest last).
    pub fn signals(&self, place: Place, before: &[Place], mut visit: impl FnMut(Signal)) {
        for signal in self.singles.get(&place.hash).into_iter().flatten() {
            visit(*signal);
        }
        for (words, signal) in self.phrases.get(&place.hash).into_iter().flatten() {
            if follows(words, before, place.position) {
                visit(*signal);
            }
        }
    }
}

/// True when `words` are the last of `before`, one position after the other, up to `position`.
fn follows(words: &[u64], before: &[Place], position: u32) -> bool {
    let Some(start) = before.len().checked_sub(words.len()) else {
        return false;
    };
    let first = position.wrapping_sub(u32::try_from(words.len()).unwrap_or(0));
    before[start..]
        .iter()
        .zip(words)
        .zip(first..)
        .all(|((place, word), at)| place.hash == *word && place.position == at)
}

/// Returns the head and the tail of the text; together they are all of it unless it is long.
fn halves(text: &str) -> [Range<usize>; 2] {
    // A text that fits is read in one piece, so that no word is cut.
    if text.len() <= 2 * LONGEST_HALF {
        return [0..text.len(), text.len()..text.len()];
    }
    let head = boundary(text, LONGEST_HALF);
    let tail = boundary(text, text.len() - LONGEST_HALF);
    [0..head, tail..text.len()]
}

impl Places {
    fn add(&mut self, word: &Word<'_>, place: Place, stems: &Stems) {
        match word.kind {
            Kind::Part | Kind::Two => self.words.push(place),
            Kind::One => self.singles.push(place),
            Kind::Whole => return,
        }
        self.filter.insert(&stems.text(word.text));
    }
}

fn place_of(word: &Word<'_>, from: u32, stems: &mut Stems) -> Place {
    Place { hash: key(word, stems), position: from + word.position, is_pair: word.kind == Kind::Two }
}

/// Returns the words of a text by their places.
#[cfg(test)]
pub fn places_of(text: &str, stems: &mut Stems) -> Places {
    let mut places = Places::default();
    Splitter::default().each(text, |word| {
        let place = place_of(&word, 0, stems);
        places.add(&word, place, stems);
    });
    places
}

/// Returns what the words of question and items are compared by.
pub fn key(word: &Word<'_>, stems: &mut Stems) -> u64 {
    match word.kind {
        Kind::Part | Kind::Whole => stems.stem(word.text),
        Kind::One | Kind::Two => hash(word.text.as_bytes()),
    }
}
