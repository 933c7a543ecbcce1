//! Chooses the points that a digest has room for.

use crate::points::{Hold, Point};

/// Returns the indexes of all points in the order of choice: pinned ones first, then firm ones, then loose ones, each by
/// worth for its price; of two that are worth the same the later one.
pub(crate) fn rank(points: &[Point]) -> Vec<usize> {
    let values: Vec<f64> = points.iter().map(value).collect();
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&left, &right| {
        let by_value = values[right].total_cmp(&values[left]);
        points[left].hold.cmp(&points[right].hold).then(by_value).then(right.cmp(&left))
    });
    order
}

/// Returns the indexes of the points that there is room for, in the order of the conversation.
pub(crate) fn choose(points: &[Point], order: &[usize], room: usize) -> Vec<usize> {
    let mut left = room;
    let mut chosen = Vec::new();
    for &index in order {
        let point = &points[index];
        if point.tokens <= left && (point.hold != Hold::Loose || point.worth > WORTHLESS) {
            left -= point.tokens;
            chosen.push(index);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// Below this a point says nothing that anyone would miss.
const WORTHLESS: f64 = 0.6;
/// From this on a point is worth more than an older turn word for word.
const TELLING: f64 = 1.0;

/// Returns whether a point should stand in the digest if there is any room.
pub(crate) fn is_telling(point: &Point) -> bool {
    point.hold != Hold::Loose || point.worth >= TELLING
}

/// Long sentences have to say more. The root keeps them from losing against every scrap.
fn value(point: &Point) -> f64 {
    point.worth / (point.tokens.max(8) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Source;

    fn point(text: &str, hold: Hold, worth: f64, tokens: usize) -> Point {
        Point { hold, tokens, worth, ..Point::new(0, Source::User, text.into()) }
    }

    fn check(points: &[Point], room: usize, expected: &[usize]) {
        assert_eq!(choose(points, &rank(points), room), expected);
    }

    #[test]
    fn what_is_held_firmly_comes_before_what_tells_much() {
        let points = [
            point("loose", Hold::Loose, 9.0, 10),
            point("firm", Hold::Firm, 1.0, 10),
            point("pin", Hold::Pinned, 0.0, 10),
        ];
        check(&points, 10, &[2]);
        check(&points, 20, &[1, 2]);
        check(&points, 100, &[0, 1, 2]);
    }

    #[test]
    fn what_does_not_fit_makes_place_for_what_does() {
        let points = [point("long", Hold::Firm, 9.0, 50), point("short", Hold::Firm, 1.0, 5)];
        check(&points, 20, &[1]);
    }

    #[test]
    fn what_tells_nothing_is_left_out_even_where_there_is_room() {
        check(&[point("ok", Hold::Loose, 0.1, 2)], 100, &[]);
    }
}
