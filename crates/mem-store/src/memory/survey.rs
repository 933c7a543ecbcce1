//! A look over a folder of any size: the newest memories with their heads, and of all others only what they are.

use std::path::Path;

use jiff::Timestamp;
use mem_types::Problems;

use super::{Memory, Scan, reading, stem, walk};

/// What a look at a file tells, whatever its age.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glance {
    /// Relative to the folder, with `/`.
    pub path: String,
    /// Size on disk.
    pub bytes: u64,
    /// When its content last changed.
    pub modified: Option<Timestamp>,
    /// The name that it gives itself, when that is not the file's.
    pub own_name: Option<Box<str>>,
    /// Whether its head names it, describes it, or says its type.
    pub has_head: bool,
    /// Whether its head says that it no longer holds.
    pub is_superseded: bool,
}

/// What a folder holds.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// Every topic file, by path.
    pub all: Vec<Glance>,
    /// The newest of them, with their heads, in no order.
    pub newest: Vec<Memory>,
}

impl Glance {
    /// Returns what a look at `memory` tells.
    #[must_use]
    pub fn of(memory: &Memory) -> Self {
        Self {
            path: memory.path.clone(),
            bytes: memory.bytes,
            modified: memory.modified,
            own_name: (memory.name != stem(&memory.path)).then(|| memory.name.as_str().into()),
            has_head: !memory.description.is_empty() || memory.kind.is_some() || memory.matter.text("name").is_some(),
            is_superseded: memory.is_superseded(),
        }
    }
}

/// Looks over `folder` and keeps at least the `most` newest memories. What is left out is named in `problems`.
pub(crate) fn survey(folder: &Path, most: usize, problems: &mut Problems) -> Survey {
    let files = walk::files(folder, problems);
    let parts = reading::in_parts(folder, &files, Scan::Heads, problems, |reader, part, problems| {
        let mut survey = Survey { all: Vec::with_capacity(part.len()), newest: Vec::new() };
        for path in part {
            let Some(memory) = reader.read(path, problems) else { continue };
            survey.all.push(Glance::of(&memory));
            survey.newest.push(memory);
            if survey.newest.len() > most.saturating_mul(2).saturating_add(SLACK) {
                keep_newest(&mut survey.newest, most);
            }
        }
        vec![survey]
    });
    let mut whole = Survey::default();
    for part in parts {
        whole.all.extend(part.all);
        whole.newest.extend(part.newest);
    }
    whole
}

/// How many more than twice as many as wanted are held before the oldest go.
const SLACK: usize = 100;

/// Leaves the newest; of those of one time the first by path.
fn keep_newest(memories: &mut Vec<Memory>, most: usize) {
    memories.sort_by(|left, right| right.modified.cmp(&left.modified).then_with(|| left.path.cmp(&right.path)));
    memories.truncate(most);
}
