//! Finds turns of phrase in a sentence: by words where words are spaced, by characters where they are not.

/// A sentence as lower-case words; `,` stands for every mark that parts clauses.
#[derive(Debug)]
pub struct Words {
    words: Vec<String>,
    /// Where the words stand that begin with a letter; by these a phrase is looked for at few places only.
    by_letter: [Vec<u32>; 32],
}

impl Words {
    /// Returns the words of a text, with `'` for every apostrophe.
    pub fn of(text: &str) -> Words {
        let mut words = Vec::new();
        let mut word = String::new();
        for character in text.chars() {
            match character {
                '’' | '\'' => word.push('\''),
                '-' | '#' | '_' | '+' if !word.is_empty() || character == '#' => word.push(character),
                letter if letter.is_alphanumeric() => word.extend(letter.to_lowercase()),
                mark => {
                    finish(&mut words, &mut word);
                    if matches!(mark, ',' | ';' | ':' | '(' | ')' | '—' | '–' | '，' | '；' | '：') {
                        words.push(",".to_owned());
                    }
                }
            }
        }
        finish(&mut words, &mut word);
        let mut by_letter: [Vec<u32>; 32] = Default::default();
        for (at, word) in words.iter().enumerate() {
            by_letter[letter(word)].push(at as u32);
        }
        Words { words, by_letter }
    }

    /// Returns the words between the marks that part clauses.
    pub fn clauses(&self) -> impl Iterator<Item = &[String]> {
        self.words.split(|word| word == ",").filter(|clause| !clause.is_empty())
    }

    /// Whether one of the phrases stands anywhere. Phrases are parted by `; `; in a phrase `a|b` is either word, `*ing` an ending, `?` any one word.
    pub fn have(&self, phrases: &str) -> bool {
        phrases.split("; ").any(|phrase| self.has(phrase))
    }

    /// Whether the sentence begins with one of the phrases.
    pub fn begin(&self, phrases: &str) -> bool {
        begins(&self.words, phrases)
    }

    fn has(&self, phrase: &str) -> bool {
        let first = phrase.split(' ').next().unwrap_or_default();
        if first.contains(['*', '?']) {
            return (0..self.words.len()).any(|start| matches(&self.words[start..], phrase));
        }
        first.split('|').any(|choice| {
            self.by_letter[letter(choice)].iter().any(|start| matches(&self.words[*start as usize..], phrase))
        })
    }
}

/// Returns the place of a word's first byte among 32.
fn letter(word: &str) -> usize {
    usize::from(word.bytes().next().unwrap_or_default() % 32)
}

fn finish(words: &mut Vec<String>, word: &mut String) {
    let trimmed = word.trim_matches(|mark| matches!(mark, '\'' | '-' | '_'));
    if !trimmed.is_empty() {
        words.push(trimmed.to_owned());
    }
    word.clear();
}

/// Whether the words begin with one of the phrases.
pub fn begins(words: &[String], phrases: &str) -> bool {
    phrases.split("; ").any(|phrase| matches(words, phrase))
}

/// Whether a list of words parted by blanks holds the word.
pub fn lists(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

fn matches(words: &[String], phrase: &str) -> bool {
    let mut words = words.iter();
    phrase.split(' ').all(|part| words.next().is_some_and(|word| fits(word, part)))
}

fn fits(word: &str, part: &str) -> bool {
    part.split('|').any(|choice| match choice.strip_prefix('*') {
        Some(ending) => word.len() > ending.len() + 1 && word.ends_with(ending),
        None => choice == word || choice == "?" && word != ",",
    })
}

/// How many characters `…` in a pattern may stand for.
const GAP: usize = 14;

/// Whether one of the patterns stands in the text; `…` is a short gap inside one clause group.
pub fn contains(text: &str, patterns: &str) -> bool {
    patterns.split("; ").any(|pattern| stands(text, pattern))
}

fn stands(text: &str, pattern: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('…') else { return text.contains(pattern) };
    text.match_indices(head).any(|(at, _)| follows(&text[at + head.len()..], tail))
}

fn follows(text: &str, tail: &str) -> bool {
    let end = text.char_indices().nth(GAP + tail.chars().count()).map_or(text.len(), |(at, _)| at);
    stands(&text[..end], tail)
}

/// Whether `word` stands in the text other than as a part of one of `longer`.
pub fn stands_alone(text: &str, word: &str, longer: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !longer.split("; ").any(|other| covers(text, at, word, other)))
}

fn covers(text: &str, at: usize, word: &str, other: &str) -> bool {
    other.match_indices(word).any(|(offset, _)| {
        at.checked_sub(offset).is_some_and(|start| text.get(start..start + other.len()) == Some(other))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(text: &str, phrase: &str, expected: bool) {
        assert_eq!(Words::of(text).have(phrase), expected, "{phrase} in {text}");
    }

    #[test]
    fn a_phrase_is_found_word_by_word() {
        check("Stop ending every answer", "stop *ing", true);
        check("stop the ring", "stop *ing", false);
        check("that’s a good call", "good|right call", true);
        check("from now, on", "from now on", false);
        check("keep doing it", "keep ? it", true);
    }

    #[test]
    fn a_gap_is_short() {
        assert!(contains("从今天开始用", "从…开始"));
        assert!(!contains("从一二三四五六七八九十一二三四五六开始", "从…开始"));
    }

    #[test]
    fn a_word_inside_a_longer_one_does_not_count() {
        assert!(!stands_alone("特别好", "别", "特别"));
        assert!(stands_alone("特别好，别改", "别", "特别"));
    }
}
