//! Words that are spelt nearly like those asked for.

use super::query::Signal;
use crate::words::Word;

/// A word shorter than this (bytes) is not taken for a misspelling.
pub const SHORTEST_NEAR: usize = 5;

/// Visits the words asked for that this one is nearly spelt like, or that one of both is the beginning of.
pub fn nearly(word: &Word<'_>, near: &[(Signal, &str)], mut visit: impl FnMut(Signal)) {
    if word.text.len() < SHORTEST_NEAR {
        return;
    }
    for (signal, asked) in near {
        if word.text.starts_with(asked) || asked.starts_with(word.text) || is_one_edit_apart(word.text, asked) {
            visit(*signal);
        }
    }
}

/// True when one letter is added, left out, changed, or swapped with its neighbour; the first letter must agree.
fn is_one_edit_apart(one: &str, other: &str) -> bool {
    let (short, long) =
        if one.len() <= other.len() { (one.as_bytes(), other.as_bytes()) } else { (other.as_bytes(), one.as_bytes()) };
    if long.len() - short.len() > 1 || short.first() != long.first() {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(left, right)| left == right).count();
    let (short, long) = (&short[same..], &long[same..]);
    if short.len() < long.len() {
        return short == &long[1..];
    }
    let swapped = short.len() >= 2 && short[0] == long[1] && short[1] == long[0] && short[2..] == long[2..];
    short.is_empty() || short[1..] == long[1..] || swapped
}

/// Returns one bit for a word that begins with a small letter, none for others.
pub fn initial(word: &str) -> u32 {
    word.bytes().next().filter(u8::is_ascii_lowercase).map_or(0, |byte| 1 << (byte - b'a'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_is_forgiven_and_two_are_not() {
        for (one, other) in [("deploy", "depoly"), ("deploy", "deplo"), ("deploy", "deployy"), ("postgres", "postgras")]
        {
            assert!(is_one_edit_apart(one, other) && is_one_edit_apart(other, one), "{one} {other}");
        }
        for (one, other) in [("deploy", "employ"), ("deploy", "dpeoyl"), ("form", "forest")] {
            assert!(!is_one_edit_apart(one, other), "{one} {other}");
        }
    }
}
