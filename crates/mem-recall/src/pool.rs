//! All that is in the memory folders, and what else a choice rests on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mem_store::{Memory, World};
use mem_types::{Document, Problems};

use crate::held::{self, Loaded};
use crate::tools;

/// What can be chosen from.
pub struct Pool {
    /// What the folders hold.
    pub loaded: Arc<Loaded>,
    /// Tools that were used lately.
    pub tools: Vec<String>,
    own: Option<PathBuf>,
}

impl Pool {
    /// Reads the folders.
    ///
    /// # Errors
    /// With the reason, when one's own folder may not be used.
    pub fn read(document: &Document, world: &World, problems: &mut Problems) -> Result<Self, String> {
        let folders = world.memory_folders(document, problems);
        if let Some((_, reason)) = folders.first().and_then(|folder| folder.closed.as_ref()) {
            return Err(reason.clone());
        }
        Ok(Self {
            loaded: held::load(&folders, problems),
            tools: tools::used_lately(document, problems),
            own: folders.into_iter().next().map(|folder| folder.dir),
        })
    }

    /// Returns the memories of all folders, one's own first.
    pub fn memories(&self) -> &[Memory] {
        &self.loaded.memories
    }

    /// Returns one's own folder.
    pub fn own(&self) -> Option<&Path> {
        self.own.as_deref()
    }
}
