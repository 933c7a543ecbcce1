//! The index on its way from what it is to what it should be, line by line, with a note for each change.

use std::borrow::Cow;
use std::collections::BTreeSet;

use mem_types::index::ProposedChange;

use crate::lines::Line;
use crate::shelf::{Place, Shelf};

/// One line on its way.
pub struct Draft<'a> {
    /// As it stands in the file; nothing for a new line.
    pub line: Option<Line<'a>>,
    /// As it will stand there, without its ending.
    pub text: Cow<'a, str>,
    /// Whether it goes.
    pub is_gone: bool,
    /// The one memory that an entry is about; nothing when it has no link or several.
    pub owner: Option<String>,
}

/// The whole index on its way.
pub struct Drafts<'a> {
    /// The lines in order.
    pub all: Vec<Draft<'a>>,
    /// What changed, in the order in which it was decided.
    pub changes: Vec<ProposedChange>,
    newline: &'static str,
}

impl Draft<'_> {
    /// Whether it is an entry that may be changed.
    #[must_use]
    pub fn is_free_entry(&self) -> bool {
        !self.is_gone && self.line.as_ref().is_some_and(|line| line.is_entry && !line.is_pinned)
    }

    /// Whether it is an entry, old or new, pinned or not.
    #[must_use]
    pub fn is_entry(&self) -> bool {
        !self.is_gone && self.line.as_ref().is_none_or(|line| line.is_entry)
    }

    /// Whether it is pinned.
    #[must_use]
    pub fn is_pinned(&self) -> bool {
        self.line.as_ref().is_some_and(|line| line.is_pinned)
    }

    fn number(&self) -> Option<u64> {
        self.line.as_ref().map(|line| line.number as u64)
    }
}

impl<'a> Drafts<'a> {
    /// Returns the lines of `raw` as they are.
    #[must_use]
    pub fn of(raw: &str, lines: Vec<Line<'a>>, shelf: &Shelf<'_>) -> Self {
        let newline = if raw.contains("\r\n") { "\r\n" } else { "\n" };
        let draft = |line: Line<'a>| Draft {
            text: Cow::Borrowed(line.text),
            owner: owner(&line, shelf),
            line: Some(line),
            is_gone: false,
        };
        Self { all: lines.into_iter().map(draft).collect(), changes: Vec::new(), newline }
    }

    /// Gives a line another text and notes why.
    pub fn change(&mut self, at: usize, code: &str, message: String, to: String) {
        let draft = &self.all[at];
        self.changes.push(ProposedChange {
            action: "change".into(),
            code: code.into(),
            message,
            line: draft.number(),
            path: draft.owner.clone(),
            from: Some(draft.text.clone().into_owned()),
            to: Some(to.clone()),
        });
        self.all[at].text = Cow::Owned(to);
    }

    /// Takes a line out and notes why. A line that was new is simply no longer there.
    pub fn remove(&mut self, at: usize, code: &str, message: String, path: Option<String>) {
        let draft = &mut self.all[at];
        draft.is_gone = true;
        let original = draft.line.as_ref().map_or(draft.text.as_ref(), |line| line.text);
        let change = ProposedChange {
            action: "remove".into(),
            code: code.into(),
            message,
            line: draft.number(),
            path,
            from: Some(original.to_owned()),
            to: None,
        };
        self.changes.push(change);
    }

    /// Puts a new line behind the line at `after`, or at the end.
    pub fn add(&mut self, after: Option<usize>, path: &str, text: String) {
        let draft = Draft { line: None, text: Cow::Owned(text), is_gone: false, owner: Some(path.to_owned()) };
        let at = after.map_or(0, |after| after + 1);
        self.all.insert(at, draft);
    }

    /// Returns the files that some line names, in entries and in running text.
    #[must_use]
    pub fn listed(&self, shelf: &Shelf<'_>) -> BTreeSet<String> {
        let mut listed = BTreeSet::new();
        for draft in self.all.iter().filter(|draft| !draft.is_gone) {
            listed.extend(draft.owner.clone());
            for link in draft.line.iter().flat_map(|line| &line.links) {
                if let Place::Memory(path) = shelf.place(link.target, link.is_wiki) {
                    listed.insert(path);
                }
            }
        }
        listed
    }

    /// Returns the index as it will be. Lines that did not change keep their bytes.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for draft in self.all.iter().filter(|draft| !draft.is_gone) {
            if !text.is_empty() && !text.ends_with('\n') {
                text += self.newline;
            }
            text += &draft.text;
            text += draft.line.as_ref().map_or(self.newline, |line| line.ending);
        }
        text
    }
}

fn owner(line: &Line<'_>, shelf: &Shelf<'_>) -> Option<String> {
    let [link] = line.links.as_slice() else { return None };
    match shelf.place(link.target, link.is_wiki) {
        Place::Memory(path) if line.is_entry => Some(path),
        _ => None,
    }
}
