//! The table of words that stand for the same thing, and the groups of it that a question touches.
//!
//! The table is read as text, each time: an entry whose beginning no word of the question has is passed over without
//! looking closer, so that a question costs a few tenths of a millisecond and a start nothing.

use super::filter::Filter;
use crate::stems::{Stems, hash};
use crate::words::{Kind, Splitter};

/// Groups a line, entries between commas, kinds and signs behind a bar.
const OURS: &str = include_str!("../../data/association.txt");
/// An entry of more words is a sentence, and leads nowhere.
const LONGEST_ENTRY: usize = 12;

/// The words of a question as the table sees them.
#[derive(Debug, Default)]
pub struct Places {
    /// Words and pairs of characters, by position.
    pub words: Vec<Place>,
    /// Single characters of scripts without blanks.
    pub singles: Vec<Place>,
    /// How the words begin.
    pub filter: Filter,
}

/// One word of a text.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Of the stem, of the pair of characters, or of the character.
    pub hash: u64,
    /// As in `words::Word`.
    pub position: u32,
    /// True for a pair of characters, which covers two positions.
    pub is_pair: bool,
}

/// A group that the question touches, and by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched<'t> {
    /// First and last position of the words of the question.
    pub span: (u32, u32),
    /// The group as it stands in the table.
    pub line: &'t str,
    /// The entry that was touched.
    pub entry: &'t str,
    /// True when it stands behind the bar.
    pub is_member: bool,
}

/// Returns the groups of our table and of the user's that hold a word or phrase of the question; of phrases that lie
/// within each other the longest.
pub fn touched<'t>(places: &Places, users: &'t str, stems: &mut Stems) -> Vec<Touched<'t>> {
    let mut splitter = Splitter::default();
    let mut found = Vec::new();
    for line in OURS.lines().chain(users.lines()) {
        // The line's own mark of a comment; an entry never begins so.
        if !line.starts_with('#') {
            meetings(line, places, stems, &mut splitter, &mut found);
        }
    }
    let inside = |one: &Touched<'_>, other: &Touched<'_>| {
        one.span != other.span && other.span.0 <= one.span.0 && one.span.1 <= other.span.1
    };
    found.iter().filter(|one| !found.iter().any(|other| inside(one, other))).copied().collect()
}

/// Returns the entries of a group, each with whether it stands behind the bar.
pub fn entries(line: &str) -> impl Iterator<Item = (&str, bool)> {
    let (heads, members) = line.split_once('|').unwrap_or((line, ""));
    let parts = [(heads, false), (members, true)].into_iter();
    parts.flat_map(|(text, is_member)| text.split([',', '，']).map(move |entry| (entry.trim(), is_member)))
}

/// Adds where the question meets the group, each span once.
fn meetings<'t>(
    line: &'t str,
    places: &Places,
    stems: &mut Stems,
    splitter: &mut Splitter,
    found: &mut Vec<Touched<'t>>,
) {
    let before = found.len();
    for (entry, is_member) in entries(line).filter(|(entry, _)| places.filter.passes_any_case(entry)) {
        let words = words(entry, stems, splitter);
        for span in spans(&words, places) {
            if found[before..].iter().all(|other| other.span != span) {
                found.push(Touched { span, line, entry, is_member });
            }
        }
    }
}

/// Returns the first and last positions where the words stand one behind the other in the question.
fn spans(entry: &Words, places: &Places) -> Vec<(u32, u32)> {
    let within = if entry.is_single { &places.singles } else { &places.words };
    let Some(first) = entry.words.first() else { return Vec::new() };
    let starts = within.iter().enumerate().filter(|(_, place)| place.hash == *first);
    starts.filter_map(|(index, _)| span(&entry.words, &within[index..])).collect()
}

fn span(words: &[u64], places: &[Place]) -> Option<(u32, u32)> {
    let first = places.first()?.position;
    let here = places.get(..words.len())?;
    let stands = |((place, word), position): ((&Place, &u64), u32)| place.hash == *word && place.position == position;
    let last = here.last()?;
    let all = here.iter().zip(words).zip(first..).all(stands);
    all.then_some((first, last.position + u32::from(last.is_pair)))
}

/// What an entry is compared by.
#[derive(Debug, Default)]
pub struct Words {
    /// Hashes of its stems or of its pairs of characters.
    pub words: Vec<u64>,
    /// True when it is one character: it leads from a question, never to a memory, where it stands in too many words.
    pub is_single: bool,
}

/// Returns the words of an entry; none when it has too many.
pub fn words(entry: &str, stems: &mut Stems, splitter: &mut Splitter) -> Words {
    let mut found = Words::default();
    let mut single = None;
    splitter.each(entry, |word| match word.kind {
        Kind::Part => found.words.push(stems.stem(word.text)),
        Kind::Two => found.words.push(hash(word.text.as_bytes())),
        Kind::One => single = Some(hash(word.text.as_bytes())),
        Kind::Whole => {}
    });
    if found.words.is_empty() {
        found.is_single = single.is_some();
        found.words.extend(single);
    }
    if found.words.len() > LONGEST_ENTRY { Words::default() } else { found }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::rank::query::places_of;

    fn groups(question: &str, users: &str) -> Vec<String> {
        let mut stems = Stems::default();
        let places = places_of(question, &mut stems);
        touched(&places, users, &mut stems).iter().map(|one| one.line.to_owned()).collect()
    }

    fn check(question: &str, other: &str) {
        let met = groups(question, "").iter().any(|line| entries(line).any(|(entry, _)| entry == other));
        assert!(met, "{question} should meet {other}");
    }

    #[test]
    fn words_of_one_group_meet_across_languages_and_as_phrases() {
        check("deploying on Fridays", "上线");
        check("when do we roll out?", "deploy");
        check("数据库怎么选", "postgres");
        check("how do I revert", "回滚");
        check("who owns the payments service", "负责人");
    }

    #[test]
    fn of_phrases_within_each_other_the_longest_counts() {
        let met = groups("open a pull request", "");
        assert!(met.iter().any(|line| line.contains("合并请求")), "{met:?}");
        assert!(!met.iter().any(|line| line.starts_with("http,")), "a pull request is no request: {met:?}");
    }

    #[test]
    fn a_users_own_groups_are_met_besides() {
        assert_eq!(groups("zorbl the frobnitz", "# mine\nfrobnitz, billing core | ledgerd\n").len(), 1);
    }

    #[test]
    fn the_table_is_well_formed() {
        let (mut stems, mut splitter) = (Stems::default(), Splitter::default());
        for line in OURS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let mut seen: Vec<&str> = entries(line).map(|(entry, _)| entry).filter(|entry| !entry.is_empty()).collect();
            assert!(seen.len() >= 2, "{line}");
            assert!(seen.iter().all(|entry| !words(entry, &mut stems, &mut splitter).words.is_empty()), "{line}");
            seen.sort_unstable();
            assert!(seen.windows(2).all(|pair| pair[0] != pair[1]), "twice in {line}");
        }
    }
}
