//! How far a sentence reaches: a kind of thing, or the one at hand.

use super::lexicon::*;
use super::subject::after_leads;
use crate::phrase::{Words, lists};

/// Whether a noun names several of a kind.
pub fn is_plural(noun: &str) -> bool {
    noun.len() > 3 && noun.ends_with('s') && !noun.ends_with("ss") && !noun.ends_with("us") && !noun.ends_with("is")
}

/// Whether a clause forbids a kind of thing: "don't add co-author lines", but not "don't touch the migration".
pub(super) fn forbids_a_kind(clause: &[String]) -> bool {
    let (rest, _) = after_leads(clause);
    let object = match rest {
        [first, object @ ..] if first == "no" => object,
        [first, _, object @ ..] if first == "don't" || first == "never" => object,
        [first, second, _, object @ ..] if first == "do" && second == "not" => object,
        _ => return false,
    };
    // "Drug names in the letters": what is behind the preposition is not what is forbidden.
    let head = object.iter().take(4).take_while(|word| !lists(PREPOSITIONS, word));
    let is_definite = head.clone().any(|word| {
        matches!(
            word.as_str(),
            "the"
                | "this"
                | "that"
                | "these"
                | "those"
                | "it"
                | "them"
                | "yet"
                | "him"
                | "her"
                | "me"
                | "here"
                | "now"
                | "anything"
        )
    });
    !is_definite && head.clone().any(|word| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss"))
}

/// Whether a clause is "for reviews," or "in contracts,": it says for what kind the rest holds.
pub(super) fn is_about_a_kind(clause: &[String]) -> bool {
    let is_short = (2..=4).contains(&clause.len()) && matches!(clause[0].as_str(), "for" | "in" | "with" | "on");
    let is_definite = clause.iter().any(|word| lists("this that these those now my two other", word));
    is_short
        && !is_definite
        && clause.last().is_some_and(|word| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss"))
}

/// Whether a clause begins with "in contracts", "for load cases": what follows holds for that kind.
pub(super) fn opens_with_a_kind(clause: &[String]) -> bool {
    let is_open = clause.len() > 4 && matches!(clause[0].as_str(), "for" | "in" | "with" | "on");
    let noun = clause.iter().skip(1).take(3).position(|word| is_plural(word));
    let Some(noun) = noun.map(|at| at + 1).filter(|_| is_open) else { return false };
    let is_definite =
        clause[1..=noun].iter().any(|word| lists(POINTING, word) && word != "my" || lists("two three", word));
    !is_definite && clause.get(noun + 1).is_some_and(|next| !lists(PREPOSITIONS, next))
}

/// Whether a sentence is about one thing at hand: "for this letter", "on this branch"; "in this firm" is all of it.
pub(super) fn names_this_one(words: &Words, lasts: bool) -> bool {
    words.clauses().any(|clause| {
        clause.windows(3).any(|three| {
            matches!(three[0].as_str(), "for" | "on" | "in")
                && three[1] == "this"
                && !lists(HOMES, &three[2])
                && (lists(ONE_THING, &three[2]) || !lasts)
                && !clause.iter().any(|word| word == "like")
        })
    })
}
