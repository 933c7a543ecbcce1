//! The messages of a conversation that is not folded, as a request that a service takes.

use mem_transcript::{Kind, Message, Role, Speaker};
use serde_json::json;

use crate::digest;
use crate::mend::{Mended, Sent, mend, put_in};

/// A whole conversation as a request.
#[derive(Debug)]
pub(crate) struct Whole {
    /// The list of messages, as JSON.
    pub json: String,
    pub tokens: usize,
    pub mended: Mended,
}

/// Returns all messages as a valid request; what is valid already keeps its bytes.
pub(crate) fn whole(messages: &[Message<'_>], typed: Option<usize>) -> Whole {
    let is_chinese = is_chinese(messages);
    let all: Vec<&Message<'_>> = messages.iter().collect();
    let (mut sent, mut mended) = mend(&all, typed, digest::acknowledgement(is_chinese));
    if sent.first().is_some_and(|first| first.role == Role::Assistant) {
        mended.is_begun = true;
        let text = if is_chinese {
            "[对话的开头不在此处]"
        } else {
            "[the beginning of this conversation is not here]"
        };
        sent.insert(0, put_in(Role::User, json!({"role": "user", "content": text}).to_string()));
    }
    let tokens = sent.iter().map(Sent::tokens).sum();
    let list: Vec<&str> = sent.iter().map(|sent| sent.json.as_ref()).collect();
    Whole { json: format!("[{}]", list.join(",")), tokens, mended }
}

/// Whether the user writes Chinese, by what was typed last.
fn is_chinese(messages: &[Message<'_>]) -> bool {
    let typed = messages.iter().rev().filter(|message| message.speaker == Speaker::UserWords).take(3);
    let texts = typed.flat_map(|message| &message.parts).filter_map(|part| match &part.kind {
        Kind::Text(text) => Some(text.as_ref()),
        _ => None,
    });
    let (mut wide, mut all) = (0, 0);
    for letter in texts.flat_map(str::chars).take(2_000) {
        all += 1;
        wide += usize::from(matches!(letter, '\u{3040}'..='\u{9FFF}' | '\u{FF00}'..='\u{FFEF}'));
    }
    wide * 4 > all
}
