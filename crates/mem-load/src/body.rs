//! A file's text as a model gets it, with what it imports.

use mem_store::instructions::agent::{Agent, Imports};
use mem_text::comments::{self, Cleaning};
use mem_text::markdown::Outline;
use mem_text::mentions::{self, Place};

use crate::imports;

/// A text made ready.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Body {
    /// What a model gets.
    pub text: String,
    /// What it imports, in order.
    pub imports: Vec<Import>,
    /// Whether there were more imports than are looked at.
    pub has_more: bool,
}

/// An `@path` in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The paths to try, as written, the likeliest first.
    pub tries: Vec<String>,
    /// Line in the file, from 1.
    pub line: usize,
    /// Whether it stands in a block of HTML, where agents pass it over.
    pub is_in_html: bool,
}

/// Returns the body of a file whose front matter is off: `text`, which is the end of `raw`.
pub fn of(agent: &Agent, raw: &str, text: &str) -> Body {
    let needs_outline =
        text.contains('@') || text.contains("<!--") || text.contains("\n\n\n") || text.contains("\n \n");
    if !needs_outline {
        return Body { text: text.trim().to_owned(), ..Body::default() };
    }
    let outline = Outline::of(text);
    let cleaning = Cleaning { comments: agent.text.comments, blank_lines: agent.text.blank_lines };
    let cleaned = comments::clean(text, &outline, cleaning).trim().to_owned();
    let (imports, has_more) = imports_of(agent, text, &outline, lines_before(raw, text));
    Body { text: cleaned, imports, has_more }
}

fn imports_of(agent: &Agent, text: &str, outline: &Outline, lines_before: usize) -> (Vec<Import>, bool) {
    let Imports::Behind { is_friendly, .. } = agent.imports else { return (Vec::new(), false) };
    let (found, has_more) = mentions::mentions(text, outline);
    let mut lines = Lines { text, at: 0, line: 1 + lines_before };
    let imports = found.iter().filter_map(|mention| {
        let is_in_html = mention.place == Place::Html;
        // What an agent passes over in HTML is told, so it must be understood.
        let tries = if is_friendly || is_in_html { imports::friendly(mention) } else { imports::exact(mention) };
        (!tries.is_empty()).then(|| Import { tries, line: lines.of(mention.at), is_in_html })
    });
    (imports.collect(), has_more)
}

/// Lines are counted once from start to end, however many places are asked for.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    fn of(&mut self, at: usize) -> usize {
        self.line += self.text[self.at..at].matches('\n').count();
        self.at = at;
        self.line
    }
}

/// Returns how many lines of a file stand before its text.
fn lines_before(raw: &str, text: &str) -> usize {
    let start = raw.trim_end().len().saturating_sub(text.trim_end().len());
    raw.get(..start).map_or(0, |head| head.matches('\n').count())
}

#[cfg(test)]
mod tests {
    use mem_store::instructions::agent;

    use super::*;

    #[test]
    fn imports_know_their_lines_in_the_file() {
        let raw = "---\na: b\n---\n\nx\n\n@a.md\n";
        let body = of(&agent::MEM, raw, "x\n\n@a.md");
        assert_eq!(body.imports[0].line, 7);
        assert_eq!(body.text, "x\n\n@a.md");
    }

    #[test]
    fn each_agent_cleans_in_its_way() {
        let text = "a\n\n\n\n<!-- x -->\nb";
        assert_eq!(of(&agent::MEM, text, text).text, "a\n\nb");
        assert_eq!(of(&agent::CLAUDE_CODE, text, text).text, "a\n\n\n\nb");
        assert_eq!(of(&agent::CODEX, text, text).text, text);
    }
}
