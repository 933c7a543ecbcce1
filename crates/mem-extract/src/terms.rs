//! The words of a text that carry its matter, for comparing what two sentences are about.

use std::collections::BTreeSet;

/// English words that say nothing about the matter.
const EMPTY: &[&str] = &[
    "a", "an", "the", "and", "or", "but", "so", "to", "of", "in", "on", "at", "for", "with", "by", "from", "as", "is",
    "are", "was", "were", "be", "been", "it", "its", "this", "that", "these", "those", "i", "we", "you", "he", "she",
    "they", "me", "us", "them", "my", "our", "your", "their", "not", "no", "don't", "do", "does", "did", "doesn't",
    "please", "always", "never", "now", "here", "there", "then", "than", "just", "only", "use", "used", "using",
    "keep", "make", "remember", "should", "must", "can", "could", "would", "will", "have", "has", "had", "when", "if",
    "because", "since", "what", "which", "who", "how", "why", "about", "said", "say", "forget", "actually", "instead",
    "also", "any", "more", "every", "all", "future", "want", "like", "going", "forward", "time", "rule", "thing",
    "things", "need", "needs", "it's", "i'm", "we're", "that's", "yes", "ok", "let", "one", "into", "out", "up", "go",
    "goes", "repo", "apply", "applies", "longer", "anymore", "off", "back", "take", "was", "while", "again", "each",
    "some", "such", "per", "exactly", "doing", "done", "way", "same", "good", "great", "nice", "perfect", "right",
    "really", "very", "well", "these", "long",
];
/// Chinese characters that join words and carry no matter.
const JOINTS: &str =
    "的了是在我你他她它们这那就都也和与及或把被给要不别用请再又很还会能可以对从到为以后今往着过吧呢吗啊，";

/// Returns the terms of a text: Latin words without endings, pairs of Chinese characters.
pub fn terms(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut wide: Option<char> = None;
    for piece in pieces(text) {
        match piece {
            Piece::Word(word) if !EMPTY.contains(&word.as_str()) => {
                found.insert(stem(&word));
                wide = None;
            }
            Piece::Word(_) => wide = None,
            Piece::Wide(character) if JOINTS.contains(character) => wide = None,
            Piece::Wide(character) => {
                if let Some(before) = wide {
                    found.insert([before, character].iter().collect());
                }
                wide = Some(character);
            }
        }
    }
    found
}

/// Returns the words of a text that could stand in a name, in order: Latin words in small letters, without the empty ones.
pub fn name_words(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for piece in pieces(text) {
        if let Piece::Word(word) = piece {
            let is_empty = EMPTY.contains(&word.as_str());
            let word = word.replace('\'', "");
            if !is_empty && !found.contains(&word) {
                found.push(word);
            }
        }
    }
    found
}

/// Returns how many of the smaller set's terms are in the other, 0 to 1.
pub fn contained(left: &BTreeSet<String>, right: &BTreeSet<String>) -> f64 {
    let smaller = left.len().min(right.len());
    if smaller == 0 {
        return 0.0;
    }
    left.intersection(right).count() as f64 / smaller as f64
}

enum Piece {
    Word(String),
    Wide(char),
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut word = String::new();
    for character in text.chars().chain([' ']) {
        let is_wide = is_wide(character);
        if character.is_alphanumeric() && !is_wide {
            word.extend(character.to_lowercase());
            continue;
        }
        if matches!(character, '\'' | '’') && !word.is_empty() {
            word.push('\'');
            continue;
        }
        let done = std::mem::take(&mut word);
        if !done.is_empty() {
            found.push(Piece::Word(done.trim_end_matches('\'').trim_end_matches("'s").to_owned()));
        }
        if is_wide || matches!(character, '，' | '。' | '、' | '；') {
            found.push(Piece::Wide(if is_wide { character } else { '，' }));
        }
    }
    found
}

/// Whether a character belongs to a script without spaces between words.
pub fn is_wide(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Cuts the commonest endings off, so that "branches" and "branch" are one.
fn stem(word: &str) -> String {
    for (ending, rest) in [
        ("ies", "y"),
        ("sses", "ss"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("xes", "x"),
        ("ing", ""),
        ("ments", ""),
        ("ment", ""),
        ("ed", ""),
        ("s", ""),
    ] {
        if let Some(head) = word.strip_suffix(ending).filter(|head| head.len() >= 3 && !head.ends_with('s')) {
            return format!("{head}{rest}").trim_end_matches('e').to_owned();
        }
    }
    word.trim_end_matches('e').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(left: &str, right: &str, expected: &[&str]) {
        let (left, right) = (terms(left), terms(right));
        let shared: Vec<_> = left.intersection(&right).map(String::as_str).collect();
        assert_eq!(shared, expected);
    }

    #[test]
    fn the_same_matter_shares_terms() {
        check("prefix branches with the ticket", "what I said about branch names", &["branch"]);
        check("提交信息都用中文写", "每条提交信息用英文", &["交信", "信息", "提交"]);
    }

    #[test]
    fn names_are_made_of_words_that_say_something() {
        assert_eq!(name_words("Never use the ORM, don't"), ["orm"]);
    }
}
