//! How strong a memory still is, from when and how often it was used.
//!
//! Base level of the ACT-R theory: B = ln(Σ t^-d), with t the days since each use and d the decay.
//! Writing the memory counts as its first use. Source of the form and of d = 0.5: Anderson and Schooler,
//! "Reflections of the environment in memory", Psychological Science 2 (1991).

use jiff::Timestamp;
use mem_types::age::{Term, Terms};

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

/// How a memory fades.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// The logarithm of a sum of powers of the days since each use: many uses long ago still count.
    #[default]
    ActR,
    /// Each use loses half of its weight in a fixed time.
    HalfLife,
}

/// Returns the strength: 0 is one use yesterday, each halving of the odds of need is -0.69. Nothing when nothing is known.
pub fn of(
    form: Form,
    kind: Option<Kind>,
    written: Option<Timestamp>,
    uses: &[Use],
    now: Timestamp,
) -> Option<(f64, Terms)> {
    let first = written.map(|written| days(written, now));
    let mut parts: Vec<Term> = first
        .map(|days| Term { what: "written".into(), count: 1, days, value: form.once(kind, days) })
        .into_iter()
        .collect();
    for used in uses {
        let last = days(used.at, now);
        let earlier = used.count.saturating_sub(1);
        let value = form.once(kind, last) + form.spread(kind, earlier, last, first.unwrap_or(last));
        parts.push(Term { what: "used".into(), count: used.count, days: last, value });
    }
    let sum: f64 = parts.iter().map(|part| part.value).sum();
    parts.iter_mut().for_each(|part| (part.days, part.value) = (rounded(part.days), rounded(part.value)));
    let fades_by = form.rate(kind);
    (sum > 0.0).then(|| (rounded(form.score(sum)), Terms { form: form.name().into(), fades_by, is_kept: false, parts }))
}

fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Self::ActR => "act-r",
            Self::HalfLife => "half-life",
        }
    }

    fn rate(self, kind: Option<Kind>) -> f64 {
        match self {
            Self::ActR => decay(kind),
            Self::HalfLife => half_life(kind),
        }
    }

    /// What one use so many days ago adds.
    fn once(self, kind: Option<Kind>, days: f64) -> f64 {
        match self {
            Self::ActR => days.powf(-decay(kind)),
            Self::HalfLife => (-days / half_life(kind)).exp2(),
        }
    }

    /// What the uses before the last one add, taken as spread evenly since the memory was written.
    fn spread(self, kind: Option<Kind>, count: u64, last: f64, first: f64) -> f64 {
        if count == 0 || first - last < 1.0 {
            return if count == 0 { 0.0 } else { count as f64 * self.once(kind, last) };
        }
        match self {
            Self::ActR => earlier(count, last, first, decay(kind)),
            Self::HalfLife => {
                let life = half_life(kind) / std::f64::consts::LN_2;
                count as f64 * life * ((-last / life).exp() - (-first / life).exp()) / (first - last)
            }
        }
    }

    /// On the same scale for both, so that one bound tells what is dormant: both give about -2 for a project memory
    /// that was written 55 days ago and never used.
    fn score(self, sum: f64) -> f64 {
        match self {
            Self::ActR => sum.ln(),
            // Two months are two half-lives of 28 days: a quarter, whose logarithm is -1.39.
            Self::HalfLife => sum.ln() * (-DORMANT / (55.0 / 28.0 * std::f64::consts::LN_2)),
        }
    }
}

/// Days in which a use loses half of its weight. Four weeks for what goes on in a project, as news goes; the others in
/// the order that the decays have.
fn half_life(kind: Option<Kind>) -> f64 {
    match kind {
        Some(Kind::Feedback | Kind::User) => 3_650.0,
        Some(Kind::Reference) => 120.0,
        Some(Kind::Project) | None => 28.0,
    }
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

/// Uses spread evenly between two days, by the integral of the power.
fn earlier(count: u64, last: f64, first: f64, decay: f64) -> f64 {
    let power = 1.0 - decay;
    count as f64 * (first.powf(power) - last.powf(power)) / (power * (first - last))
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
        of(Form::ActR, Some(kind), Some(at(written)), &uses, at("2026-10-13")).unwrap().0
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
        for form in [Form::ActR, Form::HalfLife] {
            assert_eq!(of(form, None, None, &[], at("2026-10-13")), None);
            let uses = [Use { at: at("2028-01-01"), count: u64::MAX }];
            let (strength, _) = of(form, None, Some(at("2027-10-13")), &uses, at("2026-10-13")).unwrap();
            assert!(strength.is_finite());
        }
    }

    #[test]
    fn the_terms_show_how_a_strength_comes_about() {
        let uses = [Use { at: at("2026-10-03"), count: 1 }];
        let (strength, terms) =
            of(Form::ActR, Some(Kind::Project), Some(at("2026-07-05")), &uses, at("2026-10-13")).unwrap();
        assert_eq!((terms.form.as_str(), terms.fades_by), ("act-r", 0.5));
        assert_eq!(terms.parts.iter().map(|part| part.value).collect::<Vec<_>>(), [0.1, 0.316]);
        assert_eq!(strength, rounded(0.4162_f64.ln()));
    }

    #[test]
    fn half_life_halves_and_agrees_on_what_is_dormant() {
        let of = |written, kind| of(Form::HalfLife, Some(kind), Some(at(written)), &[], at("2026-10-13")).unwrap();
        let (strength, terms) = of("2026-09-15", Kind::Project);
        assert_eq!(terms.parts[0].value, 0.5);
        assert!(strength > DORMANT && of("2026-08-18", Kind::Project).0 < DORMANT);
        assert!(of("2020-10-13", Kind::Feedback).0 > DORMANT);
    }
}
