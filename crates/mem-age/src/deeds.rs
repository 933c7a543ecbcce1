//! What the options ask to be changed on disk: `--apply`, `--undo`, `--restore`, `--purge`.

use mem_store::archived::Archived;
use mem_store::{MemoryFolder, Moment, Upkeep, World, front_matter, index_file};
use mem_types::age::{Age, Deed};
use mem_types::{Document, Failure, Problems};

use crate::args::Args;
use crate::plan::LEAST_REMOVALS;
use crate::{apply, given_actions, percent};

/// Does what comes before the judging, so that what is judged is what is left.
///
/// # Errors
/// When nobody said where, nothing fits the name, or the disk fails.
pub fn before(
    args: &Args,
    folder: &MemoryFolder,
    document: &Document,
    world: &World,
    age: &mut Age,
    problems: &mut Problems,
) -> Result<(), Failure> {
    if !args.changes_something() {
        return Ok(());
    }
    world.check_target()?;
    if !world.may_write() {
        problems.info("dry-run", "nothing was changed on disk");
        return Ok(());
    }
    if !folder.exists() || (args.apply && !folder.has_pending()) {
        return missing(args, folder);
    }
    let upkeep = folder.upkeep(world.now())?;
    if let Some(finished) = upkeep.finish()? {
        problems.info("finished", format!("the run of {} was interrupted, and was finished first", finished.at));
        age.done.extend(apply::deeds("finished", &finished.files));
    }
    if args.undo {
        undo(&upkeep, world.now(), age, problems)?;
    }
    if let Some(name) = &args.restore {
        age.done.extend(restore(name, &upkeep, world.now())?);
    }
    if let Some(name) = &args.purge {
        crate::purge::purge(name, args, folder, &upkeep, document, world, age)?;
    }
    Ok(())
}

/// Without a folder there is nothing to apply, and nothing that fits a name.
fn missing(args: &Args, folder: &MemoryFolder) -> Result<(), Failure> {
    if args.apply || folder.exists() {
        return Ok(());
    }
    Err(Failure::new("no-folder", format!("there is no memory folder at {}", folder.dir.display()))
        .with_hint("name it with --memory-dir DIR"))
}

/// Carries out the plan in the document, else the one just made.
///
/// # Errors
/// When the folder is no memory folder, cannot be locked, or the disk fails.
pub fn after(
    args: &Args,
    folder: &MemoryFolder,
    document: &Document,
    world: &World,
    age: &mut Age,
    problems: &mut Problems,
) -> Result<(), Failure> {
    if !args.apply {
        return Ok(());
    }
    if let Some(given) = given_actions(document, problems) {
        age.actions = given;
    }
    let changes = |action: &mem_types::age::Action| !["note", "refresh"].contains(&action.action.as_str());
    if !world.may_write() {
        return Ok(());
    }
    if !age.actions.iter().any(changes) {
        age.actions.iter_mut().for_each(|action| action.outcome = Some("noted".to_owned()));
        return Ok(());
    }
    if !folder.exists() {
        return Err(Failure::new("no-folder", format!("there is no memory folder at {}", folder.dir.display()))
            .with_hint("name it with --memory-dir DIR"));
    }
    let may_remove = (age.memories.len() * percent(args) / 100).max(LEAST_REMOVALS);
    let upkeep = folder.upkeep(world.now())?;
    let done = apply::apply(&mut age.actions, may_remove, &upkeep, world.now(), problems)?;
    age.done.extend(done);
    Ok(())
}

/// Names what could not be done and returns whether there was such.
pub fn report(done: &[Deed], problems: &mut Problems) -> bool {
    let mut is_undone = false;
    let outside = done.iter().filter(|deed| deed.what != "applied" && deed.outcome.starts_with("refused"));
    for deed in outside {
        is_undone = true;
        problems.error("not-done", format!("not {}, {}", deed.what, deed.outcome)).path(&deed.path);
    }
    is_undone
}

fn undo(upkeep: &Upkeep<'_>, now: &Moment, age: &mut Age, problems: &mut Problems) -> Result<(), Failure> {
    match upkeep.undo(now)? {
        Some(done) => age.done.extend(apply::deeds("undone", &done.files)),
        None => {
            problems.warning("nothing-to-undo", "no run of this folder is left to be taken back");
        }
    }
    Ok(())
}

/// Brings the last archived version of a memory back.
fn restore(name: &str, upkeep: &Upkeep<'_>, now: &Moment) -> Result<Vec<Deed>, Failure> {
    let archived = upkeep.archived()?;
    let mut fits: Vec<&Archived> = archived.iter().filter(|file| is_named(file, name)).collect();
    if fits.is_empty() {
        for file in &archived {
            if file.path != index_file::NAME && name_of(&upkeep.read_archived(file)?).as_deref() == Some(name) {
                fits.push(file);
            }
        }
    }
    let Some(last) = fits.last() else {
        return Err(Failure::new("not-in-archive", format!("the archive has no memory '{name}'"))
            .with_hint("the archive lies in .mem/archive of the memory folder"));
    };
    if fits.iter().any(|file| file.path != last.path) {
        let mut flats: Vec<&str> = fits.iter().map(|file| file.path.as_str()).collect();
        flats.dedup();
        return Err(Failure::new("ambiguous-name", format!("'{name}' fits several: {}", flats.join(", ")))
            .with_hint("name it by its path"));
    }
    let path = &last.path;
    if let Some(reason) = mem_store::change::refusal(path) {
        return Err(Failure::new("bad-name", format!("'{path}' cannot be restored: {reason}")));
    }
    let text = String::from_utf8_lossy(&upkeep.read_archived(last)?).into_owned();
    let done = upkeep.bring_back(last, path, &index_line(path, &text), now)?;
    Ok(apply::deeds("restored", &done.files))
}

/// Whether an archived file is of the memory with this path or stem.
fn is_named(file: &Archived, name: &str) -> bool {
    file.path != index_file::NAME && (file.path == name || file.path.strip_suffix(".md") == Some(name))
}

fn name_of(bytes: &[u8]) -> Option<String> {
    front_matter::of_memory(&String::from_utf8_lossy(bytes)).matter?.text("name")
}

fn index_line(path: &str, text: &str) -> String {
    let matter = front_matter::of_memory(text).matter.unwrap_or_default();
    let title = matter.text("name").unwrap_or_else(|| mem_store::memory::stem(path).to_owned());
    index_file::line(&title, path, &matter.text("description").unwrap_or_default())
}
