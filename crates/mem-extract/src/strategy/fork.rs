//! The body of a forked conversation: what the document holds, byte for byte, with messages added at its end.

use mem_llm::Model;
use mem_transcript::{Kind, Messages};
use mem_types::Document;
use serde_json::{Value, json};

/// What goes out as it came in: DESIGN section 5.
const KEYS: [&str; 7] = ["model", "system", "tools", "messages", "thinking", "tool_choice", "max_tokens"];
/// Tokens of an answer when the document does not say; the service needs a number.
const MOST_TOKENS: &str = "8192";

/// A conversation that can go on.
#[derive(Debug, Clone)]
pub struct Body {
    /// All up to the last message.
    before: String,
    /// All from the end of the list of messages on.
    behind: String,
    /// What was added: JSON texts of messages.
    added: Vec<String>,
    /// The model that the document names, when another one is asked.
    pub replaced: Option<String>,
}

impl Body {
    /// Adds a message at the end.
    pub fn add(&mut self, message: &Value) {
        self.added.push(message.to_string());
    }

    /// Returns the body as it goes out.
    pub fn text(&self) -> String {
        let added: String = self.added.iter().map(|message| format!(",{message}")).collect();
        format!("{}{added}{}", self.before, self.behind)
    }
}

/// Returns the body that a document holds.
///
/// # Errors
/// In words, when the document is no Messages body, or one that cannot go on with tools.
pub fn body(document: &Document, model: &Model) -> Result<Body, String> {
    let messages = document.get("messages").ok_or("the document has no 'messages'")?;
    check_messages(&mem_transcript::read_messages(messages), messages)?;
    check_tools(document)?;
    let own: Option<String> = document.try_read("model").ok().flatten();
    let asked = model.messages_name().map(str::to_owned);
    let replaced = own.clone().filter(|own| asked.as_ref().is_some_and(|asked| asked != own));
    let model = asked.or(own).ok_or("neither the document nor --llm names a model")?;
    let mut members = Vec::new();
    for key in document.keys() {
        let is_first = !members.iter().any(|(name, _): &(String, String)| *name == key);
        if KEYS.contains(&key.as_ref()) && is_first && document.has(&key) {
            let raw = if key == "model" && replaced.is_some() { json!(model).to_string() } else { raw(document, &key) };
            members.push((key.into_owned(), raw));
        }
    }
    for (key, value) in [("model", json!(model).to_string()), ("max_tokens", MOST_TOKENS.into())] {
        if !members.iter().any(|(name, _)| name == key) {
            members.push((key.into(), value));
        }
    }
    Ok(cut_open(&members, replaced))
}

fn raw(document: &Document, key: &str) -> String {
    document.get(key).unwrap_or("null").to_owned()
}

/// Cuts the body open at the end of its messages.
fn cut_open(members: &[(String, String)], replaced: Option<String>) -> Body {
    let at = members.iter().position(|(key, _)| key == "messages").unwrap_or_default();
    let joined = |members: &[(String, String)]| {
        members.iter().map(|(key, raw)| format!("\"{key}\":{raw}")).collect::<Vec<_>>().join(",")
    };
    let messages = &members[at].1;
    let end = messages.trim_end().len().saturating_sub(1);
    let comma = if at == 0 { "" } else { "," };
    let before = format!("{{{}{comma}\"messages\":{}", joined(&members[..at]), messages[..end].trim_end());
    let rest = joined(&members[at + 1..]);
    let comma = if rest.is_empty() { "" } else { "," };
    Body { before, behind: format!("]{comma}{rest}}}"), added: Vec::new(), replaced }
}

fn check_messages(read: &Messages<'_>, raw: &str) -> Result<(), String> {
    if read.messages.is_empty() {
        return Err("its 'messages' are empty".into());
    }
    let items: Vec<Value> = serde_json::from_str(raw).map_err(|_| "its 'messages' cannot be read")?;
    if items.iter().any(|item| item.get("uuid").is_some() || item.get("timestamp").is_some()) {
        return Err("its messages carry 'uuid' or 'timestamp', so they are no Messages body".into());
    }
    let is_api = |item: &Value| matches!(item["role"].as_str(), Some("user" | "assistant"));
    if !items.iter().all(is_api) {
        return Err("its messages are not those of the Messages API".into());
    }
    let last = read.messages.last().map(|message| &message.parts);
    if last.is_some_and(|parts| parts.iter().any(|part| matches!(part.kind, Kind::ToolUse { .. }))) {
        return Err("its last message waits for a tool".into());
    }
    Ok(())
}

/// Without a tool that writes, the fork could not say what it learned; a tool more would break the prompt cache.
fn check_tools(document: &Document) -> Result<(), String> {
    let tools: Vec<Value> = document.try_read("tools").ok().flatten().unwrap_or_default();
    if !tools.iter().any(|tool| matches!(tool["name"].as_str(), Some("Write" | "Edit"))) {
        return Err("its 'tools' have neither Write nor Edit".into());
    }
    let choice: Option<Value> = document.try_read("tool_choice").ok().flatten();
    if choice.is_some_and(|choice| choice["type"] == "none") {
        return Err("its 'tool_choice' forbids tools".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mem_types::asking::{Asking, Services, Spec};
    use std::time::Duration;

    fn model(spec: &str) -> Model {
        let spec = Spec::parse(spec).unwrap().unwrap();
        Model::new(Asking {
            spec,
            url: None,
            record: None,
            deadline: Duration::from_secs(1),
            services: Services::default(),
        })
    }

    fn of(line: &str, spec: &str) -> Result<Body, String> {
        body(&Document::parse(line).unwrap(), &model(spec))
    }

    const TOOLS: &str = r#""tools":[{"name":"Write","input_schema":{"b":1.50,"a":"\u00e9"}}]"#;

    #[test]
    fn what_came_in_goes_out_byte_for_byte() {
        let head = format!(
            r#"{{"model":"m",{TOOLS},"system":[{{"text":"\u4f60"}}],"messages":[{{"role":"user","content":"a  b"}}"#
        );
        let line = format!(r#"{head}],"max_tokens":1.0e3,"cwd":"/x","thinking":{{"type":"enabled"}}}}"#);
        let mut body = of(&line, "anthropic:m").unwrap();
        body.add(&json!({"role": "user", "content": "look back"}));
        let text = body.text();
        assert_eq!(&text[..head.len()], head);
        let behind = r#","max_tokens":1.0e3,"thinking":{"type":"enabled"}}"#;
        assert_eq!(&text[head.len()..], format!(r#",{{"content":"look back","role":"user"}}]{behind}"#));
        assert_eq!(body.replaced, None);
    }

    #[test]
    fn another_model_is_noticed() {
        let line = format!(r#"{{"messages":[{{"role":"user","content":"a"}}],"model":"m",{TOOLS}}}"#);
        let body = of(&line, "anthropic:n").unwrap();
        assert_eq!(body.replaced.as_deref(), Some("m"));
        assert!(body.text().contains(r#""model":"n""#) && body.text().contains(r#""max_tokens":8192"#));
        assert_eq!(of(&line, "replay:x").unwrap().replaced, None);
    }

    #[test]
    fn what_is_no_messages_body_is_told() {
        for (messages, rest, word) in [
            (r#"[{"role":"user","content":"a","uuid":"u"}]"#, TOOLS, "uuid"),
            (r#"[{"role":"user","content":"a","timestamp":"t"}]"#, TOOLS, "timestamp"),
            (r#"[{"role":"user","content":"a"}]"#, r#""tools":[]"#, "Write"),
            (r#"[{"role":"user","content":"a"}]"#, r#""model":"m""#, "Write"),
            ("[]", TOOLS, "empty"),
            (r#"[{"role":"tool","content":"a"}]"#, TOOLS, "Messages API"),
            (
                r#"[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}]}]"#,
                TOOLS,
                "waits",
            ),
        ] {
            let reason = of(&format!(r#"{{"messages":{messages},{rest}}}"#), "anthropic:m").unwrap_err();
            assert!(reason.contains(word), "{reason}");
        }
    }
}
