//! Reads instructions and index again after a fold, as they stand on the disk now: what the conversation was begun with
//! may have changed meanwhile.

use std::collections::HashSet;
use std::path::Path;

use mem_store::index_reading::{self, Limits, Unit, Warns};
use mem_store::instructions::agent::Agent;
use mem_store::instructions::{self, Kind};
use mem_store::{Profile, World, beneath, front_matter, hash};
use mem_text::comments::{self, Cleaning};
use mem_text::markdown::Outline;
use mem_text::secrets;
use mem_types::compact::{Reloaded, ReloadedFile};
use mem_types::load::{FileState, Load, LoadedFile};
use mem_types::{Document, Problems};

/// Most lines of an index that a model gets, and most bytes, or UTF-16 units: facts.md, Part A, section 6.
const INDEX: (usize, usize) = (200, 25_000);
/// Most bytes of an imported file.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// Returns what is always present, read from the disk now. Rules with `paths` and nested files are left out: they come
/// back when a file of theirs is touched.
pub(crate) fn reload(document: &Document, load: &Load, world: &World, problems: &mut Problems) -> Reloaded {
    let found = at_start(document, world);
    let known: HashSet<&str> = found.iter().map(|file| file.path.as_str()).collect();
    let mut instructions = Vec::new();
    for file in load.files.iter().filter(|file| file.state == FileState::Active && file.scope == "always") {
        // Only what the folder itself brings is read: a document may name any path.
        match found.iter().find(|now| now.path == file.path) {
            Some(now) => instructions.push(now.clone()),
            None if file.kind == "import" => instructions.extend(import(document, file, world)),
            None if !file.path.is_empty() && !known.contains(file.path.as_str()) => {
                problems.info("instructions-gone", "is not among the instructions any more").path(&file.path);
            }
            None => {}
        }
    }
    let listed: HashSet<String> = load.files.iter().map(|file| file.path.clone()).collect();
    instructions.extend(found.into_iter().filter(|file| !listed.contains(&file.path)));
    Reloaded { instructions, index: index(document, world) }
}

fn at_start(document: &Document, world: &World) -> Vec<ReloadedFile> {
    let problems = &mut Problems::default();
    let (cwd, root) = (world.cwd(document, problems), world.project_root(document, problems));
    let found = instructions::read_at_start(world, &cwd, &root);
    let read = found.into_iter().filter_map(|found| {
        let bytes = found.content.ok()?.bytes;
        let text = always(&String::from_utf8_lossy(&bytes), found.place.kind == Kind::Rule, world)?;
        let path = found.place.path.to_string_lossy().into_owned();
        Some(ReloadedFile { path, layer: found.place.layer, text, sha256: hash::sha256(&bytes) })
    });
    read.collect()
}

/// Returns a file's text as a model gets it, or nothing when it is empty or a rule with `paths`.
fn always(raw: &str, is_rule: bool, world: &World) -> Option<String> {
    let raw = front_matter::without_bom(raw).replace("\r\n", "\n");
    let parts = front_matter::of_instructions(&raw);
    let is_scoped = is_rule && parts.matter.as_ref().is_some_and(|matter| !matter.list("paths").is_empty());
    let agent = Agent::of(world.profile());
    let cleaning = Cleaning { comments: agent.text.comments, blank_lines: agent.text.blank_lines };
    let text = comments::clean(parts.body, &Outline::of(parts.body), cleaning).trim().to_owned();
    (!is_scoped && !text.is_empty()).then_some(text)
}

/// Reads an imported file again, when it lies in the project or among the user's own files.
fn import(document: &Document, file: &LoadedFile, world: &World) -> Option<ReloadedFile> {
    let root = world.project_root(document, &mut Problems::default());
    let path = Path::new(&file.path);
    let folders = [Some(root), world.config_dir()];
    let raw = folders.into_iter().flatten().find_map(|folder| beneath::text(&folder, path, MOST_BYTES).ok())?;
    let text = always(&raw, false, world)?;
    Some(ReloadedFile { path: file.path.clone(), layer: file.layer, text, sha256: hash::sha256(raw.as_bytes()) })
}

/// Returns the index of one's own memory folder as a model gets it.
fn index(document: &Document, world: &World) -> String {
    let problems = &mut Problems::default();
    let folders = world.memory_folders(document, problems);
    let Some(content) = folders.first().and_then(|own| own.index(problems)) else { return String::new() };
    let is_client = world.profile() == Profile::ClaudeCode;
    let (unit, warns) = if is_client { (Unit::Characters, Warns::ClaudeCode) } else { (Unit::Bytes, Warns::Ourselves) };
    let limits = Limits { lines: INDEX.0, size: INDEX.1, unit, warns };
    let text = index_reading::as_model_gets_it(&String::from_utf8_lossy(&content.bytes), &limits).text;
    secrets::mask(&text).into_owned()
}
