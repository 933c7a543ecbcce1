//! Sets what was learned against what is known: memories that exist, and the instructions that are loaded.

use mem_text::similar::{self, Features, Likeness};

use crate::claims::Claim;
use crate::cue::Cue;
use crate::terms::{contained, terms};
use crate::wording::{Draft, reinforces, until};

/// A memory that exists.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Its file, relative to the memory folder.
    pub path: String,
    /// Its type, as it stands there.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Its text.
    pub body: String,
    /// SHA-256 of its file.
    pub sha256: Option<String>,
    /// Whether it still holds; one that was taken back says nothing.
    pub holds: bool,
}

/// What is known before.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The memories.
    pub memories: Vec<Memory>,
    /// The texts of the instructions that are loaded.
    pub instructions: Vec<String>,
}

/// What is to be done with something learned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is new.
    Create,
    /// A memory says it already; its place in the list.
    Same(usize),
    /// It changes or completes a memory; its place in the list.
    Update(usize),
    /// The instructions say it already.
    InInstructions,
    /// The instructions say it, and it is kept all the same: it was not followed, or this is an exception. The line.
    Reinforces(String),
}

/// Returns what is to be done with a claim.
pub fn compare(claim: &Claim, draft: &Draft, known: &Known) -> Outcome {
    let said = format!("{}\n{}", draft.description, claim.text());
    if let Some((at, is_same)) = nearest(claim, draft.body.split("\n\n").next().unwrap_or_default(), &known.memories) {
        return if is_same { Outcome::Same(at) } else { Outcome::Update(at) };
    }
    match known.instructions.iter().flat_map(|text| text.lines()).find(|line| repeats(&said, line)) {
        Some(line) if reinforces(claim) || is_exception(claim) => {
            Outcome::Reinforces(line.trim_start_matches(['-', '*', ' ']).trim().to_owned())
        }
        Some(_) => Outcome::InInstructions,
        None => Outcome::Create,
    }
}

/// Returns the memory that a retraction is about.
pub fn withdrawn(claim: &Claim, memories: &[Memory]) -> Option<usize> {
    let topic = terms(&claim.text());
    let best = memories
        .iter()
        .enumerate()
        .filter(|(_, memory)| memory.holds)
        .map(|(at, memory)| (contained(&topic, &terms(&full(memory))), at));
    best.filter(|(share, _)| *share >= 0.5)
        .max_by(|left, right| left.0.total_cmp(&right.0).then(right.1.cmp(&left.1)))
        .map(|(_, at)| at)
}

/// Returns the body of a memory that is updated: the new words, and the old ones with the day on which they ended.
pub fn updated_body(draft: &Draft, memory: &Memory, day: &str) -> String {
    let old = memory.body.split("\n\n").find(|part| !part.trim().is_empty()).unwrap_or(&memory.description);
    format!("{}\n\n{}", draft.body, until(old, day))
}

fn full(memory: &Memory) -> String {
    format!("{}\n{}\n{}", memory.name.replace(['-', '_'], " "), memory.description, memory.body)
}

/// Returns the memory nearest to the text, and whether it says the same.
fn nearest(claim: &Claim, text: &str, memories: &[Memory]) -> Option<(usize, bool)> {
    let features = Features::of(text);
    let own = terms(text);
    let mut best: Option<(f64, usize, bool)> = None;
    for (at, memory) in memories.iter().enumerate().filter(|(_, memory)| memory.holds) {
        let other = Features::of(&format!("{}\n{}", memory.description, memory.body));
        let likeness = similar::compare(&features, &other);
        let share = contained(&own, &terms(&full(memory)));
        let Some(is_same) = relation(claim, likeness, share, other.withdrawn_by(&features)) else { continue };
        let score = likeness.score.max(share);
        if best.is_none_or(|(best, ..)| score > best) {
            best = Some((score, at, is_same));
        }
    }
    best.map(|(_, at, is_same)| (at, is_same))
}

/// Returns whether a memory says the same (true), something that this changes (false), or nothing of it.
fn relation(claim: &Claim, likeness: Likeness, share: f64, withdrawn: (f64, f64)) -> Option<bool> {
    let changes = claim.cues.has(Cue::Change) && (share >= 0.34 || likeness.contained >= 0.5)
        || withdrawn.0 >= 0.5 && withdrawn.1 >= 0.5 && share >= 0.4;
    let differs = likeness.values_differ || likeness.signs_differ;
    if changes || differs && share >= 0.6 {
        return Some(false);
    }
    let is_same = likeness.score >= similar::SAME
        || share >= 0.75 && !likeness.names_differ
        || claim.cues.has(Cue::Complaint) && share >= 0.5;
    is_same.then_some(true)
}

/// Whether a line of the instructions says what the text says.
fn repeats(text: &str, line: &str) -> bool {
    let (own, other) = (terms(text), terms(line));
    if other.len() < 2 || own.is_empty() {
        return false;
    }
    let likeness = similar::compare(&Features::of(text), &Features::of(line));
    likeness.score >= similar::SAME || contained(&own, &other) >= 0.6 && !likeness.values_differ
}

/// Whether the claim makes an exception: "except", 除了.
fn is_exception(claim: &Claim) -> bool {
    let text = claim.text().to_lowercase();
    ["except", "unless", "apart from", "other than", "除了", "除非", "例外", "但是"]
        .iter()
        .any(|word| text.contains(word))
}
