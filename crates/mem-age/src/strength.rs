//! How strong a memory still is, from when and how often it was used.
//!
//! Base level of the ACT-R theory: B = ln(Σ t^-d), with t the days since each use and d the decay.
//! Writing the memory counts as its first use. Source of the form and of d = 0.5: Anderson and Schooler,
//! "Reflections of the environment in memory", Psychological Science 2 (1991).

use jiff::Timestamp;

use crate::memory::Kind;

/// Below this a memory that is not yet stale is dormant: a project memory, written once and not used for 55 days.
pub const DORMANT: f64 = -2.0;

/// A use closer than this counts as that far away, so that no single use outweighs all others; days.
const LEAST_DAYS: f64 = 0.5;

const SECONDS_A_DAY: f64 = 86_400.0;

/// Uses that were noted together: how many, and when the last one was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// When the last of them was.
    pub at: Timestamp,
    /// How many.
    pub count: u64,
}

/// Returns the strength: 0 is one use yesterday, each halving of the odds of need is -0.69. Nothing when nothing is known.
pub fn of(kind: Option<Kind>, written: Option<Timestamp>, uses: &[Use], now: Timestamp) -> Option<f64> {
    let decay = decay(kind);
    let first = written.map(|written| days(written, now));
    let mut sum: f64 = first.map_or(0.0, |days| days.powf(-decay));
    for used in uses {
        let last = days(used.at, now);
        sum += last.powf(-decay) + earlier(used.count.saturating_sub(1), last, first.unwrap_or(last), decay);
    }
    (sum > 0.0).then(|| (sum.ln() * 1_000.0).round() / 1_000.0)
}

/// How fast a kind fades. Project facts by the value that was measured for daily life; what a person
/// wants or is hardly fades; where to look lies between.
fn decay(kind: Option<Kind>) -> f64 {
    match kind {
        Some(Kind::Feedback | Kind::User) => 0.1,
        Some(Kind::Reference) => 0.3,
        Some(Kind::Project) | None => 0.5,
    }
}

/// The uses before the last one, taken as spread evenly since the memory was written.
fn earlier(count: u64, last: f64, first: f64, decay: f64) -> f64 {
    let span = first - last;
    if count == 0 {
        return 0.0;
    }
    if span < 1.0 {
        return count as f64 * last.powf(-decay);
    }
    let power = 1.0 - decay;
    count as f64 * (first.powf(power) - last.powf(power)) / (power * span)
}

fn days(then: Timestamp, now: Timestamp) -> f64 {
    let seconds = now.as_second().saturating_sub(then.as_second());
    (seconds as f64 / SECONDS_A_DAY).max(LEAST_DAYS)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn at(day: &str) -> Timestamp {
        format!("{day}T00:00:00Z").parse().unwrap()
    }

    fn strength(kind: Kind, written: &str, uses: &[(&str, u64)]) -> f64 {
        let uses: Vec<Use> = uses.iter().map(|(day, count)| Use { at: at(day), count: *count }).collect();
        of(Some(kind), Some(at(written)), &uses, at("2026-10-13")).unwrap()
    }

    #[test]
    fn one_use_yesterday_is_nought_and_time_only_weakens() {
        assert_eq!(strength(Kind::Project, "2026-10-12", &[]), 0.0);
        assert!(strength(Kind::Project, "2026-10-01", &[]) > strength(Kind::Project, "2026-01-01", &[]));
        assert_eq!(strength(Kind::Project, "2025-10-13", &[]), -2.95);
    }

    #[test]
    fn rules_of_a_person_hardly_fade_and_project_facts_do() {
        let old = "2025-10-13";
        assert!(strength(Kind::Feedback, old, &[]) > DORMANT);
        assert!(strength(Kind::Reference, old, &[]) > strength(Kind::Project, old, &[]));
        assert!(strength(Kind::Project, old, &[]) < DORMANT);
    }

    #[test]
    fn use_strengthens_by_how_often_and_how_lately() {
        let old = "2026-03-27";
        let unused = strength(Kind::Project, old, &[]);
        let once = strength(Kind::Project, old, &[("2026-10-01", 1)]);
        let often = strength(Kind::Project, old, &[("2026-10-01", 40)]);
        let long_ago = strength(Kind::Project, old, &[("2026-04-01", 40)]);
        assert!(unused < once && once < often && long_ago < often);
    }

    #[test]
    fn nothing_known_is_no_strength_and_a_date_to_come_is_no_panic() {
        assert_eq!(of(None, None, &[], at("2026-10-13")), None);
        assert!(
            of(None, Some(at("2027-10-13")), &[Use { at: at("2028-01-01"), count: u64::MAX }], at("2026-10-13"))
                .unwrap()
                .is_finite()
        );
    }
}
