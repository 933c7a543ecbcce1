//! Layer 1: loads the instruction files for a folder, each once, in the order in which they count, and accounts for
//! those that it leaves out.

pub mod args;
mod audit;
mod braces;
mod contradictions;
mod glob;
mod lint;
mod patterns;
mod rule;
mod sections;
mod text;
mod totals;
mod touched;
mod why;

use mem_store::instructions::{Collector, Found, Skip};
use mem_store::{Profile, World, hash};
use mem_types::input::Window;
use mem_types::load::{FileState, InstructionLayer, Load, LoadedFile};
use mem_types::{Answer, Document, Failure, Problems, Severity};

use crate::glob::Meaning;
use crate::lint::ScopedRule;
use crate::patterns::Compiler;
use crate::rule::Scope;
use crate::totals::Limits;
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
        scoped: Vec::new(),
        problems,
    };
    at_start.into_iter().for_each(|found| loader.take(found, "session_start", None));
    for (order, path) in files.iter().enumerate() {
        let below = collector.below(path, &mut loader.problems);
        below.into_iter().for_each(|found| loader.take(found, "nested_traversal", Some(order)));
    }
    let Loader { files: mut loaded, mut late, mut problems, scoped, .. } = loader;
    // What touched files brought comes behind the start, in the order in which they were touched.
    late.sort_by_key(|(order, _)| *order);
    loaded.extend(late.into_iter().map(|(_, file)| file));
    lint::all(&loaded, world, &mut problems);
    if args.check {
        lint::unmatched_rules(&scoped, &root, meaning, world, &mut problems);
    }
    let limits = limits(args, document, &mut problems);
    let mut load = totals::add_up(root.to_string_lossy().into_owned(), loaded, &limits, &mut problems);
    let is_audited = audit::write(args, &load, document, world, &mut problems);
    let entries = problems.into_entries();
    load.why = args.why.as_ref().map(|path| {
        let place = why::Place { cwd: &cwd, config: world.config_dir(), touched: files.len() };
        let asked = world.resolve(&path.to_string_lossy(), &world.environment().started_in);
        why::explain(&asked, &place, &load.files, &entries)
    });
    let found = args.check && entries.iter().any(|problem| problem.severity >= Severity::Warning);
    let mut problems = Problems::new("mem-load");
    problems.extend(entries);
    let answer = Answer::new(load, problems, text::render);
    Ok(Answer { is_undone: !is_audited, has_findings: found, ..answer })
}

fn limits(args: &Args, document: &Document, problems: &mut Problems) -> Limits {
    let window: Window = document.read("window", problems).unwrap_or_default();
    Limits { window: window.context_tokens, percent: args.max_share.into(), layers: args.layer_budget.clone() }
}

struct Loader<'a> {
    touched: Touched<'a>,
    meaning: Meaning,
    compiler: Compiler,
    files: Vec<LoadedFile>,
    /// Files that came by a touch, with the number of the touched file.
    late: Vec<(usize, LoadedFile)>,
    /// Rules with `paths` that are the project's own.
    scoped: Vec<ScopedRule>,
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
        lint::file(&raw, &path, &mut self.problems);
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
        if matches!(found.layer, InstructionLayer::Project | InstructionLayer::Local) {
            self.scoped.push(ScopedRule { path: file.path.clone(), base: found.base.clone(), globs: globs.clone() });
        }
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
        file.sections = sections::of(&text);
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
