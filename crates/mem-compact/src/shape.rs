//! Which blocks a service takes where: what cannot stand where it stands becomes a text, or the block that was meant.

use std::borrow::Cow;

use mem_transcript::{Kind, Message, Part, Role};
use mem_types::surrogates::mended;
use serde::Deserialize;
use serde_json::{Value, json};

/// Stands before the text of a result whose call is gone.
pub(crate) const NO_CALL: &str = "[result of a call that is not part of this conversation]";

/// Returns whether a service takes the message as it is, apart from what stands around it.
pub(crate) fn is_valid(message: &Message<'_>) -> bool {
    let stands = |part: &Part<'_>| stands(part, message) && (message.parts.len() == 1 || !is_blank(part));
    let is_result = |part: &&Part<'_>| matches!(part.kind, Kind::ToolResult { .. });
    let results = message.parts.iter().filter(is_result).count();
    let are_first = message.parts.iter().take_while(is_result).count() == results;
    message.role != Role::Other && are_first && has_known_form(message) && message.parts.iter().all(stands)
}

/// Whether a block holds nothing but white space, which no service takes.
pub(crate) fn is_blank(part: &Part<'_>) -> bool {
    matches!(&part.kind, Kind::Text(text) if text.trim().is_empty())
}

/// Whether a block can stand in a message of this role.
fn stands(part: &Part<'_>, message: &Message<'_>) -> bool {
    let is_model = message.role == Role::Assistant;
    match &part.kind {
        Kind::Text(_) => true,
        Kind::ToolUse { id, name, input } => is_model && !id.is_empty() && !name.is_empty() && input.starts_with('{'),
        Kind::Thinking(_) | Kind::RedactedThinking => is_model,
        Kind::ToolResult { id, .. } => !is_model && !id.is_empty(),
        Kind::Image { .. } => !is_model,
        Kind::Other { name } => part.raw.starts_with('{') && !name.is_empty() && name != "text",
    }
}

/// Whether the content is a string or a list of blocks: no block alone, and no list of strings.
fn has_known_form(message: &Message<'_>) -> bool {
    let Some(raw) = message.raw else { return true };
    let is_listed = |part: &Part<'_>| {
        let place = (part.raw.as_ptr() as usize).checked_sub(raw.as_ptr() as usize);
        let before = place.and_then(|place| raw.get(..place)).map(str::trim_end);
        before.is_some_and(|before| before.ends_with(['[', ',']))
    };
    message.parts.iter().all(|part| is_listed(part) != part.raw.starts_with('"'))
}

/// Returns the content of a message as blocks that can stand there.
pub(crate) fn blocks<'m>(message: &'m Message<'m>) -> Vec<Cow<'m, str>> {
    message.parts.iter().filter(|part| !is_blank(part)).map(|part| block(part, message)).collect()
}

/// Returns a block that can stand in this message.
pub(crate) fn block<'m>(part: &'m Part<'m>, message: &Message<'_>) -> Cow<'m, str> {
    let is_chat = message.role == Role::Other;
    match &part.kind {
        Kind::Text(_) if part.raw.starts_with('{') => mended(part.raw),
        Kind::ToolUse { id, name, input } if message.role == Role::Assistant && !id.is_empty() && !name.is_empty() => {
            if input.starts_with('{') {
                return mended(part.raw);
            }
            let input = input_object(input);
            Cow::Owned(json!({"type": "tool_use", "id": id, "name": name, "input": input}).to_string())
        }
        Kind::ToolResult { id, .. } if is_chat && !id.is_empty() => {
            Cow::Owned(json!({"type": "tool_result", "tool_use_id": id, "content": part.text()}).to_string())
        }
        Kind::Text(_) => as_text(part),
        _ if stands(part, message) => mended(part.raw),
        _ => as_text(part),
    }
}

/// Returns the input of a call as an object: chat services write it as a string.
fn input_object(raw: &str) -> Value {
    let parsed = serde_json::from_str::<Value>(&mended(raw)).unwrap_or_default();
    let inner = parsed.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    match inner.unwrap_or(parsed) {
        object @ Value::Object(_) => object,
        Value::Null => json!({}),
        other => json!({"value": other}),
    }
}

/// Returns a block that cannot stand where it stands as a text.
pub(crate) fn as_text<'m>(part: &Part<'_>) -> Cow<'m, str> {
    let text = match &part.kind {
        Kind::ToolResult { .. } => format!("{NO_CALL}\n{}", part.text()),
        Kind::Text(text) => text.to_string(),
        Kind::Image { media_type, bytes } => format!("[{media_type}, {} bytes]", bytes / 4 * 3),
        _ => mended(part.raw).into_owned(),
    };
    Cow::Owned(json!({"type": "text", "text": text}).to_string())
}

/// Returns the type of a block, without reading the rest of it into values.
pub(crate) fn type_of(block: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Typed {
        #[serde(rename = "type")]
        kind: Option<String>,
    }
    serde_json::from_str::<Typed>(block).ok()?.kind
}
