//! What a memory cites: paths with a slash, symbols such as `name()` and commands such as `make lint` in code spans,
//! links to other memories, commits.
//!
//! Only what can be checked is taken: addresses, versions, package names, `and/or`, `JavaScript/Node.js`, globs and
//! placeholders are no paths, and what a sentence says to be gone is not missing.

/// Something a memory cites.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Citation {
    /// A path, relative to the project, without line number.
    Path(String),
    /// Words with a slash that are a path if the first of them is a folder of the project.
    PathPerhaps(String),
    /// The name of a function.
    Symbol(String),
    /// A command with the name of what it runs: a script of package.json, a target, a recipe.
    Command(Tool, String),
    /// Another memory.
    Link(String),
    /// The beginning of a commit's hash.
    Commit(String),
}

/// A program whose commands are listed in a file of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// `npm run NAME`, also of pnpm, yarn and bun.
    Package,
    /// `make NAME`.
    Make,
    /// `just NAME`.
    Just,
}

/// Most citations of one memory that are looked at; one that has more is a listing, and each look costs.
const MOST: usize = 200;

/// Returns the citations of `text`, each once, in order of their first place.
pub fn of(text: &str) -> Vec<Citation> {
    let mut found = Vec::new();
    // Most lines cite nothing: every path has a slash, every symbol its back-quotes, every link its brackets.
    let may_cite =
        |line: &&str| line.bytes().any(|byte| matches!(byte, b'/' | b'`' | b'[')) || line.contains("commit ");
    for line in text.lines().filter(may_cite) {
        for sentence in sentences(line) {
            if !says_gone(sentence) {
                cite(sentence, &mut found);
                links(sentence).for_each(|link| add(Citation::Link(link.to_owned()), &mut found));
            }
        }
    }
    found
}

/// What stands in `[[…]]`, without what is shown in its place.
fn links(sentence: &str) -> impl Iterator<Item = &str> {
    let inside = sentence.split("[[").skip(1).filter_map(|rest| rest.split_once("]]").map(|(inside, _)| inside));
    let names = inside.map(|link| link.split(['|', '#']).next().unwrap_or(link).trim());
    names.filter(|name| !name.is_empty() && name.len() < 256)
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
        } else if is_code && let Some(command) = command(part) {
            add(command, found);
        } else if is_code && is_hash(part) {
            add(Citation::Commit(part.to_owned()), found);
        } else if is_code && !part.contains(' ') {
            add_path(part, true, found);
            if is_plain_path(part) && !speaks_of_branches(sentence) {
                add(Citation::PathPerhaps(part.trim_end_matches('/').to_owned()), found);
            }
        } else {
            words(part).for_each(|word| add_path(word, false, found));
            behind_commit(part).for_each(|hash| add(Citation::Commit(hash.to_owned()), found));
        }
    }
}

/// `npm run build`, `pnpm run build`, `make lint`, `just release`: alone, with its arguments, or behind `$`.
fn command(code: &str) -> Option<Citation> {
    let mut words = code.trim_start_matches(['$', ' ']).split_whitespace();
    let tool = match (words.next()?, code.contains(" run ")) {
        ("npm" | "pnpm" | "yarn" | "bun", true) => {
            words.next().filter(|word| *word == "run")?;
            Tool::Package
        }
        ("make", _) => Tool::Make,
        ("just", _) => Tool::Just,
        _ => return None,
    };
    let name = words.next()?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-:.".contains(c))
        && words.all(|word| !["&&", "|", ";", "in"].contains(&word));
    is_name.then(|| Citation::Command(tool, name.to_owned()))
}

/// Seven to forty hexadecimal digits, letters and figures among them.
fn is_hash(word: &str) -> bool {
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (7..=40).contains(&word.len())
        && word.bytes().all(is_hex)
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn behind_commit(prose: &str) -> impl Iterator<Item = &str> {
    let behind = prose.match_indices("commit ").map(|(at, word)| &prose[at + word.len()..]);
    behind.filter_map(|rest| words(rest).next()).map(|word| word.trim_end_matches('.')).filter(|word| is_hash(word))
}

/// Two or more plain words between slashes, none with an ending: `bin/deploy`, but also `origin/main`.
fn is_plain_path(code: &str) -> bool {
    let parts: Vec<&str> = code.trim_end_matches('/').split('/').collect();
    let is_plain = |part: &&str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    };
    parts.len() > 1 && parts.iter().all(is_plain) && !code.ends_with('/')
}

fn speaks_of_branches(sentence: &str) -> bool {
    ["branch", "分支", "merge", "合并", "rebase", "checkout"].iter().any(|word| sentence.contains(word))
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
    // Frameworks between slashes: JavaScript/Node.js.
    let likely = likely && (is_code || !parts.iter().any(|part| is_product(part)));
    (likely && (has_extension(last) || is_folder)).then_some(word)
}

/// A product whose name ends as a file does.
fn is_product(part: &str) -> bool {
    const STEMS: [&str; 22] = [
        "node", "vue", "next", "nuxt", "express", "react", "angular", "ember", "backbone", "three", "d3", "chart",
        "socket", "asp", "deno", "bun", "nest", "svelte", "p5", "moment", "alpine", "discord",
    ];
    let Some((stem, "js" | "io" | "ts" | "net" | "NET" | "JS")) = part.rsplit_once('.') else { return false };
    STEMS.contains(&stem.to_lowercase().as_str()) && (stem.starts_with(char::is_uppercase) || part.ends_with(".io"))
        || stem.is_empty()
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
                Citation::PathPerhaps(path) => format!("{path}?"),
                Citation::Command(tool, name) => format!("{tool:?} {name}"),
                Citation::Link(name) => format!("[[{name}]]"),
                Citation::Commit(hash) => format!("commit {hash}"),
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
            "the branch `origin/main`",
            "`@scope/pkg`",
            "JavaScript/Node.js and TypeScript/Vue.js, C#/ASP.NET, a frontend in React/Next.js",
            "input/output, TCP/IP, CI/CD, he/she, v1.2/v1.3, 2026/03/05, py3.10/py3.11",
            "前端用 TypeScript/Vue.js，和/或 JavaScript/Node.js",
            "`npm install`",
            "`make`",
            "deadbeef is a word, and 12345678 a number",
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
    fn commands_links_and_commits_are_found() {
        check(
            "Run `npm run lint` or `$ make check-all`, then `just release`.",
            &["Package lint", "Make check-all", "Just release"],
        );
        check(
            "发布前跑 `pnpm run build`，见 [[发布流程|流程]] 和 [[notes]]。",
            &["Package build", "[[发布流程]]", "[[notes]]"],
        );
        check("Fixed in `3f2a91c` and commit 0badc0ffee1.", &["commit 3f2a91c", "commit 0badc0ffee1"]);
        check("Start it with `bin/deploy`.", &["bin/deploy?"]);
    }

    #[test]
    fn what_a_sentence_says_to_be_gone_is_not_missing() {
        check("`src/old.ts` was removed in May. Use `src/new.ts`.", &["src/new.ts"]);
        check("`src/old.ts` 已删除。", &[]);
    }
}
