//! Mends strings of JSON text that hold half a surrogate pair, which no UTF-8 can spell.

use std::borrow::Cow;

/// Returns JSON text in which every lone surrogate escape has become `\ufffd`; borrowed when there is none.
#[must_use]
pub fn mended(raw: &str) -> Cow<'_, str> {
    let bytes = raw.as_bytes();
    let mut mended: Option<Vec<u8>> = None;
    let mut position = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[position..]) {
        let escape = position + found;
        let length = match escaped_unit(bytes, escape) {
            Some(unit) if is_high(unit) && escaped_unit(bytes, escape + 6).is_some_and(is_low) => 12,
            Some(unit) if is_high(unit) || is_low(unit) => {
                let copy = mended.get_or_insert_with(|| bytes.to_vec());
                copy[escape..escape + 6].copy_from_slice(b"\\ufffd");
                6
            }
            Some(_) => 6,
            None => 2,
        };
        position = (escape + length).min(bytes.len());
    }
    match mended {
        Some(bytes) => Cow::Owned(String::from_utf8(bytes).expect("only ASCII escapes were exchanged")),
        None => Cow::Borrowed(raw),
    }
}

/// Returns the UTF-16 unit that the `\uhhhh` escape at `position` names.
fn escaped_unit(bytes: &[u8], position: usize) -> Option<u16> {
    let escape = bytes.get(position..position + 6)?;
    let digits = std::str::from_utf8(escape.strip_prefix(b"\\u")?).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

fn is_high(unit: u16) -> bool {
    (0xD800..0xDC00).contains(&unit)
}

fn is_low(unit: u16) -> bool {
    (0xDC00..0xE000).contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lone_halves_are_exchanged() {
        for (raw, expected) in [
            (r#""\ud83d\ude00 é""#, r#""\ud83d\ude00 é""#),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\ude00\ud83d\ud83d\ude00""#, r#""\ufffd\ufffd\ud83d\ude00""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\ud83d\n""#, r#""\ufffd\n""#),
        ] {
            assert_eq!(mended(raw), expected);
        }
    }
}
