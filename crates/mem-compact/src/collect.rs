//! Takes the points out of messages: sentences of the user and the model, errors of tools, open tasks, files that were
//! changed, skills that were used. Each knows the message it came from.

use std::collections::HashSet;

use mem_transcript::{Kind, Message, Part, SUMMARY_MARK, Speaker, own_words};
use serde_json::Value;

use crate::digest::short;
use crate::points::{Point, Source};
use crate::sentences::{clip, sentences};
use crate::slots::Slot;

/// Longest sentence of the model or a tool that is kept whole, in characters.
const LONG_SENTENCE: usize = 320;
/// Longest sentence of the user that is kept whole, in characters: what is longer was pasted.
const LONG_WISH: usize = 800;
/// Most lines with errors that are taken from one result of a tool.
const ERRORS_EACH: usize = 4;

/// Returns what these messages say, in order, repetitions included.
pub(crate) fn collect(messages: &[Message<'_>], range: impl Iterator<Item = usize>, root: &str) -> Vec<Point> {
    let mut collector = Collector { root, readings: HashSet::new(), found: Vec::new() };
    for index in range {
        collector.take(&messages[index], index);
    }
    collector.found
}

/// Returns whether the messages write a task list: an older one is then out of date.
pub(crate) fn has_task_list(messages: &[&Message<'_>]) -> bool {
    let parts = messages.iter().flat_map(|message| &message.parts);
    parts.into_iter().any(|part| matches!(&part.kind, Kind::ToolUse { name, .. } if is_task_list(name)))
}

fn is_task_list(tool: &str) -> bool {
    tool.eq_ignore_ascii_case("todowrite")
}

struct Collector<'r> {
    root: &'r str,
    /// Calls that show a file or search in some: an `error` in their results stands in a source, nothing failed.
    readings: HashSet<String>,
    found: Vec<Point>,
}

impl Collector<'_> {
    fn take(&mut self, message: &Message<'_>, index: usize) {
        match message.speaker {
            Speaker::UserWords => {
                self.take_sentences(&own_words(message), index, Source::User, LONG_WISH);
                self.take_pictures(&message.parts, index);
            }
            Speaker::Assistant => message.parts.iter().for_each(|part| self.take_answer(part, index)),
            Speaker::Tool => message.parts.iter().for_each(|part| self.take_result(part, index)),
            Speaker::Summary => self.take_summary(&message.text(), index),
            Speaker::Host => {}
        }
    }

    fn add(&mut self, message: usize, source: Source, text: impl Into<String>) {
        self.found.push(Point::new(message, source, text.into()));
    }

    fn take_sentences(&mut self, text: &str, message: usize, source: Source, longest: usize) {
        for sentence in sentences(text) {
            self.add(message, source, clip(sentence, longest));
        }
    }

    fn take_pictures(&mut self, parts: &[Part<'_>], message: usize) {
        for part in parts {
            if let Kind::Image { media_type, bytes } = &part.kind {
                let name = if media_type.is_empty() { "image" } else { media_type.as_ref() };
                // Four characters of base64 are three bytes.
                self.take_picture(message, &format!("[{name}, {} bytes]", bytes / 4 * 3));
            }
        }
    }

    /// What the user said with a picture tells what it was, so its mark stands behind those words.
    fn take_picture(&mut self, message: usize, mark: &str) {
        match self.found.last_mut() {
            Some(said) if said.message == message && said.source == Source::User => {
                *said = Point::new(message, Source::User, format!("{} {mark}", said.text));
            }
            _ => self.add(message, Source::Picture, mark),
        }
    }

    fn take_answer(&mut self, part: &Part<'_>, message: usize) {
        match &part.kind {
            Kind::Text(text) => self.take_sentences(text, message, Source::Assistant, LONG_SENTENCE),
            Kind::ToolUse { id, name, input } => self.take_call(id, &name.to_ascii_lowercase(), input, message),
            _ => {}
        }
    }

    fn take_call(&mut self, id: &str, tool: &str, input: &str, message: usize) {
        let is_any = |words: &[&str]| words.iter().any(|word| tool.contains(word));
        if is_any(&["read", "view", "grep", "glob", "search", "fetch"]) {
            self.readings.insert(id.to_owned());
            return;
        }
        let writes = !is_task_list(tool) && is_any(&["write", "edit", "create", "replace", "patch"]);
        if !writes && tool != "skill" && !is_task_list(tool) {
            return;
        }
        let Ok(input) = serde_json::from_str::<Value>(input) else { return };
        let text = |keys: &[&str]| keys.iter().find_map(|key| input.get(key)?.as_str());
        match text(&["file_path", "filePath", "notebook_path", "absolute_path", "path"]) {
            Some(path) if writes => self.add(message, Source::File, short(path, self.root)),
            _ if tool == "skill" => self.take_skill(text(&["skill", "command", "name"]), message),
            _ => self.take_tasks(&input, message),
        }
    }

    fn take_skill(&mut self, name: Option<&str>, message: usize) {
        if let Some(name) = name {
            self.add(message, Source::Skill, name);
        }
    }

    /// The last task list counts; what an earlier one said about the same tasks is out of date.
    fn take_tasks(&mut self, input: &Value, message: usize) {
        let Some(tasks) = input.get("todos").and_then(Value::as_array) else { return };
        self.found.retain(|point| point.source != Source::Task);
        let is_open = |task: &&Value| task.get("status").and_then(Value::as_str) != Some("completed");
        for task in tasks.iter().filter(is_open) {
            if let Some(text) = task.get("content").and_then(Value::as_str) {
                self.add(message, Source::Task, clip(text, LONG_SENTENCE));
            }
        }
    }

    fn take_result(&mut self, part: &Part<'_>, message: usize) {
        let Kind::ToolResult { id, parts, is_error } = &part.kind else { return };
        self.take_pictures(parts, message);
        if !*is_error && self.readings.contains(id.as_ref()) {
            return;
        }
        let text = part.text();
        let mut lines = error_lines(&text);
        if *is_error && lines.is_empty() {
            lines.extend(text.lines().map(str::trim).rfind(|line| !line.is_empty()));
        }
        for line in lines {
            self.add(message, Source::Tool, clip(line, LONG_SENTENCE / 2));
        }
    }

    fn take_summary(&mut self, text: &str, message: usize) {
        if !text.starts_with(SUMMARY_MARK) {
            return self.take_sentences(text, message, Source::Earlier, LONG_WISH);
        }
        let mut slot = None;
        for line in text.lines().filter(|line| !line.starts_with(SUMMARY_MARK) && !line.trim().is_empty()) {
            if let Some(heading) = Slot::of_heading(line) {
                slot = Some(heading);
                continue;
            }
            match Source::of_line(line) {
                Some((source @ (Source::File | Source::Skill | Source::Cold), names)) => {
                    names.split(", ").for_each(|name| self.add(message, source, name));
                }
                Some((source, rest)) => self.found.push(Point::new(message, source, rest.into()).in_slot(slot)),
                None => self.found.push(Point::new(message, Source::Earlier, line.into()).in_slot(slot)),
            }
        }
    }
}

/// Returns the lines that tell of an error: the last ones, since causes stand at the end of what tools print.
fn error_lines(text: &str) -> Vec<&str> {
    const SIGNS: [&str; 13] = [
        "rror", "ERR", "FATAL", "atal:", "panic", "xception", "ailed", "FAIL", "refused", "denied", "错误", "失败",
        "异常",
    ];
    let mut starts: Vec<usize> = Vec::new();
    for sign in SIGNS {
        let hits = memchr::memmem::find_iter(text.as_bytes(), sign).take(200);
        starts.extend(hits.map(|at| memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |newline| newline + 1)));
    }
    starts.sort_unstable();
    starts.dedup();
    let lines = starts.iter().filter_map(|&start| text[start..].lines().next()).map(str::trim);
    let told: Vec<&str> = lines.filter(|line| !is_code(line)).collect();
    told[told.len().saturating_sub(ERRORS_EACH)..].to_vec()
}

/// Printed sources hold the word without any failure.
fn is_code(line: &str) -> bool {
    line.ends_with(['{', ';', ',', '(']) || line.starts_with("return ") || line.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_transcript::read_messages;

    fn check(messages: &str, expected: &[(Source, &str)]) {
        let read = read_messages(messages);
        let points = collect(&read.messages, 0..read.messages.len(), "/p");
        let found: Vec<_> = points.iter().map(|point| (point.source, point.text.as_str())).collect();
        assert_eq!(found, expected);
    }

    fn call(tool: &str, input: &str) -> String {
        format!(r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"t","name":"{tool}","input":{input}}}]}}"#)
    }

    fn result(text: &str) -> String {
        format!(r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":"{text}"}}]}}"#)
    }

    #[test]
    fn errors_count_where_something_failed_and_not_where_a_source_was_read() {
        let text = r"ok\nerror: no such table\n  return Error(x);\nif error {";
        let ran = format!("[{},{}]", call("Bash", "{}"), result(text));
        check(&ran, &[(Source::Tool, "error: no such table")]);
        check(&format!("[{},{}]", call("Read", "{}"), result(text)), &[]);
    }

    #[test]
    fn a_failure_without_the_word_is_told_by_its_last_line() {
        let failed = result(r"trying\nHTTP 403 被拒\n")
            .replace("\"content\":\"trying", "\"is_error\":true,\"content\":\"trying");
        check(&format!("[{},{failed}]", call("Read", "{}")), &[(Source::Tool, "HTTP 403 被拒")]);
    }

    #[test]
    fn of_task_lists_the_last_one_counts_and_what_is_done_is_not_open() {
        let first = call("TodoWrite", r#"{"todos":[{"content":"a","status":"pending"},{"content":"b"}]}"#);
        let last = call("TodoWrite", r#"{"todos":[{"content":"a","status":"completed"},{"content":"b"}]}"#);
        check(&format!("[{first},{last}]"), &[(Source::Task, "b")]);
        let read = read_messages("[]");
        assert!(!has_task_list(&read.messages.iter().collect::<Vec<_>>()));
    }

    #[test]
    fn a_picture_leaves_its_type_and_size_behind_the_words_that_came_with_it() {
        let image = r#"{"type":"image","source":{"media_type":"image/png","data":"QUJDRA=="}}"#;
        let said = format!(r#"[{{"role":"user","content":[{image},{{"type":"text","text":"See here."}}]}}]"#);
        check(&said, &[(Source::User, "See here. [image/png, 6 bytes]")]);
        check(&format!(r#"[{{"role":"user","content":[{image}]}}]"#), &[(Source::Picture, "[image/png, 6 bytes]")]);
    }

    #[test]
    fn files_are_written_from_the_projects_root() {
        check(&format!("[{}]", call("Edit", r#"{"file_path":"/p/src/a.rs"}"#)), &[(Source::File, "src/a.rs")]);
        check(&format!("[{}]", call("Skill", r#"{"skill":"release"}"#)), &[(Source::Skill, "release")]);
    }

    #[test]
    fn a_digest_is_read_back_as_it_was_written() {
        let text =
            r"[mem-compact: x]\n> use tabs\n- it works\n! error: 7\nskill: a, b\nchanged: c.rs\npin: keep\ntodo: d";
        let expected = [
            (Source::User, "use tabs"),
            (Source::Earlier, "it works"),
            (Source::Tool, "error: 7"),
            (Source::Skill, "a"),
            (Source::Skill, "b"),
            (Source::File, "c.rs"),
            (Source::Pin, "keep"),
            (Source::Task, "d"),
        ];
        check(&format!(r#"[{{"role":"user","content":"{text}"}}]"#), &expected);
    }
}
