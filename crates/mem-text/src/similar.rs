//! Tells whether two texts say the same thing in other words, in English and Chinese, and finds such pairs.
//!
//! What must not be joined stays apart: texts that agree in all but a number, a name, or their sign.

mod features;
mod index;
mod lexicon;

pub use features::Features;
pub use index::{Collection, Pair};

/// From this score on two texts say the same thing. Chosen on a handful of hand-made pairs in both languages.
pub const SAME: f64 = 0.62;

/// How two texts stand to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likeness {
    /// How far they say the same, 0 to 1; 0 as soon as value, name or sign differ.
    pub score: f64,
    /// How far the words of the shorter text, without values, occur in the other, 0 to 1.
    pub contained: f64,
    /// Both have a number or weekday that the other lacks.
    pub values_differ: bool,
    /// Both have a name that the other lacks.
    pub names_differ: bool,
    /// What one demands, the other forbids.
    pub signs_differ: bool,
    /// A word of each stands in the other's place: two entries of one list rather than one fact twice. Only seen on
    /// texts that are otherwise alike by half.
    pub is_template: bool,
    /// How far the two word lists are one, 0 to 1, without values.
    pub overlap: f64,
}

/// Returns how far two texts say the same, 0 to 1.
pub fn score(left: &str, right: &str) -> f64 {
    compare(&Features::of(left), &Features::of(right)).score
}

/// Returns how two texts stand to each other, all words counting alike.
pub fn compare(left: &Features, right: &Features) -> Likeness {
    weigh(&Weighted::new(left, |_| 1.0), &Weighted::new(right, |_| 1.0))
}

/// The features of a text with the weight of each of its words; rare words tell more than common ones.
#[derive(Clone, Debug)]
struct Weighted<'a> {
    features: &'a Features,
    words: Vec<f64>,
    values: Vec<f64>,
    /// Sums of the two lists.
    words_sum: f64,
    values_sum: f64,
}

impl<'a> Weighted<'a> {
    fn new(features: &'a Features, weight: impl Fn(u64) -> f64) -> Self {
        let words: Vec<f64> = features.words.iter().map(|word| weight(*word)).collect();
        let values: Vec<f64> = features.values.iter().map(|value| weight(*value)).collect();
        let (words_sum, values_sum) = (words.iter().sum(), values.iter().sum());
        Self { features, words, values, words_sum, values_sum }
    }
}

/// Below this score nobody asks what keeps two texts apart, and the look at each word's place is saved.
const TEMPLATE_FROM: f64 = 0.5;

/// Between these counts of different words it tells something that one text is contained in the other.
const FEW_WORDS: usize = 3;
const MANY_WORDS: usize = 40;

fn weigh(left: &Weighted<'_>, right: &Weighted<'_>) -> Likeness {
    let (one, other) = (left.features, right.features);
    let shared = shared_weight(&one.words, &left.words, &other.words);
    let shared_values = shared_weight(&one.values, &left.values, &other.values);
    let all = shared + shared_values;
    let dice = share(2.0 * all, left.words_sum + left.values_sum + right.words_sum + right.values_sum);
    let contained = share(all, (left.words_sum + left.values_sum).min(right.words_sum + right.values_sum));
    // A text of one or two words is contained in too much, and in a long one much of a subject's own words recur.
    let shorter = one.words.len().min(other.words.len());
    let needs_both = !(FEW_WORDS..=MANY_WORDS).contains(&shorter);
    let score = if needs_both { dice } else { (dice + contained) / 2.0 };
    let found = Likeness {
        score,
        contained: share(shared, left.words_sum.min(right.words_sum)),
        overlap: share(2.0 * shared, left.words_sum + right.words_sum),
        values_differ: each_has_own(&one.values, &other.values),
        names_differ: features::names_differ(one, other),
        signs_differ: opposite_weight(left, other) * 2.0 > shared,
        is_template: score >= TEMPLATE_FROM && features::is_template(one, other),
    };
    let is_apart = found.values_differ || found.names_differ || found.signs_differ || found.is_template;
    Likeness { score: if is_apart { 0.0 } else { score }, ..found }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).min(1.0) } else { 0.0 }
}

/// Walks two sorted lists at once and sums the weights of what both hold.
fn shared_weight(left: &[u64], weights: &[f64], right: &[u64]) -> f64 {
    let mut rest = right;
    let mut sum = 0.0;
    for (word, weight) in left.iter().zip(weights) {
        let skipped = rest.iter().take_while(|other| *other < word).count();
        rest = &rest[skipped..];
        if rest.first() == Some(word) {
            sum += weight;
        }
    }
    sum
}

fn each_has_own(left: &[u64], right: &[u64]) -> bool {
    let shared = features::shared(left, right).len();
    shared < left.len() && shared < right.len()
}

/// Returns the weight of the shared words that one text demands and the other forbids.
fn opposite_weight(left: &Weighted<'_>, right: &Features) -> f64 {
    let one = left.features;
    if !one.forbids() && !right.forbids() {
        return 0.0;
    }
    let is_opposite = |word: u64| {
        one.is_only_denied(word) && right.is_only_said(word) || one.is_only_said(word) && right.is_only_denied(word)
    };
    let words = one.words.iter().zip(&left.words).filter(|(word, _)| is_opposite(**word));
    words.map(|(_, weight)| weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAME_THING: [(&str, &str); 11] = [
        (
            "Deploys to production happen on Friday afternoon only.",
            "Only deploy to production on Friday afternoons, traffic is low then.",
        ),
        (
            "Don't end replies with a recap. The user reads the diff.",
            "No summary at the end of an answer; the user reads the diff anyway.",
        ),
        ("Keep commit messages in Chinese", "提交信息用中文"),
        ("回答结尾不要总结，用户会看 diff", "别在回答的结尾再做总结，用户自己看 diff。"),
        ("大改动先给方案，等用户选了再动手", "大的改动要先列方案给用户选，再动手"),
        ("The user is a data scientist and has never used Kubernetes.", "Data scientist, no Kubernetes experience"),
        ("API latency is on the Grafana dashboard pay-latency.", "For API latency see pay-latency in Grafana."),
        ("Run scripts/check.sh before each push", "Before a push, run `scripts/check.sh`."),
        ("订单日志保留 30 天", "日志：订单的保留三十天，即 30 天"),
        ("The user prefers tables over long lists", "User likes tables rather than long lists"),
        ("Keep functions under 30 lines", "A function has at most 30 lines"),
    ];

    const LOOK_ALIKES: [(&str, &str); 17] = [
        (
            "The cart service needs sign-off from outer; mind that in reviews. Why: agreed.",
            "The invoice service needs sign-off from outer.",
        ),
        ("The staging gateway listens on port 7431.", "The staging gateway listens on port 7432."),
        ("Staging listens on 7431", "Sandbox listens on 7431"),
        ("SQL files are indented with tabs.", "YAML files are indented with two spaces."),
        ("Export bugs are in project EXPORT.", "Ingest bugs are in project INGEST."),
        ("Mock the gateway in integration tests.", "Never mock the gateway in integration tests."),
        ("测试环境端口 7431", "预发环境端口 7431"),
        ("代码注释必须用中文", "提交信息必须用中文"),
        ("回答结尾要总结", "回答结尾不要总结"),
        ("The cart service is owned by the outer group", "The login service is owned by the outer group"),
        ("数据库每天凌晨备份一次", "日志每周日归档一次"),
        ("Deploy on Fridays", "Deploy on Tuesdays"),
        ("Ask Mina about fees", "Ask Jonas about fees"),
        ("Never email customers from the test system", "Never call customers from the test system"),
        ("Do not touch the legacy importer", "Do not touch the legacy exporter"),
        ("实习生校对法语译文", "实习生校对波兰语译文"),
        ("EU invoices lie in bucket inv-eu", "US invoices lie in bucket inv-us"),
    ];

    #[test]
    fn the_same_thing_in_other_words_is_found() {
        for (left, right) in SAME_THING {
            let found = compare(&Features::of(left), &Features::of(right));
            assert!(found.score >= SAME, "{found:?}\n{left}\n{right}");
            assert_eq!(found.score, score(right, left));
        }
    }

    #[test]
    fn look_alikes_stay_apart() {
        for (left, right) in LOOK_ALIKES {
            let found = compare(&Features::of(left), &Features::of(right));
            assert!(found.score < SAME, "{found:?}\n{left}\n{right}");
        }
    }

    #[test]
    fn the_reason_of_standing_apart_is_told() {
        let compare = |left, right| compare(&Features::of(left), &Features::of(right));
        assert!(compare("port 6101 of the relay", "the relay has port 6202").values_differ);
        assert!(compare("mock the gateway", "never mock the gateway").signs_differ);
        assert!(compare("用 mock 测网关", "不要用 mock 测网关").signs_differ);
        assert!(compare("ask Mina first", "ask Jonas first").names_differ);
    }

    #[test]
    fn what_is_left_for_another_thing_is_withdrawn() {
        for (old, new) in [
            ("The archive runs on MySQL", "The archive moved from MySQL to PostgreSQL"),
            ("归档库用 MySQL", "归档库从 MySQL 换成 PostgreSQL"),
            ("Amounts are given in cups", "Amounts are given in grams, not in cups any more"),
        ] {
            let (withdrawn, kept) = Features::of(old).withdrawn_by(&Features::of(new));
            assert!(withdrawn >= 1.0 && kept >= 0.5, "{withdrawn} {kept} {old} {new}");
        }
        let (withdrawn, _) = Features::of("Copy from the tape").withdrawn_by(&Features::of("Copy from the disk"));
        assert!(withdrawn < 1.0);
    }

    #[test]
    fn empty_and_foreign_texts_are_like_nothing() {
        for (left, right) in [("", ""), ("", "a b c"), ("the of", "a an"), ("👍", "👍👍")] {
            assert_eq!(score(left, right), 0.0);
        }
    }

    #[test]
    fn pairs_are_found_without_comparing_all() {
        let mut texts: Vec<String> = (0..3_000)
            .map(|n| format!("The service s{n}x keeps rows in table t{} of zone z{}", n * 7, n % 90))
            .collect();
        texts.push("Never deploy on Friday afternoon, support is thin then".to_owned());
        texts.push("No deployments on Friday afternoons: support is thin".to_owned());
        let collection = Collection::new(texts.iter().map(|text| Features::of(text)).collect());
        let pairs = collection.pairs(SAME);
        assert_eq!(pairs.iter().map(|pair| (pair.left, pair.right)).collect::<Vec<_>>(), [(3_000, 3_001)]);
        assert!(collection.candidates().len() < 200_000);
    }

    #[test]
    fn thousands_of_equal_texts_join_in_a_chain() {
        let texts = vec![Features::of("Keep commit messages short and in English"); 2_000];
        let pairs = Collection::new(texts).pairs(SAME);
        assert!(pairs.len() >= 1_999 && pairs.len() < 100_000, "{}", pairs.len());
    }
}
