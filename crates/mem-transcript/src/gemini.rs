//! Sessions of Gemini: checkpoints with `messages` of its own form, histories with `parts`, and records a line.

use std::collections::HashMap;

use crate::json::{self, Object};
use crate::record;

/// Returns the records of a checkpoint that is one JSON text; nothing when it is none.
pub(crate) fn checkpoint(text: &str) -> Option<Vec<(String, usize)>> {
    if let Some(members) = json::object(text) {
        if let Some(list) = members.get("messages").and_then(json::list) {
            return of_messages(&list);
        }
        let history = members.get("history").or_else(|| members.get("contents"))?;
        return of_history(&json::list(history)?);
    }
    of_history(&json::list(text)?)
}

/// One message: its id, and its records, each with its line.
type Numbered = (Option<String>, Vec<(String, usize)>);

/// Returns the records of a session that has a message a line, with rewinds.
pub(crate) fn lines<'t>(lines: impl Iterator<Item = (&'t str, usize)>) -> Vec<(String, usize)> {
    let mut messages: Vec<Numbered> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (raw, line) in lines {
        let Some(members) = json::object(raw) else { continue };
        if let Some(to) = members.text("$rewindTo") {
            messages.truncate(places.get(to.as_ref()).copied().unwrap_or(messages.len()));
            continue;
        }
        let id = members.text("id").map(String::from);
        let records = message(&members).into_iter().map(|record| (record, line)).collect();
        // A message is written again when its tools have answered.
        let place = id
            .as_ref()
            .and_then(|id| places.get(id).copied())
            .filter(|at| messages.get(*at).is_some_and(|(known, _)| *known == id));
        match place {
            Some(at) => messages[at] = (id, records),
            None => {
                if let Some(id) = &id {
                    places.insert(id.clone(), messages.len());
                }
                messages.push((id, records));
            }
        }
    }
    messages.into_iter().flat_map(|(_, records)| records).collect()
}

fn of_messages(list: &[&str]) -> Option<Vec<(String, usize)>> {
    let objects: Vec<Object<'_>> = list.iter().map(|raw| json::object(raw).unwrap_or_default()).collect();
    let is_ours = objects.iter().all(|members| members.get("type").is_some() && members.get("role").is_none());
    let records = objects.iter().flat_map(message).map(|record| (record, 1)).collect();
    (is_ours && !objects.is_empty()).then_some(records)
}

/// Returns the records of one message: its words and calls, then the results of the calls.
fn message(members: &Object<'_>) -> Vec<String> {
    let (id, time) = (members.text("id"), members.text("timestamp"));
    let (id, time) = (id.as_deref(), time.as_deref());
    let words = words(members.get("content").unwrap_or("\"\""));
    let mut blocks: Vec<String> = words.iter().map(|words| record::text(words)).collect();
    match members.text("type").as_deref() {
        Some("user") if !blocks.is_empty() => vec![record::record("user", id, time, &blocks, "")],
        Some("gemini" | "model" | "assistant") => {
            let calls = members.get("toolCalls").and_then(json::list).unwrap_or_default();
            let calls: Vec<Object<'_>> = calls.into_iter().filter_map(json::object).collect();
            let mut results = Vec::new();
            for call in &calls {
                let id = call.text("id").unwrap_or_default();
                let name = call.text("name").unwrap_or_default();
                blocks.push(record::call(&id, &name, call.get("args").unwrap_or("{}")));
                let failed = call.text("status").is_some_and(|status| status != "success");
                results.push(record::result(&id, &result(call.get("result").unwrap_or("[]")), failed));
            }
            let mut records = Vec::new();
            if !blocks.is_empty() {
                records.push(record::record("assistant", id, time, &blocks, ""));
            }
            if !results.is_empty() {
                records.push(record::record("user", None, time, &results, ""));
            }
            records
        }
        // Notices of the program: no model reads them.
        _ => Vec::new(),
    }
}

fn words(content: &str) -> Vec<String> {
    if let Some(text) = json::string(content) {
        return Some(text.into_owned()).filter(|text| !text.is_empty()).into_iter().collect();
    }
    let parts = json::list(content).unwrap_or_else(|| vec![content]);
    let text =
        |raw: &str| json::string(raw).map(String::from).or_else(|| json::object(raw)?.text("text").map(String::from));
    parts.into_iter().filter_map(text).filter(|text| !text.is_empty()).collect()
}

/// Returns the words of a list of function responses.
fn result(raw: &str) -> String {
    if let Some(text) = json::string(raw) {
        return text.into_owned();
    }
    let parts = json::list(raw).unwrap_or_else(|| vec![raw]);
    let texts = parts.into_iter().filter_map(|part| {
        let members = json::object(part)?;
        let response = members.get("functionResponse").and_then(json::object);
        match response {
            Some(response) => Some(response_text(&response)),
            None => members.text("text").map(String::from),
        }
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn response_text(response: &Object<'_>) -> String {
    let raw = response.get("response").unwrap_or("\"\"");
    let Some(members) = json::object(raw) else { return json::string(raw).unwrap_or_default().into_owned() };
    let named = ["output", "error", "content", "result"].iter().find_map(|key| members.text(key));
    named.map_or_else(|| raw.to_owned(), String::from)
}

/// Returns the records of a history as the API takes it: `role` and `parts`.
fn of_history(list: &[&str]) -> Option<Vec<(String, usize)>> {
    let objects: Vec<Object<'_>> = list.iter().map(|raw| json::object(raw).unwrap_or_default()).collect();
    if objects.is_empty() || objects.iter().any(|members| members.get("parts").is_none()) {
        return None;
    }
    let mut records = Vec::new();
    for (at, members) in objects.iter().enumerate() {
        let is_user = members.text("role").is_none_or(|role| role != "model");
        let parts = members.get("parts").and_then(json::list).unwrap_or_default();
        let blocks: Vec<String> =
            parts.into_iter().filter_map(json::object).filter_map(|part| block(&part, at)).collect();
        if !blocks.is_empty() {
            let role = if is_user { "user" } else { "assistant" };
            records.push((record::record(role, None, None, &blocks, ""), 1));
        }
    }
    Some(records)
}

/// Calls of a history need not have ids: name and order pair them.
fn block(part: &Object<'_>, at: usize) -> Option<String> {
    if let Some(text) = part.text("text") {
        return (part.get("thought") != Some("true") && !text.is_empty()).then(|| record::text(&text));
    }
    if let Some(call) = part.get("functionCall").and_then(json::object) {
        let name = call.text("name").unwrap_or_default();
        let id = call.text("id").map_or_else(|| format!("{name}-{at}"), String::from);
        return Some(record::call(&id, &name, call.get("args").unwrap_or("{}")));
    }
    if let Some(response) = part.get("functionResponse").and_then(json::object) {
        let name = response.text("name").unwrap_or_default();
        let id = response.text("id").map_or_else(|| format!("{name}-{}", at.saturating_sub(1)), String::from);
        return Some(record::result(&id, &response_text(&response), false));
    }
    let data = part.get("inlineData").and_then(json::object)?;
    let media = data.text("mimeType").unwrap_or_default();
    Some(record::image(&format!("data:{media};base64,{}", data.text("data").unwrap_or_default())))
}
