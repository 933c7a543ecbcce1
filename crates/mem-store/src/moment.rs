//! The time of day as the document gives it: a point in time with the zone in which people speak of it.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};

/// One moment, in the zone of the user.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    zoned: ZonedDateTime,
}

impl Moment {
    /// Returns a moment from RFC 3339 text with an offset.
    ///
    /// # Errors
    /// In words, when the text is no such time.
    pub fn parse(text: &str) -> Result<Self, String> {
        let pieces = jiff::fmt::temporal::Pieces::parse(text).map_err(|error| error.to_string())?;
        let timestamp: Timestamp = text.parse().map_err(|_| format!("'{text}' is no RFC 3339 time with an offset"))?;
        let zone = pieces.to_numeric_offset().map_or(TimeZone::UTC, TimeZone::fixed);
        Ok(Self { zoned: timestamp.to_zoned_datetime(zone) })
    }

    /// Returns the moment that the machine's clock shows.
    #[must_use]
    pub fn of_clock() -> Self {
        let now = ZonedDateTime::now();
        let zone = TimeZone::fixed(now.offset());
        Self { zoned: now.timestamp().to_zoned_datetime(zone) }
    }

    /// Returns the same moment as people in the IANA zone `name` speak of it.
    ///
    /// # Errors
    /// In words, when the zone is unknown.
    pub fn in_zone(&self, name: &str) -> Result<Self, String> {
        self.zoned.in_tz(name).map(|zoned| Self { zoned }).map_err(|_| format!("unknown time zone '{name}'"))
    }

    /// Returns the moment with its zone, for words such as "tomorrow".
    #[must_use]
    pub fn zoned(&self) -> &ZonedDateTime {
        &self.zoned
    }

    /// Returns the point in time.
    #[must_use]
    pub fn timestamp(&self) -> Timestamp {
        self.zoned.timestamp()
    }

    /// Returns the moment in RFC 3339 with its offset, to the second.
    #[must_use]
    pub fn to_rfc3339(&self) -> String {
        self.zoned.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
    }

    /// Returns whole days from `then` to this moment: elapsed seconds / 86,400, rounded down; a future `then` is 0.
    #[must_use]
    pub fn days_since(&self, then: Timestamp) -> i64 {
        (self.timestamp().as_second() - then.as_second()).max(0) / 86_400
    }
}

/// Returns a date or time as found in front matter: RFC 3339, seconds or milliseconds since 1970, or a date alone,
/// perhaps in words (midnight UTC).
#[must_use]
pub fn parse_date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(timestamp);
    }
    if let Ok(date_time) = text.parse::<jiff::civil::DateTime>() {
        return date_time.to_zoned_datetime(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return since_1970(text);
    }
    let date = text.parse::<jiff::civil::Date>().ok().or_else(|| in_words(text))?;
    date.to_zoned_datetime(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

/// Ten digits are seconds of 2001 to 2286, thirteen the milliseconds of these; anything else is no time.
fn since_1970(digits: &str) -> Option<Timestamp> {
    let number: i64 = digits.parse().ok()?;
    match digits.len() {
        10 => Timestamp::from_second(number).ok(),
        13 => Timestamp::from_millisecond(number).ok(),
        _ => None,
    }
}

/// 2026/03/05, March 5, 2026, 2026年3月5日.
fn in_words(text: &str) -> Option<jiff::civil::Date> {
    const LONGEST: usize = 40;
    if text.len() > LONGEST {
        return None;
    }
    match mem_text::dates::written(text).as_slice() {
        [only] => Some(only.last_day()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn days_are_elapsed_seconds_in_any_zone() {
        let then = parse_date("2026-03-05T15:50:00Z").unwrap();
        for (now, days) in [
            ("2026-03-06T00:10:00+08:00", 0),
            ("2026-03-06T15:49:59Z", 0),
            ("2026-03-06T15:50:00Z", 1),
            ("2026-03-01T00:00:00Z", 0),
        ] {
            assert_eq!(Moment::parse(now).unwrap().days_since(then), days, "{now}");
        }
    }

    #[test]
    fn a_moment_keeps_its_offset() {
        let moment = Moment::parse("2026-03-06T00:10:00+08:00").unwrap();
        assert_eq!(moment.to_rfc3339(), "2026-03-06T00:10:00+08:00");
        assert_eq!(Moment::parse("2026-03-06T00:10:00Z").unwrap().to_rfc3339(), "2026-03-06T00:10:00+00:00");
        assert!(Moment::parse("yesterday").is_err());
        assert!(Moment::parse("2026-03-06T00:10:00").is_err());
    }

    #[test]
    fn front_matter_writes_dates_in_many_ways() {
        for (text, want) in [
            ("2026-03-05T10:00:00+08:00", Some("2026-03-05T02:00:00Z")),
            ("2026-03-05 02:00:00", Some("2026-03-05T02:00:00Z")),
            ("1772676000", Some("2026-03-05T02:00:00Z")),
            ("1772676000000", Some("2026-03-05T02:00:00Z")),
            ("20260305", Some("2026-03-05T00:00:00Z")),
            ("2026/03/05", Some("2026-03-05T00:00:00Z")),
            ("March 5, 2026", Some("2026-03-05T00:00:00Z")),
            ("2026年3月5日", Some("2026-03-05T00:00:00Z")),
            ("3", None),
            ("from 2026-03-05 to 2026-03-09", None),
            ("soon", None),
        ] {
            let want = want.map(|want| want.parse::<Timestamp>().unwrap());
            assert_eq!(parse_date(text), want, "{text}");
        }
    }
}
