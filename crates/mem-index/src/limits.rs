//! MEMORY.md as a model gets it: without front matter and block comments, cut at two limits, with a warning.

use mem_store::{front_matter, index_file};
use mem_text::cut;
use mem_types::index::{Index, LostEntry};

/// Columns of a lost line in the answer.
const LOST_COLUMNS: usize = 150;

/// Returns text, counts and what is lost. Folder, state and memories are left to the caller.
///
/// First the lines are cut, then the bytes at the last line's end below the limit. One line that is longer than the
/// limit by itself is cut on a character boundary.
pub fn as_model_gets_it(raw: &str, max_lines: u64, max_bytes: u64) -> Index {
    let raw = raw.replace("\r\n", "\n");
    let body = front_matter::of_instructions(&raw).body;
    let head_lines = line_count(&raw) - line_count(body);
    let lines = without_comments(body);
    let kept: Vec<&Line> = lines.iter().collect();
    let first = kept.iter().position(|line| !line.text.trim().is_empty()).unwrap_or(kept.len());
    let last = kept.iter().rposition(|line| !line.text.trim().is_empty()).map_or(first, |last| last + 1);
    let kept = &kept[first..last];
    let full = kept.iter().map(|line| line.text).collect::<Vec<_>>().join("\n");
    let limit = Limits { lines: to_usize(max_lines), bytes: to_usize(max_bytes) };
    let (text, truncated_by) = limit.cut(&full);
    let seen = if text.is_empty() { 0 } else { line_count(text) };
    // A line that is cut within itself is seen in part: what is lost begins behind it.
    let lost: Vec<LostEntry> = match &truncated_by {
        Some(_) => kept.iter().skip(seen).filter_map(|line| lost_entry(line, head_lines)).collect(),
        None => Vec::new(),
    };
    let mut index = Index {
        lines: kept.len() as u64,
        bytes: full.len() as u64,
        characters: full.encode_utf16().count() as u64,
        text: text.to_owned(),
        truncated_by,
        lost,
        ..Index::default()
    };
    if let Some(by) = index.truncated_by.clone() {
        index.text += &warning(&index, &limit, seen, &by);
    }
    index
}

struct Limits {
    lines: usize,
    bytes: usize,
}

impl Limits {
    /// Returns the part that stays and the limit that cut.
    fn cut<'a>(&self, full: &'a str) -> (&'a str, Option<String>) {
        let by_lines = cut::lines(full, self.lines).trim_end_matches('\n');
        if by_lines.len() > self.bytes {
            let by_bytes = cut::at_newline(by_lines, self.bytes).trim_end_matches('\n');
            let text = if by_bytes.is_empty() { cut::bytes(by_lines, self.bytes) } else { by_bytes };
            return (text, Some("bytes".into()));
        }
        let is_cut = by_lines.len() < full.len();
        (by_lines, is_cut.then(|| "lines".into()))
    }
}

fn warning(index: &Index, limit: &Limits, seen: usize, by: &str) -> String {
    let names: Vec<&str> = index.lost.iter().filter_map(|lost| lost.path.as_deref()).collect();
    let named = match names.len() {
        0 => String::new(),
        1..=5 => format!(" Not seen: {}.", names.join(", ")),
        more => format!(" Not seen: {} and {} more.", names[..5].join(", "), more - 5),
    };
    format!(
        "\n\n> WARNING: MEMORY.md has {} lines and {} bytes; only its first {seen} lines are shown, the limit of {} \
         {by} cut it.{named}",
        index.lines,
        index.bytes,
        if by == "lines" { limit.lines } else { limit.bytes },
    )
}

fn lost_entry(line: &Line, head_lines: usize) -> Option<LostEntry> {
    let text = line.text.trim();
    if text.is_empty() {
        return None;
    }
    Some(LostEntry {
        line: (head_lines + line.number) as u64,
        path: index_file::entry(line.text).map(|entry| entry.target.to_owned()),
        text: cut::ellipsis(text, LOST_COLUMNS).into_owned(),
    })
}

/// A line of the body, from 1.
struct Line<'a> {
    number: usize,
    text: &'a str,
}

/// Returns the lines without block comments: those that begin a line with at most three blanks outside code.
///
/// What follows a comment on its last line stays, and a comment that is not closed eats nothing.
fn without_comments(body: &str) -> Vec<Line<'_>> {
    let lines: Vec<&str> = body.lines().collect();
    let mut kept = Vec::with_capacity(lines.len());
    let mut fence: Option<&str> = None;
    // Once a comment is not closed, none behind it is: the search for an end is not made twice.
    let mut may_close = true;
    let mut next = 0;
    while next < lines.len() {
        let line = Line { number: next + 1, text: lines[next] };
        if let Some(mark) = fence {
            fence = Some(mark).filter(|mark| !line.text.trim_start().starts_with(mark));
        } else if opens_comment(line.text) && may_close {
            let Some(comment) = comment_at(&lines[next..]) else {
                may_close = false;
                continue;
            };
            next += comment.lines;
            if comment.tail.trim().is_empty() {
                next += lines[next..].iter().take_while(|line| line.trim().is_empty()).count();
            } else {
                kept.push(Line { number: next, text: comment.tail });
            }
            continue;
        } else {
            fence = fence_mark(line.text);
        }
        kept.push(line);
        next += 1;
    }
    kept
}

fn fence_mark(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark))
}

struct Comment<'a> {
    lines: usize,
    tail: &'a str,
}

fn opens_comment(line: &str) -> bool {
    let text = line.trim_start_matches(' ');
    line.len() - text.len() <= 3 && text.starts_with("<!--")
}

/// Returns how far the block comment goes that the first line opens, or nothing when it is not closed.
fn comment_at<'a>(lines: &[&'a str]) -> Option<Comment<'a>> {
    let opening = lines.first()?.find("<!--")? + 4;
    for (number, line) in lines.iter().enumerate() {
        let from = if number == 0 { opening } else { 0 };
        if let Some(end) = line[from..].find("-->") {
            return Some(Comment { lines: number + 1, tail: &line[from + end + 3..] });
        }
    }
    None
}

fn line_count(text: &str) -> usize {
    text.lines().count()
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, text: &str, truncated_by: Option<&str>, lost: &[u64]) {
        let index = as_model_gets_it(raw, 3, 40);
        let seen = index.text.split("\n\n> WARNING").next().unwrap_or_default();
        assert_eq!(seen, text, "{raw:?}");
        assert_eq!(index.truncated_by.as_deref(), truncated_by, "{raw:?}");
        assert_eq!(index.lost.iter().map(|lost| lost.line).collect::<Vec<_>>(), lost, "{raw:?}");
    }

    #[test]
    fn lines_are_cut_first_then_bytes_at_a_lines_end() {
        check("a\nb\nc\n", "a\nb\nc", None, &[]);
        check("a\nb\nc\nd\n\ne\n", "a\nb\nc", Some("lines"), &[4, 6]);
        check(&format!("{0}\n{0}\nc", "x".repeat(30)), &"x".repeat(30), Some("bytes"), &[2, 3]);
    }

    #[test]
    fn one_enormous_line_is_cut_on_a_character_boundary() {
        check(&"长".repeat(20), &"长".repeat(13), Some("bytes"), &[]);
    }

    #[test]
    fn front_matter_and_block_comments_do_not_count() {
        check("---\nname: x\n---\n\na\n<!-- b\nb -->\n\nc\n", "a\nc", None, &[]);
        check("<!-- a --> tail\nb", " tail\nb", None, &[]);
        check("a <!-- in line -->\nb", "a <!-- in line -->\nb", None, &[]);
        check("```\n<!-- code -->\n```", "```\n<!-- code -->\n```", None, &[]);
        check("<!-- not closed\nb", "<!-- not closed\nb", None, &[]);
    }

    #[test]
    fn the_line_of_a_lost_entry_is_that_of_the_file() {
        check("---\nname: x\n---\n<!-- one\ntwo -->\na\nb\nc\nd", "a\nb\nc", Some("lines"), &[9]);
    }
}
