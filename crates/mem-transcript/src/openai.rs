//! Lists of messages as chat services take them: with `role: tool` and `tool_calls`, or as a Messages API body.

use crate::json::{self, Object};
use crate::record;

/// Returns the records of a list of messages, or of a body that holds one; nothing when it is neither.
pub(crate) fn list(text: &str) -> Option<Vec<(String, usize)>> {
    let list = match json::object(text) {
        Some(members) => json::list(members.get("messages")?)?,
        None => json::list(text)?,
    };
    let objects: Vec<Object<'_>> = list.iter().filter_map(|raw| json::object(raw)).collect();
    let has_roles = !objects.is_empty() && objects.iter().all(|members| members.get("role").is_some());
    has_roles.then(|| objects.iter().filter_map(message).map(|record| (record, 1)).collect())
}

/// Returns the records of a file with a message a line.
pub(crate) fn records<'t>(lines: impl Iterator<Item = (&'t str, usize)>) -> Vec<(String, usize)> {
    lines.filter_map(|(raw, line)| Some((message(&json::object(raw)?)?, line))).collect()
}

fn message(members: &Object<'_>) -> Option<String> {
    let (id, time) = (members.text("uuid").or_else(|| members.text("id")), members.text("timestamp"));
    let (id, time) = (id.as_deref(), time.as_deref());
    let content = members.get("content").unwrap_or("null");
    if members.text("role").as_deref() == Some("tool") {
        let call = members.text("tool_call_id").unwrap_or_default();
        let texts: Vec<String> = crate::message::content_parts(content).iter().map(|part| part.text().into()).collect();
        return Some(record::record("user", id, time, &[record::result(&call, &texts.join("\n"), false)], ""));
    }
    let mut blocks = blocks(content);
    for call in members.get("tool_calls").and_then(json::list).unwrap_or_default() {
        let call = json::object(call).unwrap_or_default();
        let function = call.get("function").and_then(json::object).unwrap_or_default();
        let arguments = function.text("arguments").unwrap_or_default();
        let name = function.text("name").unwrap_or_default();
        blocks.push(record::call(&call.text("id").unwrap_or_default(), &name, &arguments));
    }
    if blocks.is_empty() {
        return None;
    }
    match members.text("role").as_deref() {
        Some("user") => Some(record::record("user", id, time, &blocks, "")),
        Some("assistant") => Some(record::record("assistant", id, time, &blocks, "")),
        _ => Some(record::record("user", id, time, &blocks, "\"isMeta\":true,")),
    }
}

/// Blocks of the Messages API stay as they are; those of other services become such.
fn blocks(content: &str) -> Vec<String> {
    if let Some(text) = json::string(content) {
        return Some(record::text(&text)).filter(|_| !text.is_empty()).into_iter().collect();
    }
    let block = |raw: &str| {
        let members = json::object(raw)?;
        match members.text("type").as_deref() {
            Some("input_text" | "output_text") => Some(record::text(&members.text("text")?)),
            Some("image_url") => {
                let url = members.get("image_url")?;
                let url = json::string(url).or_else(|| json::object(url)?.text("url"))?;
                Some(record::image(&url))
            }
            _ => Some(raw.to_owned()),
        }
    };
    json::list(content).unwrap_or_default().into_iter().filter_map(block).collect()
}
