//! A cheap first test that tells most words of the items from those that are looked for, by their first three bytes.

/// 26 letters (y counts as i, since stems swap them) and one place for all else, three times.
const SLOTS: usize = 27 * 27 * 27;
const WORDS: usize = SLOTS.div_ceil(64);
/// A stem of fewer letters may differ from its word in the third.
const SHORT_STEM: usize = 4;

/// Knows the beginnings of the words that are looked for: it may pass a wrong word, and never stops a right one.
#[derive(Clone, Debug)]
pub struct Filter {
    bits: [u64; WORDS],
}

impl Default for Filter {
    fn default() -> Self {
        Self { bits: [0; WORDS] }
    }
}

impl Filter {
    /// Lets every word pass that has this stem.
    pub fn insert(&mut self, stem: &str) {
        let bytes = stem.as_bytes();
        if !stem.is_ascii() || bytes.len() >= SHORT_STEM {
            return self.set(slot(bytes));
        }
        let start = slot(bytes) / 27 * 27;
        (start..start + 27).for_each(|slot| self.set(slot));
    }

    /// False when no word that is looked for begins like this lower-cased one.
    pub fn passes(&self, word: &str) -> bool {
        let slot = slot(word.as_bytes());
        self.bits[slot / 64] >> (slot % 64) & 1 == 1
    }

    /// As `passes`, for a word that may have capitals.
    pub fn passes_any_case(&self, word: &str) -> bool {
        let bytes = word.as_bytes();
        let lower = |index: usize| bytes.get(index).copied().unwrap_or(0).to_ascii_lowercase();
        let slot = slot(&[lower(0), lower(1), lower(2)]);
        self.bits[slot / 64] >> (slot % 64) & 1 == 1
    }

    fn set(&mut self, slot: usize) {
        self.bits[slot / 64] |= 1 << (slot % 64);
    }
}

fn slot(bytes: &[u8]) -> usize {
    let byte = |index: usize| bytes.get(index).copied().unwrap_or(0);
    if byte(0) >= 0x80 {
        let mixed = usize::from(byte(0)) * 961 + usize::from(byte(1)) * 577 + usize::from(byte(2)) * 31;
        return mixed % SLOTS;
    }
    (0..3).fold(0, |slot, index| slot * 27 + letter(byte(index)))
}

fn letter(byte: u8) -> usize {
    match byte {
        b'y' => letter(b'i'),
        b'a'..=b'z' => usize::from(byte - b'a') + 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stems::Stems;

    #[test]
    fn every_form_of_a_word_passes() {
        let stems = Stems::default();
        for (word, form) in [
            ("use", "using"),
            ("die", "dying"),
            ("try", "tries"),
            ("go", "going"),
            ("deploy", "deployed"),
            ("数据", "数"),
        ] {
            let mut filter = Filter::default();
            filter.insert(&stems.text(word));
            assert!(filter.passes(form), "{word} {form}");
            assert!(!filter.passes("zebra"));
        }
    }
}
