//! Words that name a day by its distance from now, in English and Chinese.

use jiff::civil::Date;

use super::{FoundDate, chinese, english};

pub(super) fn find(text: &str, today: Date) -> Vec<FoundDate> {
    let mut found = english::find(text, today);
    if !text.is_ascii() {
        found.extend(chinese::find(text, today));
        found.sort_by_key(|found| found.range.start);
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Against Wednesday, 4 March 2026.
    fn check(text: &str, want: &[(&str, &str)]) {
        let today: Date = "2026-03-04".parse().unwrap();
        let found = find(text, today);
        let got: Vec<(String, &str)> =
            found.iter().map(|found| (found.date.to_string(), &text[found.range.clone()])).collect();
        let got: Vec<(&str, &str)> = got.iter().map(|(date, part)| (date.as_str(), *part)).collect();
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn english_words_name_their_day() {
        check("Tomorrow we ship", &[("2026-03-05", "Tomorrow")]);
        check("the day after tomorrow", &[("2026-03-06", "day after tomorrow")]);
        check("until next Thursday.", &[("2026-03-12", "next Thursday")]);
        check("by Friday", &[("2026-03-06", "by Friday")]);
        check("no merges after Thursday", &[("2026-03-05", "after Thursday")]);
        check("closed from Monday", &[("2026-03-09", "from Monday")]);
        check("this Wednesday", &[("2026-03-04", "this Wednesday")]);
        check("last Monday it broke", &[("2026-03-02", "last Monday")]);
        check("in two weeks or in 3 days", &[("2026-03-18", "in two weeks"), ("2026-03-07", "in 3 days")]);
        check("the end of the month", &[("2026-03-31", "end of the month")]);
        check("end of next month", &[("2026-04-30", "end of next month")]);
        check("3 days ago", &[("2026-03-01", "3 days ago")]);
        check("a week from now", &[("2026-03-11", "a week from now")]);
        check("next week", &[("2026-03-09", "next week")]);
    }

    #[test]
    fn chinese_words_name_their_day() {
        check("明天发布", &[("2026-03-05", "明天")]);
        check("大后天再说", &[("2026-03-07", "大后天")]);
        check("下周四上线", &[("2026-03-12", "下周四")]);
        check("下下周一", &[("2026-03-16", "下下周一")]);
        check("这个星期天", &[("2026-03-08", "这个星期天")]);
        check("周五前改完", &[("2026-03-06", "周五")]);
        check("月底前", &[("2026-03-31", "月底")]);
        check("下个月底", &[("2026-04-30", "下个月底")]);
        check("三天后和 2周之后", &[("2026-03-07", "三天后"), ("2026-03-18", "2周之后")]);
        check("十二天前", &[("2026-02-20", "十二天前")]);
    }

    #[test]
    fn habits_and_loose_words_are_no_days() {
        for text in [
            "on Fridays",
            "Friday afternoon only",
            "every day",
            "in two steps",
            "nextThursday",
            "the end of the file",
            "by end of day",
            "deploy only on Friday afternoon",
            "deploy on Friday afternoons",
            "in 3 daysets",
            "每天备份",
            "每周五发布",
            "周五发布",
            "以后不要",
            "3月底之前",
            "soon",
            "天后宫",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn the_longest_distance_is_no_panic() {
        check("999 years ago, in 999 years", &[("1027-03-04", "999 years ago"), ("3025-03-04", "in 999 years")]);
        for text in ["大", "下", "十", "999周", "in", "end of", "下个"] {
            check(text, &[]);
        }
    }
}
