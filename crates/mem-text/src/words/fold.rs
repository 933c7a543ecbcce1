//! Brings a word into the form it is compared in.

use unicode_normalization::UnicodeNormalization;

/// A run of letters longer than this (bytes) is no word: encoded data, visited cut.
pub const LONGEST_WORD: usize = 64;

/// Returns the word lower-cased and folded: the same slice when nothing changes.
pub fn fold<'a>(word: &'a str, buffer: &'a mut String) -> &'a str {
    let word = cut(word);
    if word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return word;
    }
    buffer.clear();
    push_folded(word, buffer);
    buffer
}

/// Adds the folded word to `buffer`.
pub fn push_folded(word: &str, buffer: &mut String) {
    let word = cut(word);
    if word.is_ascii() {
        buffer.extend(word.chars().map(|character| character.to_ascii_lowercase()));
        return;
    }
    let accents = |character: &char| !matches!(u32::from(*character), 0x300..=0x36F);
    buffer.extend(word.nfkd().filter(accents).flat_map(char::to_lowercase));
}

fn cut(word: &str) -> &str {
    &word[..boundary(word, LONGEST_WORD)]
}

/// Returns the last character boundary at or below `at`.
pub(crate) fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
