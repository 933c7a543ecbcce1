//! What the model has been shown in this session and still has in its context.

use mem_store::World;
use mem_types::Document;
use mem_types::recall::{Recall, RecalledMemory};
use mem_types::session::Shown;
use serde::{Deserialize, Serialize};

/// The part of `.session` that is mem-recall's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Part {
    /// What was chosen since the last compaction, oldest first.
    pub shown: Vec<Shown>,
}

/// What other turns of the same epoch have shown. This turn's own choice is left out, so that a rerun chooses again.
#[derive(Debug, Default)]
pub struct Seen {
    others: Vec<Shown>,
    had_part: bool,
}

impl Seen {
    /// Returns what `.session` says.
    pub fn read(document: &Document, world: &World) -> Self {
        Self::of_turns(document, world, |shown, turn| shown.turn != turn)
    }

    /// Returns what `.session` says, with what other calls of this very turn have shown.
    pub fn of_all_turns(document: &Document, world: &World) -> Self {
        Self::of_turns(document, world, |_, _| true)
    }

    fn of_turns(document: &Document, world: &World, fits: impl Fn(&Shown, &str) -> bool) -> Self {
        let part: Option<Part> = world.session_part(document, "recall");
        let printed: Vec<Shown> = world.session_part(document, "shown").unwrap_or_default();
        let (turn, epoch) = (world.turn(document), world.epoch(document));
        let counts = |shown: &Shown| shown.epoch == epoch && fits(shown, &turn);
        let had_part = part.is_some();
        let chosen = part.unwrap_or_default().shown.into_iter().filter(|shown| counts(shown));
        let mut others: Vec<Shown> = chosen.filter(|one| was_printed(one, &printed)).collect();
        for shown in printed.into_iter().filter(|shown| counts(shown)) {
            if !others.iter().any(|other| other.path == shown.path) {
                others.push(shown);
            }
        }
        Self { others, had_part }
    }

    /// Returns the bytes that are still in context.
    pub fn bytes(&self) -> u64 {
        self.others.iter().fold(0, |sum, shown| sum.saturating_add(shown.bytes))
    }

    /// Whether the model has none.
    pub fn is_empty(&self) -> bool {
        self.others.is_empty()
    }

    /// Whether the model has this memory before it.
    pub fn has(&self, path: &str) -> bool {
        self.others.iter().any(|shown| shown.path == path)
    }

    /// Returns the part to keep, with this turn's choice; nothing when there is nothing to keep.
    pub fn with(mut self, recall: &Recall, document: &Document, world: &World) -> Option<Part> {
        let (turn, epoch) = (world.turn(document), world.epoch(document));
        let note = |memory: &RecalledMemory| Shown {
            path: shown_path(memory.dir.as_deref(), &memory.path),
            bytes: memory.text.len() as u64,
            turn: turn.clone(),
            epoch,
        };
        self.others.extend(recall.memories.iter().map(note));
        (self.had_part || !self.others.is_empty()).then_some(Part { shown: self.others })
    }
}

/// Returns the name under which a memory is noted: relative in one's own folder, else absolute.
pub fn shown_path(dir: Option<&str>, path: &str) -> String {
    match dir {
        Some(dir) => format!("{}/{path}", dir.trim_end_matches('/')),
        None => path.to_owned(),
    }
}

/// A choice of a turn that printed something else was never before the model: a hook's answer had no room for it.
fn was_printed(chosen: &Shown, printed: &[Shown]) -> bool {
    let mut of_turn =
        printed.iter().filter(|shown| shown.turn == chosen.turn && shown.epoch == chosen.epoch).peekable();
    of_turn.peek().is_none() || of_turn.any(|shown| shown.path == chosen.path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mem_store::{Environment, Moment};

    fn check(session: &str, paths: &[&str], bytes: u64) {
        let world = World::new(Environment::default(), Moment::parse("2026-11-30T12:00:00Z").unwrap());
        let line = format!(r#"{{"prompt_id":"now","session":{session}}}"#);
        let seen = Seen::read(&Document::parse(&line).unwrap(), &world);
        let found: Vec<&str> = seen.others.iter().map(|shown| shown.path.as_str()).collect();
        assert_eq!((found.as_slice(), seen.bytes()), (paths, bytes), "{session}");
    }

    #[test]
    fn other_turns_count_and_this_turn_does_not() {
        let shown = r#"[{"path":"a.md","bytes":10,"turn":"old"},{"path":"b.md","bytes":5,"turn":"now"}]"#;
        check(&format!(r#"{{"recall":{{"shown":{shown}}}}}"#), &["a.md"], 10);
        check(&format!(r#"{{"shown":{shown}}}"#), &["a.md"], 10);
    }

    #[test]
    fn after_a_compaction_it_starts_again() {
        check(r#"{"recall":{"shown":[{"path":"a.md","bytes":10,"turn":"old"}]},"compact":{"epoch":1}}"#, &[], 0);
    }

    #[test]
    fn what_was_chosen_but_had_no_room_counts_as_not_shown() {
        let chosen = r#"[{"path":"a.md","bytes":10,"turn":"old"},{"path":"b.md","bytes":20,"turn":"old"}]"#;
        let printed = r#"[{"path":"a.md","bytes":10,"turn":"old"}]"#;
        check(&format!(r#"{{"recall":{{"shown":{chosen}}},"shown":{printed}}}"#), &["a.md"], 10);
    }

    #[test]
    fn a_session_of_another_shape_counts_as_none() {
        check(r#"{"recall":[1],"shown":"x"}"#, &[], 0);
        check("[]", &[], 0);
    }
}
