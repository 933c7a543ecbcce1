//! Settings: the user's own for mem, and those of the agent that say where its memory lies.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use mem_types::Problems;
use serde_json::Value;

use crate::open;
use crate::yaml;

/// Most bytes of a settings file; a larger one is something else.
const MAX_BYTES: u64 = 1024 * 1024;

/// The user's own settings: `$XDG_CONFIG_HOME/mem/config.yaml`, keys `<command>.<option>`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UserSettings {
    values: BTreeMap<(String, String), Value>,
}

impl UserSettings {
    /// Returns the settings in `file`; none when it is missing.
    ///
    /// # Errors
    /// In words, when the file is there and cannot be read as YAML with keys.
    pub fn read(file: &Path) -> Result<Self, String> {
        let content = match open::read_up_to(file, MAX_BYTES) {
            Ok(content) => content,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(format!("cannot read {}: {}", file.display(), open::reason(&error))),
        };
        let text = String::from_utf8_lossy(&content.bytes);
        match yaml::parse(&text) {
            Ok(Value::Object(members)) => Ok(Self::from_members(members)),
            Ok(Value::Null) => Ok(Self::default()),
            Ok(_) => Err(format!("{} holds no keys", file.display())),
            Err(reason) => Err(format!("{} is no YAML: {reason}", file.display())),
        }
    }

    /// Returns what is set for an option of a command, such as `recall` and `max_files`.
    #[must_use]
    pub fn get(&self, command: &str, option: &str) -> Option<&Value> {
        self.values.get(&(command.to_owned(), option.to_owned()))
    }

    /// Returns the names of all options that are set for a command.
    pub fn options<'a>(&'a self, command: &'a str) -> impl Iterator<Item = &'a str> {
        self.values.keys().filter(move |(name, _)| name == command).map(|(_, option)| option.as_str())
    }

    /// Takes `recall.max_files: 3` and `recall: {max_files: 3}` alike.
    fn from_members(members: serde_json::Map<String, Value>) -> Self {
        let mut values = BTreeMap::new();
        for (key, value) in members {
            match (key.split_once('.'), value) {
                (Some((command, option)), value) => {
                    values.insert((command.to_owned(), option.replace('-', "_")), value);
                }
                (None, Value::Object(options)) => {
                    for (option, value) in options {
                        values.insert((key.clone(), option.replace('-', "_")), value);
                    }
                }
                (None, _) => {}
            }
        }
        Self { values }
    }
}

/// What the agent's own settings say about its memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentSettings {
    /// Where the memory folder is instead, as written, with the file that says so.
    pub memory_directory: Option<(String, String)>,
    /// The file that switches auto memory off.
    pub disabled_by: Option<String>,
    /// A place that a file of the repository asks for; it is not obeyed.
    pub untrusted: Option<(String, String)>,
}

impl AgentSettings {
    /// Returns what the settings files say: later files of a kind win over earlier ones.
    ///
    /// A file that the repository may hold can switch memory off but cannot move it: a cloned repository must not
    /// point writes at other folders.
    #[must_use]
    pub fn read(trusted: &[&Path], of_repository: &[&Path], problems: &mut Problems) -> Self {
        let mut settings = Self::default();
        for file in trusted {
            let Some(values) = read_json(file, problems) else { continue };
            settings.take_switch(&values, file);
            if let Some(directory) = directory(&values) {
                settings.memory_directory = Some((directory, file.to_string_lossy().into_owned()));
            }
        }
        for file in of_repository {
            let Some(values) = read_json(file, problems) else { continue };
            settings.take_switch(&values, file);
            if let Some(directory) = directory(&values) {
                settings.untrusted = Some((directory, file.to_string_lossy().into_owned()));
            }
        }
        settings
    }

    fn take_switch(&mut self, values: &Value, file: &Path) {
        if values.get("autoMemoryEnabled") == Some(&Value::Bool(false)) {
            self.disabled_by = Some(file.to_string_lossy().into_owned());
        }
    }
}

fn directory(values: &Value) -> Option<String> {
    values.get("autoMemoryDirectory").and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Returns the organisation's settings files, those that win last: `managed-settings.json`, then what was dropped into
/// `managed-settings.d`, by name.
pub(crate) fn of_organisation(folder: &Path) -> Vec<PathBuf> {
    let dropped = fs::read_dir(folder.join("managed-settings.d")).into_iter().flatten().flatten();
    let is_settings = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        name.ends_with(b".json") && !name.starts_with(b".")
    };
    let mut dropped: Vec<PathBuf> = dropped.map(|entry| entry.path()).filter(is_settings).collect();
    dropped.sort();
    let mut files = vec![folder.join("managed-settings.json")];
    files.append(&mut dropped);
    files
}

pub(crate) fn read_json(file: &Path, problems: &mut Problems) -> Option<Value> {
    let content = match open::read_up_to(file, MAX_BYTES) {
        Ok(content) => content,
        Err(error) => {
            if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
                let message = format!("a settings file is passed over: {}", open::reason(&error));
                problems.warning("unreadable-settings", message).path(file.to_string_lossy());
            }
            return None;
        }
    };
    let bytes = content.bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&content.bytes);
    match serde_json::from_slice(bytes) {
        Ok(values) => Some(values),
        Err(error) => {
            let message = format!("a settings file is passed over: it is no JSON ({error})");
            problems.warning("unreadable-settings", message).path(file.to_string_lossy());
            None
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn options_are_found_flat_and_nested_with_either_dash() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.yaml");
        std::fs::write(&file, "recall.max-files: 3\nindex:\n  max_lines: 10\nother: 1\n").unwrap();
        let settings = UserSettings::read(&file).unwrap();
        assert_eq!(settings.get("recall", "max_files"), Some(&Value::from(3)));
        assert_eq!(settings.get("index", "max_lines"), Some(&Value::from(10)));
        assert_eq!(settings.options("recall").collect::<Vec<_>>(), ["max_files"]);
        assert_eq!(UserSettings::read(&folder.path().join("none")).unwrap(), UserSettings::default());
        std::fs::write(&file, "- a").unwrap();
        assert!(UserSettings::read(&file).is_err());
    }

    #[test]
    fn what_is_dropped_in_comes_behind_the_organisations_file_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let dropped = folder.path().join("managed-settings.d");
        assert_eq!(of_organisation(folder.path()), [folder.path().join("managed-settings.json")]);
        std::fs::create_dir(&dropped).unwrap();
        for name in ["20-b.json", "10-a.json", ".hidden.json", "note.txt"] {
            std::fs::write(dropped.join(name), "{}").unwrap();
        }
        let files = of_organisation(folder.path());
        assert_eq!(files[1..], [dropped.join("10-a.json"), dropped.join("20-b.json")]);
    }

    #[test]
    fn a_repository_can_switch_memory_off_but_not_move_it() {
        let folder = tempfile::tempdir().unwrap();
        let (user, project) = (folder.path().join("u.json"), folder.path().join("p.json"));
        std::fs::write(&user, r#"{"autoMemoryDirectory":"~/mine"}"#).unwrap();
        std::fs::write(&project, r#"{"autoMemoryDirectory":"~/.ssh","autoMemoryEnabled":false}"#).unwrap();
        let settings = AgentSettings::read(&[&user], &[&project], &mut Problems::default());
        assert_eq!(settings.memory_directory.unwrap().0, "~/mine");
        assert_eq!(settings.untrusted.unwrap().0, "~/.ssh");
        assert!(settings.disabled_by.is_some());
    }
}
