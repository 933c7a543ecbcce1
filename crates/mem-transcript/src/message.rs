//! The one form of a message, whether it came from a session file or from a document's `messages`.

use std::borrow::Cow;

use crate::json::{self, Object};
use crate::speaker;

/// Who sent a message, by the word that stands in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// `user`: the user, the host in the user's place, or the results of tools.
    User,
    /// `assistant`.
    Assistant,
    /// Any other word, or none. Such messages pass through as they are.
    Other,
}

/// Who really speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// What the user typed.
    UserWords,
    /// The model.
    Assistant,
    /// Results of tools.
    Tool,
    /// The host: reminders, output of local commands, notices, interruptions.
    Host,
    /// The summary that stands in for what was compacted.
    Summary,
}

/// A message, borrowed from the bytes that it was read from.
#[derive(Debug, Clone)]
pub struct Message<'a> {
    /// The role as the API sees it.
    pub role: Role,
    /// Who really speaks.
    pub speaker: Speaker,
    /// The id of the message: of the first line when several were joined.
    pub uuid: Option<Cow<'a, str>>,
    /// The ids of further lines that were joined into this message.
    pub joined: Vec<Cow<'a, str>>,
    /// When it was written, as it stood there.
    pub timestamp: Option<Cow<'a, str>>,
    /// The content, in order. A content that is a plain string is one text.
    pub parts: Vec<Part<'a>>,
    /// Index of the turn; 0 holds what stands before the first typed message too.
    pub turn: usize,
    /// Line in the session file, counted from 1; for a document's message nothing.
    pub line: Option<usize>,
    /// Tokens of the context that the service reported for this answer: input, cached input and output.
    pub usage: Option<u64>,
    /// `message.id` of the answer, which several lines of a session file share.
    pub answer: Option<Cow<'a, str>>,
    /// The whole message as it stood in the document; nothing when it was put together from a session file.
    pub raw: Option<&'a str>,
}

/// One content block.
#[derive(Debug, Clone)]
pub struct Part<'a> {
    /// The block as it stood there; of a plain string the string with its quotes.
    pub raw: &'a str,
    /// What it is.
    pub kind: Kind<'a>,
}

/// What a content block is.
#[derive(Debug, Clone)]
pub enum Kind<'a> {
    /// Text.
    Text(Cow<'a, str>),
    /// Thinking. It carries a signature, so it stays as it is or goes whole.
    Thinking(Cow<'a, str>),
    /// Thinking that only the service can read.
    RedactedThinking,
    /// A call of a tool.
    ToolUse {
        /// Its id, which the result names.
        id: Cow<'a, str>,
        /// The name of the tool.
        name: Cow<'a, str>,
        /// The input, raw.
        input: &'a str,
    },
    /// The result of a call.
    ToolResult {
        /// The id of the call.
        id: Cow<'a, str>,
        /// Its content: texts, images and what we do not know.
        parts: Vec<Part<'a>>,
        /// Whether the tool failed.
        is_error: bool,
    },
    /// An image.
    Image {
        /// Such as `image/png`; empty when it is not said.
        media_type: Cow<'a, str>,
        /// Bytes of the encoded data.
        bytes: usize,
    },
    /// A block of a type that we do not know. It passes as it is.
    Other {
        /// Its type; empty when it has none.
        name: Cow<'a, str>,
    },
}

impl<'a> Message<'a> {
    /// Reads a message body: role and content, and the ids that a document's message may carry.
    pub(crate) fn from_object(members: &Object<'a>) -> Self {
        let role = match members.text("role").as_deref() {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            _ => Role::Other,
        };
        let mut message = Message {
            role,
            speaker: Speaker::Host,
            uuid: members.text("uuid").filter(|uuid| !uuid.is_empty()),
            joined: joined(members),
            timestamp: members.text("timestamp"),
            parts: members.get("content").map(content_parts).unwrap_or_default(),
            turn: 0,
            line: None,
            usage: members.get("usage").and_then(usage_tokens),
            answer: members.text("id"),
            raw: None,
        };
        message.speaker = speaker::of(&message, members);
        message
    }

    /// Returns whether the user typed this message, wholly or in part.
    pub fn is_typed(&self) -> bool {
        self.speaker == Speaker::UserWords
    }

    /// Returns all ids of the message, of joined lines too.
    pub fn uuids(&self) -> impl Iterator<Item = &str> {
        self.uuid.iter().chain(&self.joined).map(AsRef::as_ref)
    }

    /// Returns the texts of the message, without thinking, tool calls and results, joined by newlines.
    pub fn text(&self) -> Cow<'_, str> {
        join(self.parts.iter().filter_map(|part| match &part.kind {
            Kind::Text(text) => Some(text.as_ref()),
            _ => None,
        }))
    }

    /// Returns the message as JSON: its own bytes where it has them, else put together from the bytes of its blocks.
    pub fn to_json(&self) -> Cow<'a, str> {
        match self.raw {
            Some(raw) => Cow::Borrowed(raw),
            None => Cow::Owned(self.compose()),
        }
    }

    fn compose(&self) -> String {
        let mut out = String::from("{");
        out.push_str(&head(&self.uuids().collect::<Vec<_>>(), self.timestamp.as_deref()));
        let role = if self.role == Role::Assistant { "assistant" } else { "user" };
        out.push_str(&format!("\"role\":\"{role}\",\"content\":"));
        match self.parts.as_slice() {
            [only] if only.raw.starts_with('"') => out.push_str(&json::mend_escapes(only.raw)),
            parts => out.push_str(&compose_list(parts)),
        }
        out.push('}');
        out
    }
}

impl Part<'_> {
    /// Returns the texts that a reader would see in a block: text, thinking not, results of tools too.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.kind {
            Kind::Text(text) => Cow::Borrowed(text.as_ref()),
            Kind::ToolResult { parts, .. } => join(parts.iter().filter_map(|part| match &part.kind {
                Kind::Text(text) => Some(text.as_ref()),
                _ => None,
            })),
            _ => Cow::Borrowed(""),
        }
    }
}

/// Returns the members of a message by which it is found again, each with a comma behind it: the first id is its own, the
/// others are those of messages that were joined into it.
pub fn head(ids: &[&str], timestamp: Option<&str>) -> String {
    let mut head = String::new();
    if let Some((own, joined)) = ids.split_first() {
        head.push_str(&format!("\"uuid\":{},", json::quote(own)));
        if !joined.is_empty() {
            let joined: Vec<String> = joined.iter().map(|id| json::quote(id)).collect();
            head.push_str(&format!("\"joined\":[{}],", joined.join(",")));
        }
    }
    if let Some(timestamp) = timestamp {
        head.push_str(&format!("\"timestamp\":{},", json::quote(timestamp)));
    }
    head
}

/// Returns the ids of the messages that were joined into one of a document.
fn joined<'a>(members: &Object<'a>) -> Vec<Cow<'a, str>> {
    let list = members.get("joined").and_then(json::list).unwrap_or_default();
    list.into_iter().filter_map(json::string).filter(|id| !id.is_empty()).collect()
}

/// Joins texts by newlines; a single one is not copied.
fn join<'t>(mut texts: impl Iterator<Item = &'t str>) -> Cow<'t, str> {
    let Some(first) = texts.next() else {
        return Cow::Borrowed("");
    };
    let mut joined = Cow::Borrowed(first);
    for text in texts {
        let owned = joined.to_mut();
        owned.push('\n');
        owned.push_str(text);
    }
    joined
}

fn compose_list(parts: &[Part<'_>]) -> String {
    let mut out = String::from("[");
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        if part.raw.starts_with('"') {
            out.push_str(&format!("{{\"type\":\"text\",\"text\":{}}}", json::mend_escapes(part.raw)));
        } else {
            out.push_str(&json::mend_escapes(part.raw));
        }
    }
    out.push(']');
    out
}

/// Reads `content`, which is a string or a list of blocks; an object alone counts as one block.
pub(crate) fn content_parts(raw: &str) -> Vec<Part<'_>> {
    match raw.as_bytes().first() {
        Some(b'[') => json::list(raw).unwrap_or_default().into_iter().map(|raw| part(raw, true)).collect(),
        Some(b'n') | None => Vec::new(),
        Some(b'"') if raw == "\"\"" => Vec::new(),
        _ => vec![part(raw, true)],
    }
}

/// Reads one block. Only one level of nesting has a meaning (tool results), so deeper ones stay raw.
fn part(raw: &str, may_nest: bool) -> Part<'_> {
    if let Some(text) = json::string(raw) {
        return Part { raw, kind: Kind::Text(text) };
    }
    let Some(members) = json::object(raw) else {
        return Part { raw, kind: Kind::Other { name: Cow::Borrowed("") } };
    };
    Part { raw, kind: kind(&members, may_nest) }
}

fn kind<'a>(members: &Object<'a>, may_nest: bool) -> Kind<'a> {
    let name = members.text("type").unwrap_or_default();
    match name.as_ref() {
        "text" => match members.text("text") {
            Some(text) => Kind::Text(text),
            None => Kind::Other { name },
        },
        "thinking" => Kind::Thinking(members.text("thinking").unwrap_or_default()),
        "redacted_thinking" => Kind::RedactedThinking,
        "image" => image(members),
        "tool_use" => Kind::ToolUse {
            id: members.text("id").unwrap_or_default(),
            name: members.text("name").unwrap_or_default(),
            input: members.get("input").unwrap_or("{}"),
        },
        "tool_result" if may_nest => Kind::ToolResult {
            id: members.text("tool_use_id").unwrap_or_default(),
            parts: members.get("content").map(result_parts).unwrap_or_default(),
            is_error: members.is_true("is_error"),
        },
        _ => Kind::Other { name },
    }
}

fn result_parts(raw: &str) -> Vec<Part<'_>> {
    match json::list(raw) {
        Some(elements) => elements.into_iter().map(|raw| part(raw, false)).collect(),
        None => json::string(raw).map(|text| Part { raw, kind: Kind::Text(text) }).into_iter().collect(),
    }
}

fn image<'a>(members: &Object<'a>) -> Kind<'a> {
    let source = members.get("source").and_then(json::object).unwrap_or_default();
    Kind::Image {
        media_type: source.text("media_type").unwrap_or_default(),
        bytes: source.get("data").map_or(0, |data| data.len().saturating_sub(2)),
    }
}

/// The size of the context when the answer was given: all input, cached or not, and the answer itself.
fn usage_tokens(raw: &str) -> Option<u64> {
    let usage = json::object(raw)?;
    let names = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];
    let counts = names.iter().filter_map(|name| usage.get(name)?.parse::<u64>().ok());
    Some(counts.fold(0u64, u64::saturating_add)).filter(|tokens| *tokens > 0)
}
