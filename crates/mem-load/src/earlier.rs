//! What touched files brought earlier in this session: it is in the model's context and does not come again, until
//! compaction takes it out.

use mem_store::{World, hash};
use mem_types::Document;
use mem_types::load::Brought;

/// The files that came by a touch in this session.
pub struct Earlier {
    epoch: u64,
    call: String,
    brought: Vec<Brought>,
    /// Whether the document has a part of a session for this command.
    has_part: bool,
}

/// The part of `.session` that mem-load keeps.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Part {
    /// The compaction epoch in which the files came.
    pub epoch: u64,
    /// The files, in the order in which they came.
    pub brought: Vec<Brought>,
}

impl Earlier {
    /// Returns what the document's session knows.
    pub fn read(document: &Document, world: &World) -> Self {
        let epoch = world.epoch(document);
        let part: Option<Part> = world.session_part(document, "load");
        let has_part = part.is_some();
        // After compaction, and at a new start, nothing of it is in the model's context.
        let part = part.filter(|part| part.epoch == epoch && !starts_anew(document)).unwrap_or_default();
        Self { epoch, call: call(document, world), brought: part.brought, has_part }
    }

    /// Whether a file came in an earlier call; what came in this very call comes again, so that a rerun says the same.
    pub fn has(&self, path: &str) -> bool {
        self.brought.iter().any(|brought| brought.path == path && brought.call != self.call)
    }

    /// Returns the part for the next turn with what came now, or nothing when there is nothing to keep.
    pub fn with(mut self, paths: Vec<String>) -> Option<Part> {
        for path in paths {
            if !self.brought.iter().any(|brought| brought.path == path) {
                self.brought.push(Brought { path, call: self.call.clone() });
            }
        }
        (self.has_part || !self.brought.is_empty()).then_some(Part { epoch: self.epoch, brought: self.brought })
    }
}

/// A session that is resumed has its context still.
fn starts_anew(document: &Document) -> bool {
    let text = |key: &str| document.try_read::<String>(key).ok().flatten();
    text("hook_event_name").as_deref() == Some("SessionStart") && text("source").as_deref() != Some("resume")
}

/// Returns the name of this call: the turn, and within it the tool use, since one turn uses many tools.
fn call(document: &Document, world: &World) -> String {
    let keys = ["hook_event_name", "tool_use_id", "tool_input", "files"];
    let parts = keys.iter().map(|key| document.get(key).unwrap_or_default());
    let turn = world.turn(document);
    hash::sha256_of_parts(std::iter::once(turn.as_str()).chain(parts))[..16].to_owned()
}
