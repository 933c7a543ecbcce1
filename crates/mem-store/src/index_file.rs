//! MEMORY.md: its lines, what they link to, and the smallest edits that keep it true.

use std::collections::BTreeSet;
use std::ops::Range;

/// The name of the index in a memory folder.
pub const NAME: &str = "MEMORY.md";

/// A line of the index that links to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Line in the text, from 1.
    pub line: usize,
    /// What the brackets hold.
    pub title: &'a str,
    /// What the parentheses hold: a path, usually of a topic file.
    pub target: &'a str,
    /// What follows the dash, colon or nothing.
    pub hook: &'a str,
}

/// A link of a line to a Markdown file, with its place in the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link<'a> {
    /// What the brackets hold.
    pub title: &'a str,
    /// The path, without anchor and title: of `[[file]]` the name.
    pub target: &'a str,
    /// Bytes of the whole link.
    pub range: Range<usize>,
    /// Bytes of the target.
    pub target_range: Range<usize>,
    /// `[[file]]`, which leaves the ending out.
    pub is_wiki: bool,
}

/// Returns every link of a line to a Markdown file, from left to right.
#[must_use]
pub fn links(line: &str) -> Vec<Link<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(opening) = line[from..].find('[').map(|place| from + place) {
        let link = if line[opening..].starts_with("[[") { wiki_at(line, opening) } else { inline_at(line, opening) };
        from = link.as_ref().map_or(opening + 1, |link| link.range.end);
        found.extend(link);
    }
    found
}

fn inline_at(line: &str, opening: usize) -> Option<Link<'_>> {
    let middle = opening + line[opening..].find("](")?;
    // The innermost bracket opens the link: `[x] [A](a.md)`.
    if line[opening + 1..middle].contains('[') {
        return None;
    }
    let start = middle + 2;
    let end = match line[start..].starts_with('<') {
        true => start + line[start..].find(">)")? + 1,
        false => start + line[start..].find(')')?,
    };
    let target_range = target_in(line, start..end)?;
    let target = &line[target_range.clone()];
    let is_file = target.ends_with(".md") && !target.contains("://");
    is_file.then(|| Link {
        title: &line[opening + 1..middle],
        target,
        range: opening..end + 1,
        target_range,
        is_wiki: false,
    })
}

/// Returns the bytes of the path in `(<./a b.md#x> "title")`.
fn target_in(line: &str, mut range: Range<usize>) -> Option<Range<usize>> {
    let inner = &line[range.clone()];
    range.start += inner.len() - inner.trim_start().len();
    let inner = line[range.clone()].trim_end();
    let inner = inner.find(" \"").map_or(inner, |title| inner[..title].trim_end());
    let (inner, start) = match inner.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')) {
        Some(bare) => (bare, range.start + 1),
        None => (inner, range.start),
    };
    let bare = inner.strip_prefix("./").unwrap_or(inner);
    let start = start + inner.len() - bare.len();
    let length = bare.find(".md#").map_or(bare.len(), |anchor| anchor + 3);
    (length > 0).then(|| start..start + length)
}

fn wiki_at(line: &str, opening: usize) -> Option<Link<'_>> {
    let end = opening + line[opening..].find("]]")?;
    let inner = &line[opening + 2..end];
    let name = inner.split(['|', '#']).next().unwrap_or(inner);
    let target = name.trim();
    let start = opening + 2 + name.len() - name.trim_start().len();
    let is_name = !target.is_empty() && !target.contains('[');
    let target_range = start..start + target.len();
    is_name.then(|| Link { title: inner, target, range: opening..end + 2, target_range, is_wiki: true })
}

/// Returns every line of `text` that links to a Markdown file, in order.
#[must_use]
pub fn entries(text: &str) -> Vec<Entry<'_>> {
    let lines = text.lines().enumerate();
    lines.filter_map(|(number, line)| entry(line).map(|entry| Entry { line: number + 1, ..entry })).collect()
}

/// Returns the first link of a line to a Markdown file, `[title](file.md) — hook` or `[[file]] — hook`.
#[must_use]
pub fn entry(line: &str) -> Option<Entry<'_>> {
    let links = links(line);
    let link = links.iter().find(|link| !link.is_wiki).or(links.first())?;
    Some(Entry { line: 0, title: link.title, target: link.target, hook: hook(&line[link.range.end..]) })
}

fn hook(rest: &str) -> &str {
    rest.trim_start_matches(['*', '_', ' ', '—', '–', '-', ':', '：', '\t']).trim_end()
}

/// Returns an index line: `- [Title](file.md) — hook`, on one line whatever the parts hold.
#[must_use]
pub fn line(title: &str, path: &str, hook: &str) -> String {
    let title = one_line(title).replace(['[', ']'], "");
    let hook = one_line(hook);
    let path = if path.contains([' ', '(', ')']) { format!("<{path}>") } else { path.to_owned() };
    if hook.is_empty() { format!("- [{title}]({path})") } else { format!("- [{title}]({path}) — {hook}") }
}

fn one_line(text: &str) -> String {
    let visible = mem_text::width::escape_controls(text);
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the index with `line` for `path`: in the place of the line that links there, else as a new last line.
///
/// All other lines keep their bytes.
#[must_use]
pub fn with_line(text: &str, path: &str, line: &str) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    if let Some(found) = text.split_inclusive('\n').position(|old| links_to(old, path)) {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let ending = ending(lines[found]);
        let replaced = format!("{line}{ending}");
        lines[found] = &replaced;
        return lines.concat();
    }
    let mut text = text.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(newline);
    }
    text + line + newline
}

/// Returns the index without the lines that link to `path`.
#[must_use]
pub fn without_line(text: &str, path: &str) -> String {
    text.split_inclusive('\n').filter(|line| !links_to(line, path)).collect()
}

/// Whether a line links to `path`.
#[must_use]
pub fn links_to(line: &str, path: &str) -> bool {
    entry(line).is_some_and(|entry| entry.target == path)
}

/// Returns `theirs` with the changes from `base` to `ours` made in it. Where both gave a file a line, theirs stays.
#[must_use]
pub fn merge(base: &str, ours: &str, theirs: &str) -> String {
    let merged = mem_text::diff::merge(base, ours, theirs);
    if base == theirs {
        return merged;
    }
    let known: BTreeSet<&str> = theirs.lines().collect();
    let stays: BTreeSet<&str> =
        merged.lines().filter(|line| known.contains(line)).filter_map(|line| Some(entry(line)?.target)).collect();
    let is_second = |line: &str| !known.contains(line) && entry(line).is_some_and(|entry| stays.contains(entry.target));
    merged.split_inclusive('\n').filter(|line| !is_second(line.trim_end_matches(['\n', '\r']))).collect()
}

/// Returns the index with the lines of `other` that it has not, and whose files it does not list, at its end.
#[must_use]
pub fn with_lines_of(text: &str, other: &str) -> String {
    let known: BTreeSet<&str> = text.lines().collect();
    let listed: BTreeSet<&str> = entries(text).iter().map(|entry| entry.target).collect();
    let is_new = |line: &&str| {
        !line.trim().is_empty()
            && !known.contains(line)
            && entry(line).is_none_or(|entry| !listed.contains(entry.target))
    };
    let new: Vec<String> = other.lines().filter(is_new).map(str::to_owned).collect();
    let edit = mem_text::diff::Edit { after: text.lines().last().map(str::to_owned), removed: Vec::new(), added: new };
    mem_text::diff::apply(text, &[edit])
}

fn ending(line: &str) -> &str {
    let content = line.trim_end_matches(['\n', '\r']);
    &line[content.len()..]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn links_are_found_in_every_form() {
        for (line, target, hook) in [
            ("- [Title](file.md) — hook", "file.md", "hook"),
            ("* [Title](./sub/file.md): hook", "sub/file.md", "hook"),
            ("[T](<a b.md>) - hook - more", "a b.md", "hook - more"),
            ("- [[file]] — hook", "file", "hook"),
            ("- **[T](a.md#part)** — hook", "a.md", "hook"),
            ("- [x] [T](a.md \"title\") hook", "a.md", "hook"),
            ("- [T](<a (b).md>)", "a (b).md", ""),
            ("- [测试](测试.md) — 用真实数据库", "测试.md", "用真实数据库"),
        ] {
            let entry = entry(line).unwrap();
            assert_eq!((entry.target, entry.hook), (target, hook), "{line}");
        }
        assert_eq!(entry("- [T](https://example.org/x.md)"), None);
        assert_eq!(entry("# Heading"), None);
    }

    #[test]
    fn every_link_of_a_line_has_its_place() {
        let line = "- [A](./a.md), [[b|B]] and [C](c.txt)";
        let found: Vec<(&str, &str, bool)> = links(line)
            .iter()
            .map(|link| (&line[link.range.clone()], &line[link.target_range.clone()], link.is_wiki))
            .collect();
        assert_eq!(found, [("[A](./a.md)", "a.md", false), ("[[b|B]]", "b", true)]);
    }

    #[test]
    fn a_path_with_blanks_or_brackets_is_read_back() {
        for path in ["a b.md", "a(1).md", "a).md"] {
            assert_eq!(entry(&line("T", path, "h")).unwrap().target, path);
        }
    }

    #[test]
    fn an_edit_leaves_all_other_lines_alone() {
        let text = "# Mine\r\n- [A](a.md) — old\r\nnote";
        assert_eq!(with_line(text, "a.md", "- [A](a.md) — new"), "# Mine\r\n- [A](a.md) — new\r\nnote");
        assert_eq!(with_line(text, "b.md", "- [B](b.md)"), format!("{text}\r\n- [B](b.md)\r\n"));
        assert_eq!(with_line("", "b.md", "- [B](b.md)"), "- [B](b.md)\n");
        assert_eq!(without_line(text, "a.md"), "# Mine\r\nnote");
    }

    #[test]
    fn a_line_stays_one_line() {
        assert_eq!(line("a]\nb", "x.md", "c\nd"), "- [a b](x.md) — c d");
    }
}
