//! Puts a file into a memory folder in the place of what was read there, and of nothing else.
//!
//! The new file is written whole in `.mem/writing`, synced, and exchanged with the old one in one step. What comes out
//! is looked at: when it is not what was read, somebody who does not know our lock has written meanwhile; his file goes
//! back, and the caller reads again. So nobody's words are overwritten, and at any moment each file is whole. The index
//! goes onward instead of back: see [`onward`].

use std::io::{self, Write};
use std::time::Duration;

use cap_std::fs::{Dir, File, OpenOptions};
use rustix::fs::{RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::hash::sha256;
use crate::replace::{self, sync};

pub(crate) mod onward;

/// Where new files are written, beneath the memory folder.
pub const WRITING: &str = ".mem/writing";
/// Ends the name of a file that is being written.
const PART: &str = ".part";
/// Ends the name of a file that is whole: ours before the exchange, the old one after it.
const WHOLE: &str = ".whole";
/// Longest encoded path in such a name.
const LONGEST_NAME: usize = 190;
/// How often files are exchanged on the way back before the disk is said to be restless.
const MOST_RETURNS: usize = 500;

/// What became of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// The new file stands there.
    Done,
    /// Something else stood there than was read; it stands there still.
    Changed,
}

/// Puts `bytes` at `path` beneath `folder` in the place of `expected`: the bytes that were read there, or no file.
///
/// The folders above must be there, and `.mem/writing`. Permissions of the old file are kept.
///
/// # Errors
/// When the disk refuses; the old file is then whole, and where it was.
pub fn put(folder: &Dir, path: &str, expected: Option<&[u8]>, bytes: &[u8]) -> io::Result<Put> {
    let _busy = replace::busy();
    let path = real_path(folder, path)?;
    let (parent, name) = parent_of(folder, &path)?;
    let writing = folder.open_dir(WRITING)?;
    let temporary = temporary_name(&path, expected, bytes);
    let place = Place { parent: &parent, name, writing: &writing, temporary: &temporary };
    let result = place.write_whole(expected.is_some(), bytes).and_then(|()| place.bring_in(expected, bytes));
    place.clear_away(&result, expected, bytes);
    result
}

/// Returns the open folder of a file, and the file's name in it.
fn parent_of<'a>(folder: &Dir, path: &'a str) -> io::Result<(Dir, &'a str)> {
    Ok(match path.rsplit_once('/') {
        Some((parent, name)) => (folder.open_dir(parent)?, name),
        None => (folder.try_clone()?, path),
    })
}

/// Clears away what a killed writer left, under the lock. What is nobody's but a stranger's goes back to its place, or
/// to `keep`, which gets its path and bytes.
///
/// # Errors
/// When the disk refuses.
pub fn recover(folder: &Dir, mut keep: impl FnMut(&str, &[u8]) -> io::Result<()>) -> io::Result<()> {
    let writing = folder.open_dir(WRITING)?;
    for entry in writing.entries()? {
        let Ok(name) = entry?.file_name().into_string() else { continue };
        if let Some(whole) = name.strip_suffix(WHOLE) {
            recover_one(folder, &writing, &name, whole, &mut keep)?;
        }
        writing.remove_file(&name)?;
    }
    Ok(())
}

fn recover_one(
    folder: &Dir,
    writing: &Dir,
    name: &str,
    whole: &str,
    keep: &mut impl FnMut(&str, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut parts = whole.splitn(3, '-');
    let (Some(old), Some(new), Some(path)) = (parts.next(), parts.next(), parts.next()) else { return Ok(()) };
    let bytes = writing.read(name)?;
    let found = short_hash(Some(&bytes));
    if found == old || found == new {
        return Ok(());
    }
    let path = decode(path);
    let current = folder.read(&path).ok();
    // Killed between the exchange and the way back: ours stands there, which nobody was told of.
    if current.is_some_and(|current| short_hash(Some(&current)) == new) {
        renameat_with(writing, name, folder, path.as_str(), RenameFlags::EXCHANGE)?;
        return Ok(());
    }
    keep(&path, &bytes)
}

struct Place<'a> {
    parent: &'a Dir,
    name: &'a str,
    writing: &'a Dir,
    temporary: &'a str,
}

impl Place<'_> {
    /// Writes the new file, synced, under a name that says that it is whole.
    fn write_whole(&self, replaces: bool, bytes: &[u8]) -> io::Result<()> {
        self.write_unsynced(replaces, bytes)?.sync_all()?;
        self.writing.rename(self.part(), self.writing, self.whole())
    }

    fn write_unsynced(&self, replaces: bool, bytes: &[u8]) -> io::Result<File> {
        let mut file = self.writing.open_with(self.part(), OpenOptions::new().write(true).create_new(true))?;
        if replaces && let Ok(old) = self.parent.metadata(self.name) {
            file.set_permissions(old.permissions())?;
        }
        file.write_all(bytes)?;
        Ok(file)
    }

    /// Removes what is left of ours, and no stranger's file: the next writer brings that back, or keeps it.
    fn clear_away<T>(&self, result: &io::Result<T>, expected: Option<&[u8]>, bytes: &[u8]) {
        // Nothing is to be done when this fails, too: what is left is cleared away by the next writer.
        let _ = self.writing.remove_file(self.part());
        let is_foreign = match result {
            Err(error) => keeps_foreign(error),
            Ok(_) => {
                self.writing.read(self.whole()).is_ok_and(|left| left != bytes && Some(left.as_slice()) != expected)
            }
        };
        if !is_foreign {
            let _ = self.writing.remove_file(self.whole());
        }
    }

    fn bring_in(&self, expected: Option<&[u8]>, bytes: &[u8]) -> io::Result<Put> {
        let put = match expected {
            None => self.bring_in_new()?,
            Some(expected) => self.bring_in_for(expected, bytes)?,
        };
        if put == Put::Done {
            sync(self.parent)?;
        }
        Ok(put)
    }

    fn bring_in_new(&self) -> io::Result<Put> {
        match self.rename(RenameFlags::NOREPLACE) {
            Ok(()) => Ok(Put::Done),
            Err(Errno::EXIST) => Ok(Put::Changed),
            // This file system cannot look and rename in one step.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) if self.parent.exists(self.name) => Ok(Put::Changed),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => self.rename_plainly(),
            Err(error) => Err(error.into()),
        }
    }

    fn bring_in_for(&self, expected: &[u8], bytes: &[u8]) -> io::Result<Put> {
        match self.rename(RenameFlags::EXCHANGE) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Ok(Put::Changed),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                let is_expected = self.parent.read(self.name).is_ok_and(|found| found == expected);
                return if is_expected { self.rename_plainly() } else { Ok(Put::Changed) };
            }
            Err(error) => return Err(error.into()),
        }
        if self.writing.read(self.whole()).map_err(foreign)? == expected {
            return Ok(Put::Done);
        }
        self.take_back(bytes)
    }

    /// Brings the stranger's file back. When he has written over ours meanwhile, that newer file stays, and the one
    /// that it has not seen is left in `.mem/writing`.
    fn take_back(&self, bytes: &[u8]) -> io::Result<Put> {
        let mut stands = bytes.to_vec();
        let mut held = self.writing.read(self.whole()).map_err(foreign)?;
        for _ in 0..MOST_RETURNS {
            self.rename(RenameFlags::EXCHANGE).map_err(|error| foreign(error.into()))?;
            let came_out = self.writing.read(self.whole()).map_err(foreign)?;
            if came_out == stands {
                return Ok(Put::Changed);
            }
            stands = std::mem::replace(&mut held, came_out);
        }
        Err(foreign(io::Error::other("somebody else writes the file all the time")))
    }

    fn rename_plainly(&self) -> io::Result<Put> {
        self.writing.rename(self.whole(), self.parent, self.name)?;
        Ok(Put::Done)
    }

    fn rename(&self, flags: RenameFlags) -> rustix::io::Result<()> {
        renameat_with(self.writing, self.whole(), self.parent, self.name, flags)
    }

    fn part(&self) -> String {
        format!("{}{PART}", self.temporary)
    }

    fn whole(&self) -> String {
        format!("{}{WHOLE}", self.temporary)
    }
}

/// An error after which a stranger's file may lie in `.mem/writing`: the next writer brings it back.
#[derive(Debug)]
struct Foreign(io::Error);

impl std::fmt::Display for Foreign {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Foreign {}

fn foreign(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), Foreign(error))
}

fn keeps_foreign(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<Foreign>())
}

/// Returns where a link within the folder leads, so that the file is replaced and not the link.
fn real_path(folder: &Dir, path: &str) -> io::Result<String> {
    match folder.symlink_metadata(path) {
        Ok(found) if found.is_symlink() => {
            let real = folder.canonicalize(path)?;
            real.to_str().map(str::to_owned).ok_or_else(|| io::ErrorKind::InvalidFilename.into())
        }
        _ => Ok(path.to_owned()),
    }
}

/// `<hash of the old>-<hash of the new>-<path>`: enough to know after a kill whose bytes are left.
fn temporary_name(path: &str, old: Option<&[u8]>, new: &[u8]) -> String {
    format!("{}-{}-{}", short_hash(old), short_hash(Some(new)), encode(path))
}

fn short_hash(bytes: Option<&[u8]>) -> String {
    bytes.map_or_else(|| "none".to_owned(), |bytes| sha256(bytes)[..16].to_owned())
}

fn encode(path: &str) -> String {
    let encoded = path.replace('%', "%25").replace('/', "%2F");
    if encoded.len() <= LONGEST_NAME { encoded } else { format!("{}.md", sha256(path.as_bytes())) }
}

fn decode(name: &str) -> String {
    name.replace("%2F", "/").replace("%25", "%")
}

/// Returns the bytes at `path` beneath `folder`, or nothing when there is no file.
///
/// A file that is empty or ends within a line may be one that an editor is writing in place just now: it is read again
/// until it rests.
///
/// # Errors
/// When it is no regular file, a link leads out of the folder, or the disk refuses.
pub fn read(folder: &Dir, path: &str) -> io::Result<Option<Vec<u8>>> {
    /// Longer than a program takes between the two calls that empty and fill a file.
    const REST: Duration = Duration::from_millis(10);
    let Some(bytes) = read_once(folder, path)? else { return Ok(None) };
    if bytes.ends_with(b"\n") || !is_fresh(folder, path) {
        return Ok(Some(bytes));
    }
    let mut last = bytes;
    for _ in 0..10 {
        std::thread::sleep(REST);
        let Some(bytes) = read_once(folder, path)? else { return Ok(None) };
        if bytes == last {
            break;
        }
        last = bytes;
    }
    Ok(Some(last))
}

/// Whether a file was written to within the last second.
fn is_fresh(folder: &Dir, path: &str) -> bool {
    let modified =
        folder.metadata(path).and_then(|metadata| metadata.modified()).map(cap_std::time::SystemTime::into_std);
    modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age < Duration::from_secs(1)))
}

fn read_once(folder: &Dir, path: &str) -> io::Result<Option<Vec<u8>>> {
    match folder.metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{path} is no regular file")))
        }
        Ok(_) => match folder.read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            result => result.map(Some),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use cap_std::ambient_authority;

    fn folder() -> (tempfile::TempDir, Dir) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(WRITING)).unwrap();
        let held = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        (folder, held)
    }

    fn left(folder: &tempfile::TempDir) -> usize {
        std::fs::read_dir(folder.path().join(WRITING)).unwrap().count()
    }

    #[test]
    fn a_file_is_put_only_in_the_place_of_what_was_read() {
        let (folder, held) = folder();
        assert_eq!(put(&held, "a.md", None, b"one").unwrap(), Put::Done);
        assert_eq!(put(&held, "a.md", None, b"two").unwrap(), Put::Changed);
        assert_eq!(put(&held, "a.md", Some(b"other"), b"two").unwrap(), Put::Changed);
        assert_eq!(std::fs::read(folder.path().join("a.md")).unwrap(), b"one");
        assert_eq!(put(&held, "a.md", Some(b"one"), b"two").unwrap(), Put::Done);
        assert_eq!(put(&held, "gone.md", Some(b"one"), b"two").unwrap(), Put::Changed);
        assert_eq!(std::fs::read(folder.path().join("a.md")).unwrap(), b"two");
        assert_eq!(left(&folder), 0);
    }

    #[test]
    fn a_strangers_file_that_a_killed_writer_held_comes_back() {
        let (folder, held) = folder();
        let name = format!("{}{WHOLE}", temporary_name("MEMORY.md", Some(b"old"), b"ours"));
        std::fs::write(folder.path().join(WRITING).join(&name), "stranger").unwrap();
        std::fs::write(folder.path().join(WRITING).join("x.part"), "half").unwrap();
        std::fs::write(folder.path().join("MEMORY.md"), "ours").unwrap();
        recover(&held, |_, _| panic!("it has a place")).unwrap();
        assert_eq!(std::fs::read(folder.path().join("MEMORY.md")).unwrap(), b"stranger");
        assert_eq!(left(&folder), 0);
        std::fs::write(folder.path().join(WRITING).join(&name), "stranger").unwrap();
        let mut kept = Vec::new();
        recover(&held, |path, bytes| {
            kept.push((path.to_owned(), bytes.to_vec()));
            Ok(())
        })
        .unwrap();
        assert_eq!(kept, [("MEMORY.md".to_owned(), b"stranger".to_vec())]);
    }

    #[test]
    fn the_name_of_a_temporary_file_names_the_path() {
        assert_eq!(decode(&encode("a/b%2F c-d.md")), "a/b%2F c-d.md");
        assert!(encode(&"长".repeat(300)).len() < 200);
    }

    #[test]
    fn a_link_within_the_folder_stays_a_link() {
        let (folder, held) = folder();
        std::fs::write(folder.path().join("a.md"), "one\n").unwrap();
        std::os::unix::fs::symlink("a.md", folder.path().join("b.md")).unwrap();
        assert_eq!(put(&held, "b.md", Some(b"one\n"), b"two\n").unwrap(), Put::Done);
        assert!(folder.path().join("b.md").is_symlink());
        assert_eq!(std::fs::read(folder.path().join("a.md")).unwrap(), b"two\n");
    }
}
