//! What went wrong: one thing that was left out (`Problem`), or the whole document (`Failure`).

use serde::{Deserialize, Serialize};

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing was lost.
    Info,
    /// Something was left out or repaired.
    Warning,
    /// Something that was asked for is missing from the answer.
    Error,
}

/// One entry of `.problems`: what was left out or repaired, why, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The command that reports it, such as `mem-load`.
    pub command: String,
    /// A fixed word in kebab case, for scripts.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence for people, lower case, without a full stop.
    pub message: String,
    /// The file concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in that file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Collects what one command reports of one document.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    command: String,
    entries: Vec<Problem>,
}

/// Why a document cannot be answered; becomes `.failed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// A fixed word in kebab case, for scripts.
    pub code: String,
    /// One sentence for people.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Problems {
    /// Returns an empty collection that reports under the name of `command`.
    #[must_use]
    pub fn new(command: &str) -> Self {
        Self { command: command.to_owned(), entries: Vec::new() }
    }

    /// Returns an empty collection that reports under the same name.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self::new(&self.command)
    }

    /// Adds something worth knowing and returns it, so that path, line and hint can be added.
    pub fn info(&mut self, code: &str, message: impl Into<String>) -> &mut Problem {
        self.add(code, Severity::Info, message.into())
    }

    /// Adds something that was left out or repaired.
    pub fn warning(&mut self, code: &str, message: impl Into<String>) -> &mut Problem {
        self.add(code, Severity::Warning, message.into())
    }

    /// Adds something that was asked for and is missing.
    pub fn error(&mut self, code: &str, message: impl Into<String>) -> &mut Problem {
        self.add(code, Severity::Error, message.into())
    }

    /// Adds what another part of the command has collected.
    pub fn extend(&mut self, others: impl IntoIterator<Item = Problem>) {
        self.entries.extend(others);
    }

    /// Returns how many were collected.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was collected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether something that was asked for is missing from the answer.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.entries.iter().any(|problem| problem.severity == Severity::Error)
    }

    /// Returns the problems in the order in which they were found.
    #[must_use]
    pub fn into_entries(self) -> Vec<Problem> {
        self.entries
    }

    fn add(&mut self, code: &str, severity: Severity, message: String) -> &mut Problem {
        self.entries.push(Problem {
            command: self.command.clone(),
            code: code.to_owned(),
            severity,
            message,
            path: None,
            line: None,
            hint: None,
        });
        self.entries.last_mut().expect("one was just added")
    }
}

impl Problem {
    /// Names the file concerned.
    pub fn path(&mut self, path: impl Into<String>) -> &mut Self {
        self.path = Some(path.into());
        self
    }

    /// Names the line in that file, from 1.
    pub fn line(&mut self, line: usize) -> &mut Self {
        self.line = u64::try_from(line).ok();
        self
    }

    /// Says what to do about it.
    pub fn hint(&mut self, hint: impl Into<String>) -> &mut Self {
        self.hint = Some(hint.into());
        self
    }
}

impl Failure {
    /// Returns a failure with a fixed `code` and a sentence for people.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), hint: None }
    }

    /// Says what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Failure {}
