//! What a memory folder holds, as the index must name it: on disk, or in the index of git.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use mem_store::memory::{Glance, stem};
use mem_store::{Memory, MemoryFolder};
use unicode_normalization::UnicodeNormalization;

/// Folders below which nobody expects an index line.
const SET_ASIDE: [&str; 5] = ["archive", "archived", "attic", "old", "trash"];

/// The files of a folder.
pub struct Shelf<'a> {
    /// Nothing when the files are those of the index of git.
    folder: Option<&'a MemoryFolder>,
    /// By path.
    files: Vec<&'a Glance>,
    /// Those that were read.
    memories: BTreeMap<&'a str, &'a Memory>,
    /// Links that git has in its index.
    links: &'a [String],
    /// Made once a link does not lead to a file by its path.
    names: OnceCell<Names<'a>>,
    /// Read once somebody asks.
    archived: OnceCell<BTreeSet<String>>,
}

/// The files by other names than their paths.
#[derive(Default)]
struct Names<'a> {
    own: BTreeMap<&'a str, &'a str>,
    folded: BTreeMap<String, &'a str>,
    stem: BTreeMap<String, Vec<&'a str>>,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// To this topic file.
    Memory(String),
    /// To another file that is there.
    Other,
    /// Out of the folder: the writer's own choice.
    Outside,
    /// To a link that is not followed, and named where the folder is read.
    Link,
    /// To nothing.
    Nowhere(Dangling),
}

/// Why a link leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dangling {
    /// A file that differs in case only.
    Case(String),
    /// A file that is written with other code points for the same letters.
    NormalForm(String),
    /// The only file of that name, in another folder.
    Moved(String),
    /// The archive has it.
    Archived,
    /// Nobody knows it.
    Unknown,
}

impl<'a> Shelf<'a> {
    /// Returns the files of a folder on disk, `memories` being those that were read.
    #[must_use]
    pub fn of_disk(folder: &'a MemoryFolder, files: &'a [Glance], memories: &'a [Memory]) -> Self {
        Self { folder: Some(folder), ..Self::of_git(files, memories, &[]) }
    }

    /// Returns the files that git has in its index.
    #[must_use]
    pub fn of_git(files: &'a [Glance], memories: &'a [Memory], links: &'a [String]) -> Self {
        let mut files: Vec<&Glance> = files.iter().collect();
        if !files.is_sorted_by_key(|file| &file.path) {
            files.sort_unstable_by_key(|file| &file.path);
        }
        let memories = memories.iter().map(|memory| (memory.path.as_str(), memory)).collect();
        Self { folder: None, files, memories, links, names: OnceCell::new(), archived: OnceCell::new() }
    }

    /// Returns the memory at `path`, if it was read.
    #[must_use]
    pub fn memory(&self, path: &str) -> Option<&'a Memory> {
        self.memories.get(path).copied()
    }

    /// Returns the memories that were read in the order of their paths.
    pub fn memories(&self) -> impl Iterator<Item = &'a Memory> {
        self.memories.values().copied()
    }

    /// Returns all files in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = &'a Glance> {
        self.files.iter().copied()
    }

    fn has(&self, path: &str) -> bool {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok()
    }

    fn names(&self) -> &Names<'a> {
        self.names.get_or_init(|| {
            let mut names = Names::default();
            for file in &self.files {
                let path = file.path.as_str();
                names.own.entry(file.own_name.as_deref().unwrap_or(stem(path))).or_insert(path);
                names.folded.entry(folded(path)).or_insert(path);
                names.stem.entry(folded(last_part(path))).or_default().push(path);
            }
            names
        })
    }

    /// Returns where a link leads. `[[name]]` may be the name that a memory gives itself.
    #[must_use]
    pub fn place(&self, target: &str, is_wiki: bool) -> Place {
        if target.starts_with(['/', '~']) || target.split('/').any(|part| part == "..") {
            return Place::Outside;
        }
        let path = if target.ends_with(".md") { target.to_owned() } else { format!("{target}.md") };
        let candidates = [Some(path.clone()), decoded(&path)];
        for path in candidates.iter().flatten() {
            if self.has(path) {
                return Place::Memory(path.clone());
            }
            if self.folder.is_some_and(|folder| folder.has(path)) {
                return Place::Other;
            }
            if self.folder.is_some_and(|folder| folder.has_link(path)) || self.links.contains(path) {
                return Place::Link;
            }
        }
        if is_wiki && let Some(path) = self.names().own.get(target) {
            return Place::Memory((*path).to_owned());
        }
        Place::Nowhere(self.dangling(&path))
    }

    fn archived(&self) -> &BTreeSet<String> {
        self.archived.get_or_init(|| self.folder.map(MemoryFolder::archived_paths).unwrap_or_default())
    }

    fn dangling(&self, path: &str) -> Dangling {
        if let Some(found) = self.names().folded.get(&folded(path)) {
            let same_letters = found.nfc().eq(path.nfc());
            let found = (*found).to_owned();
            return if same_letters { Dangling::NormalForm(found) } else { Dangling::Case(found) };
        }
        match self.names().stem.get(&folded(last_part(path))).map(Vec::as_slice) {
            Some([only]) => Dangling::Moved((*only).to_owned()),
            _ if self.archived().contains(path) => Dangling::Archived,
            _ => Dangling::Unknown,
        }
    }
}

/// Whether a file that the index does not name is one that it should name.
///
/// What lies in an archive, says that it no longer holds, or is no memory by its head is left alone.
#[must_use]
pub fn wants_line(file: &Glance) -> bool {
    let mut folders: Vec<&str> = file.path.split('/').collect();
    let name = folders.pop().unwrap_or_default();
    let is_aside = folders.iter().any(|folder| SET_ASIDE.contains(&folder.to_lowercase().as_str()));
    let is_readme = name.eq_ignore_ascii_case("readme.md");
    !file.is_superseded && !is_aside && (file.has_head || folders.is_empty() && !is_readme)
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn folded(path: &str) -> String {
    path.nfc().collect::<String>().to_lowercase()
}

/// Returns a path with its `%20` and the like decoded, when it has any.
fn decoded(path: &str) -> Option<String> {
    if !path.contains('%') {
        return None;
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let code = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.filter(|_| byte == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &behind[2..];
            }
            None => {
                bytes.push(byte);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(path: &str, text: &str) -> Memory {
        Memory::of_bytes("/m".as_ref(), path, text.as_bytes())
    }

    #[test]
    fn a_link_leads_to_a_file_or_somewhere_else() {
        let memories =
            [memory("Build.md", "x"), memory("sub/naïve.md", "x"), memory("a b.md", "---\nname: space\n---\n")];
        let files: Vec<Glance> = memories.iter().map(Glance::of).collect();
        let shelf = Shelf::of_git(&files, &memories, &[]);
        let _ = shelf.archived.set(BTreeSet::from(["gone.md".to_owned()]));
        for (target, is_wiki, place) in [
            ("Build.md", false, Place::Memory("Build.md".into())),
            ("Build", true, Place::Memory("Build.md".into())),
            ("space", true, Place::Memory("a b.md".into())),
            ("a%20b.md", false, Place::Memory("a b.md".into())),
            ("build.md", false, Place::Nowhere(Dangling::Case("Build.md".into()))),
            ("sub/nai\u{308}ve.md", false, Place::Nowhere(Dangling::NormalForm("sub/naïve.md".into()))),
            ("naïve.md", false, Place::Nowhere(Dangling::Moved("sub/naïve.md".into()))),
            ("gone.md", false, Place::Nowhere(Dangling::Archived)),
            ("never.md", false, Place::Nowhere(Dangling::Unknown)),
            ("../x.md", false, Place::Outside),
            ("/etc/x.md", false, Place::Outside),
        ] {
            assert_eq!(shelf.place(target, is_wiki), place, "{target}");
        }
    }

    #[test]
    fn what_is_set_aside_wants_no_line() {
        for (path, text, expected) in [
            ("a.md", "plain", true),
            ("sub/a.md", "plain", false),
            ("sub/a.md", "---\nname: a\n---\n", true),
            ("archive/a.md", "---\nname: a\n---\n", false),
            ("README.md", "plain", false),
            ("a.md", "---\nname: a\nsuperseded_by: b.md\n---\n", false),
            ("a.md", "---\nname: a\nsuperseded: 2026-11-30\n---\n", false),
            ("a.md", "---\nname: a\nsuperseded_by: ''\n---\n", true),
        ] {
            assert_eq!(wants_line(&Glance::of(&memory(path, text))), expected, "{path} {text}");
        }
    }
}
