//! Folds a conversation: cuts it, writes the digest, and puts the messages that stay behind it as they are.

use std::borrow::Cow;
use std::collections::HashSet;

use mem_transcript::{Message, blocks};
use mem_types::compact::{Cover, Loss, Summary};

use crate::choice::{choose, rank};
use crate::collect::has_task_list;
use crate::digest;
use crate::loss;
use crate::plan::{Cut, Window};
use crate::points::{Hold, Point, Source, points};

/// What a fold is asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wish {
    /// The most tokens that the result may have.
    pub budget: Option<usize>,
    /// Turns before the current one that stay word for word: with a budget as far as it reaches.
    pub hot_turns: usize,
    /// Texts that must be kept.
    pub pins: Vec<String>,
    /// The project's root, from which paths are written.
    pub root: String,
    /// Summaries of earlier folds.
    pub earlier: Vec<Summary>,
}

/// A folded conversation.
#[derive(Debug)]
pub(crate) struct Fold {
    /// The list of messages, as JSON.
    pub messages: String,
    pub tokens: usize,
    /// Earlier summaries first, then those of this fold, the digest last.
    pub summaries: Vec<Summary>,
    /// How many messages were folded.
    pub folded: usize,
    /// Names of the skills that were used in them.
    pub skills: Vec<String>,
    /// Tokens of the digest, with its message.
    pub digest_tokens: usize,
    pub loss: Loss,
}

/// Share of the old tokens that a digest may take when no budget says how much.
const DIGEST_SHARE: f64 = 0.1;
/// What a digest may take at least when no budget says how much.
const DIGEST_LEAST: usize = 1000;

/// Returns the folded conversation, or nothing when there is nothing to fold or it would not get smaller.
pub(crate) fn fold(window: &Window<'_, '_>, wish: &Wish) -> Option<Fold> {
    let last = window.last_cut();
    let has_news = window.has_news_before(last);
    let has_room = wish.budget.is_some_and(|budget| budget > window.tokens_from(last));
    if !has_news && !has_room {
        return None;
    }
    let kept = loss::texts(&window.messages[last..]);
    let pins: Vec<String> = wish.pins.iter().filter(|pin| !kept.contains(pin.as_str())).cloned().collect();
    let points = points(window.messages, 0..last, &pins, &wish.root);
    let is_chinese = digest::is_chinese(&points);
    let overhead = overhead(window, last, is_chinese);
    let cut = match wish.budget {
        Some(budget) => window.cut_for_budget(&points, budget, wish.hot_turns, overhead),
        None => window.cut_behind_turns(wish.hot_turns),
    };
    if cut.folded.is_empty() || (wish.budget.is_none() && !window.has_news_before(cut.folded.end)) {
        return None;
    }
    let fold = write(window, wish, &points, &cut, is_chinese);
    // A digest alone is written again only if that helps, so that a second fold changes nothing.
    let helps = has_news || wish.budget.is_some_and(|budget| fold.tokens <= budget);
    (helps && fold.tokens < window.tokens()).then_some(fold)
}

fn write(window: &Window<'_, '_>, wish: &Wish, points: &[Point], cut: &Cut, is_chinese: bool) -> Fold {
    let end = points.partition_point(|point| point.message < cut.folded.end);
    let points = &current_points(&points[..end], &window.messages[cut.folded.end..]);
    let folded = &window.messages[cut.folded.clone()];
    let blocks = folded_blocks(window, cut);
    let head = digest::head(folded.len(), blocks.len(), is_chinese);
    let overhead = overhead(window, cut.folded.end, is_chinese);
    let room = room(window, wish, points, cut, overhead);
    let chosen = fitting(points, room, &head);
    let text = digest::compose(&head, chosen.iter().map(|&index| &points[index]));
    let mut summaries = digest::block_summaries(window.messages, &blocks, points);
    let digest = digest_of(folded, &summaries, text, &wish.earlier);
    let kept = &window.messages[cut.folded.end..];
    let loss = loss::compare(points, &chosen, &digest.text, kept, &wish.pins);
    let digest_tokens =
        digest::message_tokens(&digest.text) + digest::message_tokens(digest::acknowledgement(is_chinese));
    let messages = messages_json(&digest, is_chinese, kept);
    summaries.push(digest);
    Fold {
        messages,
        tokens: cut.kept_tokens + digest_tokens,
        summaries: with_earlier(&wish.earlier, summaries),
        folded: folded.len(),
        skills: skills(points),
        digest_tokens,
        loss,
    }
}

/// Returns the points without open tasks when a later task list stays word for word.
fn current_points<'p>(points: &'p [Point], kept: &[Message<'_>]) -> Cow<'p, [Point]> {
    if !has_task_list(kept) {
        return Cow::Borrowed(points);
    }
    points.iter().filter(|point| point.source != Source::Task).cloned().collect()
}

fn skills(points: &[Point]) -> Vec<String> {
    points.iter().filter(|point| point.source == Source::Skill).map(|point| point.text.clone()).collect()
}

/// What a digest costs besides its points.
fn overhead(window: &Window<'_, '_>, messages: usize, is_chinese: bool) -> usize {
    let head = digest::head(messages, window.turns.len(), is_chinese);
    digest::message_tokens(&head) + digest::message_tokens(digest::acknowledgement(is_chinese)) + 4
}

fn folded_blocks(window: &Window<'_, '_>, cut: &Cut) -> Vec<mem_transcript::Block> {
    let folded: Vec<_> = window.turns.iter().filter(|turn| turn.messages.end <= cut.folded.end).cloned().collect();
    blocks(window.messages, &folded)
}

fn room(window: &Window<'_, '_>, wish: &Wish, points: &[Point], cut: &Cut, overhead: usize) -> usize {
    let pinned: usize = points.iter().filter(|point| point.hold == Hold::Pinned).map(|point| point.tokens).sum();
    match wish.budget {
        // When the current turn alone breaks the budget, what the user pinned is kept all the same.
        Some(budget) => budget.checked_sub(cut.kept_tokens + overhead).unwrap_or(pinned),
        None => pinned + DIGEST_LEAST.max(((window.tokens() - cut.kept_tokens) as f64 * DIGEST_SHARE) as usize),
    }
}

/// Returns the points that fit, by the count of the text as it will stand there.
fn fitting(points: &[Point], room: usize, head: &str) -> Vec<usize> {
    let limit = room + mem_transcript::text_tokens(head);
    let order = rank(points);
    let mut room = room;
    loop {
        let chosen = choose(points, &order, room);
        let text = digest::compose(head, chosen.iter().map(|&index| &points[index]));
        let over = mem_transcript::text_tokens(&text).saturating_sub(limit);
        if over == 0 || chosen.is_empty() {
            return chosen;
        }
        room = room.saturating_sub(over.max(room / 50));
    }
}

fn digest_of(folded: &[Message<'_>], blocks: &[Summary], text: String, earlier: &[Summary]) -> Summary {
    let head = folded.first().filter(|message| digest::is_digest(message)).and_then(|message| message.uuid.as_deref());
    let below = earlier.iter().filter(|summary| Some(summary.id.as_str()) == head).map(|summary| summary.level).max();
    let mut covers: Vec<Cover> = head.map(|id| Cover::Id(id.to_owned())).into_iter().collect();
    covers.extend(blocks.iter().map(|summary| Cover::Id(summary.id.clone())));
    let level = if head.is_some() { below.unwrap_or(2) + 1 } else { 2 };
    Summary { id: digest::id("digest", &covers, &text), level, text, covers }
}

fn with_earlier(earlier: &[Summary], new: Vec<Summary>) -> Vec<Summary> {
    let ids: HashSet<&str> = new.iter().map(|summary| summary.id.as_str()).collect();
    let mut all: Vec<Summary> = earlier.iter().filter(|summary| !ids.contains(summary.id.as_str())).cloned().collect();
    all.extend(new);
    all
}

fn messages_json(digest: &Summary, is_chinese: bool, kept: &[Message<'_>]) -> String {
    let quote = |text: &str| serde_json::Value::from(text).to_string();
    let mut json = format!(
        "[{{\"uuid\":{id},\"role\":\"user\",\"content\":{text}}},{{\"uuid\":{read},\"role\":\"assistant\",\"content\":{answer}}}",
        id = quote(&digest.id),
        text = quote(&digest.text),
        read = quote(&format!("{}-read", digest.id)),
        answer = quote(digest::acknowledgement(is_chinese)),
    );
    for message in kept {
        json.push(',');
        json.push_str(&message.to_json());
    }
    json.push(']');
    json
}

#[cfg(test)]
mod tests;
