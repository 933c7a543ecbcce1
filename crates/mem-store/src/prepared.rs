//! What a child in the background prepares for a later call of the same session: one small file beside the session's
//! own, mode 0600, replaced as a whole, and removed by whoever takes it.

use std::fs::File;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use mem_types::Document;

use crate::folder::make_private;
use crate::open;
use crate::session::{self, SessionFile};

/// How often a waiting call looks again.
const TICK: Duration = Duration::from_millis(3);
/// A larger file is none of ours.
const MOST_BYTES: usize = 1 << 20;

/// The place where something is prepared for one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    session: SessionFile,
}

/// What was found there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing was started, or it was taken already.
    Nothing,
    /// The process with this number is at work on it.
    Pending(u32),
    /// What was prepared, as JSON. It is no longer there.
    Ready(String),
}

impl Prepared {
    /// Returns the place that belongs to a session.
    #[must_use]
    pub fn of(session: SessionFile) -> Self {
        Self { session }
    }

    /// Starts a process by `start`, which returns its number, and notes that it is at work. What was prepared before is
    /// dropped, and what an older process comes with later is not taken.
    ///
    /// # Errors
    /// When the note cannot be written, or with what `start` fails by; nothing is noted then.
    pub fn start<E>(&self, start: impl FnOnce() -> Result<u32, E>) -> io::Result<Result<u32, E>> {
        let (folder, _lock) = self.locked(true)?;
        // The lock is held until the note stands: a child that is quick waits for it.
        let process = match start() {
            Ok(process) => process,
            Err(fault) => {
                self.remove(&folder)?;
                return Ok(Err(fault));
            }
        };
        self.write(&folder, &format!("{{\"process\":{process}}}\n"))?;
        Ok(Ok(process))
    }

    /// Puts what the process of this number has prepared; says whether it is still wanted.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(&self, process: u32, prepared: &str) -> io::Result<bool> {
        let (folder, _lock) = self.locked(false)?;
        match self.read(&folder)? {
            Found::Pending(waited_for) if waited_for == process => {
                self.write(&folder, &format!("{{\"prepared\":{prepared}}}\n"))?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Takes what is prepared; waits so long for a process that is still at work, as long as it `is_alive`.
    ///
    /// # Errors
    /// When the file cannot be read or removed.
    pub fn take(&self, patience: Duration, is_alive: impl Fn(u32) -> bool) -> io::Result<Found> {
        let end = Instant::now() + patience;
        loop {
            let found = self.take_now()?;
            let Found::Pending(process) = found else { return Ok(found) };
            if !is_alive(process) {
                // It may have put its answer and ended since we looked.
                return match self.take_now()? {
                    Found::Pending(_) => self.drop_note().map(|()| Found::Nothing),
                    found => Ok(found),
                };
            }
            if Instant::now() >= end {
                return Ok(found);
            }
            std::thread::sleep(TICK);
        }
    }

    fn take_now(&self) -> io::Result<Found> {
        if !self.session.path().with_file_name(self.name()?).exists() {
            return Ok(Found::Nothing);
        }
        let (folder, _lock) = self.locked(false)?;
        let found = self.read(&folder)?;
        if matches!(found, Found::Ready(_)) {
            self.remove(&folder)?;
        }
        Ok(found)
    }

    fn drop_note(&self) -> io::Result<()> {
        let (folder, _lock) = self.locked(false)?;
        self.remove(&folder)
    }

    fn name(&self) -> io::Result<String> {
        let name = self.session.path().file_name().and_then(|name| name.to_str());
        name.map(|name| format!(".{name}.recall")).ok_or_else(|| io::ErrorKind::InvalidFilename.into())
    }

    fn locked(&self, makes_folder: bool) -> io::Result<(Dir, File)> {
        let parent = session::parent(self.session.path());
        if makes_folder {
            make_private(parent)?;
        }
        let folder = Dir::open_ambient_dir(parent, ambient_authority())?;
        let lock = session::lock(&folder, &session::lock_name(self.session.path())?)?;
        Ok((folder, lock))
    }

    /// What cannot be read as ours counts as nothing.
    fn read(&self, folder: &Dir) -> io::Result<Found> {
        let text = match folder.read(self.name()?) {
            Ok(bytes) if bytes.len() <= MOST_BYTES => String::from_utf8(bytes).unwrap_or_default(),
            Ok(_) => String::new(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(error) => return Err(error),
        };
        let Ok(note) = Document::parse(text.trim()) else { return Ok(Found::Nothing) };
        if let Some(prepared) = note.get("prepared") {
            return Ok(Found::Ready(prepared.to_owned()));
        }
        Ok(note.try_read("process").ok().flatten().map_or(Found::Nothing, Found::Pending))
    }

    /// Written beside it and renamed over it; not synced, since after a crash nobody waits for it.
    fn write(&self, folder: &Dir, text: &str) -> io::Result<()> {
        let (name, beside) = (self.name()?, format!("{}.new", self.name()?));
        let mut file =
            folder.open_with(&beside, OpenOptions::new().write(true).create(true).truncate(true).mode(0o600))?;
        let written = file.write_all(text.as_bytes()).and_then(|()| folder.rename(&beside, folder, &name));
        if written.is_err() {
            // The first error is the one to tell.
            let _ = folder.remove_file(&beside);
        }
        written
    }

    fn remove(&self, folder: &Dir) -> io::Result<()> {
        match folder.remove_file(self.name()?) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Returns the reason of an error in words.
#[must_use]
pub fn reason(error: &io::Error) -> String {
    open::reason(error)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn place() -> (tempfile::TempDir, Prepared) {
        let folder = tempfile::tempdir().unwrap();
        let prepared = Prepared::of(SessionFile::by_id(folder.path(), "s-1"));
        (folder, prepared)
    }

    fn start(prepared: &Prepared, process: u32) {
        prepared.start(|| Ok::<_, ()>(process)).unwrap().unwrap();
    }

    fn take(prepared: &Prepared) -> Found {
        prepared.take(Duration::ZERO, |_| true).unwrap()
    }

    #[test]
    fn what_is_prepared_is_taken_once() {
        let (_folder, prepared) = place();
        assert_eq!(take(&prepared), Found::Nothing);
        start(&prepared, 7);
        assert_eq!(take(&prepared), Found::Pending(7));
        assert!(prepared.finish(7, r#"{"a":1}"#).unwrap());
        assert_eq!(take(&prepared), Found::Ready(r#"{"a":1}"#.into()));
        assert_eq!(take(&prepared), Found::Nothing);
    }

    #[test]
    fn an_older_process_comes_too_late() {
        let (_folder, prepared) = place();
        start(&prepared, 7);
        start(&prepared, 8);
        assert!(!prepared.finish(7, "1").unwrap());
        assert!(prepared.finish(8, "2").unwrap());
        assert!(!prepared.finish(7, "1").unwrap());
        assert_eq!(take(&prepared), Found::Ready("2".into()));
    }

    #[test]
    fn a_process_that_died_is_not_waited_for_and_nothing_stays() {
        use std::os::unix::fs::PermissionsExt;
        let (folder, prepared) = place();
        start(&prepared, 7);
        let kept = folder.path().join("sessions/.s-1.json.recall");
        assert_eq!(std::fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(prepared.take(Duration::from_secs(60), |_| false).unwrap(), Found::Nothing);
        assert!(!kept.exists());
        assert!(prepared.start(|| Err::<u32, _>("no")).unwrap().is_err() && !kept.exists());
    }

    #[test]
    fn a_file_that_is_none_of_ours_counts_as_nothing() {
        let (folder, prepared) = place();
        start(&prepared, 7);
        for text in ["", "[", "\u{fffd}", "{\"process\":\"x\"}", "null"] {
            std::fs::write(folder.path().join("sessions/.s-1.json.recall"), text).unwrap();
            assert_eq!(take(&prepared), Found::Nothing, "{text}");
        }
    }
}
