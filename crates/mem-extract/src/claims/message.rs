//! One message on its way into the lesson: its sentences are joined, revised, refused or taken back.

use super::{Claim, Lesson, Refusal, SessionRule, Source, Type};
use crate::cue::Cue;
use crate::policy::Policy;
use crate::reading::{self, Read, Utterance, is_telling};
use crate::retraction;
use crate::revision::{self, Revision};
use crate::terms::terms;
use crate::verdict::Verdict;

/// The list was asked for, but what was surprising about it was not said.
const WHAT_SURPRISED: &str = "a list of what was done is in the history already; what about it was surprising?";

/// One message on its way into the lesson.
pub(super) struct Message<'a> {
    at: usize,
    utterance: &'a Utterance,
    policy: &'a Policy,
    lesson: &'a mut Lesson,
    /// Whether the last claim may still take sentences in.
    open: Option<usize>,
    /// A sentence with somebody else's words, until the user agrees or not.
    reported: Option<String>,
    /// A sentence that judges what was done and makes no rule of it yet: "one PR a module was the right call".
    judged: Option<String>,
    /// What was just taken back: what comes next may stand in its place.
    taken_back: Option<Claim>,
}

impl<'a> Message<'a> {
    pub(super) fn new(at: usize, utterance: &'a Utterance, lesson: &'a mut Lesson, policy: &'a Policy) -> Self {
        Message { at, utterance, policy, lesson, open: None, reported: None, judged: None, taken_back: None }
    }

    pub(super) fn take(mut self, reads: &[Read]) {
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
        if read.cues.has(Cue::Sarcasm) {
            self.unsay_what_was_mocked();
        }
        if self.revise(read) {
            return false;
        }
        self.taken_back = None;
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
            Verdict::Retraction => self.withdraw(&read.sentence.own, read),
            Verdict::Refused(reason) => {
                self.refuse(read, reason);
                return read.cues.any(&[Cue::Unneeded, Cue::Sarcasm]);
            }
            Verdict::Nothing => self.absorb(read),
        }
        read.cues.any(&[Cue::Unneeded, Cue::Sarcasm])
    }

    /// "What could possibly go wrong?" is said of the sentence before.
    fn unsay_what_was_mocked(&mut self) {
        let Some(open) = self.open.take().filter(|open| self.lesson.claims[*open].paragraph.0 == self.at) else {
            return;
        };
        let claim = self.lesson.claims.remove(open);
        let id = self.utterance.id.clone();
        self.lesson.refused.push(Refusal { text: claim.text(), reason: "meant as its opposite", id });
    }

    /// Puts what a sentence says in the place of what it takes back: "actually no, use npm". Returns whether it did.
    fn revise(&mut self, read: &Read) -> bool {
        let found = revision::of(&read.sentence.own).filter(|_| !read.cues.any(&[Cue::Question, Cue::Joke]));
        let Some(revision) = found.or_else(|| self.follows_taking_back(read)) else { return false };
        if revision.content.is_empty() {
            return revision.is_strong && !revision.takes_back;
        }
        if self.replace(read, &revision) {
            return true;
        }
        // "Forget that: from now on …" takes back, and says something of its own.
        if !revision.is_strong {
            return false;
        }
        let behind = Utterance { text: revision.content.clone(), ..self.utterance.clone() };
        let head = head_of(&read.sentence.own, &revision.content);
        let mut reads = reading::read(&behind, false);
        reads.iter_mut().for_each(|read| self.policy.judge(read));
        if !reads.iter().any(|read| matches!(read.verdict, Verdict::Rule | Verdict::Project | Verdict::Reference)) {
            return false;
        }
        if revision.takes_back && !self.lesson.claims.is_empty() {
            self.withdraw(&head, read);
            self.lesson.withdrawn.retain(|claim| claim.paragraph.0 != self.at);
        }
        let before = self.lesson.claims.len();
        for read in &reads {
            self.take_one(read);
        }
        let names_it = !retraction::topics(&head).is_empty() && revision.takes_back;
        let instead = if names_it { Some(head) } else { first_sentence(&self.utterance.before) };
        for claim in self.lesson.claims.iter_mut().skip(before) {
            claim.cues.add(Cue::Change);
            claim.instead.clone_from(&instead);
        }
        true
    }

    /// What follows "scratch that" in a sentence of its own stands in its place.
    fn follows_taking_back(&self, read: &Read) -> Option<Revision> {
        self.taken_back.as_ref()?;
        let content = read.sentence.own.trim_end_matches(['.', '。', '!', '！']).to_owned();
        Some(Revision { content, takes_back: false, is_strong: true })
    }

    /// Replaces the claim that a revision is about. Returns whether there is one.
    fn replace(&mut self, read: &Read, revision: &Revision) -> bool {
        let is_near = |claim: &&Claim| {
            let at = claim.paragraph.0;
            at == self.at || revision.is_strong && at != usize::MAX && at + 2 >= self.at
        };
        let old = self.taken_back.as_ref().or(self.lesson.claims.last().filter(is_near));
        let Some(old) = old.filter(|claim| matches!(claim.kind, Type::Feedback | Type::Project)) else { return false };
        let Some(text) = old.sayings.iter().rev().find_map(|saying| revision::apply(saying, revision)) else {
            return false;
        };
        let old = match self.taken_back.take() {
            Some(old) => old,
            None => {
                let old = self.lesson.claims.pop().expect("the last claim was looked at above");
                let (text, id) = (old.text(), old.sources[0].id.clone());
                self.lesson.refused.push(Refusal { text, reason: "said otherwise later", id });
                old
            }
        };
        self.lesson.claims.push(self.revised(old, text, read));
        self.open = Some(self.lesson.claims.len() - 1);
        true
    }

    fn revised(&self, mut old: Claim, text: String, read: &Read) -> Claim {
        old.instead = Some(old.text());
        old.sayings = vec![text];
        old.reasons.clear();
        old.cues.add(Cue::Change);
        let quote = read.sentence.text.clone();
        old.sources = vec![Source { id: self.utterance.id.clone(), quote }];
        old.moment.clone_from(&self.utterance.moment);
        old.paragraph = (self.at, read.sentence.paragraph);
        old
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
            instead: None,
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
    fn withdraw(&mut self, text: &str, read: &Read) {
        self.open = None;
        let topics = retraction::topics(text);
        let is_about = |claim: &Claim| topics.is_empty() || retraction::share(&topics, &terms(&claim.text())) > 0.0;
        let about = self.lesson.claims.iter().rposition(is_about);
        // What points back and names nothing that was said is about the last thing.
        let is_about_last = read.cues.has(Cue::Joke) || retraction::points_back(text);
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
                self.taken_back = rest.is_none().then_some(claim);
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

/// Returns what stands before the content of a revision.
fn head_of(sentence: &str, content: &str) -> String {
    sentence.rfind(content).map_or_else(String::new, |at| sentence[..at].to_owned())
}

fn first_sentence(text: &str) -> Option<String> {
    crate::typed::sentences(text).into_iter().next().map(|sentence| sentence.text)
}
