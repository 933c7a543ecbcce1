//! What an `@` in an instruction file may name: the paths to try, in order.
//!
//! Agents take the word up to the next blank as it is. mem also takes what is clearly meant: a path with a comma or a
//! bracket behind it, in brackets, in a sentence without blanks.

use mem_text::mentions::{Mention, Place, is_blank};

/// Most endings that are tried without one more closing mark.
const MOST_TRIES: usize = 24;

/// Returns the paths that a mention may name, the likeliest first; none when it is no import. Escapes and fragments
/// are taken off. The agents' reading: facts.md, Part A, section 4.
pub fn exact(mention: &Mention<'_>) -> Vec<String> {
    let is_separate = mention.before.is_none_or(is_blank);
    if !is_separate || mention.place == Place::Html {
        return Vec::new();
    }
    let word = unescaped(until_backslash(mention.word));
    let path = without_fragment(&word);
    if starts_exactly(path) { vec![path.to_owned()] } else { Vec::new() }
}

/// Returns the paths that a mention may name where it is clear what was meant; the last one is what is said when none
/// of them is there.
pub fn friendly(mention: &Mention<'_>) -> Vec<String> {
    if !mention.before.is_none_or(may_stand_before) {
        return Vec::new();
    }
    let word = unescaped(mention.word);
    let path = without_fragment(&word);
    let may_start = path
        .chars()
        .next()
        .is_some_and(|first| first.is_alphanumeric() || matches!(first, '.' | '/' | '~' | '_' | '-'));
    if !may_start || path == "/" || path == "~" || path.contains("://") {
        return Vec::new();
    }
    let mut tries = vec![path.to_owned()];
    add_without_marks(path, &mut tries);
    // A sentence without blanks goes on behind the path: at the next mark, or where the script changes.
    for end in [path.find(is_mark_of_chinese), path.find('@'), change_of_script(path)].into_iter().flatten() {
        tries.push(path[..end].to_owned());
        add_without_marks(&path[..end], &mut tries);
    }
    // Where a backslash is no escape, somebody wrote a path as Windows does.
    if path.contains('\\') {
        let slashed = without_fragment(mention.word).replace('\\', "/");
        tries.push(slashed.clone());
        add_without_marks(&slashed, &mut tries);
    }
    let mut seen = std::collections::BTreeSet::new();
    tries.retain(|path| !path.is_empty() && seen.insert(path.clone()));
    tries
}

/// Whether a path that is not there was meant as one: it has a known ending or says where it starts.
pub fn looks_like_path(path: &str) -> bool {
    let has_start = ["./", "../", "~/", "/"].iter().any(|start| path.starts_with(start));
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map(|(stem, ending)| (stem, ending.to_lowercase()));
    // An address such as example.org is no file of Emacs.
    let is_file = ending.is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && (matches!(ending.as_str(), "md" | "mdx" | "mdc" | "txt" | "markdown" | "json" | "yaml" | "yml" | "toml"))
    });
    has_start || is_file
}

fn add_without_marks(path: &str, tries: &mut Vec<String>) {
    let mut path = path;
    for _ in 0..MOST_TRIES {
        let Some(last) = path.chars().next_back().filter(|last| closes(*last)) else { return };
        path = &path[..path.len() - last.len_utf8()];
        tries.push(path.to_owned());
    }
}

fn closes(character: char) -> bool {
    matches!(
        character,
        '.' | ',' | ':' | ';' | '!' | '?' | ')' | ']' | '}' | '>' | '"' | '\'' | '*' | '_' | '~' | '|' | '…'
    ) || is_mark_of_chinese(character)
}

fn is_mark_of_chinese(character: char) -> bool {
    matches!(
        character,
        '，' | '。'
            | '；'
            | '：'
            | '！'
            | '？'
            | '、'
            | '）'
            | '（'
            | '」'
            | '』'
            | '”'
            | '’'
            | '“'
            | '‘'
            | '】'
            | '》'
            | '《'
            | '…'
    )
}

/// Returns where letters of another script follow an ending such as `.md`.
fn change_of_script(path: &str) -> Option<usize> {
    let dot = path.rfind('.')?;
    path[dot..].char_indices().skip(1).find(|(_, character)| !character.is_ascii()).map(|(place, _)| dot + place)
}

/// What may stand before a mention: marks that open, and scripts that put no blanks between words.
fn may_stand_before(character: char) -> bool {
    is_blank(character)
        || matches!(
            character,
            '(' | '[' | '{' | '<' | '>' | '"' | '\'' | '*' | '_' | '~' | '|' | ',' | ';' | '→' | '—' | '–'
        )
        || is_mark_of_chinese(character)
        || matches!(character, '「' | '『' | '【')
        || writes_without_blanks(character)
}

fn writes_without_blanks(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}')
}

fn starts_exactly(path: &str) -> bool {
    ["./", "~/"].iter().any(|start| path.starts_with(start))
        || path.starts_with('/') && path.len() > 1
        || path.chars().next().is_some_and(|first| first.is_ascii_alphanumeric() || matches!(first, '.' | '_' | '-'))
}

/// A backslash that escapes no blank ends a word for the agents.
fn until_backslash(word: &str) -> &str {
    let end = word.match_indices('\\').map(|(place, _)| place).find(|place| !word[place + 1..].starts_with(' '));
    &word[..end.unwrap_or(word.len())]
}

fn unescaped(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    let mut characters = word.chars().peekable();
    while let Some(character) = characters.next() {
        let escapes =
            character == '\\' && characters.peek().is_some_and(|next| *next == ' ' || next.is_ascii_punctuation());
        text.push(if escapes { characters.next().unwrap_or(character) } else { character });
    }
    text
}

fn without_fragment(word: &str) -> &str {
    word.split('#').next().unwrap_or_default().trim_end()
}

#[cfg(test)]
mod tests {
    use mem_text::markdown::Outline;
    use mem_text::mentions::mentions;

    use super::*;

    fn check(text: &str, is_exact: bool, expected: &[&str]) {
        let outline = Outline::of(text);
        let (found, _) = mentions(text, &outline);
        let tries = found.iter().map(if is_exact { exact } else { friendly }).find(|tries| !tries.is_empty());
        assert_eq!(tries.unwrap_or_default(), expected, "{text}");
    }

    #[test]
    fn agents_take_the_word_as_it_is() {
        for (text, expected) in [
            ("@a.md", &["a.md"][..]),
            ("@a.md, b", &["a.md,"]),
            ("x\u{3000}@a.md", &["a.md"]),
            ("@docs/a\\ b.md", &["docs/a b.md"]),
            ("@a.md#part", &["a.md"]),
            ("@./中文.md", &["./中文.md"]),
            ("@~/x.md", &["~/x.md"]),
            ("**@a.md**", &["a.md"]),
            ("(@a.md)", &[]),
            ("x@a.md", &[]),
            ("@中文.md", &[]),
            ("@%p.md", &[]),
            ("@#z.md", &[]),
            ("@~user.md", &[]),
            ("@/", &[]),
            ("@\"a b.md\"", &[]),
            ("<div>\n@a.md\n</div>", &[]),
        ] {
            check(text, true, expected);
        }
    }

    #[test]
    fn mem_takes_what_is_clearly_meant() {
        for (text, expected) in [
            ("@a.md", &["a.md"][..]),
            ("see @docs/b.md: x", &["docs/b.md:", "docs/b.md"]),
            ("(@c.md).", &["c.md).", "c.md)", "c.md"]),
            ("见@docs/规范.md，然后", &["docs/规范.md，然后", "docs/规范.md"]),
            ("请读@a.md然后做", &["a.md然后做", "a.md"]),
            ("@中文.md", &["中文.md"]),
            ("@docs/team\\ rules.md", &["docs/team rules.md"]),
            ("@a.md#part", &["a.md"]),
            ("@docs\\b.md", &["docs\\b.md", "docs/b.md"]),
            ("ada@notes.md", &[]),
            ("é@notes.md", &[]),
            ("@\"a b.md\"", &[]),
            ("@https://x.y", &[]),
            ("@$d.md", &[]),
        ] {
            check(text, false, expected);
        }
    }

    #[test]
    fn a_path_has_an_ending_or_a_start() {
        for (word, expected) in [
            ("a.md", true),
            ("./x", true),
            ("docs/a.txt", true),
            ("Component", false),
            ("scope/pkg", false),
            ("example.org", false),
        ] {
            assert_eq!(looks_like_path(word), expected, "{word}");
        }
    }
}
