//! Dates written out: each form starts at a digit or at a month's name.

use jiff::civil::Date;

use super::{FoundDate, Precision};

/// Month names as they begin; a longer word counts only when it is the whole name.
const MONTHS: [&str; 12] = [
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

pub(super) fn find(text: &str) -> Vec<FoundDate> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let byte = text.as_bytes()[at];
        let stands_alone = at == 0 || !text.as_bytes()[at - 1].is_ascii_alphanumeric();
        let here = match byte {
            b'0'..=b'9' if stands_alone => from_digit(text, at),
            b'A'..=b'Z' | b'a'..=b'z' if stands_alone => from_month(text, at),
            _ => None,
        };
        match here {
            Some(date) => {
                at = date.range.end;
                found.push(date);
            }
            None => at += 1,
        }
    }
    found
}

fn from_digit(text: &str, start: usize) -> Option<FoundDate> {
    let (number, at) = digits(text, start)?;
    if at - start == 4 {
        return iso(text, start, number, at).or_else(|| chinese(text, start, number, at));
    }
    day_month_year(text, start, number, at)
}

/// `2026-03-05`, also with `/` or `.` on both sides.
fn iso(text: &str, start: usize, year: i32, at: usize) -> Option<FoundDate> {
    let mark = text[at..].chars().next().filter(|mark| "-/.".contains(*mark))?;
    let (month, at) = digits(text, at + 1)?;
    let (day, end) = digits(text.get(at..)?.strip_prefix(mark).map(|_| text)?, at + 1)?;
    // A version such as 2026.3.5.1 or an address goes on behind the third number.
    let goes_on = text[end..].starts_with(mark) && text[end + 1..].starts_with(|c: char| c.is_ascii_digit());
    (!goes_on).then(|| day_found(start, end, year, month, day))?
}

/// `2026年3月5日` or `2026年3月`, blanks allowed.
fn chinese(text: &str, start: usize, year: i32, at: usize) -> Option<FoundDate> {
    let at = behind(text, at, "年")?;
    let (month, at) = digits(text, at)?;
    let month_end = behind(text, at, "月")?;
    let whole = digits(text, month_end).and_then(|(day, at)| {
        let end = behind(text, at, "日").or_else(|| behind(text, at, "号"))?;
        day_found(start, end, year, month, day)
    });
    whole.or_else(|| month_found(start, month_end, year, month))
}

/// `5 March 2026`, `5th of March, 2026`.
fn day_month_year(text: &str, start: usize, day: i32, at: usize) -> Option<FoundDate> {
    let rest = &text[at..];
    let at = at + ["st", "nd", "rd", "th"].iter().find(|end| rest.starts_with(**end)).map_or(0, |end| end.len());
    let at = blanks(text, at)?;
    let at = if text[at..].starts_with("of ") { at + 3 } else { at };
    let (month, at) = month_name(text, at)?;
    let (year, end) = year_behind(text, at)?;
    day_found(start, end, year, month, day)
}

/// `March 5, 2026`, `Mar 5th 2026`, `March 2026`.
fn from_month(text: &str, start: usize) -> Option<FoundDate> {
    let (month, at) = month_name(text, start)?;
    let at = blanks(text, at)?;
    let (number, end) = digits(text, at)?;
    if end - at == 4 {
        return month_found(start, end, number, month);
    }
    let rest = &text[end..];
    let end = end + ["st", "nd", "rd", "th"].iter().find(|th| rest.starts_with(**th)).map_or(0, |th| th.len());
    let (year, end) = year_behind(text, end)?;
    day_found(start, end, year, month, number)
}

fn year_behind(text: &str, at: usize) -> Option<(i32, usize)> {
    let at = if text[at..].starts_with(',') { at + 1 } else { at };
    let at = blanks(text, at)?;
    let (year, end) = digits(text, at)?;
    (end - at == 4).then_some((year, end))
}

fn month_name(text: &str, start: usize) -> Option<(i32, usize)> {
    let length = text.as_bytes()[start..].iter().take(10).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = text.get(start..start + length)?;
    let is = |name: &str| {
        word.eq_ignore_ascii_case(name)
            || (length == 3 || word.eq_ignore_ascii_case("sept"))
                && word.eq_ignore_ascii_case(&name[..length.min(name.len())])
    };
    let month = MONTHS.iter().position(|name| is(name))?;
    let end = start + length;
    let end = if length < 5 && text[end..].starts_with('.') { end + 1 } else { end };
    Some((i32::try_from(month).ok()? + 1, end))
}

/// Returns the number of one to four digits that begins at `start` and where it ends.
fn digits(text: &str, start: usize) -> Option<(i32, usize)> {
    let start = start + text.get(start..)?.bytes().take_while(|byte| *byte == b' ').take(1).count();
    let length = text.as_bytes()[start..].iter().take(5).take_while(|byte| byte.is_ascii_digit()).count();
    if length == 0 || length > 4 {
        return None;
    }
    Some((text[start..start + length].parse().ok()?, start + length))
}

fn behind(text: &str, at: usize, mark: &str) -> Option<usize> {
    let rest = text.get(at..)?;
    let skipped = rest.len() - rest.trim_start_matches(' ').len();
    rest[skipped..].starts_with(mark).then_some(at + skipped + mark.len())
}

/// Steps over one to three blanks.
fn blanks(text: &str, at: usize) -> Option<usize> {
    let count = text.as_bytes()[at..].iter().take(4).take_while(|byte| **byte == b' ').count();
    (1..=3).contains(&count).then_some(at + count)
}

fn day_found(start: usize, end: usize, year: i32, month: i32, day: i32) -> Option<FoundDate> {
    found(start, end, year, month, day, Precision::Day)
}

fn month_found(start: usize, end: usize, year: i32, month: i32) -> Option<FoundDate> {
    found(start, end, year, month, 1, Precision::Month)
}

fn found(start: usize, end: usize, year: i32, month: i32, day: i32, precision: Precision) -> Option<FoundDate> {
    // Outside of these years four digits are more likely a number than a year.
    if !(1970..=2200).contains(&year) {
        return None;
    }
    let date = Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    Some(FoundDate { date, range: start..end, precision })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: &[(&str, &str)]) {
        let found = find(text);
        let got: Vec<(String, &str)> =
            found.iter().map(|found| (found.date.to_string(), &text[found.range.clone()])).collect();
        let got: Vec<(&str, &str)> = got.iter().map(|(date, part)| (date.as_str(), *part)).collect();
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn every_written_form_is_found_with_its_place() {
        check("until 2026-03-05.", &[("2026-03-05", "2026-03-05")]);
        check("at 2026-03-05T10:00:00Z", &[("2026-03-05", "2026-03-05")]);
        check("2026/3/5 and 2026.03.06", &[("2026-03-05", "2026/3/5"), ("2026-03-06", "2026.03.06")]);
        check("on 5 March 2026, or", &[("2026-03-05", "5 March 2026")]);
        check("the 1st of June 2026", &[("2026-06-01", "1st of June 2026")]);
        check("March 5, 2026 and Sept. 7th 2026", &[("2026-03-05", "March 5, 2026"), ("2026-09-07", "Sept. 7th 2026")]);
        check("截至2026年3月5日封版", &[("2026-03-05", "2026年3月5日")]);
        check("自 2024 年 3 月起", &[("2024-03-01", "2024 年 3 月")]);
        check("in March 2026", &[("2026-03-01", "March 2026")]);
    }

    #[test]
    fn what_only_looks_like_a_date_is_none() {
        for text in [
            "2026-13-05",
            "2026-02-30",
            "v2026.3.5.1",
            "12026-03-05",
            "port 6505",
            "may 5 times",
            "march on",
            "5 marching 2026",
            "1234/5/6",
            "a2026-03-05",
            "日月年",
            "2026年",
            "5 March",
            "2026-03-",
        ] {
            check(text, &[]);
        }
    }
}
