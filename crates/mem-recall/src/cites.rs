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
    let bare = without_line(path);
    match world.exists_beneath(root, bare) {
        Some(true) => "fresh",
        // A name without a folder may lie anywhere: that it is not at the root proves nothing.
        Some(false) if bare.contains('/') => "stale",
        _ => "unverifiable",
    }
}

/// Returns the words that could be paths: what stands between blanks, quotes, brackets and CJK characters.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let ends = |one: char| {
        one.is_whitespace()
            || "`\"'()[]{}<>|,;*，。；：、（）「」『』“”‘’".contains(one)
            || mem_text::words::is_dense(one)
    };
    text.split(ends).map(|word| word.trim_end_matches(['.', ':', '!', '?', '/'])).filter(|word| !word.is_empty())
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
