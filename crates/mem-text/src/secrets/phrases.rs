//! Secrets that are named without a mark between name and value: "passphrase correct horse battery staple", "PIN 4821",
//! "the password for staging is …".

use memchr::memmem;

use super::Secret;
use super::assigned::{is_literal, is_mixed, value};

/// Names by their first letters, and whether words with blanks between them may be the value.
const NAMES: [(&str, &str, bool); 5] = [
    ("passphrase", "passphrase", true),
    ("pass phrase", "passphrase", true),
    ("password", "password", false),
    ("passcode", "password", false),
    ("mnemonic", "passphrase", true),
];
/// What makes a phrase a secret one.
const PHRASES: [&str; 4] = ["seed ", "recovery ", "secret ", "backup "];
/// Numbers that are secret by their name, with their least and most digits.
const NUMBERS: [(&str, usize, usize); 5] =
    [("PIN", 4, 8), ("pin code", 4, 8), ("PIN code", 4, 8), ("CVV", 3, 4), ("CVC", 3, 4)];
/// Words of prose: a passphrase has none of them.
const PROSE: &str = "the a an is are was were be been must should shall can could may might will would has have had do does did not no never always for to of in \
    on at by with from into and or but if when then than that this these those which who it its we you they he she i our your their my as so very \
    opens unlocks decrypts works each every all any only once before after until while because stays stay lives live goes go gets get comes come needs need required \
    protected stored rotated changed expires prompt prompts policy field input length rotation manager vault file";
/// How far a name may stand before "is": "the password for the staging database is …".
const FAR: usize = 48;

pub(super) fn find(text: &str) -> Vec<Secret> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    // The letters behind the first one, so that a capital in front makes no difference.
    for (probe, name) in [("ass", 1), ("nemonic", 1)] {
        for at in memmem::find_iter(bytes, probe).filter_map(|at| at.checked_sub(name)) {
            // What lies within the last one was looked at with it.
            if found.last().is_some_and(|last: &Secret| at < last.range.end) {
                continue;
            }
            let named = NAMES.iter().find(|(name, ..)| begins(bytes, at, name) && is_free_before(bytes, at));
            found.extend(
                named.and_then(|(name, kind, may_be_words)| behind(text, at + name.len(), kind, *may_be_words)),
            );
        }
    }
    for at in memmem::find_iter(bytes, "phrase") {
        let is_secret = PHRASES.iter().any(|word| at >= word.len() && begins(bytes, at - word.len(), word));
        found.extend(is_secret.then(|| behind(text, at + "phrase".len(), "passphrase", true)).flatten());
    }
    for (name, least, most) in NUMBERS {
        for at in memmem::find_iter(bytes, name).filter(|at| is_free_before(bytes, *at)) {
            found.extend(digits(text, at + name.len(), least, most));
        }
    }
    for at in memmem::find_iter(bytes, " is ") {
        found.extend(far(text, at));
    }
    found
}

fn begins(bytes: &[u8], at: usize, name: &str) -> bool {
    bytes.get(at..at + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
}

fn is_free_before(bytes: &[u8], at: usize) -> bool {
    at == 0 || !bytes[at - 1].is_ascii_alphanumeric()
}

/// Skips a blank, a mark or "is" between a name and its value; nothing when the name goes on as a word.
fn skip_joint(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let bare = rest.trim_start_matches([' ', '"', '\'', ':', '=']);
    let is_parted = bare.len() < rest.len();
    let bare = bare.strip_prefix("is ").unwrap_or(bare);
    is_parted.then_some(text.len() - bare.len())
}

fn behind(text: &str, at: usize, kind: &'static str, may_be_words: bool) -> Option<Secret> {
    let quoted = text.get(at..).map(|rest| rest.trim_start_matches([' ', ':', '=']));
    let quoted = quoted.map(|rest| rest.strip_prefix("is ").unwrap_or(rest));
    if may_be_words && let Some(secret) = quoted.and_then(|rest| quotation(text, rest, kind)) {
        return Some(secret);
    }
    let start = skip_joint(text, at)?;
    // Behind a mark the value is found by its mark.
    if !may_be_words && !text[at..].starts_with(' ') {
        return None;
    }
    if may_be_words && let Some(end) = words(text, start) {
        return Some(Secret { range: start..end, kind });
    }
    let (range, _) = value(text, start);
    let found = &text[range.clone()];
    let is_path =
        found.contains(['/', '(']) || found.contains("::") || found.starts_with("http") || found.contains('_');
    let has_digit = found.bytes().any(|byte| byte.is_ascii_digit());
    (found.len() >= 6 && has_digit && is_literal(found) && is_mixed(found) && !is_path && !is_version(found))
        .then_some(Secret { range, kind })
}

/// `v1.2.3`, `2FA`, `SHA-256`, `OAuth2`: a word with a number.
fn is_version(word: &str) -> bool {
    let letters = word.bytes().take_while(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'.')).count();
    let rest = &word[letters..];
    rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && (rest.len() <= 3 || rest.contains('.'))
}

/// Several words in quotation marks.
fn quotation(text: &str, rest: &str, kind: &'static str) -> Option<Secret> {
    let mark = rest.chars().next().filter(|mark| matches!(mark, '"' | '\'' | '`' | '“' | '‘'))?;
    let closing = match mark {
        '“' => '”',
        '‘' => '’',
        straight => straight,
    };
    let inner = &rest[mark.len_utf8()..];
    let length = inner.char_indices().take(120).find(|(_, character)| *character == closing)?.0;
    let start = text.len() - inner.len();
    let is_placeholder = inner.starts_with(['<', '{', '$', '[', '*', '.']);
    (length >= 6 && !is_placeholder).then_some(Secret { range: start..start + length, kind })
}

/// Returns the end of four or more words of which none is a word of prose.
fn words(text: &str, start: usize) -> Option<usize> {
    let mut end = start;
    let mut count = 0;
    for word in text[start..].split(' ').take(24) {
        let bare = word.trim_end_matches(|mark: char| !mark.is_ascii_alphabetic());
        let is_word = bare.len() >= 3 && bare.bytes().all(|byte| byte.is_ascii_lowercase());
        if !is_word || PROSE.split_whitespace().any(|prose| prose == bare) {
            break;
        }
        end += usize::from(count > 0) + bare.len();
        count += 1;
        if bare.len() < word.len() {
            break;
        }
    }
    (count >= 4).then_some(end)
}

fn digits(text: &str, at: usize, least: usize, most: usize) -> Option<Secret> {
    let start = skip_joint(text, at)?;
    let length = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    let is_free = text[start + length..].chars().next().is_none_or(|next| !next.is_alphanumeric() && next != '-');
    ((least..=most).contains(&length) && is_free).then_some(Secret { range: start..start + length, kind: "pin" })
}

/// `the password for staging is x`: a name some words before "is".
fn far(text: &str, at: usize) -> Option<Secret> {
    let mut from = at.saturating_sub(FAR);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let near = text[from..at].to_ascii_lowercase();
    let near = near.rsplit(['.', ',', ';', '\n', '!', '?']).next().unwrap_or_default();
    let (_, kind, _) = NAMES.iter().find(|(name, ..)| near.contains(name))?;
    let (range, _) = value(text, at + " is ".len());
    let found = &text[range.clone()];
    let has_digit = found.bytes().any(|byte| byte.is_ascii_digit());
    (found.len() >= 6
        && has_digit
        && is_literal(found)
        && is_mixed(found)
        && !found.contains('/')
        && !is_version(found))
    .then_some(Secret { range, kind })
}
