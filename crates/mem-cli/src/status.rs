//! The four statuses.

/// Answered, also with nothing found or with problems listed.
pub const ANSWERED: u8 = 0;
/// `--strict` found something.
pub const FOUND: u8 = 1;
/// Called wrongly.
pub const WRONG_CALL: u8 = 2;
/// Work that was asked for was not done.
pub const UNDONE: u8 = 3;
