//! What the process learns from its environment, read once.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use mem_store::Environment;
use mem_types::Page;
use mem_types::asking::{Key, Service, Services};

use crate::common::ColorChoice;

/// Columns when nobody says how wide the page is.
const DEFAULT_COLUMNS: usize = 80;
/// Narrower than this nothing can be laid out.
const LEAST_COLUMNS: usize = 40;

/// Returns the folders and switches that the environment names. Empty values count as absent.
pub fn read() -> Environment {
    let config_dir = path("CLAUDE_CONFIG_DIR");
    Environment {
        home: home(),
        managed_dir: path("MEM_MANAGED_DIR").or_else(default_managed_dir),
        state_dir: path("XDG_STATE_HOME").or_else(|| Some(home()?.join(".local/state"))).map(|dir| dir.join("mem")),
        started_in: env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        disables_auto_memory: is_set("CLAUDE_CODE_DISABLE_AUTO_MEMORY"),
        codex_home: path("CODEX_HOME"),
        xdg_config_home: path("XDG_CONFIG_HOME"),
        loads_added_folders: is_set("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"),
        disables_instructions: is_set("CLAUDE_CODE_DISABLE_CLAUDE_MDS"),
        project_dir_name: config_dir.as_ref().and_then(|_| text("CLAUDE_CODE_PROJECT_DIR_NAME")),
        config_dir,
        program: env::current_exe().unwrap_or_default(),
        arguments: env::args_os().skip(1).collect(),
        is_background: background().is_some(),
        is_inside: env::var_os(mem_exec::INSIDE).is_some(),
        services: services(),
        git_dir: variable("GIT_DIR"),
        git_index_file: variable("GIT_INDEX_FILE"),
    }
}

/// Returns the keys and addresses of services that answer questions.
fn services() -> Services {
    let key = |name: &str| text(name).and_then(|value| Key::new(&value));
    Services {
        anthropic: Service {
            key: key("ANTHROPIC_API_KEY"),
            token: key("ANTHROPIC_AUTH_TOKEN"),
            url: text("ANTHROPIC_BASE_URL"),
        },
        openai: Service { key: key("OPENAI_API_KEY"), token: None, url: text("OPENAI_BASE_URL") },
        key: key("MEM_LLM_KEY"),
    }
}

/// Returns how long this process may live when it is a background child of another one.
pub fn background() -> Option<Duration> {
    text(mem_exec::background::VARIABLE)?.parse().ok().map(Duration::from_millis)
}

/// Returns the user's settings file: `$XDG_CONFIG_HOME/mem/config.yaml`.
pub fn settings_file() -> Option<PathBuf> {
    let config_home = path("XDG_CONFIG_HOME").or_else(|| Some(home()?.join(".config")));
    config_home.map(|dir| dir.join("mem/config.yaml"))
}

/// Returns a `MEM_…` variable.
pub fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns how text is laid out: as wide as the terminal, else `COLUMNS`, else 80.
pub fn page(color: ColorChoice) -> Page {
    let is_terminal = std::io::stdout().is_terminal();
    let of_terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let of_variable = text("COLUMNS").and_then(|columns| columns.parse().ok());
    let columns = of_terminal.filter(|_| is_terminal).or(of_variable).unwrap_or(DEFAULT_COLUMNS);
    let color = match color {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => is_terminal && text("NO_COLOR").is_none() && text("TERM").as_deref() != Some("dumb"),
    };
    Page { columns: columns.max(LEAST_COLUMNS), color }
}

fn home() -> Option<PathBuf> {
    path("HOME").filter(|home| home.is_absolute())
}

fn path(name: &str) -> Option<PathBuf> {
    variable(name).map(PathBuf::from)
}

fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| value != OsStr::new(""))
}

/// A switch is on unless its value says no.
fn is_set(name: &str) -> bool {
    text(name).is_some_and(|value| switch(&value).unwrap_or(true))
}

/// Returns what a word says of a switch, or nothing when it says neither yes nor no.
pub fn switch(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// Where the organisation's files lie: facts.md, Part B, section 1.1.
fn default_managed_dir() -> Option<PathBuf> {
    Some(PathBuf::from(if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode"
    } else if cfg!(windows) {
        "C:\\Program Files\\ClaudeCode"
    } else {
        "/etc/claude-code"
    }))
}
