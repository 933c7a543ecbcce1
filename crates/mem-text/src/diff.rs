//! Texts compared line by line: what changed, the same change made to another text, and how it looks to people.

use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, TextDiff, capture_diff_slices};

/// Most pairs of lines that are compared one by one; what is larger counts as replaced whole.
const MOST_PAIRS: usize = 25_000_000;
/// Lines of a unified diff that stand unchanged around a change.
const CONTEXT: usize = 2;

/// One place where two texts differ.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The unchanged line before it; nothing at the start of the text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<String>,
    /// Lines that the old text has here.
    pub removed: Vec<String>,
    /// Lines that the new text has here instead.
    pub added: Vec<String>,
}

impl Edit {
    /// Returns the edit that takes this one back.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { after: self.after.clone(), removed: self.added.clone(), added: self.removed.clone() }
    }
}

/// Returns where `new` differs from `old`, in the order of the lines.
#[must_use]
pub fn edits(old: &str, new: &str) -> Vec<Edit> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let own = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    changes(&old, &new)
        .into_iter()
        .map(|(old_range, new_range)| Edit {
            after: old_range.start.checked_sub(1).map(|at| old[at].to_owned()),
            removed: own(&old[old_range]),
            added: own(&new[new_range]),
        })
        .collect()
}

/// Returns `text` with the edits made in it as far as their lines are found there; all other lines keep their bytes.
///
/// A line that is to go and is not there is no fault. A line that is to come goes to the place of the first line that
/// went, else behind the line that was before it, else to the end.
#[must_use]
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    // Edits come in order, so each is sought behind the one before it first.
    let mut from = 0;
    for edit in edits {
        from = apply_one(&mut lines, edit, from, newline);
    }
    lines.concat()
}

/// Returns `theirs` with the changes from `base` to `ours` made in it.
#[must_use]
pub fn merge(base: &str, ours: &str, theirs: &str) -> String {
    if base == theirs { ours.to_owned() } else { apply(theirs, &edits(base, ours)) }
}

/// Returns a unified diff, as `diff -u` prints it; nothing when the texts are equal.
#[must_use]
pub fn unified(old: &str, new: &str, old_name: &str, new_name: &str) -> String {
    if old == new {
        return String::new();
    }
    let (old_lines, new_lines) = (old.lines().count(), new.lines().count());
    if old_lines.saturating_mul(new_lines) > MOST_PAIRS {
        return plain(old, new, old_name, new_name);
    }
    TextDiff::from_lines(old, new).unified_diff().context_radius(CONTEXT).header(old_name, new_name).to_string()
}

/// Texts too large to be compared in full: the places of [`edits`] without lines around them.
fn plain(old: &str, new: &str, old_name: &str, new_name: &str) -> String {
    let mut text = format!("--- {old_name}\n+++ {new_name}\n");
    for edit in edits(old, new) {
        text += "@@\n";
        edit.removed.iter().for_each(|line| text += &format!("-{line}\n"));
        edit.added.iter().for_each(|line| text += &format!("+{line}\n"));
    }
    text
}

type Span = std::ops::Range<usize>;

fn changes(old: &[&str], new: &[&str]) -> Vec<(Span, Span)> {
    let head = old.iter().zip(new).take_while(|(left, right)| left == right).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(left, right)| left == right).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let (old_middle, new_middle) = (&old[head..old_end], &new[head..new_end]);
    if old_middle.is_empty() && new_middle.is_empty() {
        return Vec::new();
    }
    if old_middle.len().saturating_mul(new_middle.len()) > MOST_PAIRS {
        return vec![(head..old_end, head..new_end)];
    }
    let mut spans: Vec<(Span, Span)> = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, old_middle, new_middle) {
        let (old, new) = (operation.old_range(), operation.new_range());
        let (old, new) = (head + old.start..head + old.end, head + new.start..head + new.end);
        match spans.last_mut() {
            _ if matches!(operation, DiffOp::Equal { .. }) => {}
            // What goes and what comes at one place are one change.
            Some(last) if last.0.end == old.start && last.1.end == new.start => {
                *last = (last.0.start..old.end, last.1.start..new.end);
            }
            _ => spans.push((old, new)),
        }
    }
    spans
}

/// Makes one edit and returns the line behind it.
fn apply_one(lines: &mut Vec<String>, edit: &Edit, from: usize, newline: &str) -> usize {
    let mut place = None;
    for removed in &edit.removed {
        if let Some(at) = find(lines, removed, place.unwrap_or(from)) {
            lines.remove(at);
            place = Some(place.map_or(at, |place: usize| place.min(at)));
        }
    }
    let behind = |lines: &[String]| edit.after.as_ref().and_then(|after| find(lines, after, from.saturating_sub(1)));
    let at = match (place, &edit.after) {
        (Some(place), _) => place,
        (None, None) => 0,
        (None, Some(_)) => behind(lines).map_or(lines.len(), |at| at + 1),
    };
    if edit.added.is_empty() {
        return at;
    }
    if at > 0 && !lines[at - 1].ends_with('\n') {
        lines[at - 1] += newline;
    }
    let added: Vec<String> = edit.added.iter().map(|line| format!("{line}{newline}")).collect();
    let behind = at + added.len();
    lines.splice(at..at, added);
    behind
}

/// Returns where a line stands: from `start` on, else anywhere.
fn find(lines: &[String], line: &str, start: usize) -> Option<usize> {
    let is_it = |found: &String| found.trim_end_matches(['\n', '\r']) == line;
    let start = start.min(lines.len());
    lines[start..].iter().position(is_it).map(|at| start + at).or_else(|| lines[..start].iter().position(is_it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_changed_is_there_afterwards() {
        for (base, ours, theirs, merged) in [
            ("a\nb\n", "a\nb\nc\n", "x\na\nb\n", "x\na\nb\nc\n"),
            ("a\nb\n", "a\n", "a\nb\nd\n", "a\nd\n"),
            ("a\nb\n", "a\nB\n", "a\nb\nd\n", "a\nB\nd\n"),
            ("a\n", "a\nb\n", "", "b\n"),
            ("a\n", "a\nb\n", "a\nc", "a\nb\nc"),
            ("", "b\n", "a", "b\na"),
            ("a\r\nb\r\n", "a\r\nb\r\nc\r\n", "a\r\nx\r\nb\r\n", "a\r\nx\r\nb\r\nc\r\n"),
        ] {
            assert_eq!(merge(base, ours, theirs), merged, "{base:?} {ours:?} {theirs:?}");
        }
    }

    #[test]
    fn an_edit_that_is_taken_back_leaves_what_was() {
        for (old, new) in [("a\nb\nc\n", "a\nc\nd\n"), ("", "x\n"), ("a\na\nb\n", "a\nb\n"), ("b\n", "a\nb\n")] {
            let edits = edits(old, new);
            assert_eq!(apply(old, &edits), new);
            let back: Vec<Edit> = edits.iter().map(Edit::reversed).collect();
            assert_eq!(apply(new, &back), old);
        }
    }

    #[test]
    fn a_unified_diff_shows_both_lines() {
        let diff = unified("a\nb\n", "a\nc\n", "MEMORY.md", "MEMORY.md (proposed)");
        assert_eq!(diff, "--- MEMORY.md\n+++ MEMORY.md (proposed)\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
        assert_eq!(unified("a", "a", "x", "y"), "");
    }

    #[test]
    fn texts_too_large_to_compare_are_replaced_whole() {
        let number = |from: usize| (from..from + 6000).map(|n| format!("{n}\n")).collect::<String>();
        let (old, new) = (number(0), number(10_000));
        assert_eq!(edits(&old, &new).len(), 1);
        assert_eq!(merge(&old, &new, &old), new);
        assert!(unified(&old, &new, "a", "b").contains("\n+10000\n"));
    }
}
