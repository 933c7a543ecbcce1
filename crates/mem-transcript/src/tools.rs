//! What the model did with tools: which calls have their results, which tools and files it used lately, what it wrote.

use std::collections::{HashMap, HashSet};

use crate::json;
use crate::message::{Kind, Message, Part, Role};

/// Where a block stands: index of the message, index of the block in it.
pub type Place = (usize, usize);

/// Calls and results, matched.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// Each call with its result, in the order of the calls.
    pub pairs: Vec<(Place, Place)>,
    /// Calls and results without their other half, in order.
    pub unpaired: Vec<Unpaired>,
}

/// Half a pair.
#[derive(Debug, PartialEq, Eq)]
pub struct Unpaired {
    /// Where it stands.
    pub place: Place,
    /// The id that has no other half there.
    pub id: String,
    /// Whether it is the call; else it is the result.
    pub is_call: bool,
}

/// A file that a tool read or wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// The path as the tool got it.
    pub path: String,
    /// The name of the tool.
    pub tool: String,
    /// Index of the message with the call.
    pub message: usize,
    /// Whether the tool changes files.
    pub writes: bool,
}

/// Returns the tool pairs. A result counts only in the user message that follows its call, as the API wants it.
pub fn tool_pairs(messages: &[Message<'_>]) -> Pairs {
    let mut found = Pairs::default();
    let mut open: HashMap<&str, Place> = HashMap::new();
    let mut previous = Role::Other;
    for (index, message) in messages.iter().enumerate() {
        if message.role == Role::Assistant && previous != Role::Assistant {
            found.give_up(&mut open);
        }
        for (part_index, part) in message.parts.iter().enumerate() {
            found.take(message.role, (index, part_index), part, &mut open);
        }
        previous = message.role;
    }
    found.give_up(&mut open);
    found.pairs.sort_unstable();
    found.unpaired.sort_unstable_by_key(|half| half.place);
    found
}

impl Pairs {
    fn take<'m>(&mut self, role: Role, place: Place, part: &'m Part<'_>, open: &mut HashMap<&'m str, Place>) {
        match &part.kind {
            Kind::ToolUse { id, .. } if role == Role::Assistant => {
                if let Some(twin) = open.insert(id, place) {
                    self.alone(twin, id, true);
                }
            }
            Kind::ToolUse { id, .. } => self.alone(place, id, true),
            Kind::ToolResult { id, .. } => match open.remove(id.as_ref()) {
                Some(call) if role != Role::Assistant => self.pairs.push((call, place)),
                _ => self.alone(place, id, false),
            },
            _ => {}
        }
    }

    fn alone(&mut self, place: Place, id: &str, is_call: bool) {
        self.unpaired.push(Unpaired { place, id: id.to_owned(), is_call });
    }

    fn give_up(&mut self, open: &mut HashMap<&str, Place>) {
        for (id, place) in open.drain() {
            self.alone(place, id, true);
        }
    }
}

/// Returns the names of the tools used lately, the last one first, each once.
pub fn recent_tools(messages: &[Message<'_>], limit: usize) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in messages.iter().rev().flat_map(|message| message.parts.iter().rev()) {
        if names.len() == limit {
            break;
        }
        if let Kind::ToolUse { name, .. } = &part.kind
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_string());
        }
    }
    names
}

/// Returns the files that tools read or wrote, the last one first, each path once. Calls that failed do not count.
pub fn files_touched(messages: &[Message<'_>]) -> Vec<Touch> {
    let mut touches = Vec::new();
    let mut seen = HashSet::new();
    let mut failed: HashSet<&str> = HashSet::new();
    for (index, message) in messages.iter().enumerate().rev() {
        for part in message.parts.iter().rev() {
            match &part.kind {
                Kind::ToolResult { id, is_error: true, .. } => {
                    failed.insert(id);
                }
                Kind::ToolUse { id, .. } if failed.remove(id.as_ref()) => {}
                _ => touches.extend(touch(index, part).filter(|touch| seen.insert(touch.path.clone()))),
            }
        }
    }
    touches
}

/// Returns the files beneath a folder that the model wrote, the last one first.
///
/// With the memory folder it says whether the agent took care of its memory itself.
pub fn files_written_in(messages: &[Message<'_>], folder: &str) -> Vec<Touch> {
    let folder = folder.trim_end_matches('/');
    let beneath = |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let writes = messages
        .iter()
        .enumerate()
        .rev()
        .flat_map(|(index, message)| message.parts.iter().rev().filter_map(move |part| touch(index, part)));
    let mut seen = HashSet::new();
    writes.filter(|touch| touch.writes && beneath(&touch.path) && seen.insert(touch.path.clone())).collect()
}

fn touch(message: usize, part: &Part<'_>) -> Option<Touch> {
    let Kind::ToolUse { name, input, .. } = &part.kind else {
        return None;
    };
    let lower = name.to_ascii_lowercase();
    let writes = ["write", "edit", "create", "replace", "patch"].iter().any(|word| lower.contains(word));
    let reads = ["read", "view", "open"].iter().any(|word| lower.contains(word));
    // Chat services send the input as a text that holds an object.
    let unpacked = json::string(input);
    let input = json::object(unpacked.as_deref().unwrap_or(input))?;
    let named = ["file_path", "filePath", "notebook_path", "absolute_path"].iter().find_map(|key| input.text(key));
    // Searches have a `path` too, but it says where to look.
    let path = named.or_else(|| input.text("path").filter(|_| reads || writes))?;
    (!path.is_empty()).then(|| Touch { path: path.into_owned(), tool: name.to_string(), message, writes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_messages;

    fn call(id: &str, name: &str, input: &str) -> String {
        format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}"#)
    }

    fn result(id: &str, is_error: bool) -> String {
        format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"x","is_error":{is_error}}}"#)
    }

    fn list(messages: &[(&str, Vec<String>)]) -> String {
        let items: Vec<_> = messages
            .iter()
            .map(|(role, blocks)| format!(r#"{{"role":"{role}","content":[{}]}}"#, blocks.join(",")))
            .collect();
        format!("[{}]", items.join(","))
    }

    #[test]
    fn parallel_calls_find_their_results_together() {
        let json = list(&[
            ("assistant", vec![call("a", "Read", "{}"), call("b", "Read", "{}")]),
            ("user", vec![result("b", false), result("a", false)]),
        ]);
        let pairs = tool_pairs(&read_messages(&json).messages);
        assert_eq!(pairs.pairs, [((0, 0), (1, 1)), ((0, 1), (1, 0))]);
        assert!(pairs.unpaired.is_empty());
    }

    #[test]
    fn halves_are_named() {
        let json = list(&[
            ("user", vec![result("z", false)]),
            ("assistant", vec![call("a", "Read", "{}")]),
            ("assistant", vec![call("b", "Read", "{}")]),
            ("user", vec![result("b", false), result("b", false)]),
            ("assistant", vec![]),
            ("user", vec![result("a", false)]),
        ]);
        let pairs = tool_pairs(&read_messages(&json).messages);
        assert_eq!(pairs.pairs, [((2, 0), (3, 0))]);
        let halves: Vec<_> = pairs.unpaired.iter().map(|half| (half.id.as_str(), half.place, half.is_call)).collect();
        assert_eq!(halves, [("z", (0, 0), false), ("a", (1, 0), true), ("b", (3, 1), false), ("a", (5, 0), false)]);
    }

    #[test]
    fn the_same_id_used_again_is_another_pair() {
        let turn = [("assistant", vec![call("a", "Read", "{}")]), ("user", vec![result("a", false)])];
        let json = list(&[turn.clone(), turn].concat());
        assert_eq!(tool_pairs(&read_messages(&json).messages).pairs.len(), 2);
    }

    #[test]
    fn files_and_tools_come_newest_first_and_once() {
        let json = list(&[
            ("assistant", vec![call("1", "Read", r#"{"file_path":"/a"}"#), call("2", "Grep", r#"{"path":"/dir"}"#)]),
            (
                "assistant",
                vec![call("3", "Edit", r#"{"file_path":"/b"}"#), call("4", "Read", r#"{"file_path":"/gone"}"#)],
            ),
            ("user", vec![result("4", true)]),
            ("assistant", vec![call("5", "read_file", r#"{"path":"/a"}"#)]),
        ]);
        let read = read_messages(&json);
        let paths: Vec<_> = files_touched(&read.messages).into_iter().map(|touch| touch.path).collect();
        assert_eq!(paths, ["/a", "/b"]);
        assert_eq!(recent_tools(&read.messages, 2), ["read_file", "Read"]);
    }

    #[test]
    fn writing_into_the_memory_folder_is_noticed() {
        let json = list(&[(
            "assistant",
            vec![
                call("1", "Write", r#"{"file_path":"/m/memory/a.md"}"#),
                call("2", "Read", r#"{"file_path":"/m/memory/b.md"}"#),
            ],
        )]);
        let read = read_messages(&json);
        let written = files_written_in(&read.messages, "/m/memory/");
        assert_eq!(written.len(), 1);
        assert!(files_written_in(&read.messages, "/m/mem").is_empty());
    }
}
