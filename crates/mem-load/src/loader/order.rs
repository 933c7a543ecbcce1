//! The order of the loaded files: those of the start, then what touched files brought, each path once.

use std::collections::BTreeMap;

use mem_types::load::{FileState, LoadedFile};

use super::Loaded;

/// Where a late file stands: touched file, phase, folder, scoped ones behind the others.
pub type Rank = (usize, u8, usize, bool);

/// How a file comes.
#[derive(Clone, Copy)]
pub struct Way {
    /// In the audit's word.
    pub reason: &'static str,
    /// Nothing at the start.
    pub rank: Option<Rank>,
    /// Whether it waits with the rule that imports it.
    pub waits: bool,
}

/// Puts late files behind the others, in order, and leaves each path once: loaded before waiting before left out.
pub fn finish(mut files: Vec<LoadedFile>, mut late: Vec<(Rank, LoadedFile)>) -> Loaded {
    late.sort_by_key(|(rank, _)| *rank);
    let is_active = |file: &LoadedFile| file.state == FileState::Active;
    let brought = late.iter().filter(|(_, file)| is_active(file)).map(|(_, file)| file.path.clone()).collect();
    files.extend(late.into_iter().map(|(_, file)| file));
    let mut best = BTreeMap::new();
    for (place, file) in files.iter().enumerate() {
        let weight = match file.state {
            FileState::Active => 0,
            FileState::Waiting => 1,
            FileState::Skipped | FileState::Other => 2,
        };
        let entry = best.entry(file.path.clone()).or_insert((weight, place));
        *entry = (*entry).min((weight, place));
    }
    let mut place = 0;
    files.retain(|file| {
        place += 1;
        best.get(&file.path).is_some_and(|(_, best)| *best == place - 1)
    });
    for file in files.iter_mut().filter(|file| file.scope.is_empty()) {
        file.scope = "always".into();
    }
    Loaded { files, brought, ..Loaded::default() }
}
