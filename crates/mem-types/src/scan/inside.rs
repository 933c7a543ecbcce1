//! The fast path: whole tokens inside a member, where a large document spends its time.

use super::tokens::{is_blank, plain_number, plain_string, plain_word};
use super::{Scanner, State};

impl Scanner {
    /// Takes whole tokens inside a member as long as they are plain, and leaves all else to the steps.
    ///
    /// This is where a large document spends its time, so position and state are kept in locals. What is cut off by
    /// the end of the buffer, escaped, or wrong is left standing with the state before it.
    pub(super) fn run_inside(&mut self, bytes: &[u8]) {
        let mut position = self.position;
        let mut state = self.state;
        while self.nesting.depth > 1 {
            let Some(byte) = self.next_token(bytes, &mut position) else { break };
            let taken = match state {
                State::Value | State::ValueOrEnd => match byte {
                    b'"' => plain_string(&bytes[position..]).map(|length| (length, State::CommaOrEnd)),
                    b'{' => Some((1, self.enter(true))),
                    b'[' => Some((1, self.enter(false))),
                    b']' if state == State::ValueOrEnd => self.leave(false),
                    b'-' | b'0'..=b'9' => plain_number(&bytes[position..]).map(|length| (length, State::CommaOrEnd)),
                    _ => plain_word(&bytes[position..]).map(|length| (length, State::CommaOrEnd)),
                },
                State::CommaOrEnd => match byte {
                    b',' => Some((1, if self.nesting.is_object() { State::Key } else { State::Value })),
                    b'}' => self.leave(true),
                    b']' => self.leave(false),
                    _ => None,
                },
                State::Key | State::KeyOrEnd => match byte {
                    b'"' => plain_string(&bytes[position..]).map(|length| (length, State::Colon)),
                    b'}' if state == State::KeyOrEnd => self.leave(true),
                    _ => None,
                },
                State::Colon if byte == b':' => Some((1, State::Value)),
                _ => None,
            };
            let Some((length, after)) = taken else { break };
            position += length;
            state = after;
        }
        self.position = position;
        self.state = state;
    }

    /// Returns the next byte that is no white space and moves `position` to it.
    #[inline]
    fn next_token(&mut self, bytes: &[u8], position: &mut usize) -> Option<u8> {
        loop {
            let byte = *bytes.get(*position)?;
            if !is_blank(byte) {
                return Some(byte);
            }
            if byte == b'\n' || byte == b'\r' {
                self.note_line_break(byte);
            }
            *position += 1;
        }
    }

    /// Closes an inner bracket; the one that ends the member's value is left to the steps.
    #[inline]
    fn leave(&mut self, is_object: bool) -> Option<(usize, State)> {
        if self.nesting.depth < 3 || self.nesting.is_object() != is_object {
            return None;
        }
        self.nesting.pop();
        Some((1, State::CommaOrEnd))
    }
}
