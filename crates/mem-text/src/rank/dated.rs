//! The days that a question asks about, and whether an item speaks of them.

use std::ops::Range;

use jiff::ToSpan;
use jiff::civil::Date;

use crate::dates::{self, Named};

/// More dates than a question has.
const MOST_DATES: usize = 8;

/// A day or a stretch of days that the question names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// From the first to the last day.
    Span(Date, Date),
    /// A month, or a day of it, of any year.
    Yearly(i8, Option<i8>),
}

/// Where a question names a date, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Bytes of the question.
    pub range: Range<usize>,
    /// The days.
    pub asked: Asked,
    /// True when it is written in numbers: its pieces say nothing by themselves then.
    pub is_written: bool,
}

/// Words for a stretch of days, and how to reach its first day and its length from today.
const STRETCHES: [(&str, Stretch); 22] = [
    ("last week", Stretch::Week(-1)),
    ("this week", Stretch::Week(0)),
    ("next week", Stretch::Week(1)),
    ("last month", Stretch::Month(-1)),
    ("this month", Stretch::Month(0)),
    ("next month", Stretch::Month(1)),
    ("last year", Stretch::Year(-1)),
    ("上周", Stretch::Week(-1)),
    ("上星期", Stretch::Week(-1)),
    ("上个星期", Stretch::Week(-1)),
    ("这周", Stretch::Week(0)),
    ("本周", Stretch::Week(0)),
    ("下周", Stretch::Week(1)),
    ("下星期", Stretch::Week(1)),
    ("上个月", Stretch::Month(-1)),
    ("上月", Stretch::Month(-1)),
    ("这个月", Stretch::Month(0)),
    ("本月", Stretch::Month(0)),
    ("下个月", Stretch::Month(1)),
    ("下月", Stretch::Month(1)),
    ("去年", Stretch::Year(-1)),
    ("前年", Stretch::Year(-2)),
];

#[derive(Clone, Copy, Debug)]
enum Stretch {
    Week(i64),
    Month(i64),
    Year(i64),
}

impl Stretch {
    /// Weeks begin on Monday.
    fn days(self, today: Date) -> Option<Asked> {
        let monday = |date: Date| date.checked_sub(i64::from(date.weekday().to_monday_zero_offset()).days());
        let (first, last) = match self {
            Self::Week(shift) => {
                let first = monday(today).ok()?.checked_add((7 * shift).days()).ok()?;
                (first, first.checked_add(6.days()).ok()?)
            }
            Self::Month(shift) => {
                let first = today.first_of_month().checked_add(shift.months()).ok()?;
                (first, first.last_of_month())
            }
            Self::Year(shift) => {
                let first = today.first_of_year().checked_add(shift.years()).ok()?;
                (first, first.last_of_year())
            }
        };
        Some(Asked::Span(first, last))
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Returns the dates that a question names, in order and apart; words such as "last week" need `today`.
pub fn asked(question: &str, today: Option<Date>) -> Vec<Mention> {
    let mut found: Vec<Mention> = dates::named(question).into_iter().filter_map(written).collect();
    add_apart(&mut found, months(question));
    if let Some(today) = today {
        add_apart(&mut found, relative_days(question, today));
        add_apart(&mut found, stretches(question, today));
    }
    found.sort_by_key(|one| one.range.start);
    found.truncate(MOST_DATES);
    found
}

fn add_apart(found: &mut Vec<Mention>, more: Vec<Mention>) {
    for one in more {
        if found.iter().all(|other| other.range.end <= one.range.start || one.range.end <= other.range.start) {
            found.push(one);
        }
    }
}

fn written(named: Named) -> Option<Mention> {
    let asked = match (named.year, named.day) {
        (Some(year), Some(day)) => {
            let date = Date::new(year, named.month, day).ok()?;
            Asked::Span(date, date)
        }
        (Some(year), None) => {
            let first = Date::new(year, named.month, 1).ok()?;
            Asked::Span(first, first.last_of_month())
        }
        (None, day) => Asked::Yearly(named.month, day),
    };
    Some(Mention { range: named.range, asked, is_written: true })
}

/// "in May": a month's name with a capital, behind a word that asks when.
fn months(question: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    for (place, month) in MONTHS.iter().enumerate() {
        for (at, name) in question.match_indices(month) {
            let before = question[..at].trim_end().rsplit([' ', '\n']).next().unwrap_or_default();
            let asks = ["in", "since", "during", "of", "by", "until", "before", "after", "early", "late", "mid"]
                .iter()
                .any(|word| before.eq_ignore_ascii_case(word));
            let ends = !question[at + name.len()..].starts_with(|c: char| c.is_alphanumeric());
            if let (true, true, Ok(number)) = (asks, ends, i8::try_from(place + 1)) {
                let range = at..at + name.len();
                found.push(Mention { range, asked: Asked::Yearly(number, None), is_written: false });
            }
        }
    }
    found
}

/// "yesterday", "last Friday", 前天; what is said of today asks for nothing that was.
fn relative_days(question: &str, today: Date) -> Vec<Mention> {
    let mention = |found: dates::FoundDate| Mention {
        range: found.range,
        asked: Asked::Span(found.date, found.date),
        is_written: false,
    };
    dates::relative_to(question, today).into_iter().filter(|found| found.date != today).map(mention).collect()
}

fn stretches(question: &str, today: Date) -> Vec<Mention> {
    let lower = question.to_ascii_lowercase();
    let mut found: Vec<Mention> = Vec::new();
    for (words, stretch) in STRETCHES {
        for (at, _) in lower.match_indices(words) {
            if let Some(asked) = stretch.days(today) {
                add_apart(&mut found, vec![Mention { range: at..at + words.len(), asked, is_written: false }]);
            }
        }
    }
    found
}

impl Asked {
    /// True when the text speaks of one of these days, or of a month that lies within them.
    pub fn is_met_by(self, named: &Named) -> bool {
        match self {
            Self::Yearly(month, day) => named.month == month && (day.is_none() || named.day == day),
            Self::Span(first, last) => {
                let year = named.year.unwrap_or(first.year());
                let Ok(start) = Date::new(year, named.month, named.day.unwrap_or(1)) else { return false };
                let end = if named.day.is_some() { start } else { start.last_of_month() };
                first <= start && end <= last
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Against Wednesday, 4 March 2026.
    fn spans(question: &str) -> Vec<(String, String)> {
        let today: Date = "2026-03-04".parse().unwrap();
        let span = |one: &Mention| match one.asked {
            Asked::Span(first, last) => (first.to_string(), last.to_string()),
            Asked::Yearly(month, day) => (month.to_string(), format!("{day:?}")),
        };
        asked(question, Some(today)).iter().map(span).collect()
    }

    #[test]
    fn a_question_names_days_in_numbers_and_in_words() {
        let pair = |one: &str, other: &str| vec![(one.to_owned(), other.to_owned())];
        assert_eq!(spans("what broke on 2026-02-11?"), pair("2026-02-11", "2026-02-11"));
        assert_eq!(spans("我在5月4日说了什么"), pair("5", "Some(4)"));
        assert_eq!(spans("what did we ship in May"), pair("5", "None"));
        assert_eq!(spans("decisions of January 2026"), pair("2026-01-01", "2026-01-31"));
        assert_eq!(spans("what did we decide last week"), pair("2026-02-23", "2026-03-01"));
        assert_eq!(spans("上个月定了什么"), pair("2026-02-01", "2026-02-28"));
        assert_eq!(spans("what did I say yesterday"), pair("2026-03-03", "2026-03-03"));
        assert_eq!(spans("what may I do today"), []);
    }

    #[test]
    fn an_item_meets_the_days_that_it_names() {
        let day: Date = "2023-05-04".parse().unwrap();
        let meets = |asked: Asked, text: &str| dates::named(text).iter().any(|named| asked.is_met_by(named));
        assert!(meets(Asked::Yearly(5, Some(4)), "2023-05-04_01.md"));
        assert!(meets(Asked::Yearly(5, None), "since May 2023"));
        assert!(meets(Asked::Span(day, day), "on 4 May"));
        assert!(!meets(Asked::Span(day, day), "in May 2023"));
        assert!(!meets(Asked::Yearly(5, Some(4)), "2023-04-05"));
        assert!(meets(Asked::Span(day.first_of_month(), day.last_of_month()), "2023年5月9日"));
    }
}
