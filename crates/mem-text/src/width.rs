//! Display columns: how wide text stands in a terminal, padding, folding, and what must be made visible.
//!
//! [`Table`] aligns cells by it.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

pub use crate::table::{Align, Column, Table};

/// Returns how many columns `text` takes in a terminal; emoji and Chinese characters take two.
pub fn columns(text: &str) -> usize {
    if text.bytes().all(|byte| (b' '..0x7f).contains(&byte)) {
        return text.len();
    }
    text.width()
}

/// Returns the pieces of `text` that stand or fall together (a letter with its accents, a whole emoji), with where each begins.
pub fn clusters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.grapheme_indices(true)
}

/// Returns `text` with blanks behind it up to `width` columns; longer text comes back as it is.
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Returns `text` with blanks before it up to `width` columns; longer text comes back as it is.
pub fn pad_left(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Returns `text` as lines of at most `width` columns, at least one line.
///
/// Breaks at blanks, between Chinese characters (never before closing marks), and inside a word only
/// when it is longer than a line. Line ends of the text stay.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        wrap_paragraph(paragraph, width, &mut lines);
    }
    lines
}

fn wrap_paragraph(paragraph: &str, width: usize, lines: &mut Vec<String>) {
    let mut line = String::new();
    let mut used = 0;
    for piece in pieces(paragraph) {
        let size = columns(piece);
        if used + columns(piece.trim_end()) > width && used > 0 {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
            used = 0;
        }
        let mut rest = piece;
        while used == 0 && columns(rest.trim_end()) > width {
            let head = crate::cut::columns(rest, width);
            let head = if head.is_empty() { rest } else { head };
            lines.push(head.to_owned());
            rest = &rest[head.len()..];
        }
        line.push_str(rest);
        used += if rest.len() == piece.len() { size } else { columns(rest) };
    }
    lines.push(line.trim_end().to_owned());
}

/// Splits where a line may break: behind blanks, and before and behind a wide character.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before: Option<&str> = None;
    for (at, cluster) in clusters(text) {
        if before.is_some_and(|before| may_break(before, cluster)) {
            pieces.push(&text[start..at]);
            start = at;
        }
        before = Some(cluster);
    }
    pieces.push(&text[start..]);
    pieces
}

fn may_break(before: &str, after: &str) -> bool {
    let is_blank = |cluster: &str| cluster.chars().all(|c| c == ' ' || c == '\t');
    if is_blank(before) {
        return !is_blank(after);
    }
    let either_is_wide = columns(before) > 1 || columns(after) > 1;
    let clings = |cluster: &str, marks: &str| cluster.chars().next().is_some_and(|c| marks.contains(c));
    either_is_wide
        && !is_blank(after)
        && !clings(after, "，。、；：？！）】」』》〉”’…—,.;:?!)]}%")
        && !clings(before, "（【「『《〈“‘([{")
}

/// Returns `text` with every character that hides or steers made visible as `\u{202e}`; tab and line end stay.
///
/// Control characters, bidi marks, zero-width and tag characters. A joiner or a variation mark inside an
/// emoji stays, since it is seen.
pub fn escape_controls(text: &str) -> Cow<'_, str> {
    escape(text, &['\t', '\n'])
}

/// Returns `text` like [`escape_controls`], with tab and line end made visible too: for names and cells.
pub fn escape_line(text: &str) -> Cow<'_, str> {
    escape(text, &[])
}

fn escape<'a>(text: &'a str, allowed: &[char]) -> Cow<'a, str> {
    let is_plain = |byte: u8| (b' '..0x7f).contains(&byte) || allowed.contains(&char::from(byte));
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut copied = 0;
    let mut before = ' ';
    for (at, character) in text.char_indices() {
        if hides(character) && !allowed.contains(&character) && !(is_emoji_part(character) && is_pictograph(before)) {
            out.push_str(&text[copied..at]);
            out.push_str(&visible(character));
            copied = at + character.len_utf8();
        }
        before = character;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

fn visible(character: char) -> String {
    match character {
        '\t' => "\\t".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        other => format!("\\u{{{:x}}}", u32::from(other)),
    }
}

/// Tells whether a terminal or a reader would not see `character`, or be led by it.
pub fn hides(character: char) -> bool {
    matches!(u32::from(character),
        0x00..=0x1f | 0x7f..=0x9f | 0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5
        | 0x180b..=0x180e | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164
        | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff9..=0xfffb | 0x1d173..=0x1d17a
        | 0xe0000..=0xe0fff)
}

/// Returns the characters of `text` that nobody sees or that lead a reader astray, with their places.
///
/// Tab and line ends are none, nor a joiner or variation mark where a script or an emoji needs it.
pub fn hidden(text: &str) -> impl Iterator<Item = (usize, char)> {
    let is_plain = text.bytes().all(|byte| (b' '..0x7f).contains(&byte) || matches!(byte, b'\t' | b'\n' | b'\r'));
    let text = if is_plain { "" } else { text };
    let mut before = ' ';
    text.char_indices().filter(move |(_, character)| {
        let is_needed = is_emoji_part(*character) && is_pictograph(before) || is_joiner(*character) && joins(before);
        before = *character;
        hides(*character) && !matches!(character, '\t' | '\n' | '\r') && !is_needed
    })
}

fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}')
}

/// Whether a letter is of a script in which joiners change how a word is written: Arabic, those of India, Mongolian.
fn joins(letter: char) -> bool {
    matches!(u32::from(letter), 0x600..=0x7ff | 0x900..=0xdff | 0x1000..=0x109f | 0x1780..=0x18aa)
}

fn is_emoji_part(character: char) -> bool {
    matches!(u32::from(character), 0x200d | 0xfe0e..=0xfe0f)
}

fn is_pictograph(character: char) -> bool {
    matches!(u32::from(character), 0x23 | 0x2a | 0x30..=0x39 | 0xa9 | 0xae | 0x203c..=0x3299 | 0xfe0f | 0x1f000..=0x1faff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_and_emoji_take_two_columns() {
        for (text, want) in [("abc", 3), ("中文", 4), ("👍", 2), ("👨‍👩‍👧", 2), ("e\u{301}", 1), ("", 0)]
        {
            assert_eq!(columns(text), want, "{text}");
        }
    }

    #[test]
    fn padding_counts_columns_and_never_cuts() {
        assert_eq!(pad("中", 4), "中  ");
        assert_eq!(pad_left("7", 3), "  7");
        assert_eq!(pad("longer", 2), "longer");
    }

    #[test]
    fn wrapped_lines_fit_and_lose_nothing_but_blanks() {
        let texts = [
            "the quick brown fox jumps over a verylongwordthatdoesnotfit here",
            "测试环境的数据库是真实的，不要用假的；端口是 7431。",
            "mixed 中文 and English words，再来一些。",
            "two\nlines",
        ];
        for text in texts {
            for width in [4, 7, 12, 80] {
                let lines = wrap(text, width);
                assert!(lines.iter().all(|line| columns(line) <= width.max(4)), "{width}: {lines:?}");
                let squeeze = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
                assert_eq!(squeeze(&lines.concat()), squeeze(text));
            }
        }
    }

    #[test]
    fn a_chinese_line_does_not_begin_with_a_comma() {
        assert_eq!(wrap("数据库，端口", 6), ["数据", "库，端", "口"]);
    }

    #[test]
    fn what_hides_is_found_and_what_a_script_needs_is_not() {
        for (text, expected) in [
            ("plain\ttext\r\n", 0),
            ("a\u{200b}b\u{202e}c\u{e0041}\u{e0042}", 4),
            ("👨‍👩‍👧 ❤️", 0),
            ("می\u{200c}خواهم", 0),
            ("क्\u{200d}ष", 0),
            ("a\u{200d}b", 1),
            ("中文\u{feff}", 1),
        ] {
            assert_eq!(hidden(text).count(), expected, "{text:?}");
        }
    }

    #[test]
    fn what_hides_is_made_visible_and_emoji_stay() {
        let cases = [
            ("plain text", "plain text"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("a\u{200b}b\u{e0041}", "a\\u{200b}b\\u{e0041}"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("a\tb\nc", "a\tb\nc"),
            ("👨‍👩‍👧 ❤️", "👨‍👩‍👧 ❤️"),
            ("a\u{200d}b", "a\\u{200d}b"),
            ("中文", "中文"),
        ];
        for (text, want) in cases {
            assert_eq!(escape_controls(text), want);
        }
        assert_eq!(escape_line("a\tb\nc\r"), "a\\tb\\nc\\r");
    }
}
