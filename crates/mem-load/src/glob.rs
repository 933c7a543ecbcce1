//! One pattern, compiled: what stands between its slashes, and what must be true of a path that it can match.
//!
//! A matcher of our own, since a rule is matched once and then forgotten: compiling a regular expression for each of a
//! thousand rules takes longer than reading their files. Every answer is checked against the `ignore` crate by a test.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// What a pattern means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// As in .gitignore: without a slash inside at any depth, and a folder stands for all that it holds.
    Gitignore,
    /// As Claude Code reads them: like .gitignore, but `/**` at the end is cut first, so that `src/**` is `src`.
    Client,
    /// A pattern is the whole path from the folder that holds `.claude`: `*.md` is in that folder only.
    Path,
}

/// A pattern, ready to be matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    /// Whether it takes out again what others brought.
    pub is_negated: bool,
    /// Whether it means folders only.
    pub only_folders: bool,
    segments: Vec<Segment>,
}

/// What a path must have so that a look at the pattern is worth while.
#[derive(Debug, PartialEq, Eq)]
pub enum Key<'a> {
    /// This last name.
    Name(&'a str),
    /// A last name that ends in a dot and this.
    Extension(String),
    /// It lies beneath this folder.
    Beneath(String),
    /// Nothing.
    All,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Segment {
    /// `**`: any number of folders.
    Folders,
    Name(String),
    Wild(Vec<Token>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Char(char),
    One,
    Many,
    Class { is_negated: bool, ranges: Vec<(char, char)> },
}

/// Longest pattern: no path of a file system is longer.
const MAX_BYTES: usize = 4096;

impl Glob {
    /// Returns the pattern compiled; its braces are expanded before.
    ///
    /// # Errors
    /// In words, when it cannot be read.
    pub fn parse(pattern: &str, meaning: Meaning) -> Result<Self, &'static str> {
        if pattern.len() > MAX_BYTES {
            return Err("it is longer than any path");
        }
        let (is_negated, rest) = pattern.strip_prefix('!').map_or((false, pattern), |rest| (true, rest));
        let is_dotted = meaning != Meaning::Client && rest.starts_with("./");
        let rest = if is_dotted { &rest[1..] } else { rest };
        let rest = if meaning == Meaning::Client { cut(rest) } else { rest };
        let rest = rest.trim_end_matches(' ');
        let is_absolute = rest.starts_with('/');
        let body = rest.trim_start_matches('/');
        let (body, only_folders) = match body.strip_suffix('/') {
            Some(body) => (body.trim_end_matches('/'), true),
            None => (body, false),
        };
        if body.is_empty() {
            return Err("it is empty");
        }
        let mut segments = body.split('/').filter(|part| !part.is_empty());
        let mut segments = segments.try_fold(Vec::new(), |mut list, part| {
            list.push(segment(part)?);
            Ok::<_, &'static str>(list)
        })?;
        let is_anchored = is_absolute || segments.len() > 1 || meaning == Meaning::Path;
        if !is_anchored && segments[0] != Segment::Folders {
            segments.insert(0, Segment::Folders);
        }
        let is_whole_folder = only_folders && meaning == Meaning::Path;
        if is_whole_folder && segments.last() != Some(&Segment::Folders) {
            segments.push(Segment::Folders);
        }
        // `a/**` is what the folder holds, and not the folder.
        if segments.last() == Some(&Segment::Folders) {
            segments.push(Segment::Wild(vec![Token::Many]));
        }
        Ok(Self { is_negated, only_folders: only_folders && !is_whole_folder, segments })
    }

    /// Whether the path with these names, [`fold`]ed, is meant.
    pub fn matches(&self, names: &[&str]) -> bool {
        let (mut at, mut name) = (0, 0);
        // Where the last `**` stands, and how many names it has taken.
        let mut back: Option<(usize, usize)> = None;
        loop {
            match self.segments.get(at) {
                Some(Segment::Folders) => {
                    back = Some((at, name));
                    at += 1;
                    continue;
                }
                Some(segment) if names.get(name).is_some_and(|name| segment.matches(name)) => {
                    at += 1;
                    name += 1;
                    continue;
                }
                None if name == names.len() => return true,
                _ => {}
            }
            match back {
                Some((folders, taken)) if taken < names.len() => {
                    back = Some((folders, taken + 1));
                    (at, name) = (folders + 1, taken + 1);
                }
                _ => return false,
            }
        }
    }

    /// Whether a path with this last name, [`fold`]ed, can be meant.
    pub fn may_end_with(&self, name: &str) -> bool {
        self.segments.last().is_none_or(|segment| segment.matches(name))
    }

    /// Returns what a path must have to be worth a look.
    pub fn key(&self) -> Key<'_> {
        match self.segments.last() {
            Some(Segment::Name(name)) => return Key::Name(name),
            Some(Segment::Wild(tokens)) => {
                if let Some(extension) = extension(tokens) {
                    return Key::Extension(extension);
                }
            }
            Some(Segment::Folders) | None => {}
        }
        let names = self.segments.iter().map_while(|segment| match segment {
            Segment::Name(name) => Some(name.as_str()),
            Segment::Folders | Segment::Wild(_) => None,
        });
        let folder = names.collect::<Vec<_>>().join("/");
        if folder.is_empty() { Key::All } else { Key::Beneath(folder) }
    }
}

/// Returns a name as patterns are compared with it: in lower case, and composed, since macOS takes names apart.
pub fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    if is_nfc_quick(name.chars()) == IsNormalized::Yes {
        return name.chars().map(lower).collect();
    }
    name.nfc().map(lower).collect()
}

/// A letter that becomes several in lower case stays as it is: a class stands for one character.
fn lower(character: char) -> char {
    let mut letters = character.to_lowercase();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => letter,
        _ => character,
    }
}

/// Cuts `/**` at the end, as the client does.
fn cut(pattern: &str) -> &str {
    match pattern.strip_suffix("/**") {
        Some(folder) if !folder.is_empty() && !folder.ends_with("**") => folder,
        _ => pattern,
    }
}

fn segment(part: &str) -> Result<Segment, &'static str> {
    if part == "**" {
        return Ok(Segment::Folders);
    }
    let part = fold(part);
    if !part.contains(['*', '?', '[', '\\']) {
        return Ok(Segment::Name(part));
    }
    let mut tokens = Vec::new();
    let mut rest = part.as_str();
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match character {
            '*' if tokens.last() == Some(&Token::Many) => {}
            '*' => tokens.push(Token::Many),
            '?' => tokens.push(Token::One),
            '[' => {
                let (class, length) = class(rest)?;
                tokens.push(class);
                rest = &rest[length..];
            }
            '\\' => {
                let escaped = rest.chars().next().ok_or("it ends in a backslash")?;
                rest = &rest[escaped.len_utf8()..];
                tokens.push(Token::Char(escaped));
            }
            other => tokens.push(Token::Char(other)),
        }
    }
    let name: Option<String> = tokens.iter().map(Token::literal).collect();
    Ok(name.map_or(Segment::Wild(tokens), Segment::Name))
}

/// Reads what stands behind `[`, up to and with the `]`.
fn class(text: &str) -> Result<(Token, usize), &'static str> {
    const UNCLOSED: &str = "a bracket is not closed";
    let is_negated = text.starts_with(['!', '^']);
    let inner = if is_negated { &text[1..] } else { text };
    let mut ranges: Vec<(char, char)> = Vec::new();
    let mut characters = inner.char_indices().peekable();
    // A bracket that comes first is a character.
    let mut is_first = true;
    while let Some((place, character)) = characters.next() {
        let low = match character {
            ']' if !is_first => {
                return Ok((Token::Class { is_negated, ranges }, text.len() - inner.len() + place + 1));
            }
            '\\' => characters.next().ok_or(UNCLOSED)?.1,
            other => other,
        };
        is_first = false;
        let is_range = characters.peek().is_some_and(|(_, next)| *next == '-')
            && inner[place..].chars().nth(2).is_some_and(|next| next != ']');
        if !is_range {
            ranges.push((low, low));
            continue;
        }
        characters.next();
        let mut high = characters.next().ok_or(UNCLOSED)?.1;
        if high == '\\' {
            high = characters.next().ok_or(UNCLOSED)?.1;
        }
        if high < low {
            return Err("a range in brackets goes downwards");
        }
        ranges.push((low, high));
    }
    Err(UNCLOSED)
}

/// Returns what a last name must have behind its last dot.
fn extension(tokens: &[Token]) -> Option<String> {
    let mut extension = Vec::new();
    for token in tokens.iter().rev() {
        match token {
            Token::Char('.') => return Some(extension.into_iter().rev().collect()),
            Token::Char(character) => extension.push(*character),
            Token::One | Token::Many | Token::Class { .. } => return None,
        }
    }
    None
}

impl Segment {
    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Folders => true,
            Self::Name(own) => own == name,
            Self::Wild(tokens) => wild_matches(tokens, name),
        }
    }
}

fn wild_matches(tokens: &[Token], name: &str) -> bool {
    let (mut at, mut rest) = (0, name);
    let mut back: Option<(usize, &str)> = None;
    loop {
        let next = rest.chars().next();
        match (tokens.get(at), next) {
            (Some(Token::Many), _) => {
                back = Some((at, rest));
                at += 1;
                continue;
            }
            (Some(token), Some(character)) if token.matches(character) => {
                at += 1;
                rest = &rest[character.len_utf8()..];
                continue;
            }
            (None, None) => return true,
            _ => {}
        }
        match back.and_then(|(many, from)| Some((many, from, from.chars().next()?))) {
            Some((many, from, taken)) => {
                rest = &from[taken.len_utf8()..];
                back = Some((many, rest));
                at = many + 1;
            }
            None => return false,
        }
    }
}

impl Token {
    fn literal(&self) -> Option<char> {
        if let Self::Char(character) = self { Some(*character) } else { None }
    }

    fn matches(&self, character: char) -> bool {
        match self {
            Self::Char(own) => *own == character,
            Self::One | Self::Many => true,
            Self::Class { is_negated, ranges } => {
                let is_in = |(low, high): &(char, char)| (*low..=*high).contains(&character);
                ranges.iter().any(is_in) != *is_negated
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(pattern: &str, meaning: Meaning, path: &str, expected: bool) {
        let path = fold(path);
        let names: Vec<&str> = path.split('/').collect();
        assert_eq!(Glob::parse(pattern, meaning).unwrap().matches(&names), expected, "{pattern} {path} {meaning:?}");
    }

    #[test]
    fn names_classes_and_stars_match_within_a_name() {
        for (pattern, path, expected) in [
            ("/a*c", "abbc", true),
            ("/a*c", "abb", false),
            ("/a*b*c", "axbxbxc", true),
            ("/mai?.ts", "main.ts", true),
            ("/[a-m]ain.ts", "main.ts", true),
            ("/[!a-m]ain.ts", "main.ts", false),
            ("/[]a].ts", "].ts", true),
            ("/[a-]", "-", true),
            ("/app/\\[id\\]/page.tsx", "app/[id]/page.tsx", true),
            ("/app/[id]/page.tsx", "app/[id]/page.tsx", false),
            ("/{a}", "{a}", true),
            ("/ÄB?", "äbc", true),
            ("/e\u{301}.md", "\u{e9}.md", true),
            ("/a**b", "axxb", true),
            ("/*/b", "a/b", true),
            ("/*", "a/b", false),
        ] {
            check(pattern, Meaning::Gitignore, path, expected);
        }
    }

    #[test]
    fn two_stars_are_any_number_of_folders() {
        for (pattern, path, expected) in [
            ("**/x", "x", true),
            ("**/x", "a/b/x", true),
            ("a/**/x", "a/x", true),
            ("a/**/x", "a/b/c/x", true),
            ("a/**", "a/b/c", true),
            ("a/**", "a", false),
            ("a/**/b/**/c", "a/1/b/2/b/3/c", true),
            ("a/**/b/**/c", "a/1/c/2/b/3", false),
            ("**", "a/b", true),
        ] {
            check(pattern, Meaning::Gitignore, path, expected);
        }
    }

    #[test]
    fn a_meaning_says_where_a_pattern_without_a_slash_holds() {
        check("*.md", Meaning::Gitignore, "docs/a.md", true);
        check("*.md", Meaning::Path, "docs/a.md", false);
        check("*.md", Meaning::Path, "a.md", true);
        check("docs/", Meaning::Path, "docs/x/a.md", true);
        check("src/**", Meaning::Gitignore, "lib/src/a.ts", false);
        check("src/**", Meaning::Client, "lib/src", true);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for pattern in ["[", "a[b", "[z-a]", "x\\", "/", "!", &"x".repeat(5000)] {
            assert!(Glob::parse(pattern, Meaning::Gitignore).is_err(), "{pattern}");
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        let pattern = format!("/{}b", "a*".repeat(300));
        check(&pattern, Meaning::Gitignore, &"a".repeat(3000), false);
        check(&format!("{}x", "**/a/".repeat(100)), Meaning::Gitignore, &"a/".repeat(1000), false);
    }

    #[test]
    fn the_same_paths_match_as_in_the_ignore_crate() {
        use ignore::gitignore::GitignoreBuilder;
        let parts = ["a", "b", "*", "**", "*.ts", "a.ts", "?", "[ab]", ".g", "a*", "A"];
        let paths = ["a", "b", "a.ts", "x.ts", ".g", "aa", "a/b", "a/b/a.ts", "b/a", "b/.g/x.ts", "a/a/a", "c/aa/b.ts"];
        let mut compared = 0;
        let joined = |first: &str, second: &str, ends: [&str; 2]| format!("{}{first}/{second}{}", ends[0], ends[1]);
        let pairs = parts.iter().flat_map(|first| {
            parts.iter().flat_map(move |second| {
                let ends = [["", ""], ["/", ""], ["", "/"], ["**/", ""], ["", "/**"]];
                ends.map(|ends| joined(first, second, ends))
            })
        });
        let singles = parts.iter().flat_map(|part| [(*part).to_owned(), format!("/{part}"), format!("{part}/")]);
        for pattern in singles.chain(pairs) {
            let mut builder = GitignoreBuilder::new("/");
            builder.case_insensitive(true).unwrap().add_line(None, &pattern).unwrap();
            let theirs = builder.build().unwrap();
            let ours = Glob::parse(&pattern, Meaning::Gitignore).unwrap();
            for path in paths {
                let folded = fold(path);
                let names: Vec<&str> = folded.split('/').collect();
                for is_folder in [true, false] {
                    let expected = theirs.matched(path, is_folder).is_ignore();
                    let found = ours.matches(&names) && (is_folder || !ours.only_folders);
                    assert_eq!(found, expected, "{pattern} {path} folder: {is_folder}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 10_000);
    }
}
