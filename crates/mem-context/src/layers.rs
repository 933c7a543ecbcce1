//! Reads the layers that stand in a document, and spells the instruction files and the index for a model.

use mem_types::Document;
use mem_types::compact::{Compact, Reloaded, ReloadedFile};
use mem_types::index::Index;
use mem_types::load::InstructionLayer::{Local, Other, Project};
use mem_types::load::{FileState, InstructionLayer, Load, LoadedFile};
use mem_types::recall::Recall;

/// The layers of a document; those that are missing or foreign are absent.
#[derive(Debug, Default)]
pub struct Layers {
    /// `.load`.
    pub load: Option<Load>,
    /// `.index`.
    pub index: Option<Index>,
    /// `.recall`.
    pub recall: Option<Recall>,
    /// `.compact`.
    pub compact: Option<Compact>,
}

impl Layers {
    /// Returns the layers in `document`.
    pub fn read(document: &Document) -> Self {
        Self {
            load: document.try_read("load").ok().flatten(),
            index: document.try_read("index").ok().flatten(),
            recall: document.try_read("recall").ok().flatten(),
            compact: document.try_read("compact").ok().flatten(),
        }
    }

    /// Returns the instruction files whose text is given, in load order.
    pub fn active_files(&self) -> impl Iterator<Item = (&LoadedFile, &str)> {
        let files = self.load.iter().flat_map(|load| &load.files);
        files.filter(|file| file.state == FileState::Active).filter_map(|file| Some((file, file.text.as_deref()?)))
    }

    /// Returns the instructions as one text, or nothing when there are none. After a fold they are those of the disk, with
    /// what else is given back.
    pub fn instructions(&self) -> Option<String> {
        let mut files: Vec<(&LoadedFile, &str)> = self.active_files().collect();
        // A rule of the user that a touched file brought stands with the user's own, before the project's.
        files.sort_by_key(|(file, _)| matches!(file.layer, Project | Local | Other));
        let mut sections: Vec<String> = match self.reloaded() {
            Some(reloaded) => reloaded.instructions.iter().map(again).collect(),
            None => files.into_iter().map(|(file, text)| section(file, text)).collect(),
        };
        sections.extend(self.compact.iter().flat_map(given_back));
        if sections.is_empty() {
            return None;
        }
        let lead = "Instruction files of this user and this project. Each says where it is from; some may not matter \
                    for the task at hand. Where two differ, the later one counts more.";
        Some(format!("{lead}\n\n{}", sections.join("\n\n")))
    }

    /// Returns the index as a text, or nothing when it is empty.
    pub fn index_text(&self) -> Option<String> {
        let index = self.index.as_ref()?;
        let text = self.reloaded().map_or(index.text.as_str(), |reloaded| reloaded.index.as_str());
        if text.trim().is_empty() {
            return None;
        }
        Some(format!("# Index of the memory in {}\n\n{}", index.dir, text.trim_end()))
    }

    /// Returns what was read again after a fold. It counts for the layers that the document had.
    fn reloaded(&self) -> Option<&Reloaded> {
        self.compact.as_ref().filter(|_| self.load.is_some() || self.index.is_some())?.reloaded.as_ref()
    }

    /// Whether neither instructions nor memories are there, whether given to the model or not.
    pub fn is_empty(&self) -> bool {
        let has_memories =
            self.index.as_ref().is_some_and(|index| !index.memories.is_empty() || !index.text.is_empty());
        let has_hits =
            self.recall.as_ref().is_some_and(|recall| !recall.memories.is_empty() || !recall.passed_over.is_empty());
        self.load.as_ref().is_none_or(|load| load.files.is_empty()) && !has_memories && !has_hits
    }

    /// Whether memory is in use: it is not when it was switched off or its place was refused.
    pub fn has_memory(&self) -> bool {
        self.index.as_ref().is_none_or(|index| index.state != "disabled" && index.state != "refused")
    }
}

/// Returns one instruction file with the line that says whose words it holds.
pub fn section(file: &LoadedFile, text: &str) -> String {
    format!("Contents of {} ({}):\n\n{}", file.path, origin(file.layer), text.trim_end())
}

/// Returns an instruction file that was read again after a fold.
fn again(file: &ReloadedFile) -> String {
    format!("Contents of {} ({}):\n\n{}", file.path, origin(file.layer), file.text.trim_end())
}

/// Returns what else is given back after a fold: the plan, skills, and the files used last.
fn given_back(compact: &Compact) -> Vec<String> {
    let plan = compact.plan.iter().map(|plan| format!("The plan that was agreed on:\n\n{}", plan.text.trim_end()));
    let skills = compact.skill_bodies.iter().map(|skill| {
        format!("The skill {} ({}), used before the fold:\n\n{}", skill.name, skill.path, skill.text.trim_end())
    });
    let files = compact.restored.iter().map(|file| match &file.text {
        Some(text) => format!("{}, used before the fold, as it is now:\n\n{}", file.path, text.trim_end()),
        None => format!("{} was used before the fold; its text is not given here.", file.path),
    });
    plan.chain(skills).chain(files).collect()
}

fn origin(layer: InstructionLayer) -> &'static str {
    match layer {
        InstructionLayer::Managed => "the organisation's policy for this machine",
        InstructionLayer::Team => "the team's shared baseline",
        InstructionLayer::User => "the user's own instructions for all projects",
        InstructionLayer::Project => "the project's instructions, checked in",
        InstructionLayer::Local => "the user's own instructions for this project",
        InstructionLayer::Other => "instructions",
    }
}
