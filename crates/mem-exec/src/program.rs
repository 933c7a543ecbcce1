//! A program that is to be started: its words, input, limits and environment.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::environment::{self, Inherited};
use crate::fault::Fault;
use crate::running::{self, Finished};

/// How long a program may take when nobody says.
const DEADLINE: Duration = Duration::from_secs(30);
/// Most bytes of stdout when nobody says.
const LIMIT: usize = 8 << 20;

/// A program that is to be started, without a shell.
#[derive(Debug, Clone)]
pub struct Program {
    name: OsString,
    arguments: Vec<OsString>,
    folder: Option<PathBuf>,
    variables: Vec<(OsString, OsString)>,
    inherited: Inherited,
    pub(crate) input: Vec<u8>,
    pub(crate) limit: usize,
    pub(crate) cuts: bool,
    pub(crate) deadline: Duration,
}

impl Program {
    /// Returns a program by its name or path: 30 s, 8 MiB of output, nothing on stdin.
    #[must_use]
    pub fn new(name: impl Into<OsString>) -> Self {
        Self {
            name: name.into(),
            arguments: Vec::new(),
            folder: None,
            variables: Vec::new(),
            inherited: Inherited::WithoutKeys,
            input: Vec::new(),
            limit: LIMIT,
            cuts: false,
            deadline: DEADLINE,
        }
    }

    /// Returns the program of a command line, split as a shell would; `exec:` in front of it is passed over.
    ///
    /// Nothing else of a shell is there: no variables, no pipes, no globs.
    ///
    /// # Errors
    /// When a quote is open, or when there are no words.
    pub fn parse(line: &str) -> Result<Self, Fault> {
        let line = line.strip_prefix("exec:").unwrap_or(line);
        let words = shlex::split(line).ok_or_else(|| Fault::NotReadable("a quote is not closed".into()))?;
        let mut words = words.into_iter();
        match words.next() {
            Some(name) if !name.is_empty() => Ok(Self::new(name).arguments(words)),
            _ => Err(Fault::NotReadable("it names no program".into())),
        }
    }

    /// Adds arguments, as they are.
    #[must_use]
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Starts it in `folder`; else where we were started.
    #[must_use]
    pub fn folder(self, folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), ..self }
    }

    /// Gives it bytes on stdin; else stdin is empty.
    #[must_use]
    pub fn input(self, input: Vec<u8>) -> Self {
        Self { input, ..self }
    }

    /// Kills it when it prints more than this many bytes on stdout.
    #[must_use]
    pub fn limit(self, limit: usize) -> Self {
        Self { limit, cuts: false, ..self }
    }

    /// Takes the first bytes of its stdout and kills it when there are more, which is no fault then.
    #[must_use]
    pub fn first(self, limit: usize) -> Self {
        Self { limit, cuts: true, ..self }
    }

    /// Kills it, and all that it has started, when it takes longer.
    #[must_use]
    pub fn deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// Sets a variable of its environment; this holds also for names that are cleaned away.
    #[must_use]
    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Lets the keys of models through: for a program that asks one, chosen by the user.
    #[must_use]
    pub fn with_keys(self) -> Self {
        Self { inherited: Inherited::WithKeys, ..self }
    }

    /// Gives it `PATH` and `HOME` and little else: for commands that a model has thought of.
    #[must_use]
    pub fn bare(self) -> Self {
        Self { inherited: Inherited::Bare, ..self }
    }

    /// Lets the whole environment through: for our own binary.
    #[must_use]
    pub(crate) fn like_ourselves(self) -> Self {
        Self { inherited: Inherited::Everything, ..self }
    }

    /// Returns what it printed, when it ended with 0.
    ///
    /// # Errors
    /// With a [`Fault`] for every other end.
    pub fn run(&self) -> Result<Vec<u8>, Fault> {
        let finished = self.finish()?;
        match (finished.status, finished.signal) {
            _ if finished.was_cut => Ok(finished.output),
            (Some(0), _) => Ok(finished.output),
            (Some(status), _) => Err(Fault::Failed(self.shown(), status, finished.complaint)),
            (None, signal) => Err(Fault::Killed(self.shown(), signal.unwrap_or_default(), finished.complaint)),
        }
    }

    /// Returns how it ended and what it printed, whatever its status.
    ///
    /// # Errors
    /// When it cannot be started, takes too long or prints too much.
    pub fn finish(&self) -> Result<Finished, Fault> {
        running::run(self)
    }

    /// Returns the name for messages.
    pub(crate) fn shown(&self) -> String {
        Path::new(&self.name).file_name().unwrap_or(&self.name).to_string_lossy().into_owned()
    }

    /// Returns the command, ready but for its streams.
    pub(crate) fn command(&self) -> Result<Command, Fault> {
        let mut command = Command::new(self.find()?);
        command.args(&self.arguments);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        environment::clean(&mut command, self.inherited);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        Ok(command)
    }

    /// Returns the absolute path of the program: a name is looked up in `PATH`, a path taken from where we stand.
    fn find(&self) -> Result<PathBuf, Fault> {
        let is_path = self.name.as_encoded_bytes().contains(&b'/');
        if is_path {
            return std::path::absolute(&self.name)
                .map_err(|error| Fault::System(self.shown(), error.to_string()))
                .and_then(|path| self.check(path));
        }
        let found = environment::program_folders().into_iter().map(|folder| folder.join(&self.name));
        let mut last = Fault::NotFound(self.shown());
        for path in found {
            match self.check(path) {
                Ok(path) => return Ok(path),
                Err(fault @ Fault::NotExecutable(..)) => last = fault,
                Err(_) => {}
            }
        }
        Err(last)
    }

    fn check(&self, path: PathBuf) -> Result<PathBuf, Fault> {
        use rustix::fs::{Access, FileType, access, stat};
        let Ok(metadata) = stat(path.as_path()) else { return Err(Fault::NotFound(self.shown())) };
        if !FileType::from_raw_mode(metadata.st_mode).is_file() {
            return Err(Fault::NotExecutable(self.shown(), "it is no file".into()));
        }
        match access(path.as_path(), Access::EXEC_OK) {
            Ok(()) => Ok(path),
            Err(_) => Err(Fault::NotExecutable(self.shown(), "permission denied".into())),
        }
    }
}

impl AsRef<OsStr> for Program {
    fn as_ref(&self) -> &OsStr {
        &self.name
    }
}
