//! Dates in text: written ones, and words such as "next Thursday" or 下周四 against a moment.
//!
//! The moment is an argument and carries its own zone; nothing here asks a clock.

mod calendar;
mod chinese;
mod english;
mod named;
mod words;
mod written;
mod yearless;

use std::ops::Range;

use jiff::civil::Date;
use jiff::{Timestamp, ZonedDateTime};
pub use named::Named;

/// Seconds of a day as ages count them, whatever a calendar does on that day.
const DAY_SECONDS: i64 = 86_400;

/// A date and where it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundDate {
    /// The day meant.
    pub date: Date,
    /// Bytes of the text that name it.
    pub range: Range<usize>,
    /// What the words fix: `2026年3月` is a month, `date` then its first day.
    pub precision: Precision,
}

/// How much of a date the text fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// A day.
    Day,
    /// A month; the date is its first day.
    Month,
}

impl FoundDate {
    /// Returns the last day that the words cover: the day itself, or the month's last.
    pub fn last_day(&self) -> Date {
        match self.precision {
            Precision::Day => self.date,
            Precision::Month => self.date.last_of_month(),
        }
    }
}

/// An age in whole days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age {
    /// Whole days, rounded down; 0 for a time that is still to come.
    pub days: u64,
    /// The time lies after now.
    pub is_future: bool,
}

/// Returns the dates written out in `text`, in order: ISO, `5 March 2026`, `March 5, 2026`, `2026年3月5日`, `2026年3月`.
pub fn written(text: &str) -> Vec<FoundDate> {
    written::find(text)
}

/// Returns the days and months that `text` names by number, in order: `2026-03-05`, `5 March`, `March 2026`, `3月5日`.
pub fn named(text: &str) -> Vec<Named> {
    named::find(text)
}

/// Returns the date words of `text`, in order, resolved against `moment` in its own zone.
///
/// `tomorrow`, `next Thursday`, `in two weeks`, `end of month`, 明天, 下周四, 月底, 三天后.
/// Words that name no single day (`soon`, `later`, 以后) are none.
pub fn relative(text: &str, moment: &ZonedDateTime) -> Vec<FoundDate> {
    relative_to(text, moment.date())
}

/// Returns the date words of `text`, in order, as [`relative`] does against a day.
pub fn relative_to(text: &str, today: Date) -> Vec<FoundDate> {
    let mut found = words::find(text, today);
    if !found.is_empty() {
        // 2026年9月30日前 holds no "30 days ago".
        let written = written(text);
        let overlaps = |one: &FoundDate| {
            let place = written.partition_point(|other| other.range.end <= one.range.start);
            written.get(place).is_some_and(|other| other.range.start < one.range.end)
        };
        found.retain(|one| !overlaps(one));
    }
    found
}

/// Returns the days of `text` that are named by month and number alone, in order, each as the first from `moment` on.
///
/// `15 December`, `end of November`, 12 月 15 日. Whoever speaks of what is past means another year.
pub fn without_year(text: &str, moment: &ZonedDateTime) -> Vec<FoundDate> {
    let written = written(text);
    let mut found = yearless::find(text, moment.date());
    found.retain(|one| {
        !written.iter().any(|other| other.range.start < one.range.end && one.range.start < other.range.end)
    });
    found
}

/// Returns `text` with the ISO date behind each date word: `by Friday (2026-03-06)`.
///
/// Words that have their date behind them already stay as they are, so that a second run changes nothing.
pub fn absolute(text: &str, moment: &ZonedDateTime) -> String {
    with_dates(text, &relative(text, moment))
}

/// Returns `text` with the ISO date behind each of these places, which are in order and do not overlap.
pub fn with_dates(text: &str, places: &[FoundDate]) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut copied = 0;
    for found in places {
        let behind = &text[found.range.end..];
        if behind.trim_start().starts_with(['(', '（']) && has_date_in_brackets(behind) {
            continue;
        }
        out.push_str(&text[copied..found.range.end]);
        let is_chinese = !text[found.range.clone()].is_ascii();
        let note = if is_chinese { format!("（{}）", found.date) } else { format!(" ({})", found.date) };
        out.push_str(&note);
        copied = found.range.end;
    }
    out.push_str(&text[copied..]);
    out
}

fn has_date_in_brackets(behind: &str) -> bool {
    let inside = behind.trim_start().trim_start_matches(['(', '（']);
    let head = crate::cut::bytes(inside, 10);
    written(head).first().is_some_and(|found| found.range.start == 0)
}

/// Returns the age of `then` at `now` in whole days of 86,400 elapsed seconds, the same in every zone.
pub fn age_days(then: Timestamp, now: Timestamp) -> Age {
    let seconds = now.as_second().saturating_sub(then.as_second());
    // Within the same second the part below it decides who is first.
    let is_future = then > now;
    let days = u64::try_from(seconds.div_euclid(DAY_SECONDS)).unwrap_or(0);
    Age { days: if is_future { 0 } else { days }, is_future }
}

/// Returns the moment that a front matter value names: RFC 3339, a time without offset (taken as UTC), or a plain date.
pub fn moment(value: &str) -> Option<Timestamp> {
    let value = value.trim();
    if let Ok(timestamp) = value.parse::<Timestamp>() {
        return Some(timestamp);
    }
    let utc = jiff::tz::TimeZone::UTC;
    if let Ok(time) = value.parse::<jiff::civil::DateTime>() {
        return Some(time.to_zoned_datetime(utc).ok()?.timestamp());
    }
    let date = value.parse::<Date>().ok().or_else(|| whole_value(value))?;
    Some(date.to_zoned_datetime(utc).ok()?.timestamp())
}

fn whole_value(value: &str) -> Option<Date> {
    let found = written(value).into_iter().next()?;
    (found.range == (0..value.len())).then_some(found.date)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A Monday.
    fn moment_of(text: &str) -> ZonedDateTime {
        text.parse().unwrap()
    }

    #[test]
    fn absolute_puts_the_date_behind_the_words_once() {
        let now = moment_of("2026-03-02T09:00:00+01:00[+01:00]");
        let cases = [
            ("ship it tomorrow, not later", "ship it tomorrow (2026-03-03), not later"),
            ("冻结到下周四为止", "冻结到下周四（2026-03-12）为止"),
            ("no dates here", "no dates here"),
            ("freeze ends 2026-03-05", "freeze ends 2026-03-05"),
            ("2026年9月30日前封版", "2026年9月30日前封版"),
        ];
        for (text, want) in cases {
            let once = absolute(text, &now);
            assert_eq!(once, want);
            assert_eq!(absolute(&once, &moment_of("2026-05-01T00:00:00+00:00[UTC]")), once);
        }
    }

    #[test]
    fn an_age_is_whole_days_of_elapsed_seconds_in_every_zone() {
        let cases = [
            ("2026-10-13T08:20:00Z", "2026-10-13T08:20:00Z", 0, false),
            ("2026-10-12T08:20:01Z", "2026-10-13T08:20:00Z", 0, false),
            ("2026-10-12T10:20:00+02:00", "2026-10-13T08:20:00Z", 1, false),
            ("2026-10-14T08:20:00Z", "2026-10-13T08:20:00Z", 0, true),
            // A night with 23 hours is no day.
            ("2026-03-28T12:00:00+01:00", "2026-03-29T12:00:00+02:00", 0, false),
        ];
        for (then, now, days, is_future) in cases {
            let age = age_days(then.parse().unwrap(), now.parse().unwrap());
            assert_eq!(age, Age { days, is_future }, "{then} {now}");
        }
    }

    #[test]
    fn front_matter_moments_come_in_several_forms() {
        let cases = [
            ("2026-10-10T08:20:00.000Z", Some("2026-10-10T08:20:00Z")),
            ("2026-10-10T10:20:00+02:00", Some("2026-10-10T08:20:00Z")),
            ("2026-10-10 08:20:00", Some("2026-10-10T08:20:00Z")),
            ("2026-10-10", Some("2026-10-10T00:00:00Z")),
            ("10 October 2026", Some("2026-10-10T00:00:00Z")),
            ("2026年10月10日", Some("2026-10-10T00:00:00Z")),
            ("yesterday", None),
            ("", None),
            ("99999-99-99", None),
        ];
        for (text, want) in cases {
            assert_eq!(moment(text), want.map(|want| want.parse().unwrap()), "{text}");
        }
    }
}
