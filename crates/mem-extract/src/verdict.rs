//! Weighs the signs of a sentence: is it worth keeping, and as what?

use crate::cue::{Cue, Cues};

/// What a sentence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// How to work, from now on.
    Rule,
    /// A way of working that was approved.
    Confirmed,
    /// Who the user is.
    User,
    /// What is so in the project, or will be.
    Project,
    /// Where something stands outside the code.
    Reference,
    /// A rule for now only.
    Once,
    /// Takes back what was said before.
    Retraction,
    /// Would be a rule, but must not be kept; the reason.
    Refused(&'static str),
    /// Says nothing that lasts.
    Nothing,
}

/// What the sentence's surroundings add to its signs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings {
    /// It names a day that is not past.
    pub is_dated: bool,
    /// It names a day or a week after today.
    pub is_later: bool,
    /// A reason follows it.
    pub has_reason: bool,
    /// It has hardly a word that carries matter.
    pub says_little: bool,
    /// It has none: "I like it."
    pub says_nothing: bool,
    /// It holds a secret.
    pub has_secret: bool,
}

/// How much each sign speaks for a rule that lasts.
const WEIGHTS: &[(Cue, i32)] = &[
    (Cue::Remember, 4),
    (Cue::Lasting, 4),
    (Cue::Whenever, 3),
    (Cue::StopHabit, 3),
    (Cue::Convention, 3),
    (Cue::Durative, 2),
    (Cue::Wish, 4),
    (Cue::Universal, 2),
    (Cue::Speech, 2),
    (Cue::Complaint, 1),
    (Cue::Correction, 1),
    (Cue::Prohibition, 1),
    (Cue::Contrast, 1),
    (Cue::Deontic, 1),
    (Cue::Standing, 1),
    (Cue::Generic, 1),
    (Cue::Reason, 1),
    (Cue::Deictic, -2),
    (Cue::Telic, -2),
    (Cue::Progress, -2),
    (Cue::Product, -5),
];
/// From here on a sentence is a rule.
const ENOUGH: i32 = 4;

/// Returns what the sentence is.
pub fn judge(cues: Cues, around: Surroundings) -> Verdict {
    if cues.has(Cue::Joke) || cues.has(Cue::Retraction) && !cues.has(Cue::Question) {
        return Verdict::Retraction;
    }
    if cues.any(&[Cue::Question, Cue::Hypothetical]) {
        return Verdict::Nothing;
    }
    let verdict = unguarded(cues, around);
    match refusal(cues, around) {
        Some(reason) if verdict != Verdict::Nothing => Verdict::Refused(reason),
        _ => verdict,
    }
}

/// Returns why nothing of the sentence may be kept, if so.
fn refusal(cues: Cues, around: Surroundings) -> Option<&'static str> {
    if around.has_secret {
        Some("holds a secret")
    } else if cues.has(Cue::Unneeded) {
        Some("not to be remembered")
    } else if cues.has(Cue::Sarcasm) {
        Some("meant as its opposite")
    } else if cues.has(Cue::Reported)
        && (cues.has(Cue::Rejected) || !cues.any(&[Cue::Endorsed, Cue::Remember, Cue::Convention]))
    {
        Some("somebody else's words")
    } else if cues.has(Cue::OtherHabit) && !cues.has(Cue::Remember) {
        Some("somebody else's habit")
    } else {
        None
    }
}

fn unguarded(cues: Cues, around: Surroundings) -> Verdict {
    if cues.has(Cue::Remember) && cues.has(Cue::Listing) && !cues.has(Cue::Surprise) {
        return Verdict::Refused("a list of what was done");
    }
    if cues.has(Cue::Surprise) && cues.any(&[Cue::Remember, Cue::Listing]) || is_lesson(cues) {
        return Verdict::Project;
    }
    if cues.has(Cue::Once) && (!cues.has(Cue::Decision) || cues.has(Cue::Imperative) && !cues.has(Cue::Told)) {
        return if is_directive(cues) { Verdict::Once } else { Verdict::Nothing };
    }
    if cues.has(Cue::Location) && cues.has(Cue::Told) && !cues.has(Cue::Progress) {
        return Verdict::Reference;
    }
    let is_rule =
        weight(cues, around) >= ENOUGH && is_directive(cues) && (!around.says_nothing || cues.has(Cue::Anaphor));
    if cues.has(Cue::Role) && !cues.has(Cue::Progress) && (cues.has(Cue::Told) || !is_rule) {
        return Verdict::User;
    }
    if is_confirmation(cues) {
        return Verdict::Confirmed;
    }
    if is_fact(cues, around) {
        return Verdict::Project;
    }
    if is_rule {
        return Verdict::Rule;
    }
    if cues.has(Cue::Remember) && !cues.has(Cue::Telic) && !around.says_little {
        return Verdict::Project;
    }
    Verdict::Nothing
}

/// Something that was not expected, told for its own sake.
fn is_lesson(cues: Cues) -> bool {
    cues.has(Cue::Surprise) && cues.has(Cue::Remember)
}

/// Whether the sentence tells somebody what to do or how it is done.
fn is_directive(cues: Cues) -> bool {
    cues.any(&[
        Cue::Imperative,
        Cue::Prohibition,
        Cue::Deontic,
        Cue::Wish,
        Cue::Convention,
        Cue::StopHabit,
        Cue::Endorsed,
    ])
}

/// Praise of a way of working, or praise with the wish to go on. Praise of an outcome is neither.
fn is_confirmation(cues: Cues) -> bool {
    cues.has(Cue::Approval)
        && !cues.has(Cue::Correction)
        && (cues.has(Cue::Keep) || cues.has(Cue::Approach) && !cues.has(Cue::Telic))
}

/// A day to come, an owner, or a decision, told and not ordered.
fn is_fact(cues: Cues, around: Surroundings) -> bool {
    let told = !cues.any(&[Cue::Progress, Cue::Correction]) || cues.has(Cue::Change);
    let dated =
        cues.has(Cue::Told) && (around.is_dated && cues.has(Cue::Event) || around.is_later && !cues.has(Cue::Mine));
    let owned = cues.has(Cue::Ownership) && cues.has(Cue::Told);
    let decided = cues.has(Cue::Decision)
        && (cues.has(Cue::Reason) || around.has_reason || around.is_dated)
        && !cues.any(&[Cue::Telic, Cue::Lasting])
        && (cues.has(Cue::Reason) || !cues.has(Cue::Convention));
    told && (dated || owned || decided)
}

fn weight(cues: Cues, around: Surroundings) -> i32 {
    let mut sum: i32 = WEIGHTS.iter().filter(|(cue, _)| cues.has(*cue)).map(|(_, weight)| weight).sum();
    // What follows "we support archives" is more often the next thought than a reason.
    if around.has_reason && !cues.any(&[Cue::Reason, Cue::Convention]) {
        sum += 1;
    }
    // What is reported and agreed with is a rule, however it is put.
    sum += 5 * i32::from(cues.has(Cue::Endorsed) && cues.has(Cue::Product));
    // "No, use X, not Y" corrects a way of working, and not one deed.
    sum += i32::from([Cue::Correction, Cue::Contrast, Cue::Standing].iter().all(|cue| cues.has(*cue)));
    // A manner with a reason is meant to stay; a deed with a reason is only explained.
    sum += i32::from(around.has_reason && cues.has(Cue::Standing) && cues.has(Cue::Generic));
    // "Quote statutes by sentence, not by paragraph": a kind, set against another way.
    sum += i32::from([Cue::Standing, Cue::Generic, Cue::Contrast].iter().all(|cue| cues.has(*cue)));
    // "Do that for every ticket": what was just done, for all cases.
    sum += 2 * i32::from(cues.has(Cue::Anaphor) && cues.has(Cue::Universal));
    // "X is a no-go for us".
    sum += i32::from(cues.has(Cue::Deontic) && cues.has(Cue::Universal) && cues.has(Cue::Told));
    // "From now on fix this first": what lasts outweighs that the deed itself ends or that it is shown by an example.
    if cues.any(&[Cue::Lasting, Cue::Remember, Cue::Whenever, Cue::StopHabit, Cue::Convention]) {
        sum += 2 * i32::from(cues.has(Cue::Telic)) + 2 * i32::from(cues.has(Cue::Deictic));
    }
    sum
}
