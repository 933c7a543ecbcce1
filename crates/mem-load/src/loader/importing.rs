//! What a file imports: each import behind the file that names it, or where it stands, and a word about those that do
//! not come.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mem_store::instructions::agent::Imports;
use mem_store::instructions::{Kind, Place, Skip};
use mem_types::load::{FileState, LoadedFile};
use unicode_normalization::UnicodeNormalization;

use super::order::Way;
use super::{Loader, describe};
use crate::body::{Body, Import};
use crate::inline::Inliner;
use crate::{imports, skips};

impl Loader<'_> {
    pub(super) fn take_imports(&mut self, body: &Body, way: Way, chain: &mut Vec<Place>) {
        let Imports::Behind { hops, .. } = self.agent.imports else { return };
        let Some(importer) = chain.last().cloned() else { return };
        let is_agents_md = importer.kind != Kind::Import && importer.path.ends_with("AGENTS.md");
        if is_agents_md && !self.agent.is_mem() {
            return;
        }
        for import in &body.imports {
            self.take_import(import, &importer, way, hops, chain);
        }
        if body.has_more {
            self.problems
                .warning("too-many-imports", "only the first 2,000 words behind an '@' are looked at")
                .path(importer.path.to_string_lossy());
        }
    }

    fn take_import(&mut self, import: &Import, importer: &Place, way: Way, hops: usize, chain: &mut Vec<Place>) {
        let folder = importer.path.parent().unwrap_or(&importer.path);
        let resolve = |word: &str| self.task.world.resolve(word.trim_end_matches('/'), folder);
        let spellings = import.tries.iter().flat_map(|word| spellings(word, self.agent.is_mem()));
        let Some(path) = spellings.map(|word| resolve(&word)).find(|path| is_there(path)) else {
            return self.tell_missing(import, importer, chain);
        };
        if chain.iter().any(|place| place.path == path) {
            let message = format!("imports lead in a circle: {}; each is loaded once", circle(chain, &path));
            return self.tell("import-cycle", path, import, importer, message);
        }
        let refused = if path.is_dir() {
            Some(("a folder, not a file", "import-folder"))
        } else if import.is_in_html && !self.agent.is_mem() {
            Some(("html-block", "import-in-html"))
        } else if chain.len() > hops {
            Some(("too many hops below the first file", "import-too-deep"))
        } else {
            None
        };
        if let Some((reason, code)) = refused {
            return self.refuse_import(code, reason, path, import, importer, chain);
        }
        let found = self.collector.import(&path, importer, &chain[0]);
        match &found.content {
            Err(Skip::Same(first)) if *first == path => {
                let message = format!("{} is imported again; it is loaded once", path.display());
                self.tell("import-again", path, import, importer, message);
            }
            Err(skip @ (Skip::External | Skip::NotText | Skip::Secret)) => {
                let (code, reason) = (import_code(skip), skips::import(skip));
                self.refuse_import(code, reason, path, import, importer, chain);
            }
            _ => {
                if import.is_in_html {
                    let message =
                        format!("'@{}' stands in a block of HTML, where agents pass it over", import.tries[0]);
                    self.problems
                        .info("import-in-html", message)
                        .path(importer.path.to_string_lossy())
                        .line(import.line)
                        .hint("put a blank line between the tag and the '@'");
                }
                self.take(found, way, chain);
            }
        }
    }

    /// Lists an import that is there and does not come, and tells it as a problem.
    fn refuse_import(
        &mut self,
        code: &'static str,
        reason: &str,
        path: PathBuf,
        import: &Import,
        importer: &Place,
        chain: &[Place],
    ) {
        let place = Place { path: path.clone(), kind: Kind::Import, skip: None, ..importer.clone() };
        let bytes = path.metadata().map_or(0, |metadata| metadata.len());
        let file = LoadedFile { state: FileState::Skipped, reason: reason.into(), bytes, ..describe(&place, chain) };
        self.files.push(file);
        if self.told.insert((code, path.clone())) {
            let message = format!("{} is not imported: {reason}", path.display());
            let problem = self.problems.warning(code, message).path(importer.path.to_string_lossy()).line(import.line);
            if let Some(hint) = hint(code) {
                problem.hint(hint);
            }
        }
    }

    fn tell(&mut self, code: &'static str, path: PathBuf, import: &Import, importer: &Place, message: String) {
        if self.told.insert((code, path)) {
            self.problems.info(code, message).path(importer.path.to_string_lossy()).line(import.line);
        }
    }

    /// A path that leads nowhere is listed; a handle, a decorator or a package name is none.
    fn tell_missing(&mut self, import: &Import, importer: &Place, chain: &[Place]) {
        let Some(word) = import.tries.last() else { return };
        let is_path = imports::looks_like_path(word);
        if !is_path && !word.contains('/') {
            return;
        }
        let folder = importer.path.parent().unwrap_or(&importer.path);
        let path = self.task.world.resolve(word.trim_end_matches('/'), folder);
        // `docs/team` beside a folder `docs` was meant as a path, `scope/pkg` was not.
        let is_path = is_path || path.parent().is_some_and(|parent| parent != folder && parent.is_dir());
        if !self.told.insert(("import-missing", path.clone())) {
            return;
        }
        let (line, by) = (import.line, importer.path.to_string_lossy());
        if !is_path {
            let message = format!("'@{word}' names no file here and is taken for text");
            self.problems.info("import-not-found", message).path(by).line(line);
            return;
        }
        let message = format!("'@{word}' leads to no file: {} is not there", path.display());
        let problem = self.problems.warning("import-missing", message).path(by).line(line);
        problem.hint("mend the path, write a blank in it as '\\ ', or put the word in `backquotes`");
        let place = Place { path, kind: Kind::Import, skip: None, ..importer.clone() };
        let reason = "no such file".into();
        self.files.push(LoadedFile { state: FileState::Skipped, reason, ..describe(&place, chain) });
    }

    /// Puts what is imported into the text itself where the agent does so, and returns the files without their texts.
    pub(super) fn put_in(&mut self, text: &mut String, place: &Place) -> Vec<LoadedFile> {
        let Imports::Inline { hops } = self.agent.imports else { return Vec::new() };
        let collector = &mut self.collector;
        let mut inliner = Inliner { collector, top: place, hops, files: Vec::new(), done: (0, 0) };
        *text = inliner.put_in(text, &place.path, &BTreeSet::from([place.path.clone()]), 0);
        let files = inliner.files.into_iter().map(|(path, bytes)| {
            let place = Place { path, kind: Kind::Import, ..place.clone() };
            LoadedFile { reason: "include".into(), bytes, scope: "always".into(), ..describe(&place, &[]) }
        });
        files.collect()
    }
}

/// Returns the word, and where letters have marks also composed and taken apart, as file names of macOS are.
fn spellings(word: &str, is_friendly: bool) -> Vec<Cow<'_, str>> {
    if word.is_ascii() || !is_friendly {
        return vec![Cow::Borrowed(word)];
    }
    vec![Cow::Borrowed(word), Cow::Owned(word.nfc().collect()), Cow::Owned(word.nfd().collect())]
}

/// A link that leads nowhere or in a circle, and a file that may not be looked at, is there and says so when it is read.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().map_or_else(|error| error.kind() == std::io::ErrorKind::PermissionDenied, |_| true)
}

/// Returns the files of a circle, from the one that is imported again back to itself.
fn circle(chain: &[Place], path: &Path) -> String {
    let members = chain.iter().map(|place| place.path.as_path()).skip_while(|member| *member != path).chain([path]);
    members.map(|member| member.display().to_string()).collect::<Vec<_>>().join(" → ")
}

fn import_code(skip: &Skip) -> &'static str {
    match skip {
        Skip::External => "import-external",
        Skip::Secret => "import-secret",
        _ => "import-not-text",
    }
}

fn hint(code: &str) -> Option<&'static str> {
    match code {
        "import-external" => Some("give --allow-external if you trust this project, or copy the file into it"),
        "import-folder" => Some("name the files in it"),
        "import-in-html" => Some("put a blank line between the tag and the '@'"),
        "import-too-deep" => Some("import the file from one that is nearer to the first"),
        _ => None,
    }
}
