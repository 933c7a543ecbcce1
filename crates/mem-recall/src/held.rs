//! What was read for the last documents, kept for the next one of the same folders: a stream of questions reads the
//! folder once, and splits its texts into words once.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use mem_store::watched::Watched;
use mem_store::{Memory, MemoryFolder, Scan};
use mem_text::rank::{Item, Prepared};
use mem_types::{Problem, Problems};

/// Of larger folders nothing is kept: it would take as much memory again.
const MOST_MEMORIES: usize = 20_000;
/// See `MOST_MEMORIES`; in bytes of all texts.
const MOST_BYTES: usize = 64 << 20;

/// All memories of some folders.
pub struct Loaded {
    /// One's own folder first.
    pub memories: Vec<Memory>,
    /// Their texts as words, from the third document of the same folders on.
    pub prepared: Option<Prepared>,
    problems: Vec<Problem>,
}

/// What is kept between two documents.
struct Held {
    dirs: Vec<PathBuf>,
    kept: Kept,
}

enum Kept {
    /// They were asked about once: the next time it is worth keeping them.
    Nothing,
    /// They cannot be watched, or are too large.
    Never,
    /// They are unchanged as long as the watch says so.
    Watched(Watched, Arc<Loaded>),
}

static HELD: Mutex<Option<Held>> = Mutex::new(None);

/// Returns what is in the folders, read now or known to be unchanged.
pub fn load(folders: &[MemoryFolder], problems: &mut Problems) -> Arc<Loaded> {
    let dirs: Vec<PathBuf> = folders.iter().filter(|folder| folder.exists()).map(|folder| folder.dir.clone()).collect();
    let loaded = unchanged(&dirs).unwrap_or_else(|| read(folders, dirs, problems));
    problems.extend(loaded.problems.iter().cloned());
    loaded
}

/// Returns what is kept of the folders, as long as nothing in them has changed; else it is kept no longer.
fn unchanged(dirs: &[PathBuf]) -> Option<Arc<Loaded>> {
    let mut slot = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(Held { dirs: before, kept: Kept::Watched(watched, loaded) }) = &*slot else { return None };
    if before != dirs {
        return None;
    }
    let loaded = watched.is_unchanged().then(|| Arc::clone(loaded));
    if loaded.is_none() {
        // A change is told once.
        *slot = None;
    }
    loaded
}

/// Reads the folders; what they hold is kept when they were asked about before.
fn read(folders: &[MemoryFolder], dirs: Vec<PathBuf>, problems: &Problems) -> Arc<Loaded> {
    // Taken out, so that nobody waits for us to read.
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner).take().filter(|held| held.dirs == dirs);
    let (loaded, kept) = match held.map(|held| held.kept) {
        Some(Kept::Nothing) => keep(folders, &dirs, problems),
        Some(Kept::Never) => (Arc::new(Loaded::read(folders, problems)), Kept::Never),
        // Another document has kept them in the meantime.
        Some(Kept::Watched(watched, loaded)) if watched.is_unchanged() => {
            (Arc::clone(&loaded), Kept::Watched(watched, loaded))
        }
        // Who changes the folder now may do so again: what is kept must first be asked for twice.
        Some(Kept::Watched(..)) | None => (Arc::new(Loaded::read(folders, problems)), Kept::Nothing),
    };
    let mut slot = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    // Another document of the same folders may have kept them in the meantime.
    if !matches!((&*slot, &kept), (Some(held), Kept::Nothing) if held.dirs == dirs) {
        *slot = Some(Held { dirs, kept });
    }
    loaded
}

fn keep(folders: &[MemoryFolder], dirs: &[PathBuf], problems: &Problems) -> (Arc<Loaded>, Kept) {
    // Watched first and read then: a change in between is told.
    let watched = Watched::over(dirs);
    let mut loaded = Loaded::read(folders, problems);
    let Some(watched) = watched.filter(|_| loaded.is_small()) else { return (Arc::new(loaded), Kept::Never) };
    loaded.prepare();
    let loaded = Arc::new(loaded);
    (Arc::clone(&loaded), Kept::Watched(watched, loaded))
}

impl Loaded {
    fn read(folders: &[MemoryFolder], problems: &Problems) -> Self {
        let mut own = problems.fresh();
        let memories = folders.iter().flat_map(|folder| folder.memories(Scan::Whole, &mut own)).collect();
        Self { memories, prepared: None, problems: own.into_entries() }
    }

    fn is_small(&self) -> bool {
        let bytes: usize = self.memories.iter().map(|memory| memory.text.len()).sum();
        self.memories.len() <= MOST_MEMORIES && bytes <= MOST_BYTES
    }

    fn prepare(&mut self) {
        let triggers: Vec<String> = self.memories.iter().map(triggers).collect();
        let items: Vec<Item<'_>> =
            self.memories.iter().zip(&triggers).map(|(memory, triggers)| item(memory, triggers)).collect();
        self.prepared = Some(Prepared::new(&items));
    }
}

/// Returns the triggers, one a line.
pub fn triggers(memory: &Memory) -> String {
    memory.triggers.join("\n")
}

/// Returns a memory as it is ranked.
pub fn item<'a>(memory: &'a Memory, triggers: &'a str) -> Item<'a> {
    Item {
        path: &memory.path,
        name: &memory.name,
        description: &memory.description,
        kind: memory.kind.as_deref().unwrap_or_default(),
        triggers,
        body: memory.body(),
    }
}
