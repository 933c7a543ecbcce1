//! From the raw arguments to a run: parsing, help, version, completions, and the choice of input.

use std::ffi::OsString;
use std::io::Write;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser};
use mem_types::Layer;

use crate::common::{Common, Format};
use crate::run::Session;
use crate::sources::Sources;
use crate::{Run, environment, parallel, report, status};

/// The options that one command has besides the common ones.
pub trait Arguments: Args + Clone + Send + Sync + std::panic::RefUnwindSafe {
    /// Options that a document may set in `.options.<command>`; it may come from anywhere, so only limits and choices.
    const DOCUMENT: &'static [&'static str];
    /// Whether the call asks for writing memories; then a signal waits until a file is whole.
    fn writes(&self) -> bool {
        false
    }
    /// Says what is wrong with options that make no sense together; the call then ends with status 2.
    ///
    /// # Errors
    /// In words.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
    /// One line: what the command does.
    const ABOUT: &'static str;
    /// What stands below the options in `--help`: examples, statuses, where to read on.
    const AFTER_HELP: &'static str;
}

/// Everything on a command line.
#[derive(Debug, Clone, Parser)]
#[command(version)]
pub(crate) struct CommandLine<A: Args> {
    #[command(flatten)]
    pub own: A,
    #[command(flatten)]
    pub common: Common,
}

/// Returns the command's description for parsing, help, completions and tests.
pub fn command<A: Arguments>(key: &str) -> clap::Command {
    let name = format!("mem-{key}");
    CommandLine::<A>::command()
        .name(name.clone())
        .bin_name(name)
        .about(A::ABOUT)
        .after_help(A::AFTER_HELP)
        .args_override_self(true)
        .max_term_width(100)
}

/// Whether format hook is asked for, judged before anything is parsed, so that a wrong call cannot end in status 2.
pub fn asks_for_hook(arguments: &[OsString]) -> bool {
    let words: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let pair = words.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "hook");
    pair || words.iter().any(|word| word == "--format=hook")
        || environment::text("MEM_FORMAT").as_deref() == Some("hook")
}

/// Parses the command line and runs; returns the status.
pub fn start<A: Arguments, L: Layer>(run: Run<A, L>, arguments: Vec<OsString>) -> u8 {
    let name = format!("mem-{}", L::KEY);
    let command = command::<A>(L::KEY);
    let sources = match Sources::read::<A>(command, L::KEY, arguments) {
        Ok(sources) => sources,
        Err(error) => return refuse(&name, &error),
    };
    let line = match sources.start::<A>() {
        Ok(line) => line.for_our_place(),
        Err(error) => return refuse(&name, &error),
    };
    if let Some(shell) = line.common.completions {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut self::command::<A>(L::KEY), name, &mut script);
        return print(&script);
    }
    if line.common.schema {
        return print(mem_types::schema::document().as_bytes());
    }
    let checked = line.own.check();
    match checked.and_then(|()| Session::new(run, line, sources)) {
        Ok(session) => parallel::run(&session),
        Err(message) => {
            report::say(&name, &message);
            status::WRONG_CALL
        }
    }
}

/// Prints help and version on stdout, and anything else as one or more lines on stderr.
fn refuse(name: &str, error: &clap::Error) -> u8 {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return print(error.render().to_string().as_bytes());
    }
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    for line in lines {
        report::say(name, line);
    }
    status::WRONG_CALL
}

fn print(text: &[u8]) -> u8 {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => status::UNDONE,
        _ => status::ANSWERED,
    }
}

impl<A: Args> CommandLine<A> {
    /// A background child was started with its parent's arguments, but its one document is on stdin, and nobody reads
    /// what it prints: it must not be noted as shown either.
    fn for_our_place(mut self) -> Self {
        if environment::background().is_some() {
            self.common.input = None;
            self.common.no_input = false;
            self.common.paths = false;
            self.common.format = Format::Json;
        }
        self
    }

    /// Returns the options in what clap has matched.
    pub fn from_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        <Self as FromArgMatches>::from_arg_matches(matches)
    }
}
