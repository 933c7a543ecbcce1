//! What the agent whose hook asks loads by itself: the hook's answer leaves it out.

use std::collections::BTreeSet;

use mem_types::Document;
use mem_types::load::{FileState, LoadedFile};

use crate::loader::Task;

/// Tools whose files the agent itself looks at: facts.md, Part A, section 5, and Part B, section 1.1.
const TOOLS: [&str; 5] = ["Read", "Write", "Edit", "MultiEdit", "Bash"];

/// Marks each active file, when a hook asks; returns the paths of those that its answer gives at a start.
///
/// `of_agent` returns what the agent itself loads.
pub fn mark(
    files: &mut [LoadedFile],
    task: &Task<'_>,
    document: &Document,
    of_agent: impl FnOnce(&Task<'_>) -> Vec<LoadedFile>,
) -> Vec<String> {
    let Some(event) = hook_event(document) else { return Vec::new() };
    let tool: Option<String> = document.try_read("tool_name").ok().flatten();
    let is_noticed = tool.is_none_or(|tool| TOOLS.contains(&tool.as_str()));
    let touched = if is_noticed { task.touched } else { &[] };
    let own = of_agent(&Task { touched, meaning: crate::glob::Meaning::Client, ..*task });
    let own: BTreeSet<String> = own.into_iter().filter(is_active).map(|file| file.path).collect();
    let mut given = Vec::new();
    for file in files.iter_mut().filter(|file| is_active(file)) {
        let is_of_start = file.matched_by.is_none();
        let is_native = own.contains(&file.path) || is_of_start && task.earlier.was_given(&file.path);
        file.native = Some(is_native);
        if event == "SessionStart" && is_of_start && !is_native {
            given.push(file.path.clone());
        }
    }
    given
}

fn hook_event(document: &Document) -> Option<String> {
    document.try_read("hook_event_name").ok().flatten()
}

fn is_active(file: &LoadedFile) -> bool {
    file.state == FileState::Active
}
