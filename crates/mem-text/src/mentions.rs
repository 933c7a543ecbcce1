//! Words behind an `@` in Markdown that may name a file to import, by their position: never in code or in comments.

use std::ops::Range;

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
    for block in &outline.html {
        for range in words_of_html(text, block.range.clone()) {
            add(text, range, Place::Html, &mut found);
        }
    }
    found.sort_by_key(|mention| mention.at);
    let has_more = found.len() > MOST;
    found.truncate(MOST);
    (found, has_more)
}

const COMMENT: &str = "<!--";

/// What stands between these is code or a note.
const CLOSED: [(&str, &str); 6] = [
    (COMMENT, "-->"),
    ("<pre", "</pre"),
    ("<code", "</code"),
    ("<script", "</script"),
    ("<style", "</style"),
    ("<textarea", "</textarea"),
];

/// Returns the parts of a block of HTML that are neither code nor comments nor tags. What is not closed hides nothing,
/// but code, which runs to the end.
fn words_of_html(text: &str, block: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut from, mut at) = (block.start, block.start);
    let mut is_open = [false; 2];
    while let Some(mark) = memchr::memchr(b'<', &text.as_bytes()[at..block.end]).map(|place| at + place) {
        let rest = &text[mark..block.end];
        at = mark + 1;
        let closed = CLOSED.into_iter().find(|(opens, _)| opens_with(rest, opens));
        let is_comment = closed.is_some_and(|(opens, _)| opens == COMMENT);
        let is_code = closed.is_some() && !is_comment;
        // What was looked for once and is not there is not looked for again.
        if closed.is_none() && !is_tag(rest) || !is_code && is_open[usize::from(is_comment)] {
            continue;
        }
        // `<!-->` is a whole comment.
        let (closes, skipped) =
            closed.map_or((">", 1), |(opens, closes)| (closes, if is_code { opens.len() } else { 2 }));
        match find_closing(&rest[skipped..], closes) {
            Some(end) => at = mark + skipped + end + closes.len(),
            None if is_code => at = block.end,
            None => {
                is_open[usize::from(is_comment)] = true;
                continue;
            }
        }
        parts.push(from..mark);
        from = at;
    }
    parts.push(from..block.end);
    parts
}

fn is_tag(text: &str) -> bool {
    text[1..].starts_with(|next: char| next.is_ascii_alphabetic() || next == '/')
}

fn opens_with(text: &str, opens: &str) -> bool {
    let ends_name = || text[opens.len()..].chars().next().is_none_or(|next| !next.is_alphanumeric() && next != '-');
    starts_with(text, opens) && (opens == COMMENT || ends_name())
}

fn starts_with(text: &str, start: &str) -> bool {
    text.as_bytes().get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
}

fn find_closing(text: &str, closes: &str) -> Option<usize> {
    let first = closes.as_bytes()[0];
    memchr::memchr_iter(first, text.as_bytes()).find(|place| starts_with(&text[*place..], closes))
}

fn add<'a>(text: &'a str, range: Range<usize>, place: Place, found: &mut Vec<Mention<'a>>) {
    let part = &text[range.clone()];
    let mut from = 0;
    while let Some(place_of_mark) = memchr::memchr(b'@', &part.as_bytes()[from..]) {
        let mark = from + place_of_mark;
        from = mark + 1;
        let before = part[..mark].chars().next_back().or_else(|| outside(text, range.start));
        // Looked at before the word is, which may be long.
        if matches!(before, Some('\\' | '@')) || part[from..].starts_with('@') {
            continue;
        }
        if found.len() > MOST {
            return;
        }
        let word = &part[from..from + word_length(&part[from..], place)];
        if !word.is_empty() {
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
            "<div>\nb\n</div><!-- @x.md -->\n",
            "<div>\nb\n</div>\n<!-- @x.md\n@y.md -->\n",
            "- <div>\n  <!-- @x.md -->\n  </div>\n",
            "> <p>\n> <!-- @x.md -->\n",
            "a <!-- @x.md --> b",
            "<pre>\n@x.md\n</pre>",
            "<PRE class=\"a\"><Code>\n@x.md",
            "<div>\n<code>@x.md</code>\n</div>",
            "<a href=\"@x.md\">\n",
            "<!-- a --><p title=' @x.md '>",
            "<script>\n@x.md\n\n@y.md\n</script>",
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
        assert_eq!(words("<div>\n<!-- @x.md --> @a.md\n</div>"), [(Some(' '), "a.md")]);
        assert_eq!(words("<!--> @a.md -->\n"), [(Some(' '), "a.md")]);
        assert_eq!(words("<div\n @a.md\n"), [(Some(' '), "a.md")]);
        assert_eq!(words("<div>\n<!-- @a.md\n</div>"), [(Some(' '), "a.md")]);
        assert_eq!(words("<div>\n<prefix>\n@a.md\n</div>"), [(Some('\n'), "a.md")]);
    }

    #[test]
    fn endless_marks_are_bounded() {
        let text = "(@".repeat(100_000);
        let (found, has_more) = mentions(&text, &Outline::of(&text));
        assert!(found.len() <= MOST && has_more);
        let text = "@a".to_owned() + &"/a".repeat(100_000);
        assert!(mentions(&text, &Outline::of(&text)).0[0].word.len() <= LONGEST);
        for text in [
            "@".repeat(300_000),
            "\\@".repeat(300_000),
            "<!-- ".repeat(200_000),
            "<div><pre>".to_owned() + &"<pre <".repeat(200_000),
        ] {
            assert!(mentions(&text, &Outline::of(&text)).0.is_empty());
        }
    }
}
