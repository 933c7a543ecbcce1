//! The transcript that a hook names: a session file, opened to be read piece by piece.

use std::fs::File;
use std::path::Path;

use mem_types::Problems;

use crate::open;

/// Returns the transcript, opened, or nothing, which is said unless the file is not there yet.
///
/// At the first event of a session its file does not exist; that is no problem, only worth knowing.
#[must_use]
pub fn open(path: &Path, problems: &mut Problems) -> Option<File> {
    match open::file(path) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            problems.info("no-transcript", "the transcript is not there (yet)").path(path.to_string_lossy());
            None
        }
        Err(error) => {
            unreadable(&error, path, problems);
            None
        }
    }
}

/// Says that the transcript cannot be read.
pub fn unreadable(error: &std::io::Error, path: &Path, problems: &mut Problems) {
    problems
        .warning("unreadable-transcript", format!("the transcript cannot be read: {}", open::reason(error)))
        .path(path.to_string_lossy());
}
