//! Names a memory: a short name for people, and a file name that every file system takes.

use mem_text::cut;
use unicode_normalization::UnicodeNormalization;

use crate::claims::Type;
use crate::terms::{is_wide, name_words};
use crate::wording::clauses;

/// How many words a name has at most.
const NAME_WORDS: usize = 5;
/// How many Chinese characters a name has at most.
const NAME_CHARACTERS: usize = 12;
/// How a Chinese sentence may begin without saying anything that belongs into a name.
const HEADS: [&str; 18] = [
    "记住一点",
    "记住",
    "记一下",
    "以后",
    "另外",
    "请",
    "不对",
    "对",
    "就是这样",
    "今后",
    "不是",
    "我们的",
    "我们",
    "从今天起",
    "从现在起",
    "约定改了",
    "：",
    ":",
];
/// Words at the head of a sentence that say nothing in a name.
const IDLE: &[&str] = &[
    "no", "hmm", "yes", "exactly", "good", "call", "nice", "great", "perfect", "going", "next", "future", "actually",
    "sorry", "fine", "right", "way", "been", "very", "really", "per", "via",
];

/// Returns a short name: the first words that say something, joined by `-`; of Chinese the first clause that does.
pub fn name(rule: &str) -> String {
    let wide = rule.chars().filter(|character| is_wide(*character)).count();
    if wide * 2 > rule.chars().filter(|character| character.is_alphanumeric()).count() {
        return chinese_name(rule);
    }
    let words: Vec<String> =
        name_words(rule).into_iter().filter(|word| !IDLE.contains(&word.as_str())).take(NAME_WORDS).collect();
    if words.is_empty() { "note".to_owned() } else { words.join("-") }
}

fn chinese_name(rule: &str) -> String {
    let clause = clauses(rule)
        .into_iter()
        .find(|clause| {
            clause.chars().filter(|character| character.is_alphanumeric()).count() > 3 && !HEADS.contains(clause)
        })
        .unwrap_or(rule);
    let mut clause = clause.rsplit(['：', ':']).next().unwrap_or(clause);
    while let Some(rest) = HEADS.iter().find_map(|head| clause.strip_prefix(head)).filter(|rest| !rest.is_empty()) {
        clause = rest;
    }
    let mut name = String::new();
    for character in
        clause.chars().filter(|character| !matches!(character, '（' | '）' | '。')).take(NAME_CHARACTERS * 2)
    {
        let is_part = character.is_alphanumeric();
        if is_part {
            name.extend(character.to_lowercase());
        } else if !name.ends_with('-') && !name.is_empty() {
            name.push('-');
        }
        if name.chars().count() >= NAME_CHARACTERS {
            break;
        }
    }
    name.trim_matches('-').to_owned()
}

/// Returns a file name that people can read and every file system takes: letters and digits of any script in their
/// composed form, small, joined by `_`; at most 60 bytes behind the type.
pub fn path(kind: Type, name: &str, rule: &str) -> String {
    let composed: String = name.nfc().flat_map(char::to_lowercase).collect();
    let words: Vec<&str> =
        composed.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let slug = words.join("_");
    if slug.chars().count() >= 3 {
        return format!("{}_{}.md", kind.word(), cut::bytes(&slug, 60).trim_end_matches('_'));
    }
    format!("{}_{:08x}.md", kind.word(), hash(rule))
}

/// FNV-1a: short, and the same on every machine and in every version.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
