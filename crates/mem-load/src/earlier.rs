//! What touched files brought earlier in this session: it is in the model's context and does not come again, until
//! compaction takes it out.

use mem_store::{World, hash};
use mem_types::Document;
use mem_types::load::Brought;

use crate::providers::Kept;

/// The files that came by a touch in this session.
pub struct Earlier {
    epoch: u64,
    call: String,
    brought: Vec<Brought>,
    given: Vec<Brought>,
    providers: Kept,
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
    /// Files that a hook's answer gave at the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<Brought>,
    /// The last good answers of providers.
    #[serde(skip_serializing_if = "Kept::is_empty")]
    pub providers: Kept,
}

impl Earlier {
    /// Returns what the document's session knows.
    pub fn read(document: &Document, world: &World) -> Self {
        let epoch = world.epoch(document);
        let part: Option<Part> = world.session_part(document, "load");
        let has_part = part.is_some();
        let providers = part.as_ref().map(|part| part.providers.clone()).unwrap_or_default();
        // After compaction, and at a new start, nothing of it is in the model's context.
        let part = part.filter(|part| part.epoch == epoch && !starts_anew(document)).unwrap_or_default();
        Self { epoch, call: call(document, world), brought: part.brought, given: part.given, providers, has_part }
    }

    /// Whether a file came in an earlier call; what came in this very call comes again, so that a rerun says the same.
    pub fn has(&self, path: &str) -> bool {
        self.brought.iter().any(|brought| brought.path == path && brought.call != self.call)
    }

    /// Whether a hook's answer gave a file at the start of this session, in an earlier call.
    pub fn was_given(&self, path: &str) -> bool {
        self.given.iter().any(|given| given.path == path && given.call != self.call)
    }

    /// Takes the last good answers of providers.
    pub fn kept(&mut self) -> Kept {
        std::mem::take(&mut self.providers)
    }

    /// Returns the part for the next turn with what came now, or nothing when there is nothing to keep.
    pub fn with(mut self, brought: Vec<String>, given: Vec<String>, providers: Kept) -> Option<Part> {
        note(&mut self.brought, brought, &self.call);
        note(&mut self.given, given, &self.call);
        let has_news = !self.brought.is_empty() || !self.given.is_empty() || !providers.is_empty();
        let Self { epoch, brought, given, .. } = self;
        (self.has_part || has_news).then_some(Part { epoch, brought, given, providers })
    }
}

fn note(list: &mut Vec<Brought>, paths: Vec<String>, call: &str) {
    for path in paths {
        if !list.iter().any(|noted| noted.path == path) {
            list.push(Brought { path, call: call.to_owned() });
        }
    }
}

/// A session that is resumed has its context still.
fn starts_anew(document: &Document) -> bool {
    let text = |key: &str| document.try_read::<String>(key).ok().flatten();
    text("hook_event_name").as_deref() == Some("SessionStart") && text("source").as_deref() != Some("resume")
}

/// Returns the name of this call: the turn, and within it the tool use, since one turn uses many tools.
fn call(document: &Document, world: &World) -> String {
    let keys = ["hook_event_name", "source", "tool_use_id", "tool_input", "files"];
    let parts = keys.iter().map(|key| document.get(key).unwrap_or_default());
    let turn = world.turn(document);
    hash::sha256_of_parts(std::iter::once(turn.as_str()).chain(parts))[..16].to_owned()
}
