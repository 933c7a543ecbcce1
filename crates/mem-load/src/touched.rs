//! The files touched lately, laid out so that a thousand rules find theirs at once: each pattern looks only at the paths
//! that have what it asks for (a last name, an ending, a folder).

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use mem_store::World;

use crate::glob::{Glob, Key, Meaning, fold};
use crate::patterns::Patterns;

/// The touched files in order, and what was laid out for each folder of rules.
pub struct Touched<'a> {
    world: &'a World,
    files: Vec<PathBuf>,
    layouts: Vec<(PathBuf, Layout)>,
}

/// The touched files below one folder, and the folders that hold them.
#[derive(Default)]
struct Layout {
    entries: Vec<Entry>,
    by_path: HashMap<String, usize>,
    by_name: HashMap<String, Vec<usize>>,
    by_extension: HashMap<String, Vec<usize>>,
    /// What lies beneath a folder, at any depth.
    beneath: HashMap<String, Vec<usize>>,
    /// The entries of the files, in the order of touch.
    files: Vec<usize>,
}

/// A touched file, or a folder that holds one, relative and folded.
struct Entry {
    path: String,
    /// Where its last name begins.
    name: usize,
    is_folder: bool,
    /// The number of the touched file, or of the first one in the folder.
    order: usize,
    /// Where the folder that holds it stands.
    parent: Option<usize>,
}

impl<'a> Touched<'a> {
    /// Returns the files as they were touched.
    pub fn new(world: &'a World, files: Vec<PathBuf>) -> Self {
        Self { world, files, layouts: Vec::new() }
    }

    /// Returns the files, absolute, in the order of touch.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Returns the number of the first touched file that the patterns, relative to `base`, mean.
    pub fn first_match(&mut self, base: &Path, patterns: &Patterns, meaning: Meaning) -> Option<usize> {
        if self.files.is_empty() {
            return None;
        }
        let place = self.layouts.iter().position(|(folder, _)| folder == base).unwrap_or_else(|| {
            self.layouts.push((base.to_path_buf(), Layout::new(self.world, base, &self.files)));
            self.layouts.len() - 1
        });
        self.layouts[place].1.first_match(patterns, meaning)
    }
}

impl Layout {
    fn new(world: &World, base: &Path, files: &[PathBuf]) -> Self {
        let mut layout = Self::default();
        for (order, file) in files.iter().enumerate() {
            let Some(relative) = world.beneath(base, file) else { continue };
            layout.add(&fold(&relative.to_string_lossy().replace('\\', "/")), order);
        }
        layout
    }

    fn add(&mut self, path: &str, order: usize) {
        let mut parent = None;
        for (end, _) in path.match_indices('/') {
            parent = Some(self.entry(&path[..end], true, order, parent));
        }
        if !path.is_empty() {
            let file = self.entry(path, false, order, parent);
            self.files.push(file);
        }
    }

    fn entry(&mut self, path: &str, is_folder: bool, order: usize, parent: Option<usize>) -> usize {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        let number = self.entries.len();
        let name = path.rsplit('/').next().unwrap_or(path);
        self.by_path.insert(path.to_owned(), number);
        self.by_name.entry(name.to_owned()).or_default().push(number);
        if let Some((_, extension)) = name.rsplit_once('.') {
            self.by_extension.entry(extension.to_owned()).or_default().push(number);
        }
        for (end, _) in path.match_indices('/') {
            self.beneath.entry(path[..end].to_owned()).or_default().push(number);
        }
        self.entries.push(Entry { path: path.to_owned(), name: path.len() - name.len(), is_folder, order, parent });
        number
    }

    fn first_match(&self, patterns: &Patterns, meaning: Meaning) -> Option<usize> {
        if meaning == Meaning::Path || patterns.globs.iter().any(|glob| glob.is_negated) {
            return self.first_not_taken_out(patterns, meaning);
        }
        // Candidates come in the order of touch: the first that is meant decides, and none behind it is looked at.
        let mut first: Option<usize> = None;
        for glob in &patterns.globs {
            let is_before = |number: &usize| first.is_none_or(|first| self.entries[*number].order < first);
            let meant = self.candidates(glob).take_while(is_before).find(|number| self.is_meant(glob, *number));
            first = meant.map(|number| self.entries[number].order).or(first);
        }
        first
    }

    /// The last pattern that means a path decides; in .gitignore's meaning nothing is taken out of a folder that is in.
    fn first_not_taken_out(&self, patterns: &Patterns, meaning: Meaning) -> Option<usize> {
        let mut is_in = vec![false; self.entries.len()];
        for glob in &patterns.globs {
            for number in self.numbers_meant(glob) {
                is_in[number] = !glob.is_negated;
            }
        }
        let mut files = self.files.iter().filter(|file| {
            let folders = std::iter::successors(Some(**file), |number| self.entries[*number].parent);
            if meaning == Meaning::Path { is_in[**file] } else { folders.into_iter().any(|number| is_in[number]) }
        });
        files.next().map(|file| self.entries[*file].order)
    }

    fn numbers_meant<'b>(&'b self, glob: &'b Glob) -> impl Iterator<Item = usize> + 'b {
        self.candidates(glob).filter(|number| self.is_meant(glob, *number))
    }

    fn is_meant(&self, glob: &Glob, number: usize) -> bool {
        let entry = &self.entries[number];
        (entry.is_folder || !glob.only_folders)
            && glob.may_end_with(&entry.path[entry.name..])
            && glob.matches(&entry.path.split('/').collect::<Vec<_>>())
    }

    fn candidates(&self, glob: &Glob) -> Box<dyn Iterator<Item = usize> + '_> {
        let found = match glob.key() {
            Key::Name(name) => self.by_name.get(name),
            Key::Extension(extension) => self.by_extension.get(&extension),
            Key::Beneath(folder) => self.beneath.get(&folder),
            Key::All => return Box::new(0..self.entries.len()),
        };
        Box::new(found.into_iter().flatten().copied())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::patterns::Compiler;
    use mem_store::{Environment, Moment};
    use mem_types::Problems;

    fn first(globs: &[&str], meaning: Meaning, files: &[&str]) -> Option<usize> {
        let world = World::new(Environment::default(), Moment::parse("2026-11-30T12:00:00Z").unwrap());
        let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
        let patterns = Compiler::new(meaning).compile(&globs, "r.md", Path::new("/p"), &mut Problems::default());
        let files = files.iter().map(PathBuf::from).collect();
        Touched::new(&world, files).first_match(Path::new("/p"), &patterns, meaning)
    }

    fn check(globs: &[&str], path: &str, expected: bool) {
        assert_eq!(first(globs, Meaning::Gitignore, &[path]).is_some(), expected, "{globs:?} {path}");
    }

    #[test]
    fn patterns_mean_what_they_mean_in_gitignore() {
        check(&["*.ts"], "/p/src/app/main.ts", true);
        check(&["*.TS"], "/p/src/app/main.ts", true);
        check(&["src"], "/p/src/app/main.ts", true);
        check(&["src/**"], "/p/src/app/main.ts", true);
        check(&["src/**/"], "/p/src/app/main.ts", true);
        check(&["app/*.ts"], "/p/src/app/main.ts", false);
        check(&["/src/**"], "/p/lib/src/main.ts", false);
        check(&["src/*"], "/p/src/app/main.ts", true);
        check(&["**/app/**"], "/p/src/app/main.ts", true);
        check(&["app/"], "/p/src/app/main.ts", true);
        check(&["main.ts/"], "/p/src/app/main.ts", false);
        check(&[".github/**"], "/p/.github/workflows/ci.yml", true);
        check(&["**/*.{ts,tsx}"], "/p/a/b.tsx", true);
        check(&["./src/**"], "/p/src/a.rs", true);
        check(&["*"], "/p/src/a.rs", true);
        check(&["app/\\[id\\]/page.tsx"], "/p/app/[id]/page.tsx", true);
        check(&["*.d.ts"], "/p/src/a.d.ts", true);
    }

    #[test]
    fn a_negation_takes_out_files_but_not_from_a_whole_folder() {
        check(&["**/*.ts", "!**/*.d.ts"], "/p/a.d.ts", false);
        check(&["**/*.ts", "!**/*.d.ts"], "/p/a.ts", true);
        check(&["src/app/*.ts", "!src/app/main.ts"], "/p/src/app/main.ts", false);
        check(&["src/*", "!src/app/main.ts"], "/p/src/app/main.ts", true);
        check(&["!main.ts", "*.ts"], "/p/src/main.ts", true);
        check(&["**/*.ts", "!**/main.ts", "src/app/main.ts"], "/p/src/app/main.ts", true);
        check(&["!src/**"], "/p/src/a.ts", false);
    }

    #[test]
    fn in_the_meaning_of_paths_a_negation_takes_out_from_a_folder_too() {
        let globs = ["src/**", "!src/app/main.ts"];
        assert_eq!(first(&globs, Meaning::Path, &["/p/src/app/main.ts"]), None);
        assert_eq!(first(&globs, Meaning::Path, &["/p/src/app/b.ts"]), Some(0));
        assert_eq!(first(&["src"], Meaning::Path, &["/p/src/app/b.ts"]), None);
    }

    #[test]
    fn files_outside_the_base_are_never_meant() {
        check(&["**/*.ts"], "/q/a.ts", false);
        check(&["../q/**"], "/q/a.ts", false);
        check(&["**/*"], "/p", false);
    }

    #[test]
    fn the_first_file_in_the_order_of_touch_counts() {
        let files = ["/p/x.md", "/p/src/a/b.ts", "/p/src/c.ts"];
        for (globs, expected) in [
            (&["src/c.ts", "*.md"][..], Some(0)),
            (&["src/c.ts", "*.ts"][..], Some(1)),
            (&["src/c.ts"][..], Some(2)),
            (&["src/**", "!src/a/b.ts", "!src/a"][..], Some(2)),
            (&["*.rs"][..], None),
        ] {
            assert_eq!(first(globs, Meaning::Gitignore, &files), expected, "{globs:?}");
        }
    }
}
