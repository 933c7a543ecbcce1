//! Takes the last run back, and brings single memories back from the archive.

use std::io;

use mem_types::Failure;

use super::{After, CHANGED_SINCE, Done, Record, Step, Upkeep, bad_record, record as upkeep_record, records};
use crate::archived::{self, Archived};
use crate::change::Outcome;
use crate::hash::sha256;
use crate::moment::Moment;
use crate::sight::archived_bytes;
use crate::{index_file, put};

impl Upkeep<'_> {
    /// Gives each file that the last run changed its old bytes back; nothing when no run is left to be undone.
    ///
    /// A file that was changed since keeps what it has now, is named, and stays to be taken back another time. An index
    /// that was changed since gets back only the lines of the files that come back.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn undo(&self, now: &Moment) -> Result<Option<Done>, Failure> {
        let Some(name) = self.told(records(self.held()))?.pop() else { return Ok(None) };
        let record = self.told(upkeep_record(self.held(), &name))?.ok_or_else(|| bad_record(&name))?;
        let at = now.timestamp().strftime("%Y%m%dT%H%M%SZ").to_string();
        let mut refused = Vec::new();
        let mut steps = Vec::new();
        for step in record.steps.iter().rev().filter(|step| !step.is_index()) {
            match self.told(self.reversed(step, &at))? {
                Some(step) => steps.push(step),
                None => refused.push((step.path.clone(), Outcome::Refused(CHANGED_SINCE.to_owned()))),
            }
        }
        for step in record.steps.iter().filter(|step| step.is_index()) {
            let is_whole = refused.is_empty() && self.told(step.is_as_left(self.held()))?;
            let back = if is_whole { self.reversed(step, &at) } else { self.index_back(step, &steps, &at).map(Some) };
            steps.extend(self.told(back)?);
        }
        let pending = Record { at, steps, undoes: Some(name) };
        self.told(self.note(&pending))?;
        let mut done = self.finish()?.unwrap_or(Done { at: record.at.clone(), files: Vec::new(), is_undo: true });
        done.at = record.at;
        done.files.extend(refused);
        done.files.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(Some(done))
    }

    /// Returns the step back; nothing when the file has changed since.
    fn reversed(&self, step: &Step, at: &str) -> io::Result<Option<Step>> {
        if !step.is_as_left(self.held())? {
            return Ok(None);
        }
        let now = put::read(self.held(), &step.path)?;
        let before = now.map(|now| self.kept(at, &step.path, &now)).transpose()?;
        let mut after = None;
        if let Some(old) = &step.before {
            after = Some(After {
                sha256: old.sha256.clone(),
                text: None,
                archive: Some(old.archive.clone()),
                time: archived::time(self.held(), &old.archive)?,
            });
        }
        Ok(Some(Step { path: step.path.clone(), before, after }))
    }

    /// An index that others have changed since keeps their lines and gets back those of the files that come back.
    fn index_back(&self, step: &Step, others: &[Step], at: &str) -> io::Result<Step> {
        let now = put::read(self.held(), &step.path)?;
        let mut text = String::from_utf8_lossy(now.as_deref().unwrap_or_default()).into_owned();
        let old = step.before.as_ref().map(|old| archived_bytes(self.held(), &old.archive)).transpose()?.flatten();
        let old = String::from_utf8_lossy(&old.unwrap_or_default()).into_owned();
        for other in others {
            let was_listed = |line: &&str| index_file::entry(line).is_some_and(|entry| entry.target == other.path);
            text = match old.lines().find(was_listed) {
                Some(line) => index_file::with_line(&text, &other.path, line),
                None => index_file::without_line(&text, &other.path),
            };
        }
        let before = now.map(|now| self.kept(at, &step.path, &now)).transpose()?;
        let after = Some(After { sha256: sha256(text.as_bytes()), text: Some(text), archive: None, time: None });
        Ok(Step { path: step.path.clone(), before, after })
    }

    /// Brings an archived file back to `path` with its old time, and lists it in the index with `line`.
    ///
    /// What is there now goes to the archive first.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn bring_back(&self, file: &Archived, path: &str, line: &str, now: &Moment) -> Result<Done, Failure> {
        let at = now.timestamp().strftime("%Y%m%dT%H%M%SZ").to_string();
        let record = self.told(self.steps_back(file, path, line, &at))?;
        self.told(self.note(&record))?;
        Ok(self.finish()?.unwrap_or(Done { at, files: Vec::new(), is_undo: false }))
    }

    fn steps_back(&self, file: &Archived, path: &str, line: &str, at: &str) -> io::Result<Record> {
        let bytes = archived_bytes(self.held(), &file.file)?.unwrap_or_default();
        let now = put::read(self.held(), path)?;
        let before = now.map(|now| self.kept(at, path, &now)).transpose()?;
        let after = After {
            sha256: sha256(&bytes),
            text: None,
            archive: Some(file.file.clone()),
            time: archived::time(self.held(), &file.file)?,
        };
        let mut steps = vec![Step { path: path.to_owned(), before, after: Some(after) }];
        let index = put::read(self.held(), index_file::NAME)?;
        let old = String::from_utf8(index.clone().unwrap_or_default()).ok();
        if let Some(old) = old
            && !index_file::entries(&old).iter().any(|entry| entry.target == path)
        {
            let text = index_file::with_line(&old, path, line);
            let before = index.map(|index| self.kept(at, index_file::NAME, &index)).transpose()?;
            let after = After { sha256: sha256(text.as_bytes()), text: Some(text), archive: None, time: None };
            steps.push(Step { path: index_file::NAME.to_owned(), before, after: Some(after) });
        }
        Ok(Record { at: at.to_owned(), steps, undoes: None })
    }
}
