//! Saves a session to a file, whole or not at all, and gives it back.

use std::collections::HashSet;
use std::path::Path;

use mem_store::{World, hash};
use mem_transcript::{Message, read_messages};
use mem_types::compact::{Compact, Original, Raw, SnapshotNote, Summary};
use mem_types::index::Index;
use mem_types::load::Load;
use mem_types::{Document, Failure, Problems};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the file that is written and read.
const SCHEMA: u64 = 1;

/// What is saved of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Snapshot {
    /// The version of this form.
    pub snapshot_schema: u64,
    /// The session; empty when it has no id.
    pub session_id: String,
    /// The project's root.
    pub root: String,
    /// When it was written.
    pub now: String,
    /// The conversation as it came in, before the fold.
    pub messages: Raw,
    /// Messages of earlier folds, which the summaries speak of.
    pub originals: Vec<Original>,
    /// The summaries after the fold.
    pub summaries: Vec<Summary>,
    pub pins: Vec<String>,
    pub epoch: u64,
    /// The version of the instructions; empty when they are not known.
    pub rules: String,
    /// A hash of the index; empty when it is not known.
    pub memory: String,
}

impl Snapshot {
    /// Returns what is to be saved. Secrets are masked: they do not reach the disk by our doing.
    pub(crate) fn of(messages: &[Message<'_>], compact: &Compact, document: &Document, world: &World) -> Self {
        let problems = &mut Problems::default();
        let list: Vec<String> = messages.iter().map(|message| masked(&message.to_json())).collect();
        let (rules, memory) = versions(document);
        Snapshot {
            snapshot_schema: SCHEMA,
            session_id: document.read("session_id", problems).unwrap_or_default(),
            root: world.project_root(document, problems).to_string_lossy().into_owned(),
            now: world.now().to_rfc3339(),
            messages: Raw::new(format!("[{}]", list.join(","))).unwrap_or_default(),
            originals: Vec::new(),
            summaries: compact.summaries.clone(),
            pins: compact.pins.clone(),
            epoch: compact.epoch,
            rules,
            memory,
        }
    }

    /// Takes over the messages of an older snapshot of the same session that are not among these any more.
    pub(crate) fn keep_older(&mut self, older: Snapshot) {
        if older.session_id != self.session_id || older.root != self.root {
            return;
        }
        let now = read_messages(self.messages.text());
        let known: HashSet<String> = now.messages.iter().flat_map(Message::uuids).map(str::to_owned).collect();
        let before = read_messages(older.messages.text());
        let gone = crate::expand::originals(&before.messages, &self.summaries);
        let is_new = |original: &Original| {
            let list = format!("[{}]", original.message.text());
            let read = read_messages(&list);
            !read.messages.iter().flat_map(Message::uuids).any(|id| known.contains(id))
        };
        self.originals = older.originals;
        for original in gone.into_iter().filter(is_new) {
            if !self.originals.contains(&original) {
                self.originals.push(original);
            }
        }
    }

    /// Reads a snapshot.
    ///
    /// # Errors
    /// With `bad-snapshot` when there is none, or it was made by something else.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let bad = |reason: String| {
            Failure::new("bad-snapshot", format!("{}: {reason}", path.display()))
                .with_hint("name a file that mem-compact --snapshot wrote")
        };
        let bytes = mem_store::snapshot::read(path).map_err(bad)?;
        if !bytes.trim_ascii_start().starts_with(b"{") {
            return Err(bad("holds no snapshot".into()));
        }
        let snapshot: Snapshot =
            serde_json::from_slice(&bytes).map_err(|error| bad(format!("holds no snapshot: {error}")))?;
        match snapshot.snapshot_schema {
            SCHEMA => Ok(snapshot),
            0 => Err(bad("holds no snapshot".into())),
            other => Err(bad(format!("is of version {other}, and {SCHEMA} is read"))),
        }
    }

    /// Writes it: a reader finds the old one or the new one, never a part.
    ///
    /// # Errors
    /// In words.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        mem_store::snapshot::write(path, format!("{}\n", mem_types::to_json(self)).as_bytes())
    }

    /// Returns what the answer says about it.
    pub(crate) fn note(&self, path: &Path, state: &str) -> SnapshotNote {
        SnapshotNote {
            path: path.to_string_lossy().into_owned(),
            state: state.into(),
            session_id: self.session_id.clone(),
            root: self.root.clone(),
            now: self.now.clone(),
        }
    }

    /// Says what is another than when it was written.
    pub(crate) fn report_changes(&self, document: &Document, world: &World, problems: &mut Problems) {
        let (rules, memory) = versions(document);
        let root = world.project_root(document, &mut Problems::default()).to_string_lossy().into_owned();
        let session: String = document.try_read("session_id").ok().flatten().unwrap_or_default();
        for (what, before, now) in [
            ("the instructions", &self.rules, &rules),
            ("the index of the memory", &self.memory, &memory),
            ("the project", &self.root, &root),
            ("the session", &self.session_id, &session),
        ] {
            if !before.is_empty() && !now.is_empty() && before != now {
                problems.info("changed-since-snapshot", format!("{what} changed since the snapshot was written"));
            }
        }
    }
}

fn versions(document: &Document) -> (String, String) {
    let load: Load = document.try_read("load").ok().flatten().unwrap_or_default();
    let index: Option<Index> = document.try_read("index").ok().flatten();
    let memory = index.filter(|index| !index.text.is_empty()).map(|index| hash::sha256(index.text.as_bytes()));
    (load.version, memory.unwrap_or_default())
}

/// Returns a message with the secrets in its texts masked; one without any keeps its bytes.
fn masked(json: &str) -> String {
    let json = mem_types::surrogates::mended(json);
    if mem_text::secrets::find(&json).is_empty() {
        return json.into_owned();
    }
    match serde_json::from_str::<Value>(&json) {
        Ok(mut value) => {
            mask_texts(&mut value);
            value.to_string()
        }
        // Nested too deep to be read: better no text than a secret.
        Err(_) => "{}".into(),
    }
}

fn mask_texts(value: &mut Value) {
    match value {
        Value::String(text) => *text = mem_text::secrets::mask(text).into_owned(),
        Value::Array(items) => items.iter_mut().for_each(mask_texts),
        Value::Object(members) => members.values_mut().for_each(mask_texts),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
