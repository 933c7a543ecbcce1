//! The audit: a file of JSON lines to which each run appends what it loaded.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::open;

/// Appends lines, each with its end, in one write, so that runs at the same time do not mix theirs.
///
/// # Errors
/// In words, when the file cannot be opened or written, or is no regular file.
pub fn append(path: &Path, lines: &str) -> Result<(), String> {
    try_append(path, lines).map_err(|error| format!("cannot append to {}: {}", path.display(), open::reason(&error)))
}

fn try_append(path: &Path, lines: &str) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    // A pipe without a reader must not hold the run.
    let mut file = File::options().append(true).create(true).mode(0o600).custom_flags(open::O_NONBLOCK).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is no regular file"));
    }
    // One call: with O_APPEND the system puts it whole behind what others wrote.
    let written = file.write(lines.as_bytes())?;
    if written < lines.len() {
        return Err(io::Error::new(io::ErrorKind::WriteZero, "the disk took only a part"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn lines_are_appended_and_a_folder_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        append(&path, "{\"a\":1}\n").unwrap();
        append(&path, "{\"a\":2}\n{\"a\":3}\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(append(folder.path(), "x\n").is_err());
    }
}
