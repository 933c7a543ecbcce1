//! The text of a memory in pieces, to be found and taken out where other files repeat it.

use std::collections::BTreeSet;

use mem_text::width;
use serde_json::Value;

use crate::front_matter;

/// What a memory says, in pieces that are long enough to be its own.
#[derive(Debug, Clone, Default)]
pub struct Fragments {
    path: String,
    /// Sentences and descriptions, as they may stand within a line of another file.
    sentences: Vec<String>,
    /// Whole lines, without the marks around them.
    lines: BTreeSet<String>,
}

/// Fewer columns than this say nothing of their own: "every answer."
const LEAST_COLUMNS: usize = 12;

impl Fragments {
    /// Returns the pieces of all versions of the memory at `path`.
    #[must_use]
    pub fn of(path: &str, versions: &[String]) -> Self {
        let mut sentences = BTreeSet::new();
        let mut lines = BTreeSet::new();
        for text in versions {
            let parts = front_matter::of_memory(text);
            let description = parts.matter.and_then(|matter| matter.text("description")).unwrap_or_default();
            for text in parts.body.lines().chain([description.as_str()]) {
                lines.insert(bare(text));
                sentences.insert(bare(text));
                sentences.extend(text.split(['.', '。', '；', ';', '！', '!', '？', '?']).map(bare));
            }
        }
        lines.retain(|line| width::columns(line) >= 4);
        sentences.retain(|sentence| width::columns(sentence) >= LEAST_COLUMNS);
        Self { path: path.to_owned(), sentences: sentences.into_iter().collect(), lines }
    }

    /// Whether `text` repeats a sentence of the memory.
    #[must_use]
    pub fn stand_in(&self, text: &str) -> bool {
        self.sentences.iter().any(|sentence| text.contains(sentence.as_str()))
    }

    /// Returns `text` without the lines that repeat a sentence of the memory.
    #[must_use]
    pub fn without_lines(&self, text: &str) -> String {
        text.split_inclusive('\n').filter(|line| !self.stand_in(line)).collect()
    }

    /// Returns `text` without the lines of the memory that stand in it and did not in `first`, its first version.
    #[must_use]
    pub fn without_merged(&self, text: &str, first: &str) -> String {
        let own: BTreeSet<String> = first.lines().map(bare).collect();
        let is_merged = |line: &str| {
            let line = bare(line);
            self.lines.contains(&line) && !own.contains(&line)
        };
        text.split_inclusive('\n').filter(|line| !is_merged(line)).collect()
    }

    /// Returns a file of ours without the memory's path and text: JSON by its values, JSON lines by the line, else by lines.
    #[must_use]
    pub fn scrubbed(&self, text: &str) -> String {
        if !self.occur(text) {
            return text.to_owned();
        }
        if let Ok(mut value) = serde_json::from_str::<Value>(text) {
            self.scrub(&mut value);
            let end = if text.ends_with('\n') { "\n" } else { "" };
            return format!("{value}{end}");
        }
        let kept = text.split_inclusive('\n').filter_map(|line| match serde_json::from_str::<Value>(line) {
            _ if !self.occur(line) => Some(line.to_owned()),
            Ok(value) if self.is_about(&value) => None,
            Ok(mut value) => {
                self.scrub(&mut value);
                Some(format!("{value}\n"))
            }
            Err(_) => None,
        });
        kept.collect()
    }

    /// Whether path or text occur, also as JSON would escape them.
    #[must_use]
    pub fn occur(&self, text: &str) -> bool {
        let escaped = |sentence: &str| {
            let json = mem_types::to_json(&sentence);
            text.contains(&json[1..json.len() - 1])
        };
        text.contains(&self.path)
            || self.sentences.iter().any(|sentence| text.contains(sentence.as_str()) || escaped(sentence))
    }

    /// Whether an entry is one of the memory as a whole.
    fn is_about(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => {
                *text == self.path || text.contains(&format!("]({})", self.path)) && !text.contains('\n')
            }
            Value::Object(members) => members.get("path").is_some_and(|path| *path == self.path.as_str()),
            _ => false,
        }
    }

    fn scrub(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = crate::index_file::without_line(&self.without_lines(text), &self.path),
            Value::Array(items) => {
                items.retain(|item| !self.is_about(item));
                items.iter_mut().for_each(|item| self.scrub(item));
            }
            Value::Object(members) => {
                members.remove(&self.path);
                members.values_mut().for_each(|member| self.scrub(member));
            }
            _ => {}
        }
    }
}

/// A line without the marks around it.
fn bare(line: &str) -> String {
    let line = line.trim().trim_start_matches(['-', '*', '+', '>', '#', ' ']);
    line.trim_end_matches(['.', '。', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragments() -> Fragments {
        let text = "---\ndescription: the vault code is 4711\n---\n\n- The vault code is 4711. Ask Mina.\n钥匙放在二楼的红盒子里。\n";
        Fragments::of("vault.md", &[text.to_owned()])
    }

    #[test]
    fn lines_that_repeat_a_sentence_go_and_others_stay() {
        let log = "- 10:00 the vault code is 4711, she said\n- 11:00 lunch\n- 钥匙放在二楼的红盒子里\n";
        assert_eq!(fragments().without_lines(log), "- 11:00 lunch\n");
        assert!(!fragments().stand_in("Ask Mina"));
    }

    #[test]
    fn what_a_merge_brought_goes_and_what_was_there_before_stays() {
        let first = "Own line.\nAsk Mina.\n";
        let now = "Own line.\nAsk Mina.\nThe vault code is 4711. Ask Mina.\n";
        assert_eq!(fragments().without_merged(now, first), first);
        assert_eq!(fragments().without_merged(now, now), now);
    }

    #[test]
    fn json_loses_entries_and_lines_and_keeps_the_rest() {
        let session =
            r#"{"shown":[{"path":"vault.md","bytes":3},{"path":"b.md"}],"text":"a\nThe vault code is 4711\nb"}"#;
        assert_eq!(fragments().scrubbed(session), r#"{"shown":[{"path":"b.md"}],"text":"a\nb"}"#);
        let uses = "{\"path\":\"vault.md\",\"at\":1}\n{\"path\":\"b.md\",\"at\":1}\n";
        assert_eq!(fragments().scrubbed(uses), "{\"path\":\"b.md\",\"at\":1}\n");
    }
}
