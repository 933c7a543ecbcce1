//! Format `request` in a session: what one request gave the model, the next repeats byte for byte.
//!
//! A service keeps the front of a request in its cache only while no byte of it changes. So guide, index and
//! instructions are frozen with the first request, and what comes later (a memory that a prompt needs, a rule that
//! starts to match) goes beside the newest user message and stays there. Compaction, `clear` and `--refresh` start
//! again.

use std::collections::BTreeMap;

use mem_types::Document;
use mem_types::session::{Frozen, GivenFile, Injection};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::layers::{Layers, section};
use crate::message::Message;
use crate::request::{Texts, body, plain_block, reminder, shown_of};
use crate::{Placement, Rendered, memories};

/// Which request of a session it is.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    /// What the requests before it gave; nothing for the first.
    pub before: Option<Frozen>,
    /// The compaction epoch.
    pub epoch: u64,
    /// Whether the texts are to be taken anew.
    pub refreshes: bool,
}

/// Returns the body as one line of JSON: a byte prefix of the next one of the session, up to the last user message.
#[must_use]
pub fn request_in_session(document: &Document, placement: Placement, turn: Turn) -> Rendered {
    let layers = Layers::read(document);
    let before = turn.before.filter(|before| before.epoch == turn.epoch && !turn.refreshes);
    let notes = before.as_ref().map(|before| changed_prefix(before, document)).unwrap_or_default();
    let is_first = before.is_none();
    let mut frozen = before.unwrap_or_else(|| start(&layers, placement, turn.epoch));
    frozen.system_sha256 = hash_of(document.get("system"));
    frozen.tools_sha256 = hash_of(document.get("tools"));
    let texts = Texts { system: frozen.system.clone(), first: frozen.first.clone() };
    let text = body(document, &texts, |messages| {
        let places = places(messages, texts.first.as_deref());
        if let Some(last) = places.last() {
            let new = new_injection(&layers, &mut frozen, is_first);
            frozen.injections.extend(new.map(|new| Injection { message: last.0.clone(), nth: last.1, ..new }));
        }
        frozen.injections.retain(|injection| put(injection, &places, messages));
    });
    Rendered { text, shown: shown_of(&layers), frozen: Some(frozen), notes }
}

/// Returns what the first request of a session, or of an epoch of it, freezes.
fn start(layers: &Layers, placement: Placement, epoch: u64) -> Frozen {
    let Texts { system, first } = Texts::of(layers, placement);
    let files = layers.active_files().map(|(file, text)| given(&file.path, text)).collect();
    Frozen { epoch, system, first, files, ..Frozen::default() }
}

fn given(path: &str, text: &str) -> GivenFile {
    GivenFile { path: path.to_owned(), sha256: hash(text.as_bytes()) }
}

/// Says what the caller itself changed in the part of the request that a cache keeps.
fn changed_prefix(before: &Frozen, document: &Document) -> Vec<String> {
    let parts = [("tools", &before.tools_sha256), ("system", &before.system_sha256)];
    let changed = parts.into_iter().filter(|(key, old)| **old != hash_of(document.get(key)));
    changed
        .map(|(key, _)| {
            format!("cache-prefix-changed: '{key}' differs from the last request, so nothing comes from the cache")
        })
        .collect()
}

/// The user messages: hash of what each says, and the how manieth of that hash it is.
type Places = Vec<(String, u64, usize)>;

/// Returns the caller's user messages. The first one's own block is ours and does not count.
fn places(messages: &[Message], first: Option<&str>) -> Places {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let users = messages.iter().enumerate().filter(|(_, message)| message.is_user());
    users
        .map(|(place, message)| {
            let key = message_hash(message, first);
            let nth = counts.entry(key.clone()).or_default();
            *nth += 1;
            (key, *nth - 1, place)
        })
        .collect()
}

/// Hashes what a message says, however it is spelled; cache marks, which callers move, do not count.
fn message_hash(message: &Message, first: Option<&str>) -> String {
    let blocks = message.blocks().into_iter().filter_map(|block| {
        let Ok(mut value) = serde_json::from_str::<Value>(&block) else { return Some(block) };
        if value["text"].as_str().is_some_and(|text| Some(text) == first) {
            return None;
        }
        if let Some(members) = value.as_object_mut() {
            members.remove("cache_control");
        }
        Some(value.to_string())
    });
    hash(blocks.collect::<Vec<_>>().join(",").as_bytes())
}

/// Returns what this request adds beside the last user message: rules that match since, memories not yet given.
fn new_injection(layers: &Layers, frozen: &mut Frozen, is_first: bool) -> Option<Injection> {
    let mut parts = Vec::new();
    if !is_first {
        parts.extend(new_rules(layers, frozen));
    }
    let mut injection = Injection::default();
    let dir = layers.index.as_ref().map(|index| index.dir.as_str());
    let recalled = layers.recall.iter().flat_map(|recall| &recall.memories);
    let mut texts = Vec::new();
    for memory in recalled {
        let path = memories::path(memory, dir);
        if !frozen.injections.iter().any(|injection| injection.memories.contains(&path)) {
            texts.push(memories::one(memory, dir));
            injection.memories.push(path);
        }
    }
    if !texts.is_empty() {
        parts.push(format!("{}\n\n{}", memories::LEAD, texts.join("\n\n")));
    }
    injection.text = reminder(&parts.join("\n\n"));
    (!parts.is_empty()).then_some(injection)
}

/// Returns the instruction files that came in since the first request, or changed, and notes that the model has them.
fn new_rules(layers: &Layers, frozen: &mut Frozen) -> Option<String> {
    let mut sections = Vec::new();
    for (file, text) in layers.active_files() {
        let now = given(&file.path, text);
        if frozen.files.contains(&now) {
            continue;
        }
        sections.push(section(file, text));
        frozen.files.retain(|known| known.path != now.path);
        frozen.files.push(now);
    }
    if sections.is_empty() {
        return None;
    }
    let text = format!(
        "Instruction files that count from here on; where one was given before, this is its text now.\n\n{}",
        sections.join("\n\n")
    );
    Some(memories::neutral(&mem_text::secrets::mask(&text)))
}

/// Puts an injection where it stood before; says whether its message is still there.
fn put(injection: &Injection, places: &Places, messages: &mut [Message]) -> bool {
    let place = places.iter().find(|(key, nth, _)| *key == injection.message && *nth == injection.nth);
    let Some((_, _, place)) = place else { return false };
    messages[*place].put_last(plain_block(&injection.text));
    true
}

fn hash_of(raw: Option<&str>) -> String {
    raw.map(|raw| hash(raw.as_bytes())).unwrap_or_default()
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    const PLACEMENT: Placement = Placement { has_guide: true, has_native: false };

    fn ask(document: &Value, before: Option<Frozen>) -> Rendered {
        let document = Document::parse(&document.to_string()).unwrap();
        request_in_session(&document, PLACEMENT, Turn { before, ..Turn::default() })
    }

    fn rule(path: &str, text: &str) -> Value {
        json!({"path": path, "state": "active", "text": text})
    }

    #[test]
    fn a_memory_written_and_a_rule_that_matches_do_not_touch_what_was_sent() {
        let first = json!({"messages": [{"role": "user", "content": "a"}], "load": {"files": [rule("/p/CLAUDE.md", "R1")]},
            "index": {"dir": "/m", "state": "ok", "text": "- [A](a.md)"},
            "recall": {"memories": [{"path": "a.md", "text": "MA"}]}});
        let one = ask(&first, None);
        let second = json!({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "x"},
            {"role": "user", "content": "b"}],
            "load": {"files": [rule("/p/CLAUDE.md", "R1"), rule("/p/r.md", "R2")]},
            "index": {"dir": "/m", "state": "ok", "text": "- [A](a.md)\n- [B](b.md)"},
            "recall": {"memories": [{"path": "b.md", "text": "MB"}]}});
        let two = ask(&second, one.frozen);
        // `system` stands behind `messages` here, as the caller's keys do not say otherwise.
        let end = one.text.find("],\"system\"").unwrap();
        assert!(two.text.starts_with(&one.text[..end]), "{}", two.text);
        assert!(two.text.ends_with(&one.text[one.text.find("\"system\"").unwrap()..]), "{}", two.text);
        assert!(two.text.contains("R2") && two.text.contains("MB") && !two.text.contains("- [B](b.md)"));
        assert_eq!(two.text.matches("MA").count(), 1);
    }

    #[test]
    fn what_a_caller_changes_in_the_cached_part_is_told_and_a_new_epoch_starts_again() {
        let line = json!({"system": "s", "messages": [{"role": "user", "content": "a"}], "load": {"files": [rule("/p", "R")]}});
        let one = ask(&line, None);
        let changed = json!({"system": "t", "messages": [{"role": "user", "content": "a"}]});
        assert!(ask(&changed, one.frozen.clone()).notes[0].starts_with("cache-prefix-changed"));
        assert!(ask(&line, one.frozen.clone()).notes.is_empty());
        let document = Document::parse(&changed.to_string()).unwrap();
        let later = request_in_session(&document, PLACEMENT, Turn { before: one.frozen, epoch: 1, refreshes: false });
        assert!(!later.text.contains("\"R\"") && later.frozen.unwrap().first.is_none());
    }

    #[test]
    fn the_same_turn_asked_again_gives_the_same_bytes() {
        let line = json!({"messages": [{"role": "user", "content": "a"}],
            "recall": {"memories": [{"path": "a.md", "text": "MA"}]}});
        let one = ask(&line, None);
        assert_eq!(ask(&line, one.frozen.clone()).text, one.text);
    }
}
