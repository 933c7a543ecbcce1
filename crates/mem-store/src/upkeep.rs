//! Changes of a memory folder that survive a kill and can be taken back.
//!
//! What is replaced or removed goes whole into `.mem/archive`; then a note in `.mem/pending.json` says what is to become
//! of each file; then the files are changed; last the note becomes a record in `.mem/undo`. Killed at any point, a file
//! is whole, old or new, and who comes next finishes what the note says.

mod back;

use std::io;

use cap_std::fs::Dir;
use mem_types::Failure;
use serde::{Deserialize, Serialize};

use crate::archived::{self, FileTime};
use crate::change::{Outcome, refusal};
use crate::folder::MemoryFolder;
use crate::hash::sha256;
use crate::moment::Moment;
use crate::put::{self, Put};
use crate::sight::archived_bytes;
use crate::writer::Writer;
use crate::{archive, index_file};

/// Where an unfinished plan is noted.
pub(crate) const PENDING: &str = ".mem/pending.json";
/// Where finished plans are kept, the last one with the highest number; beside the records of single writers.
pub(crate) const UNDO: &str = ".mem/undo/runs";

/// Why a file is not given back.
pub(crate) const CHANGED_SINCE: &str = "the file has changed since, and stays as it is";

/// What is to become of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Relative to the folder: a topic file, or MEMORY.md.
    pub path: String,
    /// SHA-256 of the file that is there; nothing when none is.
    pub before: Option<String>,
    /// The new text; nothing when the file goes.
    pub after: Option<String>,
    /// Whether the file keeps its modification time: what it says was seen then.
    pub keeps_time: bool,
}

/// What a run has done to the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// When the run was planned, as `20261130T120000Z`.
    pub at: String,
    /// What became of each file, by path.
    pub files: Vec<(String, Outcome)>,
    /// Whether it took an earlier run back.
    pub is_undo: bool,
}

impl Done {
    /// Whether the file of that path was dealt with.
    fn has_done(&self, path: &str) -> bool {
        self.files.iter().any(|(done, outcome)| done == path && !matches!(outcome, Outcome::Refused(_)))
    }
}

/// A note of a plan, pending or done.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    pub at: String,
    pub steps: Vec<Step>,
    /// The record that this one takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
}

/// What becomes of one file, as noted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Step {
    pub path: String,
    pub before: Option<Before>,
    pub after: Option<After>,
}

/// The file that was there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Before {
    pub sha256: String,
    /// Where it is kept, whole.
    pub archive: String,
}

/// The file that is to be there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct After {
    pub sha256: String,
    /// Its text, as long as it is pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Or the archived file that comes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
    /// The modification time that it gets; nothing: that of the writing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<FileTime>,
}

/// A memory folder whose lock is held.
#[derive(Debug)]
pub struct Upkeep<'a> {
    folder: &'a MemoryFolder,
    writer: Writer<'a>,
}

impl MemoryFolder {
    /// Takes the folder's lock for changes that can be taken back.
    ///
    /// # Errors
    /// As [`MemoryFolder::writer`].
    pub fn upkeep(&self, now: &Moment) -> Result<Upkeep<'_>, Failure> {
        Ok(Upkeep { folder: self, writer: self.writer(now)? })
    }

    /// Whether a plan was begun and not finished.
    #[must_use]
    pub fn has_pending(&self) -> bool {
        self.closed.is_none() && self.dir.join(PENDING).exists()
    }
}

impl<'a> Upkeep<'a> {
    /// Returns a file's bytes as they are under the lock, or nothing when there is none.
    ///
    /// # Errors
    /// When it is no regular file, leads out of the folder, or cannot be read.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Failure> {
        self.writer.read(path)
    }

    /// Finishes what a killed run has begun; nothing when there is no such run.
    ///
    /// # Errors
    /// When the disk fails, or the note is none of ours.
    pub fn finish(&self) -> Result<Option<Done>, Failure> {
        let Some(bytes) = self.read(PENDING)? else { return Ok(None) };
        let record: Record = serde_json::from_slice(&bytes).map_err(|_| {
            Failure::new("bad-pending", format!("{PENDING} in {} is no note of a plan", self.folder.dir.display()))
                .with_hint("look at it, then remove it")
        })?;
        self.told(self.carry(record)).map(Some)
    }

    /// Carries `edits` out, all or, after a kill, by [`Upkeep::finish`]; says what became of each.
    ///
    /// An edit whose path leaves the folder or whose file is another than the one that it was made for is refused.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn carry_out(&self, edits: Vec<Edit>, now: &Moment) -> Result<Done, Failure> {
        let at = now.timestamp().strftime("%Y%m%dT%H%M%SZ").to_string();
        let mut refused = Vec::new();
        let mut steps = Vec::new();
        for edit in edits {
            match self.told(self.step(&edit, &at))? {
                Ok(step) => steps.push(step),
                Err(reason) => refused.push((edit.path, Outcome::Refused(reason.to_owned()))),
            }
        }
        if steps.is_empty() {
            return Ok(Done { at, files: refused, is_undo: false });
        }
        let record = Record { at, steps, undoes: None };
        self.told(self.note(&record))?;
        let mut done = self.told(self.carry(record))?;
        done.files.extend(refused);
        done.files.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(done)
    }

    /// Keeps the old file whole and returns what is to be noted, or why the edit is refused.
    fn step(&self, edit: &Edit, at: &str) -> io::Result<Result<Step, &'static str>> {
        if edit.path != index_file::NAME
            && let Some(reason) = refusal(&edit.path)
        {
            return Ok(Err(reason));
        }
        let old = put::read(self.held(), &edit.path)?;
        if old.as_deref().map(sha256) != edit.before {
            return Ok(Err("the file has changed since this was planned"));
        }
        let mut before = None;
        if let Some(old) = &old {
            before = Some(self.kept(at, &edit.path, old)?);
        }
        let time = if edit.keeps_time { archived::time(self.held(), &edit.path)? } else { None };
        let after = edit.after.as_ref().map(|text| After {
            sha256: sha256(text.as_bytes()),
            text: Some(text.clone()),
            archive: None,
            time,
        });
        Ok(Ok(Step { path: edit.path.clone(), before, after }))
    }

    pub(crate) fn note(&self, record: &Record) -> io::Result<()> {
        self.replace(PENDING, mem_types::to_json(record).as_bytes()).map(drop)
    }

    /// Puts `bytes` in the place of whatever stands at `path`.
    pub(crate) fn replace(&self, path: &str, bytes: &[u8]) -> io::Result<Put> {
        let old = put::read(self.held(), path)?;
        put::put(self.held(), path, old.as_deref(), bytes)
    }

    pub(crate) fn folder(&self) -> &'a MemoryFolder {
        self.folder
    }

    pub(crate) fn held(&self) -> &Dir {
        &self.writer.held
    }

    /// Keeps a file whole, with its time.
    fn kept(&self, at: &str, path: &str, bytes: &[u8]) -> io::Result<Before> {
        let archive = archive::keep(self.held(), at, path, bytes)?;
        if let Some(time) = archived::time(self.held(), path)? {
            archived::set_time(self.held(), &archive, time)?;
        }
        Ok(Before { sha256: sha256(bytes), archive })
    }

    /// Does what the pending note says, files it as a record, and removes the note.
    fn carry(&self, record: Record) -> io::Result<Done> {
        let mut files = Vec::new();
        for step in &record.steps {
            files.push((step.path.clone(), self.take(step)?));
        }
        let done = Done { at: record.at.clone(), files, is_undo: record.undoes.is_some() };
        match &record.undoes {
            Some(undone) => self.cross_out(undone, &done)?,
            None => self.file(record, &done)?,
        }
        remove(self.held(), PENDING)?;
        crate::replace::sync_beneath(self.held(), ".mem")?;
        Ok(done)
    }

    /// Brings one file into its new state, if it is not in it already.
    fn take(&self, step: &Step) -> io::Result<Outcome> {
        if step.path != index_file::NAME
            && let Some(reason) = refusal(&step.path)
        {
            return Ok(Outcome::Refused(reason.into()));
        }
        let found = put::read(self.held(), &step.path)?;
        let now = found.as_deref().map(sha256);
        let wanted = step.after.as_ref().map(|after| &after.sha256);
        let is_old = now.as_ref() == step.before.as_ref().map(|before| &before.sha256);
        if now.as_ref() != wanted && !is_old {
            return Ok(Outcome::Refused("the file was changed by another program in between".into()));
        }
        match &step.after {
            None if now.is_none() => {}
            None => {
                remove(self.held(), &step.path)?;
                let parent = step.path.rsplit_once('/').map_or(".", |(parent, _)| parent);
                crate::replace::sync_beneath(self.held(), parent)?;
            }
            Some(after) => {
                if now.as_ref() != wanted
                    && let Some(reason) = self.write(step, after, found.as_deref())?
                {
                    return Ok(Outcome::Refused(reason.into()));
                }
                if let Some(time) = after.time {
                    archived::set_time(self.held(), &step.path, time)?;
                }
            }
        }
        Ok(Outcome::Written)
    }

    /// Writes the new file in the place of `old`; or says why that is not to be had.
    fn write(&self, step: &Step, after: &After, old: Option<&[u8]>) -> io::Result<Option<&'static str>> {
        let bytes = match (&after.text, &after.archive) {
            (Some(text), _) => text.clone().into_bytes(),
            (None, Some(name)) => match archived_bytes(self.held(), name)? {
                Some(bytes) => bytes,
                None => return Ok(Some("its copy in the archive is gone")),
            },
            (None, None) => return Ok(Some("the note has no text for it")),
        };
        if sha256(&bytes) != after.sha256 {
            return Ok(Some("its copy in the archive is another one"));
        }
        if let Some((parent, _)) = step.path.rsplit_once('/') {
            self.held().create_dir_all(parent)?;
        }
        let put = put::put(self.held(), &step.path, old, &bytes)?;
        Ok((put == Put::Changed).then_some("the file was changed at this very moment"))
    }

    /// Takes what was taken back out of its record. What was refused stays to be tried again, and so does the index,
    /// which has their lines.
    fn cross_out(&self, undone: &str, done: &Done) -> io::Result<()> {
        let path = format!("{UNDO}/{undone}");
        let Some(mut record) = record(self.held(), undone)? else { return remove(self.held(), &path) };
        record.steps.retain(|step| step.is_index() || !done.has_done(&step.path));
        if record.steps.iter().all(Step::is_index) {
            return remove(self.held(), &path);
        }
        self.replace(&path, mem_types::to_json(&record).as_bytes()).map(drop)
    }

    /// Files what was done, without the texts: the old ones lie in the archive, the new ones in the folder. What was
    /// refused cannot be taken back.
    fn file(&self, mut record: Record, done: &Done) -> io::Result<()> {
        record.steps.retain(|step| done.has_done(&step.path));
        if record.steps.is_empty() {
            return Ok(());
        }
        for after in record.steps.iter_mut().filter_map(|step| step.after.as_mut()) {
            after.text = None;
        }
        let json = mem_types::to_json(&record);
        let names = records(self.held())?;
        // A kill between filing and removing the note must not file it twice.
        if let Some(last) = names.last()
            && put::read(self.held(), &format!("{UNDO}/{last}"))?.as_deref() == Some(json.as_bytes())
        {
            return Ok(());
        }
        let last: u64 = names.last().and_then(|name| name.split('-').next()?.parse().ok()).unwrap_or(0);
        self.held().create_dir_all(UNDO)?;
        let name = format!("{UNDO}/{:06}-{}.json", last.saturating_add(1), record.at);
        self.replace(&name, json.as_bytes()).map(drop)
    }

    /// Gives a fault of the disk the name of the folder.
    pub(crate) fn told<T>(&self, result: io::Result<T>) -> Result<T, Failure> {
        result.map_err(|error| self.folder.failure(&error))
    }
}

impl Step {
    pub(crate) fn is_index(&self) -> bool {
        self.path == index_file::NAME
    }

    /// Whether the file is as the run has left it.
    pub(crate) fn is_as_left(&self, held: &Dir) -> io::Result<bool> {
        let now = put::read(held, &self.path)?;
        Ok(now.as_deref().map(sha256).as_ref() == self.after.as_ref().map(|after| &after.sha256))
    }
}

/// Returns the names of the records, the last run last.
pub(crate) fn records(held: &Dir) -> io::Result<Vec<String>> {
    let mut names: Vec<String> =
        archived::names(held, UNDO)?.into_iter().filter(|name| name.ends_with(".json")).collect();
    names.sort_unstable();
    Ok(names)
}

/// Returns a record; nothing when it is gone, or none of ours.
pub(crate) fn record(held: &Dir, name: &str) -> io::Result<Option<Record>> {
    let bytes = put::read(held, &format!("{UNDO}/{name}"))?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

pub(crate) fn bad_record(name: &str) -> Failure {
    Failure::new("bad-undo", format!("the record {name} cannot be read"))
        .with_hint("look at it in .mem/undo/runs, then remove it")
}

/// Removes a file that may be gone already.
pub(crate) fn remove(held: &Dir, path: &str) -> io::Result<()> {
    match held.remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
