//! Numbers in two texts: those that say which of several things is meant, and those that say how much.
//!
//! "Service 7 listens on port 9049" and "service 8 listens on port 9049" are two facts; "the timeout is 30 seconds" and
//! "the timeout is 60 seconds" are one fact with another value.

use std::collections::BTreeSet;

/// Words behind which a number is a value, although no unit follows.
const VALUE_LEADS: [&str; 44] = [
    "a",
    "about",
    "above",
    "after",
    "and",
    "are",
    "at",
    "before",
    "below",
    "between",
    "budget",
    "by",
    "cap",
    "equals",
    "every",
    "exactly",
    "for",
    "from",
    "has",
    "in",
    "is",
    "keep",
    "least",
    "limit",
    "max",
    "maximum",
    "minimum",
    "most",
    "of",
    "on",
    "only",
    "or",
    "over",
    "port",
    "than",
    "threshold",
    "timeout",
    "to",
    "under",
    "until",
    "use",
    "v",
    "version",
    "within",
];

/// How the numbers of two texts compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// All are the same.
    Same,
    /// One value is another.
    OneValue,
    /// They speak of different things, or of several values.
    Apart,
}

/// Returns how the numbers of two texts compare. Numbers of only one of them that stand in no number's place count, too.
pub fn compare(left: &str, right: &str) -> Numbers {
    let (left, right) = (Found::of(left), Found::of(right));
    if left.labels != right.labels && !left.labels.is_empty() && !right.labels.is_empty() {
        return Numbers::Apart;
    }
    let only_left = left.all.difference(&right.all).count();
    let only_right = right.all.difference(&left.all).count();
    match (only_left, only_right) {
        (0, 0) => Numbers::Same,
        (0..=1, 0..=1) => Numbers::OneValue,
        _ => Numbers::Apart,
    }
}

#[derive(Default)]
struct Found {
    all: BTreeSet<String>,
    /// Each with the word before it: "service 7".
    labels: BTreeSet<String>,
}

impl Found {
    fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let tokens: Vec<&str> =
            lower.split(|character: char| !character.is_alphanumeric()).filter(|token| !token.is_empty()).collect();
        let mut found = Self::default();
        for (at, token) in
            tokens.iter().enumerate().filter(|(_, token)| token.bytes().all(|byte| byte.is_ascii_digit()))
        {
            found.all.insert((*token).to_owned());
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            if let Some(before) = before
                && is_name_of_kind(before)
                && !tokens.get(at + 1).is_some_and(|after| is_unit(after))
            {
                found.labels.insert(format!("{before} {token}"));
            }
        }
        found
    }
}

fn is_name_of_kind(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphabetic()) && VALUE_LEADS.binary_search(&word).is_err()
}

fn is_unit(word: &str) -> bool {
    const UNITS: [&str; 30] = [
        "bytes",
        "characters",
        "commits",
        "day",
        "days",
        "gb",
        "h",
        "hour",
        "hours",
        "kb",
        "lines",
        "mb",
        "minute",
        "minutes",
        "month",
        "months",
        "ms",
        "percent",
        "requests",
        "rows",
        "s",
        "second",
        "seconds",
        "tb",
        "times",
        "tokens",
        "week",
        "weeks",
        "year",
        "years",
    ];
    UNITS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_say_which_thing_or_how_much() {
        for (left, right, expected) in [
            ("service 7 listens on port 9049", "service 8 listens on port 9049", Numbers::Apart),
            ("writer 1 says fact 1", "writer 1 says fact 2", Numbers::Apart),
            ("the timeout is 30 seconds", "the timeout is 60 seconds", Numbers::OneValue),
            ("rotate logs 14 days", "rotate logs 30 days", Numbers::OneValue),
            ("the port is 80", "the port is 80", Numbers::Same),
            ("ports 80 and 81", "ports 90 and 91", Numbers::Apart),
            ("超时 30 秒", "超时 60 秒", Numbers::OneValue),
            ("no numbers", "none", Numbers::Same),
        ] {
            assert_eq!(compare(left, right), expected, "{left} / {right}");
        }
    }

    #[test]
    fn the_lists_are_sorted_for_the_search() {
        assert!(VALUE_LEADS.is_sorted());
        assert!(is_unit("bytes") && is_unit("years") && is_unit("ms") && !is_unit("service"));
    }
}
