//! Takes one file after the other into the answer: its text, when it applies, what it imports, and in which order.

mod importing;
mod order;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mem_store::instructions::agent::Agent;
use mem_store::instructions::{Choices, Collector, Found, Kind, Place, Skip};
use mem_store::{World, front_matter, hash};
use mem_types::Problems;
use mem_types::load::{FileState, InstructionLayer, LoadedFile};

use crate::body::{self, Body};
use crate::earlier::Earlier;
use crate::glob::Meaning;
use crate::lint::{self, ScopedRule};
use crate::patterns::Compiler;
use crate::rule::{self, Role, Scope};
use crate::touched::Touched;
use crate::{sections, skips};
use order::{Rank, Way};

/// What all agents are asked about one document.
pub struct Task<'a> {
    /// The disk.
    pub world: &'a World,
    /// Choices about the walk.
    pub choices: &'a Choices,
    /// What patterns of rules mean.
    pub meaning: Meaning,
    /// The folder of the session.
    pub cwd: &'a Path,
    /// The project's root.
    pub root: &'a Path,
    /// The touched files in order.
    pub touched: &'a [PathBuf],
    /// Why files of the start come: `session_start`, or `compact` after a compaction.
    pub start: &'static str,
    /// What came earlier in the session.
    pub earlier: &'a Earlier,
}

/// What one agent loads.
#[derive(Default)]
pub struct Loaded {
    /// All files, each path once, in load order.
    pub files: Vec<LoadedFile>,
    /// The paths of those that touched files brought.
    pub brought: Vec<String>,
    /// Rules with `paths` that are the project's own.
    pub scoped: Vec<ScopedRule>,
}

/// Loads what `agent` loads.
pub fn load(task: &Task<'_>, agent: &'static Agent, problems: &mut Problems) -> Loaded {
    let collector = Collector::new(task.world, agent, task.choices, (task.cwd, task.root), problems);
    let touched = task.touched.iter().filter(|path| collector.notices(path)).cloned().collect();
    let mut loader = Loader {
        task,
        agent,
        touched: Touched::new(task.world, touched),
        compiler: Compiler::new(task.meaning),
        collector,
        files: Vec::new(),
        late: Vec::new(),
        scoped: Vec::new(),
        rules: Vec::new(),
        told: BTreeSet::new(),
        bytes_left: agent.most_bytes,
        problems: problems.fresh(),
    };
    loader.run();
    problems.extend(loader.problems.into_entries());
    Loaded { scoped: loader.rules, ..order::finish(loader.files, loader.late) }
}

/// A rule with patterns, whose imports come with it.
struct Scoped {
    place: Place,
    body: Body,
    way: Way,
}

struct Loader<'a> {
    task: &'a Task<'a>,
    agent: &'static Agent,
    collector: Collector<'a>,
    touched: Touched<'a>,
    compiler: Compiler,
    files: Vec<LoadedFile>,
    /// Files that came by a touch.
    late: Vec<(Rank, LoadedFile)>,
    /// Rules whose imports are taken once everything else is there.
    scoped: Vec<Scoped>,
    rules: Vec<ScopedRule>,
    /// What was told of imports, so that it is told once.
    told: BTreeSet<(&'static str, PathBuf)>,
    bytes_left: Option<usize>,
    problems: Problems,
}

impl Loader<'_> {
    fn run(&mut self) {
        let start = Way { reason: self.task.start, rank: None, waits: false };
        for place in self.collector.at_start(&mut self.problems) {
            self.take_place(place, start);
        }
        for place in self.collector.agents_at_start() {
            self.take_place(place, start);
        }
        let files = self.touched.files().to_vec();
        for (order, path) in files.iter().enumerate() {
            let folders = self.collector.below(path, &mut self.problems);
            for (folder, places) in folders.into_iter().enumerate() {
                let way = Way { reason: "nested_traversal", rank: Some((order, 1, folder, false)), waits: false };
                places.into_iter().for_each(|place| self.take_place(place, way));
            }
        }
        // Rules that wait hold nothing back from those that do not.
        let (waiting, active): (Vec<Scoped>, Vec<Scoped>) =
            std::mem::take(&mut self.scoped).into_iter().partition(|scoped| scoped.way.waits);
        for scoped in active.into_iter().chain(waiting) {
            self.take_imports(&scoped.body, scoped.way, &mut vec![scoped.place]);
        }
    }

    fn take_place(&mut self, place: Place, way: Way) {
        if let Some(found) = self.collector.read(place) {
            self.take(found, way, &mut Vec::new());
        }
    }

    /// Takes a file; `chain` are the files that lead to it by imports.
    fn take(&mut self, found: Found, way: Way, chain: &mut Vec<Place>) {
        let content = match &found.content {
            Ok(content) => content,
            Err(skip) => return self.skip(&found.place, skip, chain),
        };
        let path = found.place.path.to_string_lossy().into_owned();
        let mut file = LoadedFile { bytes: content.metadata.len(), ..describe(&found.place, chain) };
        if way.rank.is_some() && self.task.earlier.has(&path) {
            file.state = FileState::Skipped;
            file.reason = "loaded earlier in this session".into();
            return self.push(file, way);
        }
        let mut raw = String::from_utf8_lossy(&content.bytes);
        if matches!(raw, Cow::Owned(_)) {
            self.problems.info("not-utf8", "bytes that are not UTF-8 are shown as U+FFFD").path(path.clone());
        }
        if self.agent.is_mem() {
            raw = front_matter::with_line_feeds(raw);
            lint::file(&raw, &path, &mut self.problems);
        }
        let role = match found.place.kind {
            Kind::Rule if self.agent.is_mem() => Role::Rule,
            Kind::Rule => Role::ClientRule,
            Kind::Instructions | Kind::Import => Role::Text,
        };
        let parsed = if self.agent.text.front_matter {
            rule::parse(&raw, role, &path, &mut self.problems)
        } else {
            rule::Parsed { text: raw.trim().to_owned(), scope: Scope::Always }
        };
        let mut body = body::of(self.agent, &raw, &parsed.text);
        if body.text.is_empty() {
            file.state = FileState::Skipped;
            file.reason = "empty".into();
            return self.push(file, way);
        }
        file.sha256 = hash::sha256(&content.bytes);
        let inlined = self.put_in(&mut body.text, &found.place);
        self.cut(&mut body.text, &file);
        if body.text.is_empty() {
            file.state = FileState::Skipped;
            file.reason = "behind the bytes that the agent takes".into();
            return self.push(file, way);
        }
        match parsed.scope {
            Scope::Always => {
                self.push_active(file, way, body.text.clone());
                inlined.into_iter().for_each(|file| self.push(file, way));
                chain.push(found.place);
                self.take_imports(&body, way, chain);
                chain.pop();
            }
            Scope::Paths(globs) => self.take_scoped(file, found.place, globs, body, way),
        }
    }

    /// A rule with `paths` comes with the first touched file that matches, and waits until then.
    fn take_scoped(&mut self, mut file: LoadedFile, place: Place, globs: Vec<String>, body: Body, way: Way) {
        let patterns = self.compiler.compile(&globs, &file.path, &place.base, &mut self.problems);
        let matched = self.touched.first_match(&place.base, &patterns, self.task.meaning);
        if matches!(place.layer, InstructionLayer::Project | InstructionLayer::Local) {
            let (path, base) = (file.path.clone(), place.base.clone());
            self.rules.push(ScopedRule { path, base, globs: globs.clone() });
        }
        file.scope = "paths".into();
        file.globs = globs;
        let phase = match (way.rank, place.layer) {
            (Some((_, phase, folder, _)), _) => (phase, folder),
            (None, InstructionLayer::User | InstructionLayer::Managed | InstructionLayer::Team) => (0, 0),
            (None, _) => (2, 0),
        };
        let scoped_way = match matched {
            Some(order) => {
                let way = Way { reason: "path_glob_match", rank: Some((order, phase.0, phase.1, true)), waits: false };
                if self.task.earlier.has(&file.path) {
                    file.state = FileState::Skipped;
                    file.reason = "loaded earlier in this session".into();
                    return self.push(file, way);
                }
                self.push_active(file, way, body.text.clone());
                way
            }
            None => {
                file.state = FileState::Waiting;
                file.reason = "no touched file matches its paths".into();
                file.tokens = mem_text::tokens::estimate(&body.text);
                self.files.push(file);
                Way { waits: true, ..way }
            }
        };
        if self.agent.trust.waiting_imports {
            // The client takes them where the rule would stand, whether it waits or not.
            self.take_imports(&body, way, &mut vec![place]);
        } else if !body.imports.is_empty() {
            self.scoped.push(Scoped { place, body, way: scoped_way });
        }
    }

    fn push_active(&mut self, mut file: LoadedFile, way: Way, text: String) {
        file.tokens = mem_text::tokens::estimate(&text);
        file.reason = if file.kind == "import" { "include" } else { way.reason }.into();
        if way.waits {
            file.state = FileState::Waiting;
            file.reason = "imported by a rule that waits".into();
        } else {
            file.sections = sections::of(&text);
            file.text = Some(text);
        }
        if let Some((order, ..)) = way.rank {
            file.matched_by = Some(self.touched.files()[order].to_string_lossy().into_owned());
        }
        if file.scope.is_empty() {
            file.scope = if way.rank.is_some() { "folder" } else { "always" }.into();
        }
        self.push(file, way);
    }

    fn push(&mut self, file: LoadedFile, way: Way) {
        match way.rank {
            Some(rank) => self.late.push((rank, file)),
            None => self.files.push(file),
        }
    }

    /// Some agents give project files a bound in common, and cut without a word.
    fn cut(&mut self, text: &mut String, file: &LoadedFile) {
        let Some(left) = self.bytes_left.as_mut().filter(|_| file.layer == InstructionLayer::Project) else { return };
        if text.len() > *left {
            let lost = text.len() - *left;
            let mut end = *left;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            let message = format!(
                "the agent cuts its project files at {} bytes in all: {lost} are lost here",
                self.agent.most_bytes.unwrap_or_default()
            );
            self.problems.warning("cut-by-agent", message).path(&file.path);
        }
        *left -= text.len();
    }

    fn skip(&mut self, place: &Place, skip: &Skip, chain: &[Place]) {
        // Listed already, as an import of a file before it.
        if matches!(skip, Skip::Same(first) if *first == place.path) {
            return;
        }
        let path = place.path.to_string_lossy();
        // One word about the switch is enough.
        let is_told = *skip == Skip::AddedFolder && !self.told.insert(("added-folder-not-read", PathBuf::new()));
        let problems = if is_told { &mut Problems::default() } else { &mut self.problems };
        let reason = skips::tell(skip, &path, problems);
        let bytes = place.path.metadata().map_or(0, |metadata| metadata.len());
        let file = LoadedFile { state: FileState::Skipped, reason, bytes, ..describe(place, chain) };
        self.files.push(file);
    }
}

fn describe(place: &Place, chain: &[Place]) -> LoadedFile {
    let kind = match place.kind {
        Kind::Instructions => "instructions",
        Kind::Rule => "rule",
        Kind::Import => "import",
    };
    let parent = chain.last().filter(|_| place.kind == Kind::Import);
    LoadedFile {
        path: place.path.to_string_lossy().into_owned(),
        layer: place.layer,
        priority: place.layer.priority(),
        kind: kind.into(),
        parent: parent.map(|parent| parent.path.to_string_lossy().into_owned()),
        depth: parent.map(|_| chain.len() as u64),
        ..LoadedFile::default()
    }
}
