//! Looks at what lies beneath one folder, for somebody who is not trusted: no path and no link leads out of it.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions, OpenOptionsExt};
use jiff::Timestamp;

/// Most folders below each other that are walked.
const MOST_LEVELS: usize = 32;
/// Most entries of one folder that are looked at.
const MOST_ENTRIES: usize = 20_000;

/// A folder that is held, so that it stays the same whatever happens to its name.
#[derive(Debug)]
pub struct Beneath {
    root: PathBuf,
    held: Dir,
}

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name, or the path that was asked for.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Whether it is a regular file.
    pub is_file: bool,
    /// Its size.
    pub bytes: u64,
    /// When its content last changed.
    pub modified: Option<Timestamp>,
}

impl Beneath {
    /// Holds a folder.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(root: &Path) -> io::Result<Self> {
        Ok(Self { root: root.to_path_buf(), held: Dir::open_ambient_dir(root, ambient_authority())? })
    }

    /// Returns where the folder is.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns where the folder is behind all links.
    #[must_use]
    pub fn real_root(&self) -> PathBuf {
        self.root.canonicalize().unwrap_or_else(|_| self.root.clone())
    }

    /// Returns the path behind all links, relative to the folder.
    ///
    /// # Errors
    /// When there is nothing, or it lies outside.
    pub fn real(&self, path: &str) -> io::Result<String> {
        let real = self.held.canonicalize(or_here(path))?;
        Ok(real.to_string_lossy().into_owned())
    }

    /// Returns the first `limit` bytes of a regular file, and whether there are more.
    ///
    /// # Errors
    /// When it is no regular file, lies outside, or cannot be read.
    pub fn read(&self, path: &str, limit: u64) -> io::Result<(Vec<u8>, bool)> {
        // A FIFO would wait for a writer: see open.rs.
        const O_NONBLOCK: i32 = if cfg!(any(target_os = "linux", target_os = "android")) { 0o4000 } else { 0x4 };
        let file = self.held.open_with(or_here(path), OpenOptions::new().read(true).custom_flags(O_NONBLOCK))?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "is no regular file"));
        }
        let mut bytes = Vec::new();
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        let is_cut = bytes.len() as u64 > limit;
        bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok((bytes, is_cut))
    }

    /// Returns what a path stands for, behind all links.
    ///
    /// # Errors
    /// When there is nothing, or it lies outside.
    pub fn look(&self, path: &str) -> io::Result<Entry> {
        self.held.metadata(or_here(path)).map(|metadata| entry(path.to_owned(), &metadata))
    }

    /// Returns what stands in a folder, sorted by name. Links are told as neither file nor folder.
    ///
    /// # Errors
    /// When it is no folder, or lies outside.
    pub fn list(&self, path: &str) -> io::Result<Vec<Entry>> {
        let mut found = Vec::new();
        for entry in self.held.read_dir(or_here(path))?.take(MOST_ENTRIES).flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Ok(metadata) = entry.metadata() {
                found.push(self::entry(name, &metadata));
            }
        }
        found.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(found)
    }

    /// Returns the regular files below `path`, relative to the folder and sorted, and whether there are more than `most`.
    ///
    /// Links are not followed; `.git` and `node_modules` are passed over.
    #[must_use]
    pub fn files(&self, path: &str, most: usize) -> (Vec<String>, bool) {
        let mut found = Vec::new();
        let mut open = vec![(path.trim_matches('/').to_owned(), 0)];
        while let Some((folder, level)) = open.pop() {
            let entries = self.list(&folder).unwrap_or_default();
            for entry in entries {
                let below = if folder.is_empty() { entry.name.clone() } else { format!("{folder}/{}", entry.name) };
                if entry.is_folder && level < MOST_LEVELS && entry.name != ".git" && entry.name != "node_modules" {
                    open.push((below, level + 1));
                } else if entry.is_file {
                    found.push(below);
                    if found.len() > most {
                        found.sort();
                        found.truncate(most);
                        return (found, true);
                    }
                }
            }
        }
        found.sort();
        (found, false)
    }
}

fn entry(name: String, metadata: &Metadata) -> Entry {
    let modified = metadata.modified().ok().and_then(|time| Timestamp::try_from(time.into_std()).ok());
    Entry { name, is_folder: metadata.is_dir(), is_file: metadata.is_file(), bytes: metadata.len(), modified }
}

fn or_here(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn no_path_and_no_link_leads_out() {
        let top = tempfile::tempdir().unwrap();
        fs::write(top.path().join("secret"), "x").unwrap();
        let root = top.path().join("root");
        fs::create_dir(&root).unwrap();
        symlink(top.path().join("secret"), root.join("out")).unwrap();
        symlink("../secret", root.join("up")).unwrap();
        symlink("..", root.join("above")).unwrap();
        fs::write(root.join("in.txt"), "inside").unwrap();
        symlink("in.txt", root.join("alias")).unwrap();
        let beneath = Beneath::open(&root).unwrap();
        for path in ["out", "up", "above/secret", "../secret", "/etc/passwd", "in.txt/../../secret"] {
            assert!(beneath.read(path, 10).is_err(), "{path}");
            assert!(beneath.look(path).is_err(), "{path}");
        }
        assert!(beneath.list("above").is_err());
        assert_eq!(beneath.read("alias", 3).unwrap(), (b"ins".to_vec(), true));
        assert_eq!(beneath.real("alias").unwrap(), "in.txt");
        assert_eq!(beneath.files("", 10), (vec!["in.txt".to_owned()], false));
    }

    #[test]
    fn a_fifo_does_not_hold_anybody_up() {
        let top = tempfile::tempdir().unwrap();
        let made = std::process::Command::new("mkfifo").arg(top.path().join("pipe")).status();
        assert!(made.unwrap().success());
        assert!(Beneath::open(top.path()).unwrap().read("pipe", 10).is_err());
    }
}
