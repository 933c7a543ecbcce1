//! Reads regular files and nothing else: a FIFO, a device or a folder in a file's place must not stop a run.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// A file's bytes with what the disk says about it.
#[derive(Debug)]
pub struct Content {
    /// The bytes, perhaps only the first of them.
    pub bytes: Vec<u8>,
    /// Size, times and kind.
    pub metadata: Metadata,
}

/// Returns the whole of a regular file.
///
/// # Errors
/// When it cannot be opened, is no regular file, or cannot be read.
pub fn read(path: &Path) -> io::Result<Content> {
    read_up_to(path, u64::MAX)
}

/// Returns the first `limit` bytes of a regular file.
///
/// # Errors
/// As [`read`].
pub fn read_up_to(path: &Path, limit: u64) -> io::Result<Content> {
    let file = open_regular(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(no_file(&metadata));
    }
    let bytes = read_bytes(&file, metadata.len(), limit)?;
    Ok(Content { bytes, metadata })
}

/// Returns a regular file, opened for reading.
///
/// # Errors
/// When it cannot be opened or is no regular file.
pub fn file(path: &Path) -> io::Result<File> {
    let file = open_regular(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok(file) } else { Err(no_file(&metadata)) }
}

/// A small file is read in one call: the size that the disk names is believed, and its end not looked for once more.
fn read_bytes(mut file: &File, length: u64, limit: u64) -> io::Result<Vec<u8>> {
    const SMALL: u64 = 64 * 1024;
    let wanted = length.min(limit);
    if wanted == 0 || wanted > SMALL {
        let mut bytes = Vec::with_capacity(usize::try_from(wanted).unwrap_or(0).min(1 << 30) + 1);
        file.take(limit).read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    let mut bytes = vec![0; usize::try_from(wanted).unwrap_or(0)];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// By number, so that no further crate is needed: the same on all systems with this layout.
pub(crate) const O_NONBLOCK: i32 = if cfg!(any(target_os = "linux", target_os = "android")) { 0o4000 } else { 0x4 };

/// Opening a FIFO for reading waits for a writer, so on Unix the call must not block.
fn open_regular(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().read(true).custom_flags(O_NONBLOCK).open(path)
}

pub(crate) fn no_file(metadata: &Metadata) -> io::Error {
    let message = if metadata.is_dir() { "is a folder, not a file" } else { "is no regular file" };
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// Returns what an error of the operating system says, without its number.
#[must_use]
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "is a folder, not a file".into(),
        _ => {
            let text = error.to_string();
            let end = text.find(" (os error").unwrap_or(text.len());
            text[..end].to_lowercase()
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_folder_is_refused_and_a_long_file_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path()).is_err());
        let path = folder.path().join("a");
        std::fs::write(&path, "abcdef").unwrap();
        assert_eq!(read_up_to(&path, 3).unwrap().bytes, b"abc");
        assert_eq!(read(&path).unwrap().bytes, b"abcdef");
    }
}
