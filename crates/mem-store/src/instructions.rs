//! Instruction files: which ones there are for a folder, from the lowest weight to the highest.
//!
//! Finds and reads; what a file's front matter and its imports mean is mem-load's business. Which files count, and in
//! which order, is data ([`Agent`]); rules are sorted by name for every agent.

pub mod agent;
mod client;
mod reading;
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use mem_types::Problems;
use mem_types::load::InstructionLayer;

use crate::front_matter;
use crate::git::{self, GitPlace};
use crate::real::RealPaths;
use crate::world::World;

pub use agent::Agent;
pub use client::InstructionFiles;
pub use reading::{Found, MAX_BYTES, Skip};

use agent::{AgentsMd, Begins, Border, Order, Part, Parts, Root, Takes};
use client::ClientSettings;
use rules::Rules;

/// Returns the files that count from the start as mem reads them, without what they import: for commands that stand in
/// a pipe without mem-load, or look at the disk once more.
#[must_use]
pub fn read_at_start(world: &World, cwd: &Path, project_root: &Path) -> Vec<Found> {
    let (choices, problems) = (Choices::default(), &mut Problems::default());
    let mut collector = Collector::new(world, &agent::MEM, &choices, (cwd, project_root), problems);
    let places = collector.at_start(problems);
    let mut found: Vec<Found> = places.into_iter().filter_map(|place| collector.read(place)).collect();
    let places = collector.agents_at_start();
    found.extend(places.into_iter().filter_map(|place| collector.read(place)));
    found
}

/// Returns the texts of the files that count from the start, without front matter.
#[must_use]
pub fn texts_at_start(world: &World, cwd: &Path, project_root: &Path) -> Vec<String> {
    let contents = read_at_start(world, cwd, project_root).into_iter().filter_map(|found| found.content.ok());
    let text = |bytes: &[u8]| {
        let text = front_matter::with_line_feeds(String::from_utf8_lossy(bytes));
        front_matter::of_instructions(&text).body.to_owned()
    };
    contents.map(|content| text(&content.bytes)).collect()
}

/// What a caller may choose about the walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices {
    /// Further folders whose files count, behind those of `cwd`.
    pub added: Vec<PathBuf>,
    /// Names of further files in each folder, behind the agent's own.
    pub file_names: Vec<String>,
    /// When AGENTS.md counts, whatever the settings say.
    pub instruction_files: Option<InstructionFiles>,
    /// Whether imports and links may leave the project.
    pub allow_external: bool,
    /// The team's file, behind those of the organisation.
    pub team: Option<PathBuf>,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A CLAUDE.md or the like.
    Instructions,
    /// A file in a folder of rules.
    Rule,
    /// A file that another one imports.
    Import,
}

/// Where an instruction file may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Absolute, as reached.
    pub path: PathBuf,
    /// Whose words it holds.
    pub layer: InstructionLayer,
    /// What it is.
    pub kind: Kind,
    /// The folder to which the patterns of a rule are relative.
    pub base: PathBuf,
    /// Why it is left out if it is there, when that is known beforehand.
    pub skip: Option<Skip>,
}

/// Collects files for one document and one agent: no file comes twice, by whatever name.
pub struct Collector<'a> {
    world: &'a World,
    agent: &'static Agent,
    choices: &'a Choices,
    client: ClientSettings,
    cwd: PathBuf,
    project_root: PathBuf,
    /// Real files that came, by device and number.
    seen: BTreeMap<(u64, u64), PathBuf>,
    entered: BTreeSet<PathBuf>,
    /// Folders of rules that were listed, by their real paths: each once, whatever links lead there.
    listed: BTreeSet<PathBuf>,
    /// The work tree that holds `cwd`.
    git: Option<GitPlace>,
    roots: git::Roots,
    real: RealPaths,
    /// Whether the project or its user has a CLAUDE.md or the like, so that AGENTS.md may not count.
    has_own: bool,
    approves_external: Option<bool>,
}

impl<'a> Collector<'a> {
    /// Returns a collector for a session of `agent` in `cwd`.
    #[must_use]
    pub fn new(
        world: &'a World,
        agent: &'static Agent,
        choices: &'a Choices,
        (cwd, project_root): (&Path, &Path),
        problems: &mut Problems,
    ) -> Self {
        // The client looks at the settings beside cwd; a project's own lie at its root.
        let folders = if agent.is_mem() && cwd != project_root { vec![project_root, cwd] } else { vec![cwd] };
        let client = if agent.is_of_claude() {
            ClientSettings::read(world, &folders, problems)
        } else {
            ClientSettings::default()
        };
        let mut roots = git::Roots::default();
        Self {
            world,
            agent,
            choices,
            client,
            cwd: cwd.to_path_buf(),
            project_root: project_root.to_path_buf(),
            seen: BTreeMap::new(),
            entered: BTreeSet::new(),
            listed: BTreeSet::new(),
            git: roots.of(cwd).map(|root| git::at(&root)),
            roots,
            real: RealPaths::default(),
            has_own: false,
            approves_external: None,
        }
    }

    /// Returns the agent whose files are collected.
    #[must_use]
    pub fn agent(&self) -> &'static Agent {
        self.agent
    }

    /// Returns the files that count from the start, in order: managed, user, and each folder on the way to `cwd`.
    pub fn at_start(&mut self, problems: &mut Problems) -> Vec<Place> {
        let mut places = self.of_organisation(problems);
        if self.mode() == InstructionFiles::ManagedOnly {
            return places;
        }
        places.extend(self.of_user(problems));
        let way = self.way();
        let checkout = self.git.clone().filter(|place| self.agent.is_of_claude() && is_linked(place));
        let agent = self.agent;
        let names = self.names_that_count(&way);
        for folder in &way {
            let is_main_checkout = checkout.as_ref().is_some_and(|place| self.is_of_main_checkout(folder, place));
            let mut of_folder = self.of_folder(folder, &agent.folder, &names, problems);
            if self.mode() == InstructionFiles::ClaudeAndAgents {
                of_folder.extend(self.agents_of(folder));
            }
            // The worktree has these files itself; they may come again from there.
            for place in of_folder.iter_mut().filter(|place| is_main_checkout && place.layer != InstructionLayer::Local)
            {
                place.skip.get_or_insert(Skip::MainCheckout);
            }
            places.extend(of_folder);
        }
        places.extend(self.of_added_folders(problems));
        places
    }

    /// Whether a folder above a worktree is of the checkout that the worktree belongs to, by whatever links they are reached.
    fn is_of_main_checkout(&mut self, folder: &Path, worktree: &GitPlace) -> bool {
        let is_above = worktree.root.starts_with(folder) && *folder != worktree.root;
        is_above
            && match (self.real.of(folder), self.real.of(&worktree.main_root)) {
                (Some(folder), Some(main)) => folder.starts_with(main),
                _ => false,
            }
    }

    /// Returns the AGENTS.md that count once the files of the start are read, or that do not, with the reason.
    pub fn agents_at_start(&mut self) -> Vec<Place> {
        let way = self.way();
        let skip = match self.mode() {
            _ if self.agent.agents_md == AgentsMd::Never => return Vec::new(),
            InstructionFiles::ClaudeAndAgents => return Vec::new(),
            InstructionFiles::ClaudeOrAgents if !self.has_own => None,
            InstructionFiles::ClaudeOrAgents => Some(Skip::ClaudeMdThere),
            InstructionFiles::Claude | InstructionFiles::ManagedOnly => Some(Skip::SwitchedOff),
        };
        let places = way.iter().flat_map(|folder| self.agents_of(folder));
        places.map(|place| Place { skip: skip.clone(), ..place }).collect()
    }

    /// Returns what the folders below `cwd` bring, down to the one that holds `touched`.
    pub fn below(&mut self, touched: &Path, problems: &mut Problems) -> Vec<Vec<Place>> {
        let Some(parent) = touched.parent().filter(|parent| parent.starts_with(&self.cwd)) else { return Vec::new() };
        if self.mode() == InstructionFiles::ManagedOnly || self.agent.below.parts.is_empty() {
            return Vec::new();
        }
        let mut folders: Vec<PathBuf> =
            parent.ancestors().take_while(|folder| **folder != self.cwd).map(Path::to_path_buf).collect();
        if self.agent.order == Order::OuterFirst {
            folders.reverse();
        }
        let agent = self.agent;
        let mut found = Vec::new();
        for folder in folders {
            if !self.entered.insert(folder.clone()) {
                continue;
            }
            let mut places = self.of_folder(&folder, &agent.below, &[], problems);
            if agent.agents_md == AgentsMd::Everywhere {
                places.extend(self.agents_below(&folder, &places));
            }
            // A tool that reads the very file has its text already.
            places.retain(|place| place.path != touched);
            found.push(places);
        }
        found
    }

    /// Whether the agent takes notice when this file is touched.
    #[must_use]
    pub fn notices(&self, touched: &Path) -> bool {
        self.agent.trust.touches_outside || touched.starts_with(&self.cwd)
    }

    fn mode(&self) -> InstructionFiles {
        if self.agent.agents_md == AgentsMd::Never {
            return InstructionFiles::Claude;
        }
        self.choices.instruction_files.or(self.client.instruction_files).unwrap_or_default()
    }

    fn of_organisation(&mut self, problems: &mut Problems) -> Vec<Place> {
        let folder = self.world.environment().managed_dir.clone().filter(|_| self.agent.has_managed);
        let team = self.choices.team.as_ref().filter(|_| self.agent.is_mem());
        let team = team.map(|file| place(file.clone(), InstructionLayer::Team, &self.project_root));
        let Some(folder) = folder else { return team.into_iter().collect() };
        let layer = InstructionLayer::Managed;
        let mut places = vec![place(folder.join("CLAUDE.md"), layer, &folder)];
        if let Some((file, _)) = &self.client.managed_text {
            places.push(place(file.clone(), layer, &folder));
        }
        // As for the user's rules, paths are those of the project; the organisation's folder has none of its files.
        let base = self.border(self.agent.trust.user_rules).to_path_buf();
        let rules = Rules { layer, base: &base, may_leave: true };
        places.extend(self.rules(&folder.join(".claude/rules"), rules, problems));
        places.extend(self.rules(&folder.join("rules"), rules, problems));
        places.extend(team);
        places
    }

    fn of_user(&mut self, problems: &mut Problems) -> Vec<Place> {
        let agent = self.agent;
        let base = self.border(agent.trust.user_rules).to_path_buf();
        let mut places = Vec::new();
        for (root, part) in agent.user.parts {
            let Some(folder) = self.root(*root) else { continue };
            match part {
                Part::File(name, layer) => places.push(place(folder.join(name), *layer, &base)),
                Part::Rules(name) => {
                    let rules = Rules { layer: InstructionLayer::User, base: &base, may_leave: true };
                    places.extend(self.rules(&folder.join(name), rules, problems));
                }
            }
        }
        if agent.user.takes != Takes::All {
            keep_first(&mut places);
        }
        places
    }

    fn root(&self, root: Root) -> Option<PathBuf> {
        let environment = self.world.environment();
        let home = environment.home.as_ref();
        match root {
            Root::Claude => self.world.config_dir(),
            Root::Gemini => home.map(|home| home.join(".gemini")),
            Root::Codex => environment.codex_home.clone().or_else(|| home.map(|home| home.join(".codex"))),
            Root::Opencode => {
                let config = environment.xdg_config_home.clone().or_else(|| home.map(|home| home.join(".config")));
                config.map(|config| config.join("opencode"))
            }
        }
    }

    /// Returns the folders on the way to `cwd` in the agent's order.
    fn way(&self) -> Vec<PathBuf> {
        let git_root = self.git.as_ref().map(|place| place.root.clone());
        let begins = match self.agent.begins {
            Begins::Root => None,
            Begins::GitRoot => Some(git_root.unwrap_or_else(|| self.cwd.clone())),
            Begins::GitRootOrRoot => git_root,
        };
        let is_inside = |folder: &&Path| begins.as_ref().is_none_or(|begins| folder.starts_with(begins));
        let mut way: Vec<PathBuf> = self.cwd.ancestors().filter(is_inside).map(Path::to_path_buf).collect();
        if self.agent.order == Order::OuterFirst {
            way.reverse();
        }
        way
    }

    /// Returns the names that count on the whole way, for an agent that takes one name only; none for any other.
    fn names_that_count(&self, way: &[PathBuf]) -> Vec<&'static str> {
        if self.agent.folder.takes != Takes::FirstName {
            return Vec::new();
        }
        let names = self.agent.folder.parts.iter().filter_map(|part| match part {
            Part::File(name, _) => Some(*name),
            Part::Rules(_) => None,
        });
        names.into_iter().find(|name| way.iter().any(|folder| folder.join(name).is_file())).into_iter().collect()
    }

    fn of_folder(
        &mut self,
        folder: &Path,
        parts: &'static Parts<Part>,
        only: &[&str],
        problems: &mut Problems,
    ) -> Vec<Place> {
        let mut places = Vec::new();
        for part in parts.parts {
            match part {
                Part::File(name, layer) => {
                    let mut place = place(folder.join(name), *layer, folder);
                    if parts.takes == Takes::FirstName && !only.contains(name) {
                        place.skip = Some(Skip::OtherName);
                    }
                    places.push(place);
                }
                Part::Rules(name) => {
                    let rules = Rules { layer: InstructionLayer::Project, base: folder, may_leave: false };
                    places.extend(self.rules(&folder.join(name), rules, problems));
                }
            }
        }
        if parts.takes == Takes::FirstOfFolder {
            keep_first(&mut places);
        }
        let names = self.choices.file_names.iter();
        places.extend(names.map(|name| place(folder.join(name), InstructionLayer::Project, folder)));
        places
    }

    fn agents_of(&self, folder: &Path) -> Vec<Place> {
        let names = ["AGENTS.md", ".claude/AGENTS.md"];
        names.into_iter().map(|name| place(folder.join(name), InstructionLayer::Project, folder)).collect()
    }

    fn agents_below(&self, folder: &Path, own: &[Place]) -> Vec<Place> {
        let has_own = own.iter().any(|place| place.kind == Kind::Instructions && place.path.is_file());
        let skip = match self.mode() {
            InstructionFiles::ClaudeAndAgents => None,
            InstructionFiles::ClaudeOrAgents if !has_own => None,
            InstructionFiles::ClaudeOrAgents => Some(Skip::ClaudeMdThere),
            InstructionFiles::Claude | InstructionFiles::ManagedOnly => Some(Skip::SwitchedOff),
        };
        self.agents_of(folder).into_iter().map(|place| Place { skip: skip.clone(), ..place }).collect()
    }

    /// Folders that are added count only with the agent's switch.
    fn of_added_folders(&mut self, problems: &mut Problems) -> Vec<Place> {
        if !self.agent.is_of_claude() {
            return Vec::new();
        }
        let agent = self.agent;
        let is_on = self.world.environment().loads_added_folders;
        let mut places = Vec::new();
        for folder in &self.choices.added {
            let folder = git::tidy(&self.cwd.join(self.world.expand_home(&folder.to_string_lossy())));
            let mut of_folder = self.of_folder(&folder, &agent.folder, &[], problems);
            if !is_on {
                of_folder.iter_mut().for_each(|place| place.skip = Some(Skip::AddedFolder));
            }
            places.extend(of_folder);
        }
        places
    }

    fn border(&self, border: Border) -> &Path {
        match border {
            Border::Project => &self.project_root,
            Border::Cwd => &self.cwd,
        }
    }

    /// Whether `path` leads out of the project that holds `base`; a link that leads nowhere is told when it is read.
    fn is_outside_project_of(&mut self, base: &Path, path: &Path) -> bool {
        let project = self.roots.of(base).unwrap_or_else(|| base.to_path_buf());
        match (self.real.of(path), self.real.of(&project)) {
            (Some(target), Some(project)) => !target.starts_with(project),
            _ => false,
        }
    }
}

fn place(path: PathBuf, layer: InstructionLayer, base: &Path) -> Place {
    Place { path, layer, kind: Kind::Instructions, base: base.to_path_buf(), skip: None }
}

/// Leaves out all but the first that is there.
fn keep_first(places: &mut [Place]) {
    let mut was_there = false;
    for place in places {
        if was_there {
            place.skip = Some(Skip::OtherName);
        }
        was_there |= place.path.is_file();
    }
}

/// Whether this is a worktree that has a checkout of its own elsewhere. The folder around a bare repository holds
/// worktrees but is none: its files count.
fn is_linked(place: &GitPlace) -> bool {
    place.main_root != place.root && git::has_checkout(&place.main_root)
}
