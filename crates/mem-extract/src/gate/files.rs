//! Read, Write and Edit. What was written is read back; nothing of it is on the disk.

use serde_json::Value;

use super::{Gate, No, number, shown, text};

/// Most bytes of a file that are read.
pub const MOST_READ: u64 = 256 * 1024;
/// Lines that are shown when nobody says.
const LINES: usize = 2000;
/// Most bytes of a memory.
const MOST_WRITTEN: usize = 32 * 1024;
/// Most memories that are written in one conversation.
const MOST_FILES: usize = 20;

impl Gate {
    /// Returns lines of a file with their numbers.
    pub(super) fn read(&self, input: &Value) -> Result<String, No> {
        let content = self.content(text(input, "file_path")?)?;
        let first = number(input, "offset").unwrap_or(1).max(1);
        let count = number(input, "limit").unwrap_or(LINES);
        let lines = content.lines().enumerate().skip(first - 1).take(count);
        let lines: Vec<String> = lines.map(|(at, line)| format!("{:>6}\t{line}", at + 1)).collect();
        Ok(if lines.is_empty() { "[the file has no such lines]".into() } else { lines.join("\n") })
    }

    /// Returns the text of a file: as it was written in this conversation, else as it is on disk.
    pub(super) fn content(&self, path: &str) -> Result<String, No> {
        if let Ok(own) = self.places.memory_path(path)
            && let Some(text) = self.written.get(&own)
        {
            return Ok(text.clone());
        }
        let spot = self.places.spot(path)?;
        let read = spot.beneath.read(&spot.path, MOST_READ);
        let (bytes, is_cut) = read.map_err(|error| failed(path, &error))?;
        if bytes.contains(&0) {
            return Err(No(format!("{} is no text", shown(path))));
        }
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        if is_cut {
            text += "\n[the file goes on]";
        }
        Ok(text)
    }

    /// Notes a whole memory.
    pub(super) fn write(&mut self, input: &Value) -> Result<String, No> {
        let path = self.places.memory_path(text(input, "file_path")?)?;
        self.note(path, text(input, "content")?.to_owned())
    }

    /// Notes a memory with a part of it replaced.
    pub(super) fn edit(&mut self, input: &Value) -> Result<String, No> {
        let given = text(input, "file_path")?;
        let path = self.places.memory_path(given)?;
        let (old, new) = (text(input, "old_string")?, text(input, "new_string")?);
        let content = self.content(given)?;
        let count = if old.is_empty() { 0 } else { content.matches(old).count() };
        let changed = match (count, input["replace_all"].as_bool().unwrap_or_default()) {
            (0, _) => return Err(No("'old_string' does not stand in the file".into())),
            (1, _) | (_, true) if new.len().saturating_mul(count) <= MOST_WRITTEN => content.replace(old, new),
            (1, _) | (_, true) => return Err(No("a memory is no longer than 32 KiB".into())),
            _ => return Err(No(format!("'old_string' stands {count} times in the file; say more of it"))),
        };
        self.note(path, changed)
    }

    fn note(&mut self, path: String, text: String) -> Result<String, No> {
        if text.contains('\0') {
            return Err(No("the text holds a NUL".into()));
        }
        if text.len() > MOST_WRITTEN {
            return Err(No("a memory is no longer than 32 KiB".into()));
        }
        if self.has_link(&path) {
            return Err(No(format!("{} is a link, or lies behind one", shown(&path))));
        }
        if !self.written.contains_key(&path) && self.written.len() >= MOST_FILES {
            return Err(No(format!("{MOST_FILES} memories in one conversation are enough")));
        }
        let told = format!("Noted {} ({} bytes).", shown(&path), text.len());
        self.written.insert(path, text);
        Ok(told)
    }

    /// Whether the file or a folder on the way to it is a link: memories are files, and stay where they are.
    fn has_link(&self, path: &str) -> bool {
        let Ok(spot) = self.places.spot(&self.places.memory().to_string_lossy()) else { return false };
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        ends.map(|end| &path[..end]).any(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let listed = spot.beneath.list(parent(path)).unwrap_or_default();
            listed.iter().any(|entry| entry.name == name && !entry.is_file && !entry.is_folder)
        })
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Returns what the disk says, without its number and without the path behind links.
pub fn failed(path: &str, error: &std::io::Error) -> No {
    No(format!("{}: {}", shown(path), mem_store::open::reason(error)))
}
