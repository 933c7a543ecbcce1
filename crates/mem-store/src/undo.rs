//! Records of what a writer did, by which it can be taken back: `.mem/undo/<UTC time>.json`.

use std::io;

use cap_std::fs::Dir;
use mem_text::diff::Edit;
use serde::{Deserialize, Serialize};

use crate::folder::MemoryFolder;
use crate::put::{self, Put};

/// Where the records lie beneath the memory folder.
pub const FOLDER: &str = ".mem/undo";
const ENDING: &str = ".json";
/// Most records of one second.
const MOST: usize = 1000;

/// What one writer did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// The command that asked for it.
    pub command: String,
    /// When, in RFC 3339.
    pub at: String,
    /// Topic files, in the order in which they were changed.
    pub files: Vec<FileDone>,
    /// What changed in the index.
    pub index: Vec<Edit>,
}

/// One topic file that was made, replaced or removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileDone {
    /// Relative to the folder.
    pub path: String,
    /// Where the old file is kept in the archive; nothing when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// SHA-256 of the new file; nothing when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

impl MemoryFolder {
    /// Returns the names of the records, oldest first.
    #[must_use]
    pub fn undo_records(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.dir.join(FOLDER)) else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter_map(|name| name.strip_suffix(ENDING).map(str::to_owned)).collect();
        // A number behind the time counts as a number: `…Z-10` comes after `…Z-9`.
        names.sort_by_key(|name| {
            let (time, number) = name.split_once('-').unwrap_or((name, "0"));
            (time.to_owned(), number.parse::<usize>().unwrap_or(0))
        });
        names
    }
}

impl Record {
    /// Writes the record and returns its name.
    pub(crate) fn write(&self, folder: &Dir, stamp: &str) -> io::Result<String> {
        folder.create_dir_all(FOLDER)?;
        let text = mem_types::to_json(self) + "\n";
        for number in 0..MOST {
            let name = if number == 0 { stamp.to_owned() } else { format!("{stamp}-{number}") };
            if put::put(folder, &format!("{FOLDER}/{name}{ENDING}"), None, text.as_bytes())? == Put::Done {
                return Ok(name);
            }
        }
        Err(io::Error::other("there are too many records of this second"))
    }

    /// Returns the record of that name.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub(crate) fn read(folder: &Dir, name: &str) -> io::Result<Self> {
        let place = Self::place(name)?;
        let bytes = folder.read(&place).map_err(|error| {
            io::Error::new(error.kind(), format!("the record {name} cannot be read: {}", crate::open::reason(&error)))
        })?;
        serde_json::from_slice(&bytes).map_err(io::Error::other)
    }

    pub(crate) fn remove(folder: &Dir, name: &str) -> io::Result<()> {
        folder.remove_file(Self::place(name)?)
    }

    fn place(name: &str) -> io::Result<String> {
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if is_name { Ok(format!("{FOLDER}/{name}{ENDING}")) } else { Err(io::ErrorKind::InvalidFilename.into()) }
    }
}
