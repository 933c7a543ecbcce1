//! The project's own files, read to check what memories say about them: which paths are there, which names occur.
//!
//! Never more than a bounded part: who sees that the whole was not seen can tell "not there" from "not found".

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use ignore::WalkBuilder;
use memchr::memmem::Finder;

use crate::open;

/// Most files that are listed; the largest of common repositories have some 80,000.
const MAX_FILES: usize = 100_000;
/// Most folders below each other.
const MAX_DEPTH: usize = 32;
/// Most bytes of one file that are searched; longer ones are made by machines.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// Most bytes that are searched in all.
const MAX_BYTES: u64 = 128 * 1024 * 1024;

/// The files beneath a project's root, listed when first asked for.
#[derive(Debug)]
pub struct Project {
    root: PathBuf,
    listing: OnceLock<Listing>,
    by_name: OnceLock<BTreeMap<String, Vec<usize>>>,
}

/// The project's files, without those that git ignores.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Relative to the root, with `/`, sorted.
    pub files: Vec<String>,
    /// Whether no bound cut it short.
    pub is_whole: bool,
}

/// Which of the names that were searched for occur.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Occurring {
    /// The names that occur as whole words.
    pub names: BTreeSet<String>,
    /// Whether every file was searched.
    pub is_whole: bool,
}

impl Project {
    /// Returns the project at `root`; nothing is read yet.
    #[must_use]
    pub fn at(root: PathBuf) -> Self {
        Self { root, listing: OnceLock::new(), by_name: OnceLock::new() }
    }

    /// Whether `path`, relative to the root and not leading out of it, is there; ignored files count too.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        let path = Path::new(path);
        let stays = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        stays && self.root.join(path).symlink_metadata().is_ok()
    }

    /// Returns the text of one of the project's files, when it is not too long to have been written by hand.
    #[must_use]
    pub fn text(&self, file: &str) -> Option<String> {
        let content = open::read_up_to(&self.root.join(file), MAX_FILE_BYTES).ok()?;
        let is_whole = content.metadata.len() <= MAX_FILE_BYTES;
        is_whole.then(|| String::from_utf8_lossy(&content.bytes).into_owned())
    }

    /// Returns the project's files.
    pub fn listing(&self) -> &Listing {
        self.listing.get_or_init(|| list(&self.root))
    }

    /// Returns the files that end in `path` at a `/` (of a folder: that lie in it), or, when there are none, those that
    /// bear its last name.
    #[must_use]
    pub fn elsewhere(&self, path: &str) -> Elsewhere<'_> {
        if path.ends_with('/') {
            let inside = format!("/{path}");
            let files = self.listing().files.iter().map(String::as_str);
            return Elsewhere::Whole(files.filter(|file| file.contains(&inside)).take(1).collect()).or_name();
        }
        let same_name = self.bearing(path.rsplit('/').next().unwrap_or(path));
        let ends = |file: &&str| file.strip_suffix(path).is_some_and(|head| head.is_empty() || head.ends_with('/'));
        let whole: Vec<&str> = same_name.iter().copied().filter(ends).collect();
        if whole.is_empty() { Elsewhere::Name(same_name) } else { Elsewhere::Whole(whole) }
    }

    /// Returns the files of a name, in order.
    fn bearing(&self, name: &str) -> Vec<&str> {
        let files = &self.listing().files;
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (place, file) in files.iter().enumerate() {
                by_name.entry(file.rsplit('/').next().unwrap_or(file).to_owned()).or_default().push(place);
            }
            by_name
        });
        by_name.get(name).into_iter().flatten().map(|place| files[*place].as_str()).collect()
    }

    /// Returns which of `names` occur in the project's files as whole words, after one pass over them.
    #[must_use]
    pub fn occurring(&self, names: &BTreeSet<String>) -> Occurring {
        let mut wanted: Vec<(&String, Finder<'_>)> =
            names.iter().map(|name| (name, Finder::new(name.as_bytes()))).collect();
        let mut found = Occurring { names: BTreeSet::new(), is_whole: self.listing().is_whole };
        let mut left = MAX_BYTES;
        for file in &self.listing().files {
            if wanted.is_empty() {
                break;
            }
            let Ok(content) = open::read_up_to(&self.root.join(file), MAX_FILE_BYTES.min(left)) else { continue };
            left = left.saturating_sub(content.bytes.len() as u64);
            found.is_whole &= content.metadata.len() <= content.bytes.len() as u64;
            wanted.retain(|(name, finder)| {
                let occurs = is_word_in(finder, &content.bytes);
                if occurs {
                    found.names.insert((*name).clone());
                }
                !occurs
            });
        }
        found
    }
}

/// Where a path that is not there may be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elsewhere<'a> {
    /// Files whose path ends in the whole path: it was given from a subfolder.
    Whole(Vec<&'a str>),
    /// Files of the same name in other folders, perhaps none.
    Name(Vec<&'a str>),
}

impl Elsewhere<'_> {
    /// An empty answer says that no file bears the name either.
    fn or_name(self) -> Self {
        match self {
            Self::Whole(files) if files.is_empty() => Self::Name(files),
            other => other,
        }
    }
}

fn list(root: &Path) -> Listing {
    let is_own = |name: &str| matches!(name, ".git" | "node_modules" | ".mem");
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .parents(false)
        .git_global(false)
        .require_git(false)
        .follow_links(false)
        .max_depth(Some(MAX_DEPTH))
        .filter_entry(move |entry| !is_own(&entry.file_name().to_string_lossy()))
        .build();
    let mut files = Vec::new();
    let mut is_whole = true;
    for entry in walk {
        let Ok(entry) = entry else {
            is_whole = false;
            continue;
        };
        if files.len() >= MAX_FILES {
            is_whole = false;
            break;
        }
        let is_file = entry.file_type().is_some_and(|kind| !kind.is_dir());
        if is_file && let Ok(path) = entry.path().strip_prefix(root) {
            files.push(path.to_string_lossy().replace('\\', "/"));
        }
        is_whole &= entry.depth() < MAX_DEPTH;
    }
    files.sort_unstable();
    Listing { files, is_whole }
}

fn is_word_in(finder: &Finder<'_>, bytes: &[u8]) -> bool {
    let length = finder.needle().len();
    let is_letter = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    finder.find_iter(bytes).any(|at| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        !is_letter(before) && !is_letter(bytes.get(at + length))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let project = Project::at(folder.path().to_path_buf());
        (folder, project)
    }

    #[test]
    fn files_are_listed_without_those_that_git_ignores() {
        let (_folder, project) = project(&[
            (".gitignore", "out/\n"),
            ("src/a.rs", ""),
            ("out/b.js", ""),
            (".git/HEAD", ""),
            (".github/ci.yml", ""),
        ]);
        assert_eq!(project.listing().files, [".github/ci.yml", ".gitignore", "src/a.rs"]);
        assert!(project.listing().is_whole);
        assert!(project.has("out/b.js") && project.has("src") && !project.has("src/b.rs"));
    }

    #[test]
    fn paths_that_lead_out_are_not_there() {
        let (_folder, project) = project(&[("a", "")]);
        for path in ["../a", "/etc/hosts", "/", "a/../../x"] {
            assert!(!project.has(path), "{path}");
        }
    }

    #[test]
    fn a_path_may_be_meant_elsewhere() {
        let (_folder, project) = project(&[("packages/web/src/a.ts", ""), ("http/payout.go", "")]);
        assert_eq!(project.elsewhere("src/a.ts"), Elsewhere::Whole(vec!["packages/web/src/a.ts"]));
        assert_eq!(project.elsewhere("api/payout.go"), Elsewhere::Name(vec!["http/payout.go"]));
        assert_eq!(project.elsewhere("rc/a.ts"), Elsewhere::Name(vec!["packages/web/src/a.ts"]));
        assert_eq!(project.elsewhere("x/y.go"), Elsewhere::Name(vec![]));
        assert_eq!(project.elsewhere("web/src/"), Elsewhere::Whole(vec!["packages/web/src/a.ts"]));
        assert_eq!(project.elsewhere("web/old/"), Elsewhere::Name(vec![]));
    }

    #[test]
    fn names_occur_only_as_whole_words() {
        let (_folder, project) =
            project(&[("a.go", "func settleBatch() {}\n"), ("b.go", "reserveFundsLater()\nx_postEntry")]);
        let names = ["settleBatch", "reserveFunds", "postEntry"].map(str::to_owned).into();
        let found = project.occurring(&names);
        assert_eq!(found, Occurring { names: ["settleBatch".to_owned()].into(), is_whole: true });
    }
}
