//! Removes a memory for good: the file, its archived versions, and what other files of ours hold of its text.
//!
//! The order is from the outside in, so that who is interrupted can begin again: what the text is, is known as long as
//! the file or an archived version is there.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use mem_types::Failure;

use crate::archived::{self, Archived};
use crate::fragments::Fragments;
use crate::hash::sha256;
use crate::put::{self, Put};
use crate::replace::replace;
use crate::strangers;
use crate::upkeep::{UNDO, Upkeep, remove};
use crate::{index_file, open, undo};

/// What a purge has done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Purged {
    /// The files that are gone or changed: relative to the memory folder, absolute outside of it.
    pub files: BTreeSet<String>,
    /// Files of ours that say the same in their own right, and so were left.
    pub left: BTreeSet<String>,
}

/// Most folders below each other that are searched outside the memory folder.
const MAX_DEPTH: usize = 8;

impl Upkeep<'_> {
    /// Removes the memory at `path`, and its text from the folders and files in `also`.
    ///
    /// # Errors
    /// When the disk fails; the next call goes on where this one stopped.
    pub fn purge(&self, path: &str, also: &[PathBuf]) -> Result<Purged, Failure> {
        self.told(self.try_purge(path, also))
    }

    fn try_purge(&self, path: &str, also: &[PathBuf]) -> io::Result<Purged> {
        let versions = archived::list(self.held())?;
        let (own, others): (Vec<Archived>, Vec<Archived>) = versions.into_iter().partition(|one| one.path == path);
        let mut texts: Vec<String> = self.text(path)?.into_iter().collect();
        for version in &own {
            texts.extend(self.text(&version.file)?);
        }
        let work = Work { held: self.held(), path, fragments: Fragments::of(path, &texts) };
        let mut purged = Purged::default();
        for root in also {
            work.outside(root, 0, &mut purged)?;
        }
        work.logs("logs", 0, &mut purged)?;
        work.own_state(&mut purged)?;
        let changed = work.other_memories(&others, &mut purged)?;
        work.records(&changed, &mut purged)?;
        work.index(&mut purged)?;
        for version in &own {
            remove(self.held(), &version.file)?;
            purged.files.insert(version.file.clone());
        }
        if put::read(self.held(), path)?.is_some() {
            remove(self.held(), path)?;
            purged.files.insert(path.to_owned());
        }
        crate::replace::sync_beneath(self.held(), ".")?;
        Ok(purged)
    }

    fn text(&self, path: &str) -> io::Result<Option<String>> {
        Ok(put::read(self.held(), path)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }
}

struct Work<'a> {
    held: &'a Dir,
    path: &'a str,
    fragments: Fragments,
}

impl Work<'_> {
    /// Daily logs lose the lines that say it.
    fn logs(&self, folder: &str, depth: usize, purged: &mut Purged) -> io::Result<()> {
        for name in archived::names(self.held, folder)? {
            let path = format!("{folder}/{name}");
            if self.held.symlink_metadata(&path)?.is_dir() {
                if depth < MAX_DEPTH {
                    self.logs(&path, depth + 1, purged)?;
                }
            } else {
                self.change(&path, purged, |text| self.fragments.without_lines(text))?;
            }
        }
        Ok(())
    }

    /// Recorded uses, and whatever else our commands keep beside the archive.
    fn own_state(&self, purged: &mut Purged) -> io::Result<()> {
        for name in archived::names(self.held, ".mem")? {
            let path = format!(".mem/{name}");
            if path == strangers::PLACE {
                // Else the next writer would bring a line of what was purged back.
                self.held.remove_file(&path)?;
            } else if self.held.symlink_metadata(&path)?.is_file() && name != "lock" {
                self.change(&path, purged, |text| self.fragments.scrubbed(text))?;
            }
        }
        Ok(())
    }

    /// Takes out of other memories, and of their archived versions, the lines that a merge brought there. Returns the
    /// hashes that have changed by it.
    fn other_memories(&self, versions: &[Archived], purged: &mut Purged) -> io::Result<BTreeMap<String, String>> {
        let mut changed = BTreeMap::new();
        let mut first: BTreeMap<&str, String> = BTreeMap::new();
        for version in versions {
            let text = self.lossy(&version.file)?;
            let own = first.entry(&version.path).or_insert_with(|| text.clone());
            let new = match version.path.as_str() {
                index_file::NAME => self.unlisted(&text),
                _ => self.fragments.without_merged(&text, own),
            };
            self.write(&version.file, &text, &new, &mut changed, purged)?;
        }
        let mut memories = Vec::new();
        self.topic_files("", 0, &mut memories)?;
        for path in memories.iter().filter(|path| *path != self.path) {
            let text = self.lossy(path)?;
            let new = match first.get(path.as_str()) {
                Some(own) => self.fragments.without_merged(&text, own),
                None => text.clone(),
            };
            self.write(path, &text, &new, &mut changed, purged)?;
            if self.fragments.stand_in(&new) {
                purged.left.insert(path.clone());
            }
        }
        Ok(changed)
    }

    fn write(
        &self,
        path: &str,
        old: &str,
        new: &str,
        changed: &mut BTreeMap<String, String>,
        purged: &mut Purged,
    ) -> io::Result<()> {
        if old == new {
            return Ok(());
        }
        let time = archived::time(self.held, path)?;
        let found = put::read(self.held, path)?;
        if put::put(self.held, path, found.as_deref(), new.as_bytes())? == Put::Changed {
            return Err(io::Error::other(format!("{path} was changed at this very moment")));
        }
        if let Some(time) = time {
            archived::set_time(self.held, path, time)?;
        }
        changed.insert(sha256(old.as_bytes()), sha256(new.as_bytes()));
        purged.files.insert(path.to_owned());
        Ok(())
    }

    /// Undo records lose the steps of the memory, and learn the new hashes of what was changed beside them.
    fn records(&self, changed: &BTreeMap<String, String>, purged: &mut Purged) -> io::Result<()> {
        for folder in [undo::FOLDER, UNDO] {
            for name in archived::names(self.held, folder)?.iter().filter(|name| name.ends_with(".json")) {
                self.record(&format!("{folder}/{name}"), changed, purged)?;
            }
        }
        Ok(())
    }

    fn record(&self, file: &str, changed: &BTreeMap<String, String>, purged: &mut Purged) -> io::Result<()> {
        let old = self.lossy(file)?;
        let mut new = old.clone();
        for (before, after) in changed {
            new = new.replace(before, after);
        }
        if let Ok(mut record) = serde_json::from_str::<crate::upkeep::Record>(&new) {
            let steps = record.steps.len();
            record.steps.retain(|step| step.path != self.path);
            if record.steps.iter().all(|step| step.path == index_file::NAME) {
                remove(self.held, file)?;
                purged.files.insert(file.to_owned());
                return Ok(());
            }
            if record.steps.len() < steps {
                new = mem_types::to_json(&record);
            }
        } else {
            new = self.fragments.scrubbed(&new);
        }
        self.write(file, &old, &new, &mut BTreeMap::new(), purged)
    }

    fn index(&self, purged: &mut Purged) -> io::Result<()> {
        self.change(index_file::NAME, purged, |text| self.unlisted(text))
    }

    fn unlisted(&self, index: &str) -> String {
        self.fragments.without_lines(&index_file::without_line(index, self.path))
    }

    /// Changes one text file in the folder; what is not UTF-8 or not there is left alone.
    fn change(&self, path: &str, purged: &mut Purged, change: impl FnOnce(&str) -> String) -> io::Result<()> {
        let Some(bytes) = put::read(self.held, path)? else { return Ok(()) };
        let Ok(old) = String::from_utf8(bytes) else { return Ok(()) };
        let new = change(&old);
        self.write(path, &old, &new, &mut BTreeMap::new(), purged)
    }

    fn lossy(&self, path: &str) -> io::Result<String> {
        Ok(put::read(self.held, path)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default())
    }

    fn topic_files(&self, folder: &str, depth: usize, found: &mut Vec<String>) -> io::Result<()> {
        for name in archived::names(self.held, if folder.is_empty() { "." } else { folder })? {
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let kind = self.held.symlink_metadata(&path)?;
            let is_ours = !name.starts_with('.') && path != "logs";
            if kind.is_dir() && is_ours && depth < MAX_DEPTH {
                self.topic_files(&path, depth + 1, found)?;
            } else if kind.is_file() && is_ours && name.ends_with(".md") && path != index_file::NAME {
                found.push(path);
            }
        }
        Ok(())
    }

    /// Sessions, results kept for later, snapshots: any file or folder of ours outside the memory folder.
    fn outside(&self, root: &Path, depth: usize, purged: &mut Purged) -> io::Result<()> {
        let Ok(metadata) = root.symlink_metadata() else { return Ok(()) };
        if metadata.is_dir() && depth < MAX_DEPTH {
            let mut inside: Vec<PathBuf> = std::fs::read_dir(root)?.flatten().map(|entry| entry.path()).collect();
            inside.sort();
            for path in inside {
                self.outside(&path, depth + 1, purged)?;
            }
        } else if metadata.is_file()
            && let Ok(old) = String::from_utf8(open::read(root)?.bytes)
        {
            let new = self.fragments.scrubbed(&old);
            if new != old {
                replace_outside(root, &new)?;
                purged.files.insert(root.to_string_lossy().into_owned());
            }
        }
        Ok(())
    }
}

/// Most bytes of one transcript that are searched.
const MOST_TRANSCRIPT: u64 = 256 * 1024 * 1024;

/// Returns the agent's transcripts beside the memory folder `dir` that hold some of a memory; they are the agent's own.
#[must_use]
pub fn transcripts_beside(dir: &Path, fragments: &Fragments) -> Vec<PathBuf> {
    let beside = dir.parent().and_then(|parent| std::fs::read_dir(parent).ok());
    let mut transcripts: Vec<PathBuf> = beside.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    let holds = |path: &PathBuf| {
        let content = open::read_up_to(path, MOST_TRANSCRIPT);
        content.is_ok_and(|content| fragments.occur(&String::from_utf8_lossy(&content.bytes)))
    };
    transcripts.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl") && holds(path));
    transcripts.sort();
    transcripts
}

fn replace_outside(path: &Path, text: &str) -> io::Result<()> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    let folder = Dir::open_ambient_dir(parent, ambient_authority())?;
    replace(&folder, name, text.as_bytes())
}
