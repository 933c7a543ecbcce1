//! Words a claim as a memory: name, description and body, in the user's own language.

use jiff::ZonedDateTime;
use mem_text::{cut, dates, secrets};

use crate::claims::{Claim, Type};
use crate::cue::Cue;
use crate::days;
use crate::naming::{name, path};
use crate::reading::{is_telling, signs};
use crate::terms::{is_wide, terms};

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
/// How many bytes of a body are kept: a memory is a few sentences.
const BODY_BYTES: usize = 1_000;

/// Returns the memory that a claim becomes.
pub fn word(claim: &Claim) -> Draft {
    let parts = parts(claim);
    let moment = claim.moment.as_ref();
    let rule = tidy(&parts.rule, moment, claim.kind);
    let why = tidy(&parts.why, moment, claim.kind);
    let undated = without_days(&secrets::mask(&parts.rule), moment);
    let name = name(if terms(&undated).len() < 2 { claim.about.as_deref().unwrap_or(&undated) } else { &undated });
    let headline = match &claim.about {
        Some(about) if terms(&rule).len() < 3 => format!("{rule} ({})", tidy(about, None, claim.kind)),
        _ => rule.clone(),
    };
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
        path: path(claim.kind, &name, &undated),
        kind: claim.kind,
        description: cut::ellipsis(&headline.replace('\n', " "), DESCRIPTION_COLUMNS).into_owned(),
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
    for (at, saying) in claim.sayings.iter().enumerate() {
        let saying = if at == 0 { without_lead(saying) } else { saying.clone() };
        let (demand, reason) = part_reason(&saying, claim.kind);
        rule.push(demand);
        why.extend(reason);
    }
    why.extend(claim.reasons.iter().cloned());
    // From the demand alone: a reason tells of the past, not of when the rule holds.
    let when = rule.iter().find_map(|demand| clauses(demand).into_iter().find_map(scope));
    why.retain(|reason| !signs(reason).has(Cue::Complaint) || reason.chars().count() > 20);
    Parts { rule: join_sentences(&rule), why: join_sentences(&why), when: when.unwrap_or_default() }
}

/// Words that open an answer and say nothing by themselves.
const LEADS: &str = "no; nope; yes; yeah; hmm; well; ok; okay; actually; fine; sure; right; also; oh; hey; exactly; \
     yes exactly; no no; one more thing; small thing; please; 另外; 对了; 不对; 不是; 对; 嗯; 好; 好的; 是的; 哦; 还有; 对的; 没错";

/// Returns the sentence without the words that only answer: "No, never push" becomes "Never push".
fn without_lead(sentence: &str) -> String {
    let mut rest = sentence;
    while let Some((head, tail)) = rest.split_once([',', '，', '：']) {
        let is_lead = LEADS.split("; ").any(|lead| lead == head.trim().to_lowercase());
        if !is_lead || tail.trim().is_empty() {
            break;
        }
        rest = tail.trim_start();
    }
    let mut characters = rest.chars();
    match characters.next() {
        Some(first) if rest.len() < sentence.len() => first.to_uppercase().chain(characters).collect(),
        _ => rest.to_owned(),
    }
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
        let start = clause_start(saying, at);
        // 上次因为… : the opener stands within a clause that tells; all of it is the reason.
        let piece = saying[start..at].trim();
        if start > 0 && !piece.is_empty() && !orders(piece) {
            let (demand, reason) = (saying[..start].trim_end_matches(CLAUSE_MARKS), &saying[start..]);
            return (closed(demand, saying), Some(reason.trim().to_owned()));
        }
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

const CLAUSE_MARKS: [char; 6] = [',', '，', ';', '；', ' ', '—'];

/// Returns where the clause begins in which `at` stands.
fn clause_start(saying: &str, at: usize) -> usize {
    let mut marks = saying[..at].char_indices().filter(|(_, mark)| CLAUSE_MARKS.contains(mark) && *mark != ' ');
    marks.next_back().map_or(0, |(place, mark)| place + mark.len_utf8())
}

/// Whether a piece of a clause orders or forbids something.
fn orders(piece: &str) -> bool {
    signs(piece).any(&[Cue::Imperative, Cue::Prohibition, Cue::Deontic, Cue::Wish, Cue::Convention, Cue::Standing])
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

/// Returns the part of a clause that says in which case it holds: "whenever you add a table", "in every notebook".
fn scope(clause: &str) -> Option<String> {
    let bare = |text: &str| text.trim().trim_end_matches(['.', '。', '!', '！', ' ']).to_owned();
    if tells_when(clause) {
        return Some(bare(clause));
    }
    let markers = [
        " when ",
        " whenever ",
        " before ",
        " after ",
        " for every ",
        " for all ",
        " for each ",
        " in every ",
        " in all ",
        " in each ",
        " on every ",
        " on each ",
        " every time ",
        " each time ",
        " unless ",
        " as soon as ",
        " as long as ",
    ];
    let at = markers.iter().filter_map(|marker| clause.find(marker)).min()?;
    let part = bare(&clause[at..]);
    (part.split_whitespace().count() >= 3).then_some(part)
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

/// Returns the text without words such as "tomorrow": a name stays, and the day does not.
fn without_days(text: &str, moment: Option<&ZonedDateTime>) -> String {
    let Some(moment) = moment else { return text.to_owned() };
    let mut bare = String::with_capacity(text.len());
    let mut copied = 0;
    for found in dates::relative(text, moment) {
        bare.push_str(&text[copied..found.range.start]);
        copied = found.range.end;
    }
    bare.push_str(&text[copied..]);
    bare
}

/// Masks secrets and makes dates absolute.
fn tidy(text: &str, moment: Option<&ZonedDateTime>, kind: Type) -> String {
    let masked = secrets::mask(text);
    let Some(moment) = moment else { return masked.into_owned() };
    let dated = dates::with_dates(&masked, &days::places(&masked, moment, kind == Type::Project));
    // "Deploys go out on Tuesday mornings" is a habit; a date behind it would be wrong from the second week on.
    let is_habit = kind == Type::Feedback
        && dates::relative(&masked, moment).iter().all(|found| is_weekday(&masked[found.range.clone()]));
    if is_habit {
        return masked.into_owned();
    }
    if kind == Type::Project { days::with_day_of_saying(dated, moment) } else { dated }
}

fn is_weekday(words: &str) -> bool {
    let words = words.trim().to_lowercase();
    let words = words.strip_prefix("on ").unwrap_or(&words);
    words.ends_with("day") && !words.contains(' ') && !matches!(words, "today")
        || words.chars().count() <= 3 && words.starts_with(['周', '星'])
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::claims::gather;
    use crate::reading::Utterance;

    fn draft(text: &str) -> Draft {
        let moment = "2026-03-05T23:50:00+08:00[Asia/Shanghai]".parse().unwrap();
        let said = Utterance { id: "m".into(), text: text.into(), moment: Some(moment), before: String::new() };
        word(&gather(&[said]).claims[0])
    }

    #[test]
    fn dates_are_absolute_against_the_messages_own_time() {
        assert!(draft("明天上午十点发版。").body.contains("2026-03-06"));
        assert!(draft("The release is tomorrow, nobody may merge.").body.contains("2026-03-06"));
        assert!(draft("论文 12 月 15 日前要交。").body.contains("12 月 15 日（2026-12-15）前"));
        assert!(draft("The audit takes place on 24 November.").body.contains("24 November (2026-11-24)"));
        assert!(draft("参展的包周五中午前要交付。").body.contains("周五（2026-03-06）"));
    }

    #[test]
    fn a_weekday_in_a_rule_is_a_habit_and_no_date() {
        assert!(!draft("From now on deploy on Tuesday mornings.").body.contains("2026"));
    }

    #[test]
    fn the_reason_stands_on_its_own_line() {
        assert_eq!(
            draft("No, always squash before merging, because the log is read by auditors.").body,
            "Always squash before merging.\n\n**Why:** the log is read by auditors."
        );
        assert_eq!(draft("以后给我的命令都写成一行，我要直接贴到终端里。").why, "我要直接贴到终端里。");
    }

    #[test]
    fn the_case_in_which_a_rule_holds_stands_on_its_own_line() {
        let body = draft("Never use floats when you add up money.").body;
        assert!(body.ends_with("**How to apply:** when you add up money"), "{body}");
        let body = draft("凡是动数据库，先问我再跑。").body;
        assert!(body.ends_with("**How to apply:** 凡是动数据库"), "{body}");
    }

    #[test]
    fn names_are_short_and_files_safe_in_every_language() {
        let english = draft("Never use the ORM for reports: it's slow.");
        assert_eq!(
            (english.name.as_str(), english.path.as_str()),
            ("orm-reports-slow", "feedback_orm_reports_slow.md")
        );
        let chinese = draft("以后提交信息都用中文写。");
        assert_eq!(chinese.name, "提交信息都用中文写");
        assert_eq!(chinese.path, "feedback_提交信息都用中文写.md");
        assert_eq!(chinese.path, draft("以后提交信息都用中文写。").path);
        assert!(chinese.description.contains("中文"));
    }

    #[test]
    fn a_memory_is_short() {
        let long = draft(&format!("Always {}.", "check the very long list of things again and ".repeat(200)));
        assert!(long.body.len() <= 1_000);
        assert!(mem_text::width::columns(&long.description) <= 120);
    }
}
