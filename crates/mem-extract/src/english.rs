//! Reads the signs of an English sentence.

mod lexicon;
mod mood;
mod phrases;
mod place;
mod sarcasm;
mod scope;
mod speaker;
mod subject;

use crate::cue::{Cue, Cues};
use crate::phrase::{Words, begins, lists};
use lexicon::*;
use phrases::PHRASES;
pub use place::names_service;
use scope::{forbids_a_kind, is_about_a_kind, is_plural, names_this_one, opens_with_a_kind};
pub use subject::{Subject, after_leads, subject};

/// Whether a word is a verb by which people order something.
pub fn is_order_verb(word: &str) -> bool {
    [STANDING, TELIC, EITHER, AT_ONCE, DURATIVE].iter().any(|verbs| lists(verbs, word))
}

/// Returns the signs of an English sentence.
pub fn read(text: &str) -> Cues {
    let words = Words::of(text);
    let mut cues = Cues::default();
    for (cue, phrases) in PHRASES {
        cues.add_if(words.have(phrases), *cue);
    }
    mood::read_mood(text, &words, &mut cues);
    speaker::read_self(&words, &mut cues);
    place::read_location(text, &words, &mut cues);
    settle(&words, &mut cues);
    cues.add_if(sarcasm::is_meant_otherwise(&words, cues), Cue::Sarcasm);
    cues
}

/// Takes back signs that others make void.
fn settle(words: &Words, cues: &mut Cues) {
    if words.have("we're|we are getting|seeing|having|going|trying|waiting|looking|losing|missing|talking|doing|using")
    {
        cues.drop(Cue::Decision);
    }
    // A dialog that must remember its size is no wish to the assistant.
    if words.have("must|should|could|will|to|has|does|doesn't|can|can't remember")
        && !words.have("you|we must|should|to remember; remember to")
    {
        cues.drop(Cue::Remember);
    }
    if cues.has(Cue::Prohibition) && words.clauses().any(forbids_a_kind) {
        cues.add(Cue::Universal);
        cues.drop(Cue::Telic);
    }
    if words.have("you|i|we|i've|you've wrote|said|suggested|proposed|mentioned") {
        cues.drop(Cue::Reported);
    }
    // "We always cached it" tells of the past.
    let tells_of_past = words.clauses().flatten().zip(words.clauses().flatten().skip(1));
    if words.have("always|never *ed")
        || tells_of_past.into_iter().any(|(first, second)| lists("always never", first) && lists(PAST, second))
    {
        cues.drop(Cue::Lasting);
        cues.drop(Cue::Convention);
    }
    cues.add_if(words.clauses().next().is_some_and(is_about_a_kind), Cue::Whenever);
    cues.add_if(words.clauses().next().is_some_and(opens_with_a_kind), Cue::Whenever);
    // "Don't wake anyone unless the shop is down" holds whenever it comes up.
    let is_told_to = cues.any(&[Cue::Imperative, Cue::Prohibition]) && !cues.has(Cue::Told);
    cues.add_if(is_told_to && words.have("unless"), Cue::Whenever);
    // What no longer applies to us is news; what no longer applies of what was said is taken back.
    if cues.has(Cue::Retraction)
        && words.have("no longer ? to us|me|them|you")
        && !words.have("rule|note|memory|what; that|this|it no longer")
    {
        cues.drop(Cue::Retraction);
        cues.add(Cue::Decision);
        cues.add(Cue::Reason);
    }
    cues.add_if(names_this_one(words, cues.any(&[Cue::Lasting, Cue::Convention, Cue::Whenever])), Cue::Once);
    // "Add a button that always scrolls" orders a button, once.
    if cues.has(Cue::Telic)
        && words.have(
            "that|which|who always|never; that|which|who ? always|never; \
            should|must|can always|never",
        )
    {
        cues.drop(Cue::Lasting);
    }
    // "Make the boss always drop the key" is said of the boss.
    if words.begin("make|have|let|get|force; please make|have|let|get")
        && words.have("the|a|an|this|that|my|every ? always|never; the|a|an|this|that|my|every ? ? always|never")
    {
        cues.drop(Cue::Lasting);
        cues.add(Cue::Telic);
    }
    // "The LED stays on while charging, implement that": a requirement of what is built.
    let is_built = words.clauses().skip(1).any(|clause| clause.len() <= 5 && begins(clause, BUILDING));
    cues.add_if(is_built && !cues.any(&[Cue::Remember, Cue::Correction]), Cue::Product);
    if is_built {
        cues.drop(Cue::Convention);
    }
    if cues.has(Cue::Unneeded) {
        cues.drop(Cue::Remember);
    }
    // "No, never push": a rule, whatever the sentence begins with; "keep failing" is no wish.
    if words.have("keep|keeps failing|getting|breaking|crashing|seeing|losing|happening|leaking|asking") {
        cues.drop(Cue::Keep);
        if !words.have("stop *ing; you keep") {
            cues.drop(Cue::StopHabit);
        }
    }
    if words.have("keep doing; keep using; keep going; keep writing; keep ?*ing") && cues.has(Cue::Approval) {
        cues.drop(Cue::StopHabit);
    }
    if !words.have(
        "stop *ing; quit *ing; no more *ing; enough with; stop with the; cut out; cut it out; \
            you keep *ing; spare me",
    ) {
        cues.drop(Cue::StopHabit);
    }
    if words.have(
        "when you're|you are|we're done|finished|ready|back; when done|finished|ready; \
            if you can|like|want|have|need; once you're|that's|it's; once you ?; once we ?; \
            after you're|that",
    ) {
        cues.drop(Cue::Whenever);
    }
}
