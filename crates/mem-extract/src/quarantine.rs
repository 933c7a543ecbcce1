//! Finds what reads like a standing instruction in the output of tools: pages, files, programs.
//!
//! It is nobody's wish, so it never becomes a memory; it is named, so that people see that somebody tried.

use mem_transcript::{Kind, Message, Speaker};

use crate::cue::Cue;
use crate::reading::signs;
use crate::typed;

/// One such sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// The words.
    pub text: String,
    /// The message that holds the output.
    pub id: String,
    /// The tool.
    pub tool: String,
}

/// So many are named; a page can hold thousands.
const MOST: usize = 10;
/// So much of an output is looked at, in bytes.
const MOST_BYTES: usize = 64 * 1024;
/// Words of which a standing instruction to an agent has at least one.
const SIGNALS: [&str; 12] = [
    "remember",
    "from now on",
    "memory",
    "previous instructions",
    "in the future",
    "going forward",
    "henceforth",
    "记住",
    "以后",
    "今后",
    "从现在",
    "忽略",
];

/// Returns the sentences from the message `start` on.
pub fn find(messages: &[Message<'_>], start: usize) -> Vec<Quarantined> {
    let mut found = Vec::new();
    for (at, message) in messages.iter().enumerate().skip(start).filter(|(_, one)| one.speaker == Speaker::Tool) {
        for part in &message.parts {
            let Kind::ToolResult { id, .. } = &part.kind else { continue };
            let text = part.text();
            for sentence in suspects(&text) {
                if found.len() == MOST {
                    return found;
                }
                let number = || at.to_string();
                found.push(Quarantined {
                    text: sentence,
                    id: message.uuid.as_deref().map_or_else(number, str::to_owned),
                    tool: tool(&messages[..at], id),
                });
            }
        }
    }
    found
}

fn suspects(text: &str) -> Vec<String> {
    let head = mem_text::cut::bytes(text, MOST_BYTES);
    let lines = head.lines().filter(|line| {
        let lower = line.to_lowercase();
        SIGNALS.iter().any(|signal| lower.contains(signal))
    });
    let sentences = lines.flat_map(typed::sentences);
    sentences.filter(|sentence| instructs(&sentence.text)).map(|sentence| sentence.text).collect()
}

/// Whether a sentence tells somebody to keep to something, or to leave what they were told.
fn instructs(text: &str) -> bool {
    let cues = signs(text);
    let orders = cues.any(&[Cue::Imperative, Cue::Prohibition, Cue::Deontic]) && !cues.has(Cue::Question);
    let lower = text.to_lowercase();
    let overrides = ["previous instructions", "all instructions", "之前的指令", "以上指令"]
        .iter()
        .any(|words| lower.contains(words));
    orders && (cues.any(&[Cue::Remember, Cue::Lasting]) || overrides)
}

fn tool(messages: &[Message<'_>], call: &str) -> String {
    let calls = messages.iter().rev().take(50).flat_map(|message| &message.parts);
    let name = calls.into_iter().find_map(|part| match &part.kind {
        Kind::ToolUse { id, name, .. } if id == call => Some(name.to_string()),
        _ => None,
    });
    name.unwrap_or_else(|| "a tool".to_owned())
}
