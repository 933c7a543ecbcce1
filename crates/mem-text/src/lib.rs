//! Pure functions on text: Markdown, cutting, display width, token counts, secrets, likeness, dates, words and ranking.
//!
//! No input, no output, no environment, no clock: the moment is an argument.

pub mod comments;
pub mod cut;
pub mod dates;
pub mod diff;
pub mod markdown;
pub mod mentions;
pub mod prompt;
pub mod rank;
pub mod secrets;
pub mod similar;
pub mod stems;
pub mod table;
pub mod tokens;
pub mod width;
pub mod words;
