//! The points of what will be folded, and what each is worth: how rare its words are, and what they say.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use mem_transcript::{Message, text_tokens};

use crate::collect;
use crate::words::{self, Signs};

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
/// A pin that stands in no point becomes a point of its own. Paths are written from the project's root.
pub(crate) fn points(messages: &[Message<'_>], range: Range<usize>, pins: &[String], root: &str) -> Vec<Point> {
    let found = collect::collect(messages, range, root);
    let said = |pin: &String| found.iter().any(|point| point.text.contains(pin.as_str()));
    let own: Vec<Point> =
        pins.iter().filter(|pin| !said(pin)).map(|pin| Point::new(0, Source::Pin, pin.clone())).collect();
    let mut points = without_repeats(own.into_iter().chain(found).collect());
    weigh(&mut points, pins);
    points
}

impl Point {
    /// Returns a point that is not weighed yet.
    pub(crate) fn new(message: usize, source: Source, text: String) -> Self {
        // One more for its mark and the end of its line.
        let tokens = text_tokens(&text) + 1;
        Point { message, source, hold: Hold::Loose, text, tokens, worth: 0.0 }
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
    pub(crate) fn of_line(line: &str) -> Option<(Source, &str)> {
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
    // What the model says after an error and before the user speaks again tells what was behind it.
    let mut explains = false;
    for (point, words) in points.iter_mut().zip(&hashes) {
        explains = (explains || point.source == Source::Tool) && point.source != Source::User;
        let mut signs = words::signs(&point.text);
        signs.error |= explains && point.source == Source::Assistant;
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
        + share(signs.error, 0.4);
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
