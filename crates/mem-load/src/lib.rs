//! Layer 1: loads the instruction files for a folder, each once, in the order in which they count, and accounts for
//! those that it leaves out.

pub mod args;
mod audit;
mod body;
mod braces;
mod contradictions;
mod earlier;
mod glob;
mod imports;
mod inline;
mod lint;
mod loader;
mod native;
mod patterns;
mod providers;
mod rule;
mod sections;
mod side_by_side;
mod skips;
mod text;
mod totals;
mod touched;
mod why;

use std::collections::BTreeMap;
use std::path::PathBuf;

use mem_store::instructions::Choices;
use mem_store::instructions::agent::{self, Agent};
use mem_store::{Profile, World};
use mem_types::input::Window;
use mem_types::load::{Load, Reading};
use mem_types::{Answer, Document, Failure, Problems, Severity};

use crate::earlier::Earlier;
use crate::glob::Meaning;
use crate::loader::Task;
use crate::totals::Limits;

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
    let touched = world.touched_files(document, &mut problems);
    let mut problems = each_once(problems);
    let mut earlier = Earlier::read(document, world);
    let mut kept = earlier.kept();
    let agent = Agent::of(world.profile());
    let choices = Choices {
        added: args.add_dir.clone(),
        file_names: args.names(&mut problems),
        instruction_files: args.instruction_files.map(Into::into),
        allow_external: args.allow_external,
        team: team(args, world, &mut problems),
    };
    let task = Task {
        world,
        choices: &choices,
        meaning: meaning(agent, args),
        cwd: &cwd,
        root: &root,
        touched: &touched,
        start: start_reason(document),
        earlier: &earlier,
    };
    let mut loaded = load(&task, agent, &mut problems);
    if agent.is_mem() {
        let provided = providers::ask(args, document, world, &mut kept, &mut problems);
        providers::insert(&mut loaded.files, provided);
    }
    let given = native::mark(&mut loaded.files, &task, document, |task| {
        load(task, &agent::CLAUDE_CODE, &mut Problems::new("mem-load")).files
    });
    lint::all(&loaded.files, &mut problems);
    if args.check {
        lint::unmatched_rules(&loaded.scoped, &root, task.meaning, world, &mut problems);
    }
    let mut profiles = BTreeMap::new();
    if world.profile() == Profile::All {
        profiles = side_by_side(&task, args);
        profiles.insert(agent.name.to_owned(), totals::reading(loaded.files.clone()));
    }
    let limits = limits(args, document, &mut problems);
    let load = totals::add_up(root.to_string_lossy().into_owned(), loaded.files, &limits, &mut problems);
    let place = why::Place { cwd: &cwd, config: world.config_dir(), touched: touched.len() };
    let answer = finish(args, Load { profiles, ..load }, &place, (document, world), problems);
    Ok(match earlier.with(loaded.brought, given, kept) {
        Some(part) => answer.keep(&part),
        None => answer,
    })
}

/// Several questions about one key find the same fault in it.
fn each_once(problems: Problems) -> Problems {
    let mut once = problems.fresh();
    let mut entries = problems.into_entries();
    entries.dedup();
    once.extend(entries);
    once
}

/// Writes the audit, says why a file is in or out, and judges what a check found.
fn finish(
    args: &Args,
    mut load: Load,
    place: &why::Place<'_>,
    (document, world): (&Document, &World),
    mut problems: Problems,
) -> Answer<Load> {
    let is_audited = audit::write(args, &load, document, world, &mut problems);
    let entries = problems.into_entries();
    load.why = args.why.as_ref().map(|path| {
        let asked = world.resolve(&path.to_string_lossy(), &world.environment().started_in);
        why::explain(&asked, place, &load.files, &entries)
    });
    let has_findings = args.check && entries.iter().any(|problem| problem.severity >= Severity::Warning);
    let mut problems = Problems::new("mem-load");
    problems.extend(entries);
    Answer { is_undone: !is_audited, has_findings, ..Answer::new(load, problems, text::render) }
}

/// Returns the file of the team, which the user named.
fn team(args: &Args, world: &World, problems: &mut Problems) -> Option<PathBuf> {
    let named = args.team.as_ref()?;
    let file = world.resolve(&named.to_string_lossy(), &world.environment().started_in);
    if !file.exists() {
        problems
            .warning("unreadable-file", "the team's file cannot be loaded: no such file")
            .path(file.to_string_lossy())
            .hint("mend --team, or 'load.team' in your settings");
    }
    Some(file)
}

fn limits(args: &Args, document: &Document, problems: &mut Problems) -> Limits {
    let window: Window = document.read("window", problems).unwrap_or_default();
    Limits { window: window.context_tokens, percent: args.max_share.into(), layers: args.layer_budget.clone() }
}

fn load(task: &Task<'_>, agent: &'static Agent, problems: &mut Problems) -> loader::Loaded {
    if agent.name == agent::CLAUDE_CODE.name && task.world.environment().disables_instructions {
        problems.info("instructions-off", "CLAUDE_CODE_DISABLE_CLAUDE_MDS is set, so the client loads nothing");
        return loader::Loaded::default();
    }
    loader::load(task, agent, problems)
}

/// What the other agents leave out stands among their files; their problems would only say it again.
fn side_by_side(task: &Task<'_>, args: &Args) -> BTreeMap<String, Reading> {
    let others = agent::ALL.into_iter().filter(|agent| !agent.is_mem());
    others
        .map(|agent| {
            let task = Task { meaning: meaning(agent, args), ..*task };
            (agent.name.to_owned(), totals::reading(load(&task, agent, &mut Problems::new("mem-load")).files))
        })
        .collect()
}

fn meaning(agent: &Agent, args: &Args) -> Meaning {
    if agent.is_mem() { args.glob.into() } else { Meaning::Client }
}

/// After a compaction the files of the start are read again, in the audit's word.
fn start_reason(document: &Document) -> &'static str {
    let text = |key: &str| document.try_read::<String>(key).ok().flatten();
    let is_compact =
        text("hook_event_name").as_deref() == Some("SessionStart") && text("source").as_deref() == Some("compact");
    if is_compact { "compact" } else { "session_start" }
}
