//! The index as it should be: true to its files, within its limits, and otherwise as it was.

use mem_text::diff;
use mem_types::index::{Proposed, ProposedChange};

use crate::draft::Drafts;
use crate::fit::{self, Weights};
use crate::lines;
use crate::mend;
use crate::shelf::Shelf;
use mem_store::index_reading::Limits;

/// What the proposal keeps to.
pub struct Bounds {
    /// Most of the index that a model gets.
    pub limits: Limits,
    /// Most characters of an entry.
    pub line: usize,
}

/// Returns the links that lead nowhere, as changes that would mend them.
#[must_use]
pub fn dangling(raw: &str, shelf: &Shelf<'_>) -> Vec<ProposedChange> {
    let mut drafts = Drafts::of(raw, lines::of(raw), shelf);
    mend::links(&mut drafts, shelf);
    drafts.changes
}

/// Returns the index that is proposed in the place of `raw`, and what changes.
#[must_use]
pub fn of(raw: &str, shelf: &Shelf<'_>, weights: &Weights<'_>, bounds: &Bounds) -> Proposed {
    let mut drafts = Drafts::of(raw, lines::of(raw), shelf);
    mend::links(&mut drafts, shelf);
    mend::excerpt_marks(&mut drafts);
    mend::doubles(&mut drafts, shelf);
    mend::stale_hooks(&mut drafts, shelf, bounds.line);
    fit::shorten(&mut drafts, bounds.line);
    mend::orphans(&mut drafts, shelf, bounds.line);
    let left_out = fit::fit(&mut drafts, shelf, weights, &bounds.limits, bounds.line);
    note_new_lines(&mut drafts);
    let text = drafts.text();
    Proposed {
        state: if text == raw { "unchanged" } else { "proposed" }.into(),
        diff: diff::unified(raw, &text, "MEMORY.md", "MEMORY.md (proposed)"),
        changes: drafts.changes,
        left_out,
        text,
    }
}

fn note_new_lines(drafts: &mut Drafts<'_>) {
    let new = drafts.all.iter().filter(|draft| !draft.is_gone && draft.line.is_none()).map(|draft| ProposedChange {
        action: "add".into(),
        code: "orphan".into(),
        message: format!("no index line names '{}'", draft.owner.as_deref().unwrap_or_default()),
        line: None,
        path: draft.owner.clone(),
        from: None,
        to: Some(draft.text.clone().into_owned()),
    });
    let new: Vec<ProposedChange> = new.collect();
    drafts.changes.extend(new);
}
