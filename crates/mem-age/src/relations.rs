//! How memories stand to each other: which says the same as another, which is overtaken by a newer one.
//!
//! Only what is sure is said. Two memories that differ in more than their value are two memories.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use mem_text::similar::{Collection, Features, Likeness, SAME};

use crate::memory::Memory;

/// A memory that another one replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// Place of the one that stays.
    pub by: usize,
    /// What shows it.
    pub evidence: String,
    /// Its own front matter says so.
    pub is_declared: bool,
}

/// What the comparison of all memories brought, by place.
#[derive(Clone, Debug, Default)]
pub struct Relations {
    /// Overtaken by a newer memory.
    pub contradicted: BTreeMap<usize, Replaced>,
    /// Says what another says.
    pub duplicate: BTreeMap<usize, Replaced>,
    /// Pairs on one subject, the older first where both have a date.
    pub same_subject: Vec<(usize, usize)>,
}

/// Compares all memories that share rare words.
pub fn of(memories: &[Memory]) -> Relations {
    let collection = Collection::new(memories.iter().map(|memory| Features::of(&memory.text())).collect());
    let pairs = collection.candidates();
    let compared: Vec<((usize, usize), Likeness)> = pairs.iter().copied().zip(collection.compare(&pairs)).collect();
    // What no longer holds stands in no relation any more but that to its successor.
    let holds = |place: usize| memories[place].superseded.is_none();
    let compared: Vec<_> = compared.into_iter().filter(|((left, right), _)| holds(*left) && holds(*right)).collect();
    let contradicted = contradictions(memories, &collection, &compared);
    let duplicate = duplicates(memories, &compared, &contradicted);
    let alike = compared.iter().filter(|(_, likeness)| is_one_subject(likeness));
    let same_subject = alike.map(|(pair, _)| *pair).collect();
    Relations { contradicted, duplicate, same_subject }
}

// ---- Contradictions ----

fn contradictions(
    memories: &[Memory],
    collection: &Collection,
    compared: &[((usize, usize), Likeness)],
) -> BTreeMap<usize, Replaced> {
    let mut found = BTreeMap::new();
    for (pair, likeness) in compared {
        let Some((older, newer)) = by_age(memories, *pair) else {
            continue;
        };
        let Some(reason) = overtaken(collection, older, newer, likeness) else {
            continue;
        };
        // Of several newer ones the newest counts: a chain of changes ends in its last link.
        let is_newest = |known: &Replaced| memories[newer].written > memories[known.by].written;
        if found.get(&older).is_none_or(is_newest) {
            let evidence = format!("{reason} in {}: {}", memories[newer].path, line(&memories[newer]));
            found.insert(older, Replaced { by: newer, evidence, is_declared: false });
        }
    }
    found.extend(declared(memories));
    follow_chains(&mut found);
    found
}

/// Returns the older and the newer of a pair, when both have a date and these differ.
fn by_age(memories: &[Memory], (left, right): (usize, usize)) -> Option<(usize, usize)> {
    let (one, other) = (memories[left].written?, memories[right].written?);
    match one.cmp(&other) {
        std::cmp::Ordering::Less => Some((left, right)),
        std::cmp::Ordering::Greater => Some((right, left)),
        std::cmp::Ordering::Equal => None,
    }
}

/// Returns why the newer memory overtakes the older one, if it does.
fn overtaken(collection: &Collection, older: usize, newer: usize, likeness: &Likeness) -> Option<&'static str> {
    let (withdrawn, kept) = collection.features(older).withdrawn_by(collection.features(newer));
    if withdrawn >= 1.0 && kept >= 0.5 {
        return Some("withdrawn");
    }
    if is_one_subject(likeness) && likeness.values_differ && !likeness.signs_differ {
        return Some("another value");
    }
    let is_same_deed = likeness.contained >= 0.85 && likeness.overlap >= 0.6 && !likeness.names_differ;
    (is_same_deed && likeness.signs_differ && !likeness.values_differ).then_some("the opposite")
}

/// Nearly all words of the shorter one, and most of both: two memories about one thing.
fn is_one_subject(likeness: &Likeness) -> bool {
    likeness.contained >= 0.9 && likeness.overlap >= 0.75 && !likeness.names_differ
}

/// What the front matter says itself.
fn declared(memories: &[Memory]) -> BTreeMap<usize, Replaced> {
    let by_link = |link: &str| memories.iter().position(|memory| memory.is_named(link));
    let found = memories.iter().enumerate().filter_map(|(place, memory)| {
        let link = memory.superseded_by.as_deref()?;
        let by = by_link(link).filter(|by| *by != place)?;
        let evidence = format!("superseded_by: {}", mem_text::cut::ellipsis(link, 80));
        Some((place, Replaced { by, evidence, is_declared: true }))
    });
    found.collect()
}

/// Points each one at the end of its chain; a circle is left at its first step.
fn follow_chains(found: &mut BTreeMap<usize, Replaced>) {
    let next: BTreeMap<usize, usize> = found.iter().map(|(place, replaced)| (*place, replaced.by)).collect();
    for (place, replaced) in found.iter_mut() {
        let mut end = replaced.by;
        let mut steps = 0;
        while let Some(after) = next.get(&end)
            && steps <= next.len()
            && after != place
        {
            end = *after;
            steps += 1;
        }
        if steps <= next.len() && end != *place {
            replaced.by = end;
        }
    }
}

// ---- Duplicates ----

/// Joins what says the same into groups and names the one of each that stays.
fn duplicates(
    memories: &[Memory],
    compared: &[((usize, usize), Likeness)],
    contradicted: &BTreeMap<usize, Replaced>,
) -> BTreeMap<usize, Replaced> {
    let languages: Vec<bool> = memories.iter().map(is_chinese).collect();
    let mut partners: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    for ((left, right), likeness) in compared {
        let is_out = contradicted.contains_key(left) || contradicted.contains_key(right);
        let is_one_language = languages[*left] == languages[*right];
        if likeness.score >= SAME && is_one_language && !is_out {
            partners.entry(*left).or_default().push((*right, likeness.score));
            partners.entry(*right).or_default().push((*left, likeness.score));
        }
    }
    let mut order: Vec<usize> = partners.keys().copied().collect();
    order.sort_by_key(|place| std::cmp::Reverse(rank(memories, *place)));
    let mut found = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for place in order {
        let earlier = partners[&place].iter().filter(|(other, _)| seen.contains(other));
        if let Some((by, score)) = stronger(earlier, &found) {
            let evidence = format!("{:.0} % the same as {}: {}", score * 100.0, memories[by].path, line(&memories[by]));
            found.insert(place, Replaced { by, evidence, is_declared: false });
        }
        seen.insert(place);
    }
    found
}

/// A memory stays in the language that it was said in, so that none is merged into one of another language.
fn is_chinese(memory: &Memory) -> bool {
    memory.text().chars().any(|character| matches!(u32::from(character), 0x3400..=0x9fff))
}

/// What stays before what goes: the pinned, then the newer, then the longer, then the first by path.
fn rank(memories: &[Memory], place: usize) -> (bool, Option<Timestamp>, usize, std::cmp::Reverse<usize>) {
    let memory = &memories[place];
    (memory.is_kept, memory.written, memory.body.len(), std::cmp::Reverse(place))
}

/// Returns the best of the stronger partners that stay; of one that goes itself, the one it goes for, if the two are nearly equal.
fn stronger<'a>(
    partners: impl Iterator<Item = &'a (usize, f64)>,
    gone: &BTreeMap<usize, Replaced>,
) -> Option<(usize, f64)> {
    const NEARLY_EQUAL: f64 = 0.95;
    let staying = partners.filter_map(|(other, score)| match gone.get(other) {
        None => Some((*other, *score)),
        Some(replaced) if *score >= NEARLY_EQUAL => Some((replaced.by, *score)),
        Some(_) => None,
    });
    staying.max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)))
}

/// Returns the description, or the first line of the body, for evidence.
fn line(memory: &Memory) -> String {
    let first = memory.body.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("");
    let line = if memory.description.is_empty() { first } else { &memory.description };
    mem_text::cut::ellipsis(line, 100).into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Each text a day after the one before it.
    fn memories(texts: &[&str]) -> Vec<Memory> {
        let make = |(place, text): (usize, &&str)| Memory {
            path: format!("m{place}.md"),
            body: (*text).to_owned(),
            written: format!("2026-03-{:02}T00:00:00Z", place + 1).parse().ok(),
            source: "modified".to_owned(),
            ..Memory::default()
        };
        texts.iter().enumerate().map(make).collect()
    }

    fn check(texts: &[&str], contradicted: &[(usize, usize)], duplicate: &[(usize, usize)]) {
        let found = of(&memories(texts));
        let flat = |map: &BTreeMap<usize, Replaced>| {
            map.iter().map(|(place, replaced)| (*place, replaced.by)).collect::<Vec<_>>()
        };
        assert_eq!(flat(&found.contradicted), contradicted, "contradicted {texts:?}");
        assert_eq!(flat(&found.duplicate), duplicate, "duplicate {texts:?}");
    }

    #[test]
    fn another_value_of_the_same_subject_overtakes() {
        check(&["The relay listens on port 6101.", "The relay listens on port 6202 now."], &[(0, 1)], &[]);
        check(
            &["Go templates are indented with four spaces.", "Go templates are indented with two spaces."],
            &[(0, 1)],
            &[],
        );
        check(&["报表服务端口 7431", "报表服务端口 7432"], &[(0, 1)], &[]);
    }

    #[test]
    fn the_opposite_and_the_withdrawn_are_overtaken() {
        check(&["Mock the payment gateway in tests.", "Never mock the payment gateway in tests."], &[(0, 1)], &[]);
        check(
            &["Production deploys go out on Fridays.", "Production deploys go out on Tuesdays, no longer on Fridays."],
            &[(0, 1)],
            &[],
        );
        check(&["e2e 测试统一用 Chrome 跑。", "e2e 测试统一改用 Firefox 跑，不再用 Chrome。"], &[(0, 1)], &[]);
        check(&["报表按自然月统计。", "报表按结账周期统计，不按自然月。"], &[(0, 1)], &[]);
    }

    #[test]
    fn a_chain_of_changes_ends_in_its_last_link() {
        let texts = ["The relay listens on port 1.", "The relay listens on port 2.", "The relay listens on port 3."];
        check(&texts, &[(0, 2), (1, 2)], &[]);
    }

    #[test]
    fn another_subject_with_another_value_is_another_memory() {
        check(&["The API timeout is 30 seconds.", "The batch timeout is 300 seconds."], &[], &[]);
        check(&["Event logs are kept for 30 days.", "Access logs are kept for 90 days."], &[], &[]);
        check(&["Use fakes for the clock in unit tests.", "Never mock the gateway in integration tests."], &[], &[]);
        check(&["Run npm install in packages/web", "Use pnpm for the api, not npm"], &[], &[]);
    }

    #[test]
    fn of_those_that_say_the_same_exactly_one_stays() {
        let texts = [
            "Never deploy on Friday afternoon, support is thin.",
            "No deploys on Friday afternoons: support is thin.",
            "On Friday afternoon never deploy; support is thin then.",
        ];
        let found = of(&memories(&texts));
        assert_eq!(found.duplicate.len(), 2);
        assert!(found.duplicate.values().all(|replaced| !found.duplicate.contains_key(&replaced.by)));
    }

    #[test]
    fn a_front_matter_link_is_followed_and_a_circle_ends() {
        let mut memories = memories(&["alpha beta gamma", "delta epsilon zeta", "eta theta iota"]);
        memories[0].superseded_by = Some("m1.md".to_owned());
        memories[1].superseded_by = Some("[[m0]]".to_owned());
        memories[2].superseded_by = Some("gone.md".to_owned());
        let found = of(&memories);
        assert_eq!(found.contradicted[&0].by, 1);
        assert_eq!(found.contradicted[&1].by, 0);
        assert!(!found.contradicted.contains_key(&2));
    }
}
