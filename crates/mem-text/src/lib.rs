//! Pure functions on text: cutting, display width, token counts, secrets, likeness and dates.
//!
//! No input, no output, no environment, no clock: the moment is an argument.

pub mod cut;
pub mod dates;
pub mod secrets;
pub mod similar;
pub mod table;
pub mod tokens;
pub mod width;
