//! A sentence that takes the last one back and puts something else in its place: "Actually no, use npm", 算了，还是用npm吧.
//!
//! Its head says that what was said no longer counts; what is behind the head is an order or a bare value.

mod chinese;
mod english;

use crate::terms::is_wide;
use crate::typed::Sentence;

/// What takes the place of something that was said before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// What holds now, without the head; empty when it follows in the next sentence.
    pub content: String,
    /// Whether the head takes back in so many words: "scratch that".
    pub takes_back: bool,
    /// Whether the head can mean nothing else; "no" also answers the assistant.
    pub is_strong: bool,
}

/// Returns what a sentence puts in the place of the one before, when it has such a head.
pub fn of(sentence: &str) -> Option<Revision> {
    let found = if sentence.chars().any(is_wide) { chinese::read(sentence) } else { english::read(sentence) };
    found.filter(|revision| !adds(&revision.content))
}

/// Whether a sentence adds to what was said: "also", 也.
fn adds(content: &str) -> bool {
    let words = crate::phrase::Words::of(content);
    words.have("too; also; as well; in addition; besides; additionally; on top")
        || ["也要", "也得", "还要", "另外", "同时", "顺便"].iter().any(|word| content.contains(word))
}

/// How much of a clause is looked at for the head that takes back.
const HEAD_BYTES: usize = 200;
const PARTING: [char; 7] = [',', ';', '，', '；', '—', '–', '…'];

/// Returns the sentences, each cut before a clause that takes back the ones before it.
pub fn part(sentences: Vec<Sentence>) -> Vec<Sentence> {
    let mut parted = Vec::with_capacity(sentences.len());
    for sentence in sentences {
        let places = if sentence.own == sentence.text { cuts(&sentence.text) } else { Vec::new() };
        let mut start = 0;
        for end in places {
            let text = sentence.text[start..end].trim_end_matches(PARTING).trim_end_matches([' ']);
            let text = text.trim_end_matches(PARTING).to_owned();
            parted.push(Sentence { own: text.clone(), text, ..sentence.clone() });
            start = end;
        }
        match start {
            0 => parted.push(sentence),
            _ => {
                let text = sentence.text[start..].to_owned();
                parted.push(Sentence { own: text.clone(), text, ..sentence });
            }
        }
    }
    parted
}

/// Returns the places in a sentence at which a clause begins that takes back the ones before it.
fn cuts(sentence: &str) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for (at, mark) in sentence.char_indices().filter(|(_, mark)| PARTING.contains(mark)) {
        let behind = &sentence[at + mark.len_utf8()..];
        let start = sentence.len() - behind.trim_start().len();
        let takes_back = of(mem_text::cut::bytes(&sentence[start..], HEAD_BYTES))
            .is_some_and(|revision| revision.is_strong && !revision.content.is_empty());
        // "Wait, no, use npm": the head itself is parted by commas.
        let is_head = || {
            let before = &sentence[found.last().copied().unwrap_or(0)..at];
            before.len() < HEAD_BYTES && of(before).is_some_and(|revision| revision.content.is_empty())
        };
        if takes_back && !is_head() {
            found.push(start);
        }
    }
    found
}

/// Returns the sentence that holds when `old` is revised so, or nothing when the two are about different things.
pub fn apply(old: &str, revision: &Revision) -> Option<String> {
    let is_chinese = revision.content.chars().any(is_wide) || old.chars().any(is_wide);
    if is_chinese { chinese::apply(old, revision) } else { english::apply(old, revision) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(old: &str, new: &str, expected: Option<&str>) {
        let revised = of(new).and_then(|revision| apply(old, &revision));
        assert_eq!(revised.as_deref(), expected, "{old} / {new}: {:?}", of(new));
    }

    #[test]
    fn an_order_or_a_value_takes_the_place_of_the_old_one() {
        check("Always use pnpm.", "Actually no, use npm.", Some("Always use npm."));
        check("Use pnpm for installs from now on.", "Scratch that: npm.", Some("Use npm for installs from now on."));
        check("From now on indent with four spaces.", "Wait, make that tabs.", Some("From now on indent with tabs."));
        check("Always log times in local time.", "Hmm, on second thought, UTC.", Some("Always log times in UTC."));
        check("Keep answers under 100 words.", "Correction: 50.", Some("Keep answers under 50 words."));
        check("Never write to the archive.", "Sorry, I meant the ledger.", Some("Never write to the ledger."));
    }

    #[test]
    fn chinese_is_revised_as_well() {
        check("以后都用pnpm。", "算了，还是用npm吧", Some("以后都用npm。"));
        check("以后都不写分号。", "不对，还是用分号吧", Some("以后用分号。"));
        check("以后剂量一律写毫克。", "不，写微克。", Some("以后剂量一律写微克。"));
        check("图例统一放左边。", "等等，改成右边吧。", Some("图例统一放右边。"));
    }

    #[test]
    fn what_is_about_something_else_revises_nothing() {
        check("Always use pnpm.", "Actually, let me look at the failing test.", None);
        check("Always use pnpm.", "Actually, always write docs too.", None);
        check("以后都用pnpm。", "不对，这里还差一行", None);
    }

    #[test]
    fn a_clause_that_takes_back_is_cut_off() {
        assert_eq!(cuts("Always use pnpm, no wait, use npm."), [17]);
        assert_eq!(cuts("Always use tabs, no spaces."), [0usize; 0]);
        assert_eq!(cuts("以后都用pnpm，算了，还是用npm吧。"), ["以后都用pnpm，".len()]);
    }
}
