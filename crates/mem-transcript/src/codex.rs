//! Rollouts of Codex: a record a line with a `payload`; in the oldest ones the payload alone.

use crate::json::{self, Object};
use crate::record;

/// Returns the records of a rollout as ours, each with its line.
pub(crate) fn records<'t>(lines: impl Iterator<Item = (&'t str, usize)>) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (raw, line) in lines {
        let Some(members) = json::object(raw) else { continue };
        let time = members.text("timestamp");
        let time = time.as_deref();
        match members.text("type").as_deref() {
            Some("response_item") => {
                let payload = members.get("payload").and_then(json::object).unwrap_or_default();
                found.extend(item(&payload, time, line).map(|record| (record, line)));
            }
            Some("compacted") => {
                found.clear();
                let payload = members.get("payload").and_then(json::object).unwrap_or_default();
                found.extend(compacted(&payload, time, line));
            }
            _ => {}
        }
    }
    found
}

/// Reads what stands in the place of a compacted conversation: its new history, else the summary alone.
fn compacted(payload: &Object<'_>, time: Option<&str>, line: usize) -> Vec<(String, usize)> {
    let history = payload.get("replacement_history").and_then(json::list).unwrap_or_default();
    let items = history.into_iter().filter_map(json::object);
    let mut found: Vec<_> = items.filter_map(|payload| item(&payload, time, line)).map(|made| (made, line)).collect();
    if let Some(summary) = payload.text("message").filter(|summary| !summary.trim().is_empty()) {
        let blocks = [record::text(&summary)];
        found.push((record::record("user", None, time, &blocks, "\"isCompactSummary\":true,"), line));
    }
    found
}

/// Returns one item as a record; nothing for what no model reads as words.
fn item(payload: &Object<'_>, time: Option<&str>, line: usize) -> Option<String> {
    let kind = payload.text("type")?;
    let text = |key: &str| payload.text(key).unwrap_or_default();
    let make = |role: &str, block: String| Some(record::record(role, None, time, &[block], ""));
    let call_id = payload.text("call_id").or_else(|| payload.text("id"));
    let call_id = call_id.map_or_else(|| format!("line-{line}"), Into::into);
    match kind.as_ref() {
        "message" => message(payload, time),
        "function_call" => make("assistant", record::call(&call_id, &text("name"), &text("arguments"))),
        "custom_tool_call" => make("assistant", record::call(&call_id, &text("name"), &text("input"))),
        "local_shell_call" => make("assistant", record::call(&call_id, "shell", payload.get("action").unwrap_or("{}"))),
        "function_call_output" | "custom_tool_call_output" => {
            let (output, failed) = output(payload.get("output").unwrap_or("\"\""));
            make("user", record::result(&call_id, &output, failed))
        }
        _ => None,
    }
}

fn message(payload: &Object<'_>, time: Option<&str>) -> Option<String> {
    let role = payload.text("role").unwrap_or_default();
    let content = payload.get("content")?;
    let blocks: Vec<String> = match json::string(content) {
        Some(text) => vec![record::text(&text)],
        None => json::list(content)?.into_iter().filter_map(json::object).filter_map(|block| part(&block)).collect(),
    };
    let id = payload.text("id");
    match role.as_ref() {
        _ if blocks.is_empty() => None,
        "user" => Some(record::record("user", id.as_deref(), time, &blocks, "")),
        "assistant" => Some(record::record("assistant", id.as_deref(), time, &blocks, "")),
        // What the program itself tells the model.
        _ => Some(record::record("user", id.as_deref(), time, &blocks, "\"isMeta\":true,")),
    }
}

fn part(block: &Object<'_>) -> Option<String> {
    match block.text("type")?.as_ref() {
        "input_text" | "output_text" | "text" => Some(record::text(&block.text("text")?)),
        "input_image" => Some(record::image(&block.text("image_url")?)),
        _ => None,
    }
}

/// Reads an output: text, or an object with the text and whether it went well.
fn output(raw: &str) -> (String, bool) {
    let plain = json::string(raw).map(|text| text.into_owned());
    let members = json::object(plain.as_deref().unwrap_or(raw));
    let Some(members) = members else {
        let parts = json::list(raw).unwrap_or_default().into_iter().filter_map(json::object);
        let texts: Vec<String> = parts.filter_map(|part| part.text("text").map(Into::into)).collect();
        return (plain.unwrap_or_else(|| texts.join("\n")), false);
    };
    let text = ["content", "output"].iter().find_map(|key| members.text(key));
    let failed = members.get("success") == Some("false")
        || members
            .get("metadata")
            .and_then(json::object)
            .is_some_and(|metadata| metadata.get("exit_code").is_some_and(|code| code != "0"));
    (text.map_or_else(|| plain.clone().unwrap_or_else(|| raw.to_owned()), Into::into), failed)
}
