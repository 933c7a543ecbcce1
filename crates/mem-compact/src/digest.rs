//! Writes what stands in the place of folded messages: the points of each block, and the digest of them all that the model
//! is given.

use std::collections::HashMap;
use std::ops::Range;

use mem_transcript::{Message, SUMMARY_MARK, Speaker, text_tokens};
use mem_types::compact::{Cover, Entry, Summary};

use crate::points::{Point, Source};
use crate::slots::SLOTS;
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

/// Returns the text of a digest: its head, then the points slot by slot, in each in the order of the conversation.
pub(crate) fn compose<'p>(head: &str, points: impl Iterator<Item = &'p Point> + Clone, is_chinese: bool) -> String {
    let mut text = String::from(head);
    for slot in SLOTS {
        let mut of_slot = points.clone().filter(|point| point.slot == slot).peekable();
        let Some(first) = of_slot.peek() else { continue };
        match slot.heading(is_chinese) {
            Some(heading) => {
                text.push('\n');
                text.push_str(heading);
                of_slot.for_each(|point| push_line(&mut text, point));
            }
            None => {
                text.push('\n');
                text.push_str(first.source.mark());
                let names: Vec<&str> = of_slot.map(|point| point.text.as_str()).collect();
                text.push_str(&names.join(", "));
            }
        }
    }
    text
}

/// Returns the points of a block as lines, in the order of the conversation.
fn lines<'p>(points: impl Iterator<Item = &'p Point>) -> String {
    let mut text = String::new();
    points.for_each(|point| push_line(&mut text, point));
    text.trim_start().to_owned()
}

fn push_line(text: &mut String, point: &Point) {
    text.push('\n');
    text.push_str(point.source.mark());
    text.push_str(&point.text);
}

/// Returns a path as it is written from the project's root.
pub(crate) fn short<'p>(path: &'p str, root: &str) -> &'p str {
    let root = root.trim_end_matches('/');
    let inner = path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
    inner.filter(|rest| !root.is_empty() && !rest.is_empty()).unwrap_or(path)
}

/// Returns the points of each folded block as a summary of level 1. Blocks that are summaries already are left out.
pub(crate) fn block_summaries(
    messages: &[Message<'_>],
    blocks: &[Range<usize>],
    points: &[Point],
) -> Vec<(Summary, Range<usize>)> {
    let mut rest = points;
    let mut summaries = Vec::with_capacity(blocks.len());
    for block in blocks {
        let end = rest.iter().position(|point| point.message >= block.end).unwrap_or(rest.len());
        let (own, behind) = rest.split_at(end);
        rest = behind;
        let covers = covers(messages, block.clone());
        if !covers.is_empty() {
            let text = lines(own.iter());
            let summary = Summary { id: id("points", &covers, &text), level: 1, text, covers, entries: Vec::new() };
            summaries.push((summary, block.clone()));
        }
    }
    summaries
}

/// Returns the entries of a digest: what stands in which slot, and which messages it came from.
///
/// What an earlier digest said keeps the sources that it had there.
pub(crate) fn entries<'p>(
    points: impl Iterator<Item = &'p Point>,
    messages: &[Message<'_>],
    earlier: &[Summary],
) -> Vec<Entry> {
    let known: HashMap<&str, &Entry> =
        earlier.iter().flat_map(|summary| &summary.entries).map(|entry| (entry.text.as_str(), entry)).collect();
    let from = |point: &Point| match known.get(point.text.as_str()) {
        Some(entry) if is_digest(&messages[point.message]) => entry.from.clone(),
        _ if point.source == Source::Pin => Vec::new(),
        _ => names(&messages[point.message], point.message),
    };
    let entry = |point: &Point| Entry { slot: point.slot.name().into(), text: point.text.clone(), from: from(point) };
    points.filter(|point| point.source != Source::Cold).map(entry).collect()
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
        covers.extend(names(message, index));
    }
    covers
}

/// Returns the ids of a message, else its index.
fn names(message: &Message<'_>, index: usize) -> Vec<Cover> {
    let ids: Vec<Cover> = message.uuids().map(|uuid| Cover::Id(uuid.to_owned())).collect();
    if ids.is_empty() { vec![Cover::Index(index)] } else { ids }
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
