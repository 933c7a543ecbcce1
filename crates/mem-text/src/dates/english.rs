//! English words that name a day: "tomorrow", "next Thursday", "in two weeks", "end of month".

use std::ops::Range;

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::calendar::{Unit, end_of_unit, in_week, later, on_or_after};
use super::{FoundDate, Precision};

const WEEKDAYS: [(&str, &str, Weekday); 7] = [
    ("monday", "mon", Weekday::Monday),
    ("tuesday", "tue", Weekday::Tuesday),
    ("wednesday", "wed", Weekday::Wednesday),
    ("thursday", "thu", Weekday::Thursday),
    ("friday", "fri", Weekday::Friday),
    ("saturday", "sat", Weekday::Saturday),
    ("sunday", "sun", Weekday::Sunday),
];

const NUMBERS: [&str; 13] =
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

struct Word<'a> {
    text: &'a str,
    range: Range<usize>,
}

/// Words of letters and digits, with their place.
fn split(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        match (byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80, start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                words.push(Word { text: &text[first..at], range: first..at });
                start = None;
            }
            _ => {}
        }
    }
    words
}

pub(super) fn find(text: &str, today: Date) -> Vec<FoundDate> {
    let words = split(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match english_at(text, &words[at..], today).filter(|(_, used)| !is_habit(&words, at, *used)) {
            Some((date, used)) => {
                let range = words[at].range.start..words[at + used - 1].range.end;
                found.push(FoundDate { date, range, precision: Precision::Day });
                at += used;
            }
            None => at += 1,
        }
    }
    found
}

/// "Only on Friday", "on Friday afternoons": said of every week.
fn is_habit(words: &[Word<'_>], at: usize, used: usize) -> bool {
    let is_one_of = |place: Option<usize>, wanted: &[&str]| {
        let word = place.and_then(|place| words.get(place));
        word.is_some_and(|word| wanted.iter().any(|wanted| word.text.eq_ignore_ascii_case(wanted)))
    };
    words[at].text.eq_ignore_ascii_case("on")
        && (is_one_of(at.checked_sub(1), &["only", "always", "never", "every", "not"])
            || is_one_of(Some(at + used), &["afternoons", "mornings", "evenings", "nights"]))
}

/// Returns the day that the first words name, and how many words do so.
fn english_at(text: &str, words: &[Word<'_>], today: Date) -> Option<(Date, usize)> {
    let word = |index: usize| words.get(index).filter(|word| joined(text, words, index, word)).map(|word| word.text);
    let is = |index: usize, wanted: &str| word(index).is_some_and(|word| word.eq_ignore_ascii_case(wanted));
    let first = word(0)?;
    match first.to_ascii_lowercase().as_str() {
        "today" | "tonight" => Some((today, 1)),
        "tomorrow" => Some((today.tomorrow().ok()?, 1)),
        "yesterday" => Some((today.yesterday().ok()?, 1)),
        "day" if is(1, "after") && is(2, "tomorrow") => Some((today.checked_add(2.days()).ok()?, 3)),
        "day" if is(1, "before") && is(2, "yesterday") => Some((today.checked_sub(2.days()).ok()?, 3)),
        "next" => next(word(1)?, today).map(|date| (date, 2)),
        "this" | "coming" | "on" | "by" | "until" | "before" | "till" | "after" | "from" | "starting" => {
            // The preposition itself stays outside when it governs no weekday.
            let day = weekday(word(1)?)?;
            let is_recurring = first.eq_ignore_ascii_case("on") && word(1)?.ends_with(['s', 'S']);
            (!is_recurring).then(|| on_or_after(today, day).map(|date| (date, 2)))?
        }
        "last" => last(word(1)?, today).map(|date| (date, 2)),
        "in" => {
            let (count, used) = count_of(text, words, 1)?;
            let unit = unit_of(word(1 + used)?)?;
            Some((later(today, count, unit)?, 2 + used))
        }
        "end" if is(1, "of") => end_of(text, words, today),
        _ => ago_or_from_now(text, words, today),
    }
}

/// A word goes with the one before it when only blanks stand between them.
fn joined(text: &str, words: &[Word<'_>], index: usize, word: &Word<'_>) -> bool {
    index == 0 || text[words[index - 1].range.end..word.range.start].bytes().all(|byte| byte == b' ' || byte == b'-')
}

fn next(word: &str, today: Date) -> Option<Date> {
    if let Some(day) = weekday(word) {
        // The one of next week, as 下周四 means too; "this Thursday" is the coming one.
        return in_week(today, 1, day);
    }
    match word.to_ascii_lowercase().as_str() {
        "week" => in_week(today, 1, Weekday::Monday),
        "month" => today.first_of_month().checked_add(1.month()).ok(),
        "year" => Date::new(today.year().checked_add(1)?, 1, 1).ok(),
        _ => None,
    }
}

fn last(word: &str, today: Date) -> Option<Date> {
    let day = weekday(word)?;
    today.nth_weekday(-1, day).ok()
}

fn end_of(text: &str, words: &[Word<'_>], today: Date) -> Option<(Date, usize)> {
    let word = |index: usize| {
        words.get(index).filter(|word| joined(text, words, index, word)).map(|word| word.text.to_ascii_lowercase())
    };
    let second = word(2)?;
    let (shift, used) = match second.as_str() {
        "next" => (1, 3),
        "the" | "this" => (0, 3),
        _ => (0, 2),
    };
    // "End of day" is an hour, not a day.
    let unit = unit_of(&word(used)?).filter(|unit| *unit != Unit::Day)?;
    Some((end_of_unit(today, unit, shift)?, used + 1))
}

fn ago_or_from_now(text: &str, words: &[Word<'_>], today: Date) -> Option<(Date, usize)> {
    let (count, used) = count_of(text, words, 0)?;
    let word = |index: usize| words.get(index).filter(|word| joined(text, words, index, word)).map(|word| word.text);
    let unit = unit_of(word(used)?)?;
    let behind = word(used + 1)?;
    if behind.eq_ignore_ascii_case("ago") {
        return Some((later(today, -count, unit)?, used + 2));
    }
    let is_from_now = behind.eq_ignore_ascii_case("from")
        && word(used + 2).is_some_and(|word| word.eq_ignore_ascii_case("now") || word.eq_ignore_ascii_case("today"));
    is_from_now.then(|| later(today, count, unit).map(|date| (date, used + 3)))?
}

/// Reads `3`, `three`, `a`, `a couple of`, `the next two`.
fn count_of(text: &str, words: &[Word<'_>], at: usize) -> Option<(i32, usize)> {
    let word = words.get(at).filter(|word| joined(text, words, at, word))?.text.to_ascii_lowercase();
    if word == "a" || word == "an" {
        return Some((1, 1));
    }
    if let Some(number) = NUMBERS.iter().position(|name| *name == word) {
        return Some((i32::try_from(number).ok()?, 1));
    }
    if word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some((word.parse().ok()?, 1));
    }
    None
}

fn unit_of(word: &str) -> Option<Unit> {
    Some(match word.to_ascii_lowercase().as_str() {
        "day" | "days" => Unit::Day,
        "week" | "weeks" => Unit::Week,
        "month" | "months" => Unit::Month,
        "year" | "years" => Unit::Year,
        _ => return None,
    })
}

fn weekday(word: &str) -> Option<Weekday> {
    WEEKDAYS
        .iter()
        .find(|(long, short, _)| word.eq_ignore_ascii_case(long) || word.eq_ignore_ascii_case(short))
        .map(|(_, _, day)| *day)
}
