//! Counts tokens the way the document's `budget` is counted, so that a caller can check it with a few lines of script.

use crate::json;
use crate::message::{Kind, Message, Part};

/// What each message costs besides its content.
pub const MESSAGE_TOKENS: usize = 4;
/// What each `tool_use` and `tool_result` costs besides its texts.
pub const TOOL_TOKENS: usize = 8;
/// What an image counts, whatever its size.
pub const IMAGE_TOKENS: usize = 1500;

/// Returns the tokens of a text: ASCII characters / 4 rounded up, plus one for each other character.
pub fn text_tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    // Every other character has exactly one byte that is not a continuation byte (10xxxxxx).
    let other = text.bytes().filter(|byte| *byte >= 0xC0).count();
    ascii.div_ceil(4) + other
}

/// Returns the tokens of a message as `budget` counts them.
pub fn budget_tokens(message: &Message<'_>) -> usize {
    MESSAGE_TOKENS + message.parts.iter().map(part_tokens).sum::<usize>()
}

/// Returns the tokens of one content block as `budget` counts them.
pub fn part_tokens(part: &Part<'_>) -> usize {
    match &part.kind {
        Kind::Text(text) | Kind::Thinking(text) => text_tokens(text),
        Kind::ToolUse { name, input, .. } => TOOL_TOKENS + text_tokens(name) + json_tokens(input),
        Kind::ToolResult { parts, .. } => {
            TOOL_TOKENS + parts.iter().map(part_tokens).sum::<usize>()
        }
        Kind::Image { .. } => IMAGE_TOKENS,
        Kind::RedactedThinking | Kind::Other { .. } => json_tokens(part.raw),
    }
}

/// Returns the tokens of a JSON value.
///
/// It counts as most libraries print it: one space behind each comma and colon, characters outside ASCII not escaped.
/// A count over the raw bytes would differ by how the sender spelled the same value.
pub fn json_tokens(raw: &str) -> usize {
    let bytes = raw.as_bytes();
    let (mut ascii, mut other, mut at, mut in_string) = (0usize, 0usize, 0, false);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => {
                in_string = !in_string;
                ascii += 1;
            }
            b'\\' if in_string => at += escape(&bytes[at - 1..], &mut ascii, &mut other),
            b',' | b':' if !in_string => ascii += 2,
            b' ' | b'\n' | b'\r' | b'\t' if !in_string => {}
            byte if byte.is_ascii() => ascii += 1,
            byte if *byte >= 0xC0 => other += 1,
            _ => {}
        }
    }
    ascii.div_ceil(4) + other
}

/// Counts an escape, given from its backslash on, and returns its length behind the backslash.
fn escape(escape: &[u8], ascii: &mut usize, other: &mut usize) -> usize {
    match escape.get(1) {
        None => 0,
        Some(b'/') => {
            *ascii += 1;
            1
        }
        Some(b'u') => {
            match json::code_unit(escape) {
                // The low half of a pair: the high half was counted for both.
                Some(0xDC00..=0xDFFF) => {}
                Some(0x20..=0x7E) => *ascii += 1,
                Some(0x00..=0x1F) | None => *ascii += 6,
                Some(_) => *other += 1,
            }
            (escape.len() - 1).min(5)
        }
        Some(_) => {
            *ascii += 2;
            1
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::read_messages;

    fn check(message: &str, tokens: usize) {
        let list = format!("[{message}]");
        assert_eq!(
            budget_tokens(&read_messages(&list).messages[0]),
            tokens,
            "{message}"
        );
    }

    #[test]
    fn ascii_is_a_quarter_rounded_up_and_all_else_counts_one() {
        assert_eq!(text_tokens(""), 0);
        assert_eq!(text_tokens("abcde"), 2);
        assert_eq!(text_tokens("数据库 db"), 4);
        assert_eq!(text_tokens("\u{1F600}é"), 2);
    }

    #[test]
    fn every_kind_of_content_has_its_price() {
        check(r#"{"role":"user","content":"abcd"}"#, 5);
        check(
            r#"{"role":"user","content":[{"type":"text","text":"abcd"},{"type":"image","source":{}}]}"#,
            1505,
        );
        check(
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Read","input":{"a":"b"}}]}"#,
            4 + 8 + 1 + 3,
        );
        check(
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"abcd"}]}"#,
            13,
        );
        check(
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image"}]}]}"#,
            1512,
        );
    }

    #[test]
    fn a_value_counts_the_same_however_it_is_spelled() {
        let plain = r#"{"a": "数é/", "b": [1, 2]}"#;
        let other = "{\"a\":\"\\u6570\\u00e9\\/\",\n  \"b\":[1,2]}";
        assert_eq!(json_tokens(plain), json_tokens(other));
        assert_eq!(json_tokens(r#""\ud83d\ude00""#), 2);
    }

    #[test]
    fn broken_escapes_do_not_break_the_count() {
        for raw in [r#""\"#, r#""\u"#, r#""\u12"#, r#""\uzzzz""#] {
            assert!(json_tokens(raw) > 0, "{raw}");
        }
    }
}
