//! The lines of MEMORY.md, apart: which are entries, which are pinned, and which are only text.

use std::ops::Range;

use mem_store::front_matter;
use mem_store::index_file::{self, Link};
use mem_text::markdown::Outline;

/// Marks of a line, or of the heading above it, that must not be touched.
const PINS: [&str; 4] = ["📌", "<!-- pin", "<!-- keep", "[pinned]"];
/// Words of a heading under which every line is pinned.
const PINNED_HEADINGS: [&str; 3] = ["pinned", "置顶", "固定"];

/// One line of the file.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    /// From 1.
    pub number: usize,
    /// Without its ending.
    pub text: &'a str,
    /// `\n`, `\r\n`, or nothing on a last line.
    pub ending: &'a str,
    /// Links to Markdown files; none in code, comments and front matter.
    pub links: Vec<Link<'a>>,
    /// A list item with a link, or a line that begins with one: what mem-index may shorten and take out.
    pub is_entry: bool,
    /// It stays as it is, whatever its weight.
    pub is_pinned: bool,
}

/// Returns the lines of `raw` in order.
#[must_use]
pub fn of(raw: &str) -> Vec<Line<'_>> {
    let quiet = quiet_parts(raw);
    let mut quiet = quiet.iter().peekable();
    let (mut lines, mut at, mut is_under_pin) = (Vec::new(), 0, false);
    for (index, whole) in raw.split_inclusive('\n').enumerate() {
        let text = whole.trim_end_matches(['\n', '\r']);
        while quiet.next_if(|part| part.end <= at).is_some() {}
        let is_quiet = quiet.peek().is_some_and(|part| part.start < at + text.len().max(1));
        let links = if is_quiet { Vec::new() } else { index_file::links(text) };
        if text.starts_with('#') && !is_quiet {
            let heading = text.to_lowercase();
            is_under_pin = PINNED_HEADINGS.iter().any(|word| heading.contains(word)) || heading.contains(PINS[0]);
        }
        let is_pinned = is_under_pin || PINS.iter().any(|pin| text.contains(pin));
        let is_entry = links.first().is_some_and(|link| is_item(text, &link.range));
        lines.push(Line { number: index + 1, text, ending: &whole[text.len()..], links, is_entry, is_pinned });
        at += whole.len();
    }
    lines
}

/// Front matter, code and comments, by bytes.
fn quiet_parts(raw: &str) -> Vec<Range<usize>> {
    let body = front_matter::of_instructions(raw).body;
    let head = raw.len() - body.len();
    let mut parts: Vec<Range<usize>> = (head > 3).then_some(0..head).into_iter().collect();
    if body.contains("```")
        || body.contains("~~~")
        || body.contains("<!--")
        || body.contains("    ")
        || body.contains('\t')
    {
        let outline = Outline::of(body);
        let html = outline.html.into_iter().map(|block| block.range);
        parts.extend(outline.code.into_iter().chain(html).map(|range| head + range.start..head + range.end));
        parts.sort_by_key(|part| part.start);
    }
    parts
}

/// Whether a line is a list item, or begins with its link.
fn is_item(text: &str, link: &Range<usize>) -> bool {
    let before = text[..link.start].trim_start();
    let after_mark = before.trim_start_matches(|character: char| character.is_ascii_digit());
    let has_number = after_mark.len() < before.len() && after_mark.starts_with(['.', ')']);
    let has_bullet = before.starts_with("- ") || before.starts_with("* ") || before.starts_with("+ ");
    before.is_empty() || has_number || has_bullet || before.trim_matches(['*', '_', '|', ' ']).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_list_items_and_lines_that_begin_with_a_link() {
        for (text, is_entry) in [
            ("- [A](a.md) — x", true),
            ("  * **[A](a.md)**", true),
            ("1. see [A](a.md)", true),
            ("[[a]]", true),
            ("As [A](a.md) says", false),
            ("- no link", false),
        ] {
            assert_eq!(of(text)[0].is_entry, is_entry, "{text}");
        }
    }

    #[test]
    fn code_comments_and_front_matter_hold_no_entries() {
        let raw = "---\nx: \"[A](a.md)\"\n---\n```\n- [A](a.md)\n```\n<!--\n- [A](a.md)\n-->\n\n- [B](b.md)\n";
        let found: Vec<usize> = of(raw).iter().filter(|line| line.is_entry).map(|line| line.number).collect();
        assert_eq!(found, [11]);
    }

    #[test]
    fn pins_hold_for_a_line_or_for_all_under_a_heading() {
        let raw = "- [A](a.md) 📌\n- [B](b.md)\n## 置顶\n- [C](c.md)\n## Other\n- [D](d.md) <!-- pin -->\n";
        let pinned: Vec<usize> = of(raw).iter().filter(|line| line.is_pinned).map(|line| line.number).collect();
        assert_eq!(pinned, [1, 3, 4, 6]);
    }
}
