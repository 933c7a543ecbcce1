//! What a command gives back for one document.

use serde::Serialize;

use crate::problem::Problems;

/// A key of the document that a command owns.
pub trait Layer: Serialize {
    /// The key in the document, such as `load`; the command is `mem-` and this word.
    const KEY: &'static str;
    /// Whether the command keeps a part of `.session` from one turn to the next.
    const KEEPS: bool;
}

impl Layer for crate::load::Load {
    const KEY: &'static str = "load";
    const KEEPS: bool = true;
}

impl Layer for crate::index::Index {
    const KEY: &'static str = "index";
    const KEEPS: bool = false;
}

impl Layer for crate::recall::Recall {
    const KEY: &'static str = "recall";
    const KEEPS: bool = true;
}

impl Layer for crate::extract::Extract {
    const KEY: &'static str = "extract";
    const KEEPS: bool = true;
}

impl Layer for crate::compact::Compact {
    const KEY: &'static str = "compact";
    const KEEPS: bool = true;
}

impl Layer for crate::age::Age {
    const KEY: &'static str = "age";
    const KEEPS: bool = false;
}

/// How much room there is for people to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Columns of the terminal.
    pub columns: usize,
    /// Whether colour may be used.
    pub color: bool,
}

/// A layer with all that goes with it into the document.
#[derive(Debug)]
pub struct Answer<L> {
    /// What is written under the layer's key.
    pub layer: L,
    /// Returns the layer for people, as lines that fit the page.
    pub text: fn(&L, &Page) -> String,
    /// What was left out or repaired.
    pub problems: Problems,
    /// JSON text for the command's own part of `.session`.
    pub session: Option<String>,
    /// JSON text that replaces `.messages`; for mem-compact alone.
    pub messages: Option<String>,
    /// Whether something that was asked for was not done, such as a write; the status is then 3.
    pub is_undone: bool,
    /// Whether a check that was asked for found something; the status is then 1.
    pub has_findings: bool,
}

impl<L> Answer<L> {
    /// Returns an answer with its problems, and nothing to keep for the next turn.
    pub fn new(layer: L, problems: Problems, text: fn(&L, &Page) -> String) -> Self {
        Self { layer, text, problems, session: None, messages: None, is_undone: false, has_findings: false }
    }

    /// Keeps `part` as the command's own part of `.session`.
    #[must_use]
    pub fn keep<S: Serialize>(mut self, part: &S) -> Self {
        self.session = Some(crate::to_json(part));
        self
    }
}
