//! The topic files of the answer: the newest with what their heads say, the others by their names.

use std::collections::BTreeSet;
use std::path::Path;

use jiff::Timestamp;
use mem_store::memory::Glance;
use mem_store::{Memory, MemoryFolder, World};
use mem_text::secrets;
use mem_types::Problems;
use mem_types::index::{Beyond, IndexedMemory};

/// Most names in one sentence.
const MOST_NAMES: usize = 5;

/// The files of one folder.
pub struct Shelves<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// All of its files, by path.
    pub files: Vec<Glance>,
}

/// Returns the newest memories of all folders, and those that are beyond them.
pub fn visible(limit: usize, mut memories: Vec<Memory>, shelves: &[Shelves<'_>]) -> (Vec<Memory>, Vec<Beyond>) {
    memories.sort_by(|left, right| {
        (right.modified.cmp(&left.modified)).then_with(|| (&left.folder, &left.path).cmp(&(&right.folder, &right.path)))
    });
    memories.truncate(limit);
    let count: usize = shelves.iter().map(|shelf| shelf.files.len()).sum();
    if count == memories.len() {
        return (memories, Vec::new());
    }
    let seen: BTreeSet<(&Path, &str)> =
        memories.iter().map(|memory| (memory.folder.as_path(), memory.path.as_str())).collect();
    let mut beyond: Vec<(Option<Timestamp>, Beyond)> = Vec::with_capacity(count - memories.len());
    for (number, shelf) in shelves.iter().enumerate() {
        let dir = (number > 0).then(|| shelf.folder.to_string_lossy().into_owned());
        let hidden = shelf.files.iter().filter(|file| !seen.contains(&(shelf.folder, file.path.as_str())));
        beyond.extend(
            hidden.map(|file| (file.modified, Beyond { path: file.path.clone(), dir: dir.clone(), bytes: file.bytes })),
        );
    }
    // Newest first; those of one time stay in the order of folders and paths.
    beyond.sort_by_key(|(modified, _)| std::cmp::Reverse(*modified));
    let beyond = beyond.into_iter().map(|(_, beyond)| beyond).collect();
    (memories, beyond)
}

/// Says what is not seen; each of them is named in the answer.
pub fn report_beyond(limit: usize, beyond: &[Beyond], problems: &mut Problems) {
    if beyond.is_empty() {
        return;
    }
    let bytes: u64 = beyond.iter().map(|beyond| beyond.bytes).sum();
    let names: Vec<&str> = beyond.iter().take(MOST_NAMES).map(|beyond| beyond.path.as_str()).collect();
    let more = beyond.len() - names.len();
    let and_more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let (count, names) = (beyond.len(), names.join(", "));
    let what = if count == 1 { "memory is" } else { "memories are" };
    problems
        .warning(
            "beyond-visible",
            format!("{count} {what} not among the {limit} newest, {bytes} bytes in all: {names}{and_more}"),
        )
        .hint("each is named with its size in .index.beyond; let mem-age plan what may go");
}

/// Returns what the answer says of a memory.
pub fn entry(
    memory: Memory,
    own: &MemoryFolder,
    listed: &BTreeSet<String>,
    world: &World,
    says_secrets: bool,
    problems: &mut Problems,
) -> IndexedMemory {
    let description = secrets::mask(&memory.description).into_owned();
    if description != memory.description && says_secrets {
        problems
            .warning("secret", "a description holds a secret; it is masked for the model")
            .path(&memory.path)
            .hint("take it out, and change it where it is used");
    }
    let is_own = memory.folder == own.dir;
    IndexedMemory {
        dir: (!is_own).then(|| memory.folder.to_string_lossy().into_owned()),
        is_listed: is_own && listed.contains(&memory.path),
        modified: memory.modified.map(|then| then.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()),
        age_days: memory.modified.map(|then| world.now().days_since(then)),
        modified_source: memory.modified_source.into(),
        path: memory.path,
        name: memory.name,
        description,
        kind: memory.kind,
        bytes: memory.bytes,
        triggers: memory.triggers,
        superseded_by: memory.superseded_by,
    }
}
