//! What a memory cites of the project: paths with a slash, and symbols such as `name()` in code spans.
//!
//! Only what can be checked is taken: addresses, versions, package names, `and/or`, globs and
//! placeholders are no paths, and what a sentence says to be gone is not missing.

/// Something a memory cites.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Citation {
    /// A path, relative to the project, without line number.
    Path(String),
    /// The name of a function.
    Symbol(String),
}

/// Most citations of one memory that are looked at; one that has more is a listing, and each look costs.
const MOST: usize = 200;

/// Returns the citations of `text`, each once, in order of their first place.
pub fn of(text: &str) -> Vec<Citation> {
    let mut found = Vec::new();
    // Most lines cite nothing: every path has a slash and every symbol its back-quotes.
    for line in text.lines().filter(|line| line.bytes().any(|byte| byte == b'/' || byte == b'`')) {
        for sentence in sentences(line) {
            if !says_gone(sentence) {
                cite(sentence, &mut found);
            }
        }
    }
    found
}

/// Splits behind a full stop that is followed by a blank, so that paths stay whole.
fn sentences(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, character) in line.char_indices() {
        let end = at + character.len_utf8();
        let is_end = matches!(character, '。' | '！' | '；')
            || matches!(character, '.' | ';' | '!') && line[end..].starts_with(' ');
        if is_end {
            parts.push(&line[start..end]);
            start = end;
        }
    }
    parts.push(&line[start..]);
    parts
}

fn says_gone(sentence: &str) -> bool {
    const GONE: [&str; 15] = [
        "removed",
        "deleted",
        "no longer exist",
        "does not exist",
        "doesn't exist",
        "is gone",
        "was renamed",
        "used to be",
        "dropped",
        "已删",
        "删除了",
        "不存在",
        "已移除",
        "没有了",
        "改名",
    ];
    let lower = sentence.to_lowercase();
    GONE.iter().any(|word| lower.contains(word))
}

fn cite(sentence: &str, found: &mut Vec<Citation>) {
    // The odd parts between back-quotes are code.
    for (index, part) in sentence.split('`').enumerate() {
        let is_code = index % 2 == 1;
        if is_code && let Some(symbol) = symbol(part) {
            add(Citation::Symbol(symbol.to_owned()), found);
        } else if is_code && !part.contains(' ') {
            add_path(part, true, found);
        } else {
            words(part).for_each(|word| add_path(word, false, found));
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "()[]{}<>\"'“”‘’（）【】「」《》，。；：、！？,;|*".contains(c))
}

fn add_path(word: &str, is_code: bool, found: &mut Vec<Citation>) {
    if let Some(path) = path(word, is_code) {
        add(Citation::Path(path.to_owned()), found);
    }
}

fn add(citation: Citation, found: &mut Vec<Citation>) {
    if found.len() < MOST && !found.contains(&citation) {
        found.push(citation);
    }
}

/// `name()`, also `module::name()` and `object.name()`: the last name.
fn symbol(code: &str) -> Option<&str> {
    let name = code.strip_suffix("()")?;
    let name = name.rsplit(['.', ':']).next()?;
    let is_name = name.len() > 2
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_numeric());
    is_name.then_some(name)
}

/// Returns the path that `word` is, without `./`, line number and last mark.
fn path(word: &str, is_code: bool) -> Option<&str> {
    let word = word.trim_end_matches(['.', ':', '!', '?']);
    let word = word.split('#').next()?;
    let word = without_line(word);
    let word = if is_code { word } else { behind_chinese(word) };
    let word = word.strip_prefix("./").unwrap_or(word);
    let parts: Vec<&str> = word.trim_end_matches('/').split('/').collect();
    let [first, .., last] = parts.as_slice() else {
        return None;
    };
    let is_plain = word.chars().all(|c| c.is_alphanumeric() || "_-./+@ ".contains(c)) && !word.contains("//");
    let is_below = !first.is_empty() && *first != ".." && *first != "~" && !first.starts_with('@');
    let is_host = first.contains('.') && !first.starts_with('.');
    let is_folder = is_code && word.ends_with('/');
    let likely = is_plain && is_below && !is_host && parts.iter().all(|part| !part.is_empty());
    (likely && (has_extension(last) || is_folder)).then_some(word)
}

/// Chinese prose sets no blank before a path: in 列表在src/a.ts the path begins at `src`.
fn behind_chinese(word: &str) -> &str {
    let first = word.split('/').next().unwrap_or(word);
    match first.char_indices().rev().find(|(_, character)| !character.is_ascii()) {
        Some((at, character)) if first[at..].len() > character.len_utf8() => &word[at + character.len_utf8()..],
        _ => word,
    }
}

/// Takes `:41`, `:41:7` and `:41-50` off.
fn without_line(word: &str) -> &str {
    match word.split_once(':') {
        Some((path, line)) if line.starts_with(|c: char| c.is_ascii_digit()) => path,
        _ => word,
    }
}

/// A name, a dot and one to five letters or digits that begin with a letter: `main.go`, `.env.local`, not `v1.2`.
fn has_extension(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let is_short = (1..=10).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_short && extension.starts_with(|c: char| c.is_ascii_lowercase()) && !stem.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: &[&str]) {
        let got: Vec<String> = of(text)
            .into_iter()
            .map(|citation| match citation {
                Citation::Path(path) => path,
                Citation::Symbol(name) => format!("{name}()"),
            })
            .collect();
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn paths_are_found_in_code_and_prose_without_their_line() {
        check("It starts in `cmd/settle/main.go`.", &["cmd/settle/main.go"]);
        check("The handler is `internal/api/payout.go:41`.", &["internal/api/payout.go"]);
        check("Look into src/a/b.ts, then ./scripts/check.sh.", &["src/a/b.ts", "scripts/check.sh"]);
        check("订单列表在src/订单/列表.tsx，先看它", &["src/订单/列表.tsx"]);
        check("订单列表组件是 `src/订单/列表.tsx`。", &["src/订单/列表.tsx"]);
        check("see `.github/workflows/ci.yml` and the folder `docs/old/`", &[".github/workflows/ci.yml", "docs/old/"]);
    }

    #[test]
    fn symbols_are_names_with_brackets_in_code() {
        check("Call `reserveFunds()` before `ledger.postEntry()`.", &["reserveFunds()", "postEntry()"]);
        check("由 `cacheLayer()` 负责；plain name() and `if()`", &["cacheLayer()"]);
    }

    #[test]
    fn what_is_no_path_is_left_alone() {
        for text in [
            "See https://docs.example/v1/paths.html and v1.2.3 of the SDK; the README and/or the wiki",
            "docs.example/v1/paths.html",
            "`origin/main`",
            "`@scope/pkg`",
            "`application/json`",
            "n/a 24/7 1/2",
            "/etc/hosts.conf",
            "~/notes/a.md",
            "`src/**/*.ts`",
            "`<name>/x.md`",
            "`$HOME/a.sh`",
            "../up/a.md",
            "km/h.",
            "a//b.c",
            "10/10/2026",
            "`GET /api/v1/users.json`",
            "规范见 https://wiki.example/规范 ，以及／或者",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn what_a_sentence_says_to_be_gone_is_not_missing() {
        check("`src/old.ts` was removed in May. Use `src/new.ts`.", &["src/new.ts"]);
        check("`src/old.ts` 已删除。", &[]);
    }
}
