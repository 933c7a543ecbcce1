//! What the options ask to be changed on disk: `--apply`, `--undo`, `--restore`, `--purge`. A dry run looks and checks
//! in the same way, and tells what would become of each file.

use mem_store::{MemoryFolder, Upkeep, World};
use mem_types::age::{Action, Age, Deed};
use mem_types::{Document, Failure, Problems};

use crate::args::Args;
use crate::plan::LEAST_REMOVALS;
use crate::{apply, given_actions, percent, purge, restore};

/// What is asked, and of which folder.
#[derive(Clone, Copy)]
pub struct Deeds<'a> {
    /// The options.
    pub args: &'a Args,
    /// The folder that is changed.
    pub folder: &'a MemoryFolder,
    /// The document, perhaps with a plan.
    pub document: &'a Document,
    /// Clock, and whether anything may be written.
    pub world: &'a World,
}

impl Deeds<'_> {
    /// Does what comes before the judging, so that what is judged is what is left.
    ///
    /// # Errors
    /// When nobody said where, nothing fits the name, or the disk fails.
    pub fn before(self, age: &mut Age, problems: &mut Problems) -> Result<(), Failure> {
        if !self.args.changes_something() {
            return Ok(());
        }
        self.world.check_target()?;
        if !self.world.may_write() {
            problems.info("dry-run", "nothing was changed on disk");
        }
        if !self.folder.exists() {
            return if self.args.apply { Ok(()) } else { Err(self.no_folder()) };
        }
        if !self.world.may_write() {
            return self.look(age, problems);
        }
        if self.args.apply && !self.folder.has_pending() {
            return Ok(());
        }
        let upkeep = self.folder.upkeep(self.world.now())?;
        if let Some(finished) = upkeep.finish()? {
            problems.info("finished", format!("the run of {} was interrupted, and was finished first", finished.at));
            age.done.extend(apply::deeds("finished", &finished.files));
            // Who repeats an interrupted --undo does not want the run before it taken back, too.
            if self.args.undo && finished.is_undo {
                return Ok(());
            }
        }
        self.take_back(&upkeep, age)
    }

    fn take_back(self, upkeep: &Upkeep<'_>, age: &mut Age) -> Result<(), Failure> {
        let now = self.world.now();
        if self.args.undo {
            let done = upkeep.undo(now)?.ok_or_else(nothing_to_undo)?;
            age.done.extend(apply::deeds("undone", &done.files));
        }
        if let Some(name) = &self.args.restore {
            age.done.extend(restore::restore(name, upkeep, now)?);
        }
        if let Some(name) = &self.args.purge {
            purge::purge(name, self.args, self.folder, upkeep, self.document, self.world, age)?;
        }
        Ok(())
    }

    /// What would be done.
    fn look(self, age: &mut Age, problems: &mut Problems) -> Result<(), Failure> {
        if self.folder.has_pending() {
            problems
                .info("interrupted", "a run was interrupted, and would be finished first")
                .hint("run mem-age --apply, then look again");
        }
        let sight = self.folder.sight()?;
        if self.args.undo && !self.folder.has_pending() {
            let last = sight.last_run()?.ok_or_else(nothing_to_undo)?;
            age.done.extend(apply::deeds("undone", &last.files).into_iter().map(as_planned));
        }
        if let Some(name) = &self.args.restore {
            let path = restore::find(name, &sight)?.path;
            age.done.push(Deed { what: "restored".to_owned(), path, outcome: apply::PLANNED.to_owned() });
        }
        if let Some(name) = &self.args.purge {
            purge::look(name, self.folder, &sight, age)?;
        }
        Ok(())
    }

    /// Carries out the plan in the document, else the one just made; in a dry run checks it.
    ///
    /// # Errors
    /// When the folder is no memory folder, cannot be locked, or the disk fails.
    pub fn after(self, age: &mut Age, problems: &mut Problems) -> Result<(), Failure> {
        if !self.args.apply {
            return Ok(());
        }
        if let Some(given) = given_actions(self.document, problems) {
            age.actions = given;
        }
        let changes = |action: &Action| !["note", "refresh"].contains(&action.action.as_str());
        if !self.folder.exists() {
            return if age.actions.iter().any(changes) { Err(self.no_folder()) } else { Ok(()) };
        }
        let may_remove = (age.memories.len() * percent(self.args) / 100).max(LEAST_REMOVALS);
        let now = self.world.now();
        // Without something to write no lock is taken, and nothing is made in the folder.
        if !self.world.may_write() || !age.actions.iter().any(changes) {
            apply::check(&mut age.actions, may_remove, &self.folder.sight()?, now)?;
            return Ok(());
        }
        let upkeep = self.folder.upkeep(now)?;
        let done = apply::apply(&mut age.actions, may_remove, &upkeep, now, problems)?;
        age.done.extend(done);
        Ok(())
    }

    fn no_folder(self) -> Failure {
        Failure::new("no-folder", format!("there is no memory folder at {}", self.folder.dir.display()))
            .with_hint("name it with --memory-dir DIR")
    }
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

fn nothing_to_undo() -> Failure {
    Failure::new("nothing-to-undo", "no run of this folder is left to be taken back")
        .with_hint("--restore NAME brings a single memory back from the archive")
}

fn as_planned(deed: Deed) -> Deed {
    let outcome = if deed.outcome == "written" { apply::PLANNED.to_owned() } else { deed.outcome };
    Deed { outcome, ..deed }
}
