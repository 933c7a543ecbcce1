//! Words behind an `@` in Markdown that may name a file to import, by their position: never in code or in comments.

use std::ops::Range;

use crate::comments;
use crate::markdown::Outline;

/// Most mentions of one text; nobody writes more by hand.
const MOST: usize = 2000;
/// Most bytes of a word: the longest path that systems take.
const LONGEST: usize = 4096;

/// An `@` with the word behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention<'a> {
    /// Where the `@` stands, in bytes.
    pub at: usize,
    /// What stands before it in the running text; nothing at the start of a line, cell or emphasis.
    pub before: Option<char>,
    /// What stands behind it up to the next blank, as written; never empty.
    pub word: &'a str,
    /// Where it stands.
    pub place: Place,
}

/// Where a mention stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In running text.
    Text,
    /// In a block of HTML.
    Html,
}

impl Mention<'_> {
    /// Returns the line of the `@` in its text, from 1.
    #[must_use]
    pub fn line_in(&self, text: &str) -> usize {
        1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..self.at]).count()
    }
}

/// Returns the mentions of `text` in order, and whether there were more than are taken.
#[must_use]
pub fn mentions<'a>(text: &'a str, outline: &Outline) -> (Vec<Mention<'a>>, bool) {
    let mut found = Vec::new();
    for range in &outline.text {
        add(text, range.clone(), Place::Text, &mut found);
    }
    let mut comments = comments::comments(text, outline).into_iter().peekable();
    for block in &outline.html {
        let mut from = block.range.start;
        while let Some(comment) = comments.next_if(|comment| comment.start < block.range.end) {
            add(text, from..comment.start, Place::Html, &mut found);
            from = comment.end.min(block.range.end);
        }
        add(text, from..block.range.end, Place::Html, &mut found);
    }
    found.sort_by_key(|mention| mention.at);
    let has_more = found.len() > MOST;
    found.truncate(MOST);
    (found, has_more)
}

fn add<'a>(text: &'a str, range: Range<usize>, place: Place, found: &mut Vec<Mention<'a>>) {
    let part = &text[range.clone()];
    let mut from = 0;
    while let Some(place_of_mark) = memchr::memchr(b'@', &part.as_bytes()[from..]) {
        let mark = from + place_of_mark;
        from = mark + 1;
        let word = &part[from..from + word_length(&part[from..], place)];
        let before = part[..mark].chars().next_back().or_else(|| outside(text, range.start));
        if found.len() > MOST {
            return;
        }
        if !word.is_empty() && !word.starts_with('@') && before != Some('\\') && before != Some('@') {
            found.push(Mention { at: range.start + mark, before, word, place });
            // A mark inside of the word is a mention of its own: `(@a.md,@b.md)`.
            from += word.find('@').unwrap_or(word.len());
        }
    }
}

/// A backslash in front of the text escapes the mark; anything else there is markup.
fn outside(text: &str, start: usize) -> Option<char> {
    text[..start].chars().next_back().filter(|character| *character == '\\')
}

/// A path ends at a blank that no backslash escapes; in HTML also at a tag.
fn word_length(text: &str, place: Place) -> usize {
    let mut was_escape = false;
    for (at, character) in text.char_indices() {
        let is_escaped_blank = was_escape && character == ' ';
        let ends = is_blank(character) && !is_escaped_blank || place == Place::Html && character == '<';
        if ends || at >= LONGEST {
            return at;
        }
        was_escape = character == '\\' && !was_escape;
    }
    text.len()
}

/// Whether a character parts words; so does a byte order mark for the agents.
#[must_use]
pub fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(Option<char>, &str)> {
        let (found, _) = mentions(text, &Outline::of(text));
        found.into_iter().map(|mention| (mention.before, mention.word)).collect()
    }

    #[test]
    fn a_mention_runs_to_the_next_blank() {
        assert_eq!(words("@a.md, and (@b.md)."), [(None, "a.md,"), (Some('('), "b.md).")]);
        assert_eq!(words("x @a\\ b.md c"), [(Some(' '), "a\\ b.md")]);
        assert_eq!(words("- @i.md\n- [ ] @t.md\n> @q.md"), [(None, "i.md"), (Some(' '), "t.md"), (None, "q.md")]);
        assert_eq!(words("**@b.md** [@l.md](@t.md)"), [(None, "b.md"), (None, "l.md")]);
        assert_eq!(words("|@a.md|b|\n|-|-|\n| @c.md | d |"), [(None, "a.md"), (None, "c.md")]);
        assert_eq!(words("见@docs/规范.md\u{3000}然后"), [(Some('见'), "docs/规范.md")]);
        assert_eq!(words("app/@[id]/x @app/[id]/p.md"), [(Some('/'), "[id]/x"), (Some(' '), "app/[id]/p.md")]);
    }

    #[test]
    fn code_comments_and_escapes_have_no_mentions() {
        for text in [
            "```ts\n@Injectable()\n```",
            "~~~\n@x.md\n~~~",
            "`@x.md`",
            "``a ` @x.md``",
            "    @x.md",
            "- a\n\n  ```\n  @x.md\n  ```",
            "\\@x.md",
            "a @ b",
            "<!-- @x.md -->",
            "[r]: @x.md",
            "@@",
        ] {
            assert_eq!(words(text), [], "{text}");
        }
    }

    #[test]
    fn html_blocks_say_so() {
        let text = "<context>\n@a.md</context>\n\n@b.md";
        let (found, _) = mentions(text, &Outline::of(text));
        assert_eq!(
            found.iter().map(|mention| (mention.word, mention.place)).collect::<Vec<_>>(),
            [("a.md", Place::Html), ("b.md", Place::Text)]
        );
        assert_eq!(found[1].line_in(text), 4);
        assert_eq!(words("<!-- x --> @a.md\n"), [(Some(' '), "a.md")]);
    }

    #[test]
    fn endless_marks_are_bounded() {
        let text = "(@".repeat(100_000);
        let (found, has_more) = mentions(&text, &Outline::of(&text));
        assert!(found.len() <= MOST && has_more);
        let text = "@a".to_owned() + &"/a".repeat(100_000);
        assert!(mentions(&text, &Outline::of(&text)).0[0].word.len() <= LONGEST);
    }
}
