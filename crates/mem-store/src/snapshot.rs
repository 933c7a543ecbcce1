//! Snapshots of sessions: files that a caller names, for this user's eyes only.

use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use crate::open;
use crate::replace::replace;

/// A larger file is no snapshot that anyone could use.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// Returns the bytes of a snapshot.
///
/// # Errors
/// In words, when it cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    let content = open::read_up_to(path, MAX_BYTES).map_err(|error| open::reason(&error))?;
    Ok(content.bytes)
}

/// Writes a snapshot so that a reader finds the old one or the new one, with mode 0600.
///
/// # Errors
/// In words, when it cannot be written; what was there before is then still whole.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    try_write(path, bytes).map_err(|error| format!("cannot write {}: {}", path.display(), open::reason(&error)))
}

fn try_write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use cap_std::fs::OpenOptionsExt;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().and_then(|name| name.to_str()).ok_or(std::io::ErrorKind::InvalidFilename)?;
    let folder = Dir::open_ambient_dir(parent, ambient_authority())?;
    let is_new = !folder.exists(name);
    if is_new {
        // A replacement takes the mode of the file that it replaces.
        folder.open_with(name, OpenOptions::new().write(true).create_new(true).mode(0o600))?;
    }
    let written = replace(&folder, name, bytes);
    if written.is_err() && is_new {
        // Nothing is left behind that holds nothing; the first error is the one to tell.
        let _ = folder.remove_file(name);
    }
    written
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_snapshot_is_for_its_owner_and_whole() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.json");
        write(&path, b"{}").unwrap();
        write(&path, b"[1]").unwrap();
        assert_eq!(read(&path).unwrap(), b"[1]");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(write(&folder.path().join("no/s.json"), b"{}").is_err());
        assert!(read(&folder.path().join("none")).is_err());
    }
}
