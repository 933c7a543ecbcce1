//! `--purge NAME`: finds the memory that is meant, has it removed for good, and names what no command of ours reaches.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mem_store::{Fragments, MemoryFolder, Scan, Sight, Upkeep, World, front_matter, git, index_file};
use mem_types::age::{Age, Deed};
use mem_types::{Document, Failure, Problems};

use crate::args::Args;

/// Removes the memory from folder, archive, undo records, logs, uses, sessions and the files that the call names.
///
/// # Errors
/// When no memory or several fit the name, or the disk fails.
pub fn purge(
    name: &str,
    args: &Args,
    folder: &MemoryFolder,
    upkeep: &Upkeep<'_>,
    document: &Document,
    world: &World,
    age: &mut Age,
) -> Result<(), Failure> {
    let sight = upkeep.sight()?;
    let path = find(name, folder, &sight)?;
    let fragments = Fragments::of(&path, &versions(&path, &sight)?);
    let cwd = world.cwd(document, &mut Problems::default());
    let state = world.environment().state_dir.clone();
    let named = args.purge_also.iter().map(|also| world.resolve(&also.to_string_lossy(), &cwd));
    let also: Vec<PathBuf> = state.into_iter().chain(named).collect();
    let purged = upkeep.purge(&path, &also)?;
    age.done.extend(purged.files.into_iter().map(|path| deed(path, "written")));
    age.unreached.extend(purged.left.into_iter().map(|path| format!("{path} says the same in its own right")));
    age.unreached.extend(unreached(&folder.dir, &fragments));
    Ok(())
}

/// Tells which files of the folder a purge would remove, and what it would not reach.
///
/// # Errors
/// When no memory or several fit the name.
pub fn look(name: &str, folder: &MemoryFolder, sight: &Sight<'_>, age: &mut Age) -> Result<(), Failure> {
    let path = find(name, folder, sight)?;
    let fragments = Fragments::of(&path, &versions(&path, sight)?);
    let archived = sight.archived()?.into_iter().filter(|file| file.path == path).map(|file| file.file);
    let here = sight.read(&path)?.map(|_| path.clone());
    age.done.extend(here.into_iter().chain(archived).map(|path| deed(path, crate::apply::PLANNED)));
    age.unreached.extend(unreached(&folder.dir, &fragments));
    Ok(())
}

fn deed(path: String, outcome: &str) -> Deed {
    Deed { what: "purged".to_owned(), path, outcome: outcome.to_owned() }
}

/// Returns the path of the one memory, in the folder or the archive, that has this path or name.
fn find(name: &str, folder: &MemoryFolder, sight: &Sight<'_>) -> Result<String, Failure> {
    let mut found = BTreeSet::new();
    let memories = folder.memories(Scan::Heads, &mut Problems::default());
    if let Some(exact) = memories.iter().find(|memory| memory.path == name) {
        return Ok(exact.path.clone());
    }
    let fits = |path: &str, own_name: Option<&str>| own_name == Some(name) || mem_store::memory::stem(path) == name;
    let here = memories.iter().filter(|memory| fits(&memory.path, Some(&memory.name)));
    found.extend(here.map(|memory| memory.path.clone()));
    for file in sight.archived()?.iter().filter(|file| file.path != index_file::NAME) {
        let text = String::from_utf8_lossy(&sight.read_archived(file)?).into_owned();
        let own_name = front_matter::of_memory(&text).matter.and_then(|matter| matter.text("name"));
        if file.path == name {
            return Ok(name.to_owned());
        }
        if fits(&file.path, own_name.as_deref()) {
            found.insert(file.path.clone());
        }
    }
    let found: Vec<String> = found.into_iter().collect();
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Failure::new("no-such-memory", format!("neither folder nor archive has a memory '{name}'"))
            .with_hint("name it by its path")),
        several => Err(Failure::new("ambiguous-name", format!("'{name}' fits several: {}", several.join(", ")))
            .with_hint("name it by its path")),
    }
}

fn versions(path: &str, sight: &Sight<'_>) -> Result<Vec<String>, Failure> {
    let mut texts = Vec::new();
    texts.extend(sight.read(path)?);
    for file in sight.archived()?.iter().filter(|file| file.path == path) {
        texts.push(sight.read_archived(file)?);
    }
    Ok(texts.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect())
}

/// Returns where the text may still stand: the agent's transcripts beside the folder, and the history of git.
fn unreached(dir: &Path, fragments: &Fragments) -> Vec<String> {
    let mut found: Vec<String> = mem_store::purge::transcripts_beside(dir, fragments)
        .iter()
        .map(|path| format!("the agent's transcript {} holds some of it", path.display()))
        .collect();
    if let Some(place) = git::find(dir) {
        found.push(format!("the history of the git repository {} may hold it", place.root.display()));
    }
    found.push("backups, and snapshots or copies in places that were not named with --purge-also".to_owned());
    found
}
