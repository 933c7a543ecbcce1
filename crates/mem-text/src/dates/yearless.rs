//! Days that are named by month and number alone: 15 December, the 24th of November, end of November, 12 月 15 日.

use jiff::ToSpan;
use jiff::civil::Date;

use super::{FoundDate, Precision};

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const FULL: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Returns the days of `text` without a year, each as the first of its kind from `today` on.
pub(super) fn find(text: &str, today: Date) -> Vec<FoundDate> {
    let mut found = english(text, today);
    found.extend(chinese(text, today));
    found.sort_by_key(|found| found.range.start);
    found
}

fn coming(month: i8, day: i8, today: Date) -> Option<Date> {
    let this_year = Date::new(today.year(), month, day).ok()?;
    if this_year >= today { Some(this_year) } else { Date::new(today.year().checked_add(1)?, month, day).ok() }
}

struct Word<'a> {
    text: &'a str,
    at: usize,
}

fn english(text: &str, today: Date) -> Vec<FoundDate> {
    let words: Vec<Word<'_>> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| Word { text: word, at: word.as_ptr() as usize - text.as_ptr() as usize })
        .collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(month) = month(word.text) else { continue };
        let near = |place: Option<usize>| place.and_then(|place| words.get(place));
        let gap = |from: &Word<'_>, to: &Word<'_>| &text[from.at + from.text.len()..to.at];
        let end = word.at + word.text.len();
        let before = near(at.checked_sub(1)).filter(|before| gap(before, word) == " ");
        let behind = near(Some(at + 1)).filter(|behind| gap(word, behind) == " ");
        if behind.is_some_and(|behind| behind.text.len() == 4 && behind.text.starts_with("20")) {
            continue;
        }
        let of = before.filter(|before| before.text.eq_ignore_ascii_case("of")).and(near(at.checked_sub(2)));
        let first = before.filter(|before| number(before.text).is_some()).or(of);
        if let Some(first) = first {
            let is_end = first.text.eq_ignore_ascii_case("end");
            let day = if is_end { last_day(month, today) } else { number(first.text) };
            found.extend(day.and_then(|day| dated(coming(month, day, today), first.at..end)));
        } else if let Some((behind, day)) = behind.and_then(|behind| Some((behind, number(behind.text)?))) {
            found.extend(dated(coming(month, day, today), word.at..behind.at + behind.text.len()));
        }
    }
    found
}

fn dated(date: Option<Date>, range: std::ops::Range<usize>) -> Option<FoundDate> {
    Some(FoundDate { date: date?, range, precision: Precision::Day })
}

fn last_day(month: i8, today: Date) -> Option<i8> {
    let first = coming(month, 1, today.first_of_month()).or_else(|| Date::new(today.year(), month, 1).ok())?;
    Some(first.last_of_month().checked_sub(0.days()).ok()?.day())
}

fn month(word: &str) -> Option<i8> {
    let is_name = word.starts_with(|c: char| c.is_ascii_uppercase()) || word.len() > 5;
    let lower = word.to_ascii_lowercase();
    let at = MONTHS.iter().position(|name| *name == lower).or_else(|| FULL.iter().position(|name| *name == lower))?;
    if is_name { i8::try_from(at + 1).ok() } else { None }
}

/// 15, 15th, 3rd.
fn number(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = &word[digits.len()..];
    let is_day = matches!(ending.to_ascii_lowercase().as_str(), "" | "st" | "nd" | "rd" | "th");
    let number: i8 = (digits.len() <= 2).then(|| digits.parse().ok())??;
    (is_day && (1..=31).contains(&number)).then_some(number)
}

fn chinese(text: &str, today: Date) -> Vec<FoundDate> {
    let mut found = Vec::new();
    for (at, mark) in text.match_indices('月') {
        let head = text[..at].trim_end_matches(' ');
        let Some((month, start)) = trailing_number(head) else { continue };
        // 2026年3月5日 has its year, and 每月 no month.
        if head[..start].trim_end_matches(' ').ends_with(['年', '-', '每', '第']) || !(1..=12).contains(&month) {
            continue;
        }
        let behind = &text[at + mark.len()..];
        let blank = behind.len() - behind.trim_start_matches(' ').len();
        let Some((day, length)) = leading_number(&behind[blank..]) else { continue };
        let rest = &behind[blank + length..];
        let gap = rest.len() - rest.trim_start_matches(' ').len();
        if let Some(mark_of_day) = rest[gap..].chars().next().filter(|c| matches!(c, '日' | '号')) {
            let end = at + mark.len() + blank + length + gap + mark_of_day.len_utf8();
            found.extend(dated(coming(month, day, today), start..end));
        }
    }
    found
}

/// The number at the end of a text, and where it starts.
fn trailing_number(text: &str) -> Option<(i8, usize)> {
    let part = |c: char| c.is_ascii_digit() || "一二三四五六七八九十".contains(c);
    let start = text.char_indices().rev().take_while(|(_, c)| part(*c)).last().map(|(at, _)| at)?;
    Some((value(&text[start..])?, start))
}

fn leading_number(text: &str) -> Option<(i8, usize)> {
    let part = |c: char| c.is_ascii_digit() || "一二三四五六七八九十".contains(c);
    let end = text.find(|c: char| !part(c)).unwrap_or(text.len());
    Some((value(&text[..end])?, end))
}

fn value(text: &str) -> Option<i8> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let digit = |text: &str| -> Option<i8> {
        let at = "一二三四五六七八九".chars().position(|c| text.chars().eq([c]))?;
        i8::try_from(at + 1).ok()
    };
    match text.split_once('十') {
        Some((tens, ones)) => {
            let tens = if tens.is_empty() { 1 } else { digit(tens)? };
            Some(tens * 10 + if ones.is_empty() { 0 } else { digit(ones)? })
        }
        None => digit(text),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Against Tuesday, 13 October 2026.
    fn check(text: &str, want: &[(&str, &str)]) {
        let found = find(text, "2026-10-13".parse().unwrap());
        let got: Vec<(String, &str)> =
            found.iter().map(|found| (found.date.to_string(), &text[found.range.clone()])).collect();
        let got: Vec<(&str, &str)> = got.iter().map(|(date, part)| (date.as_str(), *part)).collect();
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn a_day_without_a_year_is_the_coming_one() {
        check("Hand in by 15 December.", &[("2026-12-15", "15 December")]);
        check("on the 24th of November in hall B", &[("2026-11-24", "24th of November")]);
        check("on March 3rd, and Oct 13", &[("2027-03-03", "March 3rd"), ("2026-10-13", "Oct 13")]);
        check("off at the end of February", &[("2027-02-28", "end of February")]);
        check("论文 12 月 15 日前要交，十一月三号演示", &[("2026-12-15", "12 月 15 日"), ("2026-11-03", "十一月三号")]);
    }

    #[test]
    fn what_has_a_year_or_is_no_day_is_none() {
        for text in ["15 December 2026", "2026年3月5日", "we may 3 times", "一月三次", "每月3号", "40 May"] {
            check(text, &[]);
        }
    }
}
