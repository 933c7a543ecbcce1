//! Where code, HTML and running text stand in a Markdown file, by bytes.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// A longer text is taken as it is: no instruction file or memory is so long.
const LONGEST: usize = 4 * 1024 * 1024;

/// The parts of a Markdown text that are not all alike for imports, comments and blank lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// Fenced and indented code blocks, in order.
    pub code: Vec<Range<usize>>,
    /// HTML blocks, in order.
    pub html: Vec<HtmlBlock>,
    /// Running text: paragraphs, headings, items and cells, without code spans, tags and link targets. What stands
    /// side by side is one range.
    pub text: Vec<Range<usize>>,
    /// Headings that stand in no list or quotation, in order: the whole of each, marks included.
    pub headings: Vec<Range<usize>>,
}

/// A block of HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HtmlBlock {
    /// From the start of its first line to the end of its last.
    pub range: Range<usize>,
    /// Whether it stands by itself, in no list, quotation or other block.
    pub is_top: bool,
}

impl Outline {
    /// Returns the parts of `text`.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut outline = Self::default();
        if text.len() > LONGEST {
            outline.text.push(0..text.len());
            return outline;
        }
        let mut builder = Builder { source: text, outline: &mut outline, depth: 0, is_in_code: false };
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            builder.take(&event, range);
        }
        outline
    }
}

struct Builder<'a, 'b> {
    source: &'a str,
    outline: &'b mut Outline,
    depth: usize,
    is_in_code: bool,
}

impl Builder<'_, '_> {
    fn take(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => {
                self.is_in_code = true;
                self.outline.code.push(range);
            }
            Event::End(TagEnd::CodeBlock) => self.is_in_code = false,
            Event::Start(Tag::HtmlBlock) => {
                let start = line_start(self.source, range.start);
                self.outline.html.push(HtmlBlock { range: start..range.end, is_top: self.depth == 0 });
                self.depth += 1;
            }
            Event::Start(tag) => {
                if self.depth == 0 && matches!(tag, Tag::Heading { .. }) {
                    self.outline.headings.push(range);
                }
                self.depth += 1;
            }
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            Event::Text(_) if !self.is_in_code => self.add_text(range),
            _ => {}
        }
    }

    /// Joins what only an escaping backslash parts.
    fn add_text(&mut self, range: Range<usize>) {
        match self.outline.text.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            Some(last) if self.source.get(last.end..range.start) == Some("\\") => last.end = range.end,
            _ => self.outline.text.push(range),
        }
    }
}

/// Returns where the line begins in which `at` stands.
fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |place| place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        Outline::of(source).text.into_iter().map(|range| &source[range]).collect()
    }

    #[test]
    fn running_text_is_what_is_no_code_no_tag_and_no_target() {
        assert_eq!(texts("a `b` [c](d) <i>e</i>\n"), ["a ", " ", "c", " ", "e"]);
        assert_eq!(texts("# h\n\n- i\n\n> q\n\n|a|b|\n|-|-|\n|c|d|\n"), ["h", "i", "q", "a", "b", "c", "d"]);
        assert_eq!(texts("```\na\n```\n~~~ts\nb\n~~~\n\n    c\n\n- x\n\n  ```\n  d\n  ```\n"), ["x"]);
        assert_eq!(texts("``a ` b`` @c\\_d"), [" @c\\_d"]);
        assert_eq!(texts("[r]: @a.md\n\ntext"), ["text"]);
    }

    #[test]
    fn blocks_are_found_where_they_stand() {
        let source = "<div>\na\n</div>\n\n- <p>\n  b\n";
        let html = Outline::of(source).html;
        assert_eq!(html[0], HtmlBlock { range: 0..15, is_top: true });
        assert!(!html[1].is_top);
        assert_eq!(Outline::of("a\n\n```\nb\n```\nc").code.first(), Some(&(3..12)));
    }

    #[test]
    fn deep_nesting_ends() {
        for source in [">".repeat(10_000), "- ".repeat(5_000) + "a", "[".repeat(20_000), "*a ".repeat(20_000)] {
            assert!(Outline::of(&source).html.is_empty());
        }
    }
}
