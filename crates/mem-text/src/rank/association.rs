//! The table of words that stand for the same thing.

use crate::stems::Stems;
use crate::words::{Kind, Splitter};

/// Groups a line, entries between commas.
const TABLE: &str = include_str!("../../data/association.txt");

/// A word of the question as the table sees it: the hash of its stem, and its place.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Of the stem, or of the pair of characters.
    pub hash: u64,
    /// As in `words::Word`.
    pub position: u32,
}

/// A group that the question touches.
#[derive(Debug)]
pub struct Touched {
    /// First and last position of the words of the question.
    pub span: (u32, u32),
    /// The other entries of the group, as they stand in the table.
    pub others: Vec<&'static str>,
}

/// Returns the groups that hold a word or phrase of the question; `passes` is a cheap first test of a word.
pub fn touched(places: &[Place], stems: &mut Stems, passes: impl Fn(&str) -> bool) -> Vec<Touched> {
    let mut splitter = Splitter::default();
    let mut found = Vec::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let Some((span, met)) = meeting(line, places, stems, &mut splitter, &passes) else {
            continue;
        };
        found.push(Touched { span, others: entries(line).filter(|entry| *entry != met).collect() });
    }
    found
}

fn entries(line: &'static str) -> impl Iterator<Item = &'static str> {
    line.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

/// Returns where the question meets the group, and by which entry; the longest entry wins.
fn meeting(
    line: &'static str,
    places: &[Place],
    stems: &mut Stems,
    splitter: &mut Splitter,
    passes: &impl Fn(&str) -> bool,
) -> Option<((u32, u32), &'static str)> {
    let mut best: Option<((u32, u32), &'static str)> = None;
    for entry in entries(line).filter(|entry| passes(entry)) {
        let words = hashes(entry, stems, splitter);
        let Some(span) = find(&words, places) else {
            continue;
        };
        if best.is_none_or(|(other, _)| span.1 - span.0 > other.1 - other.0) {
            best = Some((span, entry));
        }
    }
    best
}

/// Returns the first and last position of `words` standing one behind the other.
fn find(words: &[u64], places: &[Place]) -> Option<(u32, u32)> {
    let first = words.first()?;
    let has = |hash: u64, position: u32| places.iter().any(|place| place.hash == hash && place.position == position);
    places.iter().filter(|place| place.hash == *first).find_map(|place| {
        let last = place.position + u32::try_from(words.len()).unwrap_or(0) - 1;
        words
            .iter()
            .zip(place.position..)
            .all(|(hash, position)| has(*hash, position))
            .then_some((place.position, last))
    })
}

/// Returns the hashes of an entry: its words, or its pairs of characters.
pub fn hashes(entry: &str, stems: &mut Stems, splitter: &mut Splitter) -> Vec<u64> {
    let mut words = Vec::new();
    each_word(entry, splitter, |word| words.push(stems.stem(word)));
    words
}

/// Visits the words, or the pairs of characters, of an entry.
pub fn each_word(entry: &str, splitter: &mut Splitter, mut visit: impl FnMut(&str)) {
    splitter.each(entry, |word| {
        if matches!(word.kind, Kind::Part | Kind::Two) {
            visit(word.text);
        }
    });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(question: &str, other: &str) {
        let (mut stems, mut splitter, mut places) = (Stems::default(), Splitter::default(), Vec::new());
        splitter.each(question, |word| places.push(Place { hash: stems.stem(word.text), position: word.position }));
        let groups = touched(&places, &mut stems, |_| true);
        assert!(groups.iter().any(|group| group.others.contains(&other)), "{question} should meet {other}");
    }

    #[test]
    fn words_of_one_group_meet_across_languages_and_as_phrases() {
        check("deploying on Fridays", "上线");
        check("when do we roll out?", "deploy");
        check("数据库怎么选", "postgres");
        check("how do I revert", "回滚");
    }

    #[test]
    fn the_table_is_well_formed() {
        for line in TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            assert!(entries(line).count() >= 2, "{line}");
            let mut seen: Vec<&str> = entries(line).collect();
            seen.sort_unstable();
            assert!(seen.windows(2).all(|pair| pair[0] != pair[1]), "twice in {line}");
        }
    }
}
