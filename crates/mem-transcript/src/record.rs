//! Writes records of the one form into which the session files of other agents are brought.

use crate::json::quote;

/// Returns a record with these blocks; `blocks` are JSON objects.
pub(crate) fn record(role: &str, id: Option<&str>, time: Option<&str>, blocks: &[String], extra: &str) -> String {
    let mut out = format!("{{\"type\":\"{role}\",");
    for (name, value) in [("uuid", id), ("timestamp", time)] {
        if let Some(value) = value {
            out.push_str(&format!("\"{name}\":{},", quote(value)));
        }
    }
    out.push_str(extra);
    out.push_str(&format!("\"message\":{{\"role\":\"{role}\",\"content\":[{}]}}}}", blocks.join(",")));
    out
}

/// Returns a text block.
pub(crate) fn text(words: &str) -> String {
    format!("{{\"type\":\"text\",\"text\":{}}}", quote(words))
}

/// Returns a call; `input` is JSON, and what is no object is put into one.
pub(crate) fn call(id: &str, name: &str, input: &str) -> String {
    let is_object = crate::json::object(input).is_some();
    let input = if is_object { input.trim().to_owned() } else { format!("{{\"input\":{}}}", quote(input)) };
    format!("{{\"type\":\"tool_use\",\"id\":{},\"name\":{},\"input\":{input}}}", quote(id), quote(name))
}

/// Returns a result.
pub(crate) fn result(id: &str, output: &str, is_error: bool) -> String {
    let failed = if is_error { ",\"is_error\":true" } else { "" };
    format!("{{\"type\":\"tool_result\",\"tool_use_id\":{},\"content\":{}{failed}}}", quote(id), quote(output))
}

/// Returns an image block for a `data:` address; else its address as text.
pub(crate) fn image(url: &str) -> String {
    let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    match data {
        Some((media, data)) => format!(
            "{{\"type\":\"image\",\"source\":{{\"type\":\"base64\",\"media_type\":{},\"data\":{}}}}}",
            quote(media),
            quote(data)
        ),
        None => text(&format!("[image: {url}]")),
    }
}
