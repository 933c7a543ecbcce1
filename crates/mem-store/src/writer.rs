//! Changes a memory folder under its lock: topic files first, then the index once, then what goes.
//!
//! In this order a kill at any moment leaves at worst a topic file without its line in the index, which mem-index
//! reports and mends.

use std::io;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt};
use mem_text::diff::{self, Edit};
use mem_types::Failure;

use crate::archive;
use crate::change::{Change, Outcome, refusal};
use crate::folder::MemoryFolder;
use crate::hash::sha256;
use crate::index_file;
use crate::lock::{self, Lock, NoLock};
use crate::moment::Moment;
use crate::open;
use crate::put::{self, Put};
use crate::undo::{FileDone, Record};

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
    /// # Errors
    /// When the disk fails. What was done before stays; each file is whole, old or new.
    pub fn carry_out(&mut self, changes: &[Change]) -> Result<Vec<Outcome>, Failure> {
        self.try_carry_out(changes).map_err(|error| self.folder.failure(&error))
    }

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
        let mut outcomes = Vec::with_capacity(changes.len());
        let mut edits = Vec::new();
        for change in changes {
            self.lock.show_work();
            let outcome = self.prepare(change)?;
            if !matches!(outcome, Outcome::Refused(_)) {
                edits.push(change);
            }
            outcomes.push(outcome);
        }
        let is_index_changed =
            self.edit_index(|text| edits.iter().fold(text.to_owned(), |text, change| edit_index(&text, change)))?;
        for (change, outcome) in changes.iter().zip(&mut outcomes) {
            if let (Change::Remove { path, sha256 }, Outcome::Written) = (change, &outcome) {
                *outcome = self.unlink(path, sha256)?;
            } else if is_index_changed && *outcome == Outcome::Unchanged && touches_index(change, &self.index) {
                *outcome = Outcome::Written;
            }
        }
        Ok(outcomes)
    }

    /// Does what comes before the index: writes the file, or keeps what is to go.
    fn prepare(&mut self, change: &Change) -> io::Result<Outcome> {
        match change {
            Change::Write { path, .. } | Change::Remove { path, .. } | Change::List { path, .. }
                if let Some(reason) = refusal(path) =>
            {
                Ok(Outcome::Refused(reason.into()))
            }
            Change::Write { path, text, replaces, .. } => self.write(path, text.as_bytes(), replaces.as_deref()),
            Change::Remove { path, sha256 } => self.keep_for_removal(path, sha256),
            Change::List { path, .. } if put::read(&self.held, path)?.is_none() => {
                Ok(Outcome::Refused("there is no such file".into()))
            }
            Change::List { .. } | Change::Unlist { .. } | Change::Index { .. } => Ok(Outcome::Unchanged),
        }
    }

    fn write(&mut self, path: &str, new: &[u8], replaces: Option<&str>) -> io::Result<Outcome> {
        let old = put::read(&self.held, path)?;
        if old.as_deref() == Some(new) {
            return Ok(Outcome::Unchanged);
        }
        if let Some(reason) = mismatch(old.as_deref(), replaces) {
            return Ok(Outcome::Refused(reason.into()));
        }
        if let Some((parent, _)) = path.rsplit_once('/') {
            self.held.create_dir_all(parent)?;
        }
        let before = old.as_deref().map(|old| archive::keep(&self.held, &self.stamp, path, old)).transpose()?;
        match put::put(&self.held, path, old.as_deref(), new)? {
            Put::Changed => Ok(Outcome::Refused("the file was changed at this very moment".into())),
            Put::Done => {
                self.files.push(FileDone { path: path.to_owned(), before, after: Some(sha256(new)) });
                Ok(Outcome::Written)
            }
        }
    }

    fn keep_for_removal(&mut self, path: &str, hash: &str) -> io::Result<Outcome> {
        let old = put::read(&self.held, path)?;
        if let Some(reason) = mismatch(old.as_deref(), Some(hash)) {
            return Ok(Outcome::Refused(reason.into()));
        }
        let before = archive::keep(&self.held, &self.stamp, path, &old.unwrap_or_default())?;
        self.files.push(FileDone { path: path.to_owned(), before: Some(before), after: None });
        Ok(Outcome::Written)
    }

    /// Removes a file whose copy is in the archive, unless it has changed since the copy was made.
    fn unlink(&mut self, path: &str, hash: &str) -> io::Result<Outcome> {
        let is_kept = put::read(&self.held, path)?.is_some_and(|found| sha256(&found) == hash);
        if !is_kept {
            self.files.retain(|file| file.path != path);
            return Ok(Outcome::Refused("the file was changed at this very moment".into()));
        }
        self.held.remove_file(path)?;
        Ok(Outcome::Written)
    }

    /// Returns the index, or nothing when there is none.
    fn read_index(&self) -> io::Result<Option<String>> {
        let Some(bytes) = put::read(&self.held, index_file::NAME)? else { return Ok(None) };
        let text = String::from_utf8(bytes);
        text.map(Some).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "MEMORY.md is not UTF-8; mend it first"))
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

fn mismatch(old: Option<&[u8]>, replaces: Option<&str>) -> Option<&'static str> {
    match (old, replaces) {
        (None, None) => None,
        (Some(_), None) => Some("a file of that name is there already"),
        (None, Some(_)) => Some("the file that this was made for is gone"),
        (Some(old), Some(hash)) if sha256(old) == hash => None,
        (Some(_), Some(_)) => Some("the file has changed since this was planned"),
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
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::change::IndexLine;

    fn write(path: &str, text: &str, replaces: Option<String>) -> Change {
        let line = Some(IndexLine { title: "T".into(), hook: "h".into() });
        Change::Write { path: path.into(), text: text.into(), replaces, line }
    }

    fn now() -> Moment {
        Moment::parse("2026-11-30T12:00:00Z").unwrap()
    }

    fn apply(dir: &Path, changes: &[Change]) -> Result<Vec<Outcome>, Failure> {
        MemoryFolder::at(dir.to_path_buf()).apply(changes, &now())
    }

    fn index(dir: &Path) -> String {
        fs::read_to_string(dir.join("MEMORY.md")).unwrap()
    }

    #[test]
    fn a_missing_folder_is_made_and_the_memory_listed() {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join("memory");
        assert_eq!(apply(&dir, &[write("a.md", "x", None)]).unwrap(), [Outcome::Written]);
        assert_eq!(index(&dir), "- [T](a.md) — h\n");
        assert_eq!(apply(&dir, &[write("a.md", "x", None)]).unwrap(), [Outcome::Unchanged]);
        assert_eq!(fs::read_to_string(dir.join(".mem/.gitignore")).unwrap(), "*\n");
        assert_eq!(fs::read_dir(dir.join(".mem/writing")).unwrap().count(), 0);
    }

    #[test]
    fn what_is_overwritten_is_kept_whole_and_only_the_right_file_is() {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join("memory");
        apply(&dir, &[write("a.md", "one", None)]).unwrap();
        for replaces in [None, Some(sha256(b"other"))] {
            assert!(matches!(apply(&dir, &[write("a.md", "two", replaces)]).unwrap()[0], Outcome::Refused(_)));
        }
        apply(&dir, &[write("a.md", "two", Some(sha256(b"one")))]).unwrap();
        assert_eq!(fs::read_to_string(dir.join("a.md")).unwrap(), "two");
        assert_eq!(fs::read_to_string(dir.join(".mem/archive/20261130T120000Z/a.md.old")).unwrap(), "one");
    }

    #[test]
    fn what_is_removed_goes_to_the_archive_and_its_line_goes() {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join("memory");
        apply(&dir, &[write("a.md", "one", None), write("sub/b.md", "two", None)]).unwrap();
        let remove = Change::Remove { path: "sub/b.md".into(), sha256: sha256(b"two") };
        assert_eq!(apply(&dir, std::slice::from_ref(&remove)).unwrap(), [Outcome::Written]);
        assert!(matches!(apply(&dir, &[remove]).unwrap()[0], Outcome::Refused(_)));
        assert_eq!(index(&dir), "- [T](a.md) — h\n");
        assert!(!dir.join("sub/b.md").exists());
        assert_eq!(fs::read_to_string(dir.join(".mem/archive/20261130T120000Z/sub/b.md.old")).unwrap(), "two");
    }

    #[test]
    fn a_run_is_taken_back_with_its_lines_and_what_changed_since_is_left_alone() {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join("memory");
        apply(&dir, &[write("a.md", "one", None), write("b.md", "two", None)]).unwrap();
        let folder = MemoryFolder::at(dir.clone());
        let mut writer = folder.writer(&now()).unwrap();
        let remove = Change::Remove { path: "b.md".into(), sha256: sha256(b"two") };
        let changes = [write("a.md", "ONE", Some(sha256(b"one"))), remove, write("c.md", "new", None)];
        assert_eq!(writer.carry_out(&changes).unwrap(), [Outcome::Written, Outcome::Written, Outcome::Written]);
        let name = writer.record("mem-age").unwrap().unwrap();
        drop(writer);
        fs::write(dir.join("MEMORY.md"), format!("# Mine\n{}", index(&dir))).unwrap();
        let outcomes = folder.writer(&now()).unwrap().undo(&name).unwrap();
        assert!(outcomes.iter().all(|(_, outcome)| *outcome == Outcome::Written), "{outcomes:?}");
        assert_eq!(fs::read_to_string(dir.join("a.md")).unwrap(), "one");
        assert_eq!(fs::read_to_string(dir.join("b.md")).unwrap(), "two");
        assert!(!dir.join("c.md").exists());
        assert_eq!(index(&dir), "# Mine\n- [T](a.md) — h\n- [T](b.md) — h\n");
        assert!(folder.writer(&now()).unwrap().undo(&name).is_err());
    }

    #[test]
    fn an_index_that_changed_since_it_was_read_is_merged() {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join("memory");
        apply(&dir, &[write("a.md", "x", None), write("b.md", "x", None)]).unwrap();
        let from = index(&dir);
        let to = from.replace("- [T](a.md) — h", "- [A](a.md) — better");
        fs::write(dir.join("MEMORY.md"), format!("{from}- an editor's line\n")).unwrap();
        assert_eq!(apply(&dir, &[Change::Index { from, to }]).unwrap(), [Outcome::Written]);
        assert_eq!(index(&dir), "- [A](a.md) — better\n- [T](b.md) — h\n- an editor's line\n");
    }

    #[test]
    fn a_folder_of_other_things_is_not_written_to() {
        let top = tempfile::tempdir().unwrap();
        fs::write(top.path().join("id_rsa"), "key").unwrap();
        fs::write(top.path().join("README.md"), "# Hello").unwrap();
        let failure = apply(top.path(), &[write("a.md", "x", None)]).unwrap_err();
        assert_eq!(failure.code, "not-a-memory-folder");
        assert!(!top.path().join(".mem").exists());
    }

    #[test]
    fn many_writers_lose_nothing_also_beside_an_editor_that_knows_no_lock() {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join("memory");
        apply(&dir, &[write("first.md", "x", None)]).unwrap();
        std::thread::scope(|scope| {
            for number in 0..12 {
                let dir = &dir;
                scope.spawn(move || apply(dir, &[write(&format!("m{number}.md"), "x", None)]).unwrap());
            }
            for number in 0..20 {
                let new = format!("{}- editor {number}\n", index(&dir));
                fs::write(dir.join("edited"), new).unwrap();
                fs::rename(dir.join("edited"), dir.join("MEMORY.md")).unwrap();
            }
        });
        let text = index(&dir);
        assert_eq!(text.lines().filter(|line| line.contains("editor")).count(), 20, "{text}");
    }
}
