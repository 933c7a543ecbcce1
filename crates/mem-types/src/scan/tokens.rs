//! Single tokens: how long they are when they are whole and plain.

/// The three values that are words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
}

impl Word {
    /// Returns how it is written.
    pub fn spelling(self) -> &'static [u8] {
        match self {
            Self::True => b"true",
            Self::False => b"false",
            Self::Null => b"null",
        }
    }
}

/// Whether a byte is white space between JSON tokens.
pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Returns the length of the string at the start of `bytes` with its quotes, if it is whole and has no escape.
#[inline]
pub fn plain_string(bytes: &[u8]) -> Option<usize> {
    let length = 1 + plain_length(&bytes[1..]);
    (bytes.get(length) == Some(&b'"')).then_some(length + 1)
}

/// Returns the length of a number at the start of `bytes`, if it is digits with at most one point among them.
#[inline]
pub fn plain_number(bytes: &[u8]) -> Option<usize> {
    let sign = usize::from(bytes[0] == b'-');
    let whole = digits(&bytes[sign..])?;
    if whole == 0 || (whole > 1 && bytes[sign] == b'0') {
        return None;
    }
    let mut length = sign + whole;
    if bytes[length] == b'.' {
        let fraction = digits(&bytes[length + 1..]).filter(|&fraction| fraction > 0)?;
        length += 1 + fraction;
    }
    (!matches!(bytes[length], b'.' | b'e' | b'E')).then_some(length)
}

/// Returns how many digits `bytes` begins with, or nothing when they reach its end: there may be more.
fn digits(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| !byte.is_ascii_digit())
}

/// Returns the length of a word at the start of `bytes`, if it is one of the three.
#[inline]
pub fn plain_word(bytes: &[u8]) -> Option<usize> {
    [Word::Null, Word::True, Word::False]
        .iter()
        .map(|word| word.spelling())
        .find(|word| bytes.starts_with(word))
        .map(<[u8]>::len)
}

/// Returns how many bytes at the start of `bytes` are plain string content: no quote, backslash or control character.
pub fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut length = 0;
    // Eight bytes a step: a byte equal to zero after the exclusive or is the one sought, and a byte below 0x20
    // borrows when 0x20 is taken off. The lowest mark is always a true one.
    for chunk in bytes.chunks_exact(8) {
        let word = u64::from_le_bytes(chunk.try_into().expect("a chunk has eight bytes"));
        let quote = word ^ (ONES * u64::from(b'"'));
        let backslash = word ^ (ONES * u64::from(b'\\'));
        let marks = (quote.wrapping_sub(ONES) & !quote
            | backslash.wrapping_sub(ONES) & !backslash
            | word.wrapping_sub(ONES * 0x20) & !word)
            & HIGH;
        if marks != 0 {
            return length + marks.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    let rest = &bytes[length..];
    length + rest.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20).unwrap_or(rest.len())
}
