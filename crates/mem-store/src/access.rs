//! Recorded uses of memories: `.mem/access.jsonl`, a line a use, united with the document's `access`.

use std::collections::BTreeSet;
use std::io::{self, Write};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, OpenOptions, OpenOptionsExt};
use mem_types::input::Access;
use mem_types::{Document, Problems};

use crate::folder::MemoryFolder;
use crate::open;

/// Where the uses are recorded, relative to the memory folder.
const FILE: &str = ".mem/access.jsonl";

/// Appends uses to the record of the folder in one write, so that lines of several writers never mix.
///
/// # Errors
/// In words, when the disk refuses, or the record is a link that leads out of the folder.
pub fn record(folder: &MemoryFolder, uses: &[Access]) -> Result<(), String> {
    if uses.is_empty() {
        return Ok(());
    }
    let lines = uses.iter().map(|used| serde_json::to_string(used).map(|line| line + "\n"));
    let lines: String = lines.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    append(folder, &lines).map_err(|error| format!("cannot write {FILE}: {}", open::reason(&error)))
}

fn append(folder: &MemoryFolder, lines: &str) -> io::Result<()> {
    let held = Dir::open_ambient_dir(&folder.dir, ambient_authority())?;
    match held.create_dir_with(".mem", DirBuilder::new().mode(0o700)) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let mut file = held.open_with(FILE, OpenOptions::new().read(true).append(true).create(true).mode(0o600))?;
    // A line that a killed process left half stays a bad line by itself.
    let gap = if ends_whole(&mut file)? { "" } else { "\n" };
    let _busy = crate::replace::busy();
    file.write_all(format!("{gap}{lines}").as_bytes())
}

fn ends_whole(file: &mut cap_std::fs::File) -> io::Result<bool> {
    use std::io::{Read, Seek, SeekFrom};
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Returns all recorded uses; the same path and time counts once.
#[must_use]
pub fn uses(folder: &MemoryFolder, document: &Document, problems: &mut Problems) -> Vec<Access> {
    let mut seen = BTreeSet::new();
    let mut uses = of_folder(folder, problems);
    uses.extend(document.read::<Vec<Access>>("access", problems).unwrap_or_default());
    uses.retain(|used| used.last.is_none() || seen.insert((used.path.clone(), used.last.clone())));
    uses
}

fn of_folder(folder: &MemoryFolder, problems: &mut Problems) -> Vec<Access> {
    if !folder.exists() {
        return Vec::new();
    }
    let Ok(content) = open::read(&folder.dir.join(FILE)) else { return Vec::new() };
    let mut uses = Vec::new();
    for (number, line) in content.bytes.split(|&byte| byte == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(used) => uses.push(used),
            Err(_) => {
                problems
                    .warning("bad-access-line", "a line of the access record is no use of a memory")
                    .path(FILE)
                    .line(number + 1);
            }
        }
    }
    uses
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn used(path: &str) -> Access {
        Access { path: path.into(), count: 1, last: Some("2026-11-30T12:00:00Z".into()) }
    }

    #[test]
    fn uses_are_appended_and_a_half_line_harms_no_other() {
        let top = tempfile::tempdir().unwrap();
        let folder = MemoryFolder::at(top.path().into());
        record(&folder, &[]).unwrap();
        assert!(!top.path().join(".mem").exists());
        record(&folder, &[used("a.md"), used("b.md")]).unwrap();
        let file = top.path().join(FILE);
        std::fs::write(&file, format!("{}{{\"path\":\"x", std::fs::read_to_string(&file).unwrap())).unwrap();
        record(&folder, &[used("c.md")]).unwrap();
        let mut problems = Problems::new("mem-recall");
        let paths: Vec<String> = of_folder(&folder, &mut problems).into_iter().map(|used| used.path).collect();
        assert_eq!(paths, ["a.md", "b.md", "c.md"]);
        assert_eq!(problems.into_entries()[0].line, Some(3));
    }

    #[test]
    fn nothing_is_recorded_through_a_link_that_leads_out() {
        let (top, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(outside.path(), top.path().join(".mem")).unwrap();
        assert!(record(&MemoryFolder::at(top.path().into()), &[used("a.md")]).is_err());
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
