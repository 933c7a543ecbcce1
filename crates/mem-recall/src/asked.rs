//! Answers `--why PATH`: what became of a memory, what it scored, what it needed, and what was before it.

use mem_store::Memory;
use mem_text::rank::{Matched, Passed, Ranking, Weights};
use mem_types::recall::{AskedAbout, Recall, Scored};

use crate::candidates::Candidates;
use crate::names::Names;
use crate::serving::{rounded, why};

/// So many that were before it are named.
const MOST_BEFORE: usize = 5;

/// The memories that were asked about.
pub struct Asked<'a> {
    /// As asked for, with the memory that is meant and its place among those that are ranked.
    each: Vec<(&'a str, Option<&'a Memory>, Option<usize>)>,
    told: Vec<usize>,
}

impl<'a> Asked<'a> {
    /// Finds the memories.
    pub fn new(paths: &'a [String], memories: &'a [Memory], eligible: &[&'a Memory]) -> Self {
        let mut asked = Self { each: Vec::new(), told: Vec::new() };
        if paths.is_empty() {
            return asked;
        }
        let names = Names::of(memories);
        for path in paths {
            let memory = names.find(path).map(|place| &memories[place]);
            let place = memory.and_then(|memory| eligible.iter().position(|one| std::ptr::eq(*one, memory)));
            asked.each.push((path, memory, place));
            asked.told.extend(place);
        }
        asked.told.sort_unstable();
        asked
    }

    /// Returns the places of those whose words are to be told, sorted.
    pub fn told(&self) -> &[usize] {
        &self.told
    }

    /// Returns an entry for each, in the order asked.
    pub fn answer(
        &self,
        ranking: &Ranking,
        candidates: &Candidates<'_>,
        eligible: &[&Memory],
        recall: &Recall,
    ) -> Vec<AskedAbout> {
        let about = |(path, memory, place): &(&str, Option<&Memory>, Option<usize>)| match (memory, place) {
            (None, _) => entry(path, "not-found", "no memory has this name".into()),
            (Some(memory), None) => entry(&memory.path, "not-ranked", candidates.obstacle(memory).unwrap_or_default()),
            (Some(memory), Some(place)) => ranked(memory, *place, ranking, eligible, recall),
        };
        self.each.iter().map(about).collect()
    }
}

/// Returns the entry where nothing was ranked at all.
pub fn unranked(path: &str, recall: &Recall) -> AskedAbout {
    entry(path, "not-ranked", recall.reason.clone().unwrap_or_default())
}

fn ranked(memory: &Memory, place: usize, ranking: &Ranking, eligible: &[&Memory], recall: &Recall) -> AskedAbout {
    let behind = before(place, ranking, eligible);
    if let Some(hit) = ranking.hits.iter().find(|hit| hit.index == place) {
        let is_it = |path: &str| path == memory.path;
        let passed = recall.passed_over.iter().find(|passed| is_it(&passed.path));
        let is_chosen = recall.memories.iter().any(|one| is_it(&one.path));
        let (outcome, reason) = match passed {
            Some(passed) if !is_chosen => ("passed-over", passed.why.clone()),
            _ => ("chosen", "it helps with this prompt".to_owned()),
        };
        return scored(entry(&memory.path, outcome, reason), hit.score, hit.share, &hit.words, behind);
    }
    let Some(passed) = ranking.passed_over.iter().find(|passed| passed.index == place) else {
        return entry(&memory.path, "not-ranked", String::new());
    };
    // Somebody else may have chosen what the ranking would not.
    let is_chosen = recall.memories.iter().any(|one| one.path == memory.path);
    let (outcome, reason) =
        if is_chosen { ("chosen", "the selector chose it".to_owned()) } else { ("passed-over", reason(passed)) };
    let mut about = scored(entry(&memory.path, outcome, reason), passed.score, passed.share, &passed.words, behind);
    about.least_score = (passed.score > 0.0).then(|| rounded(passed.least_score));
    about
}

fn reason(passed: &Passed) -> String {
    passed.reason.reason().to_owned()
}

fn scored(about: AskedAbout, score: f32, share: f32, words: &[Matched], behind: Vec<Scored>) -> AskedAbout {
    AskedAbout {
        score: Some(rounded(score)),
        share: Some(rounded(share)),
        least_share: Some(rounded(Weights::default().floor)),
        words: words.iter().map(why).collect(),
        behind,
        ..about
    }
}

/// Returns those with a better place, best first.
fn before(place: usize, ranking: &Ranking, eligible: &[&Memory]) -> Vec<Scored> {
    let hits = ranking.hits.iter().map(|hit| (hit.index, hit.score));
    let passed = ranking.passed_over.iter().map(|passed| (passed.index, passed.score));
    let mut all: Vec<(usize, f32)> = hits.chain(passed).filter(|(_, score)| *score > 0.0).collect();
    all.sort_by(|left, right| right.1.total_cmp(&left.1));
    let better = all.into_iter().take_while(|(index, _)| *index != place).take(MOST_BEFORE);
    better.map(|(index, score)| Scored { path: eligible[index].path.clone(), score: rounded(score) }).collect()
}

fn entry(path: &str, outcome: &str, reason: String) -> AskedAbout {
    AskedAbout { path: path.to_owned(), outcome: outcome.to_owned(), reason, ..AskedAbout::default() }
}
