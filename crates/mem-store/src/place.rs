//! Where the memory folder of a project is, and whether it may be used.

use std::path::{Path, PathBuf};

use mem_types::input::MemoryDirs;
use mem_types::{Document, Problems};

use crate::folder::MemoryFolder;
use crate::git;
use crate::settings::{self, AgentSettings};
use crate::slug::slug;
use crate::world::{Profile, World};

/// Units of a slug up to which it is exact; what follows may differ between builds of the client.
const EXACT_SLUG: usize = 200;

/// Returns the memory folders of a document: one's own first. None when there is no home to look in.
#[must_use]
pub fn folders(world: &World, document: &Document, problems: &mut Problems) -> Vec<MemoryFolder> {
    let cwd = world.cwd(document, problems);
    if let Some(named) = document.read::<MemoryDirs>("memory_dir", problems) {
        let paths = named.into_list().into_iter().filter(|path| !path.is_empty());
        return paths.map(|path| MemoryFolder::at(world.resolve(&path, &cwd))).collect();
    }
    derived(world, &cwd, problems).into_iter().collect()
}

/// Returns the folder that follows from settings and repository.
pub fn derived(world: &World, cwd: &Path, problems: &mut Problems) -> Option<MemoryFolder> {
    let Some(config) = world.config_dir() else {
        problems
            .warning("no-home", "HOME is not set, so the memory folder cannot be found")
            .hint("set HOME, or name the folder with --memory-dir");
        return None;
    };
    let settings = agent_settings(world, &config, cwd, problems);
    // That client goes where a repository sends it, so reading as it does must go there, too.
    let is_client = world.profile() == Profile::ClaudeCode;
    let of_repository = settings.untrusted.as_ref().filter(|_| is_client || world.trusts_project());
    let dir = match of_repository.or(settings.memory_directory.as_ref()) {
        Some((directory, file)) => moved(world, directory, file, problems)?,
        None => by_slug(world, &config, cwd),
    };
    let mut folder = MemoryFolder::at(dir);
    if world.environment().disables_auto_memory {
        folder.closed = Some(("disabled", "CLAUDE_CODE_DISABLE_AUTO_MEMORY switches auto memory off".into()));
    } else if let Some(file) = &settings.disabled_by {
        folder.closed = Some(("disabled", format!("autoMemoryEnabled is false in {file}")));
    }
    if !world.trusts_project()
        && let Some((directory, file)) = &settings.untrusted
    {
        let message = match is_client {
            true => format!(
                "autoMemoryDirectory '{directory}' is read, as the client does, and never written: a repository set it"
            ),
            false => format!("autoMemoryDirectory '{directory}' is not obeyed: a repository set it"),
        };
        problems
            .warning("untrusted-memory-dir", message)
            .path(file)
            .hint("set it in your own settings, name the folder with --memory-dir, or give --trust-project");
    }
    Some(folder)
}

fn agent_settings(world: &World, config: &Path, cwd: &Path, problems: &mut Problems) -> AgentSettings {
    let user = config.join("settings.json");
    let managed = world.environment().managed_dir.as_ref().map(|dir| settings::of_organisation(dir));
    let managed = managed.unwrap_or_default();
    let project = cwd.join(".claude/settings.json");
    let local = cwd.join(".claude/settings.local.json");
    let trusted: Vec<&Path> = std::iter::once(&user).chain(&managed).map(PathBuf::as_path).collect();
    // Started in the home folder, the user's own settings are the project's as well.
    let of_repository: Vec<&Path> =
        [project.as_path(), local.as_path()].into_iter().filter(|file| *file != user.as_path()).collect();
    AgentSettings::read(&trusted, &of_repository, problems)
}

/// Obeys an absolute place or one below the home folder.
fn moved(world: &World, directory: &str, file: &str, problems: &mut Problems) -> Option<PathBuf> {
    let expanded = world.expand_home(directory);
    if expanded.is_absolute() {
        return Some(git::tidy(&expanded));
    }
    problems
        .warning("bad-memory-dir", format!("autoMemoryDirectory '{directory}' is neither absolute nor below ~/"))
        .path(file);
    None
}

/// All worktrees and subfolders of a repository share one memory.
fn by_slug(world: &World, config: &Path, cwd: &Path) -> PathBuf {
    let projects = config.join("projects");
    if let Some(name) = world.environment().project_dir_name.as_deref().filter(|name| !name.contains(['/', '\0'])) {
        return projects.join(name).join("memory");
    }
    let root = git::find(cwd).map_or_else(|| cwd.to_path_buf(), |place| place.main_root);
    let slug = slug(&root.to_string_lossy());
    let exact = projects.join(&slug);
    let is_long = slug.len() > EXACT_SLUG;
    let folder = if is_long && !exact.is_dir() { by_prefix(&projects, &slug).unwrap_or(exact) } else { exact };
    folder.join("memory")
}

/// The hash behind a long slug differs between builds of the client: the first folder that begins alike counts.
fn by_prefix(projects: &Path, slug: &str) -> Option<PathBuf> {
    let prefix = &slug[..=EXACT_SLUG];
    let mut names: Vec<String> = std::fs::read_dir(projects)
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.starts_with(prefix))
        .collect();
    names.sort_unstable();
    names.first().map(|name| projects.join(name))
}
