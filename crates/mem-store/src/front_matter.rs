//! The head of a Markdown file between two `---` lines, read as YAML where it is YAML and line by line where it is not.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::yaml;

/// The keys of a file's head.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontMatter {
    values: Map<String, Value>,
    findings: Vec<Finding>,
}

/// Something about a head that its author should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Line in the file, from 1.
    pub line: usize,
    /// A fixed word: `front-matter-repaired`, `front-matter-cut`, `front-matter-doubled` or `front-matter-unclosed`.
    pub code: &'static str,
    /// In words.
    pub message: String,
}

/// A file taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts<'a> {
    /// The head, when there is one.
    pub matter: Option<FrontMatter>,
    /// What follows it.
    pub body: &'a str,
}

/// Takes a memory file apart. A head that is not closed is read as far as its lines look like one.
#[must_use]
pub fn of_memory(text: &str) -> Parts<'_> {
    let text = without_bom(text);
    match split(text) {
        Head::None => Parts { matter: None, body: text },
        Head::Closed { head, body } => joined(head, body),
        Head::Unclosed => unclosed(text),
    }
}

/// Takes an instruction file apart. A head that is not closed is text, as clients read it.
#[must_use]
pub fn of_instructions(text: &str) -> Parts<'_> {
    let text = without_bom(text);
    match split(text) {
        Head::Closed { head, body } => Parts { matter: Some(FrontMatter::parse(head)), body },
        Head::None | Head::Unclosed => Parts { matter: None, body: text },
    }
}

/// Returns the text without a byte order mark at its start.
#[must_use]
pub fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Returns the text with line feeds at the ends of its lines; a single carriage return ends a line in Markdown, too.
#[must_use]
pub fn with_line_feeds(text: Cow<'_, str>) -> Cow<'_, str> {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return text;
    }
    Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
}

impl FrontMatter {
    /// Returns the keys in `head`, the text between the two `---` lines.
    #[must_use]
    pub fn parse(head: &str) -> Self {
        let mut matter = match simple(head) {
            Some(values) => Self { values, findings: Vec::new() },
            None => Self::parse_yaml(head),
        };
        matter.note_cuts(head);
        matter
    }

    fn parse_yaml(head: &str) -> Self {
        // A YAML parser takes time by the square of what is nested; nobody writes such a head by hand.
        let brackets = head.bytes().filter(|byte| matches!(byte, b'[' | b'{' | b'&' | b'*')).count();
        if head.len() > LONGEST_YAML || brackets > MOST_BRACKETS {
            return Self::repair(head, "it is too long or too deep to be parsed");
        }
        match yaml::parse(head) {
            Ok(Value::Object(values)) => Self { values, findings: Vec::new() },
            Ok(Value::Null) => Self::default(),
            Ok(_) => Self::repair(head, "it is no list of keys"),
            Err(reason) => Self::repair(head, &reason),
        }
    }

    /// Returns a scalar as text: from the top level, else from below `metadata`. Empty text is nothing.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<String> {
        let nested = || self.values.get("metadata").and_then(|metadata| metadata.get(key));
        self.values.get(key).and_then(scalar).or_else(|| nested().and_then(scalar))
    }

    /// Returns a scalar from below `metadata` only.
    #[must_use]
    pub fn metadata_text(&self, key: &str) -> Option<String> {
        self.values.get("metadata").and_then(|metadata| metadata.get(key)).and_then(scalar)
    }

    /// Returns a list of texts; a single scalar is a list of one.
    #[must_use]
    pub fn list(&self, key: &str) -> Vec<String> {
        match self.values.get(key).or_else(|| self.values.get("metadata").and_then(|metadata| metadata.get(key))) {
            Some(Value::Array(items)) => items.iter().filter_map(scalar).collect(),
            Some(value) => scalar(value).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// Returns a link to another memory, also where YAML takes the brackets of `[[name]]` for lists.
    #[must_use]
    pub fn link(&self, key: &str) -> Option<String> {
        let mut value =
            self.values.get(key).or_else(|| self.values.get("metadata").and_then(|below| below.get(key)))?;
        for _ in 0..2 {
            value = value.as_array().and_then(|items| items.first()).unwrap_or(value);
        }
        scalar(value)
    }

    /// Returns the value of a top-level key as it was read.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.values.get(key)
    }

    /// Whether the file keeps its type and dates below `metadata`.
    #[must_use]
    pub fn is_nested(&self) -> bool {
        self.values.get("metadata").is_some_and(Value::is_object)
    }

    /// Whether it was no YAML and was read line by line.
    #[must_use]
    pub fn is_repaired(&self) -> bool {
        self.findings.iter().any(|finding| finding.code == "front-matter-repaired")
    }

    /// Returns what its author should know.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Reads `key: value` lines and the lists and indented keys below them, whatever else stands there.
    fn repair(head: &str, reason: &str) -> Self {
        let mut values = Map::new();
        let mut parent: Option<String> = None;
        for line in head.lines() {
            let line = line.replace('\t', "  ");
            let trimmed = line.trim();
            let is_indented = line.starts_with(' ');
            if let (Some(item), Some(parent)) = (trimmed.strip_prefix("- "), &parent) {
                add_item(&mut values, parent, unquoted(item));
            } else if let Some((key, value)) = key_and_value(trimmed) {
                match &parent {
                    Some(parent) if is_indented => add_below(&mut values, parent, key, unquoted(value)),
                    _ => {
                        values.insert(key.to_owned(), Value::String(unquoted(value)));
                        parent = Some(key.to_owned());
                    }
                }
            }
        }
        let message = format!("the front matter is not valid YAML and was read line by line: {reason}");
        Self { values, findings: vec![Finding { line: 1, code: "front-matter-repaired", message }] }
    }

    /// YAML ends an unquoted value at ` #`; what is lost by that is said.
    fn note_cuts(&mut self, head: &str) {
        for (number, line) in head.lines().enumerate() {
            let Some((key, value)) = key_and_value(line.trim()) else { continue };
            let is_quoted = value.starts_with(['"', '\'', '|', '>', '[', '{']);
            let Some(place) = value.find(" #") else { continue };
            // A blank behind the mark makes it a comment that somebody meant.
            let is_comment = value[place + 2..].starts_with(' ') || value[place + 2..].is_empty();
            if !is_quoted && !is_comment && self.text(key).is_some_and(|read| read.len() < value.len()) {
                self.findings.push(Finding {
                    line: number + 2,
                    code: "front-matter-cut",
                    message: format!("'{key}' is cut at ' #', which starts a comment in YAML; put the value in quotes"),
                });
            }
        }
    }
}

/// Most bytes of a head that is parsed as YAML.
const LONGEST_YAML: usize = 16 * 1024;
/// Most brackets, anchors and aliases in it.
const MOST_BRACKETS: usize = 256;

enum Head<'a> {
    None,
    Unclosed,
    Closed { head: &'a str, body: &'a str },
}

fn split(text: &str) -> Head<'_> {
    let Some(rest) = after_rule(text) else { return Head::None };
    let mut start = 0;
    while start <= rest.len() {
        let line_end = memchr::memchr(b'\n', &rest.as_bytes()[start..]).map_or(rest.len(), |length| start + length);
        if is_rule(&rest[start..line_end]) {
            let body = rest.get(line_end + 1..).unwrap_or_default();
            return Head::Closed { head: &rest[..start], body };
        }
        start = line_end + 1;
    }
    Head::Unclosed
}

/// Returns the text behind a first line of `---`.
fn after_rule(text: &str) -> Option<&str> {
    if !text.starts_with("---") {
        return None;
    }
    let (first, rest) = text.split_once('\n')?;
    is_rule(first).then_some(rest)
}

fn is_rule(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.trim_end().is_empty())
}

/// Reads a second head that stands right behind the first, or behind blank lines when the first says nothing: the first
/// non-empty value of a key counts.
fn joined<'a>(head: &str, body: &'a str) -> Parts<'a> {
    let mut matter = FrontMatter::parse(head);
    let behind = body.trim_start();
    let Head::Closed { head: second, body: rest } = split(behind) else {
        return Parts { matter: Some(matter), body };
    };
    let second_matter = FrontMatter::parse(second);
    let says = |matter: &FrontMatter| ["name", "description"].iter().any(|key| matter.text(key).is_some());
    // A line of dashes behind a blank one divides a text, unless the head above it is an empty stub.
    let is_text = behind.len() < body.len() && (says(&matter) || !says(&second_matter));
    if is_text || second_matter.values.is_empty() {
        return Parts { matter: Some(matter), body };
    }
    for (key, value) in second_matter.values {
        if matter.values.get(&key).is_none_or(is_empty) {
            matter.values.insert(key, value);
        }
    }
    let blank = body[..body.len() - behind.len()].matches('\n').count();
    matter.findings.push(Finding {
        line: head.lines().count() + 3 + blank,
        code: "front-matter-doubled",
        message: "two front matters stand one behind the other; the first value of each key was taken".into(),
    });
    Parts { matter: Some(matter), body: rest }
}

fn unclosed(text: &str) -> Parts<'_> {
    let rest = after_rule(text).unwrap_or(text);
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        let looks_like_head = key_and_value(line.trim()).is_some() || line.starts_with([' ', '\t']);
        if !looks_like_head || line.trim().is_empty() {
            break;
        }
        end += line.len();
    }
    if end == 0 {
        return Parts { matter: None, body: text };
    }
    let mut matter = FrontMatter::parse(&rest[..end]);
    let message = "the front matter is not closed by a '---' line; its first lines were taken".into();
    matter.findings.push(Finding { line: 1, code: "front-matter-unclosed", message });
    Parts { matter: Some(matter), body: &rest[end..] }
}

/// Reads a head of plain `key: value` lines, which YAML would read the same; nothing when there is more to it.
///
/// Nearly every head is of this form, and a YAML parser costs more than opening the file.
fn simple(head: &str) -> Option<Map<String, Value>> {
    let mut values = Map::new();
    let mut parent: Option<&str> = None;
    for line in head.lines() {
        let line = line.trim_end();
        if line.is_empty() {
            continue;
        }
        let indent = line.len() - line.trim_start_matches(' ').len();
        let (key, value) = key_and_value(&line[indent..])?;
        let value = simple_scalar(value)?;
        match (indent, parent) {
            (0, _) if value.is_empty() && key == "metadata" => {
                values.insert(key.to_owned(), Value::Object(Map::new()));
                parent = Some(key);
            }
            (0, _) => {
                parent = None;
                if values.insert(key.to_owned(), Value::String(value.into_owned())).is_some() {
                    return None;
                }
            }
            (2, Some(parent)) => add_below(&mut values, parent, key, value.into_owned()),
            _ => return None,
        }
    }
    Some(values)
}

/// Returns a scalar that needs no YAML to be understood: plain words, or quotes without escapes.
fn simple_scalar(value: &str) -> Option<Cow<'_, str>> {
    let Some(first) = value.chars().next() else { return Some(Cow::Borrowed("")) };
    for quote in ['"', '\''] {
        if first == quote {
            let inner = value.strip_prefix(quote)?.strip_suffix(quote)?;
            return (!inner.contains([quote, '\\'])).then_some(Cow::Borrowed(inner));
        }
    }
    let is_plain = first.is_alphanumeric() || first == '/' || first == '(';
    let is_word = !matches!(value, "null" | "Null" | "NULL" | "true" | "false" | "True" | "False" | "TRUE" | "FALSE");
    (is_plain && is_word && !value.contains(": ") && !value.contains(" #") && !value.ends_with(':'))
        .then_some(Cow::Borrowed(value))
}

fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_key =
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    let is_separate = value.is_empty() || value.starts_with([' ', '\t']);
    (is_key && is_separate).then(|| (key, value.trim()))
}

fn unquoted(value: &str) -> String {
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner.to_owned();
        }
    }
    value.to_owned()
}

fn add_item(values: &mut Map<String, Value>, key: &str, item: String) {
    let value = values.entry(key).or_insert(Value::Null);
    if !value.is_array() {
        *value = Value::Array(Vec::new());
    }
    if let Value::Array(items) = value {
        items.push(Value::String(item));
    }
}

fn add_below(values: &mut Map<String, Value>, parent: &str, key: &str, text: String) {
    let value = values.entry(parent).or_insert(Value::Null);
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    if let Value::Object(members) = value {
        members.insert(key.to_owned(), Value::String(text));
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(text: &str, key: &str, expected: Option<&str>, codes: &[&str]) {
        let parts = of_memory(text);
        let matter = parts.matter.unwrap_or_default();
        assert_eq!(matter.text(key).as_deref(), expected, "{text}");
        let found: Vec<&str> = matter.findings().iter().map(|finding| finding.code).collect();
        assert_eq!(found, codes, "{text}");
    }

    #[test]
    fn flat_and_nested_heads_read_the_same() {
        check("---\nname: a\ntype: feedback\n---\nx", "type", Some("feedback"), &[]);
        check("---\nname: a\nmetadata: \n  type: feedback\n---\nx", "type", Some("feedback"), &[]);
        check("---\nmetadata:\n    type: user\n---\n", "type", Some("user"), &[]);
        check("\u{feff}---\r\nname: \"a: b\"\r\n---\r\nx", "name", Some("a: b"), &[]);
        check("---\ndescription: 数据库回滚超时\n---\n", "description", Some("数据库回滚超时"), &[]);
    }

    #[test]
    fn a_head_that_is_no_yaml_is_read_by_lines_and_said() {
        check("---\npaths: **/*.ts\n---\nA", "paths", Some("**/*.ts"), &["front-matter-repaired"]);
        check("---\nname: a: b: c\n---\nA", "name", Some("a: b: c"), &["front-matter-repaired"]);
        check("---\nname: @x\ntype: user\n---\nA", "type", Some("user"), &["front-matter-repaired"]);
        check("---\nname:\ttabbed\nother: {\n---\nA", "name", Some("tabbed"), &["front-matter-repaired"]);
    }

    #[test]
    fn a_value_that_yaml_cuts_at_a_hash_is_said() {
        let cut = &["front-matter-cut"];
        check("---\ndescription: fix for issue #42 in parser\n---\n", "description", Some("fix for issue"), cut);
        check("---\ndescription: \"issue #42\"\n---\n", "description", Some("issue #42"), &[]);
        check("---\ndescription: a # note\n---\n", "description", Some("a"), &[]);
    }

    #[test]
    fn a_doubled_or_unclosed_head_loses_nothing() {
        check("---\nname: \"\"\n---\n---\nname: real\n---\nbody", "name", Some("real"), &["front-matter-doubled"]);
        let stub = "---\nname: ''\n---\n\n---\nname: real\n---\nbody";
        check(stub, "name", Some("real"), &["front-matter-doubled"]);
        assert_eq!(of_memory(stub).body, "body");
        let text = "---\nname: a\n---\n\n---\nname: b\n---\nbody";
        assert_eq!(of_memory(text).body, "\n---\nname: b\n---\nbody", "lines of dashes may stand in a text");
        check("---\nname: a\ndescription: D\n\nbody", "description", Some("D"), &["front-matter-unclosed"]);
        assert_eq!(of_memory("---\nname: a\n\nbody").body, "\nbody");
        assert_eq!(of_memory("---\n\nbody\n---\nmore").body, "more");
        assert_eq!(of_memory("no head").body, "no head");
        assert_eq!(of_instructions("---\nname: a\n\nbody").body, "---\nname: a\n\nbody");
    }

    #[test]
    fn lists_come_in_every_form() {
        for text in ["---\nt:\n  - a\n  - b\n---\n", "---\nt: [a, b]\n---\n", "---\nt: [\"a\", 'b']\n---\n"] {
            assert_eq!(of_memory(text).matter.unwrap().list("t"), ["a", "b"], "{text}");
        }
        assert_eq!(of_memory("---\nt: a\n---\n").matter.unwrap().list("t"), ["a"]);
    }
}
