//! The points of what will be folded, and what each is worth: how rare its words are, and what they say.

use std::collections::{HashMap, HashSet};

use mem_transcript::{Message, text_tokens};

use crate::collect;
use crate::slots::Slot;
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
    /// The id of a block of which nothing else stands in the digest.
    Cold,
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
    /// Where it stands in the digest.
    pub slot: Slot,
    pub text: String,
    pub tokens: usize,
    /// What it tells, from 0 up.
    pub worth: f64,
}

/// Returns the points of these messages, in their order. Words are weighed by how rare they are among them.
///
/// A pin that stands in no point becomes a point of its own. Paths are written from the project's root.
pub(crate) fn points(
    messages: &[Message<'_>],
    range: impl Iterator<Item = usize>,
    pins: &[String],
    root: &str,
) -> Vec<Point> {
    let found = collect::collect(messages, range, root);
    let said = |pin: &String| found.iter().any(|point| point.text.contains(pin.as_str()));
    let own: Vec<Point> =
        pins.iter().filter(|pin| !said(pin)).map(|pin| Point::new(0, Source::Pin, pin.clone())).collect();
    let mut points = without_repeats(own.into_iter().chain(found).collect());
    weigh(&mut points, pins);
    set_goal(&mut points);
    keep_newest_step(&mut points);
    points
}

impl Point {
    /// Returns a point that is not weighed yet.
    pub(crate) fn new(message: usize, source: Source, text: String) -> Self {
        // One more for its mark and the end of its line.
        let tokens = text_tokens(&text) + 1;
        let slot = match source {
            Source::Tool => Slot::Errors,
            Source::Task => Slot::Open,
            Source::File => Slot::Files,
            Source::Skill => Slot::Skills,
            Source::Pin => Slot::Wishes,
            Source::Cold => Slot::Cold,
            Source::User | Source::Assistant | Source::Earlier | Source::Picture => Slot::Other,
        };
        Point { message, source, hold: Hold::Loose, slot, text, tokens, worth: 0.0 }
    }

    /// Returns the point in the slot in which an earlier digest had it.
    pub(crate) fn in_slot(self, slot: Option<Slot>) -> Self {
        Point { slot: slot.unwrap_or(self.slot), ..self }
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
            Source::Cold => "by id: ",
        }
    }

    /// Reads a line of a digest back into its source and text.
    pub(crate) fn of_line(line: &str) -> Option<(Source, &str)> {
        let sources = [
            Source::Pin,
            Source::User,
            Source::Earlier,
            Source::Tool,
            Source::Task,
            Source::File,
            Source::Skill,
            Source::Cold,
        ];
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
        if point.slot == Slot::Other {
            point.slot = slot(point, signs);
        }
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
        Source::Cold => return 0.61,
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

/// Returns where something that was said belongs.
fn slot(point: &Point, signs: Signs) -> Slot {
    let is_users = point.source == Source::User;
    match () {
        () if signs.question => Slot::Other,
        () if signs.next && !is_users => Slot::Next,
        () if signs.rejection && !signs.error => Slot::Rejected,
        () if is_users && signs.wish => Slot::Wishes,
        () if signs.task && !signs.error => Slot::Open,
        () if signs.decision && !signs.error => Slot::Decisions,
        () if signs.error => Slot::Errors,
        () if signs.number || signs.identifier => Slot::Facts,
        () => Slot::Other,
    }
}

/// The first thing that the user asked for is the goal, unless an earlier digest names one.
fn set_goal(points: &mut [Point]) {
    if points.iter().any(|point| point.slot == Slot::Goal) {
        return;
    }
    let is_request = |point: &&mut Point| {
        point.source == Source::User && (words::hashes(&point.text).len() >= GOAL_WORDS || point.hold == Hold::Firm)
    };
    if let Some(goal) = points.iter_mut().find(is_request).filter(|goal| goal.slot == Slot::Other) {
        goal.slot = Slot::Goal;
        goal.worth = goal.worth.max(GOAL_WORTH);
    }
}

/// Of the steps that were announced the last one counts: the others were taken, or given up.
fn keep_newest_step(points: &mut [Point]) {
    let Some(newest) = points.iter().rposition(|point| point.slot == Slot::Next) else { return };
    for point in &mut points[..newest] {
        if point.slot == Slot::Next {
            point.slot = Slot::Other;
        }
    }
}

/// Fewer words than this are a greeting, no request.
const GOAL_WORDS: usize = 4;
/// A goal is worth as much as a remark with a number.
const GOAL_WORTH: f64 = 1.2;

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
