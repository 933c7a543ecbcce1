//! What the agent's own settings say about instruction files: which to leave out, whether AGENTS.md counts, the
//! organisation's text, and which projects may import from outside.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use mem_types::Problems;
use serde_json::Value;

use crate::open;
use crate::settings;
use crate::world::World;

/// Most patterns of `claudeMdExcludes` in one file.
const MOST_EXCLUDES: usize = 1000;

/// When AGENTS.md counts, in the words of the agent's setting `instructionFiles`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InstructionFiles {
    /// AGENTS.md where no folder has a CLAUDE.md.
    #[default]
    ClaudeOrAgents,
    /// Both, CLAUDE.md first.
    ClaudeAndAgents,
    /// Never AGENTS.md.
    Claude,
    /// Only the organisation's files.
    ManagedOnly,
}

/// The settings that count for one document.
#[derive(Debug, Default)]
pub struct ClientSettings {
    excludes: Vec<Exclude>,
    /// What `instructionFiles` says.
    pub instruction_files: Option<InstructionFiles>,
    /// The organisation's text with the file in which it stands.
    pub managed_text: Option<(PathBuf, String)>,
}

#[derive(Debug)]
struct Exclude {
    matcher: GlobMatcher,
    pattern: String,
    file: String,
}

impl InstructionFiles {
    /// Returns the mode of a word of the agent's settings.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "claude-md-or-agents-md" => Some(Self::ClaudeOrAgents),
            "claude-md-and-agents-md" => Some(Self::ClaudeAndAgents),
            "claude-md" => Some(Self::Claude),
            "managed-only" => Some(Self::ManagedOnly),
            _ => None,
        }
    }
}

impl ClientSettings {
    /// Reads the organisation's, the user's and the project's settings; the project's are those in `folders`.
    #[must_use]
    pub fn read(world: &World, folders: &[&Path], problems: &mut Problems) -> Self {
        let mut client = Self::default();
        let managed = world.environment().managed_dir.as_ref();
        for file in managed.map(|folder| settings::of_organisation(folder)).unwrap_or_default() {
            let Some(values) = settings::read_json(&file, problems) else { continue };
            client.take_excludes(&values, &file, problems);
            client.take_mode(&values);
            if let Some(text) = values.get("claudeMd").and_then(Value::as_str) {
                client.managed_text = (!text.trim().is_empty()).then(|| (file, text.to_owned()));
            }
        }
        if let Some(file) = world.config_dir().map(|folder| folder.join("settings.json"))
            && let Some(values) = settings::read_json(&file, problems)
        {
            client.take_excludes(&values, &file, problems);
            client.take_mode(&values);
        }
        for file in folders
            .iter()
            .flat_map(|folder| ["settings.json", "settings.local.json"].map(|name| folder.join(".claude").join(name)))
        {
            if let Some(values) = settings::read_json(&file, problems) {
                client.take_excludes(&values, &file, problems);
            }
        }
        client
    }

    /// Returns the pattern that leaves `path` out, and the settings file in which it stands.
    #[must_use]
    pub fn excluded_by(&self, path: &Path) -> Option<(&str, &str)> {
        if self.excludes.is_empty() {
            return None;
        }
        let real = path.canonicalize().ok();
        let matches = |exclude: &&Exclude| {
            exclude.matcher.is_match(path) || real.as_ref().is_some_and(|real| exclude.matcher.is_match(real))
        };
        self.excludes.iter().find(matches).map(|exclude| (exclude.pattern.as_str(), exclude.file.as_str()))
    }

    fn take_excludes(&mut self, values: &Value, file: &Path, problems: &mut Problems) {
        let Some(patterns) = values.get("claudeMdExcludes") else { return };
        let Value::Array(patterns) = patterns else {
            problems
                .warning("bad-pattern", "'claudeMdExcludes' is no list and leaves nothing out")
                .path(file.to_string_lossy())
                .hint("put the patterns in a list: [\"**/CLAUDE.md\"]");
            return;
        };
        for pattern in patterns.iter().filter_map(Value::as_str).take(MOST_EXCLUDES) {
            match GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build() {
                Ok(glob) => self.excludes.push(Exclude {
                    matcher: glob.compile_matcher(),
                    pattern: pattern.to_owned(),
                    file: file.to_string_lossy().into_owned(),
                }),
                Err(_) => {
                    let message = format!("the pattern '{pattern}' of claudeMdExcludes cannot be read");
                    problems.warning("bad-pattern", message).path(file.to_string_lossy());
                }
            }
            // Patterns are matched against whole paths: facts.md, Part A, section 2.
            if !pattern.starts_with(['/', '*', '{']) {
                let message =
                    format!("the pattern '{pattern}' of claudeMdExcludes can match no path: paths are absolute");
                problems
                    .info("exclude-without-root", message)
                    .path(file.to_string_lossy())
                    .hint(format!("write it as '**/{pattern}'"));
            }
        }
    }

    fn take_mode(&mut self, values: &Value) {
        let mode = values.pointer("/pluginConfigs/agents-md@builtin/options/instructionFiles").and_then(Value::as_str);
        self.instruction_files = mode.and_then(InstructionFiles::parse).or(self.instruction_files);
    }
}

/// Most bytes of the file in which the agent keeps what it knows of projects; it grows with use.
const MAX_STATE_BYTES: u64 = 64 * 1024 * 1024;

/// Whether the agent has asked if the project in `cwd` may import from outside, and was told yes.
#[must_use]
pub fn approves_external(world: &World, cwd: &Path) -> bool {
    let environment = world.environment();
    let folder = environment.config_dir.as_ref().and_then(|_| world.config_dir()).or_else(|| environment.home.clone());
    let content = folder.and_then(|folder| open::read_up_to(&folder.join(".claude.json"), MAX_STATE_BYTES).ok());
    let values = content.and_then(|content| serde_json::from_slice::<Value>(&content.bytes).ok()).unwrap_or_default();
    let project = values.get("projects").and_then(|projects| projects.get(&*cwd.to_string_lossy()));
    project.and_then(|project| project.get("hasClaudeMdExternalIncludesApproved")) == Some(&Value::Bool(true))
}
