//! Decides which turns stay word for word and how much room the digest of the others has.

use std::ops::Range;

use mem_transcript::{Message, Speaker, Turn, budget_tokens, last_typed, tool_pairs, turns};

use crate::choice::is_telling;
use crate::digest::is_acknowledgement;
use crate::points::Point;

/// What of the room behind the current turn the last turns before it may take before anything is weighed.
const HOT_SHARE: f64 = 0.25;

/// What the last turns before the current one may take when there is no budget.
const HOT_TOKENS: usize = 10_000;

/// Where the conversation is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Messages that are folded: from the first to this one, exclusive.
    pub folded: Range<usize>,
    /// Tokens of the messages that stay.
    pub kept_tokens: usize,
}

/// The conversation with what the decision needs, counted once.
pub(crate) struct Window<'m, 'a> {
    pub messages: &'m [Message<'a>],
    pub turns: Vec<Turn>,
    /// Tokens of the messages from the n-th on.
    behind: Vec<usize>,
    /// First messages of turns at which a cut parts no call from its result.
    cuts: Vec<usize>,
}

impl<'m, 'a> Window<'m, 'a> {
    /// Counts the messages and finds the places where they may be cut.
    pub(crate) fn new(messages: &'m [Message<'a>]) -> Self {
        let turns = turns(messages);
        let mut behind = vec![0; messages.len() + 1];
        for (index, message) in messages.iter().enumerate().rev() {
            behind[index] = behind[index + 1] + budget_tokens(message);
        }
        let typed = last_typed(messages);
        let current =
            turns.iter().position(|turn| typed.is_some_and(|typed| turn.messages.contains(&typed))).unwrap_or(0);
        let cuts = cuts(messages, &turns[..turns.len().min(current + 1)]);
        Window { messages, turns, behind, cuts }
    }

    /// Returns the tokens of all messages.
    pub(crate) fn tokens(&self) -> usize {
        self.behind[0]
    }

    /// Returns the tokens of the messages from this one on.
    pub(crate) fn tokens_from(&self, message: usize) -> usize {
        self.behind[message.min(self.messages.len())]
    }

    /// Returns the last place where the conversation may be cut: before the current turn, or before what belongs to it.
    pub(crate) fn last_cut(&self) -> usize {
        self.cuts.last().copied().unwrap_or(0)
    }

    /// Returns whether something stands before this message that was not folded already.
    pub(crate) fn has_news_before(&self, message: usize) -> bool {
        let mut before = self.messages[..message].iter();
        match before.next() {
            // A summary at the head, and the short answer that we put behind it.
            Some(first) if first.speaker == Speaker::Summary => before.any(|message| !is_acknowledgement(message)),
            Some(_) => true,
            None => false,
        }
    }

    /// Returns the cut that leaves the current turn and so many before it, as long as those are not large.
    ///
    /// The limit is a fixed size and no share, so that a second fold finds the same turns and changes nothing.
    pub(crate) fn cut_behind_turns(&self, hot_turns: usize) -> Cut {
        let floor = self.tokens_from(self.last_cut());
        let older = self.cuts.iter().rev().copied();
        let hot = older.take(hot_turns + 1).take_while(|&cut| self.tokens_from(cut) - floor <= HOT_TOKENS);
        self.cut_at(hot.last().unwrap_or(0))
    }

    /// Returns the cut for a budget: the last turns as long as they are small, then more as long as every telling point of
    /// what is older has room too.
    pub(crate) fn cut_for_budget(&self, points: &[Point], budget: usize, hot_turns: usize, overhead: usize) -> Cut {
        let last = self.last_cut();
        let floor = self.tokens_from(last);
        let room = budget.saturating_sub(floor + overhead);
        let hot = floor + (room as f64 * HOT_SHARE) as usize;
        let mut needed: usize = points.iter().filter(|point| is_telling(point)).map(|point| point.tokens).sum();
        let mut telling: Vec<&Point> = points.iter().filter(|point| is_telling(point)).collect();
        let mut at = last;
        for (steps, &cut) in self.cuts.iter().rev().skip(1).enumerate() {
            while telling.last().is_some_and(|point| point.message >= cut) {
                needed -= telling.pop().map_or(0, |point| point.tokens);
            }
            let tokens = self.tokens_from(cut);
            let is_hot = steps < hot_turns && tokens <= hot;
            if !is_hot && tokens + needed + overhead > budget {
                break;
            }
            at = cut;
        }
        self.cut_at(at)
    }

    fn cut_at(&self, at: usize) -> Cut {
        Cut { folded: 0..at, kept_tokens: self.tokens_from(at) }
    }
}

/// Returns the starts of turns, but those that stand between a call and its result. The first message is always one.
fn cuts(messages: &[Message<'_>], turns: &[Turn]) -> Vec<usize> {
    let mut spans: Vec<Range<usize>> =
        tool_pairs(messages).pairs.into_iter().map(|(call, result)| call.0 + 1..result.0 + 1).collect();
    spans.sort_unstable_by_key(|span| span.start);
    let (mut reach, mut spans) = (0, spans.into_iter().peekable());
    let mut cuts = Vec::with_capacity(turns.len());
    for start in turns.iter().map(|turn| turn.messages.start) {
        while let Some(span) = spans.next_if(|span| span.start <= start) {
            reach = reach.max(span.end);
        }
        if start >= reach || start == 0 {
            cuts.push(start);
        }
    }
    cuts
}
