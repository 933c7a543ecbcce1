//! Reads JSON that others wrote without losing what it cannot read: members as raw text, strings with lone surrogates.
//!
//! Everything here is linear in the text and does not recurse, so that deep nesting is no danger.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The members of one object, in their order, values as the bytes that stood there.
#[derive(Debug, Default, Clone)]
pub(crate) struct Object<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Object<'a> {
    /// Returns the raw value of the last member of this name: of duplicate keys the last one counts.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    /// Returns the member as text, or nothing when it is missing or no string.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name).and_then(string)
    }

    /// Returns all members in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(key, value)| (key.as_ref(), *value))
    }

    /// Takes members of these names from another object.
    pub(crate) fn inherit(&mut self, from: &Object<'a>, names: &[&str]) {
        for (key, value) in from.0.iter().filter(|(key, _)| names.contains(&key.as_ref())) {
            self.0.push((key.clone(), value));
        }
    }

    /// Returns whether the member is the literal `true`.
    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.get(name) == Some("true")
    }
}

/// Returns the members of an object, or nothing when the text is no object.
pub(crate) fn object(raw: &str) -> Option<Object<'_>> {
    if !raw.trim_start().starts_with('{') {
        return None;
    }
    serde_json::from_str(raw).ok()
}

/// Returns the elements of a list as raw text, or nothing when the text is no list.
pub(crate) fn list(raw: &str) -> Option<Vec<&str>> {
    if !raw.trim_start().starts_with('[') {
        return None;
    }
    let elements: Elements<'_> = serde_json::from_str(raw).ok()?;
    Some(elements.0)
}

/// Returns the text of a JSON string, borrowed where nothing is escaped; a lone surrogate becomes U+FFFD.
pub(crate) fn string(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    if let Ok(text) = serde_json::from_str::<String>(raw) {
        return Some(Cow::Owned(text));
    }
    let Bytes(bytes) = serde_json::from_str(raw).ok()?;
    Some(Cow::Owned(mend_surrogates(&bytes)))
}

/// Returns the JSON string literal for a text.
pub(crate) fn quote(text: &str) -> String {
    serde_json::to_string(text).expect("a string always serializes")
}

/// Returns JSON text in which lone surrogate escapes are replaced, so that any reader takes it.
pub(crate) fn mend_escapes(raw: &str) -> Cow<'_, str> {
    let mut mended = String::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(found) = memchr::memchr(b'\\', &raw.as_bytes()[at..]) {
        let escape = &raw.as_bytes()[at + found..];
        at += found;
        match (code_unit(escape), escape.get(6..).and_then(code_unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at += 12,
            (Some(0xD800..=0xDFFF), _) => {
                mended.push_str(&raw[kept..at]);
                mended.push_str("\\ufffd");
                at += 6;
                kept = at;
            }
            _ => at = (at + 2).min(raw.len()),
        }
    }
    if kept == 0 {
        return Cow::Borrowed(raw);
    }
    mended.push_str(&raw[kept..]);
    Cow::Owned(mended)
}

/// Returns the code unit of an escape such as `\u00e9` at the start of these bytes.
pub(crate) fn code_unit(escape: &[u8]) -> Option<u32> {
    let digits = escape.strip_prefix(b"\\u")?.get(..4)?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// A lone surrogate arrives as the three bytes ED A0..BF xx, which no UTF-8 text may hold.
fn mend_surrogates(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(2).position(|pair| pair[0] == 0xED && pair[1] >= 0xA0) {
        text.push_str(&String::from_utf8_lossy(&rest[..at]));
        text.push('\u{FFFD}');
        rest = rest.get(at + 3..).unwrap_or_default();
    }
    text.push_str(&String::from_utf8_lossy(rest));
    text
}

/// A string read as bytes, which is the only way to get at one with a lone surrogate.
struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Bytes;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a string")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Reader)
    }
}

/// A key, borrowed where it holds no escape.
pub(crate) struct Key<'a>(pub Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Key<'de>;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a key")
            }
            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Key<'de>, E> {
                Ok(Key(match std::str::from_utf8(bytes) {
                    Ok(text) => Cow::Borrowed(text),
                    Err(_) => Cow::Owned(mend_surrogates(bytes)),
                }))
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(mend_surrogates(bytes))))
            }
        }
        deserializer.deserialize_bytes(Reader)
    }
}

struct Elements<'a>(Vec<&'a str>);

impl<'de> Deserialize<'de> for Elements<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Elements<'de>;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Elements<'de>, A::Error> {
                let mut elements = Vec::new();
                while let Some(value) = list.next_element::<&'de RawValue>()? {
                    elements.push(value.get());
                }
                Ok(Elements(elements))
            }
        }
        deserializer.deserialize_seq(Reader)
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Object<'de>;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(Key(key)) = map.next_key()? {
                    let value: &'de RawValue = map.next_value()?;
                    members.push((key, value.get()));
                }
                Ok(Object(members))
            }
            // A list is passed over whole, so that the reader of a stream can go on behind it.
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Object<'de>, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Object::default())
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn of_duplicate_keys_the_last_one_counts() {
        let members = object(r#"{"a":1,"\u0061":2}"#).unwrap();
        assert_eq!(members.get("a"), Some("2"));
    }

    #[test]
    fn a_lone_surrogate_becomes_a_replacement_character() {
        assert_eq!(string(r#""x\ud83d y\n""#).unwrap(), "x\u{FFFD} y\n");
        assert_eq!(string(r#""\ud83d\ude00""#).unwrap(), "\u{1F600}");
    }

    #[test]
    fn lone_escapes_are_mended_and_pairs_are_kept() {
        let raw = r#"["\\ud83d", "\ud83d", "\ud83d\ude00", "\udc00\u00e9\n", "\"#;
        assert_eq!(mend_escapes(raw), r#"["\\ud83d", "\ufffd", "\ud83d\ude00", "\ufffd\u00e9\n", "\"#);
    }

    #[test]
    fn values_keep_their_bytes() {
        let members = object(r#" {"n": 1.50e+02, "s": "\u00e9\/"} "#).unwrap();
        assert_eq!(members.get("n"), Some("1.50e+02"));
        assert_eq!(members.get("s"), Some(r#""\u00e9\/""#));
        assert_eq!(members.text("s").unwrap(), "é/");
    }

    #[test]
    fn what_is_no_object_is_nothing() {
        for raw in ["", "[]", "1", "{", r#"{"a""#, "null"] {
            assert!(object(raw).is_none(), "{raw}");
        }
    }
}
