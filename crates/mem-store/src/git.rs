//! Where a git repository begins, read from its files and never by running git.

use std::collections::BTreeMap;
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
    /// The repository's own folder, which all its work trees share.
    pub repository: PathBuf,
}

/// The roots of many folders, each folder looked at once.
#[derive(Debug, Default)]
pub struct Roots {
    known: BTreeMap<PathBuf, Option<PathBuf>>,
}

impl Roots {
    /// Returns the root of the work tree that holds `folder`, or nothing outside git.
    pub fn of(&mut self, folder: &Path) -> Option<PathBuf> {
        let mut passed = Vec::new();
        let mut root = None;
        for ancestor in folder.ancestors() {
            if let Some(known) = self.known.get(ancestor) {
                root.clone_from(known);
                break;
            }
            passed.push(ancestor);
            if is_git(&ancestor.join(".git")) {
                root = Some(ancestor.to_path_buf());
                break;
            }
        }
        for folder in passed {
            self.known.insert(folder.to_path_buf(), root.clone());
        }
        root
    }
}

/// Returns the git work tree that holds `folder`, or nothing outside git.
#[must_use]
pub fn find(folder: &Path) -> Option<GitPlace> {
    folder.ancestors().find(|ancestor| is_git(&ancestor.join(".git"))).map(at)
}

/// Returns the place of a folder that is the root of a work tree.
#[must_use]
pub fn at(root: &Path) -> GitPlace {
    let shared = shared_repository(root);
    let main_root = shared.as_deref().map(root_of_repository).unwrap_or_else(|| root.to_path_buf());
    let own = || pointer(&root.join(".git")).unwrap_or_else(|| root.join(".git"));
    GitPlace { root: root.to_path_buf(), main_root, repository: shared.unwrap_or_else(own) }
}

/// Whether `root` has a checkout of its own: the folder around a bare repository has none, though the repository may be
/// its `.git`.
#[must_use]
pub fn has_checkout(root: &Path) -> bool {
    let dot_git = root.join(".git");
    dot_git.is_dir() && !read_small(&dot_git.join("config")).is_some_and(|config| says_bare(&config))
}

fn says_bare(config: &str) -> bool {
    let lines = config.lines().map(|line| line.split(['#', ';']).next().unwrap_or_default());
    let mut values = lines.filter_map(|line| line.split_once('='));
    let bare = values.rfind(|(key, _)| key.trim().eq_ignore_ascii_case("bare"));
    bare.is_some_and(|(_, value)| ["true", "yes", "on", "1"].iter().any(|yes| value.trim().eq_ignore_ascii_case(yes)))
}

/// A `.git` counts when it is a folder with a HEAD, or a file that points somewhere.
fn is_git(dot_git: &Path) -> bool {
    match fs::metadata(dot_git) {
        Ok(metadata) if metadata.is_dir() => dot_git.join("HEAD").exists(),
        Ok(metadata) if metadata.is_file() => pointer(dot_git).is_some(),
        _ => false,
    }
}

/// Returns the repository of a linked worktree, or nothing for any other work tree.
fn shared_repository(root: &Path) -> Option<PathBuf> {
    let git_folder = pointer(&root.join(".git"))?;
    // A submodule's `.git` file has no commondir: it is a project of its own.
    let common = read_small(&git_folder.join("commondir"))?;
    let common = tidy(&git_folder.join(common.trim()));
    // The link must be known to the repository that it names, or any folder could claim another's memory.
    let back = read_small(&git_folder.join("gitdir"))?;
    if !is_same(&git_folder.join(back.trim()), &root.join(".git")) {
        return None;
    }
    Some(common)
}

/// `proj/.git` and `proj/.bare` belong to `proj`; any other name is a repository that stands by itself.
fn root_of_repository(repository: &Path) -> PathBuf {
    let is_inside = repository.file_name().is_some_and(|name| name == ".git" || name == ".bare");
    repository.parent().filter(|_| is_inside).unwrap_or(repository).to_path_buf()
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
    fn worktrees_of_one_repository_share_it_also_when_it_is_bare() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        for bare in ["a/.bare", "b/store.git"] {
            let (parent, bare) = (top.join(&bare[..1]), top.join(bare));
            write(&bare.join("HEAD"), "ref: refs/heads/main\n");
            write(&parent.join(".git"), &format!("gitdir: {}\n", bare.display()));
            write(&bare.join("worktrees/w/commondir"), "../..\n");
            write(&bare.join("worktrees/w/gitdir"), &format!("{}/w/.git\n", parent.display()));
            write(&parent.join("w/.git"), &format!("gitdir: {}/worktrees/w\n", bare.display()));
            let (outer, inner) = (find(&parent).unwrap(), find(&parent.join("w")).unwrap());
            assert_eq!(outer.repository, inner.repository);
            assert_ne!(outer.root, inner.root);
            assert!(!has_checkout(&parent));
        }
    }

    #[test]
    fn a_bare_repository_called_dot_git_is_no_checkout() {
        let folder = tempfile::tempdir().unwrap();
        write(&folder.path().join(".git/HEAD"), "ref: refs/heads/main\n");
        assert!(has_checkout(folder.path()));
        for (config, expected) in [("[core]\n\tbare = true\n", false), ("[core]\n\tbare = false # true\n", true)] {
            write(&folder.path().join(".git/config"), config);
            assert_eq!(has_checkout(folder.path()), expected, "{config}");
        }
    }

    #[test]
    fn roots_of_many_folders_are_those_of_each() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        write(&top.join("a/.git/HEAD"), "ref: refs/heads/main\n");
        write(&top.join("a/b/c/.git/HEAD"), "ref: refs/heads/main\n");
        let mut roots = Roots::default();
        for path in ["a/b/x", "a/b/c/d", "a/b", "a", "a/b/c", "a/y/z"] {
            let path = top.join(path);
            assert_eq!(roots.of(&path), find(&path).map(|place| place.root), "{}", path.display());
        }
    }

    #[test]
    fn outside_git_there_is_no_place() {
        let folder = tempfile::tempdir().unwrap();
        assert!(find(folder.path()).is_none_or(|place| !place.root.starts_with(folder.path())));
    }
}
