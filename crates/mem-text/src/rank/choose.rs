//! Draws the line: what is too weak, what stands behind a gap, what is over the limit.

use std::cmp::Ordering;

use super::explain::explain;
use super::query::Query;
use super::score::Scored;
use super::{Hit, Item, Options, Passed, Ranking};

/// However much an item has of a long question, it must have this part of the floor's share.
const LEAST_SHARE: f32 = 0.33;

/// A request that answers itself needs a memory only when that has this share of it.
const ALONE_SHARE: f32 = 0.3;

/// The first of the ranking, whether it is chosen or not.
#[derive(Clone, Copy, Debug, Default)]
struct Best {
    score: f32,
    share: f32,
}

/// Why an item was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It has no word of the question.
    NothingShared,
    /// What it shares with the question is too little to say that it helps.
    TooWeak,
    /// Others answer the question clearly better.
    BehindGap,
    /// It would help, but the list was full.
    OverLimit,
}

impl Reason {
    /// Returns the reason in words for a person.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NothingShared => "shares no word with the prompt",
            Self::TooWeak => "shares too little with the prompt",
            Self::BehindGap => "others answer the prompt clearly better",
            Self::OverLimit => "the list was full",
        }
    }
}

/// Returns the hits and all the rest.
pub fn choose(items: &[Item<'_>], query: &Query, mut scored: Vec<Scored>, options: &Options<'_>) -> Ranking {
    scored.sort_by(|left, right| order(items, left, right));
    let mut ranking = Ranking::default();
    let mut shares = vec![false; items.len()];
    let best = scored.first().map_or(Best::default(), |one| Best { score: one.score, share: one.share });
    let mut last = best.score;
    for one in scored {
        shares[one.index] = true;
        match left_out(&one, query, &best, last, &ranking, options) {
            Some(reason) => ranking.passed_over.push(passed(&one, reason, query, &best, last, options)),
            None => {
                last = one.score;
                ranking.hits.push(Hit {
                    index: one.index,
                    score: one.score,
                    share: one.share,
                    words: explain(query, &one.parts),
                    passage: one.passage,
                });
            }
        }
    }
    let nothing = |index| Passed {
        index,
        score: 0.0,
        share: 0.0,
        least_score: 0.0,
        words: Vec::new(),
        reason: Reason::NothingShared,
    };
    ranking.passed_over.extend((0..items.len()).filter(|index| !shares[*index]).map(nothing));
    ranking
}

fn passed(one: &Scored, reason: Reason, query: &Query, best: &Best, last: f32, options: &Options<'_>) -> Passed {
    let is_told = options.told.binary_search(&one.index).is_ok();
    Passed {
        index: one.index,
        score: one.score,
        share: one.share,
        least_score: least_score(best, last, options),
        words: if is_told { explain(query, &one.parts) } else { Vec::new() },
        reason,
    }
}

/// Returns the score below which others answer clearly better.
fn least_score(best: &Best, last: f32, options: &Options<'_>) -> f32 {
    let weights = &options.weights;
    let tail = weights.tail + weights.answered * (2.0 * best.share - 1.0).clamp(0.0, 1.0);
    (tail * best.score).max(weights.gap * last)
}

fn left_out(
    one: &Scored,
    query: &Query,
    best: &Best,
    last: f32,
    ranking: &Ranking,
    options: &Options<'_>,
) -> Option<Reason> {
    let weights = &options.weights;
    let is_clear =
        one.share >= weights.floor || (one.evidence >= weights.evidence && one.share >= weights.floor * LEAST_SHARE);
    let is_needed = !query.stands_alone || one.share >= ALONE_SHARE;
    if !one.telling || !is_clear || !is_needed {
        Some(Reason::TooWeak)
    } else if one.score < least_score(best, last, options) {
        Some(Reason::BehindGap)
    } else if ranking.hits.len() >= options.limit {
        Some(Reason::OverLimit)
    } else {
        None
    }
}

/// Higher score first; on a tie feedback first, then by path, then as given.
fn order(items: &[Item<'_>], left: &Scored, right: &Scored) -> Ordering {
    let by_kind = |one: &Scored| kind_rank(items[one.index].kind);
    let by_path = |one: &Scored| items[one.index].path;
    right
        .score
        .total_cmp(&left.score)
        .then_with(|| by_kind(left).cmp(&by_kind(right)))
        .then_with(|| by_path(left).cmp(by_path(right)))
        .then_with(|| left.index.cmp(&right.index))
}

fn kind_rank(kind: &str) -> u8 {
    match kind {
        "feedback" => 0,
        "user" => 1,
        "project" => 2,
        "reference" => 3,
        _ => 4,
    }
}
