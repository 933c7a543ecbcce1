//! Imports whose text takes the place of the mark, between comments that name the file, as one agent writes them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mem_store::instructions::{Collector, Place, Skip};

/// Most bytes of a text with its imports: the same file may come again and again, each time with what it imports.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Most imports of a text, for the same reason.
const MOST_IMPORTS: usize = 2000;

/// Puts imported texts into a file's own.
pub struct Inliner<'a, 'b> {
    /// Where files are read.
    pub collector: &'a mut Collector<'b>,
    /// The file at the head of the chain.
    pub top: &'a Place,
    /// Hops below it.
    pub hops: usize,
    /// The files that were put in, in order, each once, with its size.
    pub files: Vec<(PathBuf, u64)>,
    /// Imports that were put in, and their bytes.
    pub done: (usize, usize),
}

impl Inliner<'_, '_> {
    /// Returns `text`, which stands in `file`, with its imports in place.
    pub fn put_in(&mut self, text: &str, file: &Path, above: &BTreeSet<PathBuf>, depth: usize) -> String {
        if depth >= self.hops {
            return text.to_owned();
        }
        let code = code(text);
        let mut code = code.iter().peekable();
        let mut result = String::with_capacity(text.len());
        let mut from = 0;
        for (start, end) in marks(text) {
            result.push_str(&text[from..start]);
            from = end;
            while code.next_if(|(_, last)| *last <= start).is_some() {}
            if code.peek().is_some_and(|(first, _)| *first <= start) {
                result.push_str(&text[start..end]);
            } else {
                let imported = self.imported(&text[start + 1..end], file, above, depth);
                result.push_str(&imported);
            }
        }
        result.push_str(&text[from..]);
        result
    }

    fn imported(&mut self, path: &str, file: &Path, above: &BTreeSet<PathBuf>, depth: usize) -> String {
        let folder = file.parent().unwrap_or(file);
        let target = mem_store::git::tidy(&folder.join(path));
        if above.contains(&target) {
            return format!("<!-- File already processed: {path} -->");
        }
        if self.done.0 >= MOST_IMPORTS || self.done.1 > MOST_BYTES {
            return format!("<!-- Import failed: {path} - too much text -->");
        }
        match self.collector.inlined(&target, self.top) {
            Ok(content) => {
                self.done = (self.done.0 + 1, self.done.1 + content.bytes.len());
                if !self.files.iter().any(|(known, _)| *known == target) {
                    self.files.push((target.clone(), content.metadata.len()));
                }
                let text = String::from_utf8_lossy(&content.bytes).into_owned();
                let mut within = above.clone();
                within.insert(target.clone());
                let inner = self.put_in(&text, &target, &within, depth + 1);
                format!("<!-- Imported from: {path} -->\n{inner}\n<!-- End of import from: {path} -->")
            }
            Err(Skip::External) => format!("<!-- Import failed: {path} - Path traversal attempt -->"),
            Err(Skip::Unreadable(reason)) if reason == "no such file" => {
                let target = target.display();
                format!("<!-- Import failed: {path} - ENOENT: no such file or directory, access '{target}' -->")
            }
            Err(skip) => {
                let reason = if let Skip::Unreadable(reason) = skip { reason } else { "cannot be read".into() };
                format!("<!-- Import failed: {path} - {reason} -->")
            }
        }
    }
}

/// Returns where marks with their paths begin and end: behind a blank, up to the next one.
fn marks(text: &str) -> Vec<(usize, usize)> {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find('@').map(|place| from + place) {
        if start > 0 && !is_blank(bytes[start - 1]) {
            from = start + 1;
            continue;
        }
        let end = bytes[start..].iter().position(|byte| is_blank(*byte)).map_or(text.len(), |length| start + length);
        let begins = bytes.get(start + 1).is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'.' | b'/'));
        if begins && end > start + 1 {
            found.push((start, end));
        }
        from = end.max(start + 1);
    }
    found
}

/// Returns what stands between as many backquotes on either side, whatever it is to Markdown.
fn code(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut runs = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| **byte == b'`').count();
        if length > 0 {
            runs.push((at, length));
        }
        at += length.max(1);
    }
    // The longest run behind each, so that a search that must fail is not begun.
    let mut longest = vec![0; runs.len() + 1];
    for place in (0..runs.len()).rev() {
        longest[place] = runs[place].1.max(longest[place + 1]);
    }
    let mut found = Vec::new();
    let mut next = 0;
    while next < runs.len() {
        let (start, length) = runs[next];
        next += 1;
        if longest[next] >= length
            && let Some(more) = runs[next..].iter().position(|(_, other)| *other >= length)
        {
            found.push((start, runs[next + more].0 + length));
            next += more + 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stand_behind_blanks_and_run_to_the_next() {
        let text = "@a.md x@b.md (@c.md @./d.md, @~/e @é.md @";
        let words: Vec<&str> = marks(text).into_iter().map(|(start, end)| &text[start..end]).collect();
        assert_eq!(words, ["@a.md", "@./d.md,"]);
    }

    #[test]
    fn code_is_what_backquotes_enclose() {
        let text = "a `b` ```\nc\n``` ``d ` e`` `f";
        let parts: Vec<&str> = code(text).into_iter().map(|(start, end)| &text[start..end]).collect();
        assert_eq!(parts, ["`b`", "```\nc\n```", "``d ` e``"]);
    }
}
