//! Secrets that are known by their own form: a prefix and a run of letters of a least length.

use memchr::memmem;

use super::Secret;

struct Form {
    prefix: &'static str,
    /// The least number of characters behind the prefix. From what the issuers hand out today, with some room below.
    least: usize,
    kind: &'static str,
}

const fn form(prefix: &'static str, least: usize, kind: &'static str) -> Form {
    Form { prefix, least, kind }
}

/// The longer prefix stands first where one begins like another.
const FORMS: [Form; 30] = [
    form("github_pat_", 30, "github-token"),
    form("ghp_", 30, "github-token"),
    form("gho_", 30, "github-token"),
    form("ghu_", 30, "github-token"),
    form("ghs_", 30, "github-token"),
    form("ghr_", 30, "github-token"),
    form("glpat-", 20, "gitlab-token"),
    form("sk-ant-", 20, "anthropic-key"),
    form("sk-proj-", 20, "openai-key"),
    form("sk-svcacct-", 20, "openai-key"),
    form("sk-or-", 20, "openrouter-key"),
    form("sk_live_", 16, "stripe-key"),
    form("sk_test_", 16, "stripe-key"),
    form("rk_live_", 16, "stripe-key"),
    form("sk-", 20, "openai-key"),
    form("xoxb-", 10, "slack-token"),
    form("xoxp-", 10, "slack-token"),
    form("xoxa-", 10, "slack-token"),
    form("xoxr-", 10, "slack-token"),
    form("xoxs-", 10, "slack-token"),
    form("xapp-", 10, "slack-token"),
    form("AIza", 30, "google-key"),
    form("AKIA", 16, "aws-key"),
    form("ASIA", 16, "aws-key"),
    form("npm_", 30, "npm-token"),
    form("pypi-", 40, "pypi-token"),
    form("hf_", 30, "huggingface-token"),
    form("whsec_", 24, "webhook-secret"),
    form("dop_v1_", 40, "digitalocean-token"),
    form("SG.", 40, "sendgrid-key"),
];

pub(super) fn find(text: &str) -> Vec<Secret> {
    let mut found = prefixed(text);
    found.extend(private_keys(text));
    found.extend(bearers(text));
    found.extend(addresses(text));
    found
}

/// Finds the prefixes at the start of each run of token letters.
fn prefixed(text: &str) -> Vec<Secret> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_first_letter(bytes[at]) {
            at += 1;
            continue;
        }
        let run = token_end(bytes, at);
        if run - at > 12
            && let Some(secret) = known_form(text, at, run)
        {
            found.push(secret);
        }
        // A token may also stand behind a name and `=` or a dot; those bytes end a run.
        at = run.max(at + 1);
    }
    found
}

fn known_form(text: &str, start: usize, run: usize) -> Option<Secret> {
    let token = &text[start..run];
    if let Some(end) = jwt_end(text, start, run) {
        return Some(Secret { range: start..end, kind: "jwt" });
    }
    let form = FORMS.iter().find(|form| token.starts_with(form.prefix))?;
    let tail = &token[form.prefix.len()..];
    let dots = form.prefix.ends_with('.');
    let end = if dots { dotted_end(text.as_bytes(), start) } else { run };
    let is_long = if dots { end - start >= form.least } else { tail.len() >= form.least };
    let is_random = tail.bytes().any(|byte| byte.is_ascii_digit())
        || form.prefix.len() > 6
        || tail.bytes().any(|b| b.is_ascii_uppercase());
    let all_capitals =
        form.kind != "aws-key" || tail.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    (is_long && is_random && all_capitals).then_some(Secret { range: start..end, kind: form.kind })
}

/// Three runs of base64 with dots between them, the first two beginning like `{"`.
fn jwt_end(text: &str, start: usize, run: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if !text[start..run].starts_with("eyJ") || !text[run..].starts_with(".eyJ") {
        return None;
    }
    let second = token_end(bytes, run + 1);
    let end = if bytes.get(second) == Some(&b'.') { token_end(bytes, second + 1) } else { second };
    (end - start > 30).then_some(end)
}

fn private_keys(text: &str) -> Vec<Secret> {
    const BEGIN: &str = "-----BEGIN ";
    const HEADER_MAX: usize = 60;
    let mut found: Vec<Secret> = Vec::new();
    let end_finder = memmem::Finder::new("-----END ");
    for start in memmem::find_iter(text.as_bytes(), BEGIN) {
        if found.last().is_some_and(|last| start < last.range.end) {
            continue;
        }
        let header = crate::cut::bytes(&text[start + BEGIN.len()..], HEADER_MAX);
        let Some(header_length) = header.find("-----") else {
            continue;
        };
        if !header[..header_length].contains("PRIVATE KEY") {
            continue;
        }
        let body = start + BEGIN.len() + header_length + 5;
        let end = match end_finder.find(&text.as_bytes()[body..]) {
            Some(frame) => {
                let label = body + frame + 9;
                text[label..]
                    .find("-----")
                    .filter(|length| *length < HEADER_MAX)
                    .map_or(label, |length| label + length + 5)
            }
            None => text.len(),
        };
        found.push(Secret { range: start..end, kind: "private-key" });
    }
    found
}

fn bearers(text: &str) -> Vec<Secret> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for at in memmem::find_iter(bytes, "earer ") {
        let is_word = at > 0 && matches!(bytes[at - 1], b'B' | b'b');
        let start = at + "earer ".len();
        let end = dotted_end(bytes, start);
        let token = &text[start..end];
        if is_word && token.len() >= 12 && token.bytes().any(|byte| byte.is_ascii_digit()) {
            found.push(Secret { range: start..end, kind: "bearer-token" });
        }
    }
    found
}

/// `scheme://user:password@host`: the password only.
fn addresses(text: &str) -> Vec<Secret> {
    const PART_MAX: usize = 256;
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for at in memmem::find_iter(bytes, "://") {
        let start = at + 3;
        let part = &bytes[start..bytes.len().min(start + PART_MAX)];
        let length = part.iter().position(|byte| {
            matches!(byte, b'/' | b' ' | b'\n' | b'\t' | b'"' | b'\'' | b'`' | b'<' | b'?' | b'#' | b'\r')
        });
        let part = &part[..length.unwrap_or(part.len())];
        let (Some(colon), Some(host)) = (memchr::memchr(b':', part), memchr::memrchr(b'@', part)) else {
            continue;
        };
        let Some(password) = part.get(colon + 1..host).filter(|password| !password.is_empty()) else {
            continue;
        };
        let is_placeholder =
            matches!(password[0], b'$' | b'{' | b'<' | b'*' | b'%' | b'[') || password.starts_with(b"...");
        if !is_placeholder {
            found.push(Secret { range: start + colon + 1..start + host, kind: "password" });
        }
    }
    found
}

fn is_first_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic()
}

fn is_token_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn token_end(bytes: &[u8], start: usize) -> usize {
    start + bytes[start.min(bytes.len())..].iter().take_while(|byte| is_token_letter(**byte)).count()
}

/// Like a token, with the marks of base64 and dots inside.
fn dotted_end(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start.min(bytes.len())..];
    let mut length = rest.iter().take_while(|byte| is_token_letter(**byte) || b"./+=~".contains(byte)).count();
    while length > 0 && rest[length - 1] == b'.' {
        length -= 1;
    }
    start + length
}
