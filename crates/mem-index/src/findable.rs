//! Whether recall would find a memory by the words of its own description, among the others.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use mem_store::Memory;
use mem_text::rank::{self, Item, Options};

use crate::entry::content_words;

/// As many as mem-recall gives by default.
const HITS: usize = 5;
/// So many memories that share most words are asked besides: who is not found among them is not found at all.
const RIVALS: usize = 40;
/// A word that more memories have tells none of them apart, and is looked for in so many only.
const MOST_WITH_A_WORD: usize = 400;

/// The memories by the words of their heads.
pub struct Findable<'a> {
    memories: &'a [&'a Memory],
    triggers: Vec<String>,
    with_word: BTreeMap<String, Vec<usize>>,
}

impl<'a> Findable<'a> {
    /// Returns the memories, ready to be asked for.
    #[must_use]
    pub fn new(memories: &'a [&'a Memory]) -> Self {
        let mut with_word: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, memory) in memories.iter().enumerate() {
            for word in content_words(&format!("{} {}", memory.name, memory.description)) {
                with_word.entry(word).or_default().push(at);
            }
        }
        Self { memories, triggers: memories.iter().map(|memory| memory.triggers.join("\n")).collect(), with_word }
    }

    /// Returns the path of the memory that comes first when one is asked for by its own description and not found;
    /// nothing when it is found.
    #[must_use]
    pub fn found_instead(&self, at: usize) -> Option<&'a str> {
        let candidates: Vec<usize> = std::iter::once(at).chain(self.rivals(at)).collect();
        let items: Vec<Item<'_>> = candidates.iter().map(|at| self.item(*at)).collect();
        let options = Options { limit: HITS, ..Options::default() };
        let ranking = rank::rank(&items, &self.memories[at].description, &options);
        let first = ranking.hits.first()?;
        let is_found = ranking.hits.iter().any(|hit| hit.index == 0);
        (!is_found).then(|| self.memories[candidates[first.index]].path.as_str())
    }

    /// The memories that share most words with the description, in their order.
    fn rivals(&self, at: usize) -> Vec<usize> {
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for word in content_words(&self.memories[at].description) {
            for other in self.with_word.get(&word).into_iter().flatten().take(MOST_WITH_A_WORD) {
                *shared.entry(*other).or_default() += 1;
            }
        }
        shared.remove(&at);
        let mut rivals: Vec<usize> = shared.keys().copied().collect();
        rivals.sort_by_key(|other| Reverse(shared[other]));
        rivals.truncate(RIVALS);
        rivals.sort_unstable();
        rivals
    }

    fn item(&self, at: usize) -> Item<'_> {
        let memory = self.memories[at];
        Item {
            path: &memory.path,
            name: &memory.name,
            description: &memory.description,
            kind: memory.kind.as_deref().unwrap_or_default(),
            triggers: &self.triggers[at],
            body: "",
        }
    }
}
