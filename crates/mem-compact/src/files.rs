//! The files that help to find one's way again after a fold: the last ones that were read or written.

use std::collections::HashSet;

use mem_transcript::{Message, files_touched};
use mem_types::compact::RestoredFile;

/// How many files are named.
const FILES: usize = 5;

/// A file that was used lately and is not named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOut {
    pub path: String,
    pub reason: &'static str,
}

/// Returns the files used last, the last one first, and those that were left out although they were as recent.
///
/// Instructions and memories take no place: they come back by their own layers. `named` are files that the caller says
/// were touched; they count as older than those in the messages.
pub(crate) fn last_used(
    messages: &[Message<'_>],
    named: &[String],
    root: &str,
    memory_folder: Option<&str>,
    exists: impl Fn(&str) -> bool,
) -> (Vec<RestoredFile>, Vec<LeftOut>) {
    let (mut restored, mut left_out) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    let touched = files_touched(messages).into_iter().map(|touch| touch.path);
    for path in touched.chain(named.iter().rev().cloned()).map(|path| absolute(&path, root)) {
        if restored.len() == FILES || !seen.insert(path.clone()) {
            continue;
        }
        match reason_against(&path, memory_folder, &exists) {
            Some(reason) => left_out.push(LeftOut { path, reason }),
            None => restored.push(RestoredFile { path, state: "path".into(), ..RestoredFile::default() }),
        }
    }
    (restored, left_out)
}

fn reason_against(path: &str, memory_folder: Option<&str>, exists: &impl Fn(&str) -> bool) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_instruction =
        matches!(name, "CLAUDE.md" | "CLAUDE.local.md" | "AGENTS.md" | "GEMINI.md") || path.contains("/.claude/rules/");
    let is_memory = memory_folder.is_some_and(|folder| is_beneath(path, folder));
    match () {
        () if is_instruction => Some("instructions come back by mem-load"),
        () if is_memory => Some("memories come back by mem-recall"),
        () if !exists(path) => Some("deleted"),
        () => None,
    }
}

fn is_beneath(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
}

fn absolute(path: &str, root: &str) -> String {
    if path.starts_with('/') || path.starts_with('~') || root.is_empty() {
        return path.to_owned();
    }
    format!("{}/{}", root.trim_end_matches('/'), path.trim_start_matches("./"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_transcript::read_messages;

    fn reads(paths: &[&str]) -> String {
        let calls: Vec<_> = paths
            .iter()
            .map(|path| {
                format!(r#"{{"type":"tool_use","id":"{path}","name":"Read","input":{{"file_path":"{path}"}}}}"#)
            })
            .collect();
        format!(r#"[{{"role":"assistant","content":[{}]}}]"#, calls.join(","))
    }

    #[test]
    fn instructions_memories_and_deleted_files_take_no_place() {
        let json =
            reads(&["/p/1", "/p/2", "/m/memory/5.md", "/p/CLAUDE.md", "/p/gone", "/p/6", "/p/7", "/p/8", "/p/9"]);
        let read = read_messages(&json);
        let (restored, left_out) = last_used(&read.messages, &[], "/p", Some("/m/memory"), |path| path != "/p/gone");
        let paths: Vec<_> = restored.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["/p/9", "/p/8", "/p/7", "/p/6", "/p/2"]);
        let reasons: Vec<_> = left_out.iter().map(|file| (file.path.as_str(), file.reason)).collect();
        assert_eq!(reasons.len(), 3);
        assert!(reasons.contains(&("/p/gone", "deleted")));
    }

    #[test]
    fn files_that_the_caller_names_count_as_older() {
        let json = reads(&["/p/a"]);
        let read = read_messages(&json);
        let named = ["b".to_owned(), "/p/a".to_owned(), "./c".to_owned()];
        let (restored, _) = last_used(&read.messages, &named, "/p", None, |_| true);
        let paths: Vec<_> = restored.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["/p/a", "/p/c", "/p/b"]);
    }
}
