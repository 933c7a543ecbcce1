//! Reads of a record what it takes to thread it, in one pass and without keeping the rest.

mod fast;

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU64;

use crate::json::{self, Object};

/// An id, by its hash: a file of a gigabyte has a million of them.
pub(crate) type Id = NonZeroU64;

/// Returns the id for a text.
pub(crate) fn id(text: &str) -> Id {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    Id::new(hasher.finish()).unwrap_or(Id::MIN)
}

/// A tool call, or the result of one, by the id of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Call(Id),
    Result(Id),
}

/// What a record says of itself.
#[derive(Debug, Default)]
pub(crate) struct Envelope<'a> {
    pub kind: Option<Cow<'a, str>>,
    pub uuid: Option<Id>,
    pub parent: Option<Id>,
    /// Whether it says that it has no parent.
    pub is_root: bool,
    pub is_sidechain: bool,
    pub is_boundary: bool,
    pub is_summary: bool,
    pub session: Option<Cow<'a, str>>,
    pub agent: Option<Cow<'a, str>>,
    /// The answer that the line is a part of.
    pub answer: Option<Id>,
    pub tools: Vec<Tool>,
    pub has_leaf: bool,
    pub has_payload: bool,
    /// Whether role or content stand in the record itself.
    pub has_role: bool,
    pub has_content: bool,
    pub has_id: bool,
    pub has_messages: bool,
}

impl<'a> Envelope<'a> {
    /// Reads a text that is one object and nothing else; nothing when it is not, or is too odd for one pass.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        fast::read(text)
    }

    /// Reads the members of an object that was parsed already.
    pub(crate) fn of(members: &Object<'a>) -> Self {
        let mut envelope = Envelope::default();
        for (key, raw) in members.iter() {
            envelope.take(key, raw);
        }
        if let Some(message) = members.get("message").and_then(json::object) {
            envelope.answer = message.text("id").as_deref().map(id);
            for block in message.get("content").and_then(json::list).unwrap_or_default() {
                let block = json::object(block).unwrap_or_default();
                let text = |key: &str| block.text(key).as_deref().map(id);
                envelope.tools.extend(tool(block.text("type").as_deref(), text("id"), text("tool_use_id")));
            }
        }
        envelope
    }

    fn take(&mut self, key: &str, raw: &'a str) {
        let text = || json::string(raw);
        match key {
            "type" => self.kind = text(),
            "uuid" => self.uuid = text().as_deref().map(id),
            "parentUuid" => {
                self.parent = text().as_deref().map(id);
                self.is_root = raw == "null";
            }
            "isSidechain" => self.is_sidechain = raw == "true",
            "isCompactSummary" => self.is_summary = raw == "true",
            "subtype" => self.is_boundary = raw == "\"compact_boundary\"",
            "sessionId" => self.session = text(),
            "agentId" => self.agent = text(),
            _ => self.note(key),
        }
    }

    fn note(&mut self, key: &str) {
        match key {
            "leafUuid" => self.has_leaf = true,
            "payload" => self.has_payload = true,
            "role" => self.has_role = true,
            "content" => self.has_content = true,
            "id" => self.has_id = true,
            "messages" | "history" | "contents" => self.has_messages = true,
            _ => {}
        }
    }
}

fn tool(kind: Option<&str>, own: Option<Id>, of: Option<Id>) -> Option<Tool> {
    match kind? {
        "tool_use" => own.map(Tool::Call),
        "tool_result" => of.map(Tool::Result),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(text: &str) {
        let fast = Envelope::read(text).unwrap();
        let slow = Envelope::of(&json::object(text).unwrap());
        assert_eq!(format!("{fast:?}"), format!("{slow:?}"), "{text}");
    }

    #[test]
    fn both_ways_of_reading_find_the_same() {
        check(
            r#"{"type":"assistant","uuid":"\u0061","parentUuid":null,"isSidechain":true,"sessionId":"s","x":[{"uuid":"no"}],
            "message":{"id":"m","content":[{"type":"tool_use","id":"t","input":{"id":"no"}},{"type":"text","text":"\ud83d"}]}}"#,
        );
        check(
            r#"{"type":"user","parentUuid":"p","message":{"role":"user","content":"lone \ud83d"},"isCompactSummary":true}"#,
        );
        check(r#"{"type":"system","subtype":"compact_boundary","payload":1,"leafUuid":2}"#);
        check(
            r#"{"message":{"content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"tool_use","id":"no"}]}]}}"#,
        );
    }

    #[test]
    fn what_is_odd_is_left_to_the_slower_way() {
        assert!(Envelope::read(r#"{"message":"text"}"#).is_none());
        assert!(Envelope::read(r#"{"message":{"content":null}}"#).is_none());
        assert!(Envelope::read(r#"{} {}"#).is_none());
        assert!(Envelope::read(r#"{"\u0074ype":"user"}"#).is_none());
        let whole = r#"{"type":"user","uuid":"a","n":[1,{"x":"}\""}],"message":{"id":"m","content":[{"type":"text","text":"t"}]}}"#;
        assert!(Envelope::read(whole).is_some());
        for end in 0..whole.len() {
            assert!(Envelope::read(&whole[..end]).is_none(), "{}", &whole[..end]);
        }
        assert_eq!(Envelope::of(&json::object(r#"{"type":"user","message":"text"}"#).unwrap()).kind.unwrap(), "user");
    }
}
