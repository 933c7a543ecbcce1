//! Folds a conversation: cuts it, writes the digest, and puts the messages that stay behind it as they are.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use mem_transcript::{Message, Role, blocks};
use mem_types::compact::{Cover, Loss, Summary};

use crate::author::{Author, Task};
use crate::choice::{choose, is_telling, rank};
use crate::collect::has_task_list;
use crate::digest;
use crate::loss;
use crate::mend::{Mended, Sent, mend};
use crate::plan::{Cut, Window};
use crate::points::{Hold, Point, Source, points};

/// What a fold is asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wish {
    /// The most tokens that the result may have.
    pub budget: Option<usize>,
    /// Without a budget: the most tokens that the current turn may have before its older steps are folded too.
    pub turn_limit: Option<usize>,
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
    /// Index of the first summary of this fold.
    pub first_new: usize,
    /// The folded blocks.
    pub blocks: Vec<FoldedBlock>,
    /// What was folded.
    pub cut: Cut,
    /// Names of the skills that were used in them.
    pub skills: Vec<String>,
    /// Tokens of the digest, with its message.
    pub digest_tokens: usize,
    pub loss: Loss,
    /// What had to be mended in the messages that stay.
    pub mended: Mended,
    /// Whether a model wrote points and digest.
    pub is_by_model: bool,
}

/// A block that was folded.
#[derive(Debug, Clone)]
pub(crate) struct FoldedBlock {
    /// The id of its summary.
    pub id: String,
    /// Its messages.
    pub range: Range<usize>,
    /// Whether something of it stands in the digest.
    pub is_warm: bool,
}

/// Share of the old tokens that a digest may take when no budget says how much.
const DIGEST_SHARE: f64 = 0.1;
/// What a digest may take at least when no budget says how much.
const DIGEST_LEAST: usize = 1000;

/// Returns the folded conversation, or nothing when there is nothing to fold or it would not get smaller.
///
/// With an author the points and the digest are a model's, unless it fails.
pub(crate) fn fold(window: &Window<'_, '_>, wish: &Wish, author: Option<&Author>) -> Option<Fold> {
    let (mut fold, mut draft) = attempt(window, wish)?;
    if let Some(budget) = wish.budget.filter(|&budget| fold.tokens > budget) {
        // The messages that stay grew by being mended: the cut must leave fewer of them.
        let growth = growth(window);
        let smaller = Wish { budget: Some(budget.saturating_sub(growth)), ..wish.clone() };
        let again = if growth > 0 { attempt(window, &smaller) } else { None };
        if let Some(better) = again.filter(|(again, _)| again.tokens < fold.tokens) {
            (fold, draft) = better;
        }
    }
    // A digest alone is written again only if that helps, so that a second fold changes nothing.
    let helps = draft.has_news || wish.budget.is_some_and(|budget| fold.tokens <= budget);
    if !helps || fold.tokens >= window.tokens() {
        return None;
    }
    let fits = |written: &Fold| {
        written.tokens < window.tokens() && wish.budget.is_none_or(|budget| written.tokens <= budget.max(fold.tokens))
    };
    let written = author.and_then(|author| draft.write_by(window, wish, author)).filter(fits);
    Some(written.unwrap_or(fold))
}

/// Folds once.
fn attempt<'w>(window: &'w Window<'_, '_>, wish: &Wish) -> Option<(Fold, Draft<'w>)> {
    let draft = Draft::plan(window, wish)?;
    Some((draft.write(window, wish, draft.room(window, wish)), draft))
}

/// Returns the tokens by which the whole conversation would grow by being mended.
fn growth(window: &Window<'_, '_>) -> usize {
    let all: Vec<&Message<'_>> = window.messages.iter().collect();
    let (sent, _) = mend(&all, window.typed, digest::acknowledgement(true));
    let before: usize = all.iter().map(|message| mem_transcript::budget_tokens(message)).sum();
    sent.iter().map(Sent::tokens).sum::<usize>().saturating_sub(before)
}

/// What is folded, with its points, before anything is written.
struct Draft<'w> {
    cut: Cut,
    points: Vec<Point>,
    is_chinese: bool,
    has_news: bool,
    overhead: usize,
    kept: Vec<&'w Message<'w>>,
}

impl<'w> Draft<'w> {
    fn plan(window: &'w Window<'_, '_>, wish: &Wish) -> Option<Self> {
        let last = window.last_cut();
        let floor = window.tokens_from(last);
        let older = window.points_of(0..last, wish, &window.messages[last..].iter().collect::<Vec<_>>());
        let is_chinese = digest::is_chinese(&older);
        let overhead = overhead(window, last, is_chinese);
        let limit = wish.budget.or(wish.turn_limit);
        let pinned = pinned(&older);
        if limit.is_some_and(|limit| floor + overhead + pinned > limit)
            && let Some(draft) = Self::in_turn(window, wish, limit.unwrap_or_default())
        {
            return Some(draft);
        }
        let has_news = window.has_news_before(last);
        let has_room = wish.budget.is_some_and(|budget| budget > floor);
        if !has_news && !has_room {
            return None;
        }
        let cut = match wish.budget {
            Some(budget) => window.cut_for_budget(&older, budget, wish.hot_turns, overhead),
            None => window.cut_behind_turns(wish.hot_turns),
        };
        if cut.head == 0 || (wish.budget.is_none() && !window.has_news_before(cut.head)) {
            return None;
        }
        Some(Self::new(window, cut, older, is_chinese, has_news))
    }

    /// Folds the older steps of the current turn too: it alone is too large.
    fn in_turn(window: &'w Window<'_, '_>, wish: &Wish, limit: usize) -> Option<Self> {
        let all = window.points_of(0..window.messages.len(), wish, &[]);
        let is_chinese = digest::is_chinese(&all);
        let overhead = overhead(window, window.messages.len(), is_chinese);
        let needed = all.iter().filter(|point| is_telling(point)).map(|point| point.tokens).sum();
        let cut = window.cut_in_turn(limit, needed, overhead)?;
        let points = window.points_of(cut.folded(), wish, &cut.kept(window.messages));
        Some(Self::new(window, cut, points, is_chinese, true))
    }

    fn new(window: &'w Window<'_, '_>, cut: Cut, points: Vec<Point>, is_chinese: bool, has_news: bool) -> Self {
        let kept = cut.kept(window.messages);
        let is_folded =
            |point: &Point| cut.folds(point.message) && !(point.source == Source::Task && has_task_list(&kept));
        let points = points.into_iter().filter(is_folded).collect();
        let overhead = overhead(window, cut.count(), is_chinese);
        Draft { cut, points, is_chinese, has_news, overhead, kept }
    }

    /// Returns the tokens that the points of the digest may have.
    fn room(&self, window: &Window<'_, '_>, wish: &Wish) -> usize {
        let pinned = pinned(&self.points);
        match wish.budget {
            // When the current turn alone breaks the budget, what the user pinned is kept all the same.
            Some(budget) => budget.checked_sub(self.cut.kept_tokens + self.overhead).unwrap_or(pinned),
            None => {
                let old = window.tokens() - self.cut.kept_tokens;
                pinned + DIGEST_LEAST.max((old as f64 * DIGEST_SHARE) as usize)
            }
        }
    }

    /// Writes what the rules choose.
    fn write(&self, window: &Window<'_, '_>, wish: &Wish, room: usize) -> Fold {
        let ranges = folded_ranges(window, &self.cut);
        let head = digest::head(self.cut.count(), ranges.len(), self.is_chinese);
        let chosen = self.fitting(room, &head);
        let summaries = digest::block_summaries(window.messages, &ranges, &self.points);
        let points: Vec<&Point> = chosen.iter().map(|&index| &self.points[index]).collect();
        self.finish(window, wish, room, &head, summaries, &points, Some(&chosen))
    }

    /// Lets a model write, or returns nothing when it fails.
    fn write_by(&self, window: &Window<'_, '_>, wish: &Wish, author: &Author) -> Option<Fold> {
        let room = self.room(window, wish);
        let ranges = folded_ranges(window, &self.cut);
        let head = digest::head(self.cut.count(), ranges.len(), self.is_chinese);
        // Names of files and skills are listed by us; the model has the rest.
        let listed: Vec<Point> = self.points.iter().filter(|point| is_list(point)).cloned().collect();
        let listed: Vec<Point> =
            choose(&listed, &rank(&listed), room / 4).into_iter().map(|index| listed[index].clone()).collect();
        let used: usize = listed.iter().map(|point| point.tokens).sum();
        let task = Task {
            messages: window.messages,
            blocks: &ranges,
            pins: self.pins_in(wish),
            wishes: self.wishes(room / 3),
            room: room.saturating_sub(used + HEADINGS),
            is_chinese: self.is_chinese,
        };
        let written = author.write(&task)?;
        let mut summaries = digest::block_summaries(window.messages, &ranges, &self.points);
        for (summary, range) in &mut summaries {
            let number = ranges.iter().position(|block| block == range).unwrap_or_default();
            if let Some(text) = written.blocks.get(&number) {
                summary.text.clone_from(text);
                summary.id = digest::id("points", &summary.covers, text);
            }
        }
        let points: Vec<&Point> = written.points.iter().chain(&listed).collect();
        let fold = self.finish(window, wish, room, &head, summaries, &points, None);
        Some(Fold { is_by_model: true, ..fold })
    }

    /// Returns the pins that stand in what is folded; a pin that nobody said is one, too.
    fn pins_in<'p>(&self, wish: &'p Wish) -> Vec<&'p str> {
        let is_folded = |pin: &&str| self.points.iter().any(|point| point.text.contains(*pin));
        wish.pins.iter().map(String::as_str).filter(is_folded).collect()
    }

    /// Returns the wishes and open tasks that a digest should hold word for word, the most telling ones.
    fn wishes(&self, room: usize) -> Vec<&Point> {
        let mut left = room;
        let order = rank(&self.points);
        let firm = order.iter().map(|&index| &self.points[index]);
        let firm = firm.filter(|point| point.hold == Hold::Firm && !is_list(point));
        let mut wishes: Vec<&Point> = Vec::new();
        for point in firm.filter(|point| point.tokens <= room) {
            if point.tokens <= left {
                left -= point.tokens;
                wishes.push(point);
            }
        }
        wishes
    }

    /// Puts the digest together. `chosen` are the points that it holds as they are; without them it is looked for each.
    #[allow(clippy::too_many_arguments, reason = "all of it goes into one digest")]
    fn finish(
        &self,
        window: &Window<'_, '_>,
        wish: &Wish,
        room: usize,
        head: &str,
        summaries: Vec<(Summary, Range<usize>)>,
        points: &[&Point],
        chosen: Option<&[usize]>,
    ) -> Fold {
        let Draft { cut, is_chinese, kept, .. } = self;
        let mut text = digest::compose(head, points.iter().copied(), *is_chinese);
        let blocks = warmth(&summaries, points);
        name_cold(&mut text, &blocks, room + mem_transcript::text_tokens(head));
        let summaries: Vec<Summary> = summaries.into_iter().map(|(summary, _)| summary).collect();
        let mut digest = self.digest_of(window.messages, &summaries, text, &wish.earlier);
        digest.entries = digest::entries(points.iter().copied(), window.messages, &wish.earlier);
        let found: Vec<usize> = match chosen {
            Some(chosen) => chosen.to_vec(),
            None => (0..self.points.len()).filter(|&index| digest.text.contains(&self.points[index].text)).collect(),
        };
        let loss = loss::compare(&self.points, &found, &digest.text, kept, &wish.pins);
        let typed = kept.iter().rposition(|message| message.is_typed());
        let (sent, mut mended) = mend(kept, typed, digest::acknowledgement(*is_chinese));
        let stays: Vec<usize> = (0..window.messages.len()).filter(|&at| !cut.folds(at)).collect();
        mended.left_out.iter_mut().for_each(|(at, _)| *at = stays.get(*at).copied().unwrap_or(*at));
        let (messages, digest_tokens) = messages_json(&digest, *is_chinese, &sent);
        let mut all = summaries;
        all.push(digest);
        let new = all.len();
        let summaries = with_earlier(&wish.earlier, all);
        Fold {
            first_new: summaries.len() - new,
            messages,
            tokens: digest_tokens + sent.iter().map(Sent::tokens).sum::<usize>(),
            summaries,
            blocks,
            cut: cut.clone(),
            skills: skills(&self.points),
            digest_tokens,
            loss,
            mended,
            is_by_model: false,
        }
    }

    /// Returns the points that fit, by the count of the text as it will stand there.
    fn fitting(&self, room: usize, head: &str) -> Vec<usize> {
        let points = &self.points;
        let limit = room + mem_transcript::text_tokens(head);
        let order = rank(points);
        let mut room = room;
        loop {
            let chosen = choose(points, &order, room);
            let text = digest::compose(head, chosen.iter().map(|&index| &points[index]), self.is_chinese);
            let over = mem_transcript::text_tokens(&text).saturating_sub(limit);
            if over == 0 || chosen.is_empty() {
                return chosen;
            }
            room = room.saturating_sub(over.max(room / 50).max(1));
        }
    }

    fn digest_of(&self, messages: &[Message<'_>], blocks: &[Summary], text: String, earlier: &[Summary]) -> Summary {
        let first = messages.first().filter(|message| self.cut.folds(0) && digest::is_digest(message));
        let head = first.and_then(|message| message.uuid.as_deref());
        let below =
            earlier.iter().filter(|summary| Some(summary.id.as_str()) == head).map(|summary| summary.level).max();
        let mut covers: Vec<Cover> = head.map(|id| Cover::Id(id.to_owned())).into_iter().collect();
        covers.extend(blocks.iter().map(|summary| Cover::Id(summary.id.clone())));
        let level = if head.is_some() { below.unwrap_or(2) + 1 } else { 2 };
        Summary { id: digest::id("digest", &covers, &text), level, text, covers, entries: Vec::new() }
    }
}

impl<'m, 'a> Window<'m, 'a> {
    /// Returns the points of these messages. Pins that stand in messages that are kept need no point.
    fn points_of(&self, range: impl Iterator<Item = usize>, wish: &Wish, kept: &[&Message<'_>]) -> Vec<Point> {
        let pins: Cow<'_, [String]> = if wish.pins.is_empty() {
            Cow::Borrowed(&[])
        } else {
            let kept = loss::texts(kept);
            Cow::Owned(wish.pins.iter().filter(|pin| !kept.contains(pin.as_str())).cloned().collect())
        };
        points(self.messages, range, &pins, &wish.root)
    }
}

/// What the headings of a digest take.
const HEADINGS: usize = 60;

/// Whether a point is a name in a list.
fn is_list(point: &Point) -> bool {
    matches!(point.source, Source::File | Source::Skill | Source::Cold)
}

fn pinned(points: &[Point]) -> usize {
    points.iter().filter(|point| point.hold == Hold::Pinned).map(|point| point.tokens).sum()
}

fn skills(points: &[Point]) -> Vec<String> {
    points.iter().filter(|point| point.source == Source::Skill).map(|point| point.text.clone()).collect()
}

/// What a digest costs besides its points.
fn overhead(window: &Window<'_, '_>, messages: usize, is_chinese: bool) -> usize {
    let head = digest::head(messages, window.turns.len(), is_chinese);
    digest::message_tokens(&head) + digest::message_tokens(digest::acknowledgement(is_chinese)) + 4
}

/// Returns the messages of each folded block.
fn folded_ranges(window: &Window<'_, '_>, cut: &Cut) -> Vec<Range<usize>> {
    let folded: Vec<_> = window.turns.iter().filter(|turn| turn.messages.end <= cut.head).cloned().collect();
    let mut ranges: Vec<Range<usize>> =
        blocks(window.messages, &folded).into_iter().map(|block| block.messages).collect();
    if !cut.inner.is_empty() {
        ranges.push(cut.inner.clone());
    }
    ranges
}

/// Says of each folded block whether something of it stands in the digest.
fn warmth(summaries: &[(Summary, Range<usize>)], points: &[&Point]) -> Vec<FoldedBlock> {
    let mut messages: Vec<usize> = points.iter().map(|point| point.message).collect();
    messages.sort_unstable();
    let is_warm = |range: &Range<usize>| {
        let first = messages.partition_point(|&message| message < range.start);
        messages.get(first).is_some_and(|&message| message < range.end)
    };
    let block = |(summary, range): &(Summary, Range<usize>)| FoldedBlock {
        id: summary.id.clone(),
        range: range.clone(),
        is_warm: is_warm(range),
    };
    summaries.iter().map(block).collect()
}

/// Names the blocks of which nothing stands in the digest by their ids, the newest first, as far as there is room.
fn name_cold(text: &mut String, blocks: &[FoldedBlock], limit: usize) {
    let mark = Source::Cold.mark();
    let mut has_line = text.lines().next_back().is_some_and(|line| line.starts_with(mark));
    let mut tokens = mem_transcript::text_tokens(text);
    for FoldedBlock { id, .. } in blocks.iter().rev().filter(|block| !block.is_warm) {
        let named = if has_line { format!(", {id}") } else { format!("\n{mark}{id}") };
        tokens += named.len().div_ceil(4);
        if tokens > limit {
            return;
        }
        text.push_str(&named);
        has_line = true;
    }
}

fn with_earlier(earlier: &[Summary], new: Vec<Summary>) -> Vec<Summary> {
    let ids: HashSet<&str> = new.iter().map(|summary| summary.id.as_str()).collect();
    let mut all: Vec<Summary> = earlier.iter().filter(|summary| !ids.contains(summary.id.as_str())).cloned().collect();
    all.extend(new);
    all
}

/// Returns the list of messages, and the tokens of the digest in it with its answer.
fn messages_json(digest: &Summary, is_chinese: bool, sent: &[Sent<'_>]) -> (String, usize) {
    let quote = |text: &str| serde_json::Value::from(text).to_string();
    let mut json = format!("[{{\"uuid\":{},\"role\":\"user\",\"content\":{}}}", quote(&digest.id), quote(&digest.text));
    let mut tokens = digest::message_tokens(&digest.text);
    if sent.first().is_none_or(|first| first.role == Role::User) {
        let answer = digest::acknowledgement(is_chinese);
        let id = quote(&format!("{}-read", digest.id));
        json += &format!(",{{\"uuid\":{id},\"role\":\"assistant\",\"content\":{}}}", quote(answer));
        tokens += digest::message_tokens(answer);
    }
    for message in sent {
        json.push(',');
        json.push_str(&message.json);
    }
    json.push(']');
    (json, tokens)
}

#[cfg(test)]
mod tests;
