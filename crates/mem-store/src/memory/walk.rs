//! Walks a memory folder for its topic files, without leaving it.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use mem_types::Problems;

use crate::open;

/// Most folders below each other; a memory folder is nearly flat.
const MAX_DEPTH: usize = 16;

/// Returns the paths of the topic files, relative to `folder` and sorted.
pub(super) fn files(folder: &Path, problems: &mut Problems) -> Vec<String> {
    let mut walk = Walk { folder, real: folder.canonicalize().unwrap_or_else(|_| folder.into()), files: Vec::new() };
    walk.enter(folder, "", 0, problems);
    walk.files.sort_unstable();
    walk.files
}

struct Walk<'a> {
    folder: &'a Path,
    real: PathBuf,
    files: Vec<String>,
}

impl Walk<'_> {
    fn enter(&mut self, folder: &Path, prefix: &str, depth: usize, problems: &mut Problems) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                problems
                    .warning("unreadable-folder", format!("cannot list a folder: {}", open::reason(&error)))
                    .path(folder.to_string_lossy());
                return;
            }
        };
        for entry in entries.flatten() {
            self.visit(&entry, prefix, depth, problems);
        }
    }

    fn visit(&mut self, entry: &DirEntry, prefix: &str, depth: usize, problems: &mut Problems) {
        let file_name = entry.file_name();
        let Some(name) = file_name.to_str() else {
            problems
                .warning("name-not-utf8", "a file whose name is not UTF-8 is left out")
                .path(file_name.to_string_lossy())
                .hint("rename it");
            return;
        };
        if name.starts_with('.') {
            return;
        }
        let path = format!("{prefix}{name}");
        let Ok(kind) = entry.file_type() else { return };
        if kind.is_dir() {
            self.visit_folder(entry, &path, depth, problems);
        } else if kind.is_symlink() && entry.path().is_dir() {
            problems
                .warning("link-to-folder", "a link to a folder is not followed")
                .path(&path)
                .hint("put the folder itself into the memory folder");
        } else if is_topic(&path) {
            if kind.is_symlink() && entry.path().canonicalize().is_err() {
                problems.warning("link-broken", "a link that leads nowhere is passed over").path(&path);
            } else if kind.is_symlink() && !self.leads_inside(&entry.path()) {
                problems
                    .warning("link-outside", "a link that leads out of the memory folder is not followed")
                    .path(&path)
                    .hint("put the file itself into the folder");
            } else {
                self.files.push(path);
            }
        }
    }

    fn visit_folder(&mut self, entry: &DirEntry, path: &str, depth: usize, problems: &mut Problems) {
        if depth >= MAX_DEPTH {
            problems.warning("too-deep", format!("folders below {MAX_DEPTH} levels are left out")).path(path);
        } else if path != "logs" {
            self.enter(&entry.path(), &format!("{path}/"), depth + 1, problems);
        }
    }

    fn leads_inside(&self, link: &Path) -> bool {
        link.canonicalize().is_ok_and(|target| target.starts_with(&self.real) && target != self.folder)
    }
}

/// Whether a relative path is that of a topic file: Markdown, and not the index.
pub(super) fn is_topic(path: &str) -> bool {
    path.ends_with(".md") && path != "MEMORY.md"
}
