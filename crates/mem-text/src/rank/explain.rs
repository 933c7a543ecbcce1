//! Says in the user's own words what a score is made of.

use std::ops::Range;

use super::query::{Concept, Query};
use super::score::{Column, query_columns};
use super::{Match, Matched};
use crate::words::Kind;

/// Returns the matched words, the weightiest first; pieces that overlap are told as one, and single characters of a
/// script without blanks are not told by themselves.
pub fn explain(query: &Query, parts: &[(Column, f32)]) -> Vec<Matched> {
    let mut pieces: Vec<Piece> = parts.iter().filter_map(|(column, part)| piece(query, *column, *part)).collect();
    pieces.sort_by_key(|piece| (piece.by as u8, piece.range.start, piece.range.end));
    let mut words: Vec<Piece> = Vec::new();
    for piece in pieces {
        match words.last_mut() {
            Some(last) if last.by == piece.by && piece.range.start < last.range.end => {
                last.is_lone &= piece.is_lone;
                last.range.end = last.range.end.max(piece.range.end);
                last.part += piece.part;
            }
            _ => words.push(piece),
        }
    }
    let told = |piece: Piece| Matched { word: query.question[piece.range].to_owned(), part: piece.part, by: piece.by };
    let mut told: Vec<Matched> = words.into_iter().filter(|piece| !piece.is_lone).map(told).collect();
    told.sort_by(|left, right| right.part.total_cmp(&left.part).then_with(|| left.word.cmp(&right.word)));
    told
}

struct Piece {
    range: Range<usize>,
    part: f32,
    by: Match,
    /// A single character, which says nothing by itself.
    is_lone: bool,
}

fn piece(query: &Query, column: Column, part: f32) -> Option<Piece> {
    let of =
        |concept: &Concept, by| Piece { range: concept.range.clone(), part, by, is_lone: concept.kind == Kind::One };
    if let Some(concept) = query.concepts.get(column) {
        return Some(of(concept, Match::Word));
    }
    let Some(group) = query.groups.get(column - query.concepts.len()) else {
        return query.concepts.get(column - query_columns(query)).map(|concept| of(concept, Match::Spelling));
    };
    let ranges =
        group.concepts.iter().filter_map(|index| query.concepts.get(*index)).map(|concept| concept.range.clone());
    let range = ranges.reduce(|one, other| one.start.min(other.start)..one.end.max(other.end))?;
    Some(Piece { range, part, by: Match::Meaning, is_lone: false })
}
