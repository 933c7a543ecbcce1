//! Instruction files: which ones there are for a folder, from the lowest weight to the highest.
//!
//! Finds and reads; what a file's front matter means is mem-load's business. The order is DESIGN section 5's, which
//! is what a real client does (facts.md, Part A, section 2), but that rules are sorted by name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use mem_types::Problems;
use mem_types::load::InstructionLayer;

use crate::git;
use crate::open::{self, Content};
use crate::world::World;

/// A larger file is skipped, as the client does: facts.md, Part B, section 1.1.
pub const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Most folders of rules below each other.
const MAX_RULE_DEPTH: usize = 32;

/// One instruction file.
#[derive(Debug)]
pub struct Found {
    /// Absolute, as reached.
    pub path: PathBuf,
    /// Whose words it holds.
    pub layer: InstructionLayer,
    /// Whether it lies in a folder of rules.
    pub is_rule: bool,
    /// The folder to which the patterns of a rule are relative.
    pub base: PathBuf,
    /// Its bytes, or why it is left out.
    pub content: Result<Content, Skip>,
}

/// Why a file is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// It cannot be read, for this reason.
    Unreadable(String),
    /// It has so many bytes, more than [`MAX_BYTES`].
    TooLarge(u64),
    /// It is the same file as this one, which came earlier.
    Same(PathBuf),
    /// It belongs to the main checkout, of which this project is a worktree.
    MainCheckout,
    /// It is a rule that links out of the project.
    LinkOutside,
}

/// Collects files for one document: no file comes twice, by whatever name.
pub struct Collector<'a> {
    world: &'a World,
    cwd: PathBuf,
    project_root: PathBuf,
    /// Real files that came, by device and number.
    seen: BTreeMap<(u64, u64), PathBuf>,
    entered: BTreeSet<PathBuf>,
    /// Folders of rules that were listed, by their real paths: each once, whatever links lead there.
    listed: BTreeSet<PathBuf>,
    found: Vec<Found>,
}

impl<'a> Collector<'a> {
    /// Returns a collector for a session in `cwd`.
    #[must_use]
    pub fn new(world: &'a World, cwd: &Path, project_root: &Path) -> Self {
        Self {
            world,
            cwd: cwd.to_path_buf(),
            project_root: project_root.to_path_buf(),
            seen: BTreeMap::new(),
            entered: BTreeSet::new(),
            listed: BTreeSet::new(),
            found: Vec::new(),
        }
    }

    /// Collects what is there from the start: managed, user, and each folder from the root of the file system to `cwd`;
    /// where no folder has a CLAUDE.md or CLAUDE.local.md, each folder's AGENTS.md.
    pub fn at_start(&mut self, problems: &mut Problems) -> Vec<Found> {
        if let Some(managed) = self.world.environment().managed_dir.clone() {
            self.file(&managed.join("CLAUDE.md"), InstructionLayer::Managed, &managed);
            self.rules(&managed.join(".claude/rules"), InstructionLayer::Managed, &managed, problems);
        }
        if let Some(config) = self.world.config_dir() {
            let base = self.project_root.clone();
            self.file(&config.join("CLAUDE.md"), InstructionLayer::User, &base);
            self.rules(&config.join("rules"), InstructionLayer::User, &base, problems);
        }
        let folders: Vec<PathBuf> = self.cwd.ancestors().map(Path::to_path_buf).collect();
        let place = git::find(&self.cwd);
        // The folder around a bare repository holds worktrees but is none: its files count.
        let checkout = place.filter(|place| place.main_root != place.root && place.main_root.join(".git").is_dir());
        for folder in folders.iter().rev() {
            let is_main_checkout = checkout.as_ref().is_some_and(|place| {
                folder.starts_with(&place.main_root) && place.root.starts_with(folder) && *folder != place.root
            });
            let first_new = self.found.len();
            self.file(&folder.join("CLAUDE.md"), InstructionLayer::Project, folder);
            self.file(&folder.join(".claude/CLAUDE.md"), InstructionLayer::Project, folder);
            self.rules(&folder.join(".claude/rules"), InstructionLayer::Project, folder, problems);
            if is_main_checkout {
                self.skip_from(first_new);
            }
            self.file(&folder.join("CLAUDE.local.md"), InstructionLayer::Local, folder);
        }
        if !self.found.iter().any(is_projects_own) {
            for folder in folders.iter().rev() {
                self.file(&folder.join("AGENTS.md"), InstructionLayer::Project, folder);
                self.file(&folder.join(".claude/AGENTS.md"), InstructionLayer::Project, folder);
            }
        }
        std::mem::take(&mut self.found)
    }

    /// Collects what the folders below `cwd` bring, down to the one that holds `touched`.
    pub fn below(&mut self, touched: &Path, problems: &mut Problems) -> Vec<Found> {
        let Some(parent) = touched.parent().filter(|parent| parent.starts_with(&self.cwd)) else { return Vec::new() };
        let folders: Vec<PathBuf> =
            parent.ancestors().take_while(|folder| **folder != self.cwd).map(Path::to_path_buf).collect();
        for folder in folders.iter().rev() {
            if !self.entered.insert(folder.clone()) {
                continue;
            }
            for (name, layer) in [
                ("CLAUDE.md", InstructionLayer::Project),
                (".claude/CLAUDE.md", InstructionLayer::Project),
                ("CLAUDE.local.md", InstructionLayer::Local),
            ] {
                let path = folder.join(name);
                // A tool that reads the very file has its text already.
                if path != touched {
                    self.file(&path, layer, folder);
                }
            }
            self.rules(&folder.join(".claude/rules"), InstructionLayer::Project, folder, problems);
        }
        std::mem::take(&mut self.found)
    }

    fn file(&mut self, path: &Path, layer: InstructionLayer, base: &Path) {
        self.add(path, layer, false, base);
    }

    /// Collects a folder of rules, sorted by name, folders and files mixed.
    fn rules(&mut self, folder: &Path, layer: InstructionLayer, base: &Path, problems: &mut Problems) {
        if self.leads_outside(folder, layer, base) {
            problems
                .warning("link-outside", "a folder of rules that links out of the project is not followed")
                .path(folder.to_string_lossy());
            return;
        }
        self.rules_in(folder, layer, base, 0, problems);
    }

    fn rules_in(&mut self, folder: &Path, layer: InstructionLayer, base: &Path, depth: usize, problems: &mut Problems) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                if !matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) {
                    let message = format!("a folder of rules cannot be listed: {}", open::reason(&error));
                    problems.warning("unreadable-folder", message).path(folder.to_string_lossy());
                }
                return;
            }
        };
        if depth > 0 && !self.listed.insert(folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf())) {
            problems
                .warning("link-loop", "a folder of rules was listed before, by another name")
                .path(folder.to_string_lossy());
            return;
        }
        let mut entries: Vec<fs::DirEntry> = entries.flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            let is_link = kind.is_symlink();
            let is_folder = kind.is_dir() || (is_link && path.is_dir());
            if is_folder {
                self.rules_folder(&path, layer, base, depth, is_link, problems);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                if is_link && self.leads_outside(&path, layer, base) {
                    self.push(&path, layer, true, base, Err(Skip::LinkOutside));
                } else {
                    self.add(&path, layer, true, base);
                }
            }
        }
    }

    fn rules_folder(
        &mut self,
        path: &Path,
        layer: InstructionLayer,
        base: &Path,
        depth: usize,
        is_link: bool,
        problems: &mut Problems,
    ) {
        if is_link && self.leads_outside(path, layer, base) {
            problems
                .warning("link-outside", "a folder of rules that links out of the project is not followed")
                .path(path.to_string_lossy());
            return;
        }
        if depth >= MAX_RULE_DEPTH {
            let message = format!("folders of rules below {MAX_RULE_DEPTH} levels are left out");
            problems.warning("too-deep", message).path(path.to_string_lossy());
            return;
        }
        if is_link && leads_upwards(path) {
            problems
                .warning("link-loop", "a link to a folder above itself is not followed")
                .path(path.to_string_lossy());
            return;
        }
        self.rules_in(path, layer, base, depth + 1, problems);
    }

    /// A repository must not bring files from outside into a prompt under the name of a rule.
    fn leads_outside(&self, path: &Path, layer: InstructionLayer, base: &Path) -> bool {
        if layer != InstructionLayer::Project {
            return false;
        }
        let project = git::find(base).map_or_else(|| base.to_path_buf(), |place| place.root);
        match (path.canonicalize(), project.canonicalize()) {
            (Ok(target), Ok(project)) => !target.starts_with(project),
            // A link that leads nowhere is told when it is read.
            _ => false,
        }
    }

    fn add(&mut self, path: &Path, layer: InstructionLayer, is_rule: bool, base: &Path) {
        let content = match open::read_up_to(path, MAX_BYTES + 1) {
            Ok(content) => self.checked(path, content),
            // Most folders have no such file: that is no news. A link that leads nowhere is.
            Err(error) if is_absent(&error) && fs::symlink_metadata(path).is_err() => return,
            Err(error) => Err(Skip::Unreadable(open::reason(&error))),
        };
        self.push(path, layer, is_rule, base, content);
    }

    fn checked(&mut self, path: &Path, content: Content) -> Result<Content, Skip> {
        if content.metadata.len() > MAX_BYTES {
            return Err(Skip::TooLarge(content.metadata.len()));
        }
        if let Some(first) = self.seen.get(&identity(&content.metadata)) {
            return Err(Skip::Same(first.clone()));
        }
        self.seen.insert(identity(&content.metadata), path.to_path_buf());
        Ok(content)
    }

    fn push(
        &mut self,
        path: &Path,
        layer: InstructionLayer,
        is_rule: bool,
        base: &Path,
        content: Result<Content, Skip>,
    ) {
        self.found.push(Found { path: path.to_path_buf(), layer, is_rule, base: base.to_path_buf(), content });
    }

    /// The worktree has these files itself; they may come again from there.
    fn skip_from(&mut self, first: usize) {
        for found in &mut self.found[first..] {
            if let Ok(content) = &found.content {
                self.seen.remove(&identity(&content.metadata));
                found.content = Err(Skip::MainCheckout);
            }
        }
    }
}

/// Whether a file is the project's CLAUDE.md or somebody's CLAUDE.local.md: without any, AGENTS.md counts.
fn is_projects_own(found: &Found) -> bool {
    matches!(found.layer, InstructionLayer::Project | InstructionLayer::Local)
        && !found.is_rule
        && found.content.is_ok()
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// Whether a link to a folder leads to one that holds the link.
fn leads_upwards(path: &Path) -> bool {
    match (path.canonicalize(), path.parent().and_then(|parent| parent.canonicalize().ok())) {
        (Ok(target), Some(parent)) => parent.starts_with(target),
        _ => false,
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}
