//! What a word counts for: its stem, whether it says nothing (stop word), and how ordinary it is.
//!
//! Words are compared by a hash of their stem, so that no text is kept. Lists are of English and Chinese.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};

/// Returns a hash of bytes (FNV-1a, 64 bits): the same on every machine and in every run.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |state, byte| (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Slots of the cache; a memory folder of 200 files has a few thousand distinct words.
const SLOTS: usize = 4096;

/// Hashes stems, and remembers the last ones.
pub struct Stems {
    english: Stemmer,
    /// Hash of the word, hash of its stem; a later word of the same slot takes its place.
    cache: Vec<(u64, u64)>,
}

impl Default for Stems {
    fn default() -> Self {
        Self { english: Stemmer::create(Algorithm::English), cache: vec![(0, 0); SLOTS] }
    }
}

impl std::fmt::Debug for Stems {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Stems").finish_non_exhaustive()
    }
}

impl Stems {
    /// Returns the stem of a lower-cased word itself.
    pub fn text<'a>(&self, word: &'a str) -> Cow<'a, str> {
        if word.len() < 3 || !word.is_ascii() { Cow::Borrowed(word) } else { self.english.stem(regular(word)) }
    }

    /// Returns the hash of the stem of a lower-cased word; words that are not ASCII are their own stem.
    pub fn stem(&mut self, word: &str) -> u64 {
        let whole = hash(word.as_bytes());
        if word.len() < 3 || !word.is_ascii() {
            return whole;
        }
        let slot = usize::try_from(whole % SLOTS as u64).unwrap_or(0);
        if self.cache[slot].0 != whole {
            self.cache[slot] = (whole, hash(self.english.stem(regular(word)).as_bytes()));
        }
        self.cache[slot].1
    }
}

/// Returns the word that this one is an irregular form of, else itself.
fn regular(word: &str) -> &str {
    IRREGULAR.binary_search_by(|(form, _)| (*form).cmp(word)).map_or(word, |index| IRREGULAR[index].1)
}

/// Returns the irregular forms of the words that have this stem; may return one more that has not.
pub fn irregular_forms(stem: &str) -> impl Iterator<Item = &'static str> {
    let is_base = move |base: &str| base.len() <= stem.len() + 1 && base.starts_with(stem);
    IRREGULAR.iter().filter(move |(_, base)| is_base(base)).map(|(form, _)| *form)
}

/// True for words that carry no meaning of their own: articles, pronouns, question words, particles.
pub fn is_stop_word(word: &str) -> bool {
    if word.len() == 1 && !word.as_bytes()[0].is_ascii_digit() {
        return true;
    }
    if word.is_ascii() { STOP.binary_search(&word).is_ok() } else { is_chinese_stop(word) }
}

/// Returns how ordinary a word is in requests to an assistant: 1.0 says nothing special, 0.35 nearly nothing.
pub fn weight(word: &str) -> f32 {
    let ordinary =
        if word.is_ascii() { ORDINARY.binary_search(&word).is_ok() } else { ORDINARY_CHINESE.contains(&word) };
    if ordinary { 0.35 } else { 1.0 }
}

fn is_chinese_stop(word: &str) -> bool {
    let mut characters = word.chars();
    let (first, second) = (characters.next(), characters.next());
    let empty = |character: Option<char>| character.is_some_and(|one| EMPTY_CHARACTERS.contains(one));
    match second {
        None => empty(first) || first.is_some_and(is_hiragana),
        // A pair with a particle in it straddles two words; a pair of two particles says nothing.
        Some(_) => empty(first) || empty(second) || STOP_CHINESE.contains(&word),
    }
}

fn is_hiragana(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{309F}')
}

const EMPTY_CHARACTERS: &str =
    "的了吗呢吧啊呀哦嘛么是在我你他她它们这那哪有和与或就都也还要把被给让对从到个们什怎谁很不没请帮咱您";

#[rustfmt::skip]
const STOP_CHINESE: &[&str] = &[
    "一下", "一个", "这个", "那个", "哪个", "哪些", "一些", "可以", "可能",
    "如何", "为什", "为何", "为啥", "几个", "多少", "现在", "然后", "因为",
    "所以", "但是", "如果", "以及", "关于", "之前", "之后", "时候", "已经",
    "应该", "需要", "能否", "能够", "是否", "何时", "以后", "以前", "今天",
    "こと", "もの", "です", "ます", "した", "して", "する", "ない", "から",
    "まで", "この", "その", "あの", "どの", "とき",
];

#[rustfmt::skip]
const ORDINARY_CHINESE: &[&str] = &[
    "使用", "问题", "东西", "事情", "情况", "方法", "方式", "地方", "开始",
    "进行", "处理", "解决", "修改", "增加", "添加", "删除", "创建", "新建",
    "看看", "看下", "知道", "告诉", "觉得", "希望", "想要", "准备", "打算",
    "继续", "完成", "实现", "写个", "写一", "项目", "代码", "文件", "功能",
    "用户", "系统", "工作", "时间", "用什", "怎样", "做个", "推荐", "建议",
    "介绍", "解释", "帮忙",
];

#[rustfmt::skip]
const STOP: &[&str] = &[
    "about", "above", "after", "again", "all", "already", "also", "although", "always", "am",
    "among", "an", "and", "any", "anybody", "anyone", "anything", "are", "aren", "around", "as",
    "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by",
    "can", "cannot", "could", "couldn", "did", "didn", "do", "does", "doesn", "doing", "don",
    "done", "down", "during", "each", "either", "else", "etc", "even", "ever", "every",
    "everyone", "everything", "for", "from", "further", "get", "gets", "getting", "gonna",
    "got", "had", "has", "hasn", "have", "haven", "having", "he", "hello", "her", "here",
    "hers", "herself", "hey", "hi", "him", "himself", "his", "how", "however", "if", "in",
    "into", "is", "isn", "it", "its", "itself", "just", "kind", "let", "lets", "like", "lot",
    "lots", "many", "may", "maybe", "me", "might", "mine", "more", "most", "much", "must", "my",
    "myself", "neither", "no", "nor", "not", "nothing", "now", "of", "off", "oh", "ok", "okay",
    "on", "once", "one", "only", "onto", "or", "other", "others", "ought", "our", "ours",
    "ourselves", "out", "over", "own", "per", "perhaps", "please", "quite", "rather", "really",
    "same", "shall", "she", "should", "shouldn", "since", "so", "some", "somebody", "someone",
    "something", "sort", "still", "such", "sure", "than", "thank", "thanks", "that", "the",
    "their", "theirs", "them", "themselves", "then", "there", "these", "they", "this", "those",
    "though", "through", "till", "to", "too", "under", "until", "up", "upon", "us", "very",
    "via", "wanna", "was", "wasn", "we", "well", "were", "weren", "what", "whatever", "when",
    "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with",
    "within", "without", "won", "would", "wouldn", "yeah", "yes", "yet", "you", "your", "yours",
    "yourself",
];

/// Forms that no ending tells, with the word that they are forms of; sorted. Left out are those that are other words, too.
#[rustfmt::skip]
const IRREGULAR: &[(&str, &str)] = &[
    ("analyses", "analysis"), ("arisen", "arise"), ("arose", "arise"), ("ate", "eat"), ("awoke", "awake"),
    ("awoken", "awake"), ("beaten", "beat"), ("became", "become"), ("began", "begin"), ("begun", "begin"),
    ("bent", "bend"), ("bit", "bite"), ("bitten", "bite"), ("bled", "bleed"), ("blew", "blow"), ("blown", "blow"),
    ("bore", "bear"), ("borne", "bear"), ("bought", "buy"), ("broke", "break"), ("broken", "break"),
    ("brought", "bring"), ("built", "build"), ("burnt", "burn"), ("came", "come"), ("caught", "catch"),
    ("children", "child"), ("chose", "choose"), ("chosen", "choose"), ("clung", "cling"), ("crept", "creep"),
    ("criteria", "criterion"), ("dealt", "deal"), ("drank", "drink"), ("drawn", "draw"), ("dreamt", "dream"),
    ("drew", "draw"), ("driven", "drive"), ("drove", "drive"), ("drunk", "drink"), ("dug", "dig"), ("eaten", "eat"),
    ("fallen", "fall"), ("fed", "feed"), ("feet", "foot"), ("fell", "fall"), ("felt", "feel"), ("fled", "flee"),
    ("flew", "fly"), ("flown", "fly"), ("forbade", "forbid"), ("forbidden", "forbid"), ("forgave", "forgive"),
    ("forgiven", "forgive"), ("forgot", "forget"), ("forgotten", "forget"), ("fought", "fight"),
    ("froze", "freeze"), ("frozen", "freeze"), ("gave", "give"), ("geese", "goose"), ("given", "give"),
    ("gone", "go"), ("grew", "grow"), ("grown", "grow"), ("halves", "half"), ("heard", "hear"), ("held", "hold"),
    ("hid", "hide"), ("hidden", "hide"), ("hung", "hang"), ("indices", "index"), ("kept", "keep"), ("knew", "know"),
    ("knives", "knife"), ("known", "know"), ("leant", "lean"), ("learnt", "learn"), ("led", "lead"),
    ("lent", "lend"), ("lit", "light"), ("lives", "life"), ("lost", "lose"), ("made", "make"),
    ("matrices", "matrix"), ("meant", "mean"), ("men", "man"), ("met", "meet"), ("mice", "mouse"), ("paid", "pay"),
    ("people", "person"), ("ran", "run"), ("rang", "ring"), ("ridden", "ride"), ("risen", "rise"), ("rode", "ride"),
    ("rung", "ring"), ("said", "say"), ("sang", "sing"), ("sank", "sink"), ("sat", "sit"), ("seen", "see"),
    ("sent", "send"), ("shaken", "shake"), ("shelves", "shelf"), ("shone", "shine"), ("shook", "shake"),
    ("shot", "shoot"), ("shown", "show"), ("shrank", "shrink"), ("shrunk", "shrink"), ("slept", "sleep"),
    ("slid", "slide"), ("sold", "sell"), ("sought", "seek"), ("spelt", "spell"), ("spent", "spend"),
    ("spoke", "speak"), ("spoken", "speak"), ("spun", "spin"), ("stole", "steal"), ("stolen", "steal"),
    ("stood", "stand"), ("stricken", "strike"), ("struck", "strike"), ("stuck", "stick"), ("sung", "sing"),
    ("sunk", "sink"), ("swam", "swim"), ("swept", "sweep"), ("swore", "swear"), ("sworn", "swear"),
    ("swum", "swim"), ("swung", "swing"), ("taken", "take"), ("taught", "teach"), ("teeth", "tooth"),
    ("thought", "think"), ("threw", "throw"), ("thrown", "throw"), ("told", "tell"), ("took", "take"),
    ("tore", "tear"), ("torn", "tear"), ("understood", "understand"), ("vertices", "vertex"), ("went", "go"),
    ("wept", "weep"), ("withdrawn", "withdraw"), ("withdrew", "withdraw"), ("wives", "wife"), ("woke", "wake"),
    ("woken", "wake"), ("wolves", "wolf"), ("women", "woman"), ("won", "win"), ("wore", "wear"), ("worn", "wear"),
    ("wove", "weave"), ("woven", "weave"), ("written", "write"), ("wrote", "write"),
];

#[rustfmt::skip]
const ORDINARY: &[&str] = &[
    "able", "actually", "add", "added", "adding", "advice", "ask", "asked", "back", "bad",
    "begin", "best", "better", "big", "bit", "bring", "call", "called", "change", "changed",
    "changes", "check", "choose", "code", "come", "correct", "create", "created", "current",
    "currently", "day", "describe", "different", "easy", "exactly", "example", "explain",
    "fact", "file", "files", "find", "fine", "first", "fix", "fixed", "follow", "function",
    "give", "go", "goes", "going", "good", "great", "guy", "guys", "handle", "happen",
    "happened", "happens", "hard", "help", "idea", "implement", "important", "keep", "know",
    "last", "later", "latest", "learn", "least", "less", "list", "little", "long", "look",
    "looking", "looks", "made", "main", "make", "makes", "making", "mean", "means", "mind",
    "need", "needed", "needs", "never", "new", "next", "nice", "often", "old", "open", "part",
    "people", "place", "plan", "point", "possible", "pretty", "problem", "project", "put",
    "question", "quick", "quickly", "read", "ready", "reason", "recommend", "right", "run",
    "running", "runs", "said", "say", "says", "see", "seem", "seems", "seen", "set", "show",
    "simple", "small", "soon", "start", "started", "stuff", "suggest", "suggestion", "take",
    "takes", "talk", "tell", "thing", "things", "think", "thought", "time", "today", "told",
    "took", "true", "try", "trying", "turn", "two", "understand", "update", "updated", "use",
    "used", "useful", "user", "uses", "using", "usual", "usually", "want", "wanted", "wants",
    "way", "ways", "went", "whole", "wish", "wonder", "word", "work", "working", "works",
    "world", "write", "writing", "wrong", "year", "years",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_a_stem() {
        let mut stems = Stems::default();
        for (one, other) in
            [("deploys", "deployed"), ("migration", "migrations"), ("testing", "tests"), ("数据", "数据")]
        {
            assert_eq!(stems.stem(one), stems.stem(other), "{one} {other}");
        }
        for (one, other) in [("went", "going"), ("bought", "buying"), ("children", "child"), ("frozen", "freezes")] {
            assert_eq!(stems.stem(one), stems.stem(other), "{one} {other}");
        }
        assert_ne!(stems.stem("policy"), stems.stem("police"));
    }

    #[test]
    fn the_lists_are_sorted_and_name_nothing_twice() {
        assert!(IRREGULAR.windows(2).all(|pair| pair[0].0 < pair[1].0), "sorted, none twice");
        for list in [STOP, ORDINARY] {
            assert!(list.windows(2).all(|pair| pair[0] < pair[1]), "sorted, none twice");
        }
        assert!(ORDINARY.iter().all(|word| !is_stop_word(word)));
    }

    #[test]
    fn words_that_say_nothing_are_known_in_both_languages() {
        for word in ["the", "how", "a", "的", "什么", "怎么", "如何", "ます", "の"] {
            assert!(is_stop_word(word), "{word}");
        }
        for word in ["deploy", "7", "数据", "回滚", "テスト"] {
            assert!(!is_stop_word(word), "{word}");
        }
    }
}
