//! Puts a file in the place of another one while somebody without our lock may write it, too, and never goes back.
//!
//! To bring a stranger's file back would show him, for a moment, a file without his last words; what he saves then
//! lacks them. So what came out is merged with ours, and that is exchanged in turn, until what was expected comes out.

use std::io;
use std::time::{Duration, Instant};

use cap_std::fs::Dir;
use rustix::fs::RenameFlags;
use rustix::io::Errno;

use super::{Place, WRITING, foreign, parent_of, real_path, temporary_name};
use crate::replace::{self, sync};

/// How long we go onward before the file is said to be restless.
const PATIENCE: Duration = Duration::from_secs(10);

/// What became of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Onward {
    /// The new file stands there.
    Done,
    /// A file stands there that was made of ours and of what strangers had written at the same moment.
    Merged,
    /// Something else stands there than was read; ours was never there.
    Changed,
}

/// Whether a file is synced before it is brought in, or, because others write so often that the wait for the disk is
/// too long, right afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Haste {
    /// Synced before.
    Calm,
    /// Synced afterwards.
    Hurried,
}

/// Puts `bytes` at `path` in the place of `expected`. When something else comes out, `merged` is given what stands
/// there and what came out, and says what shall stand there then; nothing when it cannot: what came out goes back.
///
/// # Errors
/// When the disk refuses, or others write the file for 10 s without a pause.
pub fn put(
    folder: &Dir,
    path: &str,
    (expected, bytes): (&[u8], &[u8]),
    haste: Haste,
    mut merged: impl FnMut(&[u8], &[u8]) -> Option<Vec<u8>>,
) -> io::Result<Onward> {
    let _busy = replace::busy();
    let path = real_path(folder, path)?;
    let (parent, name) = parent_of(folder, &path)?;
    let writing = folder.open_dir(WRITING)?;
    let site = Site { parent: &parent, name, writing: &writing, path: &path };
    let start = Instant::now();
    let first = site.first(expected, bytes, haste)?;
    let First::CameOut(temporary, mut came_out) = first else {
        return Ok(if matches!(first, First::Done) { Onward::Done } else { Onward::Changed });
    };
    let mut stands = bytes.to_vec();
    let mut used = vec![temporary];
    let mut is_expected = false;
    while !is_expected {
        if start.elapsed() > PATIENCE {
            return Err(io::Error::other("somebody else writes the file all the time"));
        }
        let Some(next) = merged(&stands, &came_out) else {
            let last = used.pop().unwrap_or_default();
            return site.go_back(&last, &stands, &used);
        };
        if next == stands {
            break;
        }
        let temporary = temporary_name(&path, Some(&stands), &next);
        came_out = site.next(&temporary, &next)?;
        used.push(temporary);
        is_expected = came_out == stands;
        stands = next;
    }
    site.finish(&used)?;
    Ok(Onward::Merged)
}

enum First {
    Done,
    Changed,
    /// A stranger's file lies under this temporary name, and these are its bytes.
    CameOut(String, Vec<u8>),
}

struct Site<'a> {
    parent: &'a Dir,
    name: &'a str,
    writing: &'a Dir,
    path: &'a str,
}

impl Site<'_> {
    fn place<'a>(&'a self, temporary: &'a str) -> Place<'a> {
        Place { parent: self.parent, name: self.name, writing: self.writing, temporary }
    }

    /// Looks once more when the new file is ready, so that strangers have microseconds to come in between.
    fn first(&self, expected: &[u8], bytes: &[u8], haste: Haste) -> io::Result<First> {
        let temporary = temporary_name(self.path, Some(expected), bytes);
        let place = self.place(&temporary);
        let written = self.write(&place, bytes, haste).and_then(|()| {
            let is_expected = self.parent.read(self.name).is_ok_and(|found| found == expected);
            if is_expected { self.exchange(&place, expected) } else { Ok(First::Changed) }
        });
        if !matches!(written, Ok(First::CameOut(..))) {
            place.clear_away(&written, Some(expected), bytes);
        }
        if matches!(written, Ok(First::Done)) {
            self.settle(haste)?;
        }
        written
    }

    fn write(&self, place: &Place<'_>, bytes: &[u8], haste: Haste) -> io::Result<()> {
        let file = place.write_unsynced(true, bytes)?;
        if haste == Haste::Calm {
            file.sync_all()?;
        }
        self.writing.rename(place.part(), self.writing, place.whole())
    }

    fn exchange(&self, place: &Place<'_>, expected: &[u8]) -> io::Result<First> {
        match place.rename(RenameFlags::EXCHANGE) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Ok(First::Changed),
            // This file system cannot exchange; that the old file is the right one was seen just now.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => return place.rename_plainly().map(|_| First::Done),
            Err(error) => return Err(error.into()),
        }
        let came_out = self.writing.read(place.whole()).map_err(foreign)?;
        let is_expected = came_out == expected;
        Ok(if is_expected { First::Done } else { First::CameOut(place.temporary.to_owned(), came_out) })
    }

    /// Brings in the next file and returns what came out: nothing when somebody has removed the file meanwhile.
    fn next(&self, temporary: &str, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let place = self.place(temporary);
        self.write(&place, bytes, Haste::Hurried)?;
        match place.rename(RenameFlags::EXCHANGE) {
            Ok(()) => self.writing.read(place.whole()),
            Err(Errno::NOENT) => place.rename_plainly().map(|_| Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// Brings back what nobody can merge with ours.
    fn go_back(&self, last: &str, stands: &[u8], before: &[String]) -> io::Result<Onward> {
        let place = self.place(last);
        let result = place.take_back(stands);
        place.clear_away(&result, None, stands);
        result?;
        self.finish(before)?;
        Ok(Onward::Changed)
    }

    /// Makes what stands there lasting, and only then removes the strangers' files that were merged into it.
    fn finish(&self, used: &[String]) -> io::Result<()> {
        self.settle(Haste::Hurried)?;
        for temporary in used {
            // What is left is cleared away by the next writer.
            let _ = self.writing.remove_file(self.place(temporary).whole());
        }
        Ok(())
    }

    fn settle(&self, haste: Haste) -> io::Result<()> {
        if haste == Haste::Hurried {
            match self.parent.open(self.name) {
                Ok(file) => file.sync_all()?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        sync(self.parent)
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

    #[test]
    fn what_was_changed_before_is_left_alone() {
        let (folder, held) = folder();
        let put = |expected: &str, haste| put(&held, "a", (expected.as_bytes(), b"ours"), haste, |_, _| None).unwrap();
        std::fs::write(folder.path().join("a"), "old").unwrap();
        assert_eq!(put("other", Haste::Calm), Onward::Changed);
        assert_eq!(std::fs::read(folder.path().join("a")).unwrap(), b"old");
        assert_eq!(put("old", Haste::Hurried), Onward::Done);
        assert_eq!(std::fs::read(folder.path().join("a")).unwrap(), b"ours");
        std::fs::remove_file(folder.path().join("a")).unwrap();
        assert_eq!(put("ours", Haste::Calm), Onward::Changed);
        assert_eq!(std::fs::read_dir(folder.path().join(WRITING)).unwrap().count(), 0);
    }

    #[test]
    fn what_comes_out_is_merged_until_it_is_what_stood_there() {
        let (folder, held) = folder();
        std::fs::write(folder.path().join("a"), "stranger").unwrap();
        let site = Site { parent: &held, name: "a", writing: &held.open_dir(WRITING).unwrap(), path: "a" };
        let place = site.place("t");
        site.write(&place, b"ours", Haste::Calm).unwrap();
        let First::CameOut(name, came_out) = site.exchange(&place, b"old").unwrap() else { panic!("it was expected") };
        assert_eq!((name.as_str(), came_out.as_slice()), ("t", b"stranger".as_slice()));
        assert_eq!(site.next("u", b"both").unwrap(), b"ours");
        site.finish(&["t".into(), "u".into()]).unwrap();
        assert_eq!(std::fs::read(folder.path().join("a")).unwrap(), b"both");
        assert_eq!(std::fs::read_dir(folder.path().join(WRITING)).unwrap().count(), 0);
    }

    #[test]
    fn what_cannot_be_merged_goes_back() {
        let (folder, held) = folder();
        std::fs::write(folder.path().join("a"), "stranger").unwrap();
        let site = Site { parent: &held, name: "a", writing: &held.open_dir(WRITING).unwrap(), path: "a" };
        let place = site.place("t");
        site.write(&place, b"ours", Haste::Calm).unwrap();
        assert!(matches!(site.exchange(&place, b"old").unwrap(), First::CameOut(..)));
        assert_eq!(site.go_back("t", b"ours", &[]).unwrap(), Onward::Changed);
        assert_eq!(std::fs::read(folder.path().join("a")).unwrap(), b"stranger");
        assert_eq!(std::fs::read_dir(folder.path().join(WRITING)).unwrap().count(), 0);
    }
}
