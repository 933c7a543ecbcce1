//! What was chosen, by the ranking or by somebody else, with what is known of each memory's words.

use mem_store::Memory;
use mem_text::rank::{Hit, Ranking};
use mem_types::Problems;
use mem_types::asking::Usage;

use crate::selector::{Selector, Wanted};

/// A choice that can be served.
#[derive(Debug, Default)]
pub struct Choice {
    /// Who chose: `offline`, `model` or `program`.
    pub selector: String,
    /// What was chosen, best first.
    pub hits: Vec<Hit>,
    /// What was not, with the reason: all that shares a word with the question.
    pub passed_over: Vec<(usize, String)>,
    /// Why the ranking chose although somebody else was asked.
    pub fallback: Option<String>,
    /// What asking has cost.
    pub usage: Option<Usage>,
    /// How many memories the selector chose among, when it was not the ranking.
    pub shown: Option<usize>,
}

impl Choice {
    /// Returns the choice of the ranking.
    pub fn offline(ranking: &Ranking) -> Self {
        let sharing = ranking.passed_over.iter().filter(|passed| passed.score > 0.0);
        Self {
            selector: "offline".into(),
            hits: ranking.hits.clone(),
            passed_over: sharing.map(|passed| (passed.index, passed.reason.reason().to_owned())).collect(),
            ..Self::default()
        }
    }

    /// Returns the choice of a selector; when it fails that of the ranking, with the reason.
    pub fn asked(
        selector: &Selector,
        wanted: &Wanted<'_>,
        memories: &[&Memory],
        ranking: &Ranking,
        problems: &mut Problems,
    ) -> Self {
        let hits = ranking.hits.iter().map(|hit| hit.index);
        let sharing = ranking.passed_over.iter().filter(|passed| passed.score > 0.0).map(|passed| passed.index);
        let likely: Vec<usize> = hits.chain(sharing).collect();
        match selector.choose(wanted, memories, &likely, problems) {
            Ok(selected) => Self {
                usage: selected.usage,
                shown: Some(selected.shown),
                ..Self::of(selector.name(), &selected.places, ranking)
            },
            Err(reason) => {
                Self { usage: reason.usage.clone(), fallback: Some(reason.told(problems)), ..Self::offline(ranking) }
            }
        }
    }

    /// Returns a choice by places; what the ranking would have chosen besides is passed over.
    pub fn of(selector: &str, places: &[usize], ranking: &Ranking) -> Self {
        let offline = Self::offline(ranking);
        let is_chosen = |place: usize| places.contains(&place);
        let others = offline.hits.iter().filter(|hit| !is_chosen(hit.index));
        let why = format!("the {selector} did not choose it");
        let passed = others.map(|hit| (hit.index, why.clone()));
        Self {
            selector: selector.to_owned(),
            hits: places.iter().map(|place| hit(*place, ranking)).collect(),
            passed_over: passed
                .chain(offline.passed_over.iter().filter(|(place, _)| !is_chosen(*place)).cloned())
                .collect(),
            ..Self::default()
        }
    }

    /// Returns why nothing was chosen among so many memories.
    pub fn none_helps(&self, found: usize) -> String {
        match self.shown {
            Some(shown) => format!("the {} chose none of {shown} memories", self.selector),
            None if found == 0 => "there are no memories yet".into(),
            None => format!("none of {found} memories helps with this prompt"),
        }
    }
}

/// Returns what the ranking knows of a memory that somebody else chose.
fn hit(place: usize, ranking: &Ranking) -> Hit {
    let of_ranking = ranking.hits.iter().find(|hit| hit.index == place).cloned();
    of_ranking.unwrap_or_else(|| {
        let passed = ranking.passed_over.iter().find(|passed| passed.index == place);
        let (score, share) = passed.map_or((0.0, 0.0), |passed| (passed.score, passed.share));
        let words = passed.map(|passed| passed.words.clone()).unwrap_or_default();
        Hit { index: place, score, share, words, passage: None }
    })
}
