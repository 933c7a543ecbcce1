//! Gathers from a conversation what it taught: joins sentences that belong together, lets later words win over
//! earlier ones, and takes back what was taken back.

mod message;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use jiff::ZonedDateTime;

use crate::cue::{Cue, Cues};
use crate::policy::Policy;
use crate::reading::{self, Read, Utterance};
use crate::terms::{contained, terms};
use crate::verdict::{self, Surroundings, Verdict};
use crate::wording::{clauses, join_clauses};
use message::Message;

/// The four types of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// How to work.
    Feedback,
    /// Who the user is.
    User,
    /// What is so in the project.
    Project,
    /// Where something stands outside the code.
    Reference,
}

impl Type {
    /// Returns the word that stands in front matter.
    pub fn word(self) -> &'static str {
        match self {
            Type::Feedback => "feedback",
            Type::User => "user",
            Type::Project => "project",
            Type::Reference => "reference",
        }
    }

    /// Returns the type that a word names.
    pub fn of(word: &str) -> Option<Type> {
        [Type::Feedback, Type::User, Type::Project, Type::Reference].into_iter().find(|kind| kind.word() == word)
    }
}

/// Where a claim was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The id of the message.
    pub id: String,
    /// The words.
    pub quote: String,
}

/// One thing that the conversation taught.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What kind of thing.
    pub kind: Type,
    /// The sentences that say it.
    pub sayings: Vec<String>,
    /// The sentences that give the reason.
    pub reasons: Vec<String>,
    /// What the assistant had said, when the sentences only point at it.
    pub about: Option<String>,
    /// What it takes the place of, in the words of before, when that was said in so many words.
    pub instead: Option<String>,
    /// The signs of all its sentences.
    pub cues: Cues,
    /// Where it was said.
    pub sources: Vec<Source>,
    /// When it was said.
    pub moment: Option<ZonedDateTime>,
    paragraph: (usize, usize),
}

/// A rule for now only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRule {
    /// The words.
    pub text: String,
    /// Where they were said.
    pub id: String,
}

/// A sentence that looked like something to keep, and why it is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The words; none when they must not be repeated.
    pub text: String,
    /// The reason.
    pub reason: &'static str,
    /// Where they were said.
    pub id: String,
}

/// All that a conversation taught.
#[derive(Clone, Debug, Default)]
pub struct Lesson {
    /// What to keep, in the order in which it was said.
    pub claims: Vec<Claim>,
    /// What holds for now only.
    pub session_rules: Vec<SessionRule>,
    /// What is not kept.
    pub refused: Vec<Refusal>,
    /// What was taken back and was not said in this conversation: for the memories there are.
    pub withdrawn: Vec<Claim>,
    /// Questions that must be answered first.
    pub needs: Vec<(String, &'static str)>,
}

/// Returns what the utterances taught.
#[cfg(test)]
pub fn gather(utterances: &[Utterance]) -> Lesson {
    gather_by(utterances, &Policy::default())
}

/// Returns what the utterances taught, judged by the project's policy besides.
pub fn gather_by(utterances: &[Utterance], policy: &Policy) -> Lesson {
    let mut lesson = Lesson::default();
    for (at, utterance) in utterances.iter().enumerate() {
        let next = utterances.get(at + 1);
        let reason_follows = next.is_some_and(gives_reason);
        let mut reads = reading::read(utterance, reason_follows);
        reads.iter_mut().for_each(|read| policy.judge(read));
        if at > 0 && gives_reason(utterance) {
            take_late_reason(&mut lesson, utterance, &reads);
        }
        Message::new(at, utterance, &mut lesson, policy).take(&reads);
    }
    let Lesson { claims, refused, .. } = &mut lesson;
    let all = std::mem::take(claims);
    *claims = latest(all, refused);
    lesson
}

/// Takes in a sentence that is to be saved as it is, as what it says it is.
pub fn remember(wish: &Utterance, lesson: &mut Lesson) {
    let text = wish.text.trim();
    if !mem_text::secrets::find(text).is_empty() {
        lesson.refused.push(Refusal { text: String::new(), reason: "holds a secret", id: wish.id.clone() });
        return;
    }
    let reads = reading::read(wish, false);
    let mut cues = reads.iter().fold(Cues::default(), |cues, read| cues.with(read.cues));
    cues.add(Cue::Remember);
    let kind = match verdict::judge(cues, Surroundings::default()) {
        Verdict::Rule | Verdict::Confirmed => Type::Feedback,
        Verdict::User => Type::User,
        Verdict::Reference => Type::Reference,
        _ => Type::Project,
    };
    lesson.claims.push(Claim {
        kind,
        sayings: vec![text.to_owned()],
        reasons: Vec::new(),
        about: None,
        instead: None,
        cues,
        sources: vec![Source { id: wish.id.clone(), quote: text.to_owned() }],
        moment: wish.moment.clone(),
        paragraph: (usize::MAX, 0),
    });
}

/// Returns a claim that was written down before, such as a bullet of a daily log.
pub fn noted(kind: Type, text: String, why: Option<String>, id: &str, moment: Option<ZonedDateTime>) -> Claim {
    Claim {
        kind,
        sources: vec![Source { id: id.to_owned(), quote: text.clone() }],
        sayings: vec![text],
        reasons: why.into_iter().collect(),
        about: None,
        instead: None,
        cues: Cues::default(),
        moment,
        paragraph: (usize::MAX, 0),
    }
}

/// Whether an utterance answers the question why.
fn gives_reason(utterance: &Utterance) -> bool {
    let asked = utterance.before.trim_end();
    let ends = asked.rsplit(['.', '!', '。', '！', '\n']).next().unwrap_or_default().to_lowercase();
    let asks = ends.contains(['?', '？'])
        && ["why", "reason", "background", "how come", "what makes", "为什么", "原因", "理由", "为何", "什么考虑"]
            .iter()
            .any(|word| ends.contains(word));
    asks && !utterance.text.trim_end().ends_with(['?', '？'])
}

fn take_late_reason(lesson: &mut Lesson, utterance: &Utterance, reads: &[Read]) {
    let (Some(claim), Some(first)) = (lesson.claims.last_mut(), reads.first()) else { return };
    if first.verdict == Verdict::Nothing && claim.reasons.is_empty() {
        claim.reasons.push(first.sentence.text.clone());
        claim.sources.push(Source { id: utterance.id.clone(), quote: first.sentence.text.clone() });
    }
}

impl Claim {
    /// Returns its words, without the reasons.
    pub fn text(&self) -> String {
        self.sayings.join(" ")
    }

    fn add(&mut self, read: &Read) {
        self.sayings.push(read.sentence.text.clone());
        self.cues = self.cues.with(read.cues);
    }

    /// Returns what is left of the claim when a topic is taken out, if anything.
    fn without(&self, topic: Option<&BTreeSet<String>>) -> Option<Claim> {
        let topic = topic?;
        let all: Vec<&str> = self.sayings.iter().flat_map(|saying| clauses(saying)).collect();
        let kept: Vec<&str> = all.iter().copied().filter(|clause| terms(clause).is_disjoint(topic)).collect();
        if kept.is_empty() || kept.len() == all.len() || !kept.iter().any(|clause| reads_as_rule(clause)) {
            return None;
        }
        Some(Claim { sayings: vec![join_clauses(&kept)], ..self.clone() })
    }
}

fn reads_as_rule(clause: &str) -> bool {
    reading::signs(clause).any(&[Cue::Imperative, Cue::Deontic, Cue::Prohibition, Cue::Convention])
}

/// Drops each claim that a later one repeats or changes.
fn latest(claims: Vec<Claim>, refused: &mut Vec<Refusal>) -> Vec<Claim> {
    let mut kept: Vec<(Claim, BTreeSet<String>)> = Vec::with_capacity(claims.len());
    for claim in claims {
        let own = terms(&claim.text());
        kept.retain(|(earlier, words)| {
            let is_past = earlier.paragraph.0 != claim.paragraph.0 && replaces(&claim, &own, earlier, words);
            if is_past {
                let id = earlier.sources[0].id.clone();
                refused.push(Refusal { text: earlier.text(), reason: "said otherwise later", id });
            }
            !is_past
        });
        kept.push((claim, own));
    }
    kept.into_iter().map(|(claim, _)| claim).collect()
}

/// Whether a later claim says the same as an earlier one, or changes it; each with its terms.
fn replaces(later: &Claim, own: &BTreeSet<String>, earlier: &Claim, words: &BTreeSet<String>) -> bool {
    if later.kind != earlier.kind {
        return false;
    }
    let share = contained(own, words);
    let changes = later.cues.any(&[Cue::Change, Cue::Correction]);
    share >= 0.75 || changes && share >= 0.4
}
