//! What is known before: the memories on disk, and the instructions that are loaded.

use mem_store::instructions;
use mem_store::{MemoryFolder, Scan, World};
use mem_types::load::{FileState, Load};
use mem_types::{Document, Problems};

use crate::compare::{Known, Memory};

/// Returns the memories of the folder that still hold, and the texts of the instructions.
pub fn read(document: &Document, world: &World, folder: &MemoryFolder, problems: &mut Problems) -> Known {
    let memories = folder.memories(Scan::Whole, problems);
    let memories = memories.into_iter().map(|memory| Memory {
        sha256: memory.sha256(),
        holds: memory.superseded_by.is_none() && memory.matter.text("superseded").is_none(),
        body: memory.body().trim().to_owned(),
        kind: memory.kind.unwrap_or_default(),
        path: memory.path,
        name: memory.name,
        description: memory.description,
    });
    Known { memories: memories.collect(), instructions: own_instructions(document, world, problems) }
}

/// From the document when mem-load was there, else from the disk.
fn own_instructions(document: &Document, world: &World, problems: &mut Problems) -> Vec<String> {
    if let Some(load) = document.read::<Load>("load", problems) {
        let active = load.files.into_iter().filter(|file| file.state == FileState::Active);
        return active.filter_map(|file| file.text).collect();
    }
    let cwd = world.cwd(document, problems);
    let root = world.project_root(document, problems);
    instructions::texts_at_start(world, &cwd, &root)
}
