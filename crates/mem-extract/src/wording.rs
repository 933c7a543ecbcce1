//! Words a claim as a memory: name, description and body, in the user's own language.

use jiff::ZonedDateTime;
use mem_text::{cut, dates, secrets};

use crate::claims::{Claim, Type};
use crate::cue::Cue;
use crate::reading::{is_telling, signs};
use crate::terms::{is_wide, name_words};

/// A memory as it is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The file name, relative to the memory folder.
    pub path: String,
    /// The type.
    pub kind: Type,
    /// A short name.
    pub name: String,
    /// One line that says what it holds.
    pub description: String,
    /// The memory itself.
    pub body: String,
    /// The reason, if one was given.
    pub why: String,
}

/// How long a description may be: it shares an index line of 150 characters with its name and link.
const DESCRIPTION_COLUMNS: usize = 120;
/// How many words a name has at most.
const NAME_WORDS: usize = 5;
/// How many Chinese characters a name has at most.
const NAME_CHARACTERS: usize = 12;
/// How many bytes of a body are kept: a memory is a few sentences.
const BODY_BYTES: usize = 1_000;

/// Returns the memory that a claim becomes.
pub fn word(claim: &Claim) -> Draft {
    let parts = parts(claim);
    let moment = claim.moment.as_ref();
    let rule = tidy(&parts.rule, moment, claim.kind);
    let why = tidy(&parts.why, moment, claim.kind);
    let name = name(&rule);
    let mut body = rule.clone();
    if let Some(about) = &claim.about {
        let about = tidy(about, None, claim.kind);
        body.push_str(&if about.chars().any(is_wide) {
            format!("\n\n所指：「{about}」")
        } else {
            format!("\n\nThis is about: \"{about}\"")
        });
    }
    if !why.is_empty() {
        body.push_str(&format!("\n\n**Why:** {why}"));
    }
    if !parts.when.is_empty() && claim.kind == Type::Feedback {
        body.push_str(&format!("\n\n**How to apply:** {}", tidy(&parts.when, moment, claim.kind)));
    }
    Draft {
        path: path(claim.kind, &name, &rule),
        kind: claim.kind,
        description: cut::ellipsis(&rule.replace('\n', " "), DESCRIPTION_COLUMNS).into_owned(),
        name,
        body: cut::bytes(&body, BODY_BYTES).to_owned(),
        why,
    }
}

struct Parts {
    rule: String,
    why: String,
    when: String,
}

/// Parts what a claim demands from why, and from when.
fn parts(claim: &Claim) -> Parts {
    let mut rule = Vec::new();
    let mut why = Vec::new();
    for saying in &claim.sayings {
        let (demand, reason) = part_reason(saying, claim.kind);
        rule.push(demand);
        why.extend(reason);
    }
    why.extend(claim.reasons.iter().cloned());
    let when = claim
        .sayings
        .iter()
        .find_map(|saying| clauses(saying).into_iter().find(|clause| tells_when(clause)).map(str::to_owned));
    why.retain(|reason| !signs(reason).has(Cue::Complaint) || reason.chars().count() > 20);
    Parts { rule: join_sentences(&rule), why: join_sentences(&why), when: when.unwrap_or_default() }
}

/// Words that open a reason.
const OPENERS: &[&str] = &[
    " because ",
    " since ",
    " so that ",
    " as otherwise ",
    " otherwise ",
    "因为",
    "否则",
    "不然",
    "免得",
    "以免",
    "省得",
    "理由是",
    "原因是",
    "由于",
    "毕竟",
];

/// Parts a sentence into what it says and the reason that it gives.
fn part_reason(saying: &str, kind: Type) -> (String, Option<String>) {
    let opened =
        OPENERS.iter().filter_map(|opener| saying.find(opener).map(|at| (at, opener))).filter(|(at, _)| *at > 0).min();
    if let Some((at, opener)) = opened {
        let (demand, reason) = (
            saying[..at].trim_end_matches([',', ' ', '，', ';', '；']),
            saying[at + opener.len()..].trim_start_matches([',', '，', ' ']),
        );
        if !demand.is_empty() && !reason.is_empty() {
            return (closed(demand, saying), Some(reason.to_owned()));
        }
    }
    if kind != Type::Feedback {
        return (saying.to_owned(), None);
    }
    let all = clauses(saying);
    let told =
        all.iter().skip(1).rev().take_while(|clause| is_telling(clause, signs(clause)) && !tells_when(clause)).count();
    if told == 0 {
        return (saying.to_owned(), None);
    }
    let (demand, reason) = all.split_at(all.len() - told);
    (closed(&join_clauses(demand), saying), Some(join_clauses(reason)))
}

/// Closes a sentence that was cut, with the mark of its script.
fn closed(demand: &str, saying: &str) -> String {
    let mark = if saying.chars().any(is_wide) { '。' } else { '.' };
    format!("{}{mark}", demand.trim_end_matches(['.', '。', ',', '，', ' ']))
}

fn tells_when(clause: &str) -> bool {
    let start = clause.trim().to_lowercase();
    let words = [
        "when ",
        "whenever ",
        "before ",
        "after ",
        "for every",
        "for all",
        "in all ",
        "in every",
        "on every",
        "every time",
        "each time",
        "凡是",
        "每次",
        "每当",
        "遇到",
    ];
    words.iter().any(|word| start.starts_with(word))
        || ["的时候", "之前", "之后", "时"].iter().any(|word| start.ends_with(word))
}

/// Returns the clauses of a sentence.
pub fn clauses(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, character) in text.char_indices() {
        let next = text[at + character.len_utf8()..].chars().next();
        let parts = matches!(character, '，' | '；' | '—')
            || matches!(character, ',' | ';') && next.is_none_or(char::is_whitespace);
        if parts {
            found.push(text[start..at].trim());
            start = at + character.len_utf8();
        }
    }
    found.push(text[start..].trim());
    found.retain(|clause| !clause.is_empty());
    found
}

/// Returns the clauses as one sentence.
pub fn join_clauses(clauses: &[&str]) -> String {
    let is_wide = clauses.iter().any(|clause| clause.chars().any(is_wide));
    clauses.join(if is_wide { "，" } else { ", " })
}

fn join_sentences(sentences: &[String]) -> String {
    let mut text = String::new();
    for sentence in sentences {
        if !text.is_empty() && !text.ends_with(['。', '！', '？', '；']) {
            text.push(' ');
        }
        text.push_str(sentence.trim());
    }
    text
}

/// Masks secrets and makes dates absolute.
fn tidy(text: &str, moment: Option<&ZonedDateTime>, kind: Type) -> String {
    let masked = secrets::mask(text);
    let Some(moment) = moment else { return masked.into_owned() };
    let dated = dates::absolute(&masked, moment);
    // "Deploys go out on Tuesday mornings" is a habit; a date behind it would be wrong from the second week on.
    let is_habit = kind == Type::Feedback
        && dates::relative(&masked, moment).iter().all(|found| is_weekday(&masked[found.range.clone()]));
    if is_habit { masked.into_owned() } else { dated }
}

fn is_weekday(words: &str) -> bool {
    let words = words.trim().to_lowercase();
    let words = words.strip_prefix("on ").unwrap_or(&words);
    words.ends_with("day") && !words.contains(' ') && !matches!(words, "today")
        || words.chars().count() <= 3 && words.starts_with(['周', '星'])
}

/// Words at the head of a sentence that say nothing in a name.
const IDLE: &[&str] = &[
    "no", "hmm", "yes", "exactly", "good", "call", "nice", "great", "perfect", "going", "next", "future", "actually",
    "sorry", "fine", "right", "way", "been", "very", "really", "per", "via",
];

/// Returns a short name: the first words that say something, joined by `-`; of Chinese the first clause that does.
fn name(rule: &str) -> String {
    let wide = rule.chars().filter(|character| is_wide(*character)).count();
    if wide * 2 > rule.chars().filter(|character| character.is_alphanumeric()).count() {
        return chinese_name(rule);
    }
    let words: Vec<String> =
        name_words(rule).into_iter().filter(|word| !IDLE.contains(&word.as_str())).take(NAME_WORDS).collect();
    if words.is_empty() { "note".to_owned() } else { words.join("-") }
}

fn chinese_name(rule: &str) -> String {
    const HEADS: &[&str] = &[
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

/// Returns a file name that every file system takes: ASCII words, and a hash where there are too few.
fn path(kind: Type, name: &str, rule: &str) -> String {
    let words: Vec<&str> =
        name.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let slug = words.join("_");
    if name.is_ascii() && slug.len() >= 4 {
        return format!("{}_{}.md", kind.word(), cut::bytes(&slug, 60));
    }
    let latin = name_words(rule)
        .into_iter()
        .take(3)
        .collect::<Vec<_>>()
        .join("_")
        .replace(|character: char| !character.is_ascii_alphanumeric() && character != '_', "");
    let hash = hash(rule);
    let latin = cut::bytes(&latin, 40);
    let joint = if latin.is_empty() { "" } else { "_" };
    format!("{}_{latin}{joint}{hash:08x}.md", kind.word())
}

/// FNV-1a: short, and the same on every machine and in every version.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Returns the note that keeps an old value in a changed memory.
pub fn until(old: &str, day: &str) -> String {
    let old = old.replace('\n', " ");
    let old = cut::ellipsis(old.trim(), 200);
    if old.chars().any(is_wide) { format!("到 {day} 为止：{old}") } else { format!("Until {day}: {old}") }
}

/// Returns the body of a memory that was taken back: what it said, and since when it no longer holds.
pub fn ended(old: &str, day: &str, quote: &str) -> String {
    if quote.chars().any(is_wide) {
        format!("自 {day} 起不再适用：「{quote}」\n\n{old}")
    } else {
        format!("No longer holds since {day}: \"{quote}\"\n\n{old}")
    }
}

/// Whether the user complained, so that the memory reinforces what the instructions say already.
pub fn reinforces(claim: &Claim) -> bool {
    claim.cues.has(Cue::Complaint)
}
