//! From the ranking to the texts that a model is given, within the budgets.

use std::path::{Path, PathBuf};

use mem_store::{Memory, World};
use mem_text::rank::{Hit, Matched};
use mem_text::{cut, secrets};
use mem_types::recall::{Recall, RecalledMemory, Why};
use mem_types::{Document, Problems};

use crate::candidates::foreign_dir;
use crate::choice::Choice;
use crate::note::{self, Cut};
use crate::{Args, cites};

/// Stands where a part of a memory is left out.
const GAP: &str = "[…]\n";
/// Of a memory whose best passage lies behind the limit, this share of the room goes to its beginning.
const HEAD_SHARE: usize = 4;

/// Serves memories until a budget is used up.
pub struct Serving<'a> {
    args: &'a Args,
    world: &'a World,
    own: Option<&'a Path>,
    project: PathBuf,
    used_before: u64,
    used: u64,
    is_exhausted: bool,
}

impl<'a> Serving<'a> {
    /// Returns a serving that starts with what the session has used.
    pub fn new(args: &'a Args, document: &Document, world: &'a World, own: Option<&'a Path>, used_before: u64) -> Self {
        let project = world.project_root(document, &mut Problems::default());
        Self { args, world, own, project, used_before, used: 0, is_exhausted: false }
    }

    /// Whether a memory that helps was left out for the session's budget.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// Adds the hits to the answer while the budgets last, and an entry for each that comes when they are used up.
    pub fn serve(&mut self, memories: &[&Memory], choice: &Choice, recall: &mut Recall, problems: &mut Problems) {
        for hit in &choice.hits {
            let memory = memories[hit.index];
            match self.one(memory, hit, recall.memories.len()) {
                Ok(recalled) => recall.memories.push(recalled),
                Err(why) => recall.passed_over.push(crate::passed_over(memory, why)),
            }
        }
        recall.budget.used_bytes = self.used;
        recall.budget.used_session_bytes = self.used_before + self.used;
        if self.is_exhausted {
            let left = self.left();
            problems
                .warning("session-budget-exhausted", format!("{left} of {} bytes are left", self.args.session_bytes))
                .hint("it starts again after a compaction; --session-bytes raises it");
        }
    }

    fn one(&mut self, memory: &Memory, hit: &Hit, served: usize) -> Result<RecalledMemory, String> {
        if served as u64 >= self.args.max_files {
            return Err(format!("the list was full: --max-files {}", self.args.max_files));
        }
        let (text, cut) = self.text(memory, hit);
        let size = text.len() as u64;
        if size > self.left() {
            self.is_exhausted = true;
            return Err(format!("{} of the session's bytes are left, it needs {size}", self.left()));
        }
        self.used += size;
        Ok(self.recalled(memory, hit, text, cut))
    }

    fn left(&self) -> u64 {
        self.args.session_bytes.saturating_sub(self.used_before).saturating_sub(self.used)
    }

    fn recalled(&self, memory: &Memory, hit: &Hit, text: String, cut: Option<Cut>) -> RecalledMemory {
        let age_days = memory.modified.map(|then| self.world.now().days_since(then));
        RecalledMemory {
            path: memory.path.clone(),
            dir: foreign_dir(memory, self.own),
            name: secrets::mask(&memory.name).into_owned(),
            kind: memory.kind.clone(),
            score: rounded(hit.score),
            why: hit.words.iter().map(why).collect(),
            age_days,
            note: note::of(age_days, cut.as_ref(), &memory.absolute().to_string_lossy()),
            cites: cites::check(&text, &self.project, self.world),
            truncated_by: cut.map(|cut| cut.by.to_owned()),
            text,
        }
    }

    /// Returns the text within the limits, secrets masked; a memory without a body is given by its description.
    fn text(&self, memory: &Memory, hit: &Hit) -> (String, Option<Cut>) {
        let body = memory.body().trim();
        let whole = secrets::mask(if body.is_empty() { memory.description.as_str() } else { body });
        let limit = usize::try_from(self.args.max_bytes).unwrap_or(usize::MAX);
        let lines = cut::lines(&whole, usize::try_from(self.args.max_lines).unwrap_or(usize::MAX));
        let (text, by) = if lines.len() > limit {
            (cut::at_newline(lines, limit), "bytes")
        } else if lines.len() < whole.len() {
            (lines, "lines")
        } else {
            return (whole.into_owned(), None);
        };
        let text = self.with_passage(memory, hit, &whole, text).unwrap_or_else(|| text.to_owned());
        let cut = Cut { by, given: text.len(), whole: whole.len() };
        (text, Some(cut))
    }

    /// Returns the beginning and the best passage, when that lies behind the limit that cut.
    fn with_passage(&self, memory: &Memory, hit: &Hit, whole: &str, kept: &str) -> Option<String> {
        let range = hit.passage.clone()?;
        let passage = secrets::mask(memory.body().get(range)?).trim().to_owned();
        let at = whole.find(&passage)?;
        if passage.is_empty() || at + passage.len() <= kept.len() {
            return None;
        }
        let room = kept.len().checked_sub(2 * GAP.len() + 1)?;
        let head = cut::at_newline(whole, room / HEAD_SHARE).trim_end();
        let lines = usize::try_from(self.args.max_lines).unwrap_or(usize::MAX).checked_sub(head.lines().count() + 3)?;
        let rest = cut::at_newline(cut::lines(&whole[at..], lines), room - head.len());
        let end = if at + rest.len() < whole.len() { GAP.trim_end() } else { "" };
        Some(format!("{head}\n{GAP}{}\n{end}", rest.trim_end()).trim_end().to_owned())
    }
}

pub fn why(word: &Matched) -> Why {
    Why { word: word.word.clone(), score: rounded(word.part) }
}

/// Three digits are enough to compare by, and the same on every machine.
pub fn rounded(score: f32) -> f64 {
    (f64::from(score) * 1000.0).round() / 1000.0
}
