//! What a child inherits of our environment: all but what would steer git, and what only a model's service may see.

use std::ffi::{OsStr, OsString};
use std::process::Command;

/// Endings of variables that hold keys of model services.
const KEY_ENDINGS: [&str; 3] = ["_API_KEY", "_AUTH_TOKEN", "_OAUTH_TOKEN"];
/// What a program of the gate is given, and nothing else.
const BARE: [&str; 6] = ["PATH", "HOME", "TMPDIR", "TZ", "SYSTEMROOT", "USER"];

/// Set for every program that we start, so that a hook which that program runs knows that nobody typed anything.
pub const INSIDE: &str = "MEM_INSIDE";

/// How much a child inherits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inherited {
    /// All but `GIT_*` and the keys of models.
    WithoutKeys,
    /// All but `GIT_*`.
    WithKeys,
    /// Where programs and the home folder lie, and a fixed language.
    Bare,
    /// All as it is: for our own binary.
    Everything,
}

/// Gives `command` its environment.
pub fn clean(command: &mut Command, inherited: Inherited) {
    inherit(command, inherited);
    if inherited != Inherited::Everything {
        command.env(INSIDE, "1");
        // It is no child of ours in the background, though we may be one, and neither is what of ours it may run.
        command.env_remove(crate::background::VARIABLE);
    }
}

fn inherit(command: &mut Command, inherited: Inherited) {
    match inherited {
        Inherited::Everything => {}
        Inherited::Bare => {
            command.env_clear();
            command.envs(BARE.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
            command.env("LC_ALL", "C.UTF-8");
        }
        Inherited::WithKeys | Inherited::WithoutKeys => {
            let names = std::env::vars_os().map(|(name, _)| name);
            for name in names.filter(|name| is_git(name) || inherited == Inherited::WithoutKeys && is_key(name)) {
                command.env_remove(name);
            }
        }
    }
}

/// Returns the absolute folders of `PATH`; `.` and empty entries would start what lies in a foreign folder.
pub fn program_folders() -> Vec<std::path::PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/local/bin:/usr/bin:/bin"));
    std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
}

fn is_git(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"GIT_")
}

fn is_key(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    KEY_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_models_are_known_by_their_names() {
        for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"] {
            assert!(is_key(OsStr::new(name)), "{name}");
        }
        for name in ["PATH", "SSH_AUTH_SOCK", "KEYBOARD", "GITHUB_TOKEN"] {
            assert!(!is_key(OsStr::new(name)), "{name}");
        }
    }
}
