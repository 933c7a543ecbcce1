//! Decides whether a conversation is folded, folds it, and accounts for it. Values in, values out.

use mem_transcript::{Block as Group, Message, Turn};
use mem_types::compact::{Block, Compact, Dropped, Original, Summary, WindowShare};

use crate::author::Author;
use crate::digest::is_digest;
use crate::dropped;
use crate::fold::{Fold, Wish, fold};
use crate::limits::Limits;
use crate::mend::Mended;
use crate::plan::Window;
use crate::restore::{Restored, Room};
use crate::whole::{Whole, whole};

/// What is asked for, gathered from the document and the command line.
#[derive(Debug)]
pub(crate) struct Request {
    /// The most tokens that the messages may have.
    pub budget: Option<usize>,
    /// Why a fold is asked for although nothing is full: `manual` or `force`.
    pub trigger: Option<String>,
    pub limits: Limits,
    /// Tokens of the parts of the window that are never folded, by name.
    pub fixed: Vec<(&'static str, usize)>,
    /// Tokens in the whole window, measured or guessed.
    pub filled: usize,
    /// Turns before the current one that stay word for word.
    pub hot_turns: usize,
    /// Texts that must be kept.
    pub pins: Vec<String>,
    /// The project's root.
    pub root: String,
    /// Summaries of earlier folds.
    pub earlier: Vec<Summary>,
    /// Paths of instructions that come back only when a file of their own is touched.
    pub until_touched: Vec<String>,
    /// How often this session was folded before.
    pub epoch: u64,
    /// The digest of the last fold of this session.
    pub last_digest: Option<String>,
    /// Why nothing is folded although it is due: state and reason.
    pub refusal: Option<(&'static str, String)>,
    /// Whether the folded messages themselves are given back.
    pub keep_originals: bool,
    /// Not right after the agent has compacted the conversation itself.
    pub may_fold: bool,
    /// Whether the texts of skills are given back.
    pub wants_bodies: bool,
    /// Those of earlier folds.
    pub originals: Vec<Original>,
    /// What is done with messages that are not folded.
    pub unfolded: Unfolded,
}

/// What is done with messages that are not folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfolded {
    /// They came in the document: they are written when they had to be mended.
    Mended,
    /// They are in a file, and a request is asked for: they are written.
    Written,
    /// They are in a file, or have the form of another service: they stay as they are.
    Left,
}

/// The answer: what `.compact` says, and the messages as JSON if they were changed.
#[derive(Debug)]
pub(crate) struct Compacted {
    pub compact: Compact,
    pub messages: Option<String>,
    /// What had to be mended to make the messages a valid request.
    pub mended: Mended,
}

/// Why a fold is due.
enum Due {
    Not,
    /// Asked for, but there is no need: the messages keep their budget.
    Kept,
    Budget(usize),
    Asked,
    /// The window is full: the messages should have so many tokens after the fold, and so many at most.
    Full {
        aim: usize,
        most: usize,
    },
}

/// Returns what becomes of a conversation. `restore` is asked for what is given back when something was folded.
pub(crate) fn compact(
    messages: &[Message<'_>],
    request: &Request,
    author: Option<&Author>,
    restore: impl FnOnce(&[Message<'_>], Room<'_>) -> Restored,
) -> Compacted {
    let window = Window::new(messages);
    let whole = (request.unfolded != Unfolded::Left).then(|| whole(messages, window.typed));
    let tokens = whole.as_ref().map_or(window.tokens(), |whole| whole.tokens);
    let due = due(tokens, request);
    let unchanged = |state: &str, trigger| unchanged(&window, request, whole, state, trigger);
    let (aim, most) = match due {
        Due::Not => return unchanged("below", None),
        Due::Kept => return unchanged("unchanged", request.trigger.clone()),
        Due::Budget(budget) => (Some(budget), budget),
        Due::Full { aim, most } => (Some(aim), most),
        Due::Asked => (None, usize::MAX),
    };
    let trigger = trigger(&due, request);
    if let Some((state, reason)) = &request.refusal {
        let mut refused = unchanged(state, trigger);
        refused.compact.reason = Some(reason.clone());
        return refused;
    }
    let state = |tokens: usize, done: &'static str| if tokens > most { "over-budget" } else { done };
    match fold(&window, &wish(request, aim), author) {
        None => unchanged(state(tokens, "unchanged"), trigger),
        Some(fold) => {
            let state = state(fold.tokens, "compacted");
            // What is given back may fill half of what is free now, so that the window is not full again at once.
            let free = request.limits.threshold.saturating_sub(fixed(request) + fold.tokens);
            let room = Room { tokens: free / 2, skills: &fold.skills, wants_bodies: request.wants_bodies };
            let restored = restore(messages, room);
            folded(&window, request, fold, (state, trigger), restored)
        }
    }
}

fn due(tokens: usize, request: &Request) -> Due {
    if !request.may_fold {
        return Due::Not;
    }
    let fixed = fixed(request);
    match (request.budget, &request.trigger) {
        (Some(budget), _) if tokens > budget => Due::Budget(budget),
        (Some(_), Some(_)) => Due::Kept,
        (None, Some(_)) => Due::Asked,
        (None, None) if request.filled > request.limits.threshold => Due::Full {
            aim: request.limits.room_after_fold(fixed),
            most: request.limits.threshold.saturating_sub(fixed),
        },
        _ => Due::Not,
    }
}

fn fixed(request: &Request) -> usize {
    request.fixed.iter().map(|(_, tokens)| tokens).sum()
}

fn trigger(due: &Due, request: &Request) -> Option<String> {
    let name = match due {
        Due::Full { .. } => "threshold",
        Due::Budget(_) => request.trigger.as_deref().unwrap_or("budget"),
        _ => request.trigger.as_deref()?,
    };
    Some(name.to_owned())
}

fn wish(request: &Request, budget: Option<usize>) -> Wish {
    Wish {
        budget,
        turn_limit: Some(request.limits.room_after_fold(fixed(request))),
        hot_turns: request.hot_turns,
        pins: request.pins.clone(),
        root: request.root.clone(),
        earlier: request.earlier.clone(),
    }
}

fn unchanged(
    window: &Window<'_, '_>,
    request: &Request,
    whole: Option<Whole>,
    state: &str,
    trigger: Option<String>,
) -> Compacted {
    let whole = whole.filter(|whole| request.unfolded == Unfolded::Written || whole.mended != Mended::default());
    let compact = Compact {
        state: state.into(),
        reason: reason(state, trigger.is_some(), request),
        trigger,
        tokens_after: whole.as_ref().map_or(window.tokens(), |whole| whole.tokens),
        summaries: request.earlier.clone(),
        originals: request.originals.clone(),
        window: shares(window, request, None),
        ..frame(window, request)
    };
    let (messages, mended) = whole.map(|whole| (whole.json, whole.mended)).unzip();
    Compacted { compact, messages, mended: mended.unwrap_or_default() }
}

/// Returns what is said of a conversation whatever becomes of it.
fn frame(window: &Window<'_, '_>, request: &Request) -> Compact {
    Compact {
        tokens_before: window.tokens(),
        context_tokens: request.limits.context_tokens,
        threshold: request.limits.threshold,
        budget: request.budget,
        pins: request.pins.clone(),
        epoch: request.epoch,
        ..Compact::default()
    }
}

fn reason(state: &str, was_asked: bool, request: &Request) -> Option<String> {
    let reason = match state {
        "over-budget" if request.budget.is_none() && fixed(request) >= request.limits.threshold => {
            "what is never folded (system, tools, instructions) fills the window alone"
        }
        "over-budget" => "what was said since the user typed last is never folded, and alone it is too much",
        "unchanged" if request.budget.is_some() => "the messages keep the budget",
        "unchanged" if was_asked => "there is nothing older than the turns that stay word for word",
        _ => return None,
    };
    Some(reason.to_owned())
}

fn folded(
    window: &Window<'_, '_>,
    request: &Request,
    fold: Fold,
    (state, trigger): (&str, Option<String>),
    restored: Restored,
) -> Compacted {
    let mut dropped = dropped::of_messages(fold.cut.folded().map(|at| &window.messages[at]));
    dropped.extend(restored.left_out.into_iter().map(|file| Dropped {
        kind: "file".into(),
        count: 1,
        tokens: 0,
        path: Some(file.path),
        reason: file.reason.into(),
    }));
    let digest = fold.summaries.last().map(|summary| summary.id.as_str());
    let is_new = digest != request.last_digest.as_deref();
    let given: usize = restored.files.iter().map(|file| file.tokens).sum::<usize>()
        + restored.plan.iter().chain(&restored.skill_bodies).map(|text| text.tokens).sum::<usize>();
    let mut window_shares = shares(window, request, Some(&fold));
    if given > 0 {
        window_shares.push(WindowShare { holder: "files".into(), before: 0, after: given });
    }
    let compact = Compact {
        epoch: request.epoch + u64::from(is_new),
        state: state.into(),
        reason: reason(state, true, request),
        trigger,
        tokens_after: fold.tokens,
        window: window_shares,
        blocks: block_rows(window, &fold),
        originals: originals(window, request, &fold),
        writer: Some(if fold.is_by_model { "model" } else { "rules" }.into()),
        summaries: fold.summaries,
        restored: restored.files,
        plan: restored.plan,
        skill_bodies: restored.skill_bodies,
        until_touched: request.until_touched.clone(),
        skills: fold.skills,
        dropped,
        loss: Some(fold.loss),
        ..frame(window, request)
    };
    Compacted { compact, messages: Some(fold.messages), mended: fold.mended }
}

/// Returns the originals of earlier folds and of this one, when they are asked for.
fn originals(window: &Window<'_, '_>, request: &Request, fold: &Fold) -> Vec<Original> {
    let mut originals = request.originals.clone();
    if request.keep_originals {
        originals.extend(crate::expand::originals(window.messages, &fold.summaries[fold.first_new..]));
    }
    originals
}

/// Returns what became of each block: `current`, `hot` (word for word), `warm` (its points stand in the digest) or `cold`
/// (by its id only).
fn block_rows(window: &Window<'_, '_>, fold: &Fold) -> Vec<Block> {
    let current = window.last_cut();
    let head = fold.cut.head;
    let row = |group: Group| {
        let start = group.messages.start;
        let summary = fold.blocks.iter().find(|block| block.range.start == start).filter(|_| start < head);
        let state = match summary {
            Some(block) if block.is_warm => "warm",
            Some(_) => "cold",
            None if start < head => "warm",
            None if start >= current => "current",
            None => "hot",
        };
        Block {
            first: start,
            messages: group.messages.len(),
            tokens: window.tokens_from(start) - window.tokens_from(group.messages.end),
            state: state.into(),
            turns: window.turns[group.turns.clone()].iter().filter(|turn| turn.typed.is_some()).count(),
            folded: group.messages.clone().filter(|&at| fold.cut.folds(at)).count(),
            summary: summary.map(|block| block.id.clone()),
        }
    };
    // The cut may stand inside a group, so both sides are grouped on their own.
    let (old, new): (Vec<Turn>, Vec<Turn>) = window.turns.iter().cloned().partition(|turn| turn.messages.end <= head);
    let groups = |turns: &[Turn], before: usize| {
        let blocks = mem_transcript::blocks(window.messages, turns).into_iter();
        blocks.map(move |group| Group { turns: group.turns.start + before..group.turns.end + before, ..group })
    };
    groups(&old, 0).chain(groups(&new, old.len())).map(row).collect()
}

/// Returns who holds how much: the fixed parts, then the messages from old to new.
fn shares(window: &Window<'_, '_>, request: &Request, fold: Option<&Fold>) -> Vec<WindowShare> {
    let share = |holder: &str, before, after| WindowShare { holder: holder.into(), before, after };
    let mut shares: Vec<WindowShare> =
        request.fixed.iter().map(|&(holder, tokens)| share(holder, tokens, tokens)).collect();
    let first = window.messages.first().filter(|message| is_digest(message));
    let digest = first.map_or(0, mem_transcript::budget_tokens);
    let current = window.tokens_from(window.last_cut());
    let head = fold.map_or(usize::from(first.is_some()), |fold| fold.cut.head);
    // Without a typed message even the earlier digest is a part of the run of tools that is folded.
    let digest = if head == 0 { 0 } else { digest };
    let older = if fold.is_some() { window.tokens() - window.tokens_from(head) - digest } else { 0 };
    let kept = window.tokens_from(head).saturating_sub(current);
    let after = fold.map_or(kept + current, |fold| fold.tokens - fold.digest_tokens);
    shares.push(share("digest", digest, fold.map_or(digest, |fold| fold.digest_tokens)));
    shares.push(share("older turns", older, 0));
    shares.push(share("last turns", kept, after.min(kept)));
    shares.push(share("current turn", current, after.saturating_sub(kept)));
    shares.retain(|share| share.before + share.after > 0);
    shares
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mem_transcript::read_messages;

    fn request() -> Request {
        Request {
            budget: None,
            trigger: None,
            limits: Limits::new(Some(2_000), None).unwrap(),
            fixed: vec![("system", 100)],
            filled: 0,
            hot_turns: 1,
            pins: Vec::new(),
            root: String::new(),
            earlier: Vec::new(),
            until_touched: Vec::new(),
            epoch: 3,
            last_digest: None,
            refusal: None,
            keep_originals: false,
            may_fold: true,
            wants_bodies: false,
            originals: Vec::new(),
            unfolded: Unfolded::Mended,
        }
    }

    /// Returns eight turns with a rule in the first, about 850 tokens.
    fn conversation() -> String {
        let turn = |number: usize| {
            let asked =
                if number == 0 { "Always use port 8443.".into() } else { format!("Look at part {number}0 now") };
            let answer = "It reads rows and hands them on. ".repeat(12);
            format!(r#"{{"role":"user","content":"{asked}"}},{{"role":"assistant","content":"{answer}"}}"#)
        };
        let turns: Vec<String> = (0..8).map(turn).collect();
        format!("[{}]", turns.join(","))
    }

    fn check(request: &Request, state: &str, trigger: Option<&str>, epoch: u64) -> Compacted {
        let json = conversation();
        let read = read_messages(&json);
        let compacted = compact(&read.messages, request, None, |_, _| Restored::default());
        assert_eq!(compacted.compact.state, state);
        assert_eq!(compacted.compact.trigger.as_deref(), trigger);
        assert_eq!(compacted.compact.epoch, epoch);
        assert_eq!(compacted.messages.is_some(), compacted.compact.loss.is_some());
        let before: usize = compacted.compact.window.iter().map(|share| share.before).sum();
        assert_eq!(before, compacted.compact.tokens_before + 100, "the shares account for everything");
        let after: usize = compacted.compact.window.iter().map(|share| share.after).sum();
        assert_eq!(after, compacted.compact.tokens_after + 100);
        compacted
    }

    #[test]
    fn nothing_is_folded_unless_something_asks_for_it() {
        check(&request(), "below", None, 3);
        check(&Request { budget: Some(5_000), ..request() }, "below", None, 3);
    }

    #[test]
    fn messages_that_keep_their_budget_stay_whatever_asks() {
        let request = Request { budget: Some(5_000), trigger: Some("manual".into()), filled: 9_999, ..request() };
        check(&request, "unchanged", Some("manual"), 3);
    }

    #[test]
    fn a_fold_raises_the_epoch_and_the_same_fold_again_does_not() {
        let asked = Request { budget: Some(400), ..request() };
        let first = check(&asked, "compacted", Some("budget"), 4);
        assert!(first.compact.tokens_after <= 400);
        let digest = first.compact.summaries.last().map(|summary| summary.id.clone());
        check(&Request { epoch: 4, last_digest: digest, ..asked }, "compacted", Some("budget"), 4);
    }

    #[test]
    fn a_full_window_is_folded_well_below_its_threshold() {
        let full = check(&Request { filled: 1_671, ..request() }, "compacted", Some("threshold"), 4);
        assert!(full.compact.tokens_after <= (1_670 - 100) * 2 / 5);
    }

    #[test]
    fn what_cannot_be_kept_is_said_with_its_reason() {
        let tight = check(&Request { budget: Some(20), ..request() }, "over-budget", Some("budget"), 4);
        assert!(tight.compact.reason.unwrap().contains("since the user typed last"));
        let fixed = vec![("system", 100), ("tools", 0)];
        let small = Request { limits: Limits::new(Some(100), None).unwrap(), fixed, filled: 9_999, ..request() };
        assert!(
            check(&small, "over-budget", Some("threshold"), 4).compact.reason.unwrap().contains("fills the window")
        );
    }

    #[test]
    fn blocks_account_for_every_message() {
        let folded = check(&Request { trigger: Some("force".into()), ..request() }, "compacted", Some("force"), 4);
        let blocks = &folded.compact.blocks;
        assert_eq!(blocks.iter().map(|block| block.messages).sum::<usize>(), 16);
        assert_eq!(blocks.iter().map(|block| block.tokens).sum::<usize>(), folded.compact.tokens_before);
        assert_eq!(blocks.last().unwrap().state, "current");
    }
}
