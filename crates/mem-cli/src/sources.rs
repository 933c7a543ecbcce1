//! Where an option's value comes from: command line before document before `MEM_*` before the user's settings before
//! the default. And what a document may never set.

use std::collections::BTreeMap;
use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{ArgAction, Command};
use mem_store::settings::UserSettings;
use mem_types::{Document, Failure, Problems};
use serde_json::Value;

use crate::command_line::{Arguments, CommandLine};
use crate::{environment, model, report};

/// Names that no document may set for any command, also where the command does not have them: they change things,
/// start programs, open addresses, or name files. DESIGN section 1.
const NEVER_FROM_A_DOCUMENT: &[&str] = &[
    "allow_external",
    "allow_instructions",
    "apply",
    "associations",
    "audit",
    "cache",
    "collect",
    "detach",
    "expand",
    "file_names",
    "fork_read",
    "git",
    "include_native",
    "llm",
    "llm_record",
    "llm_timeout",
    "llm_url",
    "model",
    "policy",
    "prefetch",
    "provider",
    "purge",
    "purge_also",
    "record",
    "restore",
    "resume",
    "selector",
    "session",
    "sink",
    "snapshot",
    "team",
    "trust_project",
    "undo",
];

/// The command line with what stands below it.
pub struct Sources {
    command: Command,
    key: &'static str,
    arguments: Vec<OsString>,
    /// What the command line alone gives.
    matches: clap::ArgMatches,
    given: Vec<String>,
    /// Options of this command alone.
    own: Vec<String>,
    /// Option to arguments, from `MEM_*` and the user's settings.
    below: BTreeMap<String, Vec<String>>,
}

impl Sources {
    /// Reads all sources but the documents.
    pub fn read<A: Arguments>(
        command: Command,
        key: &'static str,
        arguments: Vec<OsString>,
    ) -> Result<Self, clap::Error> {
        let matches = command.clone().try_get_matches_from(arguments.iter())?;
        let is_given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let given = ids(&command).filter(is_given).map(str::to_owned).collect();
        let own = ids(&A::augment_args(Command::new(key))).map(str::to_owned).collect();
        let mut sources = Self { below: BTreeMap::new(), given, own, key, arguments, command, matches };
        sources.read_settings();
        sources.read_environment()?;
        Ok(sources)
    }

    /// Returns the options that hold when a document sets none.
    pub fn start<A: Arguments>(&self) -> Result<CommandLine<A>, clap::Error> {
        // Usually nothing stands below the command line, and what was matched holds.
        if self.below.is_empty() { CommandLine::from_matches(&self.matches) } else { self.parse(&BTreeMap::new()) }
    }

    /// Returns the command's own options for one document, or nothing when the document sets none.
    pub fn for_document<A: Arguments>(
        &self,
        document: &Document,
        problems: &mut Problems,
    ) -> Result<Option<A>, Failure> {
        let Some(options) = document.read::<BTreeMap<String, Value>>("options", problems) else { return Ok(None) };
        let Some(options) = options.get(self.key) else { return Ok(None) };
        let Value::Object(options) = options else {
            problems.warning("foreign-shape", format!("'options.{}' is passed over: it is no object", self.key));
            return Ok(None);
        };
        let mut set = BTreeMap::new();
        for (name, value) in options {
            self.take_from_document::<A>(name, value, &mut set, problems)?;
        }
        set.retain(|name, _| !self.given.contains(name));
        if set.is_empty() {
            return Ok(None);
        }
        self.parse::<A>(&set).map(|line| Some(line.own)).map_err(|error| bad_value(&error))
    }

    fn take_from_document<A: Arguments>(
        &self,
        name: &str,
        value: &Value,
        set: &mut BTreeMap<String, Vec<String>>,
        problems: &mut Problems,
    ) -> Result<(), Failure> {
        let id = name.replace('-', "_");
        if A::DOCUMENT.contains(&id.as_str()) {
            let arguments = self.as_arguments(&id, value).ok_or_else(|| {
                Failure::new(
                    "bad-value",
                    format!("'options.{}.{name}' has no value that the option takes: {value}", self.key),
                )
            })?;
            set.insert(id, arguments);
        } else if NEVER_FROM_A_DOCUMENT.contains(&id.as_str()) || ids(&self.command).any(|known| known == id) {
            problems
                .warning(
                    "refused-option",
                    format!("'options.{}.{name}' is ignored: a document may not set it", self.key),
                )
                .hint(format!("give --{} on the command line", id.replace('_', "-")));
        } else {
            problems
                .warning(
                    "unknown-option",
                    format!("'options.{}.{name}' is ignored: mem-{} has no such option", self.key, self.key),
                )
                .hint(format!("mem-{} --help lists the options", self.key));
        }
        Ok(())
    }

    fn read_settings(&mut self) {
        let Some(file) = environment::settings_file() else { return };
        match UserSettings::read(&file) {
            Ok(settings) => {
                for option in settings.options(self.key) {
                    if !self.own.iter().any(|own| own == option) && ids(&self.command).any(|known| known == option) {
                        self.say(&format!(
                            "{}: '{}.{option}' is ignored: it is an option of every call",
                            file.display(),
                            self.key
                        ));
                        continue;
                    }
                    let value = settings.get(self.key, option).cloned().unwrap_or_default();
                    match self.as_arguments(option, &value) {
                        Some(arguments) => drop(self.below.insert(option.to_owned(), arguments)),
                        None => {
                            self.say(&format!("{}: no option '{}.{option}' of that value", file.display(), self.key))
                        }
                    }
                }
            }
            Err(reason) => self.say(&reason),
        }
    }

    /// `MEM_RECALL_MAX_FILES` for an option of one command, `MEM_FORMAT` for a common one.
    fn read_environment(&mut self) -> Result<(), clap::Error> {
        let own = format!("MEM_{}_", self.key.to_uppercase());
        let ids: Vec<String> = ids(&self.command).map(str::to_owned).collect();
        for id in ids {
            // A common option has one name for all six, so that format hook is known before anything is parsed.
            let is_own = self.own.contains(&id);
            let of_command = is_own.then(|| format!("{own}{}", id.to_uppercase()));
            let of_all = (!is_own || model::IDS.contains(&id.as_str())).then(|| format!("MEM_{}", id.to_uppercase()));
            let named = of_command.into_iter().chain(of_all).find_map(|name| Some((environment::text(&name)?, name)));
            let Some((value, name)) = named else { continue };
            let Some(arguments) = self.as_arguments(&id, &Value::String(value)) else {
                let message = format!("{name} has a value that is neither yes nor no\n");
                return Err(self.command.clone().error(clap::error::ErrorKind::InvalidValue, message));
            };
            self.below.insert(id, arguments);
        }
        Ok(())
    }

    fn say(&self, message: &str) {
        if !self.matches.get_flag("quiet") {
            report::say(&format!("mem-{}", self.key), message);
        }
    }

    /// Returns a value as command-line arguments, or nothing when the option is unknown or takes no such value.
    fn as_arguments(&self, id: &str, value: &Value) -> Option<Vec<String>> {
        let option = self.command.get_arguments().find(|argument| argument.get_id() == id)?;
        let long = option.get_long()?;
        if matches!(option.get_action(), ArgAction::SetTrue) {
            let flag = match value {
                Value::Bool(flag) => *flag,
                Value::String(word) => environment::switch(word)?,
                _ => return None,
            };
            return Some(if flag { vec![format!("--{long}")] } else { Vec::new() });
        }
        let values: Vec<&Value> = match value {
            Value::Array(values) => values.iter().collect(),
            value => vec![value],
        };
        values.into_iter().map(|value| scalar(value).map(|text| format!("--{long}={text}"))).collect()
    }

    /// Parses lower sources first; of each option only the highest source is given.
    fn parse<A: Arguments>(&self, document: &BTreeMap<String, Vec<String>>) -> Result<CommandLine<A>, clap::Error> {
        let mut arguments: Vec<OsString> = self.arguments.iter().take(1).cloned().collect();
        for (id, values) in &self.below {
            if !self.given.contains(id) && !document.contains_key(id) {
                arguments.extend(values.iter().map(OsString::from));
            }
        }
        arguments.extend(document.values().flatten().map(OsString::from));
        arguments.extend(self.arguments.iter().skip(1).cloned());
        let matches = self.command.clone().try_get_matches_from(arguments)?;
        CommandLine::from_matches(&matches)
    }
}

fn ids(command: &Command) -> impl Iterator<Item = &str> {
    command.get_arguments().map(|argument| argument.get_id().as_str())
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Takes the first line of what clap says; the rest speaks of the command line.
fn bad_value(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let line = text.lines().next().unwrap_or_default();
    Failure::new("bad-value", format!("in 'options': {}", line.strip_prefix("error: ").unwrap_or(line)))
}
