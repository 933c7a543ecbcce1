//! Appends a line to an instruction file, without following links and without rewriting what stands there.

use std::io;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::folder::make_private;
use crate::replace::replace;

/// An instruction file beyond this size is not changed: it is none.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// What became of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It stands at the end of the file.
    Written,
    /// It stood in the file already.
    Unchanged,
}

/// Appends `line` to the file `name` in `folder`; a missing file is made, and so is a missing folder.
///
/// # Errors
/// When the file is a link or no regular file, holds no text, or the disk refuses.
pub fn line(folder: &Path, name: &str, line: &str) -> io::Result<Appended> {
    if !folder.exists() {
        make_private(folder)?;
    }
    let held = Dir::open_ambient_dir(folder, ambient_authority())?;
    let old = match held.symlink_metadata(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
        Ok(metadata) if !metadata.is_file() => return Err(io::Error::other("it is no regular file, or a link")),
        Ok(metadata) if metadata.len() > MOST_BYTES => return Err(io::Error::other("it is too large")),
        Ok(_) => held.read_to_string(name)?,
    };
    let newline = if old.contains("\r\n") { "\r\n" } else { "\n" };
    if old.lines().any(|there| there.trim() == line.trim()) {
        return Ok(Appended::Unchanged);
    }
    let gap = if old.is_empty() || old.ends_with('\n') { "" } else { newline };
    let text = format!("{old}{gap}{}{newline}", line.trim_end().replace('\n', newline));
    replace(&held, name, text.as_bytes())?;
    Ok(Appended::Written)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_line_is_appended_once_and_links_are_left_alone() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("CLAUDE.md");
        std::fs::write(&path, "# Rules\r\n- a").unwrap();
        assert_eq!(line(top.path(), "CLAUDE.md", "- b").unwrap(), Appended::Written);
        assert_eq!(line(top.path(), "CLAUDE.md", "- b").unwrap(), Appended::Unchanged);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "# Rules\r\n- a\r\n- b\r\n");
        std::os::unix::fs::symlink(&path, top.path().join("CLAUDE.local.md")).unwrap();
        assert!(line(top.path(), "CLAUDE.local.md", "- c").is_err());
        assert_eq!(line(&top.path().join("new"), "CLAUDE.md", "- d").unwrap(), Appended::Written);
    }
}
