//! Reads the envelope of a record without reading the rest: what is passed over is only looked at for where it ends.
//!
//! It is strict in what it walks and lenient in what it passes over. Whatever is odd is left to the slower way, which
//! says what is wrong with it; so nothing is lost, and what is passed over is read in full when it is live.

use super::{Envelope, id, tool};
use crate::json;

/// Strings up to here end sooner than a search for their end is set up.
const SHORT: usize = 24;

/// Returns the envelope of a text that is one object; nothing when it is not, or is too odd for one pass.
pub(super) fn read(text: &str) -> Option<Envelope<'_>> {
    let mut cursor = Cursor { text, bytes: text.as_bytes(), at: 0 };
    let mut envelope = Envelope::default();
    cursor.members(|cursor, key| {
        if key == "message" {
            return cursor.message(&mut envelope);
        }
        let start = cursor.at;
        cursor.pass_over()?;
        envelope.take(key, &cursor.text[start..cursor.at]);
        Some(())
    })?;
    cursor.blanks();
    (cursor.at == text.len()).then_some(envelope)
}

struct Cursor<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.blanks();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Calls `take` at the value of each member of the object that begins here.
    fn members(&mut self, mut take: impl FnMut(&mut Self, &'a str) -> Option<()>) -> Option<()> {
        self.expect(b'{')?;
        self.blanks();
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            self.blanks();
            let key = self.key()?;
            self.expect(b':')?;
            self.blanks();
            take(self, key)?;
            self.blanks();
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    /// Returns a key that holds no escape.
    fn key(&mut self) -> Option<&'a str> {
        let start = self.at;
        self.string()?;
        let key = &self.text[start + 1..self.at - 1];
        (!key.contains('\\')).then_some(key)
    }

    /// Passes over the string that begins here.
    fn string(&mut self) -> Option<()> {
        if self.peek()? != b'"' {
            return None;
        }
        self.at += 1;
        loop {
            let rest = self.bytes.get(self.at..)?;
            let near = rest.iter().take(SHORT).position(|byte| matches!(byte, b'"' | b'\\'));
            let found = match near {
                Some(found) => found,
                None => SHORT + memchr::memchr2(b'"', b'\\', rest.get(SHORT..)?)?,
            };
            self.at += found + 1;
            if rest[found] == b'"' {
                return Some(());
            }
            // The mark behind a backslash is part of the text, whatever it is.
            self.at += 1;
        }
    }

    /// Passes over the value that begins here.
    fn pass_over(&mut self) -> Option<()> {
        match self.peek()? {
            b'"' => self.string(),
            b'{' | b'[' => self.nest(),
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                let rest = &self.bytes[self.at..];
                let is_in_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
                let length = rest.iter().position(|byte| !is_in_word(byte))?;
                self.at += length;
                matches!(rest[length], b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r').then_some(())
            }
            _ => None,
        }
    }

    fn nest(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Reads `message`: its id, and the tool blocks of its content.
    fn message(&mut self, envelope: &mut Envelope<'a>) -> Option<()> {
        self.members(|cursor, key| match key {
            "id" => {
                envelope.answer = cursor.text_value()?.as_deref().map(id);
                Some(())
            }
            "content" if cursor.peek()? == b'[' => cursor.blocks(envelope),
            "content" => cursor.string(),
            _ => cursor.pass_over(),
        })
    }

    /// Reads a list of blocks.
    fn blocks(&mut self, envelope: &mut Envelope<'a>) -> Option<()> {
        self.expect(b'[')?;
        self.blanks();
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            self.blanks();
            self.block(envelope)?;
            self.blanks();
            match self.peek()? {
                b',' => self.at += 1,
                b']' => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    fn block(&mut self, envelope: &mut Envelope<'a>) -> Option<()> {
        let (mut kind, mut own, mut of) = (None, None, None);
        self.members(|cursor, key| {
            let slot = match key {
                "type" => &mut kind,
                "id" => &mut own,
                "tool_use_id" => &mut of,
                _ => return cursor.pass_over(),
            };
            *slot = cursor.text_value()?;
            Some(())
        })?;
        let ids = (own.as_deref().map(id), of.as_deref().map(id));
        envelope.tools.extend(tool(kind.as_deref(), ids.0, ids.1));
        Some(())
    }

    /// Passes over a value and returns its text when it is a string.
    fn text_value(&mut self) -> Option<Option<std::borrow::Cow<'a, str>>> {
        let start = self.at;
        self.pass_over()?;
        Some(json::string(&self.text[start..self.at]))
    }
}
