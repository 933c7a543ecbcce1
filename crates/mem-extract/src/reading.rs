//! Reads one message: cuts it into sentences, reads their signs in their own language, and judges each with what
//! stands around it.

use jiff::ZonedDateTime;
use mem_text::{dates, secrets};

use crate::cue::{Cue, Cues};
use crate::terms::is_wide;
use crate::typed::{self, Sentence};
use crate::verdict::{Surroundings, Verdict, judge};
use crate::wording::clauses;
use crate::{chinese, english};

/// One thing that a user typed, with what came before it.
#[derive(Clone, Debug)]
pub struct Utterance {
    /// The id of its message.
    pub id: String,
    /// The words.
    pub text: String,
    /// When it was said, in the user's zone.
    pub moment: Option<ZonedDateTime>,
    /// What the assistant said right before.
    pub before: String,
}

/// A sentence with what it was judged to be.
#[derive(Clone, Debug)]
pub struct Read {
    /// The sentence.
    pub sentence: Sentence,
    /// Its signs, with those that the sentence before hands on.
    pub cues: Cues,
    /// What it is.
    pub verdict: Verdict,
}

/// Signs that a sentence without matter of its own hands to the next: "No, not like that. We always …".
const HANDED_ON: [Cue; 4] = [Cue::Correction, Cue::Complaint, Cue::Change, Cue::Approval];
/// Signs that the head of a list hands to its items.
const OF_A_HEAD: [Cue; 5] = [Cue::Lasting, Cue::Remember, Cue::Convention, Cue::Once, Cue::Unneeded];

/// Returns the sentences of an utterance, judged. `reason_follows` says that the next message gives the reason.
pub fn read(utterance: &Utterance, reason_follows: bool) -> Vec<Read> {
    let sentences = typed::sentences(&utterance.text);
    let own: Vec<Cues> = sentences.iter().map(|sentence| signs(&sentence.own)).collect();
    let mut handed = Cues::default();
    let mut head = Cues::default();
    let mut read = Vec::with_capacity(sentences.len());
    for (at, sentence) in sentences.iter().enumerate() {
        let mut cues = own[at].with(handed);
        if sentence.is_item {
            cues = cues.with(head);
        }
        let around = Surroundings {
            is_dated: utterance.moment.as_ref().is_some_and(|moment| names_day_to_come(&sentence.own, moment)),
            is_later: utterance.moment.as_ref().is_some_and(|moment| names_later_day(&sentence.own, moment)),
            has_reason: reason_follows
                || ends_in_telling(&sentence.own)
                || sentences
                    .get(at + 1)
                    .is_some_and(|next| next.paragraph == sentence.paragraph && is_telling(&next.own, own[at + 1])),
            has_secret: !secrets::find(&sentence.text).is_empty(),
        };
        let verdict = judge(cues, around);
        handed = handed_on(verdict, cues);
        if !sentence.is_item {
            head = if sentence.text.ends_with([':', '：']) { own[at].only(&OF_A_HEAD) } else { Cues::default() };
        }
        read.push(Read { sentence: sentence.clone(), cues, verdict });
    }
    read
}

/// Returns the signs of a text, each script read by its own reader.
pub fn signs(text: &str) -> Cues {
    let has_wide = text.chars().any(is_wide);
    if !has_wide {
        return english::read(text);
    }
    let latin = text.chars().filter(char::is_ascii_alphabetic).count();
    let wide = text.chars().filter(|character| is_wide(*character)).count();
    let cues = chinese::read(text);
    if latin > wide * 6 { cues.with(english::read(text)) } else { cues }
}

fn handed_on(verdict: Verdict, cues: Cues) -> Cues {
    match verdict {
        Verdict::Nothing => cues.only(&HANDED_ON),
        Verdict::Refused(_) => cues.only(&[Cue::Listing]),
        _ => Cues::default(),
    }
}

/// Whether the last of several clauses only tells something: then it gives the reason of those before.
fn ends_in_telling(text: &str) -> bool {
    let clauses = clauses(text);
    clauses.len() > 1 && clauses.last().is_some_and(|clause| is_telling(clause, signs(clause)))
}

/// Whether the text names today or a later day.
fn names_day_to_come(text: &str, moment: &ZonedDateTime) -> bool {
    let today = moment.date();
    dates::relative(text, moment).iter().chain(&dates::written(text)).any(|found| found.last_day() >= today)
}

/// Words for a time to come that is longer than a day.
const PERIODS: &[&str] = &[
    "next week",
    "next month",
    "next quarter",
    "next year",
    "next sprint",
    "coming week",
    "下周",
    "下个月",
    "下月",
    "下季度",
    "明年",
    "年底",
    "下个季度",
    "下学期",
    "下半年",
];

/// Whether the text names a day after today, or a longer time to come.
fn names_later_day(text: &str, moment: &ZonedDateTime) -> bool {
    let today = moment.date();
    let lower = text.to_lowercase();
    dates::relative(text, moment).iter().chain(&dates::written(text)).any(|found| found.last_day() > today)
        || PERIODS.iter().any(|period| lower.contains(period))
}

/// Whether a sentence tells something and asks for nothing: then it can be the reason of the one before.
pub fn is_telling(text: &str, cues: Cues) -> bool {
    let asks = cues.has(Cue::Mine) && cues.has(Cue::Deontic)
        || cues.any(&[Cue::Question, Cue::Hypothetical, Cue::Retraction, Cue::Joke, Cue::Break, Cue::Progress]);
    let orders = if text.chars().any(is_wide) {
        chinese::orders(text, cues)
    } else {
        cues.any(&[Cue::Imperative, Cue::Prohibition])
    };
    !asks
        && !orders
        && text.split_whitespace().count() + text.chars().filter(|character| is_wide(*character)).count() > 2
}
