//! Gathers from a conversation what it taught: joins sentences that belong together, lets later words win over
//! earlier ones, and takes back what was taken back.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use jiff::ZonedDateTime;

use crate::cue::{Cue, Cues};
use crate::policy::Policy;
use crate::reading::{self, Read, Utterance, is_telling};
use crate::retraction;
use crate::terms::{contained, terms};
use crate::verdict::{self, Surroundings, Verdict};
use crate::wording::{clauses, join_clauses};

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

/// The list was asked for, but what was surprising about it was not said.
const WHAT_SURPRISED: &str = "a list of what was done is in the history already; what about it was surprising?";

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
        Message { at, utterance, lesson: &mut lesson, open: None, reported: None, judged: None }.take(&reads);
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

/// One message on its way into the lesson.
struct Message<'a> {
    at: usize,
    utterance: &'a Utterance,
    lesson: &'a mut Lesson,
    /// Whether the last claim may still take sentences in.
    open: Option<usize>,
    /// A sentence with somebody else's words, until the user agrees or not.
    reported: Option<String>,
    /// A sentence that judges what was done and makes no rule of it yet: "one PR a module was the right call".
    judged: Option<String>,
}

impl Message<'_> {
    fn take(mut self, reads: &[Read]) {
        for read in reads {
            let is_over = self.take_one(read);
            let judges = read.verdict == Verdict::Nothing && read.cues.any(&[Cue::Approval, Cue::Correction]);
            self.judged = Some(read.sentence.text.clone()).filter(|text| judges && terms(text).len() > 2);
            if is_over {
                return;
            }
        }
    }

    /// Takes a sentence in. Returns whether the rest of the message is to be passed over.
    fn take_one(&mut self, read: &Read) -> bool {
        match read.verdict {
            Verdict::Rule | Verdict::Confirmed => self.claim(Type::Feedback, read),
            Verdict::User => self.claim(Type::User, read),
            Verdict::Project => self.claim(Type::Project, read),
            Verdict::Reference => self.claim(Type::Reference, read),
            Verdict::Once => {
                self.lesson
                    .session_rules
                    .push(SessionRule { text: read.sentence.text.clone(), id: self.utterance.id.clone() });
                self.open = None;
            }
            Verdict::Retraction => self.withdraw(read),
            Verdict::Refused(reason) => {
                self.refuse(read, reason);
                return read.cues.any(&[Cue::Unneeded, Cue::Sarcasm]);
            }
            Verdict::Nothing => self.absorb(read),
        }
        read.cues.any(&[Cue::Unneeded, Cue::Sarcasm])
    }

    fn claim(&mut self, kind: Type, read: &Read) {
        if read.cues.has(Cue::Endorsed)
            && let Some(reported) = self.reported.take()
        {
            self.push(kind, read, Some(reported));
            return;
        }
        let continues = self.open.filter(|open| self.continues(*open, kind, read));
        match continues {
            Some(open) => self.lesson.claims[open].add(read),
            None => self.push(kind, read, None),
        }
    }

    fn push(&mut self, kind: Type, read: &Read, reported: Option<String>) {
        let points_back = read.cues.has(Cue::Anaphor) && terms(&read.sentence.text).len() < 6;
        let about = points_back
            .then(|| first_sentence(&self.utterance.before))
            .flatten()
            .filter(|about| terms(about).len() > 2);
        let judged = self.judged.take().filter(|_| read.cues.has(Cue::Anaphor));
        let mut sayings: Vec<String> = reported.or(judged).into_iter().collect();
        sayings.push(read.sentence.text.clone());
        if points_back && about.is_none() && terms(&sayings.join(" ")).len() < 2 {
            self.refuse(read, "points at nothing that can be named");
            return;
        }
        self.lesson.claims.push(Claim {
            kind,
            sayings,
            reasons: Vec::new(),
            about,
            cues: read.cues,
            sources: vec![Source { id: self.utterance.id.clone(), quote: read.sentence.text.clone() }],
            moment: self.utterance.moment.clone(),
            paragraph: (self.at, read.sentence.paragraph),
        });
        self.open = Some(self.lesson.claims.len() - 1);
    }

    /// Whether a sentence with a verdict of its own still belongs to the claim before it.
    fn continues(&self, open: usize, kind: Type, read: &Read) -> bool {
        let claim = &self.lesson.claims[open];
        let is_near = claim.paragraph == (self.at, read.sentence.paragraph)
            && !read.sentence.is_item
            && !read.cues.has(Cue::Break);
        let points_back = read.cues.has(Cue::Anaphor);
        let is_told_on = claim.cues.has(Cue::Remember) && !read.cues.any(&[Cue::Remember, Cue::Lasting]);
        let is_of_the_fact = claim.kind == Type::Project && !read.cues.any(&[Cue::Lasting, Cue::Remember, Cue::Role]);
        is_near && ((claim.kind == kind && points_back) || is_told_on || is_of_the_fact)
    }

    /// Takes a sentence that says nothing by itself into the claim before it: as its reason or as more of it.
    fn absorb(&mut self, read: &Read) {
        if read.cues.has(Cue::Reported) {
            self.reported = Some(read.sentence.text.clone());
        }
        let Some(open) = self.open else { return };
        let claim = &self.lesson.claims[open];
        let is_near = claim.paragraph.0 == self.at && claim.sayings.len() + claim.reasons.len() < 5;
        if !is_near || read.cues.any(&[Cue::Question, Cue::Hypothetical, Cue::Break, Cue::Progress]) {
            self.open = None;
        } else if is_telling(&read.sentence.own, read.cues) {
            self.lesson.claims[open].reasons.push(read.sentence.text.clone());
        } else if claim.cues.has(Cue::Remember) && claim.paragraph.1 == read.sentence.paragraph
            || !read.cues.has(Cue::Telic)
        {
            self.lesson.claims[open].add(read);
        } else {
            self.open = None;
        }
    }

    fn refuse(&mut self, read: &Read, reason: &'static str) {
        let hides = read.verdict == Verdict::Refused("holds a secret");
        if reason == "somebody else's words" {
            self.reported = Some(read.sentence.text.clone());
        }
        if read.cues.has(Cue::Listing) && read.cues.has(Cue::Remember) {
            self.lesson.needs.push((self.utterance.id.clone(), WHAT_SURPRISED));
        }
        let text = if hides { String::new() } else { read.sentence.text.clone() };
        self.lesson.refused.push(Refusal { text, reason, id: self.utterance.id.clone() });
        self.open = None;
    }

    /// Takes back what a retraction is about: clauses of a claim, a whole claim, or a memory from before.
    fn withdraw(&mut self, read: &Read) {
        self.open = None;
        let topics = retraction::topics(&read.sentence.own);
        let is_about = |claim: &Claim| topics.is_empty() || retraction::share(&topics, &terms(&claim.text())) > 0.0;
        let about = self.lesson.claims.iter().rposition(is_about);
        // What points back and names nothing that was said is about the last thing.
        let is_about_last = read.cues.has(Cue::Joke) || retraction::points_back(&read.sentence.own);
        let near = about.or_else(|| is_about_last.then(|| self.lesson.claims.len().checked_sub(1)).flatten());
        match near {
            Some(at) => {
                let claim = self.lesson.claims.remove(at);
                let rest = claim.without(about.and(topics.first()));
                self.lesson.refused.push(Refusal {
                    text: claim.text(),
                    reason: "taken back",
                    id: self.utterance.id.clone(),
                });
                self.lesson.claims.extend(rest);
            }
            None if !topics.is_empty() && !read.cues.has(Cue::Joke) => {
                self.push(Type::Feedback, read, None);
                let claim = self.lesson.claims.pop().expect("it was pushed one line above");
                self.lesson.withdrawn.push(claim);
                self.open = None;
            }
            None => {}
        }
    }
}

fn first_sentence(text: &str) -> Option<String> {
    crate::typed::sentences(text).into_iter().next().map(|sentence| sentence.text)
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
