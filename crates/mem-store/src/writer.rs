//! Changes a memory folder under its lock: topic files first, then the index once, then what goes.
//!
//! In this order a kill at any moment leaves at worst a topic file without its line in the index, which mem-index
//! reports and mends.

use std::io;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt};
use mem_text::diff::Edit;
use mem_types::Failure;

use crate::archive;
use crate::change::{Change, Outcome};
use crate::folder::MemoryFolder;
use crate::index_file;
use crate::lock::{self, Lock, NoLock};
use crate::moment::Moment;
use crate::open;
use crate::put;
use crate::undo::FileDone;

mod back;
mod files;
mod index;

/// A memory folder whose lock is held.
#[derive(Debug)]
pub struct Writer<'a> {
    folder: &'a MemoryFolder,
    pub(crate) held: Dir,
    lock: Lock,
    now: Moment,
    /// The UTC time by which the archive of this run is named.
    stamp: String,
    files: Vec<FileDone>,
    index: Vec<Edit>,
}

impl MemoryFolder {
    /// Takes the folder's lock. A missing folder is made with mode 0700; what a killed writer left is put in order.
    ///
    /// # Errors
    /// When the folder is no memory folder, cannot be made or locked, or when the disk fails.
    pub fn writer(&self, now: &Moment) -> Result<Writer<'_>, Failure> {
        if let Some((code, reason)) = &self.closed {
            return Err(Failure::new(code, reason.clone()));
        }
        self.make()?;
        let held = Dir::open_ambient_dir(&self.dir, ambient_authority()).map_err(|error| self.failure(&error))?;
        make_own_folder(&held).map_err(|error| self.failure(&error))?;
        let lock = lock::take(&held, ".mem/lock").map_err(|reason| self.no_lock(reason))?;
        let stamp = now.timestamp().strftime("%Y%m%dT%H%M%SZ").to_string();
        let mut writer =
            Writer { folder: self, held, lock, now: now.clone(), stamp, files: Vec::new(), index: Vec::new() };
        writer.recover().map_err(|error| self.failure(&error))?;
        Ok(writer)
    }

    /// Carries out `changes` under the folder's lock and says what became of each.
    ///
    /// What is overwritten or removed goes whole into `.mem/archive` first. A change whose path leaves the folder, or
    /// whose file is not the one that it was made for, is refused; the rest is done.
    ///
    /// # Errors
    /// As [`MemoryFolder::writer`] and [`Writer::carry_out`].
    pub fn apply(&self, changes: &[Change], now: &Moment) -> Result<Vec<Outcome>, Failure> {
        if changes.is_empty() && self.closed.is_none() {
            return Ok(Vec::new());
        }
        self.writer(now)?.carry_out(changes)
    }

    fn no_lock(&self, reason: NoLock) -> Failure {
        match reason {
            NoLock::Disk(error) => self.failure(&error),
            NoLock::Busy(who) => Failure::new("locked", format!("cannot write in {}: {who}", self.dir.display()))
                .with_hint("try again when it has finished, or end that process"),
        }
    }

    pub(crate) fn failure(&self, error: &io::Error) -> Failure {
        Failure::new("write-failed", format!("cannot write in {}: {}", self.dir.display(), open::reason(error)))
    }
}

impl Writer<'_> {
    /// Returns the bytes of a file beneath the folder as they are now, or nothing when it is not there.
    ///
    /// # Errors
    /// When it is no regular file, a link leads out of the folder, or the disk fails.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Failure> {
        put::read(&self.held, path).map_err(|error| self.folder.failure(&error))
    }

    /// Carries out `changes` and says what became of each. The index is changed once, for all of them.
    ///
    /// A change that the disk refuses is told as failed, and the rest is done; each file is whole, old or new.
    ///
    /// # Errors
    /// When the disk fails before anything was done.
    pub fn carry_out(&mut self, changes: &[Change]) -> Result<Vec<Outcome>, Failure> {
        self.try_carry_out(changes).map_err(|error| self.folder.failure(&error))
    }

    /// Appends a line to the daily log of the writer's day, `logs/YYYY/MM/YYYY-MM-DD.md`, in one write, and returns
    /// the log's path.
    ///
    /// # Errors
    /// When the disk fails; the log is then as it was.
    pub fn append_log(&self, line: &str) -> Result<String, Failure> {
        crate::logs::append(&self.held, &self.now, line).map_err(|error| self.folder.failure(&error))
    }

    fn try_carry_out(&mut self, changes: &[Change]) -> io::Result<Vec<Outcome>> {
        // An index that is not text is left alone, and so is all that would need a line in it.
        self.read_index()?;
        let mut faults = Faults::default();
        let mut outcomes: Vec<Outcome> = Vec::with_capacity(changes.len());
        for change in changes {
            self.lock.show_work();
            let prepared = self.prepare(change);
            outcomes.push(faults.outcome(prepared, "it cannot be written"));
        }
        match self.list(changes, &outcomes) {
            Ok(is_index_changed) => self.finish(changes, &mut outcomes, is_index_changed, &mut faults),
            Err(error) => self.stop(changes, &mut outcomes, error, &mut faults),
        }
        // What was done is told, whatever else the disk refused.
        match faults.first {
            Some(error) if !outcomes.contains(&Outcome::Written) && !faults.left_something => Err(error),
            _ => Ok(outcomes),
        }
    }

    /// Changes the index for all that is prepared, and says whether that made a difference.
    fn list(&mut self, changes: &[Change], outcomes: &[Outcome]) -> io::Result<bool> {
        let prepared = changes.iter().zip(outcomes).filter(|(_, outcome)| outcome.is_done());
        let prepared: Vec<&Change> = prepared.map(|(change, _)| change).collect();
        self.edit_index(|text| prepared.iter().fold(text.to_owned(), |text, change| edit_index(&text, change)))
    }

    /// Does what comes after the index: removes what is to go.
    fn finish(&mut self, changes: &[Change], outcomes: &mut [Outcome], is_index_changed: bool, faults: &mut Faults) {
        for (change, outcome) in changes.iter().zip(outcomes) {
            if let (Change::Remove { path, sha256 }, Outcome::Written) = (change, &outcome) {
                let removed = self.unlink(path, sha256);
                *outcome = faults.outcome(removed, "its index line is gone, but the file cannot be removed");
                faults.left_something |= !outcome.is_done();
            } else if is_index_changed && *outcome == Outcome::Unchanged && touches_index(change, &self.index) {
                *outcome = Outcome::Written;
            }
        }
    }

    /// Says what stands as it is, since the index cannot be changed: files without their lines, and all that was to go.
    fn stop(&mut self, changes: &[Change], outcomes: &mut [Outcome], error: io::Error, faults: &mut Faults) {
        let reason = open::reason(&error);
        for (change, outcome) in changes.iter().zip(outcomes).filter(|(_, outcome)| outcome.is_done()) {
            let is_written = *outcome == Outcome::Written;
            match change {
                Change::Write { line: None, .. } => {}
                Change::Write { .. } if is_written => {
                    faults.left_something = true;
                    *outcome = Outcome::Failed(format!(
                        "the file is written, its index line not for sure: {reason}; mem-index --apply adds it if it is missing"
                    ));
                }
                _ => *outcome = Outcome::Failed(format!("the index cannot be written: {reason}")),
            }
            if let Change::Remove { path, .. } = change {
                self.files.retain(|file| file.path != *path);
            }
        }
        faults.first.get_or_insert(error);
    }

    /// Returns the index, or nothing when there is none.
    fn read_index(&self) -> io::Result<Option<String>> {
        let Some(bytes) = put::read(&self.held, index_file::NAME)? else { return Ok(None) };
        let text = String::from_utf8(bytes);
        text.map(Some).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "MEMORY.md is not UTF-8; mend it first"))
    }

    /// Puts in order what a killed writer left. An index that a stranger had written then gives its lines to ours.
    fn recover(&mut self) -> io::Result<()> {
        let mut lost = Vec::new();
        let (held, stamp) = (&self.held, &self.stamp);
        put::recover(held, |path, bytes| {
            archive::keep(held, stamp, path, bytes)?;
            if path == index_file::NAME {
                lost.extend(String::from_utf8(bytes.to_vec()));
            }
            Ok(())
        })?;
        if !lost.is_empty() {
            self.edit_index(|text| {
                lost.iter().fold(text.to_owned(), |text, lost| index_file::with_lines_of(&text, lost))
            })?;
        }
        Ok(())
    }
}

fn edit_index(text: &str, change: &Change) -> String {
    match change {
        Change::Write { path, line: Some(line), .. } | Change::List { path, line } => {
            index_file::with_line(text, path, &index_file::line(&line.title, path, &line.hook))
        }
        Change::Write { line: None, .. } => text.to_owned(),
        Change::Remove { path, .. } | Change::Unlist { path } => index_file::without_line(text, path),
        Change::Index { from, to } => index_file::merge(from, to, text),
    }
}

/// What the disk refused while changes were carried out.
#[derive(Default)]
struct Faults {
    first: Option<io::Error>,
    /// Whether a change that failed has left something on disk.
    left_something: bool,
}

impl Faults {
    /// Returns the outcome, or how it failed. A path that leads elsewhere is nobody's fault but the plan's.
    fn outcome(&mut self, result: io::Result<Outcome>, what: &str) -> Outcome {
        match result {
            Ok(outcome) => outcome,
            Err(error) if files::is_of_path(&error) => Outcome::Refused(format!("{what}: {}", open::reason(&error))),
            Err(error) => {
                let outcome = Outcome::Failed(format!("{what}: {}", open::reason(&error)));
                self.first.get_or_insert(error);
                outcome
            }
        }
    }
}

/// Whether one of the edits is of a line that belongs to the change.
fn touches_index(change: &Change, edits: &[Edit]) -> bool {
    let path = match change {
        Change::Index { .. } => return true,
        Change::Write { path, .. }
        | Change::List { path, .. }
        | Change::Unlist { path }
        | Change::Remove { path, .. } => path,
    };
    edits.iter().flat_map(|edit| edit.added.iter().chain(&edit.removed)).any(|line| index_file::links_to(line, path))
}

/// Makes `.mem` with mode 0700, a `.gitignore` of `*`, and the place for new files.
fn make_own_folder(held: &Dir) -> io::Result<()> {
    let mut private = DirBuilder::new();
    private.mode(0o700);
    for folder in [".mem", put::WRITING] {
        if held.exists(folder) {
            continue;
        }
        match held.create_dir_with(folder, &private) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    if !held.exists(".mem/.gitignore") {
        held.write(".mem/.gitignore", "*\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
