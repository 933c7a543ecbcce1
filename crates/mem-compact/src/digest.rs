//! Writes what stands in the place of folded messages: the points of each block, and the digest of them all that the model
//! is given.

use std::ops::Range;

use mem_transcript::{Block, Message, SUMMARY_MARK, Speaker, text_tokens};
use mem_types::compact::{Cover, Summary};

use crate::points::{Point, Source};
use crate::words::hash;

/// Returns the head of a digest. It states where the text comes from; it asks for nothing.
pub(crate) fn head(messages: usize, blocks: usize, is_chinese: bool) -> String {
    if is_chinese {
        return format!("{SUMMARY_MARK} 此前 {messages} 条消息（{blocks} 段）的要点；> 为用户原话，! 为工具报错]");
    }
    let plural = if blocks == 1 { "" } else { "s" };
    format!(
        "{SUMMARY_MARK} points of {messages} earlier messages in {blocks} block{plural}; \
         > are the user's own words, ! errors of tools]"
    )
}

/// Returns the short answer that stands behind a digest, so that roles alternate.
pub(crate) fn acknowledgement(is_chinese: bool) -> &'static str {
    if is_chinese { "已读。" } else { "Read." }
}

/// Returns whether a conversation is mostly Chinese, by what user and model say.
pub(crate) fn is_chinese(points: &[Point]) -> bool {
    let said = points.iter().filter(|point| matches!(point.source, Source::User | Source::Assistant));
    let (wide, all) = said.fold((0usize, 0usize), |(wide, all), point| {
        let letters = point.text.chars().count();
        let ascii = point.text.bytes().filter(u8::is_ascii).count();
        (wide + letters - ascii, all + letters)
    });
    wide * 4 > all
}

/// Returns the text of a digest: its head, then points in the order of the conversation, then files and skills.
pub(crate) fn compose<'p>(head: &str, points: impl Iterator<Item = &'p Point> + Clone) -> String {
    let mut text = String::from(head);
    for point in points.clone().filter(|point| !is_listed(point.source)) {
        text.push('\n');
        text.push_str(point.source.mark());
        text.push_str(&point.text);
    }
    for source in [Source::Skill, Source::File] {
        let names: Vec<&str> =
            points.clone().filter(|point| point.source == source).map(|point| point.text.as_str()).collect();
        if !names.is_empty() {
            text.push('\n');
            text.push_str(source.mark());
            text.push_str(&names.join(", "));
        }
    }
    text
}

/// Returns a path as it is written from the project's root.
pub(crate) fn short<'p>(path: &'p str, root: &str) -> &'p str {
    let root = root.trim_end_matches('/');
    let inner = path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
    inner.filter(|rest| !root.is_empty() && !rest.is_empty()).unwrap_or(path)
}

fn is_listed(source: Source) -> bool {
    matches!(source, Source::Skill | Source::File)
}

/// Returns the points of each folded block as a summary of level 1. Blocks that are summaries already are left out.
pub(crate) fn block_summaries(messages: &[Message<'_>], blocks: &[Block], points: &[Point]) -> Vec<Summary> {
    let mut rest = points;
    let mut summaries = Vec::with_capacity(blocks.len());
    for block in blocks {
        let end = rest.iter().position(|point| point.message >= block.messages.end).unwrap_or(rest.len());
        let (own, behind) = rest.split_at(end);
        rest = behind;
        let covers = covers(messages, block.messages.clone());
        if !covers.is_empty() {
            let text = compose("", own.iter()).trim_start().to_owned();
            summaries.push(Summary { id: id("points", &covers, &text), level: 1, text, covers });
        }
    }
    summaries
}

/// Returns whether a message is a digest of ours.
pub(crate) fn is_digest(message: &Message<'_>) -> bool {
    message.speaker == Speaker::Summary && message.uuid.as_deref().is_some_and(|uuid| uuid.starts_with("digest-"))
}

/// Returns whether a message is the short answer that stands behind a digest of ours.
pub(crate) fn is_acknowledgement(message: &Message<'_>) -> bool {
    message.uuid.as_deref().is_some_and(|uuid| uuid.starts_with("digest-") && uuid.ends_with("-read"))
}

/// Returns what a summary of these messages covers: their ids, but those of summaries that stand there themselves.
fn covers(messages: &[Message<'_>], range: Range<usize>) -> Vec<Cover> {
    let mut covers = Vec::new();
    for index in range {
        let message = &messages[index];
        if is_digest(message) || is_acknowledgement(message) {
            continue;
        }
        let before = covers.len();
        covers.extend(message.uuids().map(|uuid| Cover::Id(uuid.to_owned())));
        if covers.len() == before {
            covers.push(Cover::Index(index));
        }
    }
    covers
}

/// Returns the id of a summary: the same for the same text of the same messages.
pub(crate) fn id(kind: &str, covers: &[Cover], text: &str) -> String {
    let mut names = String::from(text);
    for cover in covers {
        match cover {
            Cover::Id(id) => names.push_str(&format!("\n{id}")),
            Cover::Index(index) => names.push_str(&format!("\n#{index}")),
        }
    }
    format!("{kind}-{:016x}", hash(&names))
}

/// Returns what a message with this text costs.
pub(crate) fn message_tokens(text: &str) -> usize {
    mem_transcript::MESSAGE_TOKENS + text_tokens(text)
}
