//! Where a git repository begins, read from its files and never by running git.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// A folder's place in git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitPlace {
    /// The root of the work tree in which the folder lies.
    pub root: PathBuf,
    /// The root of the main work tree; equal to `root` outside linked worktrees. Of a bare repository with linked
    /// worktrees this is the folder that holds it when it is called `.bare`, else the repository's own.
    pub main_root: PathBuf,
}

/// Returns the git work tree that holds `folder`, or nothing outside git.
#[must_use]
pub fn find(folder: &Path) -> Option<GitPlace> {
    let root = folder.ancestors().find(|ancestor| is_git(&ancestor.join(".git")))?;
    let main_root = main_root(root).unwrap_or_else(|| root.to_path_buf());
    Some(GitPlace { root: root.to_path_buf(), main_root })
}

/// A `.git` counts when it is a folder with a HEAD, or a file that points somewhere.
fn is_git(dot_git: &Path) -> bool {
    match fs::metadata(dot_git) {
        Ok(metadata) if metadata.is_dir() => dot_git.join("HEAD").exists(),
        Ok(metadata) if metadata.is_file() => pointer(dot_git).is_some(),
        _ => false,
    }
}

/// Returns the root of the main work tree for a linked worktree, or nothing for any other repository.
fn main_root(root: &Path) -> Option<PathBuf> {
    let git_folder = pointer(&root.join(".git"))?;
    // A submodule's `.git` file has no commondir: it is a project of its own.
    let common = read_small(&git_folder.join("commondir"))?;
    let common = tidy(&git_folder.join(common.trim()));
    // The link must be known to the repository that it names, or any folder could claim another's memory.
    let back = read_small(&git_folder.join("gitdir"))?;
    if !is_same(&git_folder.join(back.trim()), &root.join(".git")) {
        return None;
    }
    // `proj/.git` and `proj/.bare` belong to `proj`; any other name is a repository that stands by itself.
    let is_inside = common.file_name().is_some_and(|name| name == ".git" || name == ".bare");
    if is_inside { common.parent().map(Path::to_path_buf) } else { Some(common) }
}

/// Returns the folder that a `.git` file points to.
fn pointer(dot_git: &Path) -> Option<PathBuf> {
    let text = read_small(dot_git)?;
    let target = text.strip_prefix("gitdir:")?.trim();
    Some(tidy(&dot_git.parent()?.join(target)))
}

/// Files of this kind hold one path; anything larger is something else.
fn read_small(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > 16 * 1024 {
        return None;
    }
    fs::read_to_string(path).ok()
}

fn is_same(left: &Path, right: &Path) -> bool {
    match (left.canonicalize(), right.canonicalize()) {
        (Ok(left), Ok(right)) => left == right,
        _ => tidy(left) == tidy(right),
    }
}

/// Returns the path without `.` and `..`, by its letters alone.
#[must_use]
pub fn tidy(path: &Path) -> PathBuf {
    let mut tidied = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !tidied.pop() {
                    tidied.push("/");
                }
            }
            other => tidied.push(other),
        }
    }
    tidied
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_linked_worktree_leads_to_the_main_one() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        write(&top.join("proj/.git/HEAD"), "ref: refs/heads/main\n");
        write(&top.join("proj/.git/worktrees/w/commondir"), "../..\n");
        let link = top.join("w/.git");
        write(&top.join("proj/.git/worktrees/w/gitdir"), &format!("{}\n", link.display()));
        write(&link, &format!("gitdir: {}\n", top.join("proj/.git/worktrees/w").display()));
        fs::create_dir_all(top.join("w/sub")).unwrap();
        let place = find(&top.join("w/sub")).unwrap();
        assert_eq!((place.root, place.main_root), (top.join("w"), top.join("proj")));
        assert_eq!(find(&top.join("proj/x")).unwrap().main_root, top.join("proj"));
    }

    #[test]
    fn a_link_that_the_repository_does_not_know_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        write(&top.join("proj/.git/HEAD"), "ref: refs/heads/main\n");
        write(&top.join("proj/.git/worktrees/w/commondir"), "../..\n");
        write(&top.join("proj/.git/worktrees/w/gitdir"), "/elsewhere/.git\n");
        write(&top.join("evil/.git"), &format!("gitdir: {}\n", top.join("proj/.git/worktrees/w").display()));
        assert_eq!(find(&top.join("evil")).unwrap().main_root, top.join("evil"));
    }

    #[test]
    fn outside_git_there_is_no_place() {
        let folder = tempfile::tempdir().unwrap();
        assert!(find(folder.path()).is_none_or(|place| !place.root.starts_with(folder.path())));
    }
}
