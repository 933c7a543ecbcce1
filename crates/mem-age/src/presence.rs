//! Looks up in the project what memories cite: one listing and one search for all of them.

use std::collections::BTreeSet;

use mem_store::World;
use mem_store::project::{Elsewhere, Occurring, Project};
use mem_types::{Document, Problems};

use crate::citations::{self, Citation};
use crate::memory::Memory;

/// Returns for each memory what it cites and the project does not have, in words.
///
/// Nothing is missing where it cannot be known: without a project, or when a bound cut the look at it short.
pub fn missing(memories: &[Memory], document: &Document, world: &World, problems: &mut Problems) -> Vec<Vec<String>> {
    let cited: Vec<Vec<Citation>> = memories.iter().map(|memory| citations::of(&memory.text())).collect();
    if cited.iter().all(Vec::is_empty) {
        return vec![Vec::new(); memories.len()];
    }
    let root = world.project_root(document, problems);
    // A folder from a list of folders belongs to some project, but nobody said to which.
    let is_named = !document.has("memory_dir") || document.has("cwd") || document.has("project_root");
    if !is_named || !root.is_dir() {
        problems
            .info("citations-unchecked", "no project is named, so cited paths were not checked")
            .hint("name it with -C DIR, or with project_root in the document");
        return vec![Vec::new(); memories.len()];
    }
    let project = Project::at(root);
    let folder = world.memory_folders(document, &mut Problems::default()).into_iter().next();
    let lookup = Lookup {
        occurring: search(&project, &cited),
        project: &project,
        beside: folder.map(|folder| Project::at(folder.dir)),
    };
    let missing: Vec<Vec<String>> =
        cited.iter().map(|cited| cited.iter().filter_map(|one| lookup.missing(one)).collect()).collect();
    report_bounds(&lookup, problems);
    missing
}

fn search(project: &Project, cited: &[Vec<Citation>]) -> Option<Occurring> {
    let names = cited.iter().flatten().filter_map(|citation| match citation {
        Citation::Symbol(name) => Some(name.clone()),
        Citation::Path(_) => None,
    });
    let names: BTreeSet<String> = names.collect();
    (!names.is_empty()).then(|| project.occurring(&names))
}

struct Lookup<'a> {
    project: &'a Project,
    /// The memory folder: memories name each other by path, too.
    beside: Option<Project>,
    occurring: Option<Occurring>,
}

impl Lookup<'_> {
    fn missing(&self, citation: &Citation) -> Option<String> {
        match citation {
            Citation::Path(path) => self.missing_path(path),
            Citation::Symbol(name) => {
                let found = self.occurring.as_ref()?;
                (found.is_whole && !found.names.contains(name)).then(|| format!("no file of the project has {name}"))
            }
        }
    }

    fn missing_path(&self, path: &str) -> Option<String> {
        let is_beside = self.beside.as_ref().is_some_and(|folder| folder.has(path));
        if is_beside || self.project.has(path) || !self.project.listing().is_whole {
            return None;
        }
        match self.project.elsewhere(path) {
            Elsewhere::Whole(_) => None,
            Elsewhere::Name(files) => Some(match files.as_slice() {
                [only] => format!("{path} is not there, but {only} is"),
                _ => format!("{path} is not there"),
            }),
        }
    }
}

fn report_bounds(lookup: &Lookup<'_>, problems: &mut Problems) {
    if lookup.occurring.as_ref().is_some_and(|found| !found.is_whole) {
        problems.info("project-not-searched-whole", "the project is too large to say that a cited symbol is missing");
    }
}
