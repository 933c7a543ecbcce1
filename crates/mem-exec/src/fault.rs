//! Why a program gave no answer, each cause for itself.

use std::fmt;
use std::time::Duration;

/// Why a program gave no answer. Shown, it is one sentence for people, without a secret in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The words of the command line cannot be told apart, or there are none.
    NotReadable(String),
    /// No program of this name is there.
    NotFound(String),
    /// The file is there and cannot be executed; the system's own words.
    NotExecutable(String, String),
    /// It had not ended when its time was over, and was killed with all that it had started.
    Late(String, Duration),
    /// It printed more than this many bytes, and was killed.
    TooMuch(String, usize),
    /// It ended with this status; the masked tail of its stderr.
    Failed(String, i32, String),
    /// It was ended by this signal; the masked tail of its stderr.
    Killed(String, i32, String),
    /// The system refused something else; its own words.
    System(String, String),
}

impl Fault {
    /// Returns a fixed word in kebab case, for scripts.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotReadable(_) => "bad-command-line",
            Self::NotFound(_) => "program-not-found",
            Self::NotExecutable(..) => "program-not-executable",
            Self::Late(..) => "program-late",
            Self::TooMuch(..) => "program-output-too-large",
            Self::Failed(..) => "program-failed",
            Self::Killed(..) => "program-killed",
            Self::System(..) => "program-not-started",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotReadable(reason) => write!(formatter, "the command line cannot be read: {reason}"),
            Self::NotFound(program) => write!(formatter, "{program}: no such program"),
            Self::NotExecutable(program, reason) => write!(formatter, "{program}: cannot be executed: {reason}"),
            Self::Late(program, deadline) => {
                write!(formatter, "{program}: no answer within {} s", deadline.as_secs_f64())
            }
            Self::TooMuch(program, limit) => write!(formatter, "{program}: more than {limit} bytes of output"),
            Self::Failed(program, status, tail) => {
                write!(formatter, "{program}: ended with status {status}{}", said(tail))
            }
            Self::Killed(program, signal, tail) => {
                write!(formatter, "{program}: ended by signal {signal}{}", said(tail))
            }
            Self::System(program, reason) => write!(formatter, "{program}: {reason}"),
        }
    }
}

impl std::error::Error for Fault {}

fn said(tail: &str) -> String {
    if tail.is_empty() { String::new() } else { format!(": {tail}") }
}
