//! Asks a language model: the only crate that opens a socket.
