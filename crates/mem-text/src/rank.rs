//! Ranks memories for a question: BM25F over their fields, the best passage of the body, and words associated by
//! `data/association.txt`; says which words matched, and answers with nothing when nothing helps.
//!
//! The steps, each in its file: `query` prepares the question, `scan` counts its words in the items, `score` weighs
//! the counts, `choose` draws the line, `explain` says why. Values in, values out.

mod association;
mod choose;
mod dated;
mod explain;
mod filter;
mod nearly;
mod passage;
mod prepared;
mod query;
mod scan;
mod score;

use std::ops::Range;

pub use choose::Reason;
use jiff::civil::Date;
pub use prepared::Prepared;

/// What is ranked; `body` may be empty when only heads are known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Item<'a> {
    /// Breaks ties, and its file name counts as part of the name.
    pub path: &'a str,
    /// The `name` of the front matter.
    pub name: &'a str,
    /// The `description` of the front matter.
    pub description: &'a str,
    /// The `type` of the front matter: breaks ties, feedback first.
    pub kind: &'a str,
    /// Situations in which it helps, one a line.
    pub triggers: &'a str,
    /// The text below the front matter.
    pub body: &'a str,
}

/// How many hits, and how they are weighed.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The most hits; the rest is passed over.
    pub limit: usize,
    /// The numbers of the ranking; the default is what was measured best.
    pub weights: Weights,
    /// Groups of associated words besides our own, in the form of `data/association.txt`.
    pub associations: &'a str,
    /// Of these items the words are told, too, when they are passed over; the list is sorted.
    pub told: &'a [usize],
    /// What "yesterday" and "last week" are counted from; without it only dates in numbers are met.
    pub today: Option<Date>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { limit: 5, weights: Weights::default(), associations: "", told: &[], today: None }
    }
}

/// The numbers of the ranking, found on the labelled sets of this project; 0 turns an ingredient off.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// Of a word in the file name or the name.
    pub name: f32,
    /// Of a word in the description.
    pub description: f32,
    /// Of a word in the triggers.
    pub triggers: f32,
    /// Of a word in a heading, besides its weight in the body.
    pub headings: f32,
    /// Of a word in the body.
    pub body: f32,
    /// How fast more of the same word stops to matter (BM25 k1).
    pub saturation: f32,
    /// How much a long body is discounted (BM25 b), 0 to 1.
    pub length: f32,
    /// Of the best passage, besides the whole.
    pub passage: f32,
    /// Of the passages before and after the best one.
    pub neighbour: f32,
    /// Of a pair of characters, a single character, and a whole identifier, where a word is 1.
    pub pair: f32,
    /// See `pair`.
    pub single: f32,
    /// See `pair`.
    pub whole: f32,
    /// Of a word that is meant by a misspelt one.
    pub near: f32,
    /// Of a word that stands in one group with the one asked for.
    pub association: f32,
    /// Of a date that the item names, however it is written.
    pub date: f32,
    /// In a body of so many words an association counts for half of one in the head: a long text has some of every group.
    pub loose: f32,
    /// So many imagined memories, in which ordinary words are frequent, keep the counts of a small folder in place.
    pub background: f32,
    /// A hit must reach this share of what a full match would score.
    pub floor: f32,
    /// Or it must have as much evidence as this many words that stand nowhere else; and half of `floor` at least.
    pub evidence: f32,
    /// A hit must reach this share of the best hit's score.
    pub tail: f32,
    /// Is added to `tail` as the best hit answers the question from half to whole: who has the answer needs no more.
    pub answered: f32,
    /// The list ends before a hit that has less than this share of the one before it.
    pub gap: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            name: 2.0,
            description: 1.2,
            triggers: 2.0,
            headings: 1.0,
            body: 1.0,
            saturation: 1.2,
            length: 0.6,
            passage: 1.0,
            neighbour: 0.5,
            pair: 0.6,
            single: 0.15,
            whole: 0.5,
            near: 0.7,
            association: 0.9,
            date: 1.5,
            loose: 60.0,
            background: 20.0,
            floor: 0.1,
            evidence: 0.7,
            tail: 0.2,
            answered: 0.2,
            gap: 0.25,
        }
    }
}

/// The answer: what helps, best first, and what was left out.
#[derive(Debug, Default)]
pub struct Ranking {
    /// At most `limit` hits.
    pub hits: Vec<Hit>,
    /// Every other item, best first, with the reason.
    pub passed_over: Vec<Passed>,
}

/// One item that helps.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Its place in the list that was given.
    pub index: usize,
    /// Comparable within one ranking only.
    pub score: f32,
    /// The score as a share of what an item would reach that has every word of the question; can exceed 1.
    pub share: f32,
    /// Which words of the question it answers, the weightiest first.
    pub words: Vec<Matched>,
    /// The best passage: a range of bytes in the body.
    pub passage: Option<Range<usize>>,
}

/// A word of the question and its part of a score.
#[derive(Clone, Debug, PartialEq)]
pub struct Matched {
    /// As the user wrote it.
    pub word: String,
    /// Its part of the score.
    pub part: f32,
    /// How it matched.
    pub by: Match,
}

/// How a word of the question met one of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The same word, or another form of it.
    Word,
    /// A word that is spelt nearly so.
    Spelling,
    /// A word with a like meaning.
    Meaning,
}

/// One item that was left out.
#[derive(Clone, Debug)]
pub struct Passed {
    /// Its place in the list that was given.
    pub index: usize,
    /// 0 when it shares no word with the question.
    pub score: f32,
    /// The score as a share of a full match, as in [`Hit`].
    pub share: f32,
    /// The score that it would have needed beside the best of this ranking; its share is asked for besides.
    pub least_score: f32,
    /// Which words of the question it answers; only for those of [`Options::told`].
    pub words: Vec<Matched>,
    /// Why.
    pub reason: Reason,
}

/// Returns the items that help with `question`, best first; the same input gives the same answer.
pub fn rank(items: &[Item<'_>], question: &str, options: &Options<'_>) -> Ranking {
    let query = query::Query::new(question, options);
    let counted = scan::scan(items, &query);
    let scored = score::score(&query, &counted, &options.weights);
    choose::choose(items, &query, scored, options)
}

/// Returns the same as [`rank`] does for these items, which stand at `places` in what was prepared.
pub fn rank_prepared(
    prepared: &Prepared,
    places: &[usize],
    items: &[Item<'_>],
    question: &str,
    options: &Options<'_>,
) -> Ranking {
    let query = query::Query::new(question, options);
    let counted = prepared.scan(places, &query);
    let scored = score::score(&query, &counted, &options.weights);
    choose::choose(items, &query, scored, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLDER: &[Item<'_>] = &[
        Item {
            path: "feedback_real_db.md",
            name: "real database in tests",
            description: "Integration tests run against a real Postgres, never a mock",
            kind: "feedback",
            triggers: "",
            body: "**Why:** a mocked test passed while the migration failed.\n",
        },
        Item {
            path: "project_freeze.md",
            name: "merge freeze",
            description: "No merges after Thursday while the mobile team cuts a branch",
            kind: "project",
            triggers: "",
            body: "The freeze ends when 4.2 is out.\n",
        },
        Item {
            path: "user_role.md",
            name: "role",
            description: "Data scientist who looks at logging",
            kind: "user",
            triggers: "",
            body: "Knows Python well and is new to React.\n",
        },
        Item {
            path: "project_支付.md",
            name: "支付幂等",
            description: "支付回调必须幂等，用订单号去重",
            kind: "project",
            triggers: "",
            body: "数据库回滚超时曾造成重复扣款。\n",
        },
    ];

    fn check(question: &str, expected: &[&str]) -> Ranking {
        let ranking = rank(FOLDER, question, &Options::default());
        let paths: Vec<&str> = ranking.hits.iter().map(|hit| FOLDER[hit.index].path).collect();
        assert_eq!(paths, expected, "{question}: {ranking:?}");
        assert_eq!(ranking.hits.len() + ranking.passed_over.len(), FOLDER.len(), "nothing is lost");
        ranking
    }

    #[test]
    fn the_memory_that_helps_is_found_and_the_others_are_not() {
        check("which database do our tests use?", &["feedback_real_db.md"]);
        check("数据库回滚超时", &["project_支付.md"]);
        check("which day does the freeze begin", &["project_freeze.md"]);
    }

    #[test]
    fn a_small_folder_does_not_return_everything() {
        check("what is the capital of Mongolia", &[]);
        check("帮我写一首关于月亮的诗", &[]);
        check("", &[]);
    }

    #[test]
    fn an_irregular_form_is_met() {
        let items = [Item { path: "a.md", description: "the parser froze and we bought time", ..Item::default() }];
        assert_eq!(rank(&items, "does the parser freeze?", &Options::default()).hits[0].words.len(), 2);
    }

    #[test]
    fn a_slip_of_the_keyboard_is_forgiven() {
        let ranking = check("postgers version", &["feedback_real_db.md"]);
        assert_eq!(ranking.hits[0].words[0].by, Match::Spelling);
        assert_eq!(ranking.hits[0].words[0].word, "postgers");
    }

    #[test]
    fn a_memory_without_a_shared_word_is_met_by_meaning() {
        let ranking = check("我们的单元测试能用 stub 吗", &["feedback_real_db.md"]);
        assert!(ranking.hits[0].words.iter().all(|word| word.by == Match::Meaning));
    }

    #[test]
    fn matched_words_are_told_as_the_user_wrote_them() {
        let ranking = check("支付回调要幂等吗", &["project_支付.md"]);
        let words: Vec<&str> = ranking.hits[0].words.iter().map(|word| word.word.as_str()).collect();
        assert_eq!(words, ["支付回调", "幂等"]);
    }

    #[test]
    fn feedback_comes_first_on_a_tie_whatever_the_order() {
        let twin = |path, kind| Item { path, description: "deploy with the blue script", kind, ..Item::default() };
        let items = [twin("a.md", "reference"), twin("c.md", "feedback"), twin("b.md", "feedback")];
        let order: Vec<usize> =
            rank(&items, "deploy script", &Options::default()).hits.iter().map(|hit| hit.index).collect();
        assert_eq!(order, [2, 1, 0]);
    }

    #[test]
    fn the_best_passage_is_a_range_of_the_body() {
        let body = format!(
            "{}\nThe webhook secret rotates every ninety days.\n\n{}",
            "Nothing here.\n\n".repeat(40),
            "Filler line.\n".repeat(90)
        );
        let items = [Item { path: "a.md", description: "webhooks", body: &body, ..Item::default() }];
        let ranking = rank(&items, "when does the webhook secret rotate?", &Options::default());
        let passage = ranking.hits.first().and_then(|hit| hit.passage.clone());
        assert!(passage.is_some_and(|range| body[range].contains("ninety days")));
    }

    #[test]
    fn hostile_input_is_answered() {
        let long = "数据库deploy/ ".repeat(20_000);
        let items = [Item { path: "", body: &long, ..Item::default() }, Item::default()];
        for question in [long.as_str(), "\u{0}", "\u{202e}abc", &"a.".repeat(50_000), "ſK"] {
            rank(&items, question, &Options::default());
        }
    }
}
