//! Takes the points out of what will be folded: sentences of the user and the model, errors of tools, open tasks, files
//! that were changed, skills that were used. Each knows where it came from and what it is worth.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use mem_transcript::{Kind, Message, Part, SUMMARY_MARK, Speaker, own_words, text_tokens};

use crate::sentences::{clip, sentences};
use crate::words::{self, Signs};

/// Longest sentence of the model or a tool that is kept whole, in characters.
const LONG_SENTENCE: usize = 320;
/// Longest sentence of the user that is kept whole, in characters: what is longer was pasted.
const LONG_WISH: usize = 800;
/// Most lines with errors that are taken from one result of a tool.
const ERRORS_EACH: usize = 4;

/// Who says a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    /// The user, word for word.
    User,
    /// The model.
    Assistant,
    /// A line of a tool's result that tells of an error.
    Tool,
    /// A line of an earlier summary, with the mark that it had there.
    Earlier,
    /// An entry of a task list that is not done.
    Task,
    /// A file that was changed.
    File,
    /// A skill that was used.
    Skill,
    /// What a picture became.
    Picture,
    /// What the caller pinned and nobody said in these words.
    Pin,
}

/// How firmly a point must be kept. The order is that of choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hold {
    /// The caller named it.
    Pinned,
    /// A wish or correction of the user, or an open task.
    Firm,
    /// Kept if there is room, the most telling first.
    Loose,
}

/// One point.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    /// Index of the message that it comes from.
    pub message: usize,
    pub source: Source,
    pub hold: Hold,
    pub text: String,
    pub tokens: usize,
    /// What it tells, from 0 up.
    pub worth: f64,
}

/// Returns the points of these messages, in their order. Words are weighed by how rare they are among them.
///
/// A pin that stands in no point becomes a point of its own.
pub(crate) fn points(messages: &[Message<'_>], range: Range<usize>, pins: &[String]) -> Vec<Point> {
    let mut found = Vec::new();
    for index in range {
        take(&messages[index], index, &mut found);
    }
    let said = |pin: &String| found.iter().any(|point| point.text.contains(pin.as_str()));
    let own: Vec<Point> = pins.iter().filter(|pin| !said(pin)).map(|pin| point(0, Source::Pin, pin.clone())).collect();
    let mut points = without_repeats(own.into_iter().chain(found).collect());
    weigh(&mut points, pins);
    points
}

fn take(message: &Message<'_>, index: usize, found: &mut Vec<Point>) {
    match message.speaker {
        Speaker::UserWords => {
            take_sentences(&own_words(message), index, Source::User, LONG_WISH, found);
            found.extend(message.parts.iter().filter_map(|part| picture(part, index)));
        }
        Speaker::Assistant => message.parts.iter().for_each(|part| take_answer(part, index, found)),
        Speaker::Tool => message.parts.iter().for_each(|part| take_result(part, index, found)),
        Speaker::Summary => take_summary(&message.text(), index, found),
        Speaker::Host => {}
    }
}

fn take_sentences(text: &str, message: usize, source: Source, longest: usize, found: &mut Vec<Point>) {
    found.extend(sentences(text).into_iter().map(|sentence| point(message, source, clip(sentence, longest))));
}

fn point(message: usize, source: Source, text: String) -> Point {
    let tokens = text_tokens(&text) + 1;
    Point { message, source, hold: Hold::Loose, text, tokens, worth: 0.0 }
}

fn picture(part: &Part<'_>, message: usize) -> Option<Point> {
    let Kind::Image { media_type, bytes } = &part.kind else {
        return None;
    };
    let name = if media_type.is_empty() { "image" } else { media_type.as_ref() };
    // Four characters of base64 are three bytes.
    Some(point(message, Source::Picture, format!("[{name}, {} bytes]", bytes / 4 * 3)))
}

fn take_answer(part: &Part<'_>, message: usize, found: &mut Vec<Point>) {
    match &part.kind {
        Kind::Text(text) => take_sentences(text, message, Source::Assistant, LONG_SENTENCE, found),
        Kind::ToolUse { name, input, .. } => take_call(name, input, message, found),
        _ => {}
    }
}

fn take_call(name: &str, input: &str, message: usize, found: &mut Vec<Point>) {
    let lower = name.to_ascii_lowercase();
    let writes = ["write", "edit", "create", "replace", "patch"].iter().any(|word| lower.contains(word));
    if !writes && !matches!(lower.as_str(), "skill" | "todowrite") {
        return;
    }
    let Ok(input) = serde_json::from_str::<serde_json::Value>(input) else {
        return;
    };
    let text = |keys: &[&str]| keys.iter().find_map(|key| input.get(key)?.as_str().map(str::to_owned));
    if lower == "skill" {
        found.extend(text(&["skill", "command", "name"]).map(|name| point(message, Source::Skill, name)));
    } else if lower == "todowrite" {
        take_tasks(&input, message, found);
    } else {
        let path = text(&["file_path", "filePath", "notebook_path", "absolute_path", "path"]);
        found.extend(path.map(|path| point(message, Source::File, path)));
    }
}

/// The last task list counts; what an earlier one said about the same tasks is out of date.
fn take_tasks(input: &serde_json::Value, message: usize, found: &mut Vec<Point>) {
    let Some(tasks) = input.get("todos").and_then(|todos| todos.as_array()) else {
        return;
    };
    found.retain(|point| point.source != Source::Task);
    for task in tasks.iter().filter(|task| task.get("status").and_then(|status| status.as_str()) != Some("completed")) {
        if let Some(text) = task.get("content").and_then(|content| content.as_str()) {
            found.push(point(message, Source::Task, clip(text, LONG_SENTENCE)));
        }
    }
}

fn take_result(part: &Part<'_>, message: usize, found: &mut Vec<Point>) {
    let Kind::ToolResult { parts, .. } = &part.kind else {
        return;
    };
    found.extend(parts.iter().filter_map(|part| picture(part, message)));
    let text = part.text();
    found
        .extend(error_lines(&text).into_iter().map(|line| point(message, Source::Tool, clip(line, LONG_SENTENCE / 2))));
}

/// Returns the lines that tell of an error: the last ones, since causes stand at the end of what tools print.
fn error_lines(text: &str) -> Vec<&str> {
    const SIGNS: [&str; 13] = [
        "rror", "ERR", "FATAL", "atal:", "panic", "xception", "ailed", "FAIL", "refused", "denied", "错误", "失败",
        "异常",
    ];
    let mut starts: Vec<usize> = Vec::new();
    for sign in SIGNS {
        let hits = memchr::memmem::find_iter(text.as_bytes(), sign).take(200);
        starts.extend(hits.map(|at| memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |newline| newline + 1)));
    }
    starts.sort_unstable();
    starts.dedup();
    let first = starts.len().saturating_sub(ERRORS_EACH);
    starts[first..].iter().filter_map(|&start| text[start..].lines().next()).map(str::trim).collect()
}

fn take_summary(text: &str, message: usize, found: &mut Vec<Point>) {
    let ours = text.starts_with(SUMMARY_MARK);
    for line in text.lines().filter(|line| !line.starts_with(SUMMARY_MARK) && !line.trim().is_empty()) {
        match (ours, Source::of_line(line)) {
            (true, Some((source @ (Source::File | Source::Skill), names))) => {
                found.extend(names.split(", ").map(|name| point(message, source, name.to_owned())));
            }
            (true, Some((source, rest))) => found.push(point(message, source, rest.to_owned())),
            (true, None) => found.push(point(message, Source::Earlier, line.to_owned())),
            (false, _) => take_sentences(line, message, Source::Earlier, LONG_WISH, found),
        }
    }
}

impl Source {
    /// Returns the mark with which a point of this source stands in a digest.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Source::User => "> ",
            Source::Assistant | Source::Earlier | Source::Picture => "- ",
            Source::Tool => "! ",
            Source::Task => "todo: ",
            Source::File => "changed: ",
            Source::Skill => "skill: ",
            Source::Pin => "pin: ",
        }
    }

    /// Reads a line of a digest back into its source and text.
    fn of_line(line: &str) -> Option<(Source, &str)> {
        let sources =
            [Source::Pin, Source::User, Source::Earlier, Source::Tool, Source::Task, Source::File, Source::Skill];
        sources.into_iter().find_map(|source| line.strip_prefix(source.mark()).map(|rest| (source, rest)))
    }
}

/// Leaves out what is said again later: of the same words the last ones stand.
fn without_repeats(found: Vec<Point>) -> Vec<Point> {
    let mut seen: HashSet<(bool, String)> = HashSet::with_capacity(found.len());
    let mut kept: Vec<Point> = Vec::with_capacity(found.len());
    for point in found.into_iter().rev() {
        if seen.insert((point.source == Source::File, point.text.to_lowercase())) {
            kept.push(point);
        }
    }
    kept.reverse();
    kept
}

fn weigh(points: &mut [Point], pins: &[String]) {
    let hashes: Vec<Vec<u64>> = points.iter().map(|point| words::hashes(&point.text)).collect();
    let mut frequency: HashMap<u64, u32> = HashMap::new();
    for words in &hashes {
        let mut unique = words.clone();
        unique.sort_unstable();
        unique.dedup();
        unique.into_iter().for_each(|word| *frequency.entry(word).or_insert(0) += 1);
    }
    let total = (points.len() as f64 + 1.0).ln().max(1.0);
    let rarity = |words: &[u64]| -> f64 {
        let sum: f64 = words.iter().map(|word| 1.0 - f64::from(frequency[word]).ln() / total).sum();
        if words.is_empty() { 0.0 } else { sum / words.len() as f64 }
    };
    for (point, words) in points.iter_mut().zip(&hashes) {
        let signs = words::signs(&point.text);
        point.worth = worth(point, signs, rarity(words), words.len());
        point.hold = hold(point, signs, pins);
    }
}

/// What a point is worth. The shares were set by hand so that a plain remark has less than 1 and a rule with a number
/// in it more than 2; they are not fitted to any set.
fn worth(point: &Point, signs: Signs, rarity: f64, words: usize) -> f64 {
    let base = match point.source {
        Source::User => 0.3,
        Source::Assistant => 0.0,
        Source::Earlier => 0.8,
        Source::Tool => -0.2,
        Source::Task | Source::Skill | Source::Pin => 2.0,
        Source::File => 1.4,
        Source::Picture => return 0.1,
    };
    if matches!(point.source, Source::Task | Source::Skill | Source::File | Source::Pin) {
        return base;
    }
    let share = |holds: bool, weight: f64| if holds { weight } else { 0.0 };
    let cues = share(signs.wish && point.source == Source::User, 0.6)
        + share(signs.decision, 0.4)
        + share(signs.rejection, 0.4)
        + share(signs.task, 0.4)
        + share(signs.error, 0.3);
    let facts = share(signs.number, 0.6) + share(signs.identifier, 0.3);
    let short = share(words < 4 && !signs.number, -0.5);
    (base + rarity + cues.min(1.0) + facts + short - share(signs.question, 0.8)).max(0.0)
}

fn hold(point: &Point, signs: Signs, pins: &[String]) -> Hold {
    if point.source == Source::Pin || pins.iter().any(|pin| point.text.contains(pin.as_str())) {
        return Hold::Pinned;
    }
    match point.source {
        Source::User if (signs.wish || signs.task || signs.decision) && !signs.question && point.worth >= 1.0 => {
            Hold::Firm
        }
        Source::Task | Source::Skill => Hold::Firm,
        _ => Hold::Loose,
    }
}
