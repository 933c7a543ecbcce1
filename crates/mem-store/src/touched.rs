//! Files touched lately, as paths of this machine: a session may run on Windows while its project is seen from Linux.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mem_types::input::{ToolInput, TouchedFile};
use mem_types::{Document, Problems};

use crate::git;
use crate::world::World;

impl World {
    /// Returns the files that were touched lately, absolute, in order and each once.
    #[must_use]
    pub fn touched_files(&self, document: &Document, problems: &mut Problems) -> Vec<PathBuf> {
        let cwd = self.cwd(document, problems);
        let listed = document.read::<Vec<TouchedFile>>("files", problems).unwrap_or_default();
        // Hooks of tools without files have an input of any shape; that is no problem.
        let input = document.try_read::<ToolInput>("tool_input").ok().flatten().unwrap_or_default();
        let of_hook = input.file_path.or(input.notebook_path);
        let roots = WindowsRoots::of(self, document, &cwd);
        let mut seen = BTreeSet::new();
        let mut files: Vec<PathBuf> = Vec::new();
        for path in listed.iter().map(TouchedFile::path).chain(of_hook.as_deref()) {
            let path = roots.here(path).unwrap_or_else(|| self.resolve(path, &cwd));
            if seen.insert(path.clone()) {
                files.push(path);
            }
        }
        files
    }

    /// Returns `cwd` as a folder of this machine: a path of Windows that is not here stands for the folder in which the
    /// command was started.
    #[must_use]
    pub fn cwd_here(&self, document: &Document, problems: &mut Problems) -> PathBuf {
        let cwd = self.cwd(document, problems);
        let raw: Option<String> = document.try_read("cwd").ok().flatten();
        let Some(raw) = raw.filter(|raw| has_drive(raw) && !cwd.is_dir()) else { return cwd };
        mounted(&raw).filter(|folder| folder.is_dir()).unwrap_or_else(|| self.environment().started_in.clone())
    }

    /// Returns `path` relative to `base`, by its name or by where links lead; nothing when it lies elsewhere.
    #[must_use]
    pub fn beneath(&self, base: &Path, path: &Path) -> Option<PathBuf> {
        if let Ok(relative) = path.strip_prefix(base) {
            return Some(relative.to_path_buf());
        }
        let base = base.canonicalize().ok()?;
        let folder = path.ancestors().skip(1).find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
        let (folder, real) = folder?;
        let rest = path.strip_prefix(folder).ok()?;
        real.join(rest).strip_prefix(&base).ok().map(Path::to_path_buf)
    }
}

/// Folders that the document names as Windows does, with what they are here.
struct WindowsRoots {
    roots: Vec<(String, PathBuf)>,
    cwd: PathBuf,
}

impl WindowsRoots {
    fn of(world: &World, document: &Document, cwd: &Path) -> Self {
        let here = world.cwd_here(document, &mut Problems::default());
        let named =
            ["cwd", "project_root"].into_iter().filter_map(|key| document.try_read::<String>(key).ok().flatten());
        let roots = named.filter(|path| has_drive(path)).map(|path| (slashed(&path), here.clone())).collect();
        Self { roots, cwd: cwd.to_path_buf() }
    }

    /// Returns a path in the spelling of Windows as one of this machine, or nothing when it is spelled otherwise.
    fn here(&self, path: &str) -> Option<PathBuf> {
        if !has_drive(path) {
            // On Linux a backslash may stand in a name: only when there is no such file it separates.
            let is_windows = path.contains('\\') && !path.starts_with('/') && !self.cwd.join(path).exists();
            return is_windows.then(|| git::tidy(&self.cwd.join(path.replace('\\', "/"))));
        }
        let path = slashed(path);
        let below = self.roots.iter().find_map(|(root, folder)| {
            let head = path.get(..root.len())?;
            let rest = path[root.len()..].strip_prefix('/')?;
            head.eq_ignore_ascii_case(root).then(|| folder.join(rest))
        });
        below.or_else(|| mounted(&path)).map(|path| git::tidy(&path))
    }
}

fn slashed(path: &str) -> String {
    path.replace('\\', "/").trim_end_matches('/').to_owned()
}

/// Returns where WSL has a folder of Windows: `C:\a` is `/mnt/c/a`.
fn mounted(path: &str) -> Option<PathBuf> {
    let path = slashed(path);
    let (drive, rest) = path.split_once(':')?;
    Some(Path::new("/mnt").join(drive.to_ascii_lowercase()).join(rest.trim_start_matches('/')))
}

/// Whether a path begins with a drive of Windows, such as `C:\`.
fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Environment, Moment};

    fn world(started_in: &Path) -> World {
        let environment =
            Environment { home: Some("/h".into()), started_in: started_in.into(), ..Environment::default() };
        World::new(environment, Moment::parse("2026-11-30T12:00:00Z").unwrap())
    }

    fn files(world: &World, line: &str) -> Vec<PathBuf> {
        world.touched_files(&Document::parse(line).unwrap(), &mut Problems::default())
    }

    #[test]
    fn touched_files_come_from_the_list_and_the_hook_each_once() {
        let line = r#"{"cwd":"/p","files":["a.ts",{"path":"/p/./a.ts"},"~/x"],"tool_input":{"file_path":"/p/b"}}"#;
        let found = files(&world(Path::new("/h/proj")), line);
        assert_eq!(found, [Path::new("/p/a.ts"), Path::new("/h/x"), Path::new("/p/b")]);
    }

    #[test]
    fn paths_of_windows_are_found_here_whatever_the_case_of_the_drive() {
        let world = world(Path::new("/s"));
        let line = r#"{"cwd":"C:\\p","files":["c:\\P\\src\\a.ts","C:/p/src/a.ts","src\\b.ts","D:\\x\\y.ts"]}"#;
        let found = files(&world, line);
        assert_eq!(found[0], Path::new("/s/src/a.ts"));
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(found[2], Path::new("/mnt/d/x/y.ts"));
        let line = r#"{"cwd":"/w","project_root":"c:/P/","files":["C:\\p\\é\\a.ts"]}"#;
        assert_eq!(files(&world, line), [Path::new("/w/é/a.ts")]);
    }

    #[test]
    fn a_name_with_a_backslash_is_a_name_where_there_is_such_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let line = r#"{"files":["a\\b.ts"]}"#;
        assert_eq!(files(&world(folder.path()), line), [folder.path().join("a/b.ts")]);
        std::fs::write(folder.path().join("a\\b.ts"), "").unwrap();
        assert_eq!(files(&world(folder.path()), line), [folder.path().join("a\\b.ts")]);
    }

    #[test]
    fn a_file_reached_by_a_link_lies_beneath_too() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("real/src")).unwrap();
        std::os::unix::fs::symlink("real", folder.path().join("link")).unwrap();
        let world = world(folder.path());
        let found = world.beneath(&folder.path().join("real"), &folder.path().join("link/src/new.ts"));
        assert_eq!(found, Some(PathBuf::from("src/new.ts")));
        assert_eq!(world.beneath(&folder.path().join("real"), &folder.path().join("other/a")), None);
    }
}
