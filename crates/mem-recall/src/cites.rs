//! The paths that a memory cites, and whether the project has them.

use std::path::Path;

use mem_store::World;
use mem_types::recall::Citation;

/// So many different paths of one memory are looked up.
const MOST: usize = 20;
/// A longer word is no path that anybody cites.
const LONGEST: usize = 200;
/// Endings by which a bare file name is known as one.
const ENDINGS: &[&str] = &[
    "bash", "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "ex", "exs", "go", "gradle", "h", "hpp", "html",
    "ini", "java", "js", "json", "jsx", "kt", "less", "lock", "lua", "md", "mjs", "mk", "php", "proto", "py", "pyi",
    "rb", "rs", "scala", "scss", "sh", "sql", "svelte", "swift", "tf", "toml", "ts", "tsx", "txt", "vue", "xml",
    "yaml", "yml", "zig",
];

/// Returns the cited paths in the order of the text, each once, with `fresh`, `stale` or `unverifiable`.
pub fn check(text: &str, root: &Path, world: &World) -> Vec<Citation> {
    let mut found: Vec<Citation> = Vec::new();
    for path in words(text).filter(|word| is_path(word)) {
        if found.iter().any(|citation| citation.path == path) {
            continue;
        }
        found.push(Citation { path: path.to_owned(), state: state(path, root, world).to_owned() });
        if found.len() == MOST {
            break;
        }
    }
    found
}

fn state(path: &str, root: &Path, world: &World) -> &'static str {
    let whole = without_line(path);
    // An import is written with a mark before it, and so is a package's scope, which lies elsewhere.
    let bare = whole.strip_prefix('@').unwrap_or(whole);
    match world.exists_beneath(root, bare) {
        Some(true) => "fresh",
        // A name without a folder may lie anywhere: that it is not at the root proves nothing.
        Some(false) if whole.contains('/') && whole == bare => "stale",
        _ => "unverifiable",
    }
}

/// Returns the words that could be paths: what stands between blanks, quotes and brackets. Outside a code span a Chinese
/// character ends a word, too, since no blank stands before it; but not within a path, as in `docs/说明.md`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let spans = text.split('`').enumerate();
    let words = spans.flat_map(|(index, span)| {
        let words = span.split(ends_word);
        words.flat_map(move |word| if index % 2 == 1 { vec![word] } else { without_prose(word) })
    });
    words.map(|word| word.trim_end_matches(['.', ':', '!', '?', '/'])).filter(|word| !word.is_empty())
}

fn ends_word(one: char) -> bool {
    one.is_whitespace() || "\"'()[]{}<>|,;*，。；：、（）「」『』“”‘’".contains(one)
}

/// Returns the parts of a word between runs of a script without blanks; a run that stands between marks of a path is
/// part of it.
fn without_prose(word: &str) -> Vec<&str> {
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(found) = word[at..].find(mem_text::words::is_dense) {
        let run = at + found;
        let end = word[run..].find(|one| !mem_text::words::is_dense(one)).map_or(word.len(), |length| run + length);
        let is_inside = word[..run].ends_with(['/', '_', '-']) && word[end..].starts_with(['.', '/', '_', '-']);
        if !is_inside {
            parts.push(&word[start..run]);
            start = end;
        }
        at = end;
    }
    parts.push(&word[start..]);
    parts
}

fn is_path(word: &str) -> bool {
    let bare = without_line(word);
    let name = bare.rsplit('/').next().unwrap_or_default();
    let plain = |one: char| one.is_alphanumeric() || "._-/@+~".contains(one);
    if bare.len() > LONGEST || bare.contains("//") || !bare.chars().all(plain) {
        return false;
    }
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
    let has_known_ending = ending.is_some_and(|ending| ENDINGS.contains(&ending));
    let folders = bare.matches('/').count();
    // "and/or", "2026/11/30" and "application/json" are no paths; "src/payments/gateway" is one.
    has_known_ending || (folders >= 2 && bare.chars().any(char::is_alphabetic) && !starts_like_url(bare))
}

fn starts_like_url(word: &str) -> bool {
    let host = word.split('/').next().unwrap_or_default();
    host.len() > 1 && !host.starts_with('.') && host.contains('.')
}

/// Returns the path without `:12` or `:12:3` or `#L12` behind it.
fn without_line(path: &str) -> &str {
    let path = path.split('#').next().unwrap_or(path);
    let end =
        path.find(':').filter(|at| path[at + 1..].chars().all(|one| one.is_ascii_digit() || one == ':' || one == '-'));
    &path[..end.unwrap_or(path.len())]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mem_store::{Environment, Moment};

    fn check_text(text: &str, expected: &[(&str, &str)]) {
        let project = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(project.path().join("src/pay")).unwrap();
        std::fs::write(project.path().join("src/pay/main.rs"), "").unwrap();
        let world = World::new(Environment::default(), Moment::parse("2026-11-30T12:00:00Z").unwrap());
        let found = check(text, project.path(), &world);
        let found: Vec<(&str, &str)> = found.iter().map(|cite| (cite.path.as_str(), cite.state.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn paths_are_found_in_prose_of_both_languages() {
        check_text(
            "See `src/pay/main.rs:12`, then src/pay/old.rs.",
            &[("src/pay/main.rs:12", "fresh"), ("src/pay/old.rs", "stale")],
        );
        check_text("看src/pay/main.rs这个文件", &[("src/pay/main.rs", "fresh")]);
        check_text(
            "见 `docs/回滚.md`，还有 `src/pay/main.rs`。",
            &[("docs/回滚.md", "stale"), ("src/pay/main.rs", "fresh")],
        );
        check_text("(src/pay/main.rs) src/pay/main.rs", &[("src/pay/main.rs", "fresh")]);
        check_text("先看docs/说明-旧.md再改", &[("docs/说明-旧.md", "stale")]);
        check_text(
            "@src/pay/main.rs, @scope/pkg/index.js",
            &[("@src/pay/main.rs", "fresh"), ("@scope/pkg/index.js", "unverifiable")],
        );
    }

    #[test]
    fn what_only_looks_like_a_path_is_none() {
        check_text("and/or, 2026/11/30, application/json, https://a.example/b/c.md, e.g. v1.2.3, a.b", &[]);
    }

    #[test]
    fn nothing_outside_the_project_is_looked_up() {
        check_text(
            "/etc/app/conf.toml ../other/x.rs main.rs",
            &[("/etc/app/conf.toml", "unverifiable"), ("../other/x.rs", "unverifiable"), ("main.rs", "unverifiable")],
        );
    }

    #[test]
    fn so_many_are_looked_up_and_no_more() {
        let text: String = (0..100).map(|number| format!("src/file{number}.rs ")).collect();
        let world = World::new(Environment::default(), Moment::parse("2026-11-30T12:00:00Z").unwrap());
        assert_eq!(check(&text, Path::new("/nowhere"), &world).len(), MOST);
    }
}
