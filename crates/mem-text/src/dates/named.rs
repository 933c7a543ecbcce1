//! Days and months that a text names by number, with or without a year; no moment is needed to compare them.

use std::ops::Range;

use jiff::civil::Date;

use super::{FoundDate, Precision, written, yearless};

/// A day or a month as far as the text fixes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// `None` for `4 May`.
    pub year: Option<i16>,
    /// 1 to 12.
    pub month: i8,
    /// `None` for `May 2023`.
    pub day: Option<i8>,
    /// Bytes of the text that name it.
    pub range: Range<usize>,
}

/// Days without a year are read against a leap year, so that 29 February is one.
const ANY_YEAR: Date = Date::constant(2000, 1, 1);

/// Returns the days and months of `text` that are named by number, in order.
pub(super) fn find(text: &str) -> Vec<Named> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) && !text.contains('月') {
        return Vec::new();
    }
    let with_year: Vec<FoundDate> = written::find(text);
    let overlaps = |one: &FoundDate| {
        with_year.iter().any(|other| other.range.start < one.range.end && one.range.start < other.range.end)
    };
    let without: Vec<FoundDate> = yearless::find(text, ANY_YEAR).into_iter().filter(|found| !overlaps(found)).collect();
    let mut named: Vec<Named> = with_year.into_iter().map(|found| of(found, true)).collect();
    named.extend(without.into_iter().map(|found| of(found, false)));
    named.sort_by_key(|named| named.range.start);
    named
}

fn of(found: FoundDate, has_year: bool) -> Named {
    let day = (found.precision == Precision::Day).then_some(found.date.day());
    Named { year: has_year.then_some(found.date.year()), month: found.date.month(), day, range: found.range }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_months_are_found_with_and_without_a_year() {
        let parts =
            |text: &str| find(text).iter().map(|named| (named.year, named.month, named.day)).collect::<Vec<_>>();
        assert_eq!(parts("s_2023-05-04.md"), [(Some(2023), 5, Some(4))]);
        assert_eq!(parts("on 8 May, 2023 or Feb 29"), [(Some(2023), 5, Some(8)), (None, 2, Some(29))]);
        assert_eq!(parts("在5月4日，2023年6月"), [(None, 5, Some(4)), (Some(2023), 6, None)]);
        assert_eq!(parts("we may go, port 8080"), []);
    }
}
