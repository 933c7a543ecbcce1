//! Members, faults, nesting and line breaks, in steps of every size.

#![allow(clippy::unwrap_used)]
use super::*;

fn check(text: &str, expected: Option<&[(&str, &str)]>) {
    for step in [1, 3, text.len().max(1)] {
        let mut scanner = Scanner::new();
        let mut scan = Scan::More;
        let mut end = 0;
        while scan == Scan::More && end < text.len() {
            end = (end + step).min(text.len());
            scan = scanner.advance(&text.as_bytes()[..end]);
        }
        let found: Option<Vec<(String, String)>> = matches!(scan, Scan::Done(_)).then(|| {
            scanner
                .into_members()
                .iter()
                .map(|span| (text[span.key.clone()].to_owned(), text[span.value.clone()].to_owned()))
                .collect()
        });
        let wanted = expected
            .map(|pairs| pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect::<Vec<_>>());
        assert_eq!(found, wanted, "{text} in steps of {step}");
    }
}

#[test]
fn members_are_found_with_their_own_spelling() {
    check(r#"{}"#, Some(&[]));
    check(r#" { "a" : 1.50E+2 , "a":"\ud800" } "#, Some(&[("\"a\"", "1.50E+2"), ("\"a\"", "\"\\ud800\"")]));
    check(r#"{"a":[{"b":[]},{}],"c":null}"#, Some(&[("\"a\"", "[{\"b\":[]},{}]"), ("\"c\"", "null")]));
    check(
        r#"{"长":"一二三四五六七八九十","t":true,"f":false}"#,
        Some(&[("\"长\"", "\"一二三四五六七八九十\""), ("\"t\"", "true"), ("\"f\"", "false")]),
    );
    check(r#"{"n":-0,"m":10,"o":0.0}"#, Some(&[("\"n\"", "-0"), ("\"m\"", "10"), ("\"o\"", "0.0")]));
}

#[test]
fn broken_json_is_refused() {
    for text in [
        "[1]",
        "1",
        "{",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\":01}",
        "{\"a\":1.}",
        "{\"a\":+1}",
        "{\"a\":tru}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":[1}",
        "{\"a\":{1]}",
        "{\"a\":\"\n\"}",
        "{\"a\":[1,]}",
        "{\"a\" 1}",
        "{\"a\":truex}",
        "{\"a\":-}",
        "{\"a\":1e}",
        "{,}",
        "{\"a\":1 2}",
    ] {
        check(text, None);
    }
}

#[test]
fn nesting_has_no_limit_of_its_own() {
    let depth = 100_000;
    let text = format!("{{\"a\":{}{},\"b\":{{\"c\":[1]}}}}", "[".repeat(depth), "]".repeat(depth));
    let mut scanner = Scanner::new();
    assert_eq!(scanner.advance(text.as_bytes()), Scan::Done(text.len()));
    let members = scanner.into_members();
    assert_eq!(members[0].depth, depth);
    assert_eq!(members[1].depth, 2);
}

#[test]
fn a_line_break_between_tokens_is_noted_and_one_between_members_is_not() {
    let text = "{\n\"a\": [\n1],\n\"b\": 2\n}";
    let mut scanner = Scanner::new();
    assert_eq!(scanner.advance(text.as_bytes()), Scan::Done(text.len()));
    let breaks: Vec<bool> = scanner.into_members().iter().map(|span| span.has_line_break).collect();
    assert_eq!(breaks, [true, false]);
}

#[test]
fn the_plain_part_of_a_string_ends_at_quote_backslash_or_control() {
    for (text, length) in
        [("abc", 3), ("abcdefgh\"", 8), ("abcdefghijk\\", 11), ("abcdefg\u{1}", 7), ("é\u{7f}中\"", 6), ("", 0)]
    {
        assert_eq!(plain_length(text.as_bytes()), length, "{text:?}");
    }
}
