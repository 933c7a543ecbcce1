//! Writes a file so that at any moment it is whole, old or new: beside it, synced, renamed over it, folder synced.

use std::io::{self, Write};
use std::sync::RwLock;

use cap_std::fs::{Dir, OpenOptions};

/// Held for reading during each replacement. A signal takes it for writing before the process dies, so that no
/// temporary file is left behind.
static REPLACING: RwLock<()> = RwLock::new(());

/// Returns a guard that keeps a signal waiting until it is dropped.
pub(crate) fn busy() -> std::sync::RwLockReadGuard<'static, ()> {
    REPLACING.read().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Waits until no file is being replaced, and keeps it so while `last` runs.
pub fn when_idle(last: impl FnOnce()) {
    let guard = REPLACING.write().unwrap_or_else(std::sync::PoisonError::into_inner);
    last();
    drop(guard);
}

/// Replaces the file `path` beneath `folder` by `bytes`, or makes it. Permissions of an old file are kept.
///
/// # Errors
/// When the temporary file cannot be made, written, synced or renamed; the old file is then still whole.
pub fn replace(folder: &Dir, path: &str, bytes: &[u8]) -> io::Result<()> {
    let guard = busy();
    let (parent, name) = match path.rsplit_once('/') {
        Some((parent, name)) => (folder.open_dir(parent)?, name),
        None => (folder.try_clone()?, path),
    };
    let temporary = format!(".{}.{}.tmp", short(name), std::process::id());
    let written =
        write_beside(&parent, &temporary, name, bytes).and_then(|()| parent.rename(&temporary, &parent, name));
    if written.is_err() {
        // Nothing to be done when this fails too: the first error is the one to tell.
        let _ = parent.remove_file(&temporary);
    }
    written?;
    sync(&parent)?;
    drop(guard);
    Ok(())
}

fn write_beside(parent: &Dir, temporary: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
    // A temporary file of this name is what a killed process with our number left behind: the lock is ours.
    match parent.remove_file(temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = parent.open_with(temporary, OpenOptions::new().write(true).create_new(true))?;
    if let Ok(metadata) = parent.metadata(name) {
        file.set_permissions(metadata.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes the names in a folder as lasting as the files.
pub(crate) fn sync(folder: &Dir) -> io::Result<()> {
    // Opened anew: the descriptor that is held for resolving paths may not be readable.
    let folder = folder.open(".")?;
    match folder.sync_all() {
        // Some file systems do not sync folders and say so.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        result => result,
    }
}

/// Makes the names in the folder `path` beneath `held` as lasting as the files.
pub(crate) fn sync_beneath(held: &Dir, path: &str) -> io::Result<()> {
    sync(&held.open_dir(path)?)
}

/// Returns a name short enough that the temporary name stays below the usual limit of 255 bytes.
fn short(name: &str) -> &str {
    let mut end = name.len().min(200);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use cap_std::ambient_authority;

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let held = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        replace(&held, "a.md", b"one").unwrap();
        replace(&held, "a.md", b"two").unwrap();
        assert_eq!(std::fs::read(folder.path().join("a.md")).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn permissions_of_the_old_file_are_kept() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        std::fs::write(&path, "one").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        let held = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        replace(&held, "a.md", b"two").unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn nothing_is_written_through_a_link_that_leads_out() {
        let outside = tempfile::tempdir().unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("sub")).unwrap();
        let held = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        assert!(replace(&held, "sub/a.md", b"x").is_err());
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
