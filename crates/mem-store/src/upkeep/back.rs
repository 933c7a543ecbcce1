//! Takes the last run back, and brings single memories back from the archive.

use std::io;

use mem_types::Failure;

use super::{After, Done, Record, Step, Upkeep};
use crate::archived::{self, Archived};
use crate::change::Outcome;
use crate::hash::sha256;
use crate::moment::Moment;
use crate::{index_file, put};

impl Upkeep<'_> {
    /// Gives each file that the last run changed its old bytes back; nothing when no run is left to be undone.
    ///
    /// A file that was changed since keeps what it has now, and is named. So does the index, which then gets back only
    /// the lines that the run took out.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn undo(&self, now: &Moment) -> Result<Option<Done>, Failure> {
        let Some(name) = self.told(self.records())?.pop() else { return Ok(None) };
        let Some(record) = self.told(self.record(&name))? else {
            return Err(Failure::new("bad-undo", format!("the record {name} cannot be read"))
                .with_hint("look at it in .mem/undo, then remove it"));
        };
        let at = now.timestamp().strftime("%Y%m%dT%H%M%SZ").to_string();
        let mut refused = Vec::new();
        let mut steps = Vec::new();
        for step in record.steps.iter().rev() {
            match self.told(self.reversed(step, &record, &at))? {
                Ok(step) => steps.push(step),
                Err(reason) => refused.push((step.path.clone(), Outcome::Refused(reason.to_owned()))),
            }
        }
        let pending = Record { at, steps, undoes: Some(name) };
        self.told(self.note(&pending))?;
        let mut done = self.finish()?.unwrap_or(Done { at: record.at.clone(), files: Vec::new() });
        done.at = record.at;
        done.files.extend(refused);
        done.files.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(Some(done))
    }

    /// Returns the step back, or why there is none.
    fn reversed(&self, step: &Step, record: &Record, at: &str) -> io::Result<Result<Step, &'static str>> {
        let now = put::read(self.held(), &step.path)?;
        let is_as_left = now.as_deref().map(sha256).as_ref() == step.after.as_ref().map(|after| &after.sha256);
        if !is_as_left && step.path == index_file::NAME {
            return self.index_back(step, record, now, at).map(Ok);
        }
        if !is_as_left {
            return Ok(Err("the file has changed since, and stays as it is"));
        }
        let before = match &now {
            Some(now) => Some(self.kept(at, &step.path, now)?),
            None => None,
        };
        let mut after = None;
        if let Some(old) = &step.before {
            after = Some(After {
                sha256: old.sha256.clone(),
                text: None,
                archive: Some(old.archive.clone()),
                time: archived::time(self.held(), &old.archive)?,
            });
        }
        Ok(Ok(Step { path: step.path.clone(), before, after }))
    }

    /// An index that others have changed since keeps their lines and gets back those of the files that come back.
    fn index_back(&self, step: &Step, record: &Record, now: Option<Vec<u8>>, at: &str) -> io::Result<Step> {
        let now = now.unwrap_or_default();
        let mut text = String::from_utf8_lossy(&now).into_owned();
        let old = step.before.as_ref().map(|old| self.archived_bytes(&old.archive)).transpose()?.flatten();
        let old = String::from_utf8_lossy(&old.unwrap_or_default()).into_owned();
        for other in record.steps.iter().filter(|other| other.path != index_file::NAME) {
            let was_listed = |line: &&str| index_file::entry(line).is_some_and(|entry| entry.target == other.path);
            text = match old.lines().find(was_listed) {
                Some(line) => index_file::with_line(&text, &other.path, line),
                None => index_file::without_line(&text, &other.path),
            };
        }
        let before = if now.is_empty() { None } else { Some(self.kept(at, &step.path, &now)?) };
        let after = Some(After { sha256: sha256(text.as_bytes()), text: Some(text), archive: None, time: None });
        Ok(Step { path: step.path.clone(), before, after })
    }

    /// Returns the archived files, the oldest first.
    ///
    /// # Errors
    /// When the archive cannot be listed.
    pub fn archived(&self) -> Result<Vec<Archived>, Failure> {
        self.told(archived::list(self.held()))
    }

    /// Returns the bytes of an archived file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read_archived(&self, file: &Archived) -> Result<Vec<u8>, Failure> {
        self.told(self.archived_bytes(&file.file)).map(Option::unwrap_or_default)
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
        Ok(self.finish()?.unwrap_or(Done { at, files: Vec::new() }))
    }

    fn steps_back(&self, file: &Archived, path: &str, line: &str, at: &str) -> io::Result<Record> {
        let bytes = self.archived_bytes(&file.file)?.unwrap_or_default();
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
