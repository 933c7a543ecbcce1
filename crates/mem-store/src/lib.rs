//! The only crate that opens files: instruction files, memory folders, settings, sessions, and the input file.
//!
//! Everything below the command line sees the disk, the folders and the time through [`World`].

pub mod access;
pub mod append;
pub mod archive;
pub mod archived;
pub mod audit;
pub mod beneath;
pub mod change;
pub mod elsewhere;
pub mod folder;
mod fragments;
pub mod front_matter;
pub mod git;
pub mod hash;
pub mod head;
pub mod held;
pub mod index_file;
pub mod input;
pub mod instructions;
mod lock;
pub mod logs;
pub mod memory;
pub mod moment;
pub mod open;
pub mod place;
pub mod prepared;
pub mod project;
pub mod purge;
mod put;
pub mod queue;
pub mod recording;
pub mod replace;
pub mod session;
pub mod settings;
pub mod slug;
pub mod snapshot;
mod strangers;
mod touched;
pub mod transcript;
pub mod undo;
pub mod upkeep;
pub mod world;
pub mod writer;
mod yaml;

pub use change::{Change, IndexLine, Outcome};
pub use folder::MemoryFolder;
pub use fragments::Fragments;
pub use front_matter::FrontMatter;
pub use memory::{Memory, Scan};
pub use moment::Moment;
pub use project::Project;
pub use purge::Purged;
pub use upkeep::{Done, Edit, Upkeep};
pub use world::{Environment, Profile, World};
pub use writer::Writer;
