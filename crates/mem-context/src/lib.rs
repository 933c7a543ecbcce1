//! From the keys of a document to what a model is given: as text to look at, as a hook's answer, as a request body.
//!
//! Values in, values out. Words to a model state facts; orders from outside look like an attack to it.

mod context;
mod frozen;
mod guide;
mod hook;
mod layers;
mod memories;
mod message;
mod problems;
mod request;

use mem_types::session::{Frozen, Shown};

pub use context::context;
pub use frozen::{Turn, request_in_session};
pub use guide::GUIDE;
pub use hook::hook;
pub use problems::problems_text;
pub use request::request;

/// Choices of what is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Whether the memory guide is given.
    pub has_guide: bool,
    /// In a hook's answer: whether to give also what the agent loads by itself.
    pub has_native: bool,
}

/// A text for a model, and the memories that it shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    /// What is printed; empty when nothing is to be said.
    pub text: String,
    /// Memories whose text is in it; turn and epoch are the caller's to fill in.
    pub shown: Vec<Shown>,
    /// What the next request of this session must repeat; only of [`request_in_session`].
    pub frozen: Option<Frozen>,
    /// Words about what will cost more than expected, each with a code before it.
    pub notes: Vec<String>,
}
