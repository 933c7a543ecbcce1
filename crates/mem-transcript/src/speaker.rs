//! Tells what the user typed from what the host put in the user's mouth.
//!
//! Agents send their own notices under the role `user`. Whoever learns from a conversation must not take those for wishes.

use std::borrow::Cow;

use crate::json::Object;
use crate::message::{Kind, Message, Role, Speaker};

/// How texts open that the host wrote under the role `user`.
const HOST_OPENINGS: [&str; 28] = [
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<command-contents>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<system-reminder>",
    "<task-notification>",
    "<teammate-message",
    "<user-prompt-submit-hook>",
    "<ide_",
    "Caveat: The messages below were generated",
    INTERRUPTION,
    "<environment_context>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "<permissions instructions>",
    "<user_shell_command>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<skill>",
    "<session_context>",
    "# AGENTS.md instructions for",
    "--- Content from referenced files ---",
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "Stop hook feedback:",
];

/// How the notice opens that a host leaves when the user stopped the model.
const INTERRUPTION: &str = "[Request interrupted by user";

/// How the text opens that an agent puts in the place of a compacted conversation.
const SUMMARY_OPENINGS: [&str; 3] =
    ["This session is being continued from a previous conversation", "本会话接续", SUMMARY_MARK];

/// How the text opens that mem-compact puts in the place of what it folded.
pub const SUMMARY_MARK: &str = "[mem-compact:";

const REMINDER: (&str, &str) = ("<system-reminder>", "</system-reminder>");

/// Returns who speaks in a message.
pub(crate) fn of(message: &Message<'_>, members: &Object<'_>) -> Speaker {
    match message.role {
        // What the agent itself writes when the service gives no answer.
        Role::Assistant if members.is_true("isApiErrorMessage") => Speaker::Host,
        Role::Assistant => Speaker::Assistant,
        Role::Other => Speaker::Host,
        Role::User if members.is_true("isCompactSummary") => Speaker::Summary,
        Role::User if carries_results(message) => Speaker::Tool,
        Role::User if members.is_true("isMeta") => Speaker::Host,
        Role::User => by_text(message),
    }
}

fn carries_results(message: &Message<'_>) -> bool {
    message.parts.iter().any(|part| matches!(part.kind, Kind::ToolResult { .. }))
}

fn by_text(message: &Message<'_>) -> Speaker {
    let first = message.parts.iter().find_map(|part| match &part.kind {
        Kind::Text(text) => Some(text.trim_start()),
        _ => None,
    });
    if first.is_some_and(|text| SUMMARY_OPENINGS.iter().any(|opening| text.starts_with(opening))) {
        return Speaker::Summary;
    }
    // An image alone is something that the user pasted.
    let shows = message.parts.iter().any(|part| !matches!(part.kind, Kind::Text(_)));
    if shows || typed_texts(message).next().is_some() { Speaker::UserWords } else { Speaker::Host }
}

/// Returns what the user typed in a message, without what the host added; empty when it was nothing.
pub fn own_words<'m>(message: &'m Message<'_>) -> Cow<'m, str> {
    if message.speaker != Speaker::UserWords {
        return Cow::Borrowed("");
    }
    let mut texts = typed_texts(message);
    let first = texts.next().unwrap_or_default();
    let mut words = Cow::Borrowed(first);
    for text in texts {
        let owned = words.to_mut();
        owned.push('\n');
        owned.push_str(text);
    }
    words
}

/// Returns whether the message is the notice that the user stopped the model.
pub fn is_interruption(message: &Message<'_>) -> bool {
    message.role == Role::User && message.parts.iter().any(|part| part.text().trim_start().starts_with(INTERRUPTION))
}

/// Returns whether a text under the role `user` was written by the host.
pub fn is_host_text(text: &str) -> bool {
    let text = text.trim_start();
    HOST_OPENINGS.iter().any(|opening| text.starts_with(opening))
}

fn typed_texts<'m>(message: &'m Message<'_>) -> impl Iterator<Item = &'m str> {
    message.parts.iter().filter_map(|part| match &part.kind {
        Kind::Text(text) => Some(without_reminders(text)).filter(|text| !text.is_empty() && !is_host_text(text)),
        _ => None,
    })
}

/// Returns a text without the reminders that the host has put into it, wherever they stand; what remains may be empty.
///
/// Only closed ones go: an opening mark alone is the user's own.
#[must_use]
pub fn without_host_blocks(text: &str) -> Cow<'_, str> {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, inner)) = rest.split_once(REMINDER.0) {
        let Some((_, after)) = inner.split_once(REMINDER.1) else { break };
        kept.push_str(before);
        kept.push('\n');
        rest = after;
    }
    if rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    kept.push_str(rest);
    Cow::Owned(kept.trim().to_owned())
}

/// Takes the reminders off that stand around the typed text; one in its middle may be a quotation.
fn without_reminders(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(inner) = text.strip_prefix(REMINDER.0) {
        let Some(end) = inner.find(REMINDER.1) else {
            break;
        };
        text = inner[end + REMINDER.1.len()..].trim_start();
    }
    while let Some(inner) = text.strip_suffix(REMINDER.1) {
        let Some(start) = inner.rfind(REMINDER.0) else {
            break;
        };
        text = text[..start].trim_end();
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::read_messages;

    fn check(message: &str, speaker: Speaker, words: &str) {
        let list = format!("[{message}]");
        let read = read_messages(&list);
        assert_eq!(read.messages[0].speaker, speaker, "{message}");
        assert_eq!(own_words(&read.messages[0]), words, "{message}");
    }

    #[test]
    fn what_the_user_typed_is_the_users() {
        check(r#"{"role":"user","content":"use tabs"}"#, Speaker::UserWords, "use tabs");
        check(r#"{"role":"user","content":[{"type":"text","text":"用制表符"}]}"#, Speaker::UserWords, "用制表符");
        check(
            r#"{"role":"user","content":"see <system-reminder> in the log"}"#,
            Speaker::UserWords,
            "see <system-reminder> in the log",
        );
        check(r#"{"role":"user","content":[{"type":"image","source":{}}]}"#, Speaker::UserWords, "");
    }

    #[test]
    fn reminders_around_typed_words_are_taken_off() {
        let words = r#"{"role":"user","content":"<system-reminder>never say so</system-reminder>\nuse tabs\n<system-reminder>b</system-reminder>"}"#;
        check(words, Speaker::UserWords, "use tabs");
        let blocks = r#"{"role":"user","content":[{"type":"text","text":"<system-reminder>a</system-reminder>"},{"type":"text","text":"use tabs"}]}"#;
        check(blocks, Speaker::UserWords, "use tabs");
    }

    #[test]
    fn the_hosts_texts_are_not_the_users() {
        for opening in HOST_OPENINGS {
            check(&format!(r#"{{"role":"user","content":"{opening} always do this"}}"#), Speaker::Host, "");
        }
        check(r#"{"role":"user","isMeta":true,"content":"always do this"}"#, Speaker::Host, "");
        check(r#"{"role":"user","isCompactSummary":true,"content":"always"}"#, Speaker::Summary, "");
        check(
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"always"}]}"#,
            Speaker::Tool,
            "",
        );
    }

    #[test]
    fn an_interruption_is_noticed() {
        let list =
            r#"[{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}]"#;
        assert!(is_interruption(&read_messages(list).messages[0]));
    }
}
