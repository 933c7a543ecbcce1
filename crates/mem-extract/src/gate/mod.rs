//! The gate: what a model may do while it looks for something to remember, and how it is told what it may not.
//!
//! It reads beneath the project and the memory folder, without what usually holds keys. What it writes are memories, and
//! these are only noted here: nothing reaches the disk through the gate. Commands are taken apart and answered without a
//! shell; all but git's three are answered without starting anything.

mod files;
mod git;
mod places;
mod search;
mod shell;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mem_text::{cut, secrets};
use serde_json::Value;

pub use places::Places;

/// Most bytes of one answer.
const MOST_ANSWER: usize = 30_000;
/// Most tool calls of one answer of the model that are looked at.
pub const MOST_CALLS: usize = 64;

/// What a tool call is answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The words, masked and bounded.
    pub text: String,
    /// Whether the call was refused or failed.
    pub is_error: bool,
}

/// Why a call is not carried out, in words that the model can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct No(pub String);

/// The gate of one conversation.
#[derive(Debug)]
pub struct Gate {
    places: Places,
    /// What was written: path relative to the memory folder, and the whole text.
    written: BTreeMap<String, String>,
    /// What was refused: the tool and the reason.
    refused: Vec<(String, String)>,
}

impl Gate {
    /// Returns a gate before a project and a memory folder; `further` are files and folders that may be read besides.
    #[must_use]
    pub fn new(project: &Path, memory: &Path, further: &[PathBuf]) -> Self {
        Self { places: Places::new(project, memory, further), written: BTreeMap::new(), refused: Vec::new() }
    }

    /// Answers a call of a tool.
    pub fn answer(&mut self, tool: &str, input: &Value) -> Answer {
        let answered = match tool {
            "Read" => self.read(input),
            "Grep" => self.grep(input),
            "Glob" => self.glob(input),
            "Write" => self.write(input),
            "Edit" => self.edit(input),
            "Bash" => self.bash(input),
            _ => Err(No(format!("the tool '{}' is not open here", shown(tool)))),
        };
        match answered {
            Ok(text) => Answer { text: bounded(&secrets::mask(&text)), is_error: false },
            Err(No(reason)) => {
                self.refused.push((shown(tool), secrets::mask(&reason).into_owned()));
                Answer { text: self.refusal(&reason), is_error: true }
            }
        }
    }

    /// Returns what was written, by path.
    #[must_use]
    pub fn written(&self) -> &BTreeMap<String, String> {
        &self.written
    }

    /// Returns the calls that were refused: the tool and the reason.
    #[must_use]
    pub fn refused(&self) -> &[(String, String)] {
        &self.refused
    }

    fn refusal(&self, reason: &str) -> String {
        let text = format!(
            "Refused: {reason}. Nothing was done. Open here: Read, Grep and Glob beneath {project} and {memory}; Write \
             and Edit of .md files in {memory}; Bash with one of ls, cat, head, tail, wc, stat, pwd, git log, git show, \
             git status.",
            project = self.places.project().display(),
            memory = self.places.memory().display(),
        );
        bounded(&secrets::mask(&text))
    }
}

/// Returns a text member of a tool's input.
fn text<'v>(input: &'v Value, name: &str) -> Result<&'v str, No> {
    input[name].as_str().ok_or_else(|| No(format!("'{name}' is missing or no text")))
}

/// Returns a number of a tool's input, if it is there.
fn number(input: &Value, name: &str) -> Option<usize> {
    let value = &input[name];
    let number = value.as_u64().or_else(|| value.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64));
    number.and_then(|number| usize::try_from(number).ok())
}

fn shown(text: &str) -> String {
    cut::ellipsis(&mem_text::width::escape_line(text), 80).into_owned()
}

fn bounded(text: &str) -> String {
    let start = cut::bytes(text, MOST_ANSWER);
    let left = text.len() - start.len();
    if left == 0 { text.to_owned() } else { format!("{start}\n[{left} more bytes]") }
}
