//! Block comments of HTML, which are notes to people and no words to a model; and blank lines that say nothing.
//!
//! The agents' reading, as observed: facts.md, Part A, section 3.

use std::borrow::Cow;
use std::ops::Range;

use crate::markdown::Outline;

const OPENS: &str = "<!--";
const CLOSES: &str = "-->";

/// What is taken out of a Markdown text before a model gets it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cleaning {
    /// Comments that are a block of their own, with the blank lines behind them.
    pub comments: bool,
    /// All but one of several blank lines; those in code stay.
    pub blank_lines: bool,
}

/// Returns the text without block comments; comments in code, in a line of text, in lists, quotations and other HTML
/// stay, and one that is not closed takes nothing away.
#[must_use]
pub fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains(OPENS) {
        return Cow::Borrowed(text);
    }
    clean(text, &Outline::of(text), Cleaning { comments: true, blank_lines: false })
}

/// Returns the text without what `cleaning` names; `outline` is the text's own.
#[must_use]
pub fn clean<'a>(text: &'a str, outline: &Outline, cleaning: Cleaning) -> Cow<'a, str> {
    let mut cuts = if cleaning.comments { comments(text, outline) } else { Vec::new() };
    if cleaning.blank_lines {
        cuts = join(cuts, blank_lines(text, outline));
    }
    if cuts.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for cut in cuts {
        kept.push_str(&text[from..cut.start.max(from)]);
        from = from.max(cut.end);
    }
    kept.push_str(&text[from..]);
    // Where a comment was, two gaps meet.
    if cleaning.comments && cleaning.blank_lines && kept.contains("\n\n\n") {
        let squeezed = clean(&kept, &Outline::of(&kept), Cleaning { comments: false, blank_lines: true });
        return Cow::Owned(squeezed.into_owned());
    }
    Cow::Owned(kept)
}

/// Returns the block comments of `text` in order.
#[must_use]
pub fn comments(text: &str, outline: &Outline) -> Vec<Range<usize>> {
    let blocks = outline.html.iter().filter(|block| block.is_top).map(|block| block.range.clone());
    blocks.flat_map(|range| in_block(text, range)).collect()
}

/// A block that begins with a comment is a block of comments; what else stands in it stays.
fn in_block(text: &str, block: Range<usize>) -> Vec<Range<usize>> {
    if !text[block.clone()].trim_start().starts_with(OPENS) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut from = block.start;
    let mut has_more = false;
    while let Some(start) = text[from..block.end].find(OPENS).map(|place| from + place) {
        let Some(end) = closing(&text[start..block.end]).map(|place| start + place) else { break };
        has_more |= !text[from..start].trim().is_empty();
        found.push(start..end);
        from = end;
    }
    has_more |= !text[from..block.end].trim().is_empty();
    if !has_more && !found.is_empty() {
        let whole = block.start..block.end + blank_behind(&text[block.end..]);
        return Vec::from([whole]);
    }
    found
}

/// Returns where a comment ends; `<!-->` and `<!--->` are whole comments.
fn closing(text: &str) -> Option<usize> {
    let short = ["<!-->", "<!--->"].iter().find(|short| text.starts_with(**short)).map(|short| short.len());
    short.or_else(|| text[OPENS.len()..].find(CLOSES).map(|place| OPENS.len() + place + CLOSES.len()))
}

/// Returns the bytes of the blank lines at the start of `text`.
fn blank_behind(text: &str) -> usize {
    let is_blank = |line: &&str| line.ends_with('\n') && line.trim().is_empty();
    text.split_inclusive('\n').take_while(is_blank).map(str::len).sum()
}

/// Returns the blank lines that follow another one outside of code and HTML.
fn blank_lines(text: &str, outline: &Outline) -> Vec<Range<usize>> {
    let mut cuts = Vec::new();
    if !text.contains("\n\n") && !text.contains("\n ") && !text.contains("\n\t") {
        return cuts;
    }
    let kept: Vec<Range<usize>> =
        join(outline.code.clone(), outline.html.iter().map(|block| block.range.clone()).collect());
    let mut kept = kept.iter().peekable();
    let (mut at, mut was_blank) = (0, false);
    for line in text.split_inclusive('\n') {
        while kept.next_if(|range| range.end <= at).is_some() {}
        let is_kept = kept.peek().is_some_and(|range| range.start < at + line.len());
        let is_blank = line.trim().is_empty() && !is_kept;
        if is_blank && was_blank {
            cuts.push(at..at + line.len());
        }
        was_blank = is_blank;
        at += line.len();
    }
    cuts
}

/// Returns both lists of ranges as one, by their starts.
fn join(mut first: Vec<Range<usize>>, second: Vec<Range<usize>>) -> Vec<Range<usize>> {
    if !second.is_empty() {
        first.extend(second);
        first.sort_by_key(|range| (range.start, range.end));
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(without_comments(text), expected, "{text:?}");
    }

    #[test]
    fn a_comment_that_is_a_block_goes_with_the_blank_lines_behind_it() {
        check("a\n\n<!-- x -->\n\nb", "a\n\nb");
        check("<!-- x\ny\n\nz -->\nb", "b");
        check("a\n<!-- x -->\nb", "a\nb");
        check("  <!-- x -->\n\n\nb", "b");
        check("<!-- a --><!-- b -->\nc", "c");
        check("<!---->\nc", "c");
        check("a\n<!-- x -->", "a\n");
        check("中文\n\n<!-- 注释 -->\n\n更多", "中文\n\n更多");
    }

    #[test]
    fn text_beside_a_comment_stays() {
        check("<!-- x --> tail\n\nb", " tail\n\nb");
        check("<!-- x --> a <!-- y -->\nb", " a \nb");
    }

    #[test]
    fn comments_elsewhere_stay() {
        for text in [
            "a <!-- x --> b",
            "`<!-- x -->`",
            "```\n<!-- x -->\n```",
            "~~~\n<!-- x -->\n~~~",
            "    <!-- x -->\n",
            "- item\n  <!-- x -->\n",
            "> <!-- x -->\n",
            "<div>\n<!-- x -->\n</div>\n",
            "<!-- unclosed\nb\n",
            "a\n\n<!-- unclosed\n\n```\nb\n```\n",
        ] {
            check(text, text);
        }
    }

    fn squeezed(text: &str) -> String {
        clean(text, &Outline::of(text), Cleaning { comments: true, blank_lines: true }).into_owned()
    }

    #[test]
    fn only_one_of_several_blank_lines_stays_outside_of_code() {
        assert_eq!(squeezed("a\n\n\n\nb\n \n\t\nc"), "a\n\nb\n \nc");
        assert_eq!(squeezed("```\na\n\n\nb\n```\n\n\nc"), "```\na\n\n\nb\n```\n\nc");
        assert_eq!(squeezed("x\n\n    a\n\n\n    b\n\n\nc"), "x\n\n    a\n\n\n    b\n\nc");
        assert_eq!(squeezed("<pre>\na\n\n\nb\n</pre>\n"), "<pre>\na\n\n\nb\n</pre>\n");
        assert_eq!(squeezed("a\n\n<!-- x -->\n\n\n\nb"), "a\n\nb");
        assert_eq!(squeezed("a\nb\n"), "a\nb\n");
    }
}
