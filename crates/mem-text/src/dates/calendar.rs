//! Counts days, weeks and months from a day; weeks begin on Monday.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Month,
    Year,
}

pub(super) fn later(today: Date, count: i32, unit: Unit) -> Option<Date> {
    let span = match unit {
        Unit::Day => count.days(),
        Unit::Week => count.weeks(),
        Unit::Month => count.months(),
        Unit::Year => count.years(),
    };
    today.checked_add(span).ok()
}

/// Returns the weekday of the week that lies `shift` weeks ahead; weeks begin on Monday.
pub(super) fn in_week(today: Date, shift: i32, day: Weekday) -> Option<Date> {
    let monday = today.checked_sub(i32::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
    monday.checked_add((shift * 7 + i32::from(day.to_monday_zero_offset())).days()).ok()
}

pub(super) fn on_or_after(today: Date, day: Weekday) -> Option<Date> {
    if today.weekday() == day { Some(today) } else { today.nth_weekday(1, day).ok() }
}

pub(super) fn end_of_unit(today: Date, unit: Unit, shift: i32) -> Option<Date> {
    match unit {
        Unit::Day => later(today, shift, Unit::Day),
        Unit::Week => in_week(today, shift, Weekday::Sunday),
        Unit::Month => Some(today.first_of_month().checked_add(shift.months()).ok()?.last_of_month()),
        Unit::Year => Date::new(today.year().checked_add(i16::try_from(shift).ok()?)?, 12, 31).ok(),
    }
}
