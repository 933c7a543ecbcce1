//! Questions to a model and its answers, kept in a folder that only its owner can read.

use std::io;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};

use crate::folder::make_private;
use crate::open;
use crate::replace::replace;

/// Largest recording that is read.
const LARGEST: u64 = 64 << 20;

/// Writes one recording, whole or not at all, with mode 0600; makes the folder with mode 0700.
///
/// # Errors
/// In words, when the folder cannot be made or the file not written.
pub fn write(dir: &Path, name: &str, text: &str) -> Result<(), String> {
    try_write(dir, name, text).map_err(|error| format!("cannot write in {}: {}", dir.display(), open::reason(&error)))
}

/// Makes the folder, for one who will not be allowed to make it later.
///
/// # Errors
/// In words, when it cannot be made.
pub fn prepare(dir: &Path) -> Result<(), String> {
    make_private(dir).map_err(|error| format!("cannot make {}: {}", dir.display(), open::reason(&error)))
}

/// Returns a recording, or nothing when there is none of that name.
///
/// # Errors
/// In words, when it cannot be read.
pub fn read(dir: &Path, name: &str) -> Result<Option<String>, String> {
    match open::read_up_to(&dir.join(name), LARGEST) {
        Ok(content) => Ok(Some(String::from_utf8_lossy(&content.bytes).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("cannot read {}: {}", dir.join(name).display(), open::reason(&error))),
    }
}

fn try_write(dir: &Path, name: &str, text: &str) -> io::Result<()> {
    make_private(dir)?;
    let held = Dir::open_ambient_dir(dir, ambient_authority())?;
    // Made with its mode first, since a replacement takes the mode of the file that it replaces.
    match held.open_with(name, OpenOptions::new().write(true).create_new(true).mode(0o600)) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    replace(&held, name, text.as_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn nobody_else_can_read_a_recording() {
        use std::os::unix::fs::PermissionsExt;
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join("kept");
        assert_eq!(read(&dir, "a.json").unwrap(), None);
        write(&dir, "a.json", "one").unwrap();
        write(&dir, "a.json", "two").unwrap();
        assert_eq!(read(&dir, "a.json").unwrap().as_deref(), Some("two"));
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&dir), mode(&dir.join("a.json"))), (0o700, 0o600));
    }
}
