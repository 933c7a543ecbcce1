//! Secrets that stand beside a name: `password: x`, `API_KEY="x"`, 密码：x.

use memchr::memmem;

use super::Secret;

/// What a name must end in, lower case; the rarest part of it is searched for.
const NAMES: [(&str, &str); 16] = [
    ("password", "password"),
    ("passwd", "password"),
    ("passphrase", "password"),
    ("pwd", "password"),
    ("api_key", "api-key"),
    ("api-key", "api-key"),
    ("apikey", "api-key"),
    ("api key", "api-key"),
    ("secret", "secret"),
    ("secret_key", "secret"),
    ("access_key", "secret"),
    ("private_key", "secret"),
    ("secret_access_key", "secret"),
    ("token", "token"),
    ("auth_key", "secret"),
    ("credential", "secret"),
];

const CHINESE_NAMES: [(&str, &str); 5] =
    [("密码", "password"), ("口令", "password"), ("密钥", "secret"), ("令牌", "token"), ("秘钥", "secret")];

/// What may stand between a Chinese name and its value.
const CHINESE_MARKS: [&str; 13] =
    ["设置为", "设为", "设成", "改成", "改为", "换成", "就是", "用的是", "：", ":", "=", "是", "为"];

/// A value is looked at up to here.
const VALUE_MAX: usize = 512;

pub(super) fn find(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    for at in memchr::memchr2_iter(b':', b'=', text.as_bytes()) {
        found.extend(at_mark(text, at));
    }
    for at in memmem::find_iter(text.as_bytes(), " is ") {
        let name = kind_of(&text[..at], false).filter(|kind| *kind != "secret");
        found.extend(name.and_then(|kind| said(text, at + 4, kind)));
    }
    if !text.is_ascii() {
        found.extend(chinese(text));
    }
    found
}

/// `name: value` and `name = value`.
fn at_mark(text: &str, at: usize) -> Option<Secret> {
    let kind = kind_of(name_before(text, at), true)?;
    let behind = text[at + 1..].trim_start_matches(['=', '>']);
    // `==` and `=>` compare or map; `::` is a path.
    if behind.len() + at + 1 != text.len() || behind.starts_with(':') {
        return None;
    }
    let mark = text.as_bytes()[at];
    let start = text.len() - behind.trim_start_matches([' ', '\t', '*']).len();
    let (value, is_quoted) = value(text, start);
    let range = value.start..value.end;
    let value = &text[range.clone()];
    let tail = &text[range.end..];
    let likely = if is_quoted { is_literal(value) } else { is_bare_secret(value, tail, mark) };
    likely.then_some(Secret { range, kind })
}

/// Returns the end of the text before `at`, without the marks between a name and its value.
fn name_before(text: &str, at: usize) -> &str {
    // A bound, so that a long run of marks is not walked back again for each of them.
    const MARKS_MAX: usize = 8;
    let marks = text.as_bytes()[..at].iter().rev().take(MARKS_MAX).take_while(|byte| b" \"'`*:".contains(byte));
    &text[..at - marks.count()]
}

/// `the password is x`: only what no word looks like.
fn said(text: &str, start: usize, kind: &'static str) -> Option<Secret> {
    let (range, _) = value(text, start);
    let value = &text[range.clone()];
    (is_literal(value) && is_mixed(value)).then_some(Secret { range, kind })
}

fn chinese(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    for (name, kind) in CHINESE_NAMES {
        for at in memmem::find_iter(text.as_bytes(), name) {
            let rest = text[at + name.len()..].trim_start_matches(' ');
            let mark = CHINESE_MARKS.iter().find(|mark| rest.starts_with(**mark)).copied().unwrap_or_default();
            let start = text.len() - rest[mark.len()..].trim_start_matches([' ', '“', '"', '`', '「', '：', ':']).len();
            let (range, _) = value(text, start);
            let value = &text[range.clone()];
            // Without a mark between them only what is long enough is no word of the sentence.
            let least = if mark.is_empty() { 6 } else { 4 };
            if value.len() >= least && value.is_ascii() && is_literal(value) && is_mixed(value) {
                found.push(Secret { range, kind });
            }
        }
    }
    found
}

/// Returns the kind of the name that `before` ends with, when it is a whole name.
fn kind_of(before: &str, may_have_prefix: bool) -> Option<&'static str> {
    let bytes = before.as_bytes();
    let ends_with = |name: &str| {
        bytes.len() >= name.len() && bytes[bytes.len() - name.len()..].eq_ignore_ascii_case(name.as_bytes())
    };
    let (name, kind) = NAMES.iter().find(|(name, _)| ends_with(name))?;
    let first = bytes.len() - name.len();
    let ahead = first.checked_sub(1).map(|index| bytes[index]);
    // `DB_PASSWORD` and `dbPassword` are names; `mypassword` as a word is too rare to matter.
    let is_camel = bytes[first].is_ascii_uppercase() && ahead.is_some_and(|byte| byte.is_ascii_lowercase());
    let is_joined = matches!(ahead, Some(b'_' | b'-' | b'.')) || is_camel;
    let stands_alone = ahead.is_none_or(|byte| !byte.is_ascii_alphanumeric());
    ((may_have_prefix && is_joined) || stands_alone).then_some(*kind)
}

/// Returns where the value that begins at `start` stands, without its quotes, and whether it had some.
pub(super) fn value(text: &str, start: usize) -> (std::ops::Range<usize>, bool) {
    let rest = crate::cut::bytes(&text[start..], VALUE_MAX);
    if let Some(quote) = rest.chars().next().filter(|c| "\"'`".contains(*c))
        && let Some(length) = rest[1..].find(quote)
    {
        return (start + 1..start + 1 + length, true);
    }
    let ends = |c: char| c.is_whitespace() || ",;\"'`)}]，。；、）」”".contains(c);
    let length = rest.find(ends).unwrap_or(rest.len());
    let trimmed = rest[..length].trim_end_matches(['.', ':', '*']);
    (start..start + trimmed.len(), false)
}

/// A quoted value that could be one: no placeholder, no sentence, no code.
pub(super) fn is_literal(value: &str) -> bool {
    let placeholder =
        value.starts_with(['$', '{', '<', '*', '%', '[', '(', '/']) || value.contains("...") || value.contains('…');
    let is_one_mark = value.bytes().all(|byte| value.as_bytes().first() == Some(&byte));
    let is_code = value.contains("env") || value.contains('(') || value.contains("${") || value.contains("{{");
    value.len() >= 4 && !placeholder && !is_one_mark && !is_code && !value.contains(' ') && !is_stand_in(value)
}

/// A value without quotes: letters alone are a word or a type, in code and in prose.
fn is_bare_secret(value: &str, tail: &str, mark: u8) -> bool {
    let calls = tail.starts_with(['(', '['])
        || value.contains("::")
        || value.contains('.') && value.bytes().all(|b| b.is_ascii_alphabetic() || b == b'.' || b == b'_');
    is_literal(value)
        && !calls
        && !value.starts_with('&')
        && (is_mixed(value) || is_passphrase(value))
        && (mark == b'=' || !value.starts_with("http"))
}

/// Tells a made-up string from a word or a number: letters with digits or marks among them.
pub(super) fn is_mixed(value: &str) -> bool {
    let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let has_mark = value.bytes().any(|byte| b"!@#$%^&*?+~".contains(&byte));
    has_letter && (has_digit || has_mark)
}

/// Tells words joined to a passphrase, `correct-horse-battery-staple`, from a word with a hyphen.
fn is_passphrase(value: &str) -> bool {
    let words: Vec<&str> = value.split(['-', '_']).collect();
    words.len() >= 4 && words.iter().all(|word| word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

fn is_stand_in(value: &str) -> bool {
    const WORDS: [&str; 10] = [
        "string",
        "changeme",
        "example",
        "placeholder",
        "your",
        "redacted",
        "required",
        "optional",
        "boolean",
        "secret:",
    ];
    let lower = value.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.starts_with(word))
}
