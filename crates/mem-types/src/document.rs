//! The document: the one JSON object that crosses the pipe, held as the bytes in which it came.
//!
//! Keys that nobody here knows pass with their bytes and their order. What a command reads it parses when it asks;
//! what it writes replaces every member of that name, in the place of the first.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::pretty::{after_string, indented};
use crate::problem::Problems;
use crate::scan::{Scan, Scanner, Span, is_blank};
use crate::surrogates;

/// How deep a value may nest in the keys that are parsed. Keys that only pass have no limit.
pub const MAX_DEPTH: usize = 512;

/// The bytes of a document, wherever they are kept.
pub type Source = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// One JSON object on its way through the pipe.
#[derive(Clone)]
pub struct Document {
    source: Source,
    members: Vec<Member>,
}

impl Default for Document {
    fn default() -> Self {
        Self { source: Arc::new([]), members: Vec::new() }
    }
}

impl std::fmt::Debug for Document {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.to_line())
    }
}

#[derive(Debug, Clone)]
struct Member {
    key: Raw,
    value: Raw,
    depth: usize,
    has_line_break: bool,
}

/// Bytes of the source, or text that was put in their place.
#[derive(Debug, Clone)]
enum Raw {
    Source(Range<usize>),
    Ours(String),
}

/// Why bytes are no document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoDocument {
    /// The text is not UTF-8; the offset of the first wrong byte.
    Encoding(usize),
    /// The text is not one JSON object; the offset, and what would have fitted there.
    Syntax(usize, &'static str),
}

impl Document {
    /// Returns the document in `text`, which must hold exactly one JSON object.
    ///
    /// # Errors
    /// When the text is no JSON object, ends early, or goes on after it.
    pub fn parse(text: &str) -> Result<Self, NoDocument> {
        let bytes = text.as_bytes();
        let mut scanner = Scanner::new();
        match scanner.advance(bytes) {
            Scan::Done(end) if bytes[end..].iter().all(|&byte| is_blank(byte)) => {
                Self::from_scan(Arc::new(bytes.to_vec()), scanner.into_members())
            }
            Scan::Done(end) => Err(NoDocument::Syntax(end, "something follows the document")),
            Scan::More => Err(NoDocument::Syntax(bytes.len(), "the document ends early")),
            Scan::Bad(fault) => Err(NoDocument::Syntax(fault.offset, fault.message)),
        }
    }

    /// Returns the document whose `members` a scanner found in `source`.
    ///
    /// # Errors
    /// When the source is not UTF-8.
    pub fn from_scan(source: Source, members: Vec<Span>) -> Result<Self, NoDocument> {
        if let Err(error) = std::str::from_utf8((*source).as_ref()) {
            return Err(NoDocument::Encoding(error.valid_up_to()));
        }
        let members = members.into_iter().map(Member::from).collect();
        Ok(Self { source, members })
    }

    /// Returns the raw JSON text of the last member named `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.last(key).map(|member| self.text(&member.value))
    }

    /// Whether a member named `key` is there and is not `null`.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| value != "null")
    }

    /// Returns the value of `key`, or nothing when it is missing, `null`, or of a foreign shape.
    ///
    /// A foreign shape is reported in `problems` and counts as absent.
    pub fn read<T: DeserializeOwned>(&self, key: &str, problems: &mut Problems) -> Option<T> {
        match self.try_read(key) {
            Ok(value) => value,
            Err(reason) => {
                problems
                    .warning("foreign-shape", format!("'{key}' is passed over: {reason}"))
                    .hint(format!("give '{key}' the shape that mem-document(5) lists"));
                None
            }
        }
    }

    /// Returns the raw JSON text of the list under `key`; what is there and no list is reported and counts as absent.
    pub fn list(&self, key: &str, problems: &mut Problems) -> Option<&str> {
        let raw = self.get(key).filter(|raw| *raw != "null")?;
        if !raw.starts_with('[') {
            problems
                .warning("foreign-shape", format!("'{key}' is passed over: it is no list"))
                .hint(format!("give '{key}' the shape that mem-document(5) lists"));
            return None;
        }
        Some(raw)
    }

    /// Returns the value of `key`, or nothing when it is missing or `null`.
    ///
    /// # Errors
    /// In words, when the value nests too deep or has another shape than `T`.
    pub fn try_read<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, String> {
        let Some(member) = self.last(key) else {
            return Ok(None);
        };
        if member.depth > MAX_DEPTH {
            return Err(format!("it nests {} levels deep, {MAX_DEPTH} are read", member.depth));
        }
        parse_value(self.text(&member.value))
    }

    /// Writes `value`, which is JSON text, as the only member named `key`: where the first of them stood, else last.
    pub fn set(&mut self, key: &str, value: String) {
        let member = Member::ours(key, value);
        let first = self.members.iter().position(|member| self.is_named(member, key));
        self.remove(key);
        let place = first.unwrap_or(self.members.len());
        self.members.insert(place, member);
    }

    /// Writes `value` as JSON under `key`, as `set` does.
    pub fn write<T: serde::Serialize>(&mut self, key: &str, value: &T) {
        self.set(key, to_json(value));
    }

    /// Adds a member behind all others, even when one of that name is there.
    pub fn append(&mut self, key: &str, value: String) {
        self.members.push(Member::ours(key, value));
    }

    /// Takes every member named `key` out.
    pub fn remove(&mut self, key: &str) {
        let source = (*self.source).as_ref();
        self.members.retain(|member| !is_key(member.key.text(source), key));
    }

    /// Returns the names of all members, unescaped, in order and with repetitions.
    pub fn keys(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.members.iter().map(|member| unescaped(self.text(&member.key)))
    }

    /// Writes the document as one line of JSON, without the line's end.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn write_to(&self, writer: &mut impl Write) -> io::Result<()> {
        writer.write_all(b"{")?;
        for (number, member) in self.members.iter().enumerate() {
            if number > 0 {
                writer.write_all(b",")?;
            }
            writer.write_all(self.text(&member.key).as_bytes())?;
            writer.write_all(b":")?;
            let value = member.value.bytes((*self.source).as_ref());
            if member.has_line_break {
                write_without_blanks(value, writer)?;
            } else {
                writer.write_all(value)?;
            }
        }
        writer.write_all(b"}")
    }

    /// Returns the document as one line of JSON.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut line = Vec::new();
        self.write_to(&mut line).expect("a vector takes every byte");
        String::from_utf8(line).expect("the source was checked to be UTF-8")
    }

    /// Returns the document as indented JSON, with a line's end.
    #[must_use]
    pub fn to_pretty(&self) -> String {
        indented(&self.to_line()) + "\n"
    }

    fn last(&self, key: &str) -> Option<&Member> {
        self.members.iter().rev().find(|member| self.is_named(member, key))
    }

    fn is_named(&self, member: &Member, key: &str) -> bool {
        is_key(self.text(&member.key), key)
    }

    fn text<'a>(&'a self, raw: &'a Raw) -> &'a str {
        raw.text((*self.source).as_ref())
    }
}

impl Raw {
    fn bytes<'a>(&'a self, source: &'a [u8]) -> &'a [u8] {
        match self {
            Self::Source(range) => &source[range.clone()],
            Self::Ours(text) => text.as_bytes(),
        }
    }

    fn text<'a>(&'a self, source: &'a [u8]) -> &'a str {
        match self {
            Self::Source(_) => std::str::from_utf8(self.bytes(source)).expect("tokens end at ASCII bytes of UTF-8"),
            Self::Ours(text) => text,
        }
    }
}

impl Member {
    /// Line breaks in JSON stand between tokens only; they are taken out on the way out.
    fn ours(key: &str, value: String) -> Self {
        let has_line_break = value.bytes().any(|byte| byte == b'\n' || byte == b'\r');
        Self { key: Raw::Ours(quoted(key)), value: Raw::Ours(value), depth: 0, has_line_break }
    }
}

impl From<Span> for Member {
    fn from(span: Span) -> Self {
        Self {
            key: Raw::Source(span.key),
            value: Raw::Source(span.value),
            depth: span.depth,
            has_line_break: span.has_line_break,
        }
    }
}

/// Returns `value` as JSON text.
///
/// # Panics
/// Never for the types of this crate: their keys are text and their numbers finite.
pub fn to_json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("wire types have text keys")
}

/// Returns the value in the JSON text `raw`; `null` is nothing. Lone surrogates in strings become U+FFFD.
///
/// # Errors
/// In words, when the value has another shape than `T`.
pub fn parse_value<T: DeserializeOwned>(raw: &str) -> Result<Option<T>, String> {
    match from_json(raw) {
        Ok(value) => Ok(value),
        Err(error) => match surrogates::mended(raw) {
            Cow::Owned(mended) => from_json(&mended),
            Cow::Borrowed(_) => Err(error),
        }
        .map_err(without_place),
    }
}

fn from_json<T: DeserializeOwned>(raw: &str) -> Result<Option<T>, String> {
    let mut deserializer = serde_json::Deserializer::from_str(raw);
    deserializer.disable_recursion_limit();
    Option::<T>::deserialize(&mut deserializer).map_err(|error| error.to_string())
}

/// Takes ` at line 1 column 7` off an error: the place is counted within the value, which would mislead.
fn without_place(message: String) -> String {
    match message.rfind(" at line ") {
        Some(place) => message[..place].to_owned(),
        None => message,
    }
}

fn quoted(key: &str) -> String {
    to_json(&key)
}

/// Whether the quoted and perhaps escaped `raw` spells `key`.
fn is_key(raw: &str, key: &str) -> bool {
    let inner = &raw[1..raw.len() - 1];
    if inner.contains('\\') { unescaped(raw) == key } else { inner == key }
}

fn unescaped(raw: &str) -> Cow<'_, str> {
    let inner = &raw[1..raw.len() - 1];
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    // A key with a lone surrogate cannot be spelled in UTF-8; it stays as it came and equals none of ours.
    serde_json::from_str(raw).map_or(Cow::Borrowed(inner), Cow::Owned)
}

/// Writes JSON text without the white space between its tokens.
fn write_without_blanks(bytes: &[u8], writer: &mut impl Write) -> io::Result<()> {
    let mut position = 0;
    while position < bytes.len() {
        let start = position;
        while position < bytes.len() && !is_blank(bytes[position]) {
            position = if bytes[position] == b'"' { after_string(bytes, position) } else { position + 1 };
        }
        writer.write_all(&bytes[start..position])?;
        while position < bytes.len() && is_blank(bytes[position]) {
            position += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(input: &str, change: impl Fn(&mut Document), output: &str) {
        let mut document = Document::parse(input).unwrap();
        change(&mut document);
        assert_eq!(document.to_line(), output);
    }

    #[test]
    fn foreign_tokens_keep_their_spelling_and_order() {
        let line = r#"{"b":1.50e+09,"a":"\u00e9\/\ud800","b":[ 1,2 ],"\u0063":12345678901234567890123}"#;
        check(line, |_| {}, line);
        check("{\n \"a\" : [ 1 ,\n  \"x y\\\" z\" ] ,\n\"b\":\"\"}", |_| {}, r#"{"a":[1,"x y\" z"],"b":""}"#);
    }

    #[test]
    fn the_last_of_a_name_is_read_and_all_of_it_are_replaced_in_place() {
        let document = Document::parse(r#"{"a":1,"b":2,"\u0061":3}"#).unwrap();
        assert_eq!(document.get("a"), Some("3"));
        check(r#"{"a":1,"b":2,"\u0061":3}"#, |document| document.set("a", "9".into()), r#"{"a":9,"b":2}"#);
        check(r#"{"b":2}"#, |document| document.set("a", "9".into()), r#"{"b":2,"a":9}"#);
        check(r#"{"b":2}"#, |document| document.append("b", "9".into()), r#"{"b":2,"b":9}"#);
    }

    #[test]
    fn a_foreign_shape_counts_as_absent_and_is_said() {
        let document = Document::parse(r#"{"prompt":7,"cwd":null}"#).unwrap();
        let mut problems = Problems::new("mem-load");
        assert_eq!(document.read::<String>("prompt", &mut problems), None);
        assert_eq!(document.read::<String>("cwd", &mut problems), None);
        assert_eq!(problems.len(), 1);
    }

    #[test]
    fn values_deeper_than_the_limit_pass_but_are_not_parsed() {
        let deep = format!(r#"{{"messages":{}{}}}"#, "[".repeat(5000), "]".repeat(5000));
        check(&deep, |_| {}, &deep);
        let document = Document::parse(&deep).unwrap();
        assert!(document.try_read::<serde_json::Value>("messages").unwrap_err().contains("512"));
        let near = format!(r#"{{"messages":{}{}}}"#, "[".repeat(512), "]".repeat(512));
        assert!(Document::parse(&near).unwrap().try_read::<serde_json::Value>("messages").is_ok());
    }

    #[test]
    fn lone_surrogates_in_a_key_that_is_read_become_replacement_characters() {
        let document = Document::parse(r#"{"prompt":"a\ud83d b\ud83d\ude00"}"#).unwrap();
        assert_eq!(document.try_read::<String>("prompt"), Ok(Some("a\u{fffd} b😀".into())));
    }

    #[test]
    fn text_behind_the_document_is_no_document() {
        for text in ["", "{} {}", "{", "[]", "{\"a\":1}x"] {
            assert!(Document::parse(text).is_err(), "{text}");
        }
    }
}
