//! Looks at the words of a sentence: how rare they are, and which of them say that something must not be lost.

/// What the words of a sentence say about it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signs {
    /// A wish or a rule: always, never, must, please; 以后, 不要, 必须.
    pub wish: bool,
    /// A choice or its reason: because, instead, decided; 决定, 因为.
    pub decision: bool,
    /// Something that was turned down: ruled out, rejected; 不采用, 排除.
    pub rejection: bool,
    /// Something still to do: todo, later, still open; 还没, 别忘.
    pub task: bool,
    /// A fault or its cure: error, failed, fixed; 报错, 修复.
    pub error: bool,
    /// A number of two digits or more, or with a point.
    pub number: bool,
    /// A name that is no plain word: a path, `snake_case`, `camelCase`, a version, something in back quotes.
    pub identifier: bool,
    /// It asks.
    pub question: bool,
    /// It says what comes next: next, 接下来, 下一步.
    pub next: bool,
}

/// Returns the hashes of the words of a text: Latin words in lower case, pairs of neighbouring Chinese characters.
pub(crate) fn hashes(text: &str) -> Vec<u64> {
    let mut hashes = Vec::new();
    for token in tokens(text) {
        match token {
            Token::Word(word) => hashes.push(hash(word)),
            Token::Han(run) => {
                let letters: Vec<char> = run.chars().collect();
                hashes.extend(letters.windows(2).map(|pair| u64::from(pair[0]) << 32 | u64::from(pair[1])));
            }
        }
    }
    hashes
}

/// Returns what the words of a sentence say about it.
pub(crate) fn signs(text: &str) -> Signs {
    let mut signs = Signs { question: text.ends_with(['?', '？', '吗', '呢']), ..Signs::default() };
    for token in tokens(text) {
        match token {
            Token::Word(word) => signs.read_word(word),
            Token::Han(run) => signs.read_han(run),
        }
    }
    signs.identifier |= text.contains(['`', '/']) && text.is_ascii();
    signs
}

/// Returns the names and numbers of a text that a fold should not lose: what a reader could search for.
pub(crate) fn probes(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter.is_whitespace() || !letter.is_ascii() || "()[]{}<>,;\"'`=|".contains(letter))
        .map(|word| {
            word.trim_start_matches(['*', '#', '-']).trim_end_matches(['.', ':', '!', '?', '-', '*', '/', '\\'])
        })
        .filter(|word| word.len() <= 80 && (is_number(word) || is_identifier(word)))
}

impl Signs {
    fn read_word(&mut self, word: &str) {
        self.number |= is_number(word);
        self.identifier |= is_identifier(word);
        let mut lower = [0u8; 12];
        let Some(lower) = lower.get_mut(..word.len()) else {
            return;
        };
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        match &*lower {
            b"always" | b"never" | b"must" | b"please" | b"don't" | b"remember" | b"prefer" | b"should" | b"every"
            | b"each" | b"ask" | b"avoid" | b"want" | b"ensure" | b"only" | b"dont" | b"keep" => self.wish = true,
            b"decide" | b"decided" | b"because" | b"since" | b"instead" | b"rather" | b"agreed" | b"chose"
            | b"choose" | b"we'll" | b"changed" | b"change" | b"therefore" | b"so" | b"as" | b"wrong"
            | b"correction" => {
                self.decision = true;
            }
            b"rejected" | b"reject" | b"ruled" | b"rule" | b"out" | b"off" | b"no" | b"not" | b"against"
            | b"dropped" | b"abandoned" | b"won't" | b"wouldn't" => self.rejection = true,
            b"next" => self.next = true,
            b"todo" | b"later" | b"open" | b"still" | b"remaining" | b"left" | b"pending" | b"forget" | b"revisit"
            | b"followup" | b"fixme" | b"tbd" | b"stub" | b"before" | b"after" => self.task = true,
            b"error" | b"errors" | b"failed" | b"fails" | b"failure" | b"fix" | b"fixed" | b"fixes" | b"cause"
            | b"caused" | b"crash" | b"panic" | b"timeout" | b"bug" | b"broken" | b"exception" | b"fatal"
            | b"expired" | b"resolved" | b"restored" | b"solved" => {
                self.error = true;
            }
            _ => {}
        }
    }

    fn read_han(&mut self, run: &str) {
        let has = |words: &[&str]| words.iter().any(|word| run.contains(word));
        self.wish |= has(&[
            "以后", "不要", "必须", "一律", "务必", "总是", "永远", "不许", "禁止", "记住", "请", "只能", "都要",
            "每次", "不准", "先问",
        ]);
        self.next |= has(&["接下来", "下一步"]);
        self.decision |= has(&[
            "决定",
            "因为",
            "改用",
            "采用",
            "选",
            "同意",
            "改主意",
            "作废",
            "不算",
            "所以",
            "就用",
            "改成",
            "由于",
        ]);
        self.rejection |= has(&["不采用", "放弃", "排除", "不用", "否决", "不行", "不考虑", "不拆", "不合适"]);
        self.task |=
            has(&["还没", "还剩", "别忘", "待办", "之后", "回头", "稍后", "未完成", "没做", "等上线", "以后再"]);
        self.error |= has(&[
            "报错", "错误", "失败", "修复", "原因", "超时", "崩溃", "异常", "修好", "恢复", "解决", "导致", "过期",
        ]);
    }
}

/// A number counts from two digits on: single digits are in every list.
fn is_number(word: &str) -> bool {
    word.bytes().filter(u8::is_ascii_digit).count() >= 2
}

/// A name has a letter, and a mark or a capital inside that plain words do not have.
fn is_identifier(word: &str) -> bool {
    let bytes = word.as_bytes();
    let has_letter = bytes.iter().any(u8::is_ascii_alphabetic);
    let inner = bytes.get(1..bytes.len().saturating_sub(1)).unwrap_or_default();
    let has_mark = inner.iter().any(|byte| matches!(byte, b'_' | b'/' | b'.' | b':' | b'@') || byte.is_ascii_digit());
    let camel = bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    word.len() >= 3 && has_letter && (has_mark || camel)
}

enum Token<'t> {
    Word(&'t str),
    Han(&'t str),
}

fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let first = rest.chars().next()?;
            let is_word = is_word_letter(first);
            let is_han = !is_word && is_wide(first);
            let end = rest.find(|letter| {
                if is_word { !is_word_letter(letter) } else { is_wide(letter) != is_han || is_word_letter(letter) }
            });
            let (token, left) = rest.split_at(end.unwrap_or(rest.len()).max(first.len_utf8()));
            rest = left;
            match (is_word, is_han) {
                (true, _) => return Some(Token::Word(token)),
                (_, true) => return Some(Token::Han(token)),
                _ => {}
            }
        }
    })
}

fn is_word_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
        || letter == '_'
        || letter == '\''
        || (!letter.is_ascii() && letter.is_alphabetic() && !is_wide(letter))
}

/// Whether a character stands in a script that is written without spaces.
fn is_wide(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// FNV-1a over the lower-case bytes: stable between runs and machines.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_must_not_be_lost() {
        assert!(signs("Always run the tests first.").wish);
        assert!(signs("以后不要动这张表").wish);
        assert!(signs("We can rule that out.").rejection);
        assert!(signs("还没做对账").task);
        assert!(signs("It failed again").error);
        assert!(signs("Which port?").question);
        assert!(signs("端口是多少？").question);
        assert!(signs("port 8080").number && signs("see parse_cursor").identifier);
        assert_eq!(signs("fine"), Signs::default());
    }

    #[test]
    fn probes_are_names_and_numbers() {
        let found: Vec<_> =
            probes("Use `parse_cursor` on port 8080, see src/a.rs (v2.8.3). 用 loadRules 的 12 行").collect();
        assert_eq!(found, ["parse_cursor", "8080", "src/a.rs", "v2.8.3", "loadRules", "12"]);
    }

    #[test]
    fn words_hash_the_same_in_any_case() {
        assert_eq!(hashes("Port port"), [hash("port"), hash("port")]);
        assert_eq!(hashes("数据库").len(), 2);
        assert!(hashes("…!?").is_empty());
    }
}
