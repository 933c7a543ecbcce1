//! The audit: who loaded which file, why, and by which touched file; one line of JSON for each.

use mem_store::World;
use mem_types::load::{FileState, Load, LoadedFile};
use mem_types::{Document, Problems};
use serde::Serialize;

use crate::Args;

/// A line of the audit.
#[derive(Serialize)]
struct Line<'a> {
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_event_name: Option<String>,
    cwd: String,
    path: &'a str,
    layer: &'a str,
    kind: &'a str,
    scope: &'a str,
    /// Why it was loaded, in the words of the client's own audit.
    load_reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger_file_path: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    globs: &'a [String],
    tokens: u64,
    bytes: u64,
    sha256: &'a str,
}

/// Appends the active files to the file that was asked for; returns whether nothing was left undone.
pub fn write(args: &Args, load: &Load, document: &Document, world: &World, problems: &mut Problems) -> bool {
    let Some(file) = args.audit.as_ref().filter(|_| world.may_write()) else { return true };
    let file = world.environment().started_in.join(world.expand_home(&file.to_string_lossy()));
    let active = load.files.iter().filter(|file| file.state == FileState::Active);
    let lines: String = active.map(|file| format!("{}\n", mem_types::to_json(&line(file, document, world)))).collect();
    if lines.is_empty() {
        return true;
    }
    match mem_store::audit::append(&file, &lines) {
        Ok(()) => true,
        Err(reason) => {
            problems.error("audit-not-written", reason).path(file.to_string_lossy());
            false
        }
    }
}

fn line<'a>(file: &'a LoadedFile, document: &Document, world: &World) -> Line<'a> {
    let text = |key: &str| document.try_read::<String>(key).ok().flatten();
    Line {
        at: world.now().to_rfc3339(),
        session_id: text("session_id"),
        agent_id: text("agent_id"),
        hook_event_name: text("hook_event_name"),
        cwd: world.cwd(document, &mut Problems::default()).to_string_lossy().into_owned(),
        path: &file.path,
        layer: file.layer.name(),
        kind: &file.kind,
        scope: &file.scope,
        load_reason: &file.reason,
        trigger_file_path: file.matched_by.as_deref(),
        globs: &file.globs,
        tokens: file.tokens,
        bytes: file.bytes,
        sha256: &file.sha256,
    }
}
