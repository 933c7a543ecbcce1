//! Finds where one JSON object ends and where its members lie, in bytes that arrive piece by piece.
//!
//! The scan checks the grammar of RFC 8259 and keeps nothing but positions: tokens are not copied, numbers are not
//! rounded, escapes are not undone. UTF-8 is left to the caller, who looks at the whole document once. Nesting costs
//! one bit a level, so that a value which is only passed on may be nested as deep as it likes.

mod inside;
mod nesting;
#[cfg(test)]
mod tests;
mod tokens;

use std::ops::Range;

use nesting::Nesting;
use tokens::Word;
pub use tokens::is_blank;
pub(crate) use tokens::plain_length;

/// What the bytes seen so far have come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    /// The object is not complete; more bytes are needed.
    More,
    /// The object is complete and ends before this offset.
    Done(usize),
    /// The bytes cannot be the start of a JSON object.
    Bad(Fault),
}

/// Where a document is broken, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Offset in bytes of the first byte that does not fit.
    pub offset: usize,
    /// What would have fitted, in words.
    pub message: &'static str,
}

/// One key and its value in the outermost object, as positions in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The key with its quotation marks.
    pub key: Range<usize>,
    /// The value, without the white space around it.
    pub value: Range<usize>,
    /// How many arrays and objects the value nests at its deepest.
    pub depth: usize,
    /// Whether a line break stands between its tokens.
    pub has_line_break: bool,
}

/// Reads one object; `advance` may be called again whenever the buffer has grown.
#[derive(Debug, Clone)]
pub struct Scanner {
    position: usize,
    state: State,
    nesting: Nesting,
    members: Vec<Span>,
    open: Option<Span>,
    line_breaks: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Done,
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    Text { is_key: bool },
    Escape { is_key: bool },
    Hex { is_key: bool, left: u8 },
    Number(Number),
    Word { word: Word, read: u8 },
}

/// The part of a number that was read last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    Sign,
    Power,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new()
    }
}

impl Scanner {
    /// Returns a scanner that stands before the first byte of a document.
    #[must_use]
    pub fn new() -> Self {
        Self {
            position: 0,
            state: State::Start,
            nesting: Nesting::default(),
            members: Vec::new(),
            open: None,
            line_breaks: 0,
        }
    }

    /// Returns the members found so far, in the order in which they stand.
    #[must_use]
    pub fn into_members(self) -> Vec<Span> {
        self.members
    }

    /// Returns how many line feeds have been passed; in JSON they stand between tokens only.
    #[must_use]
    pub fn line_breaks(&self) -> u64 {
        self.line_breaks
    }

    /// Whether only white space has been seen so far.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.state == State::Start
    }

    /// Reads on from where the last call stopped and says what the bytes have come to.
    ///
    /// `bytes` is the document from its first byte; earlier bytes must not have changed.
    pub fn advance(&mut self, bytes: &[u8]) -> Scan {
        while self.position < bytes.len() {
            if self.nesting.depth > 1 {
                self.run_inside(bytes);
            }
            let Some(&byte) = bytes.get(self.position) else { break };
            let stepped = match self.state {
                State::Text { is_key } => self.text(bytes, is_key),
                State::Value | State::ValueOrEnd => self.value(bytes, byte),
                State::CommaOrEnd => self.comma_or_end(bytes, byte),
                State::Key | State::KeyOrEnd => self.key(bytes, byte),
                State::Colon => self.colon(bytes, byte),
                State::Number(number) => self.number(bytes, number),
                State::Escape { is_key } => self.escape(byte, is_key),
                State::Hex { is_key, left } => self.hex(byte, is_key, left),
                State::Word { word, read } => self.word(byte, word, read),
                State::Start => self.start(byte),
                State::Done => return Scan::Done(self.position),
            };
            if let Err(message) = stepped {
                return Scan::Bad(Fault { offset: self.position, message });
            }
        }
        if self.state == State::Done { Scan::Done(self.position) } else { Scan::More }
    }

    #[inline]
    fn enter(&mut self, is_object: bool) -> State {
        self.nesting.push(is_object);
        if let Some(open) = &mut self.open {
            open.depth = open.depth.max(self.nesting.depth - 1);
        }
        if is_object { State::KeyOrEnd } else { State::ValueOrEnd }
    }

    fn start(&mut self, byte: u8) -> Result<(), &'static str> {
        if is_blank(byte) {
            self.line_breaks += u64::from(byte == b'\n');
            self.position += 1;
            return Ok(());
        }
        if byte != b'{' {
            return Err("a document is one JSON object and starts with '{'");
        }
        self.position += 1;
        self.nesting.push(true);
        self.state = State::KeyOrEnd;
        Ok(())
    }

    /// Skips white space from a blank on; a line break inside a member is remembered.
    fn skip_blanks(&mut self, bytes: &[u8]) {
        while let Some(&byte) = bytes.get(self.position)
            && is_blank(byte)
        {
            if byte == b'\n' || byte == b'\r' {
                self.note_line_break(byte);
            }
            self.position += 1;
        }
    }

    fn note_line_break(&mut self, byte: u8) {
        self.line_breaks += u64::from(byte == b'\n');
        if self.nesting.depth > 1
            && let Some(open) = &mut self.open
        {
            open.has_line_break = true;
        }
    }

    #[inline]
    fn value(&mut self, bytes: &[u8], byte: u8) -> Result<(), &'static str> {
        if is_blank(byte) {
            self.skip_blanks(bytes);
            return Ok(());
        }
        if byte == b']' && self.state == State::ValueOrEnd {
            return self.close(false);
        }
        self.start_member_value();
        self.state = match byte {
            b'"' => {
                self.position += 1;
                self.state = State::Text { is_key: false };
                return self.text(bytes, false);
            }
            b'{' => return self.open(true),
            b'[' => return self.open(false),
            b'-' => State::Number(Number::Minus),
            b'0' => State::Number(Number::Zero),
            b'1'..=b'9' => State::Number(Number::Integer),
            b't' => State::Word { word: Word::True, read: 1 },
            b'f' => State::Word { word: Word::False, read: 1 },
            b'n' => State::Word { word: Word::Null, read: 1 },
            _ => return Err("expected a value"),
        };
        self.position += 1;
        Ok(())
    }

    fn start_member_value(&mut self) {
        if self.nesting.depth == 1
            && let Some(open) = &mut self.open
        {
            open.value = self.position..self.position;
        }
    }

    fn open(&mut self, is_object: bool) -> Result<(), &'static str> {
        self.state = self.enter(is_object);
        self.position += 1;
        Ok(())
    }

    fn close(&mut self, is_object: bool) -> Result<(), &'static str> {
        if self.nesting.is_object() != is_object {
            return Err("a bracket is closed by the wrong kind");
        }
        self.position += 1;
        self.nesting.pop();
        if self.nesting.depth == 0 {
            self.state = State::Done;
        } else {
            self.value_ended();
        }
        Ok(())
    }

    /// Notes the end of a value; in the outermost object that ends the member.
    fn value_ended(&mut self) {
        self.state = State::CommaOrEnd;
        if self.nesting.depth == 1 {
            self.end_member(self.position);
        }
    }

    fn end_member(&mut self, end: usize) {
        if let Some(mut open) = self.open.take() {
            open.value.end = end;
            self.members.push(open);
        }
    }

    #[inline]
    fn comma_or_end(&mut self, bytes: &[u8], byte: u8) -> Result<(), &'static str> {
        if is_blank(byte) {
            self.skip_blanks(bytes);
            return Ok(());
        }
        let in_object = self.nesting.is_object();
        match byte {
            b',' => {
                self.position += 1;
                self.state = if in_object { State::Key } else { State::Value };
                Ok(())
            }
            b'}' if in_object => self.close(true),
            b']' if !in_object => self.close(false),
            _ if in_object => Err("expected ',' or '}'"),
            _ => Err("expected ',' or ']'"),
        }
    }

    #[inline]
    fn key(&mut self, bytes: &[u8], byte: u8) -> Result<(), &'static str> {
        if is_blank(byte) {
            self.skip_blanks(bytes);
            return Ok(());
        }
        if byte == b'}' && self.state == State::KeyOrEnd {
            return self.close(true);
        }
        if byte != b'"' {
            return Err("expected a key in double quotes");
        }
        if self.nesting.depth == 1 {
            self.open = Some(Span { key: self.position..self.position, value: 0..0, depth: 0, has_line_break: false });
        }
        self.position += 1;
        self.state = State::Text { is_key: true };
        self.text(bytes, true)
    }

    #[inline]
    fn colon(&mut self, bytes: &[u8], byte: u8) -> Result<(), &'static str> {
        if is_blank(byte) {
            self.skip_blanks(bytes);
            return Ok(());
        }
        if byte != b':' {
            return Err("expected ':'");
        }
        self.position += 1;
        self.state = State::Value;
        Ok(())
    }

    #[inline]
    fn text(&mut self, bytes: &[u8], is_key: bool) -> Result<(), &'static str> {
        self.position += plain_length(&bytes[self.position..]);
        match bytes.get(self.position) {
            None => {}
            Some(b'"') => {
                self.position += 1;
                self.text_ended(is_key);
            }
            Some(b'\\') => {
                self.position += 1;
                self.state = State::Escape { is_key };
            }
            Some(_) => return Err("a control character stands inside a string (escape it)"),
        }
        Ok(())
    }

    fn text_ended(&mut self, is_key: bool) {
        if !is_key {
            return self.value_ended();
        }
        self.state = State::Colon;
        if self.nesting.depth == 1
            && let Some(open) = &mut self.open
        {
            open.key.end = self.position;
        }
    }

    fn escape(&mut self, byte: u8, is_key: bool) -> Result<(), &'static str> {
        self.state = match byte {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => State::Text { is_key },
            b'u' => State::Hex { is_key, left: 4 },
            _ => return Err("unknown escape in a string"),
        };
        self.position += 1;
        Ok(())
    }

    fn hex(&mut self, byte: u8, is_key: bool, left: u8) -> Result<(), &'static str> {
        if !byte.is_ascii_hexdigit() {
            return Err("\\u needs four hexadecimal digits");
        }
        self.position += 1;
        self.state = if left == 1 { State::Text { is_key } } else { State::Hex { is_key, left: left - 1 } };
        Ok(())
    }

    /// Reads a number as far as it has come; the byte behind it is left for the next step.
    fn number(&mut self, bytes: &[u8], mut number: Number) -> Result<(), &'static str> {
        use Number::{Exponent, Fraction, Integer, Minus, Point, Power, Sign, Zero};
        while let Some(&byte) = bytes.get(self.position) {
            number = match (number, byte) {
                (Integer | Minus, b'1'..=b'9') | (Integer, b'0') => Integer,
                (Point | Fraction, b'0'..=b'9') => Fraction,
                (Minus, b'0') => Zero,
                (Zero | Integer, b'.') => Point,
                (Zero | Integer | Fraction, b'e' | b'E') => Exponent,
                (Exponent, b'+' | b'-') => Sign,
                (Exponent | Sign | Power, b'0'..=b'9') => Power,
                (Zero | Integer | Fraction | Power, _) => {
                    self.value_ended();
                    return Ok(());
                }
                _ => return Err("a number is not complete"),
            };
            self.position += 1;
        }
        self.state = State::Number(number);
        Ok(())
    }

    fn word(&mut self, byte: u8, word: Word, read: u8) -> Result<(), &'static str> {
        let spelling = word.spelling();
        if spelling.get(usize::from(read)) != Some(&byte) {
            return Err("expected true, false or null");
        }
        self.position += 1;
        self.state = State::Word { word, read: read + 1 };
        if usize::from(read) + 1 == spelling.len() {
            self.value_ended();
        }
        Ok(())
    }
}
