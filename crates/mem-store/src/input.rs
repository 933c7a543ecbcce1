//! The file that `-i` names, opened for mem-cli, which reads it as a stream.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens the input file. A FIFO or a device is as good as a file here: the caller named it.
///
/// # Errors
/// When it cannot be opened or is a folder.
pub fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder, not a file"));
    }
    Ok(file)
}
