//! MEMORY.md as a model gets it: without front matter and block comments, cut at two limits, with a warning.

use mem_text::comments;
use mem_text::cut;
use mem_text::markdown::Outline;
use mem_types::index::{Index, LostEntry};

use crate::{front_matter, index_file};

/// Columns of a lost line in the answer.
const LOST_COLUMNS: usize = 150;
/// Columns of the first line that Claude Code names in its warning: facts.md, Part A, section 6.
const QUOTE_CHARACTERS: usize = 80;

/// How much of the index a model gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most lines.
    pub lines: usize,
    /// Most units behind the lines.
    pub size: usize,
    /// What a unit is.
    pub unit: Unit,
    /// Whose words the warning has.
    pub warns: Warns,
}

/// What the size of an index is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of UTF-8.
    Bytes,
    /// UTF-16 units, as clients written in JavaScript count.
    Characters,
}

/// Who tells the model that something was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warns {
    /// We, with the names of what is not seen.
    Ourselves,
    /// Claude Code.
    ClaudeCode,
}

/// What counts of an index before anything is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// What would be given if there were no limits.
    pub full: String,
    /// The line of the file, from 1, for each line of `full`.
    pub numbers: Vec<usize>,
}

/// Returns what counts of MEMORY.md: without BOM, CR, front matter, block comments, and blank ends.
#[must_use]
pub fn measured(raw: &str) -> Measured {
    let raw = front_matter::without_bom(raw).replace("\r\n", "\n");
    let body = front_matter::of_instructions(&raw).body;
    let head_lines = raw[..raw.len() - body.len()].matches('\n').count();
    let (text, starts) = without_comments(body);
    let begin = text.len() - text.trim_start().len();
    let full = text.trim();
    // The first line is trimmed as well, as the client does it; what is blank before it is no line.
    let first = text[..begin].matches('\n').count();
    let mut numbers = Vec::with_capacity(full.lines().count());
    let (mut at, mut line) = (0, head_lines + 1);
    for start in starts.iter().skip(first).take(full.lines().count()) {
        line += body[at..*start].matches('\n').count();
        at = *start;
        numbers.push(line);
    }
    Measured { full: full.to_owned(), numbers }
}

/// Returns what counts of MEMORY.md with its blank ends.
#[must_use]
pub fn uncut(raw: &str) -> String {
    let raw = front_matter::without_bom(raw).replace("\r\n", "\n");
    without_comments(front_matter::of_instructions(&raw).body).0
}

/// Returns the text without block comments, and where in `body` each of its lines begins.
fn without_comments(body: &str) -> (String, Vec<usize>) {
    let cuts = if body.contains("<!--") { comments::comments(body, &Outline::of(body)) } else { Vec::new() };
    let (mut text, mut starts, mut at) = (String::with_capacity(body.len()), Vec::new(), 0);
    let ends = cuts.iter().map(|cut| (cut.start, cut.end)).chain([(body.len(), body.len())]);
    for (start, end) in ends {
        let mut from = at;
        for piece in body[at..start.max(at)].split_inclusive('\n') {
            if text.is_empty() || text.ends_with('\n') {
                starts.push(from);
            }
            text.push_str(piece);
            from += piece.len();
        }
        at = at.max(end);
    }
    (text, starts)
}

/// Returns text, counts and what is lost. Folder, state and memories are left to the caller.
///
/// First the lines are cut, then the size at the last line's end below the limit. One line that is longer than the
/// limit by itself is cut on a character boundary.
#[must_use]
pub fn as_model_gets_it(raw: &str, limits: &Limits) -> Index {
    let Measured { full, numbers } = measured(raw);
    let lines = full.lines().count();
    let (text, truncated_by) = limits.cut(&full);
    let seen = text.lines().count();
    // A line that is cut within itself is seen in part: what is lost begins behind it.
    let lost: Vec<LostEntry> = match &truncated_by {
        Some(_) => {
            full.lines().zip(&numbers).skip(seen).filter_map(|(line, number)| lost_entry(line, *number)).collect()
        }
        None => Vec::new(),
    };
    let mut index = Index {
        lines: lines as u64,
        bytes: full.len() as u64,
        characters: full.encode_utf16().count() as u64,
        text: text.to_owned(),
        truncated_by: truncated_by.map(str::to_owned),
        lost,
        ..Index::default()
    };
    if let Some(by) = truncated_by {
        index.text += &match limits.warns {
            Warns::Ourselves => warning(&index, limits, seen, by),
            Warns::ClaudeCode => warning_of_client(&index, limits, &full, seen),
        };
    }
    index
}

impl Limits {
    /// Returns the size of a text in the unit of these limits.
    #[must_use]
    pub fn size_of(&self, text: &str) -> usize {
        match self.unit {
            Unit::Bytes => text.len(),
            Unit::Characters => text.encode_utf16().count(),
        }
    }

    /// Returns the part that stays and the limit that cut.
    fn cut<'a>(&self, full: &'a str) -> (&'a str, Option<&'static str>) {
        let by_lines = cut::lines(full, self.lines).trim_end_matches('\n');
        if self.size_of(by_lines) > self.size {
            let part = self.start_of(by_lines);
            let whole = cut::at_newline(by_lines, part.len()).trim_end_matches('\n');
            return (if whole.is_empty() { part } else { whole }, Some(self.unit.word()));
        }
        (by_lines, (by_lines.len() < full.len()).then_some("lines"))
    }

    /// Returns the longest start within the size.
    fn start_of<'a>(&self, text: &'a str) -> &'a str {
        if self.unit == Unit::Bytes {
            return cut::bytes(text, self.size);
        }
        let mut units = 0;
        let end = text.char_indices().find(|(_, character)| {
            units += character.len_utf16();
            units > self.size
        });
        end.map_or(text, |(end, _)| &text[..end])
    }
}

impl Unit {
    /// Returns the unit's name, as in `.index.truncated_by`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Characters => "characters",
        }
    }
}

fn warning(index: &Index, limits: &Limits, seen: usize, by: &str) -> String {
    let names: Vec<&str> = index.lost.iter().filter_map(|lost| lost.path.as_deref()).collect();
    let named = match names.len() {
        0 => String::new(),
        1..=5 => format!(" Not seen: {}.", names.join(", ")),
        more => format!(" Not seen: {} and {} more.", names[..5].join(", "), more - 5),
    };
    let size = if limits.unit == Unit::Bytes { index.bytes } else { index.characters };
    format!(
        "\n\n> WARNING: MEMORY.md has {} lines and {size} {}; only its first {seen} lines are shown, the limit of {} \
         {by} cut it.{named}",
        index.lines,
        limits.unit.word(),
        if by == "lines" { limits.lines } else { limits.size },
    )
}

/// The four parts of the client's warning, in our words: its size, that only a part was loaded, where the cut is, advice.
fn warning_of_client(index: &Index, limits: &Limits, full: &str, seen: usize) -> String {
    #[allow(clippy::cast_precision_loss)]
    let kilobytes = |units: u64| format!("{:.1}KB", units as f64 / 1024.0);
    let (lines, size) = (index.lines, kilobytes(index.characters));
    let is_long = index.lines > limits.lines as u64;
    let is_large = index.characters > limits.size as u64;
    let what = match (is_long, is_large) {
        (true, true) => format!("{lines} lines and {size}"),
        (true, false) => format!("{lines} lines (limit: {})", limits.lines),
        _ => format!("{size} (limit: {}), its entries being too long", kilobytes(limits.size as u64)),
    };
    let cut = match full.lines().nth(seen) {
        Some(first) => format!(
            "{} of {lines} lines were cut, from line {} on: \"{}\"",
            lines.saturating_sub(seen as u64),
            seen + 1,
            quoted(first)
        ),
        None => format!("everything after the first {} characters of line {seen} was cut", limits.size),
    };
    format!(
        "\n\n> WARNING: MEMORY.md is {what}. Only part of it was loaded: {cut}. One short line an entry is enough; \
         details belong in topic files."
    )
}

fn quoted(line: &str) -> String {
    if line.chars().count() <= QUOTE_CHARACTERS {
        return line.to_owned();
    }
    line.chars().take(QUOTE_CHARACTERS - 1).chain(['…']).collect()
}

fn lost_entry(line: &str, number: usize) -> Option<LostEntry> {
    let text = line.trim();
    if text.is_empty() {
        return None;
    }
    Some(LostEntry {
        line: number as u64,
        path: index_file::entry(line).map(|entry| entry.target.to_owned()),
        text: cut::ellipsis(text, LOST_COLUMNS).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn limits(lines: usize, size: usize, unit: Unit) -> Limits {
        Limits { lines, size, unit, warns: Warns::Ourselves }
    }

    fn check(raw: &str, text: &str, truncated_by: Option<&str>, lost: &[u64]) {
        let index = as_model_gets_it(raw, &limits(3, 40, Unit::Bytes));
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
        let index = as_model_gets_it(&"😀".repeat(20), &limits(3, 15, Unit::Characters));
        assert!(index.text.starts_with(&("😀".repeat(7) + "\n\n>")), "{}", index.text);
    }

    #[test]
    fn characters_are_counted_as_the_client_counts_them() {
        let raw = "长\n".repeat(2) + &"长".repeat(30);
        assert_eq!(as_model_gets_it(&raw, &limits(3, 40, Unit::Characters)).truncated_by, None);
        assert_eq!(
            as_model_gets_it(&raw, &limits(3, 33, Unit::Characters)).truncated_by.as_deref(),
            Some("characters")
        );
        assert_eq!(as_model_gets_it(&raw, &limits(3, 40, Unit::Bytes)).truncated_by.as_deref(), Some("bytes"));
    }

    #[test]
    fn front_matter_and_block_comments_do_not_count() {
        check("---\nname: x\n---\n\na\n\n<!-- b\nb -->\n\nc\n", "a\n\nc", None, &[]);
        check("<!-- a --> tail\nb", "tail\nb", None, &[]);
        check("a <!-- in line -->\nb", "a <!-- in line -->\nb", None, &[]);
        check("```\n<!-- code -->\n```", "```\n<!-- code -->\n```", None, &[]);
        check("<!-- not closed\nb", "<!-- not closed\nb", None, &[]);
    }

    #[test]
    fn the_line_of_a_lost_entry_is_that_of_the_file() {
        check("---\nname: x\n---\n<!-- one\ntwo -->\n\na\nb\nc\nd", "a\nb\nc", Some("lines"), &[10]);
        check("\n\na\n\n<!-- x -->\n\nb\nc\nd\n", "a\n\nb", Some("lines"), &[8, 9]);
    }

    #[test]
    fn the_clients_warning_has_its_four_parts() {
        let raw: String = (1..=210).map(|number| format!("- entry {number}\n")).collect();
        let limits = Limits { lines: 200, size: 25_000, unit: Unit::Characters, warns: Warns::ClaudeCode };
        let text = as_model_gets_it(&raw, &limits).text;
        let warning = text.lines().last().unwrap();
        assert!(warning.starts_with("> WARNING: MEMORY.md is 210 lines (limit: 200)"), "{warning}");
        assert!(warning.contains("10 of 210 lines") && warning.contains("line 201") && warning.contains("- entry 201"));
        let long = as_model_gets_it(&"x".repeat(31_000), &limits).text;
        assert!(long.contains("30.3KB (limit: 24.4KB)") && long.contains("first 25000 characters of line 1"), "{long}");
    }
}
