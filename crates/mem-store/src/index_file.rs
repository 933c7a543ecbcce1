//! MEMORY.md: its lines, what they link to, and the smallest edits that keep it true.

use std::collections::BTreeSet;

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

/// Returns every line of `text` that links to a Markdown file, in order.
#[must_use]
pub fn entries(text: &str) -> Vec<Entry<'_>> {
    let lines = text.lines().enumerate();
    lines.filter_map(|(number, line)| entry(line).map(|entry| Entry { line: number + 1, ..entry })).collect()
}

/// Returns the first link of a line to a Markdown file, `[title](file.md) — hook` or `[[file]] — hook`.
#[must_use]
pub fn entry(line: &str) -> Option<Entry<'_>> {
    markdown_link(line).or_else(|| wiki_link(line))
}

fn markdown_link(line: &str) -> Option<Entry<'_>> {
    let middle = line.find("](")?;
    let opening = line[..middle].rfind('[')?;
    let rest = &line[middle + 2..];
    let closing = rest.find(')')?;
    let target = rest[..closing].trim();
    let target = target.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(target);
    let target = target.strip_prefix("./").unwrap_or(target);
    let is_file = target.ends_with(".md") && !target.contains("://");
    is_file.then(|| Entry { line: 0, title: &line[opening + 1..middle], target, hook: hook(&rest[closing + 1..]) })
}

fn wiki_link(line: &str) -> Option<Entry<'_>> {
    let opening = line.find("[[")?;
    let closing = opening + line[opening..].find("]]")?;
    let inner = &line[opening + 2..closing];
    let target = inner.split('|').next().unwrap_or(inner).trim();
    (!target.is_empty()).then(|| Entry { line: 0, title: inner, target, hook: hook(&line[closing + 2..]) })
}

fn hook(rest: &str) -> &str {
    rest.trim_start_matches([' ', '—', '–', '-', ':', '：', '\t']).trim_end()
}

/// Returns an index line: `- [Title](file.md) — hook`, on one line whatever the parts hold.
#[must_use]
pub fn line(title: &str, path: &str, hook: &str) -> String {
    let title = one_line(title).replace(['[', ']'], "");
    let hook = one_line(hook);
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
            ("- [测试](测试.md) — 用真实数据库", "测试.md", "用真实数据库"),
        ] {
            let entry = entry(line).unwrap();
            assert_eq!((entry.target, entry.hook), (target, hook), "{line}");
        }
        assert_eq!(entry("- [T](https://example.org/x.md)"), None);
        assert_eq!(entry("# Heading"), None);
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
