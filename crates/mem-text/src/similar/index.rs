//! Finds the pairs worth comparing among many texts: those that share rare words.

use std::collections::{BTreeMap, HashMap};

use super::features::Features;
use super::{Likeness, Weighted, weigh};

/// Two texts of a collection that say the same thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Place of the first in the collection.
    pub left: usize,
    /// Place of the second, behind the first.
    pub right: usize,
    /// How far they say the same, 0 to 1.
    pub score: f64,
}

/// Texts with the weight of each word among them.
#[derive(Clone, Debug)]
pub struct Collection {
    features: Vec<Features>,
    counts: HashMap<u64, u32>,
}

/// A word in more texts than this brings no pairs; such texts meet by rarer words or by being equal.
const POSTINGS_MAX: usize = 48;

/// So many of the rarest words of a text may bring pairs.
const RARE_WORDS: usize = 12;

/// A collection counts as no smaller than this: among a handful of texts it tells little that a word stands in two of
/// them, and just those that say the same share it.
const SMALLEST: usize = 60;

impl Collection {
    /// Returns a collection of texts; pairs name them by their place.
    pub fn new(features: Vec<Features>) -> Self {
        let mut counts = HashMap::new();
        for word in features.iter().flat_map(|one| one.words.iter().chain(&one.values)) {
            *counts.entry(*word).or_insert(0) += 1;
        }
        Self { features, counts }
    }

    /// Returns the features of one text.
    pub fn features(&self, index: usize) -> &Features {
        &self.features[index]
    }

    /// Returns the pairs that share a rare word or are equal, each once, in order; far fewer than all pairs.
    pub fn candidates(&self) -> Vec<(usize, usize)> {
        let mut lists: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (index, features) in self.features.iter().enumerate() {
            for word in self.rare_words(features) {
                lists.entry(word).or_default().push(index);
            }
        }
        let mut pairs = self.equal_texts();
        for list in lists.values().filter(|list| list.len() <= POSTINGS_MAX) {
            for (place, left) in list.iter().enumerate() {
                pairs.extend(list[place + 1..].iter().map(|right| (*left, *right)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Returns how the texts of each pair stand to each other, rare words counting more, in the order of the pairs.
    pub fn compare(&self, pairs: &[(usize, usize)]) -> Vec<Likeness> {
        let all = self.features.len().max(SMALLEST) as f64;
        let weight = |word: u64| (1.0 + all / f64::from(*self.counts.get(&word).unwrap_or(&1))).ln();
        let weighted: Vec<Weighted<'_>> =
            self.features.iter().map(|features| Weighted::new(features, weight)).collect();
        pairs.iter().map(|(left, right)| weigh(&weighted[*left], &weighted[*right])).collect()
    }

    /// Returns the pairs that score at least `least`, in order of their places.
    pub fn pairs(&self, least: f64) -> Vec<Pair> {
        let candidates = self.candidates();
        let scores = self.compare(&candidates).into_iter().map(|likeness| likeness.score);
        let pairs =
            candidates.iter().zip(scores).map(|((left, right), score)| Pair { left: *left, right: *right, score });
        pairs.filter(|pair| pair.score >= least).collect()
    }

    /// The rarest words that another text has too.
    fn rare_words(&self, features: &Features) -> Vec<u64> {
        let mut words: Vec<(u32, u64)> = features
            .words
            .iter()
            .filter_map(|word| self.counts.get(word).map(|count| (*count, *word)))
            .filter(|(count, _)| *count > 1 && *count as usize <= POSTINGS_MAX)
            .collect();
        words.sort_unstable();
        words.into_iter().take(RARE_WORDS).map(|(_, word)| word).collect()
    }

    /// Equal texts, each with the next one like it.
    fn equal_texts(&self) -> Vec<(usize, usize)> {
        let mut last: HashMap<u64, usize> = HashMap::new();
        let mut pairs = Vec::new();
        for (index, features) in self.features.iter().enumerate().filter(|(_, features)| !features.is_empty()) {
            if let Some(before) = last.insert(features.fingerprint(), index) {
                pairs.push((before, index));
            }
        }
        pairs
    }
}
