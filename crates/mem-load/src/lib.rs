//! Layer 1: loads the instruction files for a folder, each once, in the order in which they count, and accounts for
//! those that it leaves out.

pub mod args;
mod braces;
mod glob;
mod patterns;
mod rule;
mod text;
mod touched;

use mem_store::instructions::{Collector, Found, Skip};
use mem_store::{Profile, World, hash};
use mem_types::load::{FileState, Load, LoadedFile};
use mem_types::{Answer, Document, Failure, Problems};

use crate::glob::Meaning;
use crate::patterns::Compiler;
use crate::rule::Scope;
use crate::touched::Touched;

pub use args::Args;

/// Returns the instruction files for the document's `cwd` and its touched files.
///
/// # Errors
/// None today: a folder without instructions is an answer, too.
pub fn run(args: &Args, document: &Document, world: &World) -> Result<Answer<Load>, Failure> {
    let mut problems = Problems::new("mem-load");
    let cwd = world.cwd_here(document, &mut problems);
    let root = world.project_root(document, &mut problems);
    if !cwd.is_dir() {
        problems.warning("no-such-folder", "'cwd' is no folder on this machine").path(cwd.to_string_lossy());
    }
    if world.config_dir().is_none() {
        problems
            .warning("no-home", "HOME is not set, so the user's own instructions cannot be found")
            .hint("set HOME or CLAUDE_CONFIG_DIR");
    }
    let files = world.touched_files(document, &mut problems);
    let mut collector = Collector::new(world, &cwd, &root);
    let at_start = collector.at_start(&mut problems);
    let meaning = if world.profile() == Profile::ClaudeCode { Meaning::Client } else { args.glob.into() };
    let mut loader = Loader {
        touched: Touched::new(world, files.clone()),
        meaning,
        compiler: Compiler::new(meaning),
        files: Vec::new(),
        late: Vec::new(),
        problems,
    };
    at_start.into_iter().for_each(|found| loader.take(found, "session_start", None));
    for (order, path) in files.iter().enumerate() {
        let below = collector.below(path, &mut loader.problems);
        below.into_iter().for_each(|found| loader.take(found, "nested_traversal", Some(order)));
    }
    let Loader { mut files, mut late, problems, .. } = loader;
    // What touched files brought comes behind the start, in the order in which they were touched.
    late.sort_by_key(|(order, _)| *order);
    files.extend(late.into_iter().map(|(_, file)| file));
    Ok(Answer::new(total(root.to_string_lossy().into_owned(), files), problems, text::render))
}

struct Loader<'a> {
    touched: Touched<'a>,
    meaning: Meaning,
    compiler: Compiler,
    files: Vec<LoadedFile>,
    /// Files that came by a touch, with the number of the touched file.
    late: Vec<(usize, LoadedFile)>,
    problems: Problems,
}

impl Loader<'_> {
    fn take(&mut self, found: Found, reason: &str, brought_by: Option<usize>) {
        let content = match &found.content {
            Ok(content) => content,
            Err(skip) => return self.skip(&found, skip),
        };
        let raw = String::from_utf8_lossy(&content.bytes);
        let path = found.path.to_string_lossy();
        if matches!(raw, std::borrow::Cow::Owned(_)) {
            self.problems.info("not-utf8", "bytes that are not UTF-8 are shown as U+FFFD").path(path.clone());
        }
        let parsed = rule::parse(&raw, found.is_rule, &path, &mut self.problems);
        if parsed.text.is_empty() {
            let file = LoadedFile { state: FileState::Skipped, reason: "empty".into(), ..describe(&found) };
            return self.push(file, brought_by);
        }
        let mut file = LoadedFile {
            bytes: content.metadata.len(),
            sha256: hash::sha256(&content.bytes),
            reason: reason.into(),
            matched_by: brought_by.map(|order| self.touched_path(order)),
            ..describe(&found)
        };
        match parsed.scope {
            Scope::Always => {
                file.scope = if brought_by.is_some() { "folder" } else { "always" }.into();
                self.activate(&mut file, parsed.text);
                self.push(file, brought_by);
            }
            Scope::Paths(globs) => self.take_scoped(file, &found, globs, parsed.text),
        }
    }

    /// A rule with `paths` comes with the first touched file that matches, and waits until then.
    fn take_scoped(&mut self, mut file: LoadedFile, found: &Found, globs: Vec<String>, text: String) {
        let patterns = self.compiler.compile(&globs, &file.path, &mut self.problems);
        let matched = self.touched.first_match(&found.base, &patterns, self.meaning);
        file.scope = "paths".into();
        file.globs = globs;
        match matched {
            Some(order) => {
                file.reason = "path_glob_match".into();
                file.matched_by = Some(self.touched_path(order));
                self.activate(&mut file, text);
                self.late.push((order, file));
            }
            None => {
                file.state = FileState::Waiting;
                file.reason = "no touched file matches its paths".into();
                file.matched_by = None;
                file.tokens = mem_text::tokens::estimate(&text);
                self.files.push(file);
            }
        }
    }

    fn activate(&self, file: &mut LoadedFile, text: String) {
        file.tokens = mem_text::tokens::estimate(&text);
        file.text = Some(text);
    }

    fn push(&mut self, file: LoadedFile, brought_by: Option<usize>) {
        match brought_by {
            Some(order) => self.late.push((order, file)),
            None => self.files.push(file),
        }
    }

    fn touched_path(&self, order: usize) -> String {
        self.touched.files()[order].to_string_lossy().into_owned()
    }

    /// Lists what is left out; what its author does not expect is a problem besides.
    fn skip(&mut self, found: &Found, skip: &Skip) {
        let path = found.path.to_string_lossy().into_owned();
        let reason = match skip {
            Skip::Same(first) => format!("the same file as {}", first.display()),
            Skip::MainCheckout => "of the main checkout; this worktree has its own".into(),
            Skip::Unreadable(reason) => {
                self.problems.warning("unreadable-file", format!("cannot be loaded: {reason}")).path(&path);
                reason.clone()
            }
            Skip::TooLarge(bytes) => {
                let limit = mem_store::instructions::MAX_BYTES;
                self.problems
                    .warning("file-too-large", format!("{bytes} bytes are over the limit of {limit}"))
                    .path(&path)
                    .hint("split it");
                format!("{bytes} bytes, over the limit of {limit}")
            }
            Skip::LinkOutside => {
                self.problems.warning("link-outside", "a rule that links out of the project is not loaded").path(&path);
                "links out of the project".into()
            }
        };
        self.files.push(LoadedFile { state: FileState::Skipped, reason, ..describe(found) });
    }
}

fn describe(found: &Found) -> LoadedFile {
    LoadedFile {
        path: found.path.to_string_lossy().into_owned(),
        layer: found.layer,
        priority: found.layer.priority(),
        kind: if found.is_rule { "rule" } else { "instructions" }.into(),
        scope: "always".into(),
        bytes: found.content.as_ref().map_or(0, |content| content.metadata.len()),
        ..LoadedFile::default()
    }
}

/// Adds up tokens and shares, and hashes what is active.
fn total(root: String, mut files: Vec<LoadedFile>) -> Load {
    let active = |file: &&LoadedFile| file.state == FileState::Active;
    let tokens: u64 = files.iter().filter(active).map(|file| file.tokens).sum();
    let parts =
        files.iter().filter(active).flat_map(|file| [file.path.as_str(), file.text.as_deref().unwrap_or_default()]);
    let version = hash::sha256_of_parts(parts);
    for file in files.iter_mut().filter(|file| file.state == FileState::Active) {
        file.share = share(file.tokens, tokens);
    }
    Load { root, version, files, tokens }
}

/// Returns a part of a whole, to three digits.
fn share(part: u64, whole: u64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
    let ratio = if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    (ratio * 1000.0).round() / 1000.0
}
