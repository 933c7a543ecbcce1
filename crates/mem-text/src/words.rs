//! Splits text into the words that ranking compares.
//!
//! Latin words come lower-cased and folded (NFKD without accents); identifiers and paths come in parts and, besides,
//! whole; scripts written without blanks (Han, kana, hangul, Thai) come as single characters and as pairs.
//! What a word means (stems, stop words) is left to `stems`.

mod fold;
mod scripts;

use std::ops::Range;

pub(crate) use fold::boundary;
use fold::{LONGEST_WORD, fold, push_folded};
pub use scripts::is_dense;
use scripts::needs_normal;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// What kind of piece a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A word, or one part of an identifier.
    Part,
    /// An identifier or path of several parts, written together without its separators.
    Whole,
    /// One character of a script without blanks.
    One,
    /// Two neighbouring characters of such a script.
    Two,
}

/// One word, valid while it is visited.
#[derive(Clone, Copy, Debug)]
pub struct Word<'a> {
    /// Lower-cased and folded.
    pub text: &'a str,
    /// What kind of piece it is.
    pub kind: Kind,
    /// Counts parts and single characters; a pair or a whole has the place of its first.
    pub position: u32,
    /// First byte in the text as it was given.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
}

/// An identifier with more parts than this has no whole: it is a sentence or a data blob.
const MOST_PARTS: usize = 12;
/// A whole longer than this (bytes) is not formed.
const LONGEST_WHOLE: usize = 80;
/// A run of a script without blanks is normalized in pieces of this many bytes at most.
const LONGEST_RUN: usize = 4096;

/// Visits words; keeps its buffers, so that many texts cost few allocations.
#[derive(Debug, Default)]
pub struct Splitter {
    folded: String,
    parts: Vec<Range<usize>>,
}

impl Splitter {
    /// Calls `visit` with each word of `text` in order and returns the number of positions used.
    pub fn each(&mut self, text: &str, mut visit: impl FnMut(Word<'_>)) -> u32 {
        let bytes = text.as_bytes();
        let mut position = 0;
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at].is_ascii() && !bytes[at].is_ascii_alphanumeric() {
                at += 1;
                continue;
            }
            if let Some(end) = plain_word(bytes, at) {
                visit(Word { text: &text[at..end], kind: Kind::Part, position, start: at, end });
                position += 1;
                at = end;
                continue;
            }
            match class_at(text, at) {
                Class::Word => at = self.compound(text, at, &mut position, &mut visit),
                Class::Dense => at = self.dense(text, at, &mut position, &mut visit),
                Class::Other => at += char_length(bytes[at]),
            }
        }
        position
    }

    /// Visits the identifier, path or plain word that starts at `start`; returns where it ends.
    fn compound(&mut self, text: &str, start: usize, position: &mut u32, visit: &mut impl FnMut(Word<'_>)) -> usize {
        self.parts.clear();
        let mut end = self.run(text, start);
        while let Some(next) = joined_at(text, end) {
            let apostrophe = !matches!(text.as_bytes()[end], b'_' | b'-' | b'.' | b'/' | b'\\' | b':');
            let before = self.parts.len();
            end = self.run(text, next);
            // The endings of "it's", "don't" and "they're" say nothing.
            if apostrophe && end - next <= 2 {
                self.parts.truncate(before);
                break;
            }
            if self.parts.len() > MOST_PARTS {
                break;
            }
        }
        let first = *position;
        for index in 0..self.parts.len() {
            let part = self.parts[index].clone();
            let folded = fold(&text[part.clone()], &mut self.folded);
            visit(Word { text: folded, kind: Kind::Part, position: *position, start: part.start, end: part.end });
            *position += 1;
        }
        self.whole(text, first, visit);
        end
    }

    /// Visits all parts written together, when there are several.
    fn whole(&mut self, text: &str, position: u32, visit: &mut impl FnMut(Word<'_>)) {
        let (Some(first), Some(last)) = (self.parts.first(), self.parts.last()) else {
            return;
        };
        let (start, end) = (first.start, last.end);
        if self.parts.len() < 2 || self.parts.len() > MOST_PARTS || end - start > LONGEST_WHOLE {
            return;
        }
        self.folded.clear();
        for part in &self.parts {
            push_folded(&text[part.clone()], &mut self.folded);
        }
        visit(Word { text: &self.folded, kind: Kind::Whole, position, start, end });
    }

    /// Adds the parts of the run of letters and digits at `start`; returns where it ends.
    fn run(&mut self, text: &str, start: usize) -> usize {
        let bytes = text.as_bytes();
        let mut end = start;
        let mut plain = true;
        while end < bytes.len() {
            if bytes[end].is_ascii_alphanumeric() {
                plain &= bytes[end].is_ascii_lowercase() || end == start;
                end += 1;
            } else if !bytes[end].is_ascii() && class_at(text, end) == Class::Word {
                end += char_length(bytes[end]);
            } else {
                break;
            }
        }
        if plain {
            self.parts.push(start..end)
        } else {
            self.humps(text, start, end)
        }
        end
    }

    /// Adds the parts of a run that holds capitals or digits: `parseHTTPBody2` is parse, HTTP, Body, 2.
    fn humps(&mut self, text: &str, start: usize, end: usize) {
        let bytes = text.as_bytes();
        let mut from = start;
        for at in start + 1..end {
            let (before, here) = (bytes[at - 1], bytes[at]);
            let after = if at + 1 < end { bytes[at + 1] } else { 0 };
            let rises = before.is_ascii_lowercase() && here.is_ascii_uppercase();
            let acronym_ends = before.is_ascii_uppercase() && here.is_ascii_uppercase() && after.is_ascii_lowercase();
            // "utf8" and "v2" stay whole, "postgres15" is postgres and 15.
            let number = here.is_ascii_digit() && before.is_ascii_alphabetic() && at - from > 3;
            if (rises || acronym_ends || number) && self.parts.len() <= MOST_PARTS {
                self.parts.push(from..at);
                from = at;
            }
        }
        self.parts.push(from..end);
    }

    /// Visits the characters and pairs of a run without blanks; returns where it ends.
    fn dense(&mut self, text: &str, start: usize, position: &mut u32, visit: &mut impl FnMut(Word<'_>)) -> usize {
        let mut end = start;
        let mut odd = false;
        for character in text[start..].chars() {
            if !is_dense(character) || end - start > LONGEST_RUN {
                break;
            }
            odd |= needs_normal(character);
            end += character.len_utf8();
        }
        let run = &text[start..end];
        if odd {
            self.folded.clear();
            self.folded.extend(run.nfkc());
            // Offsets are those of the run: normalizing may have changed the lengths.
            pairs(&self.folded, position, |_| (start, end), visit);
        } else {
            pairs(run, position, |range| (start + range.start, start + range.end), visit);
        }
        end
    }
}

/// Returns where a word of small letters ends, or `None` when it is longer, joined or written in any other way: most
/// words of English prose take this short path.
fn plain_word(bytes: &[u8], start: usize) -> Option<usize> {
    let length = bytes[start..].iter().take(LONGEST_WORD + 1).take_while(|byte| byte.is_ascii_lowercase()).count();
    let end = start + length;
    let next = bytes.get(end).copied().unwrap_or(b' ');
    let alone = next.is_ascii()
        && !next.is_ascii_alphanumeric()
        && !matches!(next, b'_' | b'-' | b'.' | b'/' | b'\\' | b':' | b'\'');
    (alone && length > 0 && length <= LONGEST_WORD).then_some(end)
}

/// Visits each character and each pair of neighbours.
fn pairs(
    run: &str,
    position: &mut u32,
    place: impl Fn(Range<usize>) -> (usize, usize),
    visit: &mut impl FnMut(Word<'_>),
) {
    let mut characters = run.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let middle = at + character.len_utf8();
        let (start, end) = place(at..middle);
        visit(Word { text: &run[at..middle], kind: Kind::One, position: *position, start, end });
        if let Some((_, next)) = characters.peek() {
            let last = middle + next.len_utf8();
            let (start, end) = place(at..last);
            visit(Word { text: &run[at..last], kind: Kind::Two, position: *position, start, end });
        }
        *position += 1;
    }
}

#[derive(PartialEq, Eq)]
enum Class {
    Word,
    Dense,
    Other,
}

fn class_at(text: &str, at: usize) -> Class {
    if text.as_bytes()[at].is_ascii_alphanumeric() {
        return Class::Word;
    }
    match text[at..].chars().next() {
        Some(character) if character.is_ascii() => Class::Other,
        Some(character) if is_dense(character) => Class::Dense,
        Some(character) if character.is_alphanumeric() || is_combining_mark(character) => Class::Word,
        _ => Class::Other,
    }
}

/// Returns where the next run starts when one separator stands at `end` and a word character behind it.
fn joined_at(text: &str, end: usize) -> Option<usize> {
    let separator = text[end..].chars().next()?;
    if !matches!(separator, '_' | '-' | '.' | '/' | '\\' | ':' | '\'' | '’') {
        return None;
    }
    let next = end + separator.len_utf8();
    (next < text.len() && class_at(text, next) == Class::Word).then_some(next)
}

fn char_length(first: u8) -> usize {
    match first {
        0..=0xBF => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut found = Vec::new();
        Splitter::default().each(text, |word| {
            assert!(text.is_char_boundary(word.start) && text.is_char_boundary(word.end) && word.start < word.end);
            found.push(word.text.to_owned());
        });
        assert_eq!(found.join(" "), expected, "words of {text:?}");
    }

    #[test]
    fn identifiers_and_paths_come_in_parts_and_whole() {
        check("parseHTTPBody", "parse http body parsehttpbody");
        check("snake_case_name", "snake case name snakecasename");
        check("src/app/main.rs", "src app main rs srcappmainrs");
        check("postgres15 utf8 v2", "postgres 15 postgres15 utf8 v2");
        check("API keys", "api keys");
    }

    #[test]
    fn endings_behind_an_apostrophe_are_dropped() {
        check("it's Caroline’s, they're, don't", "it caroline they don");
    }

    #[test]
    fn chinese_comes_as_characters_and_pairs() {
        check("数据库", "数 数据 据 据库 库");
        check("用cargo跑", "用 cargo 跑");
    }

    #[test]
    fn accents_width_and_composition_do_not_matter() {
        check("Café", "cafe");
        check("Cafe\u{301}", "cafe");
        check("ＡＰＩ", "api");
        check("か\u{3099}", "が");
        check("ﾃｽﾄ", "テ テス ス スト ト");
    }

    #[test]
    fn hostile_text_is_split_without_a_panic() {
        for text in ["_-./:'", "a.", "'s", "é'", "\u{301}", "a\u{0}b", "𠀀𠀁", "x".repeat(100_000).as_str()] {
            Splitter::default().each(text, |_| {});
        }
        Splitter::default().each(&"a_".repeat(100_000), |_| {});
        Splitter::default().each(&"aB".repeat(100_000), |_| {});
        Splitter::default().each(&"数".repeat(100_000), |_| {});
    }

    #[test]
    fn positions_count_parts_and_characters() {
        let mut last = Vec::new();
        let count = Splitter::default().each("one two_three 数据", |word| last.push((word.position, word.kind)));
        assert_eq!(count, 5);
        assert_eq!(last.iter().filter(|(position, _)| *position == 1).count(), 2);
        assert_eq!(last.last().unwrap().0, 4);
    }
}
