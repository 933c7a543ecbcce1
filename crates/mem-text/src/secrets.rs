//! Finds secrets in text and masks them: tokens of known form, keys, passwords beside their names.
//!
//! Few false hits come first: a hash, a UUID, "password reset flow" and `password: string` are none.
//! One pass over the text: a byte that can begin a secret is looked at more closely, all others are
//! stepped over; a closer look never goes back, so that the time stays linear.

mod assigned;
mod forms;
mod numbers;
mod phrases;

use std::borrow::Cow;
use std::ops::Range;

/// A secret and what it seems to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The bytes of the secret itself, without its name or quotes.
    pub range: Range<usize>,
    /// `github-token`, `password` and so on, for the mask.
    pub kind: &'static str,
}

/// Returns the places of all secrets in `text`, in order, without overlaps.
pub fn find(text: &str) -> Vec<Range<usize>> {
    find_kinds(text).into_iter().map(|secret| secret.range).collect()
}

/// Returns all secrets in `text` with their kinds, in order, without overlaps.
pub fn find_kinds(text: &str) -> Vec<Secret> {
    let mut found: Vec<Secret> = forms::find(text);
    found.extend(assigned::find(text));
    found.extend(numbers::find(text));
    found.extend(phrases::find(text));
    found.sort_by_key(|secret| (secret.range.start, std::cmp::Reverse(secret.range.end)));
    let mut kept: Vec<Secret> = Vec::new();
    for secret in found {
        match kept.last_mut() {
            Some(last) if secret.range.start < last.range.end => last.range.end = last.range.end.max(secret.range.end),
            _ => kept.push(secret),
        }
    }
    kept
}

/// Returns `text` with each secret replaced by `[secret: kind]`; no character of it is left.
pub fn mask(text: &str) -> Cow<'_, str> {
    let secrets = find_kinds(text);
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for secret in secrets {
        out.push_str(&text[copied..secret.range.start]);
        out.push_str("[secret: ");
        out.push_str(secret.kind);
        out.push(']');
        copied = secret.range.end;
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: &str) {
        assert_eq!(mask(text), want);
        assert_eq!(mask(want), want, "a masked text holds nothing to mask");
    }

    /// Tokens are put together at run time, so that no scanner takes this file for a leak.
    fn token(prefix: &str, length: usize) -> String {
        let letters = b"aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z";
        let tail: String = (0..length).map(|index| char::from(letters[(index * 7) % letters.len()])).collect();
        format!("{prefix}{tail}")
    }

    #[test]
    fn tokens_of_known_form_are_masked_whole() {
        let cases = [
            (token("ghp_", 36), "github-token"),
            (token("gho_", 36), "github-token"),
            (token("github_pat_", 60), "github-token"),
            (token("glpat-", 20), "gitlab-token"),
            (token("sk-", 48), "openai-key"),
            (token("sk-proj-", 64), "openai-key"),
            (token("sk-ant-api03-", 80), "anthropic-key"),
            ("AKIA".to_owned() + "IOSFODNN7EXAMPLE", "aws-key"),
            ("xoxb-".to_owned() + "123456789012-abcdefGHIJKL", "slack-token"),
            (token("AIza", 35), "google-key"),
            (token("npm_", 36), "npm-token"),
            (token("sk_live_", 24), "stripe-key"),
            (token("hf_", 34), "huggingface-token"),
            ("eyJhbGciOiJIUzI1NiJ9.".to_owned() + "eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLXNpZw", "jwt"),
        ];
        for (secret, kind) in cases {
            check(&format!("use {secret}, please"), &format!("use [secret: {kind}], please"));
            check(&format!("密钥是{secret}。"), &format!("密钥是[secret: {kind}]。"));
        }
    }

    #[test]
    fn a_private_key_goes_with_its_frame() {
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIB\nAAKC\n-----END RSA PRIVATE KEY-----";
        check(&format!("a\n{key}\nb"), "a\n[secret: private-key]\nb");
        check("x -----BEGIN PRIVATE KEY-----\nMIIEcut", "x [secret: private-key]");
        check("-----BEGIN CERTIFICATE-----\nMIIE\n", "-----BEGIN CERTIFICATE-----\nMIIE\n");
    }

    #[test]
    fn passwords_in_addresses_and_headers_are_masked() {
        check("postgres://app:s3cr3t!@db.local:5432/x", "postgres://app:[secret: password]@db.local:5432/x");
        check("redis://:hunter22@cache", "redis://:[secret: password]@cache");
        check("Authorization: Bearer abcDEF123456ghi789", "Authorization: Bearer [secret: bearer-token]");
        check("https://user@host/a:b", "https://user@host/a:b");
        check("http://host:8080/a@b", "http://host:8080/a@b");
        check("postgres://user:password@localhost/db", "postgres://user:[secret: password]@localhost/db");
        check("https://$USER:${TOKEN}@host", "https://$USER:${TOKEN}@host");
    }

    #[test]
    fn values_beside_a_secret_name_are_masked() {
        check("password: hunter2!", "password: [secret: password]");
        check("the password is Tr0ub4dor&3.", "the password is [secret: password].");
        check("API_KEY=\"abc123def456\"", "API_KEY=\"[secret: api-key]\"");
        check("api_key = 'zyx987'", "api_key = '[secret: api-key]'");
        check("DB_PASSWORD=correcthorse9", "DB_PASSWORD=[secret: password]");
        check("{\"client_secret\": \"a1b2c3d4e5\"}", "{\"client_secret\": \"[secret: secret]\"}");
        check("密码：kT9#mm2", "密码：[secret: password]");
        check("数据库密码是 abc12345，别外传", "数据库密码是 [secret: password]，别外传");
        check("口令: 8842xy", "口令: [secret: password]");
        check("password: correct-horse-battery-staple", "password: [secret: password]");
        check("passwd=p4ss,user=x", "passwd=[secret: password],user=x");
    }

    #[test]
    fn numbers_with_a_right_check_are_masked() {
        check("card 4111 1111 1111 1111, exp 12/29", "card [secret: card-number], exp 12/29");
        check("5500-0000-0000-0004", "[secret: card-number]");
        check("amex 378282246310005.", "amex [secret: card-number].");
        check("卡号6222020000000000003，别外传", "卡号6222020000000000003，别外传");
        check("SSN 123-45-6789", "SSN [secret: ssn]");
        check("social security number 123456789", "social security number [secret: ssn]");
        check("身份证号11010519491231002X，别外传", "身份证号[secret: id-number]，别外传");
        check("身份证 440524188001010014", "身份证 440524188001010014");
    }

    #[test]
    fn a_secret_may_follow_its_name_without_a_mark() {
        check("the passphrase correct horse battery staple opens it", "the passphrase [secret: passphrase] opens it");
        check("passphrase: correct horse battery staple.", "passphrase: [secret: passphrase].");
        check("my passphrase is \"open sesame\"", "my passphrase is \"[secret: passphrase]\"");
        check("log in with password Tr0ub4dor&3, then", "log in with password [secret: password], then");
        check("the password for the staging db is kT9#mm2x.", "the password for the staging db is [secret: password].");
        check("my PIN is 4821", "my PIN is [secret: pin]");
        check("密码kT9mm2xz，记一下", "密码[secret: password]，记一下");
        check("密码改成 kT9mm2", "密码改成 [secret: password]");
    }

    #[test]
    fn what_only_looks_like_a_secret_stays() {
        for text in [
            "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
            "at 1760350000000 and 1760350000123456",
            "order 4111 1111 1111 1112",
            "call 555-12-3456-7",
            "version 000-12-3456, part 123-45-67890",
            "the passphrase must be rotated every year by the team",
            "passphrase prompts in the terminal",
            "the password for the vault is stored elsewhere",
            "password hashing uses argon2id-v19",
            "password SHA-256 and password reset2",
            "the PIN is four digits, PIN 12 of the chip",
            "密码用 bcrypt 加密",
            "id 110105194912310021",
            "id 123e4567-e89b-12d3-a456-426614174000",
            "password reset flow",
            "password: string",
            "password: read-from-vault",
            "password: &str,",
            "password: required",
            "the password is required",
            "the password is stored in the vault",
            "token: number; secret: boolean",
            "API_KEY=$API_KEY and api_key = os.environ['KEY']",
            "password = getpass()",
            "password: <your password>",
            "api_key: \"...\", password=****",
            "secret = process.env.SECRET",
            "sk-learn is a library, task-force and ask-me",
            "tokens: 4096, max_tokens=1024",
            "密码重置流程",
            "密码：见保险箱",
            "密码必须加密存储",
            "Bearer tokens are short",
            "import secrets",
            "see src/auth/password.rs:41",
            "https://example.com/a?b=c",
            "password_reset_url: /account/reset2",
            "a password: the thing that opens",
            "token: [secret: github-token]",
        ] {
            assert_eq!(mask(text), text);
        }
    }

    #[test]
    fn long_runs_of_what_begins_a_secret_come_to_an_end() {
        // With a step back for each mark, these would take minutes instead of a moment.
        let parts = [
            "eyJ",
            "-----BEGIN ",
            "-----BEGIN PRIVATE KEY-----",
            "://",
            "password",
            "a",
            "password: ",
            "密码：",
            "Bearer ",
            "://a:",
            ":",
            ": ",
            "=",
            "password=",
            "sk-",
            "密码 ",
            " is ",
            "://a:b@",
            "eyJa.eyJ",
            "\"",
            "password\" : \"",
            "1",
            "1 ",
            "4111-",
            "passphrase ",
            "passphrase is a",
            "password for it is ",
            "PIN ",
        ];
        for part in parts {
            let _ = mask(&part.repeat(200_000 / part.len()));
        }
    }
}
