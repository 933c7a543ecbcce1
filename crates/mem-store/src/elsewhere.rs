//! Whose memory a project's folder is, told by the `cwd` in the transcripts beside it: a name below `projects/` stands
//! for more than one path, and a project that was moved leaves its memory behind.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::git;
use crate::open;
use crate::slug::slug;

/// Most transcripts of one project that are looked into.
const MOST_TRANSCRIPTS: usize = 100;
/// Most projects that are looked into.
const MOST_PROJECTS: usize = 2000;
/// Bytes at the start of a transcript in which its `cwd` is sought.
const HEAD: u64 = 32 * 1024;
/// Most candidates that are named.
const MOST_CANDIDATES: usize = 5;

/// A memory folder of a project that is no longer where it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// The memory folder.
    pub dir: PathBuf,
    /// Where its project was.
    pub cwd: String,
}

/// Returns other projects whose transcripts lie beside `memory_dir`: their paths become the same name as `root`.
#[must_use]
pub fn sharing(root: &Path, memory_dir: &Path) -> Vec<String> {
    let Some(project) = memory_dir.parent() else { return Vec::new() };
    let name = slug(&root.to_string_lossy());
    let is_other =
        |cwd: &String| Path::new(cwd) != root && slug(cwd) == name && main_root(cwd).as_deref() != Some(root);
    cwds(project).into_iter().filter(is_other).collect()
}

/// Returns memory folders whose project is gone, those first that have most in common with `root`.
#[must_use]
pub fn moved(root: &Path, memory_dir: &Path) -> Vec<Moved> {
    let Some(projects) = memory_dir.parent().and_then(Path::parent) else { return Vec::new() };
    let mut found: Vec<(usize, Moved)> = names(projects, MOST_PROJECTS)
        .into_iter()
        .map(|name| projects.join(name))
        .filter(|project| project.join("memory") != memory_dir && has_files(&project.join("memory")))
        .filter_map(|project| {
            let gone = cwds(&project).into_iter().filter(|cwd| !Path::new(cwd).exists());
            // The shortest is the project itself, the others were its subfolders.
            let cwd = gone.min_by_key(|cwd| (cwd.len(), cwd.clone()))?;
            Some((likeness(root, Path::new(&cwd)), Moved { dir: project.join("memory"), cwd }))
        })
        .filter(|(likeness, _)| *likeness > 0)
        .collect();
    found.sort_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.dir.cmp(&right.1.dir)));
    found.into_iter().map(|(_, moved)| moved).take(MOST_CANDIDATES).collect()
}

/// The same name somewhere else counts most, then another name in the same place.
fn likeness(root: &Path, cwd: &Path) -> usize {
    let same_name = root.file_name() == cwd.file_name();
    let same_parent = root.parent() == cwd.parent();
    usize::from(same_name) * 2 + usize::from(same_parent)
}

fn has_files(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.any(|entry| entry.is_ok()))
}

/// Returns the folders in which the sessions of a project began.
fn cwds(project: &Path) -> BTreeSet<String> {
    let transcripts = names(project, usize::MAX).into_iter().filter(|name| name.ends_with(".jsonl"));
    transcripts.take(MOST_TRANSCRIPTS).filter_map(|name| cwd_of(&project.join(name))).collect()
}

fn cwd_of(transcript: &Path) -> Option<String> {
    let content = open::read_up_to(transcript, HEAD).ok()?;
    let text = String::from_utf8_lossy(&content.bytes);
    let cwd = text.lines().find_map(|line| {
        let value: Value = serde_json::from_str(line).ok()?;
        value.get("cwd").and_then(Value::as_str).map(str::to_owned)
    });
    cwd.filter(|cwd| cwd.starts_with('/') && !cwd.chars().any(char::is_control))
}

fn main_root(cwd: &str) -> Option<PathBuf> {
    git::find(Path::new(cwd)).map(|place| place.main_root)
}

fn names(folder: &Path, most: usize) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names.truncate(most);
    names
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn session(top: &Path, cwd: &Path) -> PathBuf {
        let project = top.join("projects").join(slug(&cwd.to_string_lossy()));
        fs::create_dir_all(project.join("memory")).unwrap();
        fs::write(project.join("memory/MEMORY.md"), "- [A](a.md)\n").unwrap();
        let line = serde_json::json!({"type": "user", "cwd": cwd}).to_string();
        fs::write(project.join("s.jsonl"), format!("{{\"type\":\"mode\"}}\nbroken\n{line}\n")).unwrap();
        project.join("memory")
    }

    #[test]
    fn a_project_that_was_renamed_or_moved_left_its_memory_behind() {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().join("work/new");
        let renamed = session(top.path(), &top.path().join("work/old"));
        let moved_away = session(top.path(), &top.path().join("elsewhere/new"));
        session(top.path(), &top.path().join("elsewhere/other"));
        fs::create_dir_all(top.path().join("work/there")).unwrap();
        session(top.path(), &top.path().join("work/there"));
        let own = top.path().join("projects").join(slug(&root.to_string_lossy())).join("memory");
        let found: Vec<PathBuf> = moved(&root, &own).into_iter().map(|moved| moved.dir).collect();
        assert_eq!(found, [moved_away, renamed]);
    }

    #[test]
    fn two_paths_with_one_name_are_told() {
        let top = tempfile::tempdir().unwrap();
        let own = session(top.path(), &top.path().join("my_proj"));
        assert_eq!(sharing(&top.path().join("my_proj"), &own), Vec::<String>::new());
        assert_eq!(sharing(&top.path().join("my-proj"), &own), [top.path().join("my_proj").to_string_lossy()]);
    }
}
