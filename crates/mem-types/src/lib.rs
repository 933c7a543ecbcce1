//! The nouns on the wire: the document that crosses the pipe, what each layer writes into it, and how trouble is told.
//!
//! Values only: nothing here reads a stream, a file, the environment or the clock.

pub mod age;
pub mod answer;
pub mod asking;
pub mod compact;
pub mod document;
pub mod extract;
pub mod index;
pub mod input;
pub mod load;
pub mod pretty;
pub mod problem;
pub mod recall;
pub mod scan;
pub mod schema;
pub mod session;
pub mod surrogates;

pub use answer::{Answer, Layer, Page};
pub use asking::Usage;
pub use document::{Document, NoDocument, parse_value, to_json};
pub use problem::{Failure, Problem, Problems, Severity};

/// The version of the document that these commands read and write.
pub const SCHEMA: u64 = 1;
