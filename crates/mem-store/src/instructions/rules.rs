//! Folders of rules: every `*.md` in them and below, sorted by name, without running in circles.

use std::fs;
use std::path::Path;

use mem_types::Problems;
use mem_types::load::InstructionLayer;

use super::reading::is_absent;
use super::{Collector, Kind, Place, Skip};
use crate::open;

/// Most folders of rules below each other.
const MAX_DEPTH: usize = 32;

/// Whose rules a folder holds.
#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    pub layer: InstructionLayer,
    /// The folder to which the patterns are relative.
    pub base: &'a Path,
    /// Whether links may lead out of `base`.
    pub may_leave: bool,
}

impl Collector<'_> {
    /// Returns the rules in a folder, folders and files mixed by name.
    pub(super) fn rules(&mut self, folder: &Path, rules: Rules<'_>, problems: &mut Problems) -> Vec<Place> {
        let mut places = Vec::new();
        // Most folders have no rules: where nothing is, nothing leads anywhere.
        if fs::symlink_metadata(folder).is_err_and(|error| is_absent(&error)) {
            return places;
        }
        if self.leads_outside(folder, rules) {
            note_outside(folder, problems);
        } else {
            self.rules_in(folder, rules, 0, &mut places, problems);
        }
        places
    }

    fn rules_in(
        &mut self,
        folder: &Path,
        rules: Rules<'_>,
        depth: usize,
        places: &mut Vec<Place>,
        problems: &mut Problems,
    ) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return note_unreadable(folder, &error, problems),
        };
        if depth > 0 && !self.listed.insert(folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf())) {
            problems
                .warning("link-loop", "a folder of rules was listed before, by another name")
                .path(folder.to_string_lossy());
            return;
        }
        let mut entries: Vec<fs::DirEntry> = entries.flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            let is_link = kind.is_symlink();
            if kind.is_dir() || (is_link && path.is_dir()) {
                self.rules_folder(&path, rules, depth, is_link, places, problems);
                continue;
            }
            let skip = if path.extension().is_none_or(|ending| ending != "md") {
                Some(Skip::NoRule)
            } else if is_link && self.leads_outside(&path, rules) {
                Some(Skip::LinkOutside)
            } else {
                None
            };
            places.push(Place { path, layer: rules.layer, kind: Kind::Rule, base: rules.base.to_path_buf(), skip });
        }
    }

    fn rules_folder(
        &mut self,
        path: &Path,
        rules: Rules<'_>,
        depth: usize,
        is_link: bool,
        places: &mut Vec<Place>,
        problems: &mut Problems,
    ) {
        if is_link && self.leads_outside(path, rules) {
            note_outside(path, problems);
        } else if depth >= MAX_DEPTH {
            let message = format!("folders of rules below {MAX_DEPTH} levels are left out");
            problems.warning("too-deep", message).path(path.to_string_lossy());
        } else if is_link && leads_upwards(path) {
            problems
                .warning("link-loop", "a link to a folder above itself is not followed")
                .path(path.to_string_lossy());
        } else {
            self.rules_in(path, rules, depth + 1, places, problems);
        }
    }

    /// A repository must not bring files from outside into a prompt under the name of a rule.
    fn leads_outside(&mut self, path: &Path, rules: Rules<'_>) -> bool {
        !rules.may_leave && self.is_outside_project_of(rules.base, path)
    }
}

fn note_outside(folder: &Path, problems: &mut Problems) {
    problems
        .warning("link-outside", "a folder of rules that links out of the project is not followed")
        .path(folder.to_string_lossy());
}

fn note_unreadable(folder: &Path, error: &std::io::Error, problems: &mut Problems) {
    if !is_absent(error) {
        let message = format!("a folder of rules cannot be listed: {}", open::reason(error));
        problems.warning("unreadable-folder", message).path(folder.to_string_lossy());
    }
}

/// Whether a link to a folder leads to one that holds the link.
fn leads_upwards(path: &Path) -> bool {
    match (path.canonicalize(), path.parent().and_then(|parent| parent.canonicalize().ok())) {
        (Ok(target), Some(parent)) => parent.starts_with(target),
        _ => false,
    }
}
