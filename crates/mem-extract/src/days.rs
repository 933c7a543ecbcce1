//! Days and longer times that a sentence names, and a note for those that cannot be pinned to a day.

use jiff::ZonedDateTime;
use mem_text::dates::{self, FoundDate, Precision};

use crate::phrase::{Words, lists};
use crate::terms::is_wide;

/// Words for a time to come that is longer than a day.
const PERIODS: [&str; 18] = [
    "next week",
    "next month",
    "next quarter",
    "next year",
    "next sprint",
    "next semester",
    "coming week",
    "coming month",
    "下周",
    "下个月",
    "下月",
    "下季度",
    "下个季度",
    "下学期",
    "下半年",
    "明年",
    "年底",
    "年内",
];
const MONTHS: &str = "january february march april may june july august september october november december jan feb mar apr jun \
    jul aug sep sept oct nov dec";

/// Whether the text names today or a later day.
pub fn names_day_to_come(text: &str, moment: &ZonedDateTime) -> bool {
    let today = moment.date();
    let mut found = places(text, moment, false).into_iter().chain(dates::written(text));
    found.any(|found| found.last_day() >= today) || names_weekday(text) || names_day_without_year(text)
}

/// Whether the text names a day after today, or a longer time to come.
pub fn names_later_day(text: &str, moment: &ZonedDateTime) -> bool {
    let today = moment.date();
    let mut found = places(text, moment, false).into_iter().chain(dates::written(text));
    found.any(|found| found.last_day() > today)
        || names_period(text)
        || names_day_without_year(text)
        || !bare_english_weekdays(text).is_empty()
}

/// Returns the days that a text names, each with its date, in order. `is_of_project`: a bare weekday is the coming one.
pub fn places(text: &str, moment: &ZonedDateTime, is_of_project: bool) -> Vec<FoundDate> {
    let mut found = dates::without_year(text, moment);
    let mut add = |more: Vec<FoundDate>| {
        for one in more {
            let overlaps = |other: &FoundDate| other.range.start < one.range.end && one.range.start < other.range.end;
            if !found.iter().any(overlaps) {
                found.push(one);
            }
        }
    };
    add(dates::relative(text, moment));
    if is_of_project {
        add(weekdays(text, moment));
    }
    found.sort_by_key(|found| found.range.start);
    found
}

/// Returns the weekdays that stand alone, as the coming ones.
fn weekdays(text: &str, moment: &ZonedDateTime) -> Vec<FoundDate> {
    let mut found = Vec::new();
    for range in bare_english_weekdays(text) {
        let date = dates::relative(&format!("on {}", &text[range.clone()]), moment).first().map(|found| found.date);
        found.extend(date.map(|date| FoundDate { date, range, precision: Precision::Day }));
    }
    for at in bare_weekdays(text) {
        let day: String = text[at..].chars().take(2).collect();
        let as_due = format!("{day}前");
        let date = dates::relative(&as_due, moment).first().map(|found| found.date);
        let range = at..at + day.len();
        found.extend(date.map(|date| FoundDate { date, range, precision: Precision::Day }));
    }
    found
}

/// Returns the text with the day on which it was said, when it names a time that no date stands for.
pub fn with_day_of_saying(text: String, moment: &ZonedDateTime) -> String {
    let is_dated = !dates::written(&text).is_empty() || !dates::relative(&text, moment).is_empty();
    let is_open = !is_dated && (names_period(&text) || names_weekday(&text));
    if !is_open {
        return text;
    }
    let day = moment.date();
    if text.chars().any(is_wide) { format!("{text}（说于 {day}）") } else { format!("{text} (said on {day})") }
}

fn names_period(text: &str) -> bool {
    let lower = text.to_lowercase();
    PERIODS.iter().any(|period| lower.contains(period))
}

/// Whether a Chinese weekday stands alone, such as 周四, and means the next one; 每周四 is a habit.
fn names_weekday(text: &str) -> bool {
    bare_weekdays(text).next().is_some()
}

fn bare_weekdays(text: &str) -> impl Iterator<Item = usize> {
    let is_bare = |at: usize, mark: &str| {
        let after = text[at + mark.len()..].chars().next();
        let before = text[..at].chars().next_back();
        after.is_some_and(|day| "一二三四五六日天".contains(day))
            && before.is_none_or(|before| !"每逢上下本这一两三四".contains(before))
    };
    text.match_indices('周').filter(move |(at, mark)| is_bare(*at, mark)).map(|(at, _)| at)
}

const WEEKDAYS: &str = "monday tuesday wednesday thursday friday saturday sunday";
/// Words before a weekday that is any of its kind, or is dated by other means.
const ANY_DAY: &str = "every each any a an most all the our my no another only always never not on this next last coming by until before till after from \
    starting some many other per";
/// Words behind such a one.
const PART_OF_DAYS: &str = "mornings afternoons evenings nights meetings deploys releases shifts";

/// Returns the places of English weekdays that stand alone and mean one day: "we ship Thursday", but not "every Thursday".
fn bare_english_weekdays(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut before = "";
    let mut words = text.split(' ').peekable();
    let mut at = 0;
    while let Some(word) = words.next() {
        let start = at;
        at += word.len() + 1;
        let bare = word.trim_matches(|mark: char| !mark.is_alphanumeric());
        let is_day = bare.starts_with(char::is_uppercase) && lists(WEEKDAYS, &bare.to_ascii_lowercase());
        let behind =
            words.peek().map(|next| next.trim_matches(|mark: char| !mark.is_alphanumeric()).to_ascii_lowercase());
        let is_kind = behind.is_some_and(|next| lists(PART_OF_DAYS, &next)) && word == bare;
        if is_day && !is_kind && !lists(ANY_DAY, &before.to_ascii_lowercase()) {
            let from = start + word.find(bare).unwrap_or(0);
            found.push(from..from + bare.len());
        }
        before = word;
    }
    found
}

/// Whether a day is named by month and number alone: 15 December, 12 月 15 日.
pub fn names_day_without_year(text: &str) -> bool {
    let is_number = |word: &String| {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let words = Words::of(text);
    let latin = words.clauses().any(|clause| {
        clause.windows(2).any(|pair| {
            is_number(&pair[0]) && lists(MONTHS, &pair[1]) || lists(MONTHS, &pair[0]) && is_number(&pair[1])
        })
    });
    latin || names_chinese_day(text)
}

fn names_chinese_day(text: &str) -> bool {
    text.match_indices('月').any(|(at, mark)| {
        let before = text[..at].trim_end().chars().next_back();
        let after: String = text[at + mark.len()..].trim_start().chars().take(5).collect();
        let is_digit = |c: char| c.is_ascii_digit() || "一二三四五六七八九十".contains(c);
        before.is_some_and(is_digit) && after.starts_with(is_digit) && after.contains(['日', '号'])
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(text: &str, expected: &str) {
        let moment: ZonedDateTime = "2026-10-13T10:20:00+02:00[Europe/Berlin]".parse().unwrap();
        assert_eq!(with_day_of_saying(text.into(), &moment), expected);
    }

    #[test]
    fn a_time_without_a_date_keeps_the_day_of_saying() {
        check("Maria is away in the next sprint.", "Maria is away in the next sprint. (said on 2026-10-13)");
        check("周四停电。", "周四停电。（说于 2026-10-13）");
    }

    #[test]
    fn other_times_stay_as_they_are() {
        for text in
            ["Never push.", "每周四例会。", "The audit is on 2026-12-01, next week at the latest.", "一月三次。"]
        {
            check(text, text);
        }
    }
}
