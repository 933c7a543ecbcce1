//! What a text consists of for comparison: its words, values, names, and which of them it forbids.

use super::lexicon::{self, Chinese, English};

/// The words of a text, reduced for comparison. Words are kept as 64-bit hashes, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Words that carry meaning, each once.
    pub(super) words: Vec<u64>,
    /// Numbers and weekdays.
    pub(super) values: Vec<u64>,
    /// Words that name one thing: capitalised inside a sentence, all capitals, identifiers, paths.
    names: Vec<u64>,
    /// Words and values that stand in a forbidding clause at least once, and those that stand outside of one.
    denied: Vec<u64>,
    said: Vec<u64>,
    /// Words and values in the order of the text, with marks between sentences.
    sequence: Vec<u64>,
}

impl Features {
    /// Returns the features of `text`, in one pass.
    pub fn of(text: &str) -> Self {
        let mut reader = Reader {
            features: Self::default(),
            clause: Clause::Open,
            clause_start: 0,
            half_start: 0,
            at_start: true,
            left_until: 0,
            is_leaving: false,
            is_preferring: false,
        };
        reader.read(text);
        let mut features = reader.features;
        for list in
            [&mut features.words, &mut features.values, &mut features.names, &mut features.denied, &mut features.said]
        {
            list.sort_unstable();
            list.dedup();
        }
        features
    }

    /// Tells whether nothing in the text can be compared.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.values.is_empty()
    }

    /// Returns how much of what `newer` forbids this text demands, and how much of its rest the newer text shares too, 0 to 1 each.
    ///
    /// "Deploys go out on Fridays" against "Deploys go out on Tuesdays, no longer on Fridays" gives 1 and 1.
    pub fn withdrawn_by(&self, newer: &Self) -> (f64, f64) {
        let forbidden: Vec<u64> = newer.denied.iter().copied().filter(|word| !holds(&newer.said, *word)).collect();
        let demanded = forbidden.iter().filter(|word| self.is_only_said(**word)).count();
        let mut rest = self.words.iter().chain(&self.values).filter(|word| !holds(&forbidden, **word));
        let (mut all, mut shared) = (0_usize, 0_usize);
        rest.by_ref().for_each(|word| {
            all += 1;
            shared += usize::from(holds(&newer.said, *word));
        });
        (ratio(demanded, forbidden.len()), ratio(shared, all))
    }

    fn has(&self, word: u64) -> bool {
        holds(&self.words, word) || holds(&self.values, word)
    }

    pub(super) fn forbids(&self) -> bool {
        !self.denied.is_empty()
    }

    pub(super) fn is_only_denied(&self, word: u64) -> bool {
        holds(&self.denied, word) && !holds(&self.said, word)
    }

    pub(super) fn is_only_said(&self, word: u64) -> bool {
        holds(&self.said, word) && !holds(&self.denied, word)
    }

    /// Returns a hash over the sequence, equal for texts that are equal but for stop words.
    pub(super) fn fingerprint(&self) -> u64 {
        self.sequence
            .iter()
            .filter(|word| **word != SENTENCE_END)
            .fold(hash("sequence"), |sum, word| (sum ^ word).wrapping_mul(PRIME))
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn holds(sorted: &[u64], word: u64) -> bool {
    sorted.binary_search(&word).is_ok()
}

/// Returns what two sorted lists share.
pub(super) fn shared(left: &[u64], right: &[u64]) -> Vec<u64> {
    let (short, long) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    short.iter().copied().filter(|word| holds(long, *word)).collect()
}

/// Each has a name that the other does not even have as a word.
pub(super) fn names_differ(left: &Features, right: &Features) -> bool {
    let own = |one: &Features, other: &Features| {
        one.names.iter().any(|name| !holds(&other.words, *name) && !holds(&other.names, *name))
    };
    own(left, right) && own(right, left)
}

/// A few words of each are foreign to the other and stand between the same neighbours: two entries of one list.
///
/// "The cart service needs sign-off" and "the invoice service needs sign-off" are, whatever else is said.
pub(super) fn is_template(left: &Features, right: &Features) -> bool {
    let places = foreign_places(left, right);
    !places.is_empty() && foreign_places(right, left).iter().any(|place| places.binary_search(place).is_ok())
}

/// More foreign words in a row are another way to say something, and no entry of a list.
const RUN_MAX: usize = 4;

/// Returns the neighbours of each run of words of `one` that the other text does not have, and whether it is denied,
/// sorted. What is denied ("no experience") stands for nothing that is said in the other's place.
fn foreign_places(one: &Features, other: &Features) -> Vec<(u64, u64, bool)> {
    let is_foreign = |word: u64| word != SENTENCE_END && !other.has(word);
    let at = |place: Option<usize>| place.and_then(|place| one.sequence.get(place)).copied().unwrap_or(SENTENCE_END);
    let mut places = Vec::new();
    let mut start = 0;
    while start < one.sequence.len() {
        let length = one.sequence[start..].iter().take_while(|word| is_foreign(**word)).count();
        let end = start + length;
        let around = (at(start.checked_sub(1)), at(Some(end)));
        if (1..=RUN_MAX).contains(&length) && around != (SENTENCE_END, SENTENCE_END) {
            let is_denied = one.sequence[start..end].iter().all(|word| one.is_only_denied(*word));
            places.push((around.0, around.1, is_denied));
        }
        start = end.max(start + 1);
    }
    places.sort_unstable();
    places
}

/// Stands in the sequence between two sentences.
const SENTENCE_END: u64 = 0;

/// How the clause that is being read stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clause {
    Open,
    /// What follows is forbidden, what came before is not.
    Behind,
    /// All of it is forbidden.
    Whole,
}

struct Reader {
    features: Features,
    clause: Clause,
    /// Where the clause begins in the sequence.
    clause_start: usize,
    /// Where its part behind the last "and" or "but" begins.
    half_start: usize,
    at_start: bool,
    /// Where that ends which a Chinese text says was left: 从 MySQL 换成 PostgreSQL.
    left_until: usize,
    /// Within "from MySQL to PostgreSQL".
    is_leaving: bool,
    /// Behind "prefers", where "over" means "not".
    is_preferring: bool,
}

impl Reader {
    fn read(&mut self, text: &str) {
        let mut at = 0;
        let mut unknown: Option<usize> = None;
        while let Some(character) = text[at..].chars().next() {
            let length = character.len_utf8();
            if self.turns(&text[at..], at) {
                self.unknown(text, unknown.take(), at);
                if self.leave(&text[at..], at) {
                    at += length;
                    continue;
                }
            }
            if is_chinese(character) {
                let (taken, is_known) = self.chinese(&text[at..], length);
                if is_known {
                    self.unknown(text, unknown.take(), at);
                } else {
                    unknown.get_or_insert(at);
                }
                at += taken;
                continue;
            }
            self.unknown(text, unknown.take(), at);
            if character.is_alphanumeric() {
                at += self.latin(text, at);
            } else {
                self.mark(character, text[at + length..].chars().next());
                at += length;
            }
        }
        self.unknown(text, unknown, at);
        self.close_clause();
    }

    /// Whether what is left begins or ends here.
    fn turns(&self, rest: &str, at: usize) -> bool {
        self.left_until > 0 && at >= self.left_until || lexicon::left_behind(rest).is_some()
    }

    /// What is said to be left counts as denied, up to what came instead. Returns whether it begins here.
    fn leave(&mut self, rest: &str, at: usize) -> bool {
        self.close_clause();
        self.left_until = 0;
        let Some(length) = lexicon::left_behind(rest) else { return false };
        self.clause = Clause::Behind;
        self.left_until = at + length;
        true
    }

    /// Returns how many bytes were read, and whether they were a known word.
    fn chinese(&mut self, rest: &str, length: usize) -> (usize, bool) {
        let at_start = std::mem::replace(&mut self.at_start, false);
        match lexicon::chinese(rest) {
            Chinese::Word(word, taken) => {
                self.word(hash(word));
                (taken, true)
            }
            Chinese::Value(value, taken) => {
                self.value(hash(&value.to_string()));
                (taken, true)
            }
            Chinese::Denies(taken) => {
                self.deny();
                (taken, true)
            }
            Chinese::Contrasts(taken) => {
                self.contrast(at_start);
                (taken, true)
            }
            Chinese::Stop(taken) => (taken, true),
            Chinese::Other => (length, false),
        }
    }

    /// Words that no list knows count by their pairs of characters.
    fn unknown(&mut self, text: &str, start: Option<usize>, end: usize) {
        let Some(start) = start else { return };
        let run = &text[start..end];
        let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
        if starts.len() == 2 {
            self.word(hash(run));
        }
        for pair in starts.windows(3) {
            self.word(hash(&run[pair[0]..pair[2]]));
        }
    }

    /// Reads one run of letters, digits and the marks inside names; returns its length.
    fn latin(&mut self, text: &str, start: usize) -> usize {
        let rest = &text[start..];
        let length = run_length(rest);
        let run = &rest[..length];
        let at_start = std::mem::replace(&mut self.at_start, false);
        let next = rest[length..].trim_start_matches(' ');
        let next = &next[..run_length(next)];
        self.latin_word(run, next, at_start);
        length
    }

    fn latin_word(&mut self, run: &str, next: &str, at_start: bool) {
        if run.bytes().all(|byte| byte.is_ascii_digit() || b".:,".contains(&byte)) {
            return self.value(hash(run));
        }
        let lower = run.to_lowercase();
        if std::mem::take(&mut self.is_leaving) {
            self.is_leaving = lower != "to";
            if lower == "to" && self.clause == Clause::Behind {
                self.close_clause();
            }
        }
        if lower == "over" && std::mem::take(&mut self.is_preferring) {
            return self.contrast(at_start);
        }
        self.is_preferring |= lexicon::tells_of_preference(&lower);
        match lexicon::english(&lower) {
            // A country and a department, not a pronoun.
            English::Stop if run == "US" || run == "IT" => self.named(run, &lower, at_start),
            English::Stop => {}
            English::Leaves => {
                if self.features.sequence.last().is_some_and(|word| lexicon::tells_of_change(*word)) {
                    self.close_clause();
                    self.clause = Clause::Behind;
                    self.is_leaving = true;
                }
            }
            English::Joins => self.half_start = self.features.sequence.len(),
            English::Denies => self.deny(),
            English::Contrasts => self.contrast(at_start),
            English::ContrastsWith(second) if next.eq_ignore_ascii_case(second) => self.contrast(at_start),
            English::ContrastsWith(_) if lower == "no" => self.deny(),
            English::ContrastsWith(_) => {}
            English::Value(value) => self.value(hash(&value.to_string())),
            English::Other => self.named(run, &lower, at_start),
        }
    }

    /// Takes a word, as a name too when it looks like one; `pay-latency` also counts by its parts.
    fn named(&mut self, run: &str, lower: &str, at_start: bool) {
        let word = hash(lexicon::canonical(&lexicon::stem(lower)));
        if is_name(run, at_start) {
            self.features.names.push(word);
        }
        let parts: Vec<&str> = lower.split(['-', '/', '.', '_', '\'']).filter(|part| part.len() > 1).collect();
        if parts.len() < 2 {
            return self.word(word);
        }
        // In a name such as `inv-us` no part is a pronoun.
        let is_name = !run.contains('\'');
        for part in parts.iter().filter(|part| is_name || lexicon::english(part) == English::Other) {
            self.word(hash(lexicon::canonical(&lexicon::stem(part))));
        }
    }

    fn mark(&mut self, character: char, next: Option<char>) {
        let is_pause = matches!(character, ',' | ';' | '，' | '；' | '、' | '—' | '(' | '（' | ')' | '）');
        let is_end = matches!(character, '.' | '!' | '?' | ':') && next.is_none_or(char::is_whitespace)
            || matches!(character, '。' | '！' | '？' | '：' | '\n');
        if is_pause || is_end {
            self.close_clause();
        }
        if is_end && self.features.sequence.last().is_some_and(|word| *word != SENTENCE_END) {
            self.features.sequence.push(SENTENCE_END);
            self.clause_start = self.features.sequence.len();
        }
        if is_end || matches!(character, '*' | '-' | '#' | '"' | '“' | '`') {
            self.at_start = true;
        }
    }

    fn deny(&mut self) {
        // "… and never X" forbids nothing of what stands before the "and".
        if self.clause == Clause::Open && self.half_start > self.clause_start {
            let said = &self.features.sequence[self.clause_start..self.half_start];
            self.features.said.extend_from_slice(said);
            self.clause_start = self.half_start;
        }
        self.clause = Clause::Whole;
    }

    fn contrast(&mut self, at_start: bool) {
        // "Not on Fridays" forbids all of its clause, "on Mondays not Fridays" only what follows.
        let stands_first = at_start || self.features.sequence.len() == self.clause_start;
        if stands_first {
            self.clause = Clause::Whole;
            return;
        }
        if self.clause == Clause::Open {
            self.close_clause();
            self.clause = Clause::Behind;
        }
    }

    fn word(&mut self, word: u64) {
        self.features.words.push(word);
        self.features.sequence.push(word);
    }

    fn value(&mut self, value: u64) {
        self.features.values.push(value);
        self.features.sequence.push(value);
    }

    fn close_clause(&mut self) {
        let read = &self.features.sequence[self.clause_start..];
        match self.clause {
            Clause::Open => self.features.said.extend_from_slice(read),
            Clause::Behind | Clause::Whole => self.features.denied.extend_from_slice(read),
        }
        self.clause_start = self.features.sequence.len();
        self.clause = Clause::Open;
        self.is_leaving = false;
        self.is_preferring = false;
    }
}

fn is_chinese(character: char) -> bool {
    matches!(u32::from(character), 0x3040..=0x30ff | 0x3400..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff)
}

/// Letters and digits, with the marks that join a name when a letter or digit follows.
fn run_length(text: &str) -> usize {
    let mut length = 0;
    for (at, character) in text.char_indices() {
        let joins = matches!(character, '_' | '-' | '.' | '/' | ':' | '\'' | '’')
            && text[at + character.len_utf8()..].starts_with(|next: char| next.is_alphanumeric() && !is_chinese(next));
        if is_chinese(character) || !(character.is_alphanumeric() || joins && at > 0) {
            return at;
        }
        length = at + character.len_utf8();
    }
    length
}

fn is_name(run: &str, at_start: bool) -> bool {
    let letters = run.chars().filter(|c| c.is_alphabetic()).count();
    let capitals = run.chars().filter(|c| c.is_uppercase()).count();
    let is_identifier = run.contains(['_', '/']) || run.chars().any(|c| c.is_ascii_digit()) && letters > 0;
    let inner_capital = run.chars().skip(1).any(char::is_uppercase);
    let starts_capital = run.starts_with(char::is_uppercase);
    is_identifier || (inner_capital && capitals >= 1 && letters > 1) || (starts_capital && !at_start)
}

const PRIME: u64 = 0x0100_0000_01b3;

/// FNV-1a; equal on every machine, so that the order of results is too.
pub(super) fn hash(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(PRIME))
}
