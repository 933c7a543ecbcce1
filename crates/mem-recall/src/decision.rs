//! From the pool to a choice: who may be chosen, the ranking, and whoever else is asked.

use mem_store::{Memory, World};
use mem_text::rank::{self, Item, Ranking};
use mem_text::secrets;
use mem_types::recall::{AskedAbout, PassedOver, Recall};
use mem_types::{Failure, Problems};

use crate::asked::Asked;
use crate::candidates::Candidates;
use crate::choice::Choice;
use crate::pool::Pool;
use crate::seen::Seen;
use crate::selector::{Selector, Wanted};
use crate::{Args, associations, held};

/// More hits than any turn can use: what is over the limit of files must still be there to be named.
const MOST_HITS: usize = 64;
/// In a larger folder the words of what somebody else chose are not told: every memory's would have to be found first.
const MOST_TOLD: usize = 10_000;

/// A choice with all that it rests on.
pub struct Decision<'a> {
    /// Those that may be chosen; the places of the choice count in it.
    pub eligible: Vec<&'a Memory>,
    /// Those that may not, each with the reason.
    pub passed_over: Vec<PassedOver>,
    /// What was chosen.
    pub choice: Choice,
    ranking: Ranking,
    candidates: Candidates<'a>,
    asked: Asked<'a>,
}

impl<'a> Decision<'a> {
    /// Decides.
    ///
    /// # Errors
    /// With `bad-value` when a pattern to exclude is none.
    pub fn of(
        args: &'a Args,
        world: &'a World,
        question: &str,
        seen: &'a Seen,
        pool: &'a Pool,
        problems: &mut Problems,
    ) -> Result<Self, Failure> {
        let candidates = Candidates::new(args, pool.own(), seen, &pool.tools, world.now())?;
        let (places, passed_over) = candidates.sort_out(pool.memories());
        let eligible: Vec<&Memory> = places.iter().map(|place| &pool.memories()[*place]).collect();
        let asked = Asked::new(&args.why, pool.memories(), &eligible);
        let has_room = args.max_files > 0 && seen.bytes() < args.session_bytes;
        let selector = Selector::of(args, world.environment()).filter(|_| has_room && !eligible.is_empty());
        let tells_all = selector.is_some() && eligible.len() <= MOST_TOLD;
        let all: Vec<usize> = (0..eligible.len()).filter(|_| tells_all).collect();
        let associations = associations::read(args, world, problems);
        let told = if tells_all { &all } else { asked.told() };
        let today = Some(world.now().zoned().date());
        let associations = &*associations;
        let options = rank::Options { limit: MOST_HITS, told, associations, today, ..rank::Options::default() };
        let mut ranking = rank(pool, &places, &eligible, question, &options);
        hide_secrets(&mut ranking, question);
        let choice = match &selector {
            None => Choice::offline(&ranking),
            Some(selector) => {
                let wanted = Wanted { question, tools: &pool.tools, max_files: args.max_files, now: world.now() };
                Choice::asked(selector, &wanted, &eligible, &ranking, problems)
            }
        };
        Ok(Self { eligible, passed_over, choice, ranking, candidates, asked })
    }

    /// Returns an entry for each memory that was ranked and is not in the choice.
    pub fn ranked_over(&self) -> Vec<PassedOver> {
        let others = self.choice.passed_over.iter();
        others.map(|(place, why)| crate::passed_over(self.eligible[*place], why.clone())).collect()
    }

    /// Returns what became of the memories that were asked about.
    pub fn why(&self, recall: &Recall) -> Vec<AskedAbout> {
        self.asked.answer(&self.ranking, &self.candidates, &self.eligible, recall)
    }
}

/// A secret in the question that stands in a memory, too, is not told as a word that matched.
fn hide_secrets(ranking: &mut Ranking, question: &str) {
    let found = secrets::find(question);
    if found.is_empty() {
        return;
    }
    let of_hits = ranking.hits.iter_mut().flat_map(|hit| &mut hit.words);
    let of_others = ranking.passed_over.iter_mut().flat_map(|passed| &mut passed.words);
    for matched in of_hits.chain(of_others) {
        if found.iter().any(|range| question[range.clone()].contains(&matched.word)) {
            "[secret]".clone_into(&mut matched.word);
        }
    }
}

fn rank(pool: &Pool, places: &[usize], memories: &[&Memory], question: &str, options: &rank::Options<'_>) -> Ranking {
    let triggers: Vec<String> = memories.iter().map(|memory| held::triggers(memory)).collect();
    let items: Vec<Item<'_>> =
        memories.iter().zip(&triggers).map(|(memory, triggers)| held::item(memory, triggers)).collect();
    match &pool.loaded.prepared {
        Some(prepared) => rank::rank_prepared(prepared, places, &items, question, options),
        None => rank::rank(&items, question, options),
    }
}
