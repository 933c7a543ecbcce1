//! Whether a sentence says where something stands outside the code.

use super::is_plural;
use super::lexicon::*;
use super::subject::PEOPLE;
use crate::cue::{Cue, Cues};
use crate::phrase::{Words, lists};

/// Reads whether a sentence says where something stands outside the code.
pub(super) fn read_location(text: &str, words: &Words, cues: &mut Cues) {
    let stands = words.have("\
            we track|keep|file|log|store|document|post|collect|discuss|record ? in|on; we track|keep|file|log|store|document|post|collect|discuss|record ? ? in|on; hangs in|on; tracked|filed|logged|posted|raised|reported|scheduled|drawn|mapped|documented|kept|stored|listed|recorded|collected|announced|published|reported|managed|maintained|described|discussed|written|saved|planned|archived|defined|held in|on|at|under|to|by|over; \
            come|comes in through|via|by; they're|it's|that's in|on|at|under; \
            lives|live|sits|stands|resides|live in|on|at|under; end|ends up in|on; \
            find ? in|on|under|at; find the ? in|on|under|at; find the ? ? in|on|under|at; \
            arrives|arrive|land|lands|appear|appears|show|shows in|on|at|up; is|are in|on|at|under; \
            is|are ? in|on|at|under; go|goes|belong|belongs to|in|into|on|under; is the place; \
            source of truth; where we keep|track|file|post; can be found; you'll find; \
            you will find; look it up in; is up in|on|at; single source; the place for; \
            are up on|in; comes from the; come from the; found in|on|under|at; \
            ? is the board|dashboard|channel|tracker|wiki|page|sheet; to look at is; to check is; \
            watches; uses to watch");
    let place = names_service(words)
        || words
            .clauses()
            .flatten()
            .any(|word| word.starts_with('#') && word.len() > 2 && !word[1..].bytes().all(|b| b.is_ascii_digit()));
    let is_quoted = text.contains(['"', '“', '\'', '‘']) && !text.contains("n't");
    let named_place = words.clauses().any(|clause| {
        clause.iter().enumerate().any(|(at, word)| {
            let is_any = at > 1 && lists("one a an per each every", clause[at - 2].as_str());
            at > 0 && !is_any && lists(PLACES, word.as_str()) && (is_quoted || is_name_like(text, &clause[..at]))
        })
    });
    let address = text.contains("https://") || text.contains("http://");
    let place = place || words.clauses().any(|clause| is_kept_in_a_name(text, clause));
    cues.add_if(
        (stands && (place || named_place)) || (address && (stands || words.have("see; is at; here; at; under"))),
        Cue::Location,
    );
}

/// Whether things are kept, by a verb of keeping, at something that has a name: "receipts are archived in DATEV".
fn is_kept_in_a_name(text: &str, clause: &[String]) -> bool {
    let Some(verb) = clause.iter().position(|word| lists(KEPT, word)) else { return false };
    let Some(preposition) = clause[verb..].iter().take(5).position(|word| lists("in on at under from to via", word))
    else {
        return false;
    };
    let name = clause[verb + preposition + 1..].iter().take(6);
    let is_of_things =
        clause[..verb].iter().any(|word| is_plural(word) && !lists(PEOPLE, word) && !word.ends_with("ers"));
    is_of_things && name.clone().any(|word| is_written_as_a_name(text, word) && !lists(CALENDAR, word))
}

/// Whether a word stands in the text with a capital, or as an address of a file system.
fn is_written_as_a_name(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '#'))).skip(1).any(|found| {
        let bare = found.trim_matches('/');
        (bare.starts_with(char::is_uppercase) || found.starts_with('/') || found.starts_with('#'))
            && bare.to_lowercase().contains(word)
            && word.len() > 1
    })
}

/// Whether a service is named that teams keep things in.
pub fn names_service(words: &Words) -> bool {
    words.clauses().flatten().any(|word| lists(SERVICES, word.as_str()))
}

/// Whether the noun before a place is written like a name: `INGEST board`, "the 'Rates' page".
fn is_name_like(text: &str, before: &[String]) -> bool {
    let Some(name) = before.last() else { return false };
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '\'' | '"' | '’'))).enumerate().any(
        |(at, word)| {
            let bare = word.trim_matches(['\'', '"', '’']);
            bare.eq_ignore_ascii_case(name) && at > 0 && bare.starts_with(char::is_uppercase)
        },
    )
}
