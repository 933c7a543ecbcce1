//! What a writer has done, noted so that it can be taken back, and the way back.

use std::io;

use mem_text::diff::{self, Edit};
use mem_types::Failure;

use super::Writer;
use crate::archive;
use crate::change::{Outcome, refusal};
use crate::hash::sha256;
use crate::put;
use crate::undo::{FileDone, Record};

impl Writer<'_> {
    /// Writes down what this writer has done, so that it can be taken back, and returns the record's name; nothing
    /// when nothing was done.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn record(&self, command: &str) -> Result<Option<String>, Failure> {
        if self.files.is_empty() && self.index.is_empty() {
            return Ok(None);
        }
        let record = Record {
            command: command.to_owned(),
            at: self.now.to_rfc3339(),
            files: self.files.clone(),
            index: self.index.clone(),
        };
        record.write(&self.held, &self.stamp).map(Some).map_err(|error| self.folder.failure(&error))
    }

    /// Takes back what the record `name` says, newest files first. A file that has changed since is left alone, and
    /// its outcome says so. The record goes when all was taken back.
    ///
    /// # Errors
    /// When there is no such record, or the disk fails.
    pub fn undo(&mut self, name: &str) -> Result<Vec<(String, Outcome)>, Failure> {
        let record = Record::read(&self.held, name).map_err(|error| self.folder.failure(&error))?;
        let result = self.take_back(&record).map_err(|error| self.folder.failure(&error))?;
        if result.iter().all(|(_, outcome)| !matches!(outcome, Outcome::Refused(_))) {
            Record::remove(&self.held, name).map_err(|error| self.folder.failure(&error))?;
        }
        Ok(result)
    }

    fn take_back(&mut self, record: &Record) -> io::Result<Vec<(String, Outcome)>> {
        let mut outcomes = Vec::new();
        for file in record.files.iter().rev() {
            self.lock.show_work();
            outcomes.push((file.path.clone(), self.take_file_back(file)?));
        }
        let back: Vec<Edit> = record.index.iter().rev().map(Edit::reversed).collect();
        self.edit_index(|text| {
            back.iter().fold(text.to_owned(), |text, edit| diff::apply(&text, std::slice::from_ref(edit)))
        })?;
        Ok(outcomes)
    }

    fn take_file_back(&mut self, file: &FileDone) -> io::Result<Outcome> {
        if let Some(reason) = refusal(&file.path) {
            return Ok(Outcome::Refused(reason.into()));
        }
        let found = put::read(&self.held, &file.path)?;
        if found.as_deref().map(sha256) != file.after {
            return Ok(Outcome::Refused("the file has changed since".into()));
        }
        match &file.before {
            Some(kept) => {
                let bytes = archive::read(&self.held, kept)?;
                self.write(&file.path, &bytes, file.after.as_deref())
            }
            None => {
                let hash = file.after.clone().unwrap_or_default();
                let outcome = self.keep_for_removal(&file.path, &hash)?;
                if outcome == Outcome::Written { self.unlink(&file.path, &hash) } else { Ok(outcome) }
            }
        }
    }
}
