//! Whose deed an English clause tells of: what leads it in is passed over, then its first words are looked at.

use super::lexicon::*;
use crate::phrase::{begins, lists};

/// Who a clause is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Nobody is named: an order.
    Order,
    /// The speaker's side: we, our.
    We,
    Speaker,
    Assistant,
    /// One named thing or group: "the badge", "the web team".
    Thing,
    /// A kind: "tests should".
    Kind,
    /// A clause that hangs on another, or says nothing by itself.
    None,
}

/// Returns the clause behind words such as "ok, so please", and whether "never" was among them.
pub fn after_leads(clause: &[String]) -> (&[String], bool) {
    let mut rest = clause;
    let mut was_never = false;
    loop {
        // "No semicolons here" forbids; "no, use tabs" and "no use tabs" reject.
        if begins(rest, "no *s; no *ing; no ? *s")
            && !begins(rest, "no this|its|it's|that's|thanks|always|yes|let's|i|we|you|they|need|idea|no|use|not ?")
        {
            return (rest, true);
        }
        let skipped =
            LEAD_PHRASES.split("; ").find(|phrase| begins(rest, phrase)).map(|phrase| phrase.split(' ').count());
        let skipped = skipped.or_else(|| rest.first().filter(|word| lists(LEADS, word.as_str())).map(|_| 1));
        let Some(count) = skipped.filter(|count| *count < rest.len()) else { break };
        was_never |= rest[..count].iter().any(|word| word == "never");
        rest = &rest[count..];
    }
    (after_adjunct(rest), was_never)
}

/// Skips "for the smoke test" before an order.
fn after_adjunct(rest: &[String]) -> &[String] {
    if let Some(at) = behind_each(rest) {
        return &rest[at..];
    }
    if !rest.first().is_some_and(|word| lists(PREPOSITIONS, word.as_str())) {
        return rest;
    }
    let marked = rest.iter().take(8).position(|word| {
        matches!(
            word.as_str(),
            "always" | "never" | "please" | "don't" | "we" | "i" | "you" | "nobody" | "everyone" | "everybody"
        )
    });
    let verb = rest
        .iter()
        .enumerate()
        .skip(2)
        .take(5)
        .find(|(_, word)| lists(STANDING, word.as_str()) && word.as_str() != "order")
        .map(|(at, _)| at);
    // "On Monday the auditors come": what follows the day is the clause.
    let after_day = (rest.len() > 3 && lists(DETERMINERS, &rest[2]) && !lists(DETERMINERS, &rest[1])).then_some(2);
    match marked.or(verb).or(after_day) {
        Some(at) if matches!(rest[at].as_str(), "always" | "please") => &rest[at + 1..],
        Some(at) => &rest[at..],
        None => rest,
    }
}

/// Returns where the order begins behind "before any failover", "after each visit".
fn behind_each(rest: &[String]) -> Option<usize> {
    let opens = rest.len() > 3
        && lists("before after during on for in at with", &rest[0])
        && lists("any every each all a an", &rest[1]);
    let is_verb = |at: &usize| {
        let word = rest[*at].as_str();
        let has_object = rest.get(at + 1).is_some_and(|next| lists(OBJECTS, next));
        let may_be_verb =
            !lists(PREPOSITIONS, word) && !lists(DETERMINERS, word) && !lists(MODALS, word) && !lists(OBJECTS, word);
        let known = [STANDING, TELIC, EITHER, DURATIVE].iter().any(|verbs| lists(verbs, word));
        may_be_verb && (has_object || known) && !word.ends_with('s')
    };
    if !opens {
        return None;
    }
    (3..rest.len().min(7)).find(is_verb)
}

/// Groups whose habits are nobody's rule here.
pub const PEOPLE: &str = "vendors suppliers landlords rivals contractors agencies partners bosses managers sponsors donors residents tenants guests pupils kids children parents colleagues auditors lawyers applicants drivers users customers clients competitors people readers visitors buyers patients students players";

/// Whether "our …" names people who are not the speaker's own team: "our competitor", "our marketing people".
fn is_of_others(rest: &[String]) -> bool {
    let is_person = |word: &str| lists(PEOPLE, word) || lists(PEOPLE, &format!("{word}s"));
    let is_person = |word: &String| is_person(word) || lists("ceo cto boss manager marketing sales management", word);
    let heads =
        rest.iter().skip(2).take(2).any(|word| lists("people folks guys team department colleagues office", word));
    rest.get(1).is_some_and(is_person) || heads
}

/// What can only stand behind a verb when it is the second word.
const OBJECTS: &str = "nobody nothing everyone everything anyone anything me us him them it my our your its their the a an these those each every all";

/// Returns whom a clause is about.
pub fn subject(rest: &[String]) -> Subject {
    let Some(first) = rest.first().map(String::as_str) else { return Subject::None };
    match first {
        "our" if is_of_others(rest) => return Subject::Thing,
        "we" | "we're" | "we've" | "we'll" | "our" => return Subject::We,
        "i" | "i'm" | "i've" | "i'd" | "i'll" | "my" => return Subject::Speaker,
        "you" | "you're" | "you've" | "you'll" | "your" => return Subject::Assistant,
        "they" | "he" | "she" | "it" | "they're" | "they've" | "he's" | "she's" | "it's" | "that's" => {
            return Subject::Thing;
        }
        _ => {}
    }
    if lists("tomorrow today tonight yesterday currently soon later", first) {
        let rest =
            rest.iter().skip(1).take(6).position(|word| lists(DETERMINERS, word) || lists("we i they nobody", word));
        return if rest.is_some() { Subject::Thing } else { Subject::None };
    }
    if lists(DETERMINERS, first) {
        return if matches!(first, "all" | "every" | "each" | "any" | "most") { Subject::Kind } else { Subject::Thing };
    }
    if lists(SUBORDINATORS, first) || lists(PREPOSITIONS, first) {
        return Subject::None;
    }
    let is_verb = [STANDING, TELIC, EITHER, AT_ONCE, DURATIVE].iter().any(|verbs| lists(verbs, first));
    // "Wake me when", "dose the patient": what has an object behind it is a verb, known or not.
    let has_object = rest.get(1).is_some_and(|second| lists(OBJECTS, second));
    if !is_verb && has_object && !has_noun_ending(first) && !lists(MODALS, first) {
        return Subject::Order;
    }
    if !is_verb && (has_noun_ending(first) || rest.get(1).is_some_and(|second| is_third_person(second))) {
        return Subject::Kind;
    }
    // "Finance freezes the schema": a noun, and a verb with its object.
    let tells_of_another = rest.get(1).is_some_and(|second| super::is_plural(second))
        && rest.get(2).is_some_and(|third| lists("the a an our its their all every", third));
    if !is_verb && tells_of_another {
        return Subject::Kind;
    }
    if is_verb && rest.get(1).is_some_and(|second| lists("go get have need live do", second)) {
        return Subject::Order;
    }
    // "Bug reports from players land in": a noun, and further on its verb.
    let is_named = !is_verb && rest.get(1).is_some_and(|second| super::is_plural(second));
    let has_verb = |word: &String| lists(MODALS, word) || lists(BINDING, word) || lists(KEPT, word);
    if is_named && rest.iter().skip(2).take(5).any(has_verb) {
        return Subject::Kind;
    }
    let tells = rest.iter().skip(1).take(4).any(|word| is_third_person(word));
    if !is_verb && tells {
        return Subject::Kind;
    }
    let verb_at = rest
        .iter()
        .skip(1)
        .take(if is_verb { 4 } else { 8 })
        .position(|word| lists(MODALS, word.as_str()))
        .map(|at| at + 1);
    match verb_at {
        Some(1) | Some(2) if !(begins(rest, "don't; never; do; not; no; stop") || is_verb && verb_at == Some(2)) => {
            Subject::Kind
        }
        Some(_) if !is_verb && !begins(rest, "don't; never; do; not; no; stop") => Subject::Kind,
        _ => Subject::Order,
    }
}

/// Whether a word that is no known verb has an ending that orders do not have.
fn has_noun_ending(word: &str) -> bool {
    word.len() > 3 && ["s", "ed", "ing", "ly", "tion", "ness"].iter().any(|ending| word.ends_with(ending))
}

/// Whether a word looks like "insists": the verb of somebody or something.
fn is_third_person(word: &str) -> bool {
    const VERBS: &str = "needs wants insists requires says expects prefers gets goes runs starts ends expires belongs lives moves \
        takes stops opens closes leaves joins ships holds keeps uses works owns handles listens serves sits stands contains \
        accepts refuses rejects breaks closes pays costs lasts arrives returns talks speaks reads writes sends";
    lists(VERBS, word)
}
