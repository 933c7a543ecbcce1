//! The writer's change of one topic file, on both sides of that of the index.

use std::io;

use rustix::io::Errno;

use super::Writer;
use crate::archive;
use crate::change::{Change, Outcome, refusal};
use crate::hash::sha256;
use crate::put::{self, Put};
use crate::undo::FileDone;

impl Writer<'_> {
    /// Does what comes before the index: writes the file, or keeps what is to go.
    pub(super) fn prepare(&mut self, change: &Change) -> io::Result<Outcome> {
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

    pub(super) fn write(&mut self, path: &str, new: &[u8], replaces: Option<&str>) -> io::Result<Outcome> {
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

    pub(super) fn keep_for_removal(&mut self, path: &str, hash: &str) -> io::Result<Outcome> {
        let old = put::read(&self.held, path)?;
        if let Some(reason) = mismatch(old.as_deref(), Some(hash)) {
            return Ok(Outcome::Refused(reason.into()));
        }
        let before = archive::keep(&self.held, &self.stamp, path, &old.unwrap_or_default())?;
        self.files.push(FileDone { path: path.to_owned(), before: Some(before), after: None });
        Ok(Outcome::Written)
    }

    /// Removes a file whose copy is in the archive, unless it has changed since the copy was made.
    pub(super) fn unlink(&mut self, path: &str, hash: &str) -> io::Result<Outcome> {
        let is_kept = put::read(&self.held, path)?.is_some_and(|found| sha256(&found) == hash);
        if !is_kept {
            self.files.retain(|file| file.path != path);
            return Ok(Outcome::Refused("the file was changed at this very moment".into()));
        }
        self.held.remove_file(path)?;
        Ok(Outcome::Written)
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

/// Whether an error is one of the path that was asked for, and not of the disk: it leads out of the folder, or through
/// what is no folder, or to what is no file.
pub(super) fn is_of_path(error: &io::Error) -> bool {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(error) => [Errno::LOOP, Errno::NOTDIR, Errno::ISDIR, Errno::NAMETOOLONG].contains(&error),
        // That a link leads out is found before the system is asked.
        None => matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput),
    }
}
