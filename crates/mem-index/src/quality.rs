//! What makes a memory hard to choose or wrong to keep: vague descriptions, missing types, words that age, line
//! numbers, what the instructions or the code say already, hidden characters, secrets. Each with a remedy.

use std::collections::BTreeMap;

use mem_store::{Memory, Moment};
use mem_text::{dates, secrets, similar, width};
use mem_types::load::{FileState, Load};
use mem_types::{Problem, Problems};

use crate::entry::{content_words, one_line};
use crate::findable::Findable;

/// The types of memories.
const TYPES: [&str; 4] = ["feedback", "user", "project", "reference"];
/// Words that say nothing about what a memory is about.
const VAGUE: [&str; 44] = [
    "about", "context", "data", "detail", "genera", "import", "info", "inform", "item", "memori", "memory", "misc",
    "note", "notes", "projec", "remind", "rememb", "stuff", "summar", "thing", "things", "topic", "update", "useful",
    "user", "variou", "feedba", "refere", "relate", "set", "some", "内容", "备忘", "相关", "笔记", "记录", "说明",
    "重要", "项目", "信息", "一些", "东西", "资料", "总结",
];
/// Longest description that still helps to choose, in characters.
const LONG: usize = 300;
/// Share of all memories that have a word, from which on it does not tell them apart.
const COMMON_SHARE: usize = 3;
/// Fewest memories of which words can be called common.
const COMMON_LEAST: usize = 6;
/// Likeness from which on a memory repeats an instruction.
const REPEATS: f64 = 0.75;
/// Share of code and tree lines from which on a body says what the code says.
const CODE_SHARE: f64 = 0.7;

/// Returns what is to be said of the descriptions and bodies; `.path`, and `.line` where there is one.
#[must_use]
pub fn check(memories: &[&Memory], load: Option<&Load>, now: &Moment) -> Vec<Problem> {
    let mut problems = Problems::new("mem-index");
    let words = WordCounts::of(memories);
    let mut first_with: BTreeMap<String, &str> = BTreeMap::new();
    let instructions = load.map(instruction_lines).unwrap_or_default();
    let findable = Findable::new(memories);
    for (at, memory) in memories.iter().enumerate() {
        if description(memory, &words, &mut first_with, &mut problems) {
            found(memory, findable.found_instead(at), &mut problems);
        }
        kind(memory, &mut problems);
        lines(memory, now, &mut problems);
        repeats(memory, &instructions, &mut problems);
        derivable(memory, &mut problems);
    }
    problems.into_entries()
}

/// Returns the secrets and hidden characters in whole files.
#[must_use]
pub fn secrets_in(memories: &[&Memory]) -> Vec<Problem> {
    let mut problems = Problems::new("mem-index");
    for memory in memories {
        for found in secrets::find(&memory.text) {
            let line = memory.text[..found.start].matches('\n').count() + 1;
            problems
                .warning("secret", "a memory holds a secret")
                .path(&memory.path)
                .line(line)
                .hint("take it out, and change it where it is used");
        }
    }
    problems.into_entries()
}

struct WordCounts {
    memories: usize,
    counts: BTreeMap<String, usize>,
}

impl WordCounts {
    fn of(memories: &[&Memory]) -> Self {
        let mut counts = BTreeMap::new();
        for memory in memories {
            for word in content_words(&memory.description) {
                *counts.entry(word).or_default() += 1;
            }
        }
        Self { memories: memories.len(), counts }
    }

    /// Whether a word tells its memory from most others.
    fn is_own(&self, word: &str) -> bool {
        let count = self.counts.get(word).copied().unwrap_or(0);
        let is_common = self.memories >= COMMON_LEAST && count * COMMON_SHARE > self.memories;
        !VAGUE.contains(&word) && !is_common
    }
}

/// Says what to write in a description.
const REMEDY: &str =
    "say in one sentence what it is about and when it helps, with the words that a question would have";

/// Says when a question in a memory's own words leads to others.
fn found(memory: &Memory, instead: Option<&str>, problems: &mut Problems) {
    let Some(other) = instead else { return };
    let said = one_line(&memory.description);
    problems
        .warning(
            "description-vague",
            format!("asked for in the words of its own description, others are found, '{other}' first: '{said}'"),
        )
        .path(&memory.path)
        .hint(REMEDY);
}

/// Reports what is wrong with a description by itself; returns whether it may be asked for by it.
fn description<'a>(
    memory: &'a Memory,
    words: &WordCounts,
    first_with: &mut BTreeMap<String, &'a str>,
    problems: &mut Problems,
) -> bool {
    let said = one_line(&memory.description);
    let mut warn = |code: &str, message: String, hint: &str| {
        problems.warning(code, message).path(&memory.path).hint(hint);
    };
    if said.is_empty() {
        warn("description-missing", "a memory has no description, so nobody can choose it".into(), REMEDY);
        return false;
    }
    let own = content_words(&without_filling(&said)).into_iter().filter(|word| words.is_own(word)).count();
    if own == 0 {
        warn(
            "description-vague",
            format!("no word of the description tells this memory from others: '{said}'"),
            REMEDY,
        );
    } else if said.chars().count() < 2 + 8 * usize::from(said.is_ascii()) {
        warn("description-short", format!("the description has {} characters: '{said}'", said.chars().count()), REMEDY);
    }
    if said.chars().count() > LONG {
        let message = format!(
            "the description has {} characters, {} over {LONG}",
            said.chars().count(),
            said.chars().count() - LONG
        );
        warn("description-long", message, "leave what is needed to choose it, and move the rest into the body");
    }
    match first_with.get(said.as_str()) {
        Some(other) => {
            let message = format!("the description is that of '{other}', too");
            warn("description-double", message, "say what tells the two apart, or merge them");
            false
        }
        None => {
            first_with.insert(said, &memory.path);
            own > 0
        }
    }
}

/// Han is compared in pairs, so words that say nothing must go before pairs are formed across them.
fn without_filling(said: &str) -> String {
    let vague = VAGUE.iter().filter(|word| !word.is_ascii());
    vague.chain(&["关于", "的", "了", "和", "与", "及"]).fold(said.to_owned(), |said, word| said.replace(*word, " "))
}

fn kind(memory: &Memory, problems: &mut Problems) {
    match memory.kind.as_deref() {
        Some(kind) if TYPES.contains(&kind) => {}
        Some(kind) => {
            problems
                .info(
                    "type-unknown",
                    format!("the type '{}' is none of feedback, user, project, reference", one_line(kind)),
                )
                .path(&memory.path)
                .hint("use one of the four: by it is decided what fades and what stays");
        }
        None => {
            problems
                .warning("type-missing", "a memory has no type")
                .path(&memory.path)
                .hint("add 'type: feedback', user, project or reference to its head");
        }
    }
}

fn lines(memory: &Memory, now: &Moment, problems: &mut Problems) {
    // A daily word in a sentence with its date written beside it does not age.
    let relative = dates::relative(&memory.text, now.zoned());
    let resolved = dates::absolute(&memory.text, now.zoned());
    let has_open = resolved != memory.text;
    if let Some(found) = relative.first().filter(|_| has_open) {
        let word = &memory.text[found.range.clone()];
        problems
            .warning("relative-date", format!("'{word}' means another day tomorrow"))
            .path(&memory.path)
            .line(line_of(&memory.text, found.range.start))
            .hint("write the date");
    }
    if let Some(at) = line_number(&memory.text) {
        problems
            .warning("line-number", "a line number in a memory is wrong after the next edit of the file")
            .path(&memory.path)
            .line(line_of(&memory.text, at))
            .hint("name the function or the heading instead");
    }
    if let Some((at, character)) = hidden(&memory.text) {
        problems
            .warning("hidden-character", format!("a character that nobody sees, U+{:04X}", u32::from(character)))
            .path(&memory.path)
            .line(line_of(&memory.text, at))
            .hint("take it out: it may carry words that only a model reads");
    }
}

/// Returns where a text names a line of code: `file.rs:42`, `line 42 of`, `L42`, 第42行.
fn line_number(text: &str) -> Option<usize> {
    const ENDINGS: [&str; 17] =
        ["rs", "py", "ts", "tsx", "js", "jsx", "go", "java", "c", "h", "cpp", "rb", "php", "swift", "kt", "cs", "vue"];
    for (at, _) in text.match_indices(':') {
        let word = text[..at].rsplit(|c: char| c.is_whitespace() || "`'\"([".contains(c)).next().unwrap_or_default();
        let ending = word.rsplit_once('.').map(|(_, ending)| ending);
        let has_number = text[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        if has_number && ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
            return Some(at);
        }
    }
    let lower = text.to_ascii_lowercase();
    let number_behind = |at: usize| lower[at..].trim_start().starts_with(|c: char| c.is_ascii_digit());
    let english = lower.match_indices("line ").chain(lower.match_indices("lines ")).find(|(at, word)| {
        let is_word = !lower[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '-');
        let before = lower[..*at].trim_end();
        is_word
            && number_behind(at + word.len())
            && ["on", "at", "in", "see", "(", ",", "around", "near"].iter().any(|word| before.ends_with(word))
    });
    let chinese = lower.match_indices('第').find(|(at, mark)| {
        let rest = lower[at + mark.len()..].trim_start();
        let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        digits.len() < rest.len() && digits.trim_start().starts_with('行')
    });
    english.or(chinese).map(|(at, _)| at)
}

/// Returns the first character that hides or leads, but not those within emoji and at the start of the file.
fn hidden(text: &str) -> Option<(usize, char)> {
    text.char_indices().find(|(at, character)| {
        let is_usual = matches!(character, '\n' | '\r' | '\t' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}') || *at == 0;
        !is_usual && width::hides(*character)
    })
}

/// A line of the loaded instructions that says enough to be repeated.
struct Instruction<'a> {
    path: &'a str,
    features: similar::Features,
}

fn instruction_lines(load: &Load) -> Vec<Instruction<'_>> {
    let active = load.files.iter().filter(|file| file.state == FileState::Active);
    let lines = active
        .flat_map(|file| file.text.iter().flat_map(|text| text.lines()).map(move |line| (file.path.as_str(), line)));
    lines
        .filter(|(_, line)| content_words(line).len() >= 3)
        .map(|(path, line)| Instruction { path, features: similar::Features::of(line) })
        .collect()
}

/// A memory that reinforces an instruction, or makes an exception to it, is wanted.
fn repeats(memory: &Memory, instructions: &[Instruction<'_>], problems: &mut Problems) {
    if instructions.is_empty() || memory.matter.text("reinforces").is_some() || memory.description.is_empty() {
        return;
    }
    let features = similar::Features::of(&memory.description);
    let same = instructions.iter().find(|instruction| {
        let likeness = similar::compare(&features, &instruction.features);
        likeness.score >= REPEATS && !likeness.signs_differ && !likeness.values_differ
    });
    if let Some(instruction) = same {
        problems
            .warning("repeats-instructions", format!("a memory says what {} says already", instruction.path))
            .path(&memory.path)
            .hint("remove it, or add 'reinforces:' to its head when the rule was not followed");
    }
}

/// Whether most of a body is code, a tree of files or a list of commits, which the project itself can tell.
fn derivable(memory: &Memory, problems: &mut Problems) {
    let (mut code, mut all, mut is_fenced) = (0_usize, 0_usize, false);
    for line in memory.body().lines().filter(|line| !line.trim().is_empty()) {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        let is_tree = line.contains("├──") || line.contains("└──") || is_commit(line);
        all += 1;
        code += usize::from(is_fenced || is_fence || is_tree);
    }
    #[allow(clippy::cast_precision_loss)]
    let share = code as f64 / all.max(1) as f64;
    if all >= 6 && share >= CODE_SHARE {
        problems
            .warning(
                "derivable",
                format!("{code} of {all} lines are code, files or commits, which the project itself can tell"),
            )
            .path(&memory.path)
            .hint("keep what surprised, and why; leave the rest to the project");
    }
}

fn is_commit(line: &str) -> bool {
    let word = line.trim_start_matches(['-', '*', ' ', '`']).split([' ', '`']).next().unwrap_or_default();
    (7..=40).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn codes(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let memories: Vec<Memory> =
            files.iter().map(|(path, text)| Memory::of_bytes("/m".as_ref(), path, text.as_bytes())).collect();
        let memories: Vec<&Memory> = memories.iter().collect();
        let now = Moment::parse("2026-11-30T12:00:00Z").unwrap();
        let found = check(&memories, None, &now);
        found.into_iter().map(|problem| (problem.path.unwrap_or_default(), problem.code)).collect()
    }

    fn check_one(description: &str, body: &str, expected: &[&str]) {
        let text = format!("---\nname: n\ndescription: {description}\ntype: user\n---\n{body}\n");
        let found: Vec<String> = codes(&[("a.md", &text)]).into_iter().map(|(_, code)| code).collect();
        assert_eq!(found, expected, "{description:?} {body:?}");
    }

    #[test]
    fn a_description_must_have_a_word_of_its_own() {
        check_one("integration tests need a real postgres", "", &[]);
        check_one("集成测试要用真实数据库", "", &[]);
        check_one("important notes about the project", "", &["description-vague"]);
        check_one("一些重要的项目笔记", "", &["description-vague"]);
        check_one("", "", &["description-missing"]);
        check_one("tabs", "", &["description-short"]);
        check_one(&"a long tale of postgres ".repeat(20), "", &["description-long"]);
    }

    #[test]
    fn two_memories_with_one_description_are_named() {
        let text = "---\nname: n\ndescription: tests need postgres\ntype: user\n---\n";
        assert_eq!(codes(&[("a.md", text), ("b.md", text)]), [("b.md".into(), "description-double".into())]);
        assert_eq!(codes(&[("a.md", "---\nname: n\ndescription: tests need postgres\n---\n")])[0].1, "type-missing");
    }

    #[test]
    fn words_that_age_are_found() {
        check_one("the release freeze of the payment team", "It ends next Thursday.", &["relative-date"]);
        check_one("the release freeze of the payment team", "It ends next Thursday (2026-12-10).", &[]);
        check_one("where fees are rounded in checkout", "See `src/fees.rs:42`.", &["line-number"]);
        check_one("where fees are rounded in checkout", "The fault is on line 42.", &["line-number"]);
        check_one("where fees are rounded in checkout", "见第 42 行。", &["line-number"]);
        check_one("the server of the staging team", "It listens on host:8080, at 10:30.", &[]);
        check_one("the server of the staging team", "Hidden\u{200b}word.", &["hidden-character"]);
        check_one("what the team likes in reviews", "Thanks 👨‍👩‍👧 ❤️", &[]);
    }

    #[test]
    fn what_the_code_says_is_not_to_be_kept() {
        check_one("layout of the payment service", "```\nsrc\n├── a\n├── b\n├── c\n└── d\n```", &["derivable"]);
        check_one("why the payment service was split", "Because.\n\n```\nmake\n```", &[]);
    }
}
