//! Recorded uses of memories: `.mem/access.jsonl`, a line a use, united with the document's `access`.

use std::collections::BTreeSet;

use mem_types::input::Access;
use mem_types::{Document, Problems};

use crate::folder::MemoryFolder;
use crate::open;

/// Returns all recorded uses; the same path and time counts once.
#[must_use]
pub fn uses(folder: &MemoryFolder, document: &Document, problems: &mut Problems) -> Vec<Access> {
    let mut seen = BTreeSet::new();
    let mut uses = of_folder(folder, problems);
    uses.extend(document.read::<Vec<Access>>("access", problems).unwrap_or_default());
    uses.retain(|used| used.last.is_none() || seen.insert((used.path.clone(), used.last.clone())));
    uses
}

fn of_folder(folder: &MemoryFolder, problems: &mut Problems) -> Vec<Access> {
    if !folder.exists() {
        return Vec::new();
    }
    let Ok(content) = open::read(&folder.dir.join(".mem/access.jsonl")) else { return Vec::new() };
    let mut uses = Vec::new();
    for (number, line) in content.bytes.split(|&byte| byte == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(used) => uses.push(used),
            Err(_) => {
                problems
                    .warning("bad-access-line", "a line of the access record is no use of a memory")
                    .path(".mem/access.jsonl")
                    .line(number + 1);
            }
        }
    }
    uses
}
