//! Reads a document's `messages`: the list of a Messages API body.

use crate::json;
use crate::message::{Kind, Message, Part, Role, Speaker};
use crate::problem::{Problem, Problems};
use crate::turns;

/// A document's messages.
#[derive(Debug)]
pub struct Messages<'a> {
    /// One for each element of the list, in order.
    pub messages: Vec<Message<'a>>,
    /// Elements that are no messages. They are among the messages all the same, and pass as they are.
    pub problems: Vec<Problem>,
    /// Whether they have the form of a chat service: system messages among the others, calls beside the content.
    pub is_chat: bool,
}

/// Returns the messages of a list, given as JSON text. A text that is no list gives no messages and a problem.
pub fn read_messages(raw: &str) -> Messages<'_> {
    let mut problems = Problems::default();
    let Some(elements) = json::list(raw) else {
        problems.add("bad-value", "messages is no list", 0);
        return Messages { messages: Vec::new(), problems: problems.finish(), is_chat: false };
    };
    let mut messages: Vec<Message<'_>> = Vec::with_capacity(elements.len());
    let mut is_chat = false;
    for (index, raw) in elements.into_iter().enumerate() {
        let (message, form) = read_message(raw);
        is_chat |= form == Form::Chat;
        if form == Form::Unknown {
            problems.add("bad-message", "an element of messages is neither the user's nor the assistant's", index);
        }
        messages.push(message);
    }
    turns::number(&mut messages);
    Messages { messages, problems: problems.finish(), is_chat }
}

/// Whose form a message has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Messages,
    Chat,
    Unknown,
}

/// Returns a message and whose form it has. Those of chat services pass as they are, with their speaker told.
fn read_message(raw: &str) -> (Message<'_>, Form) {
    let members = json::object(raw).unwrap_or_default();
    let mut message = Message::from_object(&members);
    message.raw = Some(raw);
    let role = members.text("role").unwrap_or_default();
    if role == "tool" {
        message.speaker = Speaker::Tool;
        let id = members.text("tool_call_id").unwrap_or_default();
        let parts = std::mem::take(&mut message.parts);
        message.parts.push(Part { raw, kind: Kind::ToolResult { id, parts, is_error: false } });
    }
    let calls = members.get("tool_calls").and_then(json::list).unwrap_or_default();
    let form = match message.role {
        _ if matches!(role.as_ref(), "tool" | "system" | "developer") || !calls.is_empty() => Form::Chat,
        Role::Other => Form::Unknown,
        _ => Form::Messages,
    };
    for raw in calls {
        let call = json::object(raw).unwrap_or_default();
        let function = call.get("function").and_then(json::object).unwrap_or_default();
        let kind = Kind::ToolUse {
            id: call.text("id").unwrap_or_default(),
            name: function.text("name").unwrap_or_default(),
            input: function.get("arguments").unwrap_or("{}"),
        };
        message.parts.push(Part { raw, kind });
    }
    (message, form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_keeps_its_bytes() {
        let list = r#"[ {"role":"user","content":"\u00e9\ud83d","x":1.0}, {"content":[{"type":"odd","a":1}],"role":"assistant","uuid":"u"} ]"#;
        let read = read_messages(list);
        assert_eq!(read.messages[0].to_json(), r#"{"role":"user","content":"\u00e9\ud83d","x":1.0}"#);
        assert_eq!(read.messages[0].text(), "é\u{FFFD}");
        assert!(matches!(&read.messages[1].parts[0].kind, Kind::Other { name } if name == "odd"));
        assert_eq!(read.messages[1].uuid.as_deref(), Some("u"));
        assert!(read.problems.is_empty());
    }

    #[test]
    fn messages_of_chat_services_have_their_speaker() {
        let list = r#"[{"role":"system","content":"s"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"Write","arguments":"{\"file_path\":\"/m/a.md\"}"}}]},{"role":"tool","tool_call_id":"c","content":"ok"}]"#;
        let read = read_messages(list);
        assert!(read.problems.is_empty() && read.is_chat);
        assert_eq!(read.messages[0].speaker, Speaker::Host);
        assert_eq!(read.messages[2].speaker, Speaker::Tool);
        assert_eq!(crate::files_written_in(&read.messages, "/m")[0].path, "/m/a.md");
        assert!(crate::tool_pairs(&read.messages).unpaired.is_empty());
    }

    #[test]
    fn what_is_no_message_passes_and_is_told() {
        let read = read_messages(r#"[1, {"role":"odd","content":"x"}, {"role":"user","content":null}]"#);
        assert_eq!(read.messages.len(), 3);
        assert_eq!(read.problems[0].count, 2);
        assert_eq!(read.problems[0].places, [0, 1]);
        assert!(read_messages("{}").messages.is_empty());
        assert_eq!(read_messages("{}").problems[0].code, "bad-value");
    }
}
