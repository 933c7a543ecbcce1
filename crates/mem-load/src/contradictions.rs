//! Rules that say the opposite of each other: the same sentence once with and once without a negation.
//!
//! "Use tabs." and "Never use tabs.", "用中文写提交信息" and "不要用中文写提交信息". Code is passed over, and a heading such
//! as "Don't" turns what stands below it round.

use std::collections::BTreeMap;

use mem_text::markdown::Outline;
use mem_types::Problems;
use mem_types::load::{FileState, LoadedFile};

/// Most that are told; who has more will find them while mending these.
const MOST: usize = 20;
/// A longer sentence is no rule.
const LONGEST_SENTENCE: usize = 300;

/// What a sentence asks for, or forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Claim {
    /// The words that are left without negations and fillers.
    key: String,
    is_negative: bool,
}

/// Where something was asked for or forbidden first.
struct Said<'a> {
    file: &'a LoadedFile,
    sentence: String,
}

/// Reports active files that contradict each other or themselves.
pub fn report(files: &[LoadedFile], problems: &mut Problems) {
    let mut said: BTreeMap<String, [Option<Said<'_>>; 2]> = BTreeMap::new();
    let mut told = 0;
    for file in files.iter().filter(|file| file.state == FileState::Active) {
        for (sentence, claim) in claims(file.text.as_deref().unwrap_or_default()) {
            let sides = said.entry(claim.key).or_default();
            let own = usize::from(claim.is_negative);
            if sides[own].is_some() {
                continue;
            }
            if let Some(other) = &sides[1 - own] {
                told += 1;
                if told <= MOST {
                    tell(file, &sentence, other, problems);
                }
            }
            sides[own] = Some(Said { file, sentence });
        }
    }
    if told > MOST {
        problems.info("contradiction", format!("{} more contradictions are not listed", told - MOST));
    }
}

fn tell(file: &LoadedFile, sentence: &str, other: &Said<'_>, problems: &mut Problems) {
    let place = if other.file.path == file.path {
        "the same file".to_owned()
    } else {
        format!("{} (layer {})", other.file.path, other.file.layer.name())
    };
    problems
        .warning("contradiction", format!("'{sentence}' is the opposite of '{}' in {place}", other.sentence))
        .path(&file.path)
        .hint("a model cannot follow both: remove one of them");
}

/// Returns the sentences that ask for or forbid something, each with its claim.
fn claims(text: &str) -> Vec<(String, Claim)> {
    let mut claims = Vec::new();
    for Paragraph { text, is_turned } in paragraphs(text) {
        for sentence in sentences(&text) {
            for mut claim in of_sentence(sentence) {
                claim.is_negative ^= is_turned;
                claims.push((sentence.to_owned(), claim));
            }
        }
    }
    claims
}

struct Paragraph {
    text: String,
    /// Whether it stands below a heading that forbids.
    is_turned: bool,
}

/// Returns running text with its line ends as blanks; an item of a list or a heading is a paragraph of its own.
fn paragraphs(text: &str) -> Vec<Paragraph> {
    let outline = Outline::of(text);
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    let (mut is_turned, mut is_open, mut place) = (false, false, 0);
    let mut headings = outline.headings.iter().peekable();
    let mut skipped = outline.code.iter().chain(outline.html.iter().map(|html| &html.range)).collect::<Vec<_>>();
    skipped.sort_by_key(|range| range.start);
    let mut skipped = skipped.into_iter().peekable();
    for line in text.split_inclusive('\n') {
        let start = place;
        place += line.len();
        while skipped.next_if(|range| range.end <= start).is_some() {}
        while headings.next_if(|range| range.end <= start).is_some() {}
        if headings.peek().is_some_and(|range| range.start < place) {
            is_turned = forbids(line);
            is_open = false;
            continue;
        }
        let is_skipped = skipped.peek().is_some_and(|range| range.start < place);
        let plain = plain(line);
        if is_skipped || plain.is_empty() {
            is_open = false;
            continue;
        }
        let is_item = is_item(line);
        match paragraphs.last_mut().filter(|_| is_open && !is_item) {
            Some(paragraph) => {
                paragraph.text.push(' ');
                paragraph.text.push_str(&plain);
            }
            None => paragraphs.push(Paragraph { text: plain, is_turned }),
        }
        is_open = true;
    }
    paragraphs
}

/// Whether a heading is about what must not be.
fn forbids(heading: &str) -> bool {
    let heading = heading.to_lowercase().replace('’', "'");
    let has_word = |wanted: &str| heading.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| word == wanted);
    ["don't", "don'ts", "dont", "avoid", "never", "forbidden", "prohibited", "bad", "not"].into_iter().any(has_word)
        || ["禁止", "不要", "禁忌", "避免", "反例", "严禁", "❌"].into_iter().any(|word| heading.contains(word))
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(['-', '*', '+', '|', '>']) || number.len() < line.len() && number.starts_with(['.', ')'])
}

/// Takes the marks of lists, quotations and emphasis off.
fn plain(line: &str) -> String {
    let line = line.trim().trim_start_matches(['-', '*', '+', '>', '|', ' ', '[', ']']);
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let line = if number.starts_with(['.', ')']) { &number[1..] } else { line };
    line.trim().chars().filter(|character| !matches!(character, '*' | '`' | '_' | '"' | '“' | '”')).collect()
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let found = rest.char_indices().find(|(place, mark)| ends_sentence(*mark, &rest[place + mark.len_utf8()..]));
        let end = found.map_or(rest.len(), |(place, mark)| place + mark.len_utf8());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        (end > 0).then_some(sentence.trim())
    })
    .filter(|sentence| !sentence.is_empty() && sentence.len() <= LONGEST_SENTENCE && !sentence.ends_with(['?', '？']))
}

/// A stop within a word, as in `a.ts`, ends nothing.
fn ends_sentence(mark: char, after: &str) -> bool {
    matches!(mark, '。' | '！' | '？' | '；')
        || matches!(mark, '.' | '!' | '?' | ';') && !after.starts_with(|c: char| c != ' ')
}

fn of_sentence(sentence: &str) -> Vec<Claim> {
    let (is_bad, is_good) = (sentence.starts_with(['❌', '✗', '🚫']), sentence.starts_with(['✅', '✓']));
    let sentence = sentence.trim_start_matches(['❌', '✗', '🚫', '✅', '✓', '\u{fe0f}', ' ']);
    let is_chinese = sentence.chars().any(|character| ('\u{4e00}'..='\u{9fff}').contains(&character));
    let mut claims = if is_chinese { chinese(sentence) } else { english(sentence) };
    if is_bad && !is_good {
        claims.iter_mut().for_each(|claim| claim.is_negative = true);
    }
    claims
}

/// "A, not B" asks for A and forbids B.
fn english(sentence: &str) -> Vec<Claim> {
    let lower = sentence.to_lowercase().replace('’', "'");
    for (joint, needs) in [(", not ", ""), (" instead of ", ""), (" rather than ", ""), (" over ", "prefer")] {
        if let Some((left, right)) = lower.split_once(joint).filter(|_| lower.contains(needs)) {
            let right = english_claim(&format!("use {right}")).map(|claim| Claim { is_negative: true, ..claim });
            return english_claim(left).into_iter().chain(right).collect();
        }
    }
    english_claim(&lower).into_iter().collect()
}

const FILLERS: &[&str] = &[
    "always",
    "must",
    "should",
    "shall",
    "do",
    "does",
    "please",
    "you",
    "we",
    "i",
    "the",
    "a",
    "an",
    "to",
    "be",
    "is",
    "are",
    "can",
    "may",
    "will",
    "have",
    "need",
    "needs",
    "ever",
    "it",
    "that",
    "strictly",
    "allowed",
    "permitted",
    "ok",
    "okay",
    "required",
    "mandatory",
    "make",
    "sure",
    "ensure",
];

fn english_claim(lower: &str) -> Option<Claim> {
    let mut words: Vec<&str> = Vec::new();
    let mut is_negative = false;
    for word in lower.split(|c: char| !c.is_alphanumeric() && !"'-./#+@".contains(c)) {
        let word = word.trim_matches(['\'', '-', '.', '/']);
        match word {
            "not" | "never" | "cannot" | "forbidden" | "prohibited" | "disallowed" | "don't" | "doesn't" | "can't"
            | "mustn't" | "shouldn't" | "won't" | "dont" => is_negative = !is_negative,
            "no" | "avoid" => {
                is_negative = !is_negative;
                if words.is_empty() {
                    words.push("use");
                }
            }
            "use" | "using" | "prefer" | "uses" | "used" => {
                if words.last() != Some(&"use") {
                    words.push("use");
                }
            }
            "" => {}
            filler if FILLERS.contains(&filler) => {}
            word => words.push(word),
        }
    }
    // "Default exports are forbidden" forbids their use.
    if words.last() == Some(&"use") && words.len() > 1 {
        words.pop();
        words.insert(0, "use");
    }
    let says_more = words.iter().any(|word| *word != "use");
    (words.len() > 1 && says_more).then(|| Claim { key: words.join(" "), is_negative })
}

const NOT: &[&str] = &[
    "不应该",
    "不可以",
    "不要",
    "不得",
    "禁止",
    "严禁",
    "切勿",
    "请勿",
    "不可",
    "不能",
    "不应",
    "不许",
    "不准",
    "避免",
    "绝不",
    "从不",
    "不用",
    "不使用",
    "不采用",
    "勿",
    "别",
];
const CHINESE_FILLERS: &[&str] = &[
    "必须", "应该", "应当", "需要", "一律", "总是", "始终", "务必", "一定", "可以", "请", "都", "要", "应", "我们",
    "你",
];

fn chinese(sentence: &str) -> Vec<Claim> {
    for joint in ["而不是", "而非", "，不要用", "，不用", "，别用", "，不要使用", "，不使用"] {
        if let Some((left, right)) = sentence.split_once(joint) {
            // "缩进用空格，不用制表符": both sides are about 缩进.
            let topic = left.split_once("使用").or_else(|| left.split_once('用')).map_or("", |(topic, _)| topic);
            let right = right.trim_start_matches("使用").trim_start_matches('用');
            let right = chinese_claim(&format!("{topic}用{right}"));
            return chinese_claim(left)
                .into_iter()
                .chain(right.map(|claim| Claim { is_negative: true, ..claim }))
                .collect();
        }
    }
    chinese_claim(sentence).into_iter().collect()
}

fn chinese_claim(sentence: &str) -> Option<Claim> {
    let mut rest = sentence.to_lowercase();
    let mut is_negative = false;
    for word in NOT {
        if rest.contains(word) {
            // 不用 forbids the use, so the use stays.
            let kept = if word.ends_with('用') { "用" } else { "" };
            is_negative = !is_negative;
            rest = rest.replacen(word, kept, 1);
        }
    }
    for word in CHINESE_FILLERS {
        rest = rest.replace(word, "");
    }
    rest = rest.replace("使用", "用").replace("采用", "用");
    let key: String = rest.chars().filter(|character| character.is_alphanumeric()).collect();
    (key.chars().count() > 2).then_some(Claim { key, is_negative })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contradict(first: &str, second: &str) -> bool {
        let file =
            |path: &str, text: &str| LoadedFile { path: path.into(), text: Some(text.into()), ..LoadedFile::default() };
        let mut problems = Problems::new("mem-load");
        report(&[file("/a.md", first), file("/b.md", second)], &mut problems);
        !problems.is_empty()
    }

    #[test]
    fn the_same_sentence_with_the_opposite_sign_is_told() {
        for (first, second) in [
            ("Use tabs.", "Never use tabs."),
            ("- Always use **tabs**", "* Do not use tabs!"),
            ("Use tabs, not spaces.", "Use spaces, not tabs."),
            ("Use tabs, not spaces.", "Use spaces."),
            ("Prefer composition over inheritance.", "Prefer inheritance over composition."),
            ("Use `npm`.", "Don’t use npm."),
            ("Use default exports.", "Avoid default exports."),
            ("Use default exports.", "No default exports."),
            ("You must commit generated files", "You must not commit\ngenerated files"),
            ("You can push to main.", "You cannot push to main."),
            ("Use semicolons.", "## Don't\n\n- Use semicolons"),
            ("❌ Use semicolons", "Use semicolons"),
            ("提交信息必须用中文。", "提交信息不要用中文。"),
            ("使用 pnpm。", "不用 pnpm。"),
            ("缩进用空格，不用制表符。", "缩进用制表符"),
            ("用真实数据库而不是模拟数据。", "用模拟数据"),
            ("禁止直接推送到主分支", "可以直接推送到主分支"),
        ] {
            assert!(contradict(first, second), "{first} / {second}");
            assert!(contradict(second, first), "{second} / {first}");
        }
    }

    #[test]
    fn what_is_no_contradiction_is_not_told() {
        for (first, second) in [
            ("Use tabs.", "Use tabs."),
            ("Use tabs.", "Never use spaces."),
            ("Use tabs.", "```\nNever use tabs.\n```"),
            ("Use tabs in Go.", "Never use tabs in Python."),
            ("Should we use tabs?", "Never use tabs."),
            ("Never use tabs.", "## Don't\n\n- Use tabs"),
            ("❌ Use tabs", "Do not use tabs"),
            ("Never.", "Always."),
            ("Do not.", "Do."),
            ("提交信息必须用中文。", "注释不要用中文。"),
            ("别。", "要。"),
        ] {
            assert!(!contradict(first, second), "{first} / {second}");
        }
    }

    #[test]
    fn a_file_may_contradict_itself_and_many_are_counted() {
        assert!(contradict("Use tabs. Never use tabs.", ""));
        let (yes, no): (String, String) =
            (0..100).map(|number| (format!("- Use tool{number}\n"), format!("- Never use tool{number}\n"))).unzip();
        let mut problems = Problems::new("mem-load");
        let file = |text: String| LoadedFile { text: Some(text), ..LoadedFile::default() };
        report(&[file(yes), file(no)], &mut problems);
        assert_eq!(problems.len(), MOST + 1);
    }
}
