//! What a retraction is about: the words of each of its clauses that are left when the taking back is taken off.

use std::collections::BTreeSet;

use crate::phrase::Words;
use crate::terms::terms;
use crate::wording::clauses;

/// Words that take back, and words that stand for what is taken back.
const WORDS: &str = "当我没说; 不算数; 不作数; 收回; 作废; 忘掉; 忘了; 刚才; 之前; 前面; 说的; 那条; 这条; 那个; 取消; \
     撤回; 撤销; 删掉; 删除; 算了; 开玩笑的; 开玩笑; 别当真; 我说; 搞错; 说错; 继续; 规则; 规矩; 约定; 不用; 不再; 适用; 遵守; 记忆; \
     的事; scratch; strike; ignore; disregard; never mind; take that back; kidding; joking; joke; drop; cancel; \
     no longer; valid; anymore; delete; memory; note; forget; rule; bit; part; only; withdraw; remove; true; needed";
/// Where the topic begins, when it is named so.
const MARKS: [&str; 4] = ["about ", "关于", " said on ", "the bit "];
/// The share of a topic's words that must be found again.
const ENOUGH: f64 = 0.5;

/// Returns the topics of a retraction, the one that is named as such first; none when it only says "scratch that".
pub fn topics(text: &str) -> Vec<BTreeSet<String>> {
    let named = MARKS.iter().find_map(|mark| text.split_once(mark)).map(|(_, rest)| rest);
    let parts = named.into_iter().flat_map(|rest| clauses(rest).into_iter().take(1)).chain(clauses(text));
    let found = parts.map(|part| terms(&bare(part))).filter(|topic| !topic.is_empty());
    let mut topics: Vec<BTreeSet<String>> = Vec::new();
    for topic in found.take(if named.is_some() { 1 } else { 3 }) {
        if !topics.contains(&topic) {
            topics.push(topic);
        }
    }
    topics
}

/// Whether a text takes back what was just said, without naming it: "scratch that".
pub fn points_back(text: &str) -> bool {
    const BACK: [&str; 12] = [
        "scratch that",
        "strike that",
        "forget that",
        "ignore that",
        "disregard that",
        "cancel that",
        "never mind that",
        "take that back",
        "刚才那条",
        "刚才那个",
        "刚才说的",
        "前面那条",
    ];
    let text = text.to_lowercase();
    BACK.iter().any(|words| text.contains(words)) && !MARKS.iter().any(|mark| text.contains(mark))
}

/// Words before what is given up for something else.
const GIVING_UP: [&str; 12] = [
    "instead of ",
    "rather than ",
    "in place of ",
    "no longer use ",
    "no longer ",
    "stop using ",
    "don't use ",
    "not ",
    "forget about ",
    "away from ",
    "replaces ",
    "no more ",
];
const GIVING_UP_ZH: [&str; 10] =
    ["别再用", "不要再用", "不再用", "不再使用", "别用", "不用", "不要用", "而不是", "代替", "不是"];

/// Returns the terms of what a text gives up: "npm instead of pnpm", 别用pnpm了.
pub fn given_up(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let mut found = BTreeSet::new();
    for mark in GIVING_UP.iter().chain(&GIVING_UP_ZH) {
        for (at, _) in lower.match_indices(mark).take(4) {
            let is_word = !mark.is_ascii() || !lower[..at].ends_with(char::is_alphanumeric);
            let rest = &lower[at + mark.len()..];
            let end = rest.find([',', '.', ';', '，', '。', '；', '了', '\n']).unwrap_or(rest.len());
            let few: String = rest[..end].split_inclusive(' ').take(3).collect();
            if is_word && few.chars().count() <= 24 {
                found.extend(terms(&few));
            }
        }
    }
    found
}

/// Whether a memory is to be put away, and not only to be marked as no longer true.
pub fn wants_it_gone(text: &str) -> bool {
    let words = Words::of(text);
    let speaks_of_memory = words.have("memory|memories|note|notes|entry|record|saved|stored|remembered|know about");
    let deletes = words.have("delete|remove|erase|wipe|purge|discard; get rid of; throw away; forget everything|all");
    let zh = ["删掉", "删了", "删除", "清掉", "抹掉", "忘干净", "全忘了"].iter().any(|word| text.contains(word))
        && ["记忆", "记的", "那条", "这条", "记住的", "记录", "笔记"].iter().any(|word| text.contains(word));
    deletes && (speaks_of_memory || words.have("forget everything|all")) || zh
}

/// Returns how far a text is about one of the topics, 0 to 1; 0 when it is not.
pub fn share(topics: &[BTreeSet<String>], text: &BTreeSet<String>) -> f64 {
    let shares = topics.iter().map(|topic| topic.intersection(text).count() as f64 / topic.len() as f64);
    shares.filter(|share| *share >= ENOUGH).fold(0.0, f64::max)
}

/// Cuts the words of taking back out of a text; Latin ones only where they stand as words.
fn bare(text: &str) -> String {
    let mut text = format!(" {} ", text.to_lowercase());
    for word in WORDS.split("; ") {
        if word.is_ascii() {
            text = text.replace(&format!(" {word} "), " ").replace(&format!(" {word}."), " ");
        } else {
            text = text.replace(word, " ");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(retraction: &str, said: &str, expected: bool) {
        let topics = topics(retraction);
        assert_eq!(share(&topics, &terms(said)) > 0.0, expected, "{retraction}: {topics:?}");
    }

    #[test]
    fn a_retraction_finds_what_it_is_about() {
        check(
            "Forget what I said about branch names, that was for another repo.",
            "Prefix branches with the ticket.",
            true,
        );
        check("Forget what I said about branch names.", "Use two spaces for YAML.", false);
        check("提交信息那条作废。", "以后提交信息都用中文写。", true);
        check("周报那条规矩不适用了。", "以后提交信息都用中文写。", false);
        check("The rule about weekly reports no longer applies.", "Send a weekly report on Mondays.", true);
    }

    #[test]
    fn what_is_to_be_deleted_is_told_from_what_no_longer_holds() {
        for text in ["Delete the memory about weekly reports.", "把周报那条记忆删掉。"] {
            assert!(wants_it_gone(text), "{text}");
        }
        for text in ["The rule about weekly reports no longer applies.", "提交信息那条作废。"] {
            assert!(!wants_it_gone(text), "{text}");
        }
    }

    #[test]
    fn some_retractions_name_nothing() {
        assert!(topics("Scratch that.").is_empty());
        assert!(topics("开玩笑的，别当真").is_empty());
    }
}
