//! Session files: what must survive between processes, one JSON object a session, changed part by part under a lock.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use mem_types::Document;

use crate::folder::make_private;
use crate::hash::sha256;
use crate::open;
use crate::replace::replace;

/// How long to wait for another process that is writing the same session.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
/// Longest `session_id` that is used as a file name.
const MAX_NAME: usize = 64;

/// The file of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    path: PathBuf,
}

impl SessionFile {
    /// Returns the session kept in the file that the caller named.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Returns the session with this id below the state folder. An id that is no plain name is hashed.
    #[must_use]
    pub fn by_id(state_dir: &Path, session_id: &str) -> Self {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let is_name = (1..=MAX_NAME).contains(&session_id.len()) && session_id.bytes().all(is_plain);
        let name = if is_name { session_id.to_owned() } else { sha256(session_id.as_bytes()) };
        Self { path: state_dir.join("sessions").join(format!("{name}.json")) }
    }

    /// Returns where the session is kept.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the session's object; an empty one when there is no file.
    ///
    /// # Errors
    /// In words, when the file cannot be read or holds no JSON object.
    pub fn read(&self) -> Result<Document, String> {
        match open::read(&self.path) {
            Ok(content) => self.parse(&content.bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Document::default()),
            Err(error) => Err(format!("cannot read {}: {}", self.path.display(), open::reason(&error))),
        }
    }

    /// Replaces the parts given and leaves all others as they are on disk at that moment.
    ///
    /// # Errors
    /// In words, when the file cannot be locked, read or written; it is then as it was.
    pub fn merge(&self, parts: &[(&str, String)]) -> Result<(), String> {
        self.change(|session| parts.iter().for_each(|(part, value)| session.set(part, value.clone())))
    }

    /// Changes the session as it is on disk at that moment.
    ///
    /// # Errors
    /// As [`SessionFile::merge`].
    pub fn change(&self, change: impl FnOnce(&mut Document)) -> Result<(), String> {
        // Read first for its words: a file that holds no session is not to be written, and no fault of the disk.
        self.read()?;
        self.try_change(change)
            .map_err(|error| format!("cannot write {}: {}", self.path.display(), open::reason(&error)))
    }

    fn try_change(&self, change: impl FnOnce(&mut Document)) -> io::Result<()> {
        let parent = parent(&self.path);
        let name = self.path.file_name().and_then(|name| name.to_str()).ok_or(io::ErrorKind::InvalidFilename)?;
        make_private(parent)?;
        let folder = Dir::open_ambient_dir(parent, ambient_authority())?;
        let lock = lock(&folder, &lock_name(&self.path)?)?;
        let mut session = match open::read(&self.path) {
            Ok(content) => self.parse(&content.bytes).map_err(io::Error::other)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Document::default(),
            Err(error) => return Err(error),
        };
        change(&mut session);
        make_file(&folder, name)?;
        replace(&folder, name, format!("{}\n", session.to_line()).as_bytes())?;
        drop(lock);
        Ok(())
    }

    fn parse(&self, bytes: &[u8]) -> Result<Document, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned());
        let text = text.map(str::trim).map_err(|reason| format!("{} {reason}", self.path.display()))?;
        if text.is_empty() {
            return Ok(Document::default());
        }
        Document::parse(text).map_err(|_| format!("{} is no session: it holds no JSON object", self.path.display()))
    }
}

/// The file is made with mode 0600 first, since a replacement takes the mode of the file that it replaces.
fn make_file(folder: &Dir, name: &str) -> io::Result<()> {
    match folder.open_with(name, &private(OpenOptions::new().write(true).create_new(true))) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Returns the folder of a file; that of a bare name is where we are.
pub(crate) fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the name of the lock beside a session file.
pub(crate) fn lock_name(path: &Path) -> io::Result<String> {
    let name = path.file_name().and_then(|name| name.to_str()).ok_or(io::ErrorKind::InvalidFilename)?;
    Ok(format!(".{name}.lock"))
}

/// Returns the lock of this name, held until it is dropped.
pub(crate) fn lock(folder: &Dir, name: &str) -> io::Result<std::fs::File> {
    let file = folder.open_with(name, &private(OpenOptions::new().read(true).write(true).create(true)))?.into_std();
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(std::fs::TryLockError::Error(error)) => return Err(error),
            Err(std::fs::TryLockError::WouldBlock) if start.elapsed() > LOCK_PATIENCE => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "another process holds the session"));
            }
            Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

fn private(options: &mut OpenOptions) -> OpenOptions {
    use cap_std::fs::OpenOptionsExt;
    options.mode(0o600).clone()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn each_writer_replaces_only_its_own_part() {
        let folder = tempfile::tempdir().unwrap();
        let file = SessionFile::by_id(folder.path(), "s-1");
        file.merge(&[("recall", r#"{"a":1}"#.into())]).unwrap();
        file.merge(&[("load", r#"{"b":2}"#.into())]).unwrap();
        file.merge(&[("recall", r#"{"a":3}"#.into())]).unwrap();
        assert_eq!(file.read().unwrap().to_line(), r#"{"recall":{"a":3},"load":{"b":2}}"#);
    }

    #[test]
    fn nobody_else_can_read_a_session() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = SessionFile::by_id(folder.path(), "s-1");
        file.merge(&[("recall", "{}".into())]).unwrap();
        file.merge(&[("load", "{}".into())]).unwrap();
        assert_eq!(std::fs::metadata(file.path()).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn an_id_that_is_no_plain_name_is_hashed() {
        let folder = Path::new("/s");
        assert_eq!(SessionFile::by_id(folder, "abc_-9").path(), Path::new("/s/sessions/abc_-9.json"));
        for id in ["", "../../x", "a b", &"a".repeat(65), "日本"] {
            let path = SessionFile::by_id(folder, id).path().to_owned();
            assert_eq!(path.parent(), Some(Path::new("/s/sessions")), "{id}");
            assert_eq!(path.file_name().unwrap().len(), 69, "{id}");
        }
    }

    #[test]
    fn a_file_that_holds_no_session_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        std::fs::write(&path, "[1]").unwrap();
        assert!(SessionFile::at(path.clone()).merge(&[("load", "{}".into())]).is_err());
        assert_eq!(std::fs::read_to_string(path).unwrap(), "[1]");
    }
}
