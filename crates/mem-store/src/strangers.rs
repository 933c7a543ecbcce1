//! Lines of the index that were out of sight for a moment: a program without our lock wrote them just when the index
//! was exchanged, and may have read the file before they were merged. What it saves next lacks them.
//!
//! So they are remembered for a few seconds, in `.mem/strangers`, and whoever writes the index next looks for them.

use std::collections::BTreeSet;
use std::io;
use std::time::{Duration, Instant};

use cap_std::fs::Dir;
use mem_text::diff::{self, Edit};
use serde::{Deserialize, Serialize};

use crate::index_file::{entries, entry};
use crate::put::WRITING;

/// Where they lie beneath the memory folder.
pub const PLACE: &str = ".mem/strangers";
/// How long a line is looked for. A program takes far less between reading a file and saving it.
const LONGEST: Duration = Duration::from_secs(5);
/// Most lines that are remembered, the newest.
const MOST: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Hidden {
    line: String,
    after: Option<String>,
    /// In milliseconds, when the file was written.
    age: u64,
}

/// The lines that are looked for.
#[derive(Debug)]
pub struct Strangers {
    hidden: Vec<Hidden>,
    read_at: Instant,
    is_changed: bool,
}

impl Strangers {
    /// Returns what is remembered in a folder and is not too old. What cannot be read is nothing.
    pub fn read(held: &Dir) -> Self {
        let mut hidden: Vec<Hidden> =
            held.read(PLACE).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        let modified = held.metadata(PLACE).and_then(|metadata| metadata.modified());
        let since = modified.ok().and_then(|modified| modified.into_std().elapsed().ok()).unwrap_or_default();
        let count = hidden.len();
        hidden.iter_mut().for_each(|hidden| hidden.age = hidden.age.saturating_add(milliseconds(since)));
        hidden.retain(|hidden| hidden.age < milliseconds(LONGEST));
        Self { is_changed: hidden.len() != count, hidden, read_at: Instant::now() }
    }

    /// Remembers the lines of `came_out` that are not in `stands`, which others see at this moment.
    pub fn remember(&mut self, stands: &str, came_out: &str) {
        for edit in diff::edits(stands, came_out) {
            let mut after = edit.after;
            for line in edit.added {
                if !line.trim().is_empty() && !has_line(stands, &line) {
                    self.hidden.retain(|hidden| hidden.line != line);
                    self.hidden.push(Hidden { line: line.clone(), after, age: 0 });
                    self.is_changed = true;
                }
                after = Some(line);
            }
        }
        let excess = self.hidden.len().saturating_sub(MOST);
        self.hidden.drain(..excess);
    }

    /// Returns `text` with the remembered lines that it lacks, but none for a file that it lists.
    pub fn restore(&self, text: &str) -> String {
        let lost: Vec<&Hidden> = self.hidden.iter().filter(|hidden| !has_line(text, &hidden.line)).collect();
        if lost.is_empty() {
            return text.to_owned();
        }
        let listed: BTreeSet<&str> = entries(text).iter().map(|entry| entry.target).collect();
        let unlisted = lost.iter().filter(|lost| entry(&lost.line).is_none_or(|entry| !listed.contains(entry.target)));
        let edits = unlisted.map(|lost| Edit {
            after: lost.after.clone(),
            removed: Vec::new(),
            added: vec![lost.line.clone()],
        });
        diff::apply(text, &edits.collect::<Vec<_>>())
    }

    /// Forgets what is not in `text`, the index as it was written: somebody took it out on purpose.
    pub fn keep_those_in(&mut self, text: &str) {
        let count = self.hidden.len();
        self.hidden.retain(|hidden| has_line(text, &hidden.line));
        self.is_changed |= self.hidden.len() != count;
    }

    /// Writes down what is looked for, or removes the file when that is nothing.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write(&self, held: &Dir) -> io::Result<()> {
        if !self.is_changed {
            return Ok(());
        }
        if self.hidden.is_empty() {
            return match held.remove_file(PLACE) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let passed = milliseconds(self.read_at.elapsed());
        let older = |hidden: &Hidden| Hidden { age: hidden.age.saturating_add(passed), ..hidden.clone() };
        let hidden: Vec<Hidden> = self.hidden.iter().map(older).collect();
        // Not synced: after a power cut nobody is about to save what he read before it.
        let temporary = format!("{WRITING}/strangers.part");
        held.write(&temporary, mem_types::to_json(&hidden))?;
        held.rename(&temporary, held, PLACE)
    }
}

/// Whether `line` is a line of `text`. Far quicker than to go through the lines.
pub fn has_line(text: &str, line: &str) -> bool {
    let begins = |at: usize| at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n');
    let ends = |at: usize| matches!(text.as_bytes().get(at), None | Some(b'\n' | b'\r'));
    text.match_indices(line).any(|(at, _)| begins(at) && ends(at + line.len()))
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use cap_std::ambient_authority;

    #[test]
    fn a_line_that_was_out_of_sight_is_looked_for_by_the_next_writer() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(WRITING)).unwrap();
        let held = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        let mut strangers = Strangers::read(&held);
        strangers.remember("# Mine\n- ours\n", "# Mine\n- edited\n- [T](a.md) — theirs\n");
        strangers.write(&held).unwrap();
        let mut strangers = Strangers::read(&held);
        assert_eq!(strangers.restore("# Mine\n- ours\n"), "# Mine\n- edited\n- [T](a.md) — theirs\n- ours\n");
        assert_eq!(strangers.restore("# Mine\n- [U](a.md)\n"), "# Mine\n- edited\n- [U](a.md)\n");
        assert_eq!(strangers.restore("- [T](a.md) — theirs\n- edited\n"), "- [T](a.md) — theirs\n- edited\n");
        strangers.keep_those_in("# Mine\n");
        strangers.write(&held).unwrap();
        assert!(!folder.path().join(PLACE).exists());
        assert_eq!(Strangers::read(&held).restore("# Mine\n"), "# Mine\n");
    }

    #[test]
    fn a_line_is_not_looked_for_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(WRITING)).unwrap();
        let held = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        for junk in ["{", r#"[{"line":"- old","after":null,"age":9000}]"#] {
            std::fs::write(folder.path().join(PLACE), junk).unwrap();
            assert_eq!(Strangers::read(&held).restore("# Mine\n"), "# Mine\n");
        }
    }
}
