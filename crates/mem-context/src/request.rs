//! Format `request`: the Messages API body with memory in its place.
//!
//! `system` gets the guide and the index, the first user message the instructions, the last one what was recalled.
//! Every message that is not touched keeps its bytes.

use mem_types::Document;
use mem_types::session::Shown;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::context::shown;
use crate::layers::Layers;
use crate::message::{Message, content_blocks, text_of};
use crate::{GUIDE, Placement, Rendered, memories};

/// Keys of the document that are none of the API's: DESIGN section 1.
const OURS: [&str; 34] = [
    "access",
    "age",
    "agent_id",
    "budget",
    "compact",
    "custom_instructions",
    "cwd",
    "extract",
    "failed",
    "files",
    "forget",
    "hook_event_name",
    "index",
    "last_assistant_message",
    "load",
    "memory_dir",
    "now",
    "options",
    "pins",
    "problems",
    "project_root",
    "prompt",
    "prompt_id",
    "recall",
    "recent_tools",
    "remember",
    "schema",
    "session",
    "session_id",
    "source",
    "stop_hook_active",
    "timezone",
    "transcript_path",
    "trigger",
];
/// More of them, which hooks of tools bring.
const OF_TOOL_HOOKS: [&str; 4] = ["tool_input", "tool_name", "tool_response", "window"];

/// Most cache marks that the API takes in one request: facts.md, Part B, section 10.1.
const MAX_MARKS: usize = 4;

/// Returns the body as one line of JSON.
#[must_use]
pub fn request(document: &Document, placement: Placement) -> Rendered {
    let layers = Layers::read(document);
    let texts = Texts::of(&layers, placement);
    let text = body(document, &texts, |messages| {
        if let Some(recalled) = recalled(&layers)
            && let Some(last) = messages.iter_mut().rev().find(|message| message.is_user())
        {
            last.put_last(plain_block(&recalled));
        }
    });
    Rendered { text, shown: shown_of(&layers), ..Rendered::default() }
}

/// What is put before the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Texts {
    /// Blocks behind the caller's own `system`: the guide, the index.
    pub system: Vec<String>,
    /// The block at the front of the first user message: the instructions.
    pub first: Option<String>,
}

impl Texts {
    /// Returns the texts as the layers give them now.
    pub fn of(layers: &Layers, placement: Placement) -> Self {
        let guide = (placement.has_guide && layers.has_memory()).then(|| GUIDE.to_owned());
        let index = layers.index_text().map(|text| mem_text::width::escape_controls(&text).into_owned());
        let first = layers.instructions().map(|text| reminder(&memories::neutral(&mem_text::secrets::mask(&text))));
        Self { system: [guide, index].into_iter().flatten().collect(), first }
    }
}

/// Returns a text between the marks by which a model knows what the host has added.
pub(crate) fn reminder(text: &str) -> String {
    format!("<system-reminder>\n{text}\n</system-reminder>")
}

/// Returns the recalled memories as one block, or nothing when there are none.
fn recalled(layers: &Layers) -> Option<String> {
    let dir = layers.index.as_ref().map(|index| index.dir.as_str());
    layers.recall.as_ref().and_then(|recall| memories::all(recall, dir)).map(|text| reminder(&text))
}

pub(crate) fn shown_of(layers: &Layers) -> Vec<Shown> {
    layers.recall.iter().flat_map(|recall| &recall.memories).map(shown).collect()
}

/// Returns the body with the texts in their places, and with what `inject` puts into the messages.
pub(crate) fn body(document: &Document, texts: &Texts, inject: impl FnOnce(&mut [Message])) -> String {
    let mut body = document.clone();
    for key in OURS.iter().chain(&OF_TOOL_HOOKS) {
        body.remove(key);
    }
    let mut marks = Marks::left_by(document);
    if let Some(system) = system(document, texts, &mut marks) {
        body.set("system", system);
    }
    if let Some(mut messages) = messages(document, texts, &mut marks) {
        inject(&mut messages);
        let messages: Vec<String> = messages.into_iter().map(Message::into_json).collect();
        body.set("messages", format!("[{}]", messages.join(",")));
    }
    body.to_line()
}

/// How many cache marks may still be set: the caller's own come first.
struct Marks {
    left: usize,
    /// The time to live of the caller's marks when it is the longer one: a shorter one must not stand before it.
    is_long: bool,
}

impl Marks {
    fn left_by(document: &Document) -> Self {
        let count = |key: &str| document.get(key).map_or(0, |raw| raw.matches("\"cache_control\"").count());
        let used: usize = ["system", "tools", "messages"].into_iter().map(count).sum();
        // A mark at the top level lets the service set marks by itself: ours would only use them up.
        let left = if document.has("cache_control") { 0 } else { MAX_MARKS.saturating_sub(used) };
        let is_long = ["system", "tools", "messages"].iter().any(|key| document.get(key).is_some_and(has_long_mark));
        Self { left, is_long }
    }

    /// Returns a text block, with a mark if one is left.
    fn block(&mut self, text: &str) -> String {
        if self.left == 0 {
            return plain_block(text);
        }
        self.left -= 1;
        let mark = if self.is_long { json!({"type": "ephemeral", "ttl": "1h"}) } else { json!({"type": "ephemeral"}) };
        json!({"type": "text", "text": text, "cache_control": mark}).to_string()
    }
}

/// Whether a `cache_control` with the longer time to live stands somewhere in the value.
fn has_long_mark(raw: &str) -> bool {
    fn is_in(value: &Value) -> bool {
        match value {
            Value::Object(members) => {
                members.get("cache_control").is_some_and(|mark| mark["ttl"] == "1h") || members.values().any(is_in)
            }
            Value::Array(items) => items.iter().any(is_in),
            _ => false,
        }
    }
    raw.contains("cache_control")
        && raw.contains("\"1h\"")
        && serde_json::from_str(raw).is_ok_and(|value| is_in(&value))
}

pub(crate) fn plain_block(text: &str) -> String {
    json!({"type": "text", "text": text}).to_string()
}

/// Returns `system` with our blocks behind the caller's own, or nothing when there is nothing to add.
fn system(document: &Document, texts: &Texts, marks: &mut Marks) -> Option<String> {
    let mut blocks = document.get("system").map(content_blocks).unwrap_or_default();
    // A caller may send back what we gave: nothing is said twice.
    let there: Vec<String> = blocks.iter().filter_map(|block| text_of(block)).collect();
    let ours: Vec<&String> = texts.system.iter().filter(|text| !there.contains(text)).collect();
    let (last, before) = ours.split_last()?;
    blocks.extend(before.iter().map(|text| plain_block(text)));
    blocks.push(marks.block(last));
    Some(format!("[{}]", blocks.join(",")))
}

/// Returns the messages with the prompt and the instructions, or nothing when the document has no list of them.
fn messages(document: &Document, texts: &Texts, marks: &mut Marks) -> Option<Vec<Message>> {
    let raw = document.get("messages").unwrap_or("[]");
    let raw: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
    let mut messages: Vec<Message> = raw.iter().map(|raw| Message::new(raw.get())).collect();
    if let Some(prompt) = document.try_read::<String>("prompt").ok().flatten().filter(|prompt| !prompt.is_empty())
        && messages.last().is_none_or(|last| !last.says(&prompt))
    {
        // Roles alternate: behind a message of the user, such as results of tools, the prompt is a part of it.
        match messages.last_mut().filter(|last| last.is_user()) {
            Some(last) => last.put_last(plain_block(&prompt)),
            None => messages.push(Message::of_user(&prompt)),
        }
    }
    if let Some(text) = &texts.first {
        if !messages.iter().any(Message::is_user) {
            messages.insert(0, Message::of_user(""));
        }
        let first = messages.iter_mut().find(|message| message.is_user())?;
        if !first.has_text(text) {
            first.put_first(marks.block(text));
        }
    }
    Some(messages)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const PLACEMENT: Placement = Placement { has_guide: true, has_native: false };

    fn body(line: &str) -> (String, Value) {
        let text = request(&Document::parse(line).unwrap(), PLACEMENT).text;
        let value = serde_json::from_str(&text).unwrap();
        (text, value)
    }

    #[test]
    fn our_keys_go_and_unknown_ones_stay() {
        let (text, value) = body(r#"{"cwd":"/p","model":"m","x-own":1.0,"load":{},"window":{},"messages":[]}"#);
        assert!(text.contains(r#""x-own":1.0"#) && value["model"] == "m");
        assert!(value.get("cwd").is_none() && value.get("load").is_none() && value.get("window").is_none());
    }

    #[test]
    fn each_text_stands_in_its_place() {
        let line = json!({
            "prompt": "now?",
            "system": "own",
            "messages": [{"role": "user", "content": "hi", "uuid": "u1"}, {"role": "assistant", "content": "yes"}],
            "load": {"files": [{"path": "/p/CLAUDE.md", "state": "active", "text": "RULE"}]},
            "index": {"dir": "/m", "state": "ok", "text": "- [A](a.md)"},
            "recall": {"memories": [{"path": "a.md", "text": "MEMORY"}]},
        });
        let (_, value) = body(&line.to_string());
        assert_eq!(value["system"][0]["text"], "own");
        assert!(value["system"][2]["text"].as_str().unwrap().contains("- [A](a.md)"));
        let messages = value["messages"].as_array().unwrap();
        assert!(messages[0]["content"][0]["text"].as_str().unwrap().contains("RULE"));
        assert_eq!(messages[0]["content"][1]["text"], "hi");
        assert!(messages[0].get("uuid").is_none());
        assert_eq!(messages[2]["content"][0]["text"], "now?");
        assert!(messages[2]["content"][1]["text"].as_str().unwrap().contains("MEMORY"));
    }

    #[test]
    fn a_prompt_that_was_said_already_is_not_added() {
        let (_, value) = body(r#"{"prompt":"hi","messages":[{"role":"user","content":"hi"}]}"#);
        assert_eq!(value["messages"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn a_prompt_behind_results_of_tools_stands_in_their_message() {
        let (_, value) = body(
            r#"{"prompt":"go on","messages":[{"role":"user","joined":["b"],"content":[{"type":"tool_result","tool_use_id":"t"}]}]}"#,
        );
        assert_eq!(value["messages"][0]["content"][1]["text"], "go on");
        assert_eq!(value["messages"].as_array().unwrap().len(), 1);
        assert!(value["messages"][0].get("joined").is_none());
    }

    #[test]
    fn at_most_four_marks_are_set_and_none_behind_the_first_user_message() {
        let marked = json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}});
        for own in 0..=4 {
            let line = json!({
                "system": vec![marked.clone(); own],
                "messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}],
                "load": {"files": [{"path": "/p/CLAUDE.md", "state": "active", "text": "RULE"}]},
            });
            let (text, value) = body(&line.to_string());
            assert!(text.matches("cache_control").count() <= 4, "{own}");
            assert!(!value["messages"][1].to_string().contains("cache_control"));
        }
    }
}
