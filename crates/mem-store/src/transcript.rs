//! The transcript that a hook names: the bytes of a session file.

use std::path::Path;

use mem_types::Problems;

use crate::open;

/// Returns the bytes of the transcript, or nothing, which is said unless the file is not there yet.
///
/// At the first event of a session its file does not exist; that is no problem, only worth knowing.
#[must_use]
pub fn read(path: &Path, problems: &mut Problems) -> Option<Vec<u8>> {
    match open::read(path) {
        Ok(content) => Some(content.bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            problems.info("no-transcript", "the transcript is not there (yet)").path(path.to_string_lossy());
            None
        }
        Err(error) => {
            problems
                .warning("unreadable-transcript", format!("the transcript cannot be read: {}", open::reason(&error)))
                .path(path.to_string_lossy());
            None
        }
    }
}
