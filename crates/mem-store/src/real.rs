//! Where paths really lie, links followed, without looking at the same folders again for each file in them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Paths that were looked at, with where they lie; nothing for those that are not there.
#[derive(Debug, Default)]
pub struct RealPaths {
    known: BTreeMap<PathBuf, Option<PathBuf>>,
}

impl RealPaths {
    /// Returns where an absolute path lies, as `canonicalize` does; nothing when it leads nowhere.
    pub fn of(&mut self, path: &Path) -> Option<PathBuf> {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let real = self.look(path);
        self.known.insert(path.to_path_buf(), real.clone());
        real
    }

    fn look(&mut self, path: &Path) -> Option<PathBuf> {
        let (Some(parent), Some(Component::Normal(name))) = (path.parent(), path.components().next_back()) else {
            return path.canonicalize().ok();
        };
        let metadata = fs::symlink_metadata(path).ok()?;
        if metadata.is_symlink() {
            return path.canonicalize().ok();
        }
        Some(self.of(parent)?.join(name))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn it_says_what_canonicalize_says() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        fs::create_dir_all(top.join("a/b")).unwrap();
        fs::write(top.join("a/b/f"), "").unwrap();
        symlink("a", top.join("link")).unwrap();
        symlink("b/f", top.join("a/to-file")).unwrap();
        symlink("nowhere", top.join("dangling")).unwrap();
        symlink("loop", top.join("loop")).unwrap();
        let mut paths = RealPaths::default();
        for path in [
            "a",
            "a/b/f",
            "link",
            "link/b/f",
            "link/to-file",
            "dangling",
            "loop",
            "none/x",
            "a/../a/b",
            "a/b/f/x",
            "link/",
        ] {
            let path = top.join(path);
            for _ in 0..2 {
                assert_eq!(paths.of(&path), path.canonicalize().ok(), "{}", path.display());
            }
        }
        assert_eq!(paths.of(Path::new("/")), Some(PathBuf::from("/")));
    }
}
