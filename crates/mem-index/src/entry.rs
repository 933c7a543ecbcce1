//! One line of the index: made from a memory, and cut to its length at a word.

use std::collections::BTreeSet;

use mem_store::{Memory, index_file};
use mem_text::stems::is_stop_word;
use mem_text::words::{Kind, Splitter};
use mem_text::{secrets, width};

/// Fewest characters of a hook that are worth having.
const LEAST_HOOK: usize = 16;

/// Returns the line of a memory, within `most` characters where its path allows.
#[must_use]
pub fn of(memory: &Memory, most: usize) -> String {
    let hook = secrets::mask(&memory.description);
    let line = index_file::line(&secrets::mask(&memory.name), &memory.path, &hook);
    shortened(&line, most).unwrap_or(line)
}

/// Returns the line with the memory's description as its hook; everything up to the link keeps its bytes.
#[must_use]
pub fn with_hook(text: &str, memory: &Memory, most: usize) -> String {
    let Some(link) = index_file::links(text).into_iter().next() else { return of(memory, most) };
    // What closes a bold link stands before the hook.
    let close = text[link.range.end..].len() - text[link.range.end..].trim_start_matches(['*', '_', '`']).len();
    let hook = one_line(&secrets::mask(&memory.description));
    let line = format!("{} — {hook}", &text[..link.range.end + close]);
    shortened(&line, most).unwrap_or(line)
}

/// Returns what follows the first link of a line.
#[must_use]
pub fn hook(text: &str) -> &str {
    index_file::entry(text).map_or("", |entry| entry.hook)
}

/// Returns the text as the index would hold it: on one line, with nothing hidden.
#[must_use]
pub fn one_line(text: &str) -> String {
    width::escape_controls(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the line within `most` characters, its hook cut first, then its title; nothing when it fits already, or
/// when its links alone are too long.
#[must_use]
pub fn shortened(text: &str, most: usize) -> Option<String> {
    if text.chars().count() <= most {
        return None;
    }
    let links = index_file::links(text);
    let end = links.last().map_or(0, |link| link.range.end);
    let taken = text[..end].chars().count();
    if taken + LEAST_HOOK <= most || text[end..].trim().is_empty() && taken < most {
        return Some(cut(text, most, end));
    }
    let [link] = links.as_slice() else { return cut_behind(text, end, taken, most) };
    // The link alone takes too much: its title is cut to what the path leaves, and the hook goes.
    let without_title = taken - link.title.chars().count();
    let room = most.checked_sub(without_title).filter(|room| *room >= 4);
    match room {
        Some(room) if !link.is_wiki => {
            let title = cut(link.title, room.min(link.title.chars().count()), 0);
            let start = link.range.start + 1;
            Some(format!("{}{title}{}", &text[..start], &text[start + link.title.len()..end]))
        }
        _ => cut_behind(text, end, taken, most),
    }
}

/// Leaves nothing behind the last link, when that helps.
fn cut_behind(text: &str, end: usize, taken: usize, most: usize) -> Option<String> {
    (taken <= most && end > 0).then(|| text[..end].to_owned())
}

/// Returns the text within `most` characters, ending in `…` at the end of a word, never before `least` bytes.
fn cut(text: &str, most: usize, least: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let end = text.char_indices().nth(most.saturating_sub(1)).map_or(text.len(), |(end, _)| end);
    let part = &text[..end];
    let ends_a_word = text[end..].starts_with(char::is_whitespace);
    let at_word =
        part.rfind(char::is_whitespace).filter(|space| !ends_a_word && *space > least && part.len() - space < 40);
    let kept =
        part[..at_word.unwrap_or(end)].trim_end_matches(|c: char| c.is_whitespace() || ",;:—–-，；：、".contains(c));
    // Never within the link.
    if kept.len() < least { text[..least].to_owned() } else { format!("{kept}…") }
}

/// Returns the words of a text that say something: no stop words; Han and the like in pairs.
#[must_use]
pub fn content_words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    Splitter::default().each(text, |word| {
        let is_content = match word.kind {
            Kind::Part => word.text.len() > 1 && !is_stop_word(word.text),
            Kind::Two => true,
            Kind::Whole | Kind::One => false,
        };
        if is_content {
            // Long words count by their beginning, so that "deploys" and "deployment" are one.
            words.insert(word.text.chars().take(6).collect());
        }
    });
    words
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_long_line_is_cut_at_a_word_and_keeps_its_link() {
        let line = format!("- [Title](file.md) — {}", "word ".repeat(60).trim());
        let short = shortened(&line, 150).unwrap();
        assert!(short.chars().count() <= 150 && short.ends_with("word…"), "{short}");
        assert_eq!(shortened(&short, 150), None);
        let chinese = format!("- [测试](a.md) — {}", "数据库".repeat(80));
        let short = shortened(&chinese, 150).unwrap();
        assert_eq!(short.chars().count(), 150);
    }

    #[test]
    fn a_title_is_cut_when_the_link_alone_is_too_long() {
        let line = format!("- [{}](file.md) — hook", "long title ".repeat(20));
        let short = shortened(&line, 150).unwrap();
        assert!(short.chars().count() <= 150 && short.ends_with("](file.md)"), "{short}");
        let path = format!("- [T]({}.md) — hook", "p".repeat(200));
        assert_eq!(shortened(&path, 150), None);
        assert_eq!(shortened(&format!("- [[{}]]", "长".repeat(160)), 150), None);
    }

    #[test]
    fn words_that_say_something() {
        let words = content_words("the deployments of 数据库");
        assert!(words.contains("deploy") && words.contains("数据") && !words.contains("the"));
    }
}
