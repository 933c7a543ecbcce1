//! Looks at a memory folder without changing it: what a dry run sees, and what a plan is checked against.

use std::io;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use jiff::Timestamp;
use mem_types::Failure;

use crate::archived::{self, Archived};
use crate::change::Outcome;
use crate::folder::MemoryFolder;
use crate::upkeep::{self, Done, Upkeep};
use crate::{archive, put};

/// A memory folder that is held, so that it stays the same whatever happens to its name.
#[derive(Debug)]
pub struct Sight<'a> {
    folder: &'a MemoryFolder,
    held: Dir,
}

impl MemoryFolder {
    /// Holds the folder without its lock, to be looked at only.
    ///
    /// # Errors
    /// When it is closed, missing, or no memory folder.
    pub fn sight(&self) -> Result<Sight<'_>, Failure> {
        self.check()?;
        let held = Dir::open_ambient_dir(&self.dir, ambient_authority()).map_err(|error| self.failure(&error))?;
        Ok(Sight { folder: self, held })
    }
}

impl<'a> Upkeep<'a> {
    /// Returns the folder as it is under the lock.
    ///
    /// # Errors
    /// When the process can hold no further file.
    pub fn sight(&self) -> Result<Sight<'a>, Failure> {
        let held = self.told(self.held().try_clone())?;
        Ok(Sight { folder: self.folder(), held })
    }
}

impl Sight<'_> {
    /// Returns a file's bytes, or nothing when there is none.
    ///
    /// # Errors
    /// When it is no regular file, leads out of the folder, or cannot be read.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Failure> {
        self.told(put::read(&self.held, path))
    }

    /// Returns the archived files, the oldest first.
    ///
    /// # Errors
    /// When the archive cannot be listed.
    pub fn archived(&self) -> Result<Vec<Archived>, Failure> {
        self.told(archived::list(&self.held))
    }

    /// Returns the bytes of an archived file; none when it is gone.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read_archived(&self, file: &Archived) -> Result<Vec<u8>, Failure> {
        self.told(archived_bytes(&self.held, &file.file)).map(Option::unwrap_or_default)
    }

    /// Returns when the content of an archived file last changed, as far as its time tells.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub fn archived_time(&self, file: &Archived) -> Result<Option<Timestamp>, Failure> {
        let time = self.told(archived::time(&self.held, &file.file))?;
        let seconds = time.and_then(|time| i64::try_from(time.0).ok()).filter(|seconds| *seconds > 0);
        Ok(seconds.and_then(|seconds| Timestamp::from_second(seconds).ok()))
    }

    /// Returns what taking the last run back would do to each of its files; nothing when no run is left.
    ///
    /// # Errors
    /// When the records cannot be read.
    pub fn last_run(&self) -> Result<Option<Done>, Failure> {
        let Some(name) = self.told(upkeep::records(&self.held))?.pop() else { return Ok(None) };
        let Some(record) = self.told(upkeep::record(&self.held, &name))? else { return Err(upkeep::bad_record(&name)) };
        let mut files = Vec::new();
        for step in &record.steps {
            let is_mine = step.is_index() || self.told(step.is_as_left(&self.held))?;
            let outcome = if is_mine { Outcome::Written } else { Outcome::Refused(upkeep::CHANGED_SINCE.into()) };
            files.push((step.path.clone(), outcome));
        }
        Ok(Some(Done { at: record.at, files, is_undo: true }))
    }

    fn told<T>(&self, result: io::Result<T>) -> Result<T, Failure> {
        result.map_err(|error| {
            let reason = crate::open::reason(&error);
            Failure::new("read-failed", format!("cannot read in {}: {reason}", self.folder.dir.display()))
        })
    }
}

/// Returns the bytes of an archived file; nothing when it is gone.
pub(crate) fn archived_bytes(held: &Dir, name: &str) -> io::Result<Option<Vec<u8>>> {
    match archive::read(held, name) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput) => Ok(None),
        Err(error) => Err(error),
    }
}
