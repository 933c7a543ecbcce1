//! Layer 2: reads the index of a memory folder as a model would get it, and lists what the folder holds.

pub mod args;
mod limits;
mod text;

use std::collections::BTreeSet;

use mem_store::{Memory, MemoryFolder, Scan, World, index_file};
use mem_text::secrets;
use mem_types::index::{Index, IndexedMemory};
use mem_types::{Answer, Document, Failure, Problems};

pub use args::Args;

/// Returns the index of the document's memory folder, with the topic files of all its folders.
///
/// # Errors
/// None today: a missing folder is an answer, too.
pub fn run(args: &Args, document: &Document, world: &World) -> Result<Answer<Index>, Failure> {
    let mut problems = Problems::new("mem-index");
    let folders = world.memory_folders(document, &mut problems);
    let Some((own, others)) = folders.split_first() else {
        return Ok(Answer::new(Index { state: "missing".into(), ..Index::default() }, problems, text::render));
    };
    let mut index = read_index(args, own, &mut problems);
    index.native = world.native_memory_dir(document).is_some_and(|native| native == own.dir);
    let listed = listed_paths(&index, own, &mut problems);
    let mut memories = own.memories(Scan::Heads, &mut problems);
    for other in others {
        memories.extend(other.memories(Scan::Heads, &mut problems));
    }
    index.state = state(own, &index, &memories).into();
    index.memories = visible(args, memories, &mut problems)
        .into_iter()
        .map(|memory| entry(memory, own, &listed, world, &mut problems))
        .collect();
    Ok(Answer::new(index, problems, text::render))
}

fn read_index(args: &Args, own: &MemoryFolder, problems: &mut Problems) -> Index {
    if let Some((code, reason)) = &own.closed {
        problems.info(code, reason);
    }
    let dir = own.dir.to_string_lossy().into_owned();
    let Some(content) = own.index(problems) else { return Index { dir, ..Index::default() } };
    let text = String::from_utf8_lossy(&content.bytes);
    let mut index = limits::as_model_gets_it(&text, args.max_lines, args.max_bytes);
    for (number, line) in text.lines().enumerate() {
        if !secrets::find(line).is_empty() {
            problems
                .warning("secret", "a line of the index holds a secret; it is masked for the model")
                .path(index_file::NAME)
                .line(number + 1)
                .hint("take it out, and change it where it is used");
        }
    }
    index.text = secrets::mask(&index.text).into_owned();
    if let Some(limit) = &index.truncated_by {
        let message = format!("MEMORY.md is over the limit of {limit}: {} entries are not seen", index.lost.len());
        problems
            .warning("index-truncated", message)
            .path(index_file::NAME)
            .hint("shorten its lines, or move what is rarely needed out of the index");
    }
    Index { dir, ..index }
}

/// Returns the files that MEMORY.md links to, also in the part that is cut.
fn listed_paths(index: &Index, own: &MemoryFolder, problems: &mut Problems) -> BTreeSet<String> {
    let Some(content) = own.index(&mut Problems::default()) else { return BTreeSet::new() };
    let text = String::from_utf8_lossy(&content.bytes);
    let entries = index_file::entries(&text);
    for entry in &entries {
        if is_missing(own, entry.target) && !index.dir.is_empty() {
            problems
                .warning("dangling-entry", format!("an index line links to '{}', which is not there", entry.target))
                .path(index_file::NAME)
                .line(entry.line)
                .hint("take the line out, or bring the file back");
        }
    }
    entries.iter().map(|entry| with_ending(entry.target)).collect()
}

fn is_missing(own: &MemoryFolder, target: &str) -> bool {
    let leaves_folder =
        target.starts_with('/') || target.starts_with('~') || target.split('/').any(|part| part == "..");
    !leaves_folder && !own.dir.join(with_ending(target)).exists()
}

/// Wiki links leave the ending out.
fn with_ending(target: &str) -> String {
    if target.ends_with(".md") { target.to_owned() } else { format!("{target}.md") }
}

fn state(own: &MemoryFolder, index: &Index, memories: &[Memory]) -> &'static str {
    match &own.closed {
        Some((code, _)) => code,
        None if !own.exists() => "missing",
        None if index.text.trim().is_empty() && memories.is_empty() => "empty",
        None => "ok",
    }
}

/// Returns the newest memories; the rest is named, one by one.
fn visible(args: &Args, mut memories: Vec<Memory>, problems: &mut Problems) -> Vec<Memory> {
    memories.sort_by(|left, right| {
        right
            .modified
            .cmp(&left.modified)
            .then_with(|| left.folder.cmp(&right.folder))
            .then_with(|| left.path.cmp(&right.path))
    });
    let limit = usize::try_from(args.max_files).unwrap_or(usize::MAX);
    for hidden in memories.iter().skip(limit) {
        problems
            .warning("beyond-visible", format!("a memory of {} bytes is not among the {limit} newest", hidden.bytes))
            .path(&hidden.path)
            .hint("let mem-age plan what may go");
    }
    memories.truncate(limit);
    memories
}

fn entry(
    memory: Memory,
    own: &MemoryFolder,
    listed: &BTreeSet<String>,
    world: &World,
    problems: &mut Problems,
) -> IndexedMemory {
    let description = secrets::mask(&memory.description).into_owned();
    if description != memory.description {
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
