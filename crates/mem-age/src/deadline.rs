//! Finds the last day that a memory names for itself: "until 3 April 2026", 截至2026年9月30日.
//!
//! A start, a habit and the day of a past lesson are no last days.

use jiff::ZonedDateTime;
use jiff::civil::Date;
use mem_text::dates::{self, FoundDate};

/// Words that make the date behind them a last day.
const BEFORE: [&str; 22] = [
    "until", "till", "by", "before", "ends", "end", "ending", "ended", "expires", "expire", "expiring", "due",
    "deadline", "through", "closes", "closing", "lasts", "cutoff", "sunset", "截至", "截止", "直到",
];

/// Words between such a word and the date.
const BETWEEN: [&str; 12] = ["on", "the", "at", "of", "is", "are", "was", "date", "end", "day", "to", "around"];

/// What makes the Chinese date before it a last day, when it follows at once.
const BEHIND: [&str; 10] = ["之前", "以前", "前", "为止", "截止", "到期", "结束", "止", "过期", "失效"];

/// What does so anywhere in the rest of the clause.
const IN_CLAUSE: [&str; 6] = ["结束前", "结束之前", "结束为止", "到期", "截止", "为止"];

/// When and about what a text was written, as far as that tells which day it means.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The moment it was written at by its own account.
    pub written: Option<ZonedDateTime>,
    /// Whether it tells of something that goes on, in which words such as "until next Friday" mean one day.
    pub is_of_project: bool,
}

/// Returns the last of the days by which `text` bounds itself, with its words.
///
/// Nothing when a day from `today` on stands anywhere in the text: then something is still to come.
/// A bound that lay in the past when the memory was written is history. A day without a year is the first one after it
/// was written; without that date it is none.
pub fn passed(text: &str, today: Date, origin: &Origin) -> Option<(Date, String)> {
    let found = dates::written(text);
    if found.iter().any(|date| date.last_day() >= today) {
        return None;
    }
    let written = origin.written.as_ref().map(ZonedDateTime::date);
    let mut bounds: Vec<FoundDate> = found.into_iter().filter(|date| bounds(text, date)).collect();
    bounds.extend(implied(text, origin).into_iter().filter(|date| bounds_once(text, date)));
    if bounds.iter().any(|date| date.last_day() >= today) {
        return None;
    }
    bounds.retain(|date| written.is_none_or(|written| date.last_day() >= written));
    let last = bounds.iter().max_by_key(|date| date.last_day())?;
    Some((last.last_day(), quote(text, last)))
}

/// Days that are meant but not written out, by when the text was written.
fn implied(text: &str, origin: &Origin) -> Vec<FoundDate> {
    let Some(written) = &origin.written else { return Vec::new() };
    let mut days = dates::without_year(text, written);
    if origin.is_of_project {
        let relative = dates::relative(text, written).into_iter();
        days.extend(relative.filter(|day| is_one_day(&text[day.range.clone()])));
    }
    days
}

/// "next Friday" is one day; "Friday" alone may be each.
fn is_one_day(words: &str) -> bool {
    const MARKS: [&str; 14] = [
        "next", "this", "tomorrow", "today", "tonight", "in ", "from now", "coming", "下", "本", "这", "明", "后", "今",
    ];
    let words = words.to_lowercase();
    MARKS.iter().any(|mark| words.contains(mark))
}

/// A bound that does not come back every year, month or week.
fn bounds_once(text: &str, date: &FoundDate) -> bool {
    const AGAIN: [&str; 12] = [
        "every ", "each ", "annual", "yearly", "monthly", "weekly", "always", "usually", "每年", "每月", "每周", "每个",
    ];
    let line_start = text[..date.range.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[date.range.end..].find('\n').map_or(text.len(), |at| date.range.end + at);
    let line = text[line_start..line_end].to_lowercase();
    bounds(text, date) && !AGAIN.iter().any(|word| line.contains(word))
}

fn bounds(text: &str, date: &FoundDate) -> bool {
    bounded_before(&text[..date.range.start]) || bounded_behind(&text[date.range.end..])
}

fn bounded_before(before: &str) -> bool {
    const NEAR: usize = 60;
    let mut start = before.len().saturating_sub(NEAR);
    while !before.is_char_boundary(start) {
        start += 1;
    }
    let near = before[start..].trim_end_matches([' ', '*', '`', '(', ':', '：', '=']);
    if near.ends_with(['到', '至']) || ["截至", "截止", "截止到", "直到"].iter().any(|word| near.ends_with(word))
    {
        return true;
    }
    let mut words = near.rsplit(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase);
    let word = words.find(|word| !BETWEEN.contains(&word.as_str()) || BEFORE.contains(&word.as_str()));
    word.is_some_and(|word| BEFORE.contains(&word.as_str()))
}

/// So many bytes of a clause are read behind a date.
const CLAUSE_MAX: usize = 160;

fn bounded_behind(behind: &str) -> bool {
    let behind = mem_text::cut::bytes(behind, CLAUSE_MAX);
    let clause = behind.split(['，', '。', '；', ',', ';', '\n']).next().unwrap_or("");
    let at_once = clause.trim_start();
    BEHIND.iter().any(|word| at_once.starts_with(word)) || IN_CLAUSE.iter().any(|word| clause.contains(word))
}

/// Returns the words around the date, for the evidence.
fn quote(text: &str, date: &FoundDate) -> String {
    let before = &text[..date.range.start];
    let mark = before.char_indices().rev().find(|(_, character)| ['\n', '.', '。', '，', ';'].contains(character));
    let start = mark.map_or(0, |(at, character)| at + character.len_utf8());
    let end = date.range.end
        + text[date.range.end..].find(['\n', '.', '。', '，', ',', ';']).unwrap_or(text.len() - date.range.end);
    mem_text::cut::ellipsis(text.get(start..end).unwrap_or(&text[date.range.clone()]).trim(), 100).into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Against 13 October 2026.
    fn check(text: &str, written: Option<&str>, want: Option<&str>) {
        let today = "2026-10-13".parse().unwrap();
        let at_noon = |date: &str| format!("{date}T12:00:00+00:00[UTC]").parse().unwrap();
        let origin = Origin { written: written.map(at_noon), is_of_project: true };
        let got = passed(text, today, &origin).map(|(date, _)| date.to_string());
        assert_eq!(got.as_deref(), want, "{text}");
    }

    #[test]
    fn a_last_day_that_is_over_is_found() {
        check("Merge freeze until 2026-04-03 while mobile cuts a release.", None, Some("2026-04-03"));
        check("No merges until 3 April 2026", None, Some("2026-04-03"));
        check("Nothing changes before the audit ends on 2026-10-09.", None, Some("2026-10-09"));
        check("The deadline is March 5, 2026.", None, Some("2026-03-05"));
        check("Freeze through the end of September 2026", None, Some("2026-09-30"));
        check("截至2026年9月30日封版，期间不合并。", None, Some("2026-09-30"));
        check("2026年9月30日前封版", None, Some("2026-09-30"));
        check("2026年10月10日等保测评结束之前，权限模块不改。", None, Some("2026-10-10"));
        check("促销从2026年9月1日到2026年9月20日。", None, Some("2026-09-20"));
    }

    #[test]
    fn starts_habits_lessons_and_history_are_no_last_days() {
        check("Since 2024-05-01 all amounts are stored in minor units.", None, None);
        check("The report is due on the 15th of each month.", None, None);
        check("**Why:** outage on 2026-03-14.", None, None);
        check("自2024年3月起金额统一按分存。", None, None);
        check("2026年3月14日的线上事故。", None, None);
        check("The launch is on 2027-01-15; demo data has to be gone by then.", None, None);
        check("Before 2024-05-01 amounts were floats.", Some("2025-01-01"), None);
        check("Freeze until 2026-04-03, the next one is from 2026-11-01 on.", None, None);
        check("Due 2026-10-13", None, None);
    }

    #[test]
    fn days_without_a_year_and_words_for_days_go_by_when_they_were_written() {
        let may = Some("2026-05-04");
        check("No merges until 3 June.", may, Some("2026-06-03"));
        check("The trial licence ends on June 3rd", may, Some("2026-06-03"));
        check("6月30日前封版，期间不合并。", may, Some("2026-06-30"));
        check("内测两周后结束。", may, Some("2026-05-18"));
        check("封版到下周五", may, Some("2026-05-15"));
        check("Freeze until next Friday while mobile cuts a release.", may, Some("2026-05-15"));
        check("No merges until 3 June.", None, None);
        check("No merges until 20 November.", may, None);
        check("No merges until 3 April.", may, None);
        check("Taxes are due by June 3 every year.", may, None);
        check("每年6月30日前提交年报。", may, None);
        check("Reports are due by Friday.", may, None);
        check("The outage was on 3 June.", may, None);
    }

    #[test]
    fn the_evidence_is_the_clause() {
        let today = "2026-10-13".parse().unwrap();
        let (_, words) = passed("One. Merge freeze until 2026-04-03, then on.", today, &Origin::default()).unwrap();
        assert_eq!(words, "Merge freeze until 2026-04-03");
        let (_, words) = passed("北码头封闭，截至2026年10月1日。", today, &Origin::default()).unwrap();
        assert_eq!(words, "截至2026年10月1日");
    }
}
