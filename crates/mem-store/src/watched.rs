//! Tells whether anything in a memory folder has changed since it was read, without looking at its files.
//!
//! The kernel tells of every change on a disk of this machine, in the same moment. Where it cannot (a disk of another
//! machine, a file that has a second name elsewhere), nothing is watched, and the caller reads again.

use std::path::{Path, PathBuf};

/// So many folders below each other or side by side are watched; a memory folder is nearly flat.
#[cfg(target_os = "linux")]
const MOST_FOLDERS: usize = 64;

/// Folders that are watched.
#[derive(Debug)]
pub struct Watched {
    #[cfg(target_os = "linux")]
    watch: linux::Watch,
}

impl Watched {
    /// Watches these folders and all below them; nothing where a change might not be told.
    #[must_use]
    pub fn over(folders: &[PathBuf]) -> Option<Self> {
        #[cfg(target_os = "linux")]
        return linux::Watch::over(folders).map(|watch| Self { watch });
        #[cfg(not(target_os = "linux"))]
        return None::<Self>.filter(|_| folders.is_empty());
    }

    /// Whether everything is as it was when this was made.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.watch.is_unchanged();
        #[cfg(not(target_os = "linux"))]
        return false;
    }
}

/// Returns `folder` and all folders below it that may hold memories; nothing when there are too many, or when a file in
/// them can change without its folder being told of it.
#[cfg(target_os = "linux")]
fn folders_below(folder: &Path, found: &mut Vec<PathBuf>) -> Option<()> {
    use std::os::unix::fs::MetadataExt;
    if found.len() == MOST_FOLDERS {
        return None;
    }
    found.push(folder.to_path_buf());
    for entry in std::fs::read_dir(folder).ok()? {
        let entry = entry.ok()?;
        let kind = entry.file_type().ok()?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if kind.is_symlink() {
            return None;
        }
        if kind.is_dir() && !is_hidden {
            folders_below(&entry.path(), found)?;
        } else if kind.is_file() && entry.metadata().ok()?.nlink() > 1 {
            return None;
        }
    }
    Some(())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};

    use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
    use rustix::io::Errno;

    /// ext2 to ext4, XFS, Btrfs, tmpfs, F2FS, ZFS, overlayfs: disks of this machine, whose every change passes its kernel.
    const TOLD: [u64; 7] = [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0xF2F5_2010, 0x2FC1_2FC1, 0x794C_7630];

    #[derive(Debug)]
    pub struct Watch {
        events: OwnedFd,
        /// A folder that is replaced by another of its name is another.
        places: Vec<(PathBuf, (u64, u64))>,
    }

    impl Watch {
        pub fn over(folders: &[PathBuf]) -> Option<Self> {
            let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            let mut places = Vec::new();
            for folder in folders {
                places.push((folder.clone(), identity(folder)?));
                let mut all = Vec::new();
                super::folders_below(folder, &mut all)?;
                for below in all {
                    watch(&events, &below)?;
                }
            }
            Some(Self { events, places })
        }

        pub fn is_unchanged(&self) -> bool {
            let mut buffer = [MaybeUninit::<u8>::uninit(); 4096];
            let is_quiet = matches!(Reader::new(&self.events, &mut buffer).next(), Err(Errno::WOULDBLOCK));
            is_quiet && self.places.iter().all(|(folder, before)| identity(folder) == Some(*before))
        }
    }

    fn watch(events: &OwnedFd, folder: &Path) -> Option<()> {
        let told = rustix::fs::statfs(folder).ok().is_some_and(|disk| {
            // The kind has another width and sign on some machines.
            TOLD.contains(&((disk.f_type as u64) & 0xFFFF_FFFF))
        });
        let changes = WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        told.then(|| inotify::add_watch(events, folder, changes).ok()).flatten().map(drop)
    }

    fn identity(folder: &Path) -> Option<(u64, u64)> {
        let metadata = folder.metadata().ok()?;
        Some((metadata.dev(), metadata.ino()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    /// Whether a change is noticed; nothing where the disk cannot be watched.
    fn notices(change: impl FnOnce(&Path)) -> Option<bool> {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("memory");
        fs::create_dir_all(folder.join("team")).unwrap();
        fs::write(folder.join("a.md"), "one").unwrap();
        fs::write(folder.join("team/b.md"), "one").unwrap();
        let watched = Watched::over(std::slice::from_ref(&folder))?;
        assert!(watched.is_unchanged() && watched.is_unchanged());
        change(&folder);
        Some(!watched.is_unchanged())
    }

    #[test]
    fn every_kind_of_change_is_noticed() {
        let changes: [fn(&Path); 7] = [
            |folder| fs::write(folder.join("a.md"), "two").unwrap(),
            |folder| fs::write(folder.join("team/b.md"), "two").unwrap(),
            |folder| fs::write(folder.join("c.md"), "new").unwrap(),
            |folder| fs::remove_file(folder.join("a.md")).unwrap(),
            |folder| fs::rename(folder.join("a.md"), folder.join("team/c.md")).unwrap(),
            |folder| fs::create_dir(folder.join("new")).unwrap(),
            |folder| {
                fs::rename(folder, folder.with_file_name("old")).unwrap();
                fs::create_dir(folder).unwrap();
            },
        ];
        for (number, change) in changes.into_iter().enumerate() {
            assert_ne!(notices(change), Some(false), "change {number}");
        }
        assert_ne!(notices(|folder| drop(fs::read(folder.join("a.md")).unwrap())), Some(true));
    }

    #[test]
    fn what_could_change_unnoticed_is_not_watched() {
        let top = tempfile::tempdir().unwrap();
        fs::write(top.path().join("a.md"), "one").unwrap();
        let folder = top.path().join("memory");
        for link in [
            |from: &Path, to: &Path| fs::hard_link(from, to),
            |from: &Path, to: &Path| std::os::unix::fs::symlink(from, to),
        ] {
            fs::create_dir_all(&folder).unwrap();
            link(&top.path().join("a.md"), &folder.join("b.md")).unwrap();
            assert!(Watched::over(std::slice::from_ref(&folder)).is_none());
            fs::remove_dir_all(&folder).unwrap();
        }
        assert!(Watched::over(&[folder]).is_none());
    }
}
