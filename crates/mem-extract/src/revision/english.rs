//! Revisions in English.

use super::Revision;
use crate::english::{Subject, after_leads, is_order_verb, subject};
use crate::phrase::{Words, begins, lists};

/// Words that open a sentence and say nothing by themselves.
const FILLERS: &str = "oh; hm; hmm; ah; ok; okay; well; hey; and; but; so; then; sorry; please; ugh; argh; nah";
/// Heads that may as well answer the assistant.
const WEAK: &str = "no; nope; not that; actually; rather; instead; better";
/// Heads that can only mean that what was said no longer counts.
const STRONG: &str = "no no; no wait; no actually; actually no; actually not; wait no; wait; hold on; on second thought; \
    on second thoughts; thinking about it; come to think of it; having thought about it; change of plan; change of plans; \
    i changed my mind; i've changed my mind; changed my mind; correction; i meant to say; i meant; i mean; what i meant is; \
    what i meant was; i should have said; make that; or rather; my mistake; my bad; oops; whoops; i misspoke; that was wrong; \
    that's wrong; i was wrong; let me correct that; let me rephrase";
/// Heads that take back in so many words.
const TAKING_BACK: &str = "scratch that; strike that; forget that; forget it; forget what i said; forget what i just said; \
    forget about that; ignore that; ignore what i said; ignore what i just said; disregard that; never mind that; never mind; \
    nevermind; cancel that; i take that back; i take it back; take that back; delete that; drop that; undo that; scrap that";
/// What may stand before the value that is chosen.
const CHOOSING: &str = "let's go with; let us go with; go with; let's make it; make it; let's do; let's use; let's; we'll go with; \
    i'd go with; it should be; it's; should be; that should be; i'd rather have; i'd rather; i prefer; i want; rather; just; instead";
/// Prepositions before the value that a rule names.
const BEFORE_A_VALUE: &str = "with in to as by via from under at on into";

pub(super) fn read(sentence: &str) -> Option<Revision> {
    let words = places(sentence);
    let lower: Vec<String> = words.iter().map(|(word, _)| word.clone()).collect();
    let mut at = 0;
    let (mut is_weak, mut is_strong, mut takes_back) = (false, false, false);
    loop {
        let rest = &lower[at..];
        let longest = |phrases: &str| {
            phrases.split("; ").filter(|phrase| begins(rest, phrase)).map(|phrase| phrase.split(' ').count()).max()
        };
        let (back, strong, weak) =
            (longest(TAKING_BACK).or_else(|| named(sentence, &words[at..])), longest(STRONG), longest(WEAK));
        let Some(count) = back.max(strong).max(weak).or_else(|| longest(FILLERS)) else { break };
        takes_back |= back == Some(count);
        is_strong |= back == Some(count) || strong == Some(count);
        is_weak |= weak.is_some();
        at += count;
    }
    // "No semicolons here" rejects nothing; "no, tabs" does.
    let is_parted = words.get(at).is_none_or(|(_, place)| {
        sentence[..*place].trim_end().ends_with([',', ':', ';', '.', '-', '—', '–', '…']) || is_strong
    });
    if !(is_weak || is_strong) || !is_parted && !is_order_verb(lower.get(at).map_or("", String::as_str)) {
        return None;
    }
    let skipped = CHOOSING.split("; ").filter(|phrase| begins(&lower[at..], phrase));
    at += skipped.map(|phrase| phrase.split(' ').count()).max().unwrap_or(0);
    let content = words.get(at).map_or("", |(_, place)| &sentence[*place..]);
    let content = content.trim_end_matches(['.', '!', ' ']);
    // "Forget what I said about …" names what it takes back, and puts nothing in its place.
    if lower.get(at).is_some_and(|word| lists("about regarding concerning on of", word)) {
        return None;
    }
    Some(Revision { content: content.to_owned(), takes_back, is_strong })
}

/// Returns how many words say what is given up by name, before an order: "forget about pnpm, use npm".
fn named(sentence: &str, words: &[(String, usize)]) -> Option<usize> {
    let (first, _) = words.first().filter(|(word, _)| lists("forget drop ditch scrap abandon", word))?;
    let end = words.windows(2).take(5).position(|pair| {
        let (from, to) = (pair[0].1, pair[1].1);
        sentence[from..to].trim_end().ends_with([',', ':', ';', '—'])
    })? + 1;
    let orders = words.get(end).is_some_and(|(word, _)| is_order_verb(word) || lists("from always never let's", word));
    (orders && end > 1 && (first == "forget" || end <= 3)).then_some(end)
}

/// Returns the words of a text in small letters, each with its place.
fn places(text: &str) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    let mut is_open = false;
    for (at, character) in text.char_indices() {
        let character = if character == '’' { '\'' } else { character };
        let is_inner = matches!(character, '\'' | '-' | '_' | '.' | '/' | '+' | '#' | '@')
            && text[at + character.len_utf8().min(text.len() - at)..].starts_with(char::is_alphanumeric);
        if !character.is_alphanumeric() && !is_inner {
            is_open = false;
            continue;
        }
        if !is_open {
            found.push((String::new(), at));
            is_open = true;
        }
        if let Some((word, _)) = found.last_mut() {
            word.extend(character.to_lowercase());
        }
    }
    found
}

pub(super) fn apply(old: &str, revision: &Revision) -> Option<String> {
    let new = places(&revision.content);
    let words: Vec<String> = new.iter().map(|(word, _)| word.clone()).collect();
    let first = words.first()?;
    let clause = main_clause(old);
    let old_words = places(clause);
    if let Some(number) = with_number(clause, &revision.content, &old_words, &new) {
        return Some(number);
    }
    let all = Words::of(&revision.content);
    let lead = all.clauses().next().map(after_leads)?;
    let order = lead.0;
    let verb = order.first()?;
    if subject(order) == Subject::Order && is_order_verb(verb) {
        let Some(at) = old_words.iter().position(|(word, _)| word == verb) else {
            let shares = !crate::terms::terms(old).is_disjoint(&crate::terms::terms(&revision.content));
            return (shares || revision.takes_back).then(|| sentence(&revision.content));
        };
        let is_bare =
            words.len() <= 4 && first == verb && !words.iter().any(|word| lists(BEFORE_A_VALUE, word) || word == "for");
        let value = new.get(1).map(|(_, place)| &revision.content[*place..]).filter(|_| is_bare);
        return match value {
            Some(value) => Some(with_value(clause, &old_words, at, value)),
            None => Some(sentence(&revision.content)),
        };
    }
    let is_value = words.len() <= 7
        && !lists(
            "i we you they he she it that this there what why how where who let can could would will don't",
            first,
        )
        && !words.iter().any(|word| lists("is are was were does did failed fails has have should must", word));
    if !is_value {
        return None;
    }
    let at = old_words.iter().position(|(word, _)| is_order_verb(word))?;
    Some(with_value(clause, &old_words, at, &revision.content))
}

/// Returns the first clause that orders something, with what leads it in.
fn main_clause(old: &str) -> &str {
    let end = old
        .match_indices([',', ';', '—'])
        .map(|(at, _)| at)
        .find(|at| places(&old[..*at]).iter().any(|(word, _)| is_order_verb(word)))
        .unwrap_or(old.len());
    let end = [" because ", " since ", " so that ", " instead of ", " rather than ", " and not "]
        .iter()
        .filter_map(|word| old[..end].find(word))
        .min()
        .unwrap_or(end);
    old[..end].trim_end_matches(['.', '!', ' '])
}

/// Puts a number in the place of the only one that the old clause has.
fn with_number(clause: &str, content: &str, old: &[(String, usize)], new: &[(String, usize)]) -> Option<String> {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let (first, rest) = new.split_first()?;
    let mut numbers = old.iter().enumerate().filter(|(_, (word, _))| is_number(word));
    let (at, (word, place)) = numbers.next().filter(|_| is_number(&first.0) && rest.len() <= 1)?;
    if numbers.next().is_some() {
        return None;
    }
    let unit =
        rest.first().and_then(|_| old.get(at + 1)).map_or(place + word.len(), |(word, place)| place + word.len());
    Some(sentence(&format!("{}{content}{}", &clause[..*place], &clause[unit..])))
}

/// Puts a value in the place of the one that stands behind the verb at `verb`, or behind the preposition after it.
fn with_value(clause: &str, words: &[(String, usize)], verb: usize, value: &str) -> String {
    let behind = || words.iter().enumerate().skip(verb + 1);
    let preposition = behind().filter(|(_, (word, _))| lists(BEFORE_A_VALUE, word)).map(|(at, _)| at).next_back();
    // "from now on" is no place for a value.
    let preposition =
        preposition.filter(|at| !words[*at..].iter().any(|(word, _)| word == "now") && words.len() > at + 1);
    let preposition = preposition.filter(|at| words[*at].0 != "on" || words[at - 1].0 != "now");
    let has_scope = places(value).iter().any(|(word, _)| word == "for" || lists(BEFORE_A_VALUE, word));
    let preposition = preposition.filter(|_| !has_scope);
    let start = words.get(preposition.unwrap_or(verb) + 1).map_or(clause.len(), |(_, place)| *place);
    let end = words
        .iter()
        .skip(preposition.unwrap_or(verb) + 1)
        .find(|(word, _)| {
            lists("for when whenever if unless from before after until and everywhere always please", word)
        })
        .filter(|_| !has_scope)
        .map_or(clause.len(), |(_, place)| *place);
    let gap = if end < clause.len() { " " } else { "" };
    sentence(&format!("{}{}{gap}{}", &clause[..start], value.trim(), &clause[end..]))
}

/// Returns the text as a sentence: a capital in front, a full stop behind.
fn sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches(['.', '!']);
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    // "npm" and "iOS" keep their letters; only words of the sentence get a capital.
    let is_word =
        text.split_whitespace().next().is_some_and(|word| is_order_verb(&word.to_lowercase()) || word.len() < 3);
    if is_word { format!("{first}{}.", characters.as_str()) } else { format!("{text}.") }
}
