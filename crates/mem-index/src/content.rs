//! What is looked at: the files on disk, or those that git would commit.

use mem_store::memory::{Glance, Survey};
use mem_store::{Memory, MemoryFolder, Scan, World};
use mem_types::{Failure, Problems};

use crate::args::Args;
use crate::shelf::Shelf;
use crate::{staged, wants_proposal};

/// A folder's index and files.
pub struct Content {
    /// MEMORY.md, when there is one.
    pub raw: Option<Vec<u8>>,
    /// All topic files at a glance.
    pub files: Vec<Glance>,
    /// The topic files that were read: all of them, whole, when the index is to be mended, else the newest.
    pub memories: Vec<Memory>,
    /// Links that git has in its index, which it does not follow.
    links: Vec<String>,
}

impl Content {
    /// Returns what the folder holds, no more of it than `args` need; nothing when it lies in no repository.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub fn read(
        args: &Args,
        own: &MemoryFolder,
        world: &World,
        problems: &mut Problems,
    ) -> Result<Option<Self>, Failure> {
        if args.staged {
            let staged = staged::read(own, world, problems)?;
            return Ok(staged.map(|staged| Self::new(staged.index, staged.memories, staged.links)));
        }
        let raw = own.index(problems).map(|content| content.bytes);
        if wants_proposal(args) {
            return Ok(Some(Self::new(raw, own.memories(Scan::Whole, problems), Vec::new())));
        }
        let Survey { all: files, newest: memories } = own.survey(most_files(args), problems);
        Ok(Some(Self { raw, files, memories, links: Vec::new() }))
    }

    fn new(raw: Option<Vec<u8>>, memories: Vec<Memory>, links: Vec<String>) -> Self {
        Self { raw, files: memories.iter().map(Glance::of).collect(), memories, links }
    }

    /// Returns the files as the index must name them.
    #[must_use]
    pub fn shelf<'a>(&'a self, args: &Args, own: &'a MemoryFolder) -> Shelf<'a> {
        if args.staged {
            Shelf::of_git(&self.files, &self.memories, &self.links)
        } else {
            Shelf::of_disk(own, &self.files, &self.memories)
        }
    }

    /// Returns MEMORY.md, empty when there is none or it is not UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        self.raw.as_deref().and_then(|raw| std::str::from_utf8(raw).ok()).unwrap_or_default()
    }

    /// Whether MEMORY.md is UTF-8, or not there.
    #[must_use]
    pub fn is_text(&self) -> bool {
        self.raw.as_deref().is_none_or(|raw| std::str::from_utf8(raw).is_ok())
    }
}

/// Returns how many topic files count as visible.
#[must_use]
pub fn most_files(args: &Args) -> usize {
    usize::try_from(args.max_files).unwrap_or(usize::MAX)
}
