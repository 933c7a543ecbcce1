//! Decides which turns stay word for word and how much room the digest of the others has.

use std::ops::Range;

use mem_transcript::{Kind, Message, Part, Role, Speaker, Turn, budget_tokens, last_typed, tool_pairs, turns};

use crate::choice::is_telling;
use crate::digest::is_acknowledgement;
use crate::points::Point;

/// What of the room behind the current turn the last turns before it may take before anything is weighed.
const HOT_SHARE: f64 = 0.25;

/// What the last turns before the current one may take when there is no budget.
const HOT_TOKENS: usize = 10_000;

/// What a digest may take of the room in a long run of tools; the newest calls have the rest.
const DIGEST_SHARE_IN_TURN: (usize, usize) = (2, 5);

/// Where the conversation is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Messages before this one are folded.
    pub head: usize,
    /// Messages behind the last typed one that are folded too, whole calls with their results; mostly none.
    pub inner: Range<usize>,
    /// Tokens of the messages that stay.
    pub kept_tokens: usize,
}

impl Cut {
    /// Returns whether a message is folded.
    pub(crate) fn folds(&self, message: usize) -> bool {
        message < self.head || self.inner.contains(&message)
    }

    /// Returns the indexes of the messages that are folded, in order.
    pub(crate) fn folded(&self) -> impl Iterator<Item = usize> + Clone {
        (0..self.head).chain(self.inner.clone())
    }

    /// Returns how many messages are folded.
    pub(crate) fn count(&self) -> usize {
        self.head + self.inner.len()
    }

    /// Returns the messages that stay, in order.
    pub(crate) fn kept<'m, 'a>(&self, messages: &'m [Message<'a>]) -> Vec<&'m Message<'a>> {
        (self.head..messages.len()).filter(|at| !self.inner.contains(at)).map(|at| &messages[at]).collect()
    }
}

/// The conversation with what the decision needs, counted once.
pub(crate) struct Window<'m, 'a> {
    pub messages: &'m [Message<'a>],
    pub turns: Vec<Turn>,
    /// Tokens of the messages from the n-th on.
    behind: Vec<usize>,
    /// First messages of turns at which a cut parts no call from its result.
    cuts: Vec<usize>,
    /// The last message that the user typed.
    pub typed: Option<usize>,
    /// How the run of tools behind it can be folded.
    inner: Vec<InTurn>,
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
        let open = Open::new(messages);
        let starts = turns[..turns.len().min(current + 1)].iter().map(|turn| turn.messages.start);
        let cuts = starts.filter(|&start| start == 0 || open.is_closed_before(start)).collect();
        let inner = in_turn(messages, typed, &open);
        Window { messages, turns, behind, cuts, typed, inner }
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

    /// Returns the cut that folds also the older part of a long run of tools in the current turn, or nothing when it has
    /// only one step. `needed` is what the digest would like to have.
    pub(crate) fn cut_in_turn(&self, budget: usize, needed: usize, overhead: usize) -> Option<Cut> {
        let head = if self.typed.is_none() { 0 } else { self.last_cut() };
        let cut = |start: usize, end: usize| Cut {
            head,
            inner: start..end,
            kept_tokens: self.tokens_from(head) - self.tokens_from(start) + self.tokens_from(end),
        };
        for InTurn { start, ends } in &self.inner {
            let front = self.tokens_from(head) - self.tokens_from(*start);
            let room = budget.saturating_sub(front + overhead);
            let digest = needed.min(room * DIGEST_SHARE_IN_TURN.0 / DIGEST_SHARE_IN_TURN.1);
            let fits = |&&end: &&usize| self.tokens_from(end) + digest <= room;
            if let Some(&end) = ends.iter().find(fits) {
                return Some(cut(*start, end));
            }
        }
        self.inner.iter().filter_map(|way| Some(cut(way.start, *way.ends.last()?))).min_by_key(|cut| cut.kept_tokens)
    }

    fn cut_at(&self, at: usize) -> Cut {
        Cut { head: at, inner: at..at, kept_tokens: self.tokens_from(at) }
    }
}

/// Where calls wait for their results.
struct Open {
    /// For each message the end of the pairs that begin before it, exclusive.
    reach: Vec<usize>,
}

impl Open {
    fn new(messages: &[Message<'_>]) -> Self {
        let mut reach = vec![0; messages.len() + 1];
        for (call, result) in tool_pairs(messages).pairs {
            let behind = &mut reach[call.0 + 1];
            *behind = (*behind).max(result.0 + 1);
        }
        for at in 1..reach.len() {
            reach[at] = reach[at].max(reach[at - 1]);
        }
        Open { reach }
    }

    /// Whether no call before this message has its result in it or behind it.
    fn is_closed_before(&self, message: usize) -> bool {
        self.reach[message] <= message
    }
}

/// A way to fold the older steps of the current turn.
#[derive(Debug)]
struct InTurn {
    /// The first message that is folded.
    start: usize,
    /// The messages before which the folded part may end, in order.
    ends: Vec<usize>,
}

/// Returns the ways to fold the older steps of the current turn, the better one first.
///
/// A service that thinks takes a run of tools only if it begins with thinking. So the part that stays must begin with it;
/// where only the first step thinks, that step stays in front, or all steps with calls are folded.
fn in_turn(messages: &[Message<'_>], typed: Option<usize>, open: &Open) -> Vec<InTurn> {
    let first = typed.map_or(0, |typed| typed + 1);
    let Some(start) = (first..messages.len()).find(|&at| open.is_closed_before(at)) else { return Vec::new() };
    let is_step = |&at: &usize| {
        messages[at].role == Role::Assistant && messages[at - 1].role != Role::Assistant && open.is_closed_before(at)
    };
    let steps: Vec<usize> = (start + 1..messages.len()).filter(is_step).collect();
    let has_thinking = messages[start..].iter().any(thinks);
    let is_call = |part: &Part<'_>| matches!(part.kind, Kind::ToolUse { .. });
    let last_call = messages.iter().rposition(|message| message.parts.iter().any(is_call));
    let may_begin = |&at: &usize| !has_thinking || thinks(&messages[at]) || last_call.is_none_or(|call| call < at);
    let good: Vec<usize> = steps.iter().copied().filter(may_begin).collect();
    let mut ways = vec![InTurn { start, ends: good }];
    if has_thinking && thinks(&messages[start]) && !steps.iter().any(|&at| thinks(&messages[at])) && steps.len() > 1 {
        ways.insert(0, InTurn { start: steps[0], ends: steps[1..].to_vec() });
    }
    ways.retain(|way| !way.ends.is_empty());
    ways
}

fn thinks(message: &Message<'_>) -> bool {
    let is_thinking = |part: &Part<'_>| matches!(part.kind, Kind::Thinking(_) | Kind::RedactedThinking);
    message.role == Role::Assistant && message.parts.first().is_some_and(is_thinking)
}
