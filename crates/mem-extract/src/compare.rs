//! Sets what was learned against what is known: memories that exist, and the instructions that are loaded.

use mem_text::similar::{self, Features, Likeness};

use crate::claims::Claim;
use crate::cue::Cue;
use crate::numbers::{self, Numbers};
use crate::reading;
use crate::retraction;
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
    if let Some(at) = given_up(claim, &known.memories) {
        return Outcome::Update(at);
    }
    match known.instructions.iter().flat_map(|text| text.lines()).find(|line| repeats(&said, line)) {
        Some(line) if reinforces(claim) || is_exception(claim) => {
            Outcome::Reinforces(line.trim_start_matches(['-', '*', ' ']).trim().to_owned())
        }
        Some(_) => Outcome::InInstructions,
        None => Outcome::Create,
    }
}

/// The share of a memory's words that must be given up for it to be the one that is changed.
const GIVEN_UP: f64 = 0.34;

/// Returns the memory whose matter a claim gives up for something else: "npm instead of pnpm".
fn given_up(claim: &Claim, memories: &[Memory]) -> Option<usize> {
    let given_up = retraction::given_up(&claim.text());
    let instead = claim.instead.as_deref().map(|text| (terms(text), retraction::topics(text)));
    let own = terms(&claim.text());
    let holding = memories.iter().enumerate().filter(|(_, memory)| memory.holds && memory.kind == claim.kind.word());
    let shares = holding.filter_map(|(at, memory)| {
        let text = format!("{} {}", memory.description, holding_part(&memory.body));
        let words = terms(&text);
        let part = |of: &std::collections::BTreeSet<String>| {
            of.intersection(&words).count() as f64 / words.len().max(1) as f64
        };
        let forbids = reading::signs(&memory.description).has(Cue::Prohibition);
        let named = if forbids || words.is_subset(&own) { 0.0 } else { part(&given_up) };
        let replaced = instead.as_ref().map_or(0.0, |(said, topics)| {
            let is_said = part(said) >= 0.75 && words.len() > 1;
            if is_said || retraction::share(topics, &words) > 0.0 { 1.0 } else { 0.0 }
        });
        (named >= GIVEN_UP || replaced > 0.0).then_some((named.max(replaced), at))
    });
    shares.max_by(|left, right| left.0.total_cmp(&right.0).then(right.1.cmp(&left.1))).map(|(_, at)| at)
}

/// Returns the memory that a retraction is about.
pub fn withdrawn(claim: &Claim, memories: &[Memory]) -> Option<usize> {
    let topics = retraction::topics(&claim.text());
    let shares = memories.iter().enumerate().filter(|(_, memory)| memory.holds);
    let shares = shares.map(|(at, memory)| (retraction::share(&topics, &terms(&full(memory))), at));
    let found = shares.filter(|(share, _)| *share > 0.0);
    found.max_by(|left, right| left.0.total_cmp(&right.0).then(right.1.cmp(&left.1))).map(|(_, at)| at)
}

/// Returns the body of a memory that is updated: the new words, and the old ones with the day on which they ended.
pub fn updated_body(draft: &Draft, memory: &Memory, day: &str) -> String {
    let old = memory.body.split("\n\n").find(|part| !part.trim().is_empty()).unwrap_or(&memory.description);
    format!("{}\n\n{}", draft.body, until(old, day))
}

/// Returns the part of a body that still holds: what ended stands below it.
fn holding_part(body: &str) -> &str {
    body.split("\n\n").find(|part| !part.trim().is_empty()).unwrap_or(body)
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
        let numbers = numbers::compare(text, holding_part(&memory.body));
        let Some(is_same) = relation(claim, likeness, share, other.withdrawn_by(&features), numbers) else { continue };
        let score = likeness.score.max(share);
        if best.is_none_or(|(best, ..)| score > best) {
            best = Some((score, at, is_same));
        }
    }
    best.map(|(_, at, is_same)| (at, is_same))
}

/// Returns whether a memory says the same (true), something that this changes (false), or nothing of it.
fn relation(claim: &Claim, likeness: Likeness, share: f64, withdrawn: (f64, f64), numbers: Numbers) -> Option<bool> {
    let changes = claim.cues.has(Cue::Change) && (share >= 0.34 || likeness.contained >= 0.5)
        || withdrawn.0 >= 0.5 && withdrawn.1 >= 0.5 && share >= 0.4;
    if changes || (likeness.signs_differ || numbers == Numbers::OneValue) && share >= 0.6 {
        return Some(false);
    }
    if likeness.values_differ || numbers != Numbers::Same {
        return None;
    }
    let is_same = likeness.score >= similar::SAME
        || share >= 0.75 && !likeness.names_differ
        || claim.cues.has(Cue::Complaint) && share >= 0.5;
    is_same.then_some(true)
}

/// Whether a line of the instructions says what the text says.
pub fn repeats(text: &str, line: &str) -> bool {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::claims::gather;
    use crate::reading::Utterance;
    use crate::wording;

    fn check(text: &str, memory: &str, instructions: &str, expected: fn(&Outcome) -> bool) {
        let said = Utterance { id: "m".into(), text: text.into(), moment: None, before: String::new() };
        let lesson = gather(&[said]);
        let claim = lesson.claims.first().expect(text);
        let memory = Memory {
            kind: claim.kind.word().into(),
            description: memory.into(),
            body: memory.into(),
            holds: true,
            ..Memory::default()
        };
        let known = Known { memories: vec![memory], instructions: vec![instructions.into()] };
        let outcome = compare(claim, &wording::word(claim), &known);
        assert!(expected(&outcome), "{text}: {outcome:?}");
    }

    #[test]
    fn what_a_memory_says_already_is_not_written_again() {
        let same: fn(&Outcome) -> bool = |outcome| *outcome == Outcome::Same(0);
        check("Remember, no emojis in commit messages.", "Do not put emojis in commit messages.", "", same);
        check("回答一律用中文。", "回答用中文。", "", same);
    }

    #[test]
    fn a_changed_value_updates_the_memory() {
        let update: fn(&Outcome) -> bool = |outcome| *outcome == Outcome::Update(0);
        let memory = "Deploy production only on Friday afternoon.";
        check("That changed. Deploys go out on Tuesday mornings now, not Fridays any more.", memory, "", update);
        check("约定改了，e2e 现在统一用 Firefox 跑。", "e2e 测试统一用 Chrome 跑。", "", update);
    }

    #[test]
    fn what_is_given_up_by_name_changes_the_memory_that_says_it() {
        let update: fn(&Outcome) -> bool = |outcome| *outcome == Outcome::Update(0);
        let memory = "Use pnpm for installs.";
        for text in [
            "From now on use npm instead of pnpm.",
            "别用pnpm了，以后都用npm。",
            "Forget about pnpm, use npm from now on.",
            "Actually no, use npm for installs from now on.",
        ] {
            check(text, memory, "", update);
        }
        let new: fn(&Outcome) -> bool = |outcome| *outcome == Outcome::Create;
        check("Always indent with tabs, not spaces.", "Never put spaces into file names.", "", new);
    }

    #[test]
    fn facts_about_several_things_of_a_kind_stand_side_by_side() {
        let new: fn(&Outcome) -> bool = |outcome| *outcome == Outcome::Create;
        check("Remember that service 7 listens on port 9049.", "Service 8 listens on port 9056.", "", new);
        let update: fn(&Outcome) -> bool = |outcome| *outcome == Outcome::Update(0);
        check("Remember that invoices stay under 300 KB.", "Invoices stay under 200 KB.", "", update);
    }

    #[test]
    fn what_the_instructions_say_is_refused_unless_it_was_not_followed() {
        let instructions = "# Rules\n- Use conventional commits for all commit messages.\n- Package manager: pnpm.";
        let known: fn(&Outcome) -> bool = |outcome| *outcome == Outcome::InInstructions;
        check("Always use conventional commits for commit messages.", "", instructions, known);
        let reinforces: fn(&Outcome) -> bool = |outcome| matches!(outcome, Outcome::Reinforces(_));
        let complaint = "You ignored the rule again. Conventional commits for all commit messages, every time.";
        check(complaint, "", instructions, reinforces);
    }

    #[test]
    fn what_is_new_is_created() {
        let new: fn(&Outcome) -> bool = |outcome| *outcome == Outcome::Create;
        check("Never log phone numbers.", "Deploys happen on Fridays.", "- Use tabs.", new);
    }
}
