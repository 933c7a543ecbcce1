//! Numbers that identify a person or an account, known by their check digits: payment cards, social security numbers,
//! Chinese identity numbers.

use std::ops::Range;

use super::Secret;

/// A number has at most so many groups of digits; longer rows are tables.
const MOST_GROUPS: usize = 12;

pub(super) fn find(text: &str) -> Vec<Secret> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let groups = groups(bytes, at);
        let end = groups.last().map_or(at + 1, |group| group.end);
        if is_free(bytes, at, end) {
            in_row(text, &groups, &mut found);
        }
        at = end.max(at + 1);
        // The rest of a word such as `a1b2` begins no number.
        at += bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    }
    found
}

/// Returns the groups of digits that begin at `start`, parted by one blank or hyphen each.
fn groups(bytes: &[u8], start: usize) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    let mut at = start;
    loop {
        let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        groups.push(at..at + length);
        at += length;
        let goes_on = matches!(bytes.get(at), Some(b' ' | b'-')) && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        if !goes_on || groups.len() == MOST_GROUPS {
            return groups;
        }
        at += 1;
    }
}

/// Whether digits are a number of their own, and no part of a word, a hash or a fraction.
fn is_free(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'#' | b'$');
    let before = start.checked_sub(1).and_then(|index| bytes.get(index));
    let after = bytes.get(end).filter(|byte| !matches!(byte, b'x' | b'X'));
    !before.is_some_and(|byte| is_inner(byte) || *byte == b'-')
        && !after.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn in_row(text: &str, groups: &[Range<usize>], found: &mut Vec<Secret>) {
    let mut first = 0;
    while first < groups.len() {
        let rest = &groups[first..];
        // A row of more groups than a number has is a table, or another kind of number.
        let hit = [5, 4, 3, 1].into_iter().filter(|count| *count <= rest.len()).find_map(|count| {
            let (start, end) = (rest[0].start, rest[count - 1].end);
            kind(text, &rest[..count], start, end).map(|(kind, end)| (Secret { range: start..end, kind }, count))
        });
        match hit {
            Some((secret, count)) => {
                found.push(secret);
                first += count;
            }
            None => first += 1,
        }
    }
}

fn kind(text: &str, groups: &[Range<usize>], start: usize, end: usize) -> Option<(&'static str, usize)> {
    let lengths: Vec<usize> = groups.iter().map(ExactSizeIterator::len).collect();
    let digits: Vec<u8> =
        text.as_bytes()[start..end].iter().filter(|byte| byte.is_ascii_digit()).map(|byte| byte - b'0').collect();
    match lengths.as_slice() {
        [3, 2, 4] if text.as_bytes()[groups[0].end] == b'-' && !goes_on(text, end) && is_social_security(&digits) => {
            Some(("ssn", end))
        }
        [9] if names_social_security(&text[..start]) && is_social_security(&digits) => Some(("ssn", end)),
        [17 | 18] => chinese_identity(text, start, &digits)
            .map(|end| ("id-number", end))
            .or_else(|| card(&digits).then_some(("card-number", end))),
        [13..=19] | [4, 4, 4, 4] | [4, 6, 5] | [4, 4, 4, 4, 3] | [4, 6, 4] => {
            card(&digits).then_some(("card-number", end))
        }
        _ => None,
    }
}

/// Whether more digits hang on a number by a hyphen.
fn goes_on(text: &str, end: usize) -> bool {
    text.as_bytes().get(end) == Some(&b'-')
}

/// Whether the digits are a card of a known issuer and length, and their check digit is right.
fn card(digits: &[u8]) -> bool {
    let head = |count: usize| digits.iter().take(count).fold(0_u32, |sum, digit| sum * 10 + u32::from(*digit));
    let is_issued = match digits.len() {
        13 | 16 if head(1) == 4 => true,
        14 => matches!(head(2), 36 | 38 | 39) || matches!(head(3), 300..=305),
        15 => matches!(head(2), 34 | 37),
        16 => matches!(head(2), 51..=55 | 65 | 35 | 62) || matches!(head(4), 2221..=2720 | 6011),
        17..=19 => head(2) == 62,
        _ => false,
    };
    is_issued && digits.iter().any(|digit| *digit != digits[0]) && has_luhn_check(digits)
}

fn has_luhn_check(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            let doubled = u32::from(*digit) * if at % 2 == 1 { 2 } else { 1 };
            if doubled > 9 { doubled - 9 } else { doubled }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Whether nine digits can be a social security number: some areas and groups are never given out.
fn is_social_security(digits: &[u8]) -> bool {
    let number = |range: Range<usize>| digits[range].iter().fold(0_u32, |sum, digit| sum * 10 + u32::from(*digit));
    let area = number(0..3);
    !matches!(area, 0 | 666 | 900..) && number(3..5) != 0 && number(5..9) != 0
}

fn names_social_security(before: &str) -> bool {
    let near = &before[before.len().saturating_sub(40)..];
    let near = if before.is_char_boundary(before.len().saturating_sub(40)) { near } else { return false };
    let near = near.to_ascii_lowercase();
    near.contains("ssn") || near.contains("social security")
}

/// Returns the end of the Chinese identity number that begins here: region, birthday, serial, check character.
fn chinese_identity(text: &str, start: usize, digits: &[u8]) -> Option<usize> {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    const CHECKS: [u8; 11] = *b"10X98765432";
    let check = text.as_bytes().get(start + 17)?.to_ascii_uppercase();
    let sum: u32 = digits.iter().take(17).zip(WEIGHTS).map(|(digit, weight)| u32::from(*digit) * weight).sum();
    let number = |range: Range<usize>| digits[range].iter().fold(0_u32, |sum, digit| sum * 10 + u32::from(*digit));
    let is_born =
        matches!(number(6..10), 1900..=2099) && matches!(number(10..12), 1..=12) && matches!(number(12..14), 1..=31);
    let is_whole = text.as_bytes().get(start + 18).is_none_or(|byte| !byte.is_ascii_alphanumeric());
    (digits[0] != 0 && is_born && is_whole && CHECKS[(sum % 11) as usize] == check).then_some(start + 18)
}
