//! Looks up in the project what memories cite: one listing and one search for all of them.

use std::collections::BTreeSet;

use mem_store::World;
use mem_store::project::{Elsewhere, Occurring, Project};
use mem_types::age;
use mem_types::{Document, Problems};

use crate::citations::{self, Citation, Tool};
use crate::commands::Commands;
use crate::history;
use crate::memory::Memory;

/// What became of the citations of one memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cited {
    /// Each with its verdict.
    pub cites: Vec<age::Citation>,
    /// What the project does not have, in words.
    pub missing: Vec<String>,
}

/// Returns for each memory what it cites, and what of that the project does not have. With `asks_git` commits, too.
///
/// Nothing is missing where it cannot be known: without a project, or when a bound cut the look at it short.
pub fn of(
    memories: &[Memory],
    asks_git: bool,
    document: &Document,
    world: &World,
    problems: &mut Problems,
) -> Vec<Cited> {
    let cited: Vec<Vec<Citation>> = memories.iter().map(|memory| citations::of(&memory.text())).collect();
    let is_of_project = |citation: &Citation| !matches!(citation, Citation::Link(_));
    if cited.iter().all(Vec::is_empty) {
        return vec![Cited::default(); memories.len()];
    }
    let root = world.project_root(document, problems);
    // A folder from a list of folders belongs to some project, but nobody said to which.
    let is_named = !document.has("memory_dir") || document.has("cwd") || document.has("project_root");
    let is_known = is_named && root.is_dir();
    if !is_known && cited.iter().flatten().any(is_of_project) {
        problems
            .info("citations-unchecked", "no project is named, so cited paths were not checked")
            .hint("name it with -C DIR, or with project_root in the document");
    }
    let commits = if asks_git && is_known { history::missing_commits(&root, &commits(&cited), problems) } else { None };
    let project = is_known.then(|| Project::at(root));
    let folder = world.memory_folders(document, &mut Problems::default()).into_iter().next();
    let lookup = Lookup {
        occurring: project.as_ref().and_then(|project| search(project, &cited)),
        commands: project.as_ref().map(|project| Commands::of(project, &tools(&cited))),
        project: project.as_ref(),
        beside: folder.map(|folder| Project::at(folder.dir)),
        names: memories.iter().flat_map(|memory| [memory.path.as_str(), memory.stem(), memory.name.as_str()]).collect(),
        commits,
    };
    let found = cited.iter().map(|cited| lookup.all(cited)).collect();
    report_bounds(&lookup, problems);
    found
}

fn search(project: &Project, cited: &[Vec<Citation>]) -> Option<Occurring> {
    let names = cited.iter().flatten().filter_map(|citation| match citation {
        Citation::Symbol(name) => Some(name.clone()),
        _ => None,
    });
    let names: BTreeSet<String> = names.collect();
    (!names.is_empty()).then(|| project.occurring(&names))
}

fn tools(cited: &[Vec<Citation>]) -> BTreeSet<Tool> {
    let tools = cited.iter().flatten().filter_map(|citation| match citation {
        Citation::Command(tool, _) => Some(*tool),
        _ => None,
    });
    tools.collect()
}

fn commits(cited: &[Vec<Citation>]) -> BTreeSet<String> {
    let commits = cited.iter().flatten().filter_map(|citation| match citation {
        Citation::Commit(hash) => Some(hash.clone()),
        _ => None,
    });
    commits.collect()
}

struct Lookup<'a> {
    /// Nothing when nobody said which project.
    project: Option<&'a Project>,
    /// The memory folder: memories name each other by path, too.
    beside: Option<Project>,
    occurring: Option<Occurring>,
    commands: Option<Commands>,
    names: BTreeSet<&'a str>,
    /// Commits that the repository does not have, when git was asked.
    commits: Option<BTreeSet<String>>,
}

/// What the look-up says of one citation.
enum Verdict {
    Fresh,
    /// In words, and where it seems to have gone.
    Stale(String, Option<String>),
    Unverifiable,
    /// It was no citation after all.
    None,
}

impl Lookup<'_> {
    fn all(&self, cited: &[Citation]) -> Cited {
        let mut all = Cited::default();
        for citation in cited {
            let (kind, what) = named(citation);
            let (verdict, moved_to) = match self.one(citation) {
                Verdict::None => continue,
                Verdict::Fresh => ("fresh", None),
                Verdict::Unverifiable => ("unverifiable", None),
                Verdict::Stale(words, moved_to) => {
                    all.missing.push(words);
                    ("stale", moved_to)
                }
            };
            all.cites.push(age::Citation { kind: kind.into(), what, verdict: verdict.into(), moved_to });
        }
        all
    }

    fn one(&self, citation: &Citation) -> Verdict {
        // A link to a memory that is yet to be written is allowed, so nothing is said against it.
        if let Citation::Link(name) = citation {
            let is_known = self.names.contains(name.as_str()) || self.names.contains(name.trim_end_matches(".md"));
            return if is_known { Verdict::Fresh } else { Verdict::Unverifiable };
        }
        let Some(project) = self.project else {
            return if matches!(citation, Citation::PathPerhaps(_)) { Verdict::None } else { Verdict::Unverifiable };
        };
        match citation {
            Citation::Path(path) => self.path(project, path),
            Citation::PathPerhaps(path) => self.path_perhaps(project, path),
            Citation::Symbol(name) => self.symbol(name),
            Citation::Command(tool, name) => self.command(*tool, name),
            Citation::Commit(hash) => match &self.commits {
                None => Verdict::Unverifiable,
                Some(missing) if missing.contains(hash) => {
                    Verdict::Stale(format!("the repository has no commit {hash}"), None)
                }
                Some(_) => Verdict::Fresh,
            },
            Citation::Link(_) => Verdict::None,
        }
    }

    fn symbol(&self, name: &str) -> Verdict {
        match &self.occurring {
            Some(found) if found.names.contains(name) => Verdict::Fresh,
            Some(found) if found.is_whole => Verdict::Stale(format!("no file of the project has {name}"), None),
            _ => Verdict::Unverifiable,
        }
    }

    fn command(&self, tool: Tool, name: &str) -> Verdict {
        match self.commands.as_ref().and_then(|commands| commands.has(tool, name)) {
            None => Verdict::Unverifiable,
            Some(true) => Verdict::Fresh,
            Some(false) => Verdict::Stale(format!("no {} of the project has {name}", tool.file()), None),
        }
    }

    fn path(&self, project: &Project, path: &str) -> Verdict {
        if self.beside.as_ref().is_some_and(|folder| folder.has(path)) || project.has(path) {
            return Verdict::Fresh;
        }
        if !project.listing().is_whole {
            return Verdict::Unverifiable;
        }
        match project.elsewhere(path) {
            Elsewhere::Whole(_) => Verdict::Fresh,
            Elsewhere::Name(files) => match files.as_slice() {
                [only] => Verdict::Stale(format!("{path} is not there, but {only} is"), Some((*only).to_owned())),
                _ => Verdict::Stale(format!("{path} is not there"), None),
            },
        }
    }

    /// Only below a folder that is there it can be told from a branch or a media type.
    fn path_perhaps(&self, project: &Project, path: &str) -> Verdict {
        let first = path.split('/').next().unwrap_or(path);
        if !project.has(first) {
            return Verdict::None;
        }
        self.path(project, path)
    }
}

fn named(citation: &Citation) -> (&'static str, String) {
    match citation {
        Citation::Path(path) | Citation::PathPerhaps(path) => ("path", path.clone()),
        Citation::Symbol(name) => ("symbol", format!("{name}()")),
        Citation::Command(tool, name) => ("command", format!("{} {name}", tool.words())),
        Citation::Link(name) => ("link", name.clone()),
        Citation::Commit(hash) => ("commit", hash.clone()),
    }
}

fn report_bounds(lookup: &Lookup<'_>, problems: &mut Problems) {
    if lookup.occurring.as_ref().is_some_and(|found| !found.is_whole) {
        problems.info("project-not-searched-whole", "the project is too large to say that a cited symbol is missing");
    }
}
