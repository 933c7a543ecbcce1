//! What a command may know besides its document: folders, the time as given, and who started it where.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use mem_types::session::Epoch;
use mem_types::{Document, Failure, Problems};

use crate::elsewhere;
use crate::folder::MemoryFolder;
use crate::git::{self, GitPlace};
use crate::hash;
use crate::moment::Moment;
use crate::place;
use crate::session::SessionFile;

/// What the environment of the process says. Only mem-cli fills it in.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `HOME`.
    pub home: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`.
    pub config_dir: Option<PathBuf>,
    /// Where the organisation's files lie.
    pub managed_dir: Option<PathBuf>,
    /// Where sessions are kept: `$XDG_STATE_HOME/mem`.
    pub state_dir: Option<PathBuf>,
    /// The folder in which the command was started.
    pub started_in: PathBuf,
    /// `CLAUDE_CODE_DISABLE_AUTO_MEMORY`.
    pub disables_auto_memory: bool,
    /// `CODEX_HOME`.
    pub codex_home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub xdg_config_home: Option<PathBuf>,
    /// `CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD`: whether added folders bring instruction files.
    pub loads_added_folders: bool,
    /// `CLAUDE_CODE_DISABLE_CLAUDE_MDS`: whether the client loads no instruction files at all.
    pub disables_instructions: bool,
    /// `CLAUDE_CODE_PROJECT_DIR_NAME`, which counts together with `CLAUDE_CONFIG_DIR`.
    pub project_dir_name: Option<String>,
    /// Our own binary, to be started once more in the background.
    pub program: PathBuf,
    /// What we were started with, without the program's name.
    pub arguments: Vec<OsString>,
    /// Whether we are that background child: its answer goes nowhere, its document is on stdin.
    pub is_background: bool,
    /// Whether a program runs us that mem itself has started: nobody typed what it is told.
    pub is_inside: bool,
    /// `GIT_DIR`, as git hands it to a hook.
    pub git_dir: Option<OsString>,
    /// Keys and addresses of services that answer questions; no key is ever printed.
    pub services: mem_types::asking::Services,
    /// `GIT_INDEX_FILE`, as git hands it to a hook.
    pub git_index_file: Option<OsString>,
}

/// Whose reading of a folder is wanted. A profile changes reading only; writing is always mem's own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// The architecture of mem.
    #[default]
    Mem,
    /// Exactly what Claude Code loads.
    ClaudeCode,
    /// Exactly what Gemini CLI loads.
    Gemini,
    /// Exactly what Codex loads.
    Codex,
    /// Exactly what opencode loads.
    Opencode,
    /// All of them, side by side.
    All,
}

/// The disk and the time, as one document sees them.
#[derive(Debug, Clone)]
pub struct World {
    environment: Environment,
    now: Moment,
    has_target: bool,
    may_write: bool,
    profile: Profile,
    trusts_project: bool,
    session: Option<SessionFile>,
    asks_for_request: bool,
}

impl World {
    /// Returns the world at a moment.
    #[must_use]
    pub fn new(environment: Environment, now: Moment) -> Self {
        Self {
            environment,
            now,
            has_target: true,
            may_write: true,
            profile: Profile::Mem,
            trusts_project: false,
            session: None,
            asks_for_request: false,
        }
    }

    /// Says whether the document, or the place where the command was started by hand, names what may be written to.
    #[must_use]
    pub fn with_target(self, has_target: bool) -> Self {
        Self { has_target, ..self }
    }

    /// Says whether anything may be written at all; `--dry-run` forbids it.
    #[must_use]
    pub fn with_writing(self, may_write: bool) -> Self {
        Self { may_write, ..self }
    }

    /// Says whose reading of the folder is wanted.
    #[must_use]
    pub fn with_profile(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }

    /// Returns whose reading of the folder is wanted.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Says whether the repository may move its memory folder.
    #[must_use]
    pub fn with_trust(self, trusts_project: bool) -> Self {
        Self { trusts_project, ..self }
    }

    /// Says in which file the session is kept.
    #[must_use]
    pub fn with_session(self, session: Option<SessionFile>) -> Self {
        Self { session, ..self }
    }

    /// Returns the file in which the session is kept, if it is.
    #[must_use]
    pub fn session_file(&self) -> Option<&SessionFile> {
        self.session.as_ref()
    }

    /// Whether the repository may move its memory folder.
    #[must_use]
    pub fn trusts_project(&self) -> bool {
        self.trusts_project
    }

    /// Says whether the document is printed as the body of a request.
    #[must_use]
    pub fn with_request(self, asks_for_request: bool) -> Self {
        Self { asks_for_request, ..self }
    }

    /// Whether the document is printed as the body of a request, which needs its messages.
    #[must_use]
    pub fn asks_for_request(&self) -> bool {
        self.asks_for_request
    }

    /// Whether anything may be written at all.
    #[must_use]
    pub fn may_write(&self) -> bool {
        self.may_write
    }

    /// Refuses to write for a document that came through a pipe and names neither `memory_dir` nor `cwd`.
    ///
    /// # Errors
    /// With the code `no-target`.
    pub fn check_target(&self) -> Result<(), Failure> {
        if self.has_target {
            return Ok(());
        }
        Err(Failure::new("no-target", "the document names neither memory_dir nor cwd, so nothing is written")
            .with_hint("give -C DIR or --memory-dir DIR"))
    }

    /// Returns the moment that counts as now.
    #[must_use]
    pub fn now(&self) -> &Moment {
        &self.now
    }

    /// Returns what the environment says.
    #[must_use]
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the agent's configuration folder, absolute: `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    #[must_use]
    pub fn config_dir(&self) -> Option<PathBuf> {
        let own = self.environment.config_dir.as_ref().map(|own| {
            // In a settings file of the environment no shell has put a folder in place of the `~`.
            let own = own.to_str().map_or_else(|| own.clone(), |own| self.expand_home(own));
            git::tidy(&self.environment.started_in.join(own))
        });
        own.or_else(|| self.environment.home.as_ref().map(|home| home.join(".claude")))
    }

    /// Returns the document's `cwd`, else the folder in which the command was started.
    #[must_use]
    pub fn cwd(&self, document: &Document, problems: &mut Problems) -> PathBuf {
        match document.read::<String>("cwd", problems) {
            Some(cwd) if !cwd.is_empty() => self.resolve(&cwd, &self.environment.started_in),
            _ => self.environment.started_in.clone(),
        }
    }

    /// Returns the git work tree that holds `folder`.
    #[must_use]
    pub fn git(&self, folder: &Path) -> Option<GitPlace> {
        git::find(folder)
    }

    /// Returns where cited paths are looked up: `project_root`, else the git root of `cwd`, else `cwd`.
    #[must_use]
    pub fn project_root(&self, document: &Document, problems: &mut Problems) -> PathBuf {
        let cwd = self.cwd(document, problems);
        match document.read::<String>("project_root", problems) {
            Some(root) if !root.is_empty() => self.resolve(&root, &cwd),
            _ => git::find(&cwd).map_or(cwd, |place| place.root),
        }
    }

    /// Returns the memory folders, one's own first; see DESIGN section 4 for where it lies.
    #[must_use]
    pub fn memory_folders(&self, document: &Document, problems: &mut Problems) -> Vec<MemoryFolder> {
        place::folders(self, document, problems)
    }

    /// Returns the memory folder that the agent derives by itself, whatever the document names.
    #[must_use]
    pub fn native_memory_dir(&self, document: &Document) -> Option<PathBuf> {
        let problems = &mut Problems::default();
        let cwd = self.cwd(document, problems);
        place::derived(self, &cwd, problems).map(|folder| folder.dir)
    }

    /// Returns the folder by which the memory of the document's project is named: the root of the main work tree, else
    /// `cwd`.
    #[must_use]
    pub fn memory_root(&self, document: &Document) -> PathBuf {
        let cwd = self.cwd(document, &mut Problems::default());
        git::find(&cwd).map_or(cwd, |place| place.main_root)
    }

    /// Returns other projects that share the memory folder of `root` because their paths become the same name.
    #[must_use]
    pub fn sharing_projects(&self, root: &Path, memory_dir: &Path) -> Vec<String> {
        elsewhere::sharing(root, memory_dir)
    }

    /// Returns memory folders of projects that are no longer where they were, the likeliest for `root` first.
    #[must_use]
    pub fn moved_memories(&self, root: &Path, memory_dir: &Path) -> Vec<elsewhere::Moved> {
        elsewhere::moved(root, memory_dir)
    }

    /// Returns `path` with all links followed, as far as it is there.
    #[must_use]
    pub fn real_path(&self, path: &Path) -> PathBuf {
        path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
    }

    /// Returns `path` made absolute from `base`, with `~/` expanded and without `.` and `..`.
    #[must_use]
    pub fn resolve(&self, path: &str, base: &Path) -> PathBuf {
        git::tidy(&base.join(self.expand_home(path)))
    }

    /// Returns `path` with a leading `~` replaced by the home folder.
    #[must_use]
    pub fn expand_home(&self, path: &str) -> PathBuf {
        match (&self.environment.home, path.strip_prefix('~')) {
            (Some(home), Some("")) => home.clone(),
            (Some(home), Some(rest)) if rest.starts_with('/') => home.join(&rest[1..]),
            _ => PathBuf::from(path),
        }
    }

    /// Returns the name of the turn: `prompt_id`, else a hash of the prompt or the messages. Nobody counts turns.
    #[must_use]
    pub fn turn(&self, document: &Document) -> String {
        if let Ok(Some(id)) = document.try_read::<String>("prompt_id")
            && !id.is_empty()
        {
            return id;
        }
        let said = document.get("prompt").map(str::to_owned).or_else(|| last_said(document)).unwrap_or_default();
        hash::sha256(said.as_bytes())[..16].to_owned()
    }

    /// Returns the compaction epoch of the session; what an older epoch showed is out of context.
    #[must_use]
    pub fn epoch(&self, document: &Document) -> u64 {
        self.session_part::<Epoch>(document, "compact").unwrap_or_default().epoch
    }

    /// Returns a part of `.session`, such as `recall`, or nothing when it is missing or of another shape.
    #[must_use]
    pub fn session_part<T: serde::de::DeserializeOwned>(&self, document: &Document, part: &str) -> Option<T> {
        let session = Document::parse(document.get("session")?).ok()?;
        session.try_read(part).ok().flatten()
    }

    /// Whether `path`, relative to `root` or absolute beneath it, exists; nothing when it lies outside `root`.
    #[must_use]
    pub fn exists_beneath(&self, root: &Path, path: &str) -> Option<bool> {
        let absolute = git::tidy(&root.join(self.expand_home(path)));
        absolute.starts_with(root).then(|| absolute.exists())
    }
}

/// Returns the content of the last message of the user that is no result of a tool, as it stands there.
fn last_said(document: &Document) -> Option<String> {
    let messages: Vec<&serde_json::value::RawValue> = serde_json::from_str(document.get("messages")?).ok()?;
    messages.iter().rev().find_map(|raw| {
        let message = Document::parse(raw.get()).ok()?;
        let is_users = message.try_read::<String>("role").ok().flatten().as_deref() == Some("user");
        let content = message.get("content")?;
        let is_result = content.starts_with('[') && content.contains("\"tool_result\"");
        (is_users && !is_result).then(|| content.to_owned())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn world(home: &Path) -> World {
        let environment =
            Environment { home: Some(home.into()), started_in: home.join("proj"), ..Environment::default() };
        World::new(environment, Moment::parse("2026-11-30T12:00:00Z").unwrap())
    }

    #[test]
    fn the_memory_folder_follows_from_the_repository_not_from_the_subfolder() {
        let top = tempfile::tempdir().unwrap();
        let home = top.path().canonicalize().unwrap();
        std::fs::create_dir_all(home.join("proj/.git")).unwrap();
        std::fs::write(home.join("proj/.git/HEAD"), "").unwrap();
        std::fs::create_dir_all(home.join("proj/a/b")).unwrap();
        let world = world(&home);
        let document = Document::parse(&format!(r#"{{"cwd":"{}/proj/a/b"}}"#, home.display())).unwrap();
        let folders = world.memory_folders(&document, &mut Problems::default());
        let slug = crate::slug::slug(&home.join("proj").to_string_lossy());
        assert_eq!(folders[0].dir, home.join(".claude/projects").join(slug).join("memory"));
    }

    #[test]
    fn a_repository_cannot_point_at_other_folders() {
        let top = tempfile::tempdir().unwrap();
        let home = top.path().canonicalize().unwrap();
        std::fs::create_dir_all(home.join("proj/.claude")).unwrap();
        std::fs::write(home.join("proj/.claude/settings.json"), r#"{"autoMemoryDirectory":"~/.ssh"}"#).unwrap();
        let mut problems = Problems::new("mem-index");
        let folders = world(&home).memory_folders(&Document::parse("{}").unwrap(), &mut problems);
        assert!(folders[0].dir.starts_with(home.join(".claude/projects")));
        assert_eq!(problems.into_entries()[0].code, "untrusted-memory-dir");
    }

    #[test]
    fn the_turn_is_the_prompts_own_id_or_what_was_said() {
        let world = world(Path::new("/h"));
        let turn = |line: &str| world.turn(&Document::parse(line).unwrap());
        assert_eq!(turn(r#"{"prompt_id":"p1","prompt":"x"}"#), "p1");
        assert_eq!(turn(r#"{"prompt":"x"}"#), turn(r#"{"prompt":"x","cwd":"/y"}"#));
        assert_ne!(turn(r#"{"prompt":"x"}"#), turn(r#"{"prompt":"y"}"#));
        let first = r#"{"messages":[{"role":"user","content":"x"}]}"#;
        let later = r#"{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}"#;
        assert_eq!(turn(first), turn(later));
    }
}
