//! Chinese words that name a day: 明天, 下周四, 月底, 三天后.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::calendar::{Unit, end_of_unit, in_week, later, on_or_after};
use super::{FoundDate, Precision};

const WEEKDAYS: [Weekday; 7] = [
    Weekday::Monday,
    Weekday::Tuesday,
    Weekday::Wednesday,
    Weekday::Thursday,
    Weekday::Friday,
    Weekday::Saturday,
    Weekday::Sunday,
];

/// Days from now, longest first where one begins like another.
const CHINESE_DAYS: [(&str, i32); 10] = [
    ("大后天", 3),
    ("大前天", -3),
    ("今天", 0),
    ("今日", 0),
    ("今晚", 0),
    ("明天", 1),
    ("明日", 1),
    ("后天", 2),
    ("昨天", -1),
    ("前天", -2),
];

const CHINESE_ENDS: [(&str, Unit, i32); 9] = [
    ("下个月底", Unit::Month, 1),
    ("下月底", Unit::Month, 1),
    ("本月底", Unit::Month, 0),
    ("这个月底", Unit::Month, 0),
    ("月底", Unit::Month, 0),
    ("月末", Unit::Month, 0),
    ("明年底", Unit::Year, 1),
    ("年底", Unit::Year, 0),
    ("年末", Unit::Year, 0),
];

pub(super) fn find(text: &str, today: Date) -> Vec<FoundDate> {
    let mut found = Vec::new();
    let mut skip_to = 0;
    for (at, character) in text.char_indices() {
        if at < skip_to || !starts_date(character) {
            continue;
        }
        let before = text[..at].chars().next_back();
        if let Some((date, length)) = chinese_at(&text[at..], before, today) {
            skip_to = at + length;
            found.push(FoundDate { date, range: at..skip_to, precision: Precision::Day });
        }
    }
    found
}

fn starts_date(character: char) -> bool {
    "大今明后昨前下上本这月年周星礼一二两三四五六七八九十半过".contains(character) || character.is_ascii_digit()
}

fn chinese_at(rest: &str, before: Option<char>, today: Date) -> Option<(Date, usize)> {
    // 每天, 3月底 and 12天前 of a longer number are not what they end in.
    let is_part = before.is_some_and(|c| c.is_ascii_digit() || "每第隔一二三四五六七八九十".contains(c));
    if let Some((word, days)) = CHINESE_DAYS.iter().find(|(word, _)| rest.starts_with(word)) {
        return Some((today.checked_add(days.days()).ok()?, word.len()));
    }
    if is_part {
        return None;
    }
    if let Some((word, unit, shift)) = CHINESE_ENDS.iter().find(|(word, _, _)| rest.starts_with(word)) {
        return Some((end_of_unit(today, *unit, *shift)?, word.len()));
    }
    chinese_weekday(rest, today).or_else(|| chinese_span(rest, today))
}

/// 下周四, 上个星期五, 本周三, 周五 with 之前 or 前 behind it.
fn chinese_weekday(rest: &str, today: Date) -> Option<(Date, usize)> {
    let (shift, prefix) = [("下下", 2), ("下", 1), ("上", -1), ("本", 0), ("这", 0)]
        .iter()
        .find_map(|(word, shift)| rest.starts_with(word).then_some((Some(*shift), word.len())))
        .unwrap_or((None, 0));
    let tail = &rest[prefix..];
    let prefix = prefix + if prefix > 0 && tail.starts_with('个') { "个".len() } else { 0 };
    let week = ["周", "星期", "礼拜"].iter().find(|word| rest[prefix..].starts_with(**word))?;
    let at = prefix + week.len();
    let name = rest[at..].chars().next()?;
    let day = "一二三四五六日天".chars().position(|c| c == name)?;
    let end = at + name.len_utf8();
    let day = WEEKDAYS[day.min(6)];
    let date = match shift {
        Some(shift) => in_week(today, shift, day)?,
        // A bare weekday is a habit unless something is due by it.
        None if rest[end..].starts_with('前') || rest[end..].starts_with("之前") => on_or_after(today, day)?,
        None => return None,
    };
    Some((date, end))
}

/// 三天后, 2周之后, 半年内, 十天前.
fn chinese_span(rest: &str, today: Date) -> Option<(Date, usize)> {
    let (count, at) = chinese_number(rest)?;
    let tail = rest[at..].trim_start_matches(' ');
    let at = rest.len() - tail.len();
    let (unit, length) = [
        ("天", Unit::Day),
        ("周", Unit::Week),
        ("个星期", Unit::Week),
        ("星期", Unit::Week),
        ("个礼拜", Unit::Week),
        ("个月", Unit::Month),
        ("年", Unit::Year),
    ]
    .iter()
    .find_map(|(word, unit)| tail.starts_with(word).then_some((*unit, word.len())))?;
    let behind = &rest[at + length..];
    let (sign, word) = [("之后", 1), ("以后", 1), ("后", 1), ("之前", -1), ("以前", -1), ("前", -1)]
        .iter()
        .find_map(|(word, sign)| behind.starts_with(word).then_some((*sign, word.len())))?;
    Some((later(today, sign * count, unit)?, at + length + word))
}

fn chinese_number(rest: &str) -> Option<(i32, usize)> {
    let digits = rest.bytes().take(4).take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        return (digits < 4).then(|| rest[..digits].parse().ok().map(|number| (number, digits)))?;
    }
    let value = |c: char| "零一二三四五六七八九".chars().position(|d| d == c).or((c == '两').then_some(2));
    let (mut total, mut ones, mut length) = (0_i32, 0_i32, 0);
    for character in rest.chars().take(3) {
        match (value(character), character) {
            (Some(digit), _) => ones = i32::try_from(digit).ok()?,
            (None, '十') => {
                total = ones.max(1) * 10;
                ones = 0;
            }
            _ => break,
        }
        length += character.len_utf8();
    }
    (length > 0).then_some((total + ones, length))
}
