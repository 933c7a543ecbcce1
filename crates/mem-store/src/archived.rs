//! What lies in the archive: every version of every memory that was archived, merged away or overwritten.

use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};

use crate::archive::{ENDING, FOLDER};

/// A modification time: seconds and nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileTime(pub u64, pub u32);

/// One archived file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archived {
    /// When it was archived, as `20261130T120000Z`.
    pub at: String,
    /// Its path in the memory folder.
    pub path: String,
    /// Where it lies, relative to the memory folder.
    pub file: String,
    /// Several of one name in one second are numbered.
    number: u32,
}

impl Archived {
    /// Returns the first version of `path` that was archived at `at`.
    #[must_use]
    pub fn of(at: &str, path: &str) -> Self {
        let file = format!("{FOLDER}/{at}/{path}{ENDING}");
        Self { at: at.to_owned(), path: path.to_owned(), file, number: 0 }
    }
}

/// Most folders below each other.
const MAX_DEPTH: usize = 20;

/// Returns all archived files, the oldest first.
///
/// # Errors
/// When the archive cannot be listed.
pub(crate) fn list(held: &Dir) -> io::Result<Vec<Archived>> {
    let mut found = Vec::new();
    for at in names(held, FOLDER)? {
        collect(held, &at, "", 0, &mut found)?;
    }
    found.sort_by(|one, other| (&one.at, &one.path, one.number).cmp(&(&other.at, &other.path, other.number)));
    Ok(found)
}

fn collect(held: &Dir, at: &str, below: &str, depth: usize, found: &mut Vec<Archived>) -> io::Result<()> {
    let folder = format!("{FOLDER}/{at}/{below}");
    if depth > MAX_DEPTH || !held.symlink_metadata(folder.trim_end_matches('/'))?.is_dir() {
        return Ok(());
    }
    for name in names(held, &folder)? {
        let Some(path) = name.strip_suffix(ENDING) else {
            collect(held, at, &format!("{below}{name}/"), depth + 1, found)?;
            continue;
        };
        let (path, number) = without_number(path);
        let file = format!("{folder}{name}");
        found.push(Archived { at: at.to_owned(), path: format!("{below}{path}"), file, number });
    }
    Ok(())
}

/// `a.md.3` is the fourth version of `a.md` in one second.
fn without_number(name: &str) -> (&str, u32) {
    let numbered = name.rsplit_once('.').and_then(|(head, number)| Some((head, number.parse().ok()?)));
    numbered.unwrap_or((name, 0))
}

/// Returns a file's modification time, or nothing when there is no file.
pub(crate) fn time(held: &Dir, path: &str) -> io::Result<Option<FileTime>> {
    match held.metadata(path) {
        Ok(metadata) => {
            let elapsed = metadata.modified()?.into_std().duration_since(UNIX_EPOCH).unwrap_or_default();
            Ok(Some(FileTime(elapsed.as_secs(), elapsed.subsec_nanos())))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Gives a file a modification time.
pub(crate) fn set_time(held: &Dir, path: &str, FileTime(seconds, nanoseconds): FileTime) -> io::Result<()> {
    let time: SystemTime = UNIX_EPOCH + Duration::new(seconds, nanoseconds);
    held.open(path)?.into_std().set_modified(time)
}

/// Returns the names in a folder, sorted; none when there is no such folder.
pub(crate) fn names(held: &Dir, path: &str) -> io::Result<Vec<String>> {
    let entries = match held.read_dir(path) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        if let Ok(name) = entry?.file_name().into_string() {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_version_is_listed_by_its_path_the_oldest_first() {
        let top = tempfile::tempdir().unwrap();
        for file in ["t2/a.md.old", "t1/a.md.old", "t1/a.md.10.old", "t1/a.md.2.old", "t1/sub/b.md.old"] {
            let file = top.path().join(FOLDER).join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "x").unwrap();
        }
        let held = Dir::open_ambient_dir(top.path(), cap_std::ambient_authority()).unwrap();
        let found: Vec<(String, String, u32)> =
            list(&held).unwrap().into_iter().map(|one| (one.at, one.path, one.number)).collect();
        let want = [("t1", "a.md", 0), ("t1", "a.md", 2), ("t1", "a.md", 10), ("t1", "sub/b.md", 0), ("t2", "a.md", 0)];
        assert_eq!(found, want.map(|(at, path, number)| (at.to_owned(), path.to_owned(), number)));
        assert_eq!(
            list(&Dir::open_ambient_dir(top.path().join(".mem"), cap_std::ambient_authority()).unwrap()).unwrap(),
            []
        );
    }
}
