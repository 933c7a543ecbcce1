//! The writer's change of the index, beside programs that know no lock and write it, too.

use std::io;
use std::time::{Duration, Instant};

use mem_text::diff::{self, Edit};

use super::Writer;
use crate::archive;
use crate::index_file;
use crate::put::onward::{self, Haste, Onward};
use crate::put::{self, Put};
use crate::strangers::{Strangers, has_line};

/// How long we try while others write the index all the time.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a synced file comes too late before we sync after the exchange.
const CALM_ATTEMPTS: usize = 3;
/// How long we look whether somebody saves what he read too early. A program takes about a millisecond.
const REST: Duration = Duration::from_millis(15);

/// One change of the index under way.
struct Change<'a, F> {
    edit: &'a F,
    /// What it came to the last time, in the text that it was made in.
    edits: Vec<Edit>,
    /// The beginnings of that text and of the new one, up to the last difference.
    heads: Option<(String, String)>,
    strangers: Strangers,
    /// Texts of strangers out of which our change removed lines.
    reduced: Vec<String>,
}

impl<F: Fn(&str) -> String> Change<'_, F> {
    /// Returns what shall stand in the place of `text`: with our change, and with the lines that it hides.
    fn renew(&mut self, text: &str) -> String {
        let whole = self.strangers.restore(text);
        if self.is_in(&whole) {
            return whole;
        }
        if let Some(new) = self.renew_quickly(&whole) {
            return new;
        }
        let new = (self.edit)(&whole);
        self.edits = diff::edits(&whole, &new);
        self.heads = Some(heads(&whole, &new));
        new
    }

    /// The same for a text that goes on differently behind our change, and links to nothing there. Others write every
    /// few milliseconds, and to go through a long index takes longer.
    fn renew_quickly(&self, text: &str) -> Option<String> {
        let (old, new) = self.heads.as_ref().filter(|(old, _)| !self.edits.is_empty() && old.ends_with('\n'))?;
        let rest = text.strip_prefix(old.as_str()).filter(|rest| !rest.contains('['))?;
        Some(format!("{new}{rest}"))
    }

    /// Whether the lines that we add are there already: the text was made from ours.
    fn is_in(&self, text: &str) -> bool {
        let mut added = self.edits.iter().flat_map(|edit| &edit.added).peekable();
        added.peek().is_some() && added.all(|line| has_line(text, line))
    }

    /// Returns what shall stand in the place of ours, `stands`, for which a stranger's file came out.
    fn merge(&mut self, stands: &[u8], came_out: &[u8]) -> Option<Vec<u8>> {
        let (stands, came_out) = (str::from_utf8(stands).ok()?, str::from_utf8(came_out).ok()?);
        self.strangers.remember(stands, came_out);
        let new = self.renew(came_out);
        if self.removes() {
            self.reduced.push(came_out.to_owned());
        }
        Some(new.into_bytes())
    }

    fn removes(&self) -> bool {
        self.edits.iter().any(|edit| !edit.removed.is_empty())
    }
}

/// Returns both texts without the lines at their ends that are alike.
fn heads(old: &str, new: &str) -> (String, String) {
    let (old_lines, new_lines) = (old.split_inclusive('\n').rev(), new.split_inclusive('\n').rev());
    let same: usize = old_lines.zip(new_lines).take_while(|(old, new)| old == new).map(|(line, _)| line.len()).sum();
    (old[..old.len() - same].to_owned(), new[..new.len() - same].to_owned())
}

impl Writer<'_> {
    /// Changes the index as it is at that moment and says whether that made a difference.
    pub(super) fn edit_index(&mut self, edit: impl Fn(&str) -> String) -> io::Result<bool> {
        let strangers = Strangers::read(&self.held);
        let mut change = Change { edit: &edit, edits: Vec::new(), heads: None, strangers, reduced: Vec::new() };
        let result = self.try_index(&mut change);
        change.strangers.write(&self.held)?;
        for text in &change.reduced {
            archive::keep(&self.held, &self.stamp, index_file::NAME, text.as_bytes())?;
        }
        result?;
        let is_changed = !change.edits.is_empty();
        self.index.extend(change.edits);
        Ok(is_changed)
    }

    fn try_index<F: Fn(&str) -> String>(&mut self, change: &mut Change<'_, F>) -> io::Result<()> {
        let start = Instant::now();
        let (mut attempts, mut is_in, mut is_restless) = (0, false, false);
        loop {
            self.lock.show_work();
            let old = self.read_index()?;
            let text = old.as_deref().unwrap_or_default();
            let new = change.renew(text);
            if new == text {
                change.strangers.keep_those_in(&new);
                return Ok(());
            }
            if change.removes() {
                archive::keep(&self.held, &self.stamp, index_file::NAME, text.as_bytes())?;
            }
            let haste = if attempts < CALM_ATTEMPTS { Haste::Calm } else { Haste::Hurried };
            let put = self.put_index(old.as_deref(), &new, haste, change)?;
            is_in |= put != Onward::Changed;
            is_restless |= put != Onward::Done;
            if put == Onward::Done {
                change.strangers.keep_those_in(&new);
            }
            if is_in && (!is_restless || start.elapsed() > PATIENCE) {
                return Ok(());
            }
            if start.elapsed() > PATIENCE {
                return Err(io::Error::other("somebody else writes MEMORY.md all the time"));
            }
            if put != Onward::Changed {
                std::thread::sleep(REST);
            }
            attempts += 1;
        }
    }

    fn put_index<F: Fn(&str) -> String>(
        &self,
        old: Option<&str>,
        new: &str,
        haste: Haste,
        change: &mut Change<'_, F>,
    ) -> io::Result<Onward> {
        let Some(old) = old else {
            let put = put::put(&self.held, index_file::NAME, None, new.as_bytes())?;
            return Ok(if put == Put::Done { Onward::Done } else { Onward::Changed });
        };
        let bytes = (old.as_bytes(), new.as_bytes());
        onward::put(&self.held, index_file::NAME, bytes, haste, |stands, came_out| change.merge(stands, came_out))
    }
}
