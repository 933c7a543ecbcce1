//! Weighs what was counted: rarity of words, fields, length, the best passage.

use std::ops::Range;

use super::Weights;
use super::query::{Concept, Query};
use super::scan::{BODY, Counted, DESCRIPTION, HEADINGS, Met, NAME, Scan, TRIGGERS};
use crate::words::Kind;

/// A question's full match counts so many of its weightiest words: a long prompt need not be answered in each.
const MOST_WANTED: usize = 8;

const STRADDLING: f32 = 0.5;
const ORDINARY_WEIGHT: f32 = 0.35;

/// An item that shares something with the question.
#[derive(Debug)]
pub struct Scored {
    /// Its place in the list of items.
    pub index: usize,
    /// The sum of `parts`.
    pub score: f32,
    /// Score as a share of a full match; can exceed 1.
    pub share: f32,
    /// The score in words that stand in one item only: how much there is to say that it helps, however long the question.
    pub evidence: f32,
    /// False when only single characters and ordinary words were met: that proves nothing.
    pub telling: bool,
    /// What each column adds.
    pub parts: Vec<(Column, f32)>,
    /// Bytes of the body.
    pub passage: Option<Range<usize>>,
}

/// Scores each item in which something was met, in the order of the items.
pub fn score(query: &Query, scan: &Scan, weights: &Weights) -> Vec<Scored> {
    let scorer = Scorer::new(query, scan, weights);
    scan.counted.iter().filter_map(|counted| scorer.item(counted)).collect()
}

/// What a met word counts for: one for each concept, then one for each group, then the near spellings of concepts.
pub type Column = usize;

struct Scorer<'a> {
    query: &'a Query,
    weights: &'a Weights,
    /// What each column weighs: its weight times its rarity; 0 when it is not in use.
    values: Vec<f32>,
    /// Words in a body of usual length.
    usual_length: f32,
    /// What a word tells that stands in one item only.
    rarest: f32,
    /// What an item would score that has every word once in a passage.
    full: f32,
}

impl<'a> Scorer<'a> {
    fn new(query: &'a Query, scan: &Scan, weights: &'a Weights) -> Self {
        let frequency = frequencies(query, scan);
        let usual_length = (scan.words as f32 / scan.items.max(1) as f32).max(1.0);
        let mut scorer =
            Self { query, weights, values: vec![0.0; frequency.len()], usual_length, rarest: 1.0, full: 0.0 };
        for (index, concept) in query.concepts.iter().enumerate() {
            scorer.value_concept(index, concept, &frequency, scan.items);
        }
        for index in 0..query.groups.len() {
            scorer.value_group(index, &frequency, scan.items);
        }
        scorer.rarest = scorer.rarity(1, 0.02, scan.items);
        scorer.full = scorer.full_match(&frequency, scan.items);
        scorer
    }

    fn value_concept(&mut self, index: usize, concept: &Concept, frequency: &[u32], items: usize) {
        let near = query_columns(self.query) + index;
        self.values[index] = concept.weight * self.rarity(frequency[index], usual_share(concept), items);
        if frequency[index] == 0 && frequency[near] > 0 {
            self.values[near] =
                self.weights.near * concept.weight * self.rarity(frequency[near], usual_share(concept), items);
        }
    }

    fn value_group(&mut self, index: usize, frequency: &[u32], items: usize) {
        let concepts = &self.query.groups[index].concepts;
        let weight: f32 = concepts.iter().map(|concept| word_weight(&self.query.concepts[*concept])).sum();
        let column = self.query.concepts.len() + index;
        let rarity = self.rarity(frequency[column], 0.02, items);
        let nearness = self.query.groups[index].nearness;
        self.values[column] = self.weights.association * nearness * weight.min(1.0) * rarity;
    }

    /// Returns how much a word tells: the rarer in this folder (and in an imagined one), the more.
    fn rarity(&self, frequency: u32, usual_share: f32, items: usize) -> f32 {
        let known = frequency as f32 + self.weights.background * usual_share;
        let all = items as f32 + self.weights.background;
        (1.0 + (all - known + 0.5) / (known + 0.5)).ln()
    }

    fn full_match(&self, frequency: &[u32], items: usize) -> f32 {
        let wanted =
            self.query.concepts.iter().enumerate().filter(|(_, one)| matches!(one.kind, Kind::Part | Kind::Two));
        let mut values: Vec<f32> = wanted
            .map(|(index, one)| wanted_weight(one) * self.rarity(frequency[index], usual_share(one), items))
            .collect();
        values.sort_by(|left, right| right.total_cmp(left));
        values.iter().take(MOST_WANTED).sum::<f32>() * (1.0 + self.weights.passage)
    }

    fn item(&self, counted: &Counted) -> Option<Scored> {
        let met = self.columns(counted);
        if met.is_empty() {
            return None;
        }
        let passage = self.best_passage(&met);
        let mut parts = Vec::new();
        for run in met.chunk_by(|left, right| left.0 == right.0) {
            let column = run[0].0;
            let loose = self.weights.loose / (self.weights.loose + counted.length as f32);
            let in_body = if self.is_group(column) { loose } else { 1.0 };
            let whole = self.saturate(self.frequency(run, counted, in_body));
            let local = passage.map_or(0.0, |best| self.saturate(self.local(run, best, in_body)));
            parts.push((column, self.values[column] * (whole + self.weights.passage * local)));
        }
        self.keep_nearest(&mut parts);
        Some(self.scored(counted, parts, passage))
    }

    /// Of all associations that stand for the same words only the weightiest counts.
    fn keep_nearest(&self, parts: &mut Vec<(Column, f32)>) {
        let first = self.query.concepts.len();
        let group = |column: Column| column.checked_sub(first).and_then(|index| self.query.groups.get(index));
        let mut order: Vec<(Column, f32)> =
            parts.iter().filter(|(column, _)| group(*column).is_some()).copied().collect();
        order.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        let mut covered = vec![false; first];
        let mut dropped = Vec::new();
        for (column, _) in order {
            let concepts = group(column).map_or(&[][..], |group| &group.concepts);
            if concepts.iter().all(|concept| covered[*concept]) {
                dropped.push(column);
            }
            concepts.iter().for_each(|concept| covered[*concept] = true);
        }
        parts.retain(|(column, _)| !dropped.contains(column));
    }

    fn scored(&self, counted: &Counted, parts: Vec<(Column, f32)>, place: Option<u16>) -> Scored {
        let score = parts.iter().map(|(_, part)| part).sum();
        let passage = place.and_then(|place| counted.passages.get(usize::from(place.checked_sub(BODY)?)).cloned());
        let share = score / self.full.max(f32::MIN_POSITIVE);
        let telling = parts.iter().any(|(column, _)| self.is_telling(*column));
        let evidence = score / self.rarest.max(f32::MIN_POSITIVE);
        Scored { index: counted.index, score, share, evidence, telling, parts, passage }
    }

    fn is_group(&self, column: Column) -> bool {
        (self.query.concepts.len()..query_columns(self.query)).contains(&column)
    }

    fn is_telling(&self, column: Column) -> bool {
        self.query.concepts.get(column).is_none_or(|concept| !concept.ordinary && concept.kind != Kind::One)
    }

    /// Returns (column, place) of each met word that counts, sorted.
    fn columns(&self, counted: &Counted) -> Vec<(Column, u16)> {
        let of = |met: &Met| (column_of(met, self.query), met.place);
        let mut met: Vec<(Column, u16)> =
            counted.met.iter().map(of).filter(|(column, _)| self.values[*column] > 0.0).collect();
        met.sort_unstable();
        let concepts = self.query.concepts.len();
        let literal = |concept: &usize| met.binary_search_by(|(column, _)| column.cmp(concept)).is_ok();
        // A group that was met by its own word is not met again by its others.
        let spent: Vec<bool> = self.query.groups.iter().map(|group| group.concepts.iter().any(&literal)).collect();
        met.retain(|(column, _)| {
            !column.checked_sub(concepts).and_then(|group| spent.get(group)).copied().unwrap_or(false)
        });
        met
    }

    /// Returns how often a word stands in the item, by the weights of the fields and the length of the body.
    fn frequency(&self, run: &[(Column, u16)], counted: &Counted, in_body: f32) -> f32 {
        let weights = self.weights;
        let discount = 1.0 - weights.length + weights.length * counted.length as f32 / self.usual_length;
        run.iter()
            .map(|(_, place)| match *place {
                NAME => weights.name,
                DESCRIPTION => weights.description,
                TRIGGERS => weights.triggers,
                HEADINGS => weights.headings,
                _ => in_body * weights.body / discount,
            })
            .sum()
    }

    /// Returns how often a word stands in a passage; the neighbours count in part, and so does the head.
    fn local(&self, run: &[(Column, u16)], place: u16, in_body: f32) -> f32 {
        let neighbour = self.weights.neighbour;
        run.iter()
            .map(|(_, at)| match *at {
                at if at == place => {
                    if at < BODY {
                        1.0
                    } else {
                        in_body
                    }
                }
                at if at < BODY => {
                    if place < BODY {
                        1.0
                    } else {
                        neighbour
                    }
                }
                at if place >= BODY && at.abs_diff(place) == 1 => in_body * neighbour,
                _ => 0.0,
            })
            .sum()
    }

    /// Returns the passage whose words weigh most; the head counts as one.
    fn best_passage(&self, met: &[(Column, u16)]) -> Option<u16> {
        let places = met.iter().map(|(_, place)| usize::from(*place)).max()? + 2;
        let mut scores = vec![0.0; places];
        let mut counts = vec![0.0; places];
        for run in met.chunk_by(|left, right| left.0 == right.0) {
            self.add_run(run, &mut counts, &mut scores);
        }
        let best = |best: usize, place: usize| {
            if scores[place] > scores[best] { place } else { best }
        };
        u16::try_from((0..places).fold(0, best)).ok()
    }

    /// Adds to each passage what one word gives it, in one walk over the places of the word.
    fn add_run(&self, run: &[(Column, u16)], counts: &mut [f32], scores: &mut [f32]) {
        let value = self.values[run[0].0];
        let head = run.iter().filter(|(_, place)| *place < BODY).count() as f32;
        scores[usize::from(NAME)] += value * self.saturate(head);
        let passages = || run.iter().map(|(_, place)| usize::from(*place)).filter(|place| *place >= usize::from(BODY));
        for place in passages() {
            counts[place] += 1.0;
            counts[place + 1] += self.weights.neighbour;
            counts[place - 1] += self.weights.neighbour;
        }
        for place in passages().flat_map(|place| place - 1..=place + 1) {
            if place >= usize::from(BODY) && counts[place] > 0.0 {
                scores[place] += value * self.saturate(counts[place] + self.weights.neighbour * head);
            }
            counts[place] = 0.0;
        }
    }

    fn saturate(&self, frequency: f32) -> f32 {
        frequency / (frequency + self.weights.saturation)
    }
}

/// Returns the first column of the near spellings.
pub fn query_columns(query: &Query) -> usize {
    query.concepts.len() + query.groups.len()
}

fn column_of(met: &Met, query: &Query) -> Column {
    usize::from(met.signal) + if met.near { query_columns(query) } else { 0 }
}

/// Returns what a word of the question weighs as a whole word: a pair of characters is one as often as not.
fn word_weight(concept: &Concept) -> f32 {
    match concept.kind {
        Kind::Two if concept.ordinary => ORDINARY_WEIGHT,
        Kind::Two => 1.0,
        _ => concept.weight,
    }
}

/// Of the pairs of characters in a question half straddle two words: no memory is expected to have them.
fn wanted_weight(concept: &Concept) -> f32 {
    if concept.kind == Kind::Two { concept.weight * STRADDLING } else { concept.weight }
}

/// Returns the share of an imagined folder's memories that hold the word.
fn usual_share(concept: &Concept) -> f32 {
    match concept.kind {
        _ if concept.ordinary => 0.25,
        Kind::Part => 0.01,
        Kind::Whole => 0.005,
        Kind::Two => 0.02,
        Kind::One => 0.25,
    }
}

/// Returns in how many items each column was met.
fn frequencies(query: &Query, scan: &Scan) -> Vec<u32> {
    let columns = query_columns(query) + query.concepts.len();
    let mut frequency = vec![0; columns];
    let mut last = vec![usize::MAX; columns];
    for counted in &scan.counted {
        for met in &counted.met {
            let column = column_of(met, query);
            if last[column] != counted.index {
                last[column] = counted.index;
                frequency[column] += 1;
            }
        }
    }
    frequency
}
