//! Who has just used a tool needs no how-to for it; warnings about it are needed more than ever.

use mem_store::Memory;
use mem_types::{Document, Problems};

/// So many tools back count as used lately.
const MOST: usize = 10;
/// Bytes of a name; a longer one is none.
const LONGEST: usize = 200;
/// A shorter name would be found in any text.
const SHORTEST: usize = 3;
/// Tools that every agent has; their names are words of daily use.
const BUILT_IN: &[&str] = &["agent", "bash", "edit", "glob", "grep", "read", "skill", "task", "write"];
/// Words by which a memory is known as a how-to.
const HOW_TO: &[&str] = &[
    "how to", "howto", "how-to", "usage", "guide", "manual", "tutorial", "用法", "使用", "教程", "手册", "指南", "怎么",
];
/// Words by which a memory is known as a warning.
const WARNING: &[&str] = &[
    "avoid", "beware", "broken", "bug", "careful", "caution", "caveat", "do not", "don't", "fails", "gotcha",
    "must not", "never", "pitfall", "trap", "warning", "不要", "严禁", "切勿", "千万", "坑", "小心", "必须", "故障",
    "注意", "禁止", "警告", "陷阱",
];

/// Returns the names of tools used lately: `recent_tools`, else those that the messages call.
pub fn used_lately(document: &Document, problems: &mut Problems) -> Vec<String> {
    named(document, problems).iter().filter_map(|tool| subject(tool)).collect()
}

/// Returns the same as they are called.
pub fn named(document: &Document, problems: &mut Problems) -> Vec<String> {
    let named = document.read::<Vec<String>>("recent_tools", problems);
    let named = named.unwrap_or_else(|| called(document, problems)).into_iter().take(MOST);
    named.map(|tool| mem_text::cut::bytes(&tool, LONGEST).to_owned()).collect()
}

fn called(document: &Document, problems: &mut Problems) -> Vec<String> {
    let Some(raw) = document.list("messages", problems) else { return Vec::new() };
    mem_transcript::recent_tools(&mem_transcript::read_messages(raw).messages, MOST)
}

/// Returns what a memory would call the tool: of `mcp__linear__create_issue` it is `linear`.
fn subject(tool: &str) -> Option<String> {
    let server = tool.strip_prefix("mcp__").and_then(|rest| rest.split("__").next());
    let subject = server.unwrap_or(tool).to_lowercase();
    (subject.len() >= SHORTEST && !BUILT_IN.contains(&subject.as_str())).then_some(subject)
}

/// Returns the tool whose how-to this memory is, when it is one and warns of nothing.
pub fn how_to_of<'t>(memory: &Memory, tools: &'t [String]) -> Option<&'t str> {
    if tools.is_empty() || memory.kind.as_deref() == Some("feedback") {
        return None;
    }
    let head = format!("{} {} {}", memory.path, memory.name, memory.description).to_lowercase();
    let tool = tools.iter().find(|tool| head.contains(tool.as_str()))?;
    let explains = memory.kind.as_deref() == Some("reference") || HOW_TO.iter().any(|word| head.contains(word));
    (explains && !WARNING.iter().any(|word| head.contains(word))).then_some(tool)
}
