//! One run at a time for a memory folder: who comes meanwhile waits as the one trailing run, or is folded into it.
//!
//! The locks are the kernel's and lie in the state folder, so that they go with their process and nothing is made in a
//! memory folder before there is something to write.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use crate::folder::make_private;
use crate::hash::sha256;

/// Most bytes of notes that the trailing run takes over.
const MOST_NOTES: u64 = 1 << 20;

/// What became of a run that wants to begin.
#[derive(Debug)]
pub enum Place {
    /// It may run. The notes are those of runs that were folded into it.
    Turn(Turn, Vec<String>),
    /// Another run that has not begun yet does its work.
    Folded,
}

/// Held while a run is going on.
#[derive(Debug)]
pub struct Turn {
    _running: File,
}

/// Waits for its turn to run `name` on a memory folder.
///
/// `content` names what the run would read, such as its transcript. `note` is left for the trailing run when there is
/// one already; without a note a run is folded only into one of the same content.
///
/// # Errors
/// When the state folder cannot be written.
pub fn enter(state_dir: &Path, dir: &Path, name: &str, content: &str, note: Option<&str>) -> io::Result<Place> {
    let folder = state_dir.join("runs");
    make_private(&folder)?;
    let stem = &sha256(dir.as_os_str().as_encoded_bytes())[..24];
    let open = |part: &str| {
        let path = folder.join(format!("{stem}.{name}.{part}"));
        File::options().read(true).write(true).create(true).truncate(false).open(path)
    };
    let (running, mut next, mut notes) = (open("run")?, open("next")?, open("notes")?);
    // Whoever looks at the queue or changes it holds this for a moment.
    notes.lock()?;
    if next.try_lock().is_err() {
        if let Some(note) = note {
            notes.seek(io::SeekFrom::End(0))?;
            notes.write_all(format!("{}\n", note.replace('\n', " ")).as_bytes())?;
            return Ok(Place::Folded);
        }
        let is_same = text(&mut next)? == content;
        notes.unlock()?;
        if is_same {
            return Ok(Place::Folded);
        }
        running.lock()?;
        return Ok(Place::Turn(Turn { _running: running }, Vec::new()));
    }
    if running.try_lock().is_err() {
        next.set_len(0)?;
        next.rewind()?;
        next.write_all(content.as_bytes())?;
        notes.unlock()?;
        running.lock()?;
        notes.lock()?;
    }
    let left = text(&mut notes)?;
    notes.set_len(0)?;
    drop(next);
    let mut left: Vec<String> = left.lines().map(str::to_owned).collect();
    left.sort();
    left.dedup();
    Ok(Place::Turn(Turn { _running: running }, left))
}

fn text(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(MOST_NOTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn of_sixteen_at_once_one_runs_one_waits_and_the_rest_are_folded() {
        let state = tempfile::tempdir().unwrap();
        let dir = Path::new("/memory");
        let Place::Turn(first, notes) = enter(state.path(), dir, "x", "t", Some("own")).unwrap() else { panic!() };
        assert!(notes.is_empty());
        let (send, receive) = mpsc::channel();
        let path = state.path().to_owned();
        let waiting = thread::spawn(move || {
            send.send(()).unwrap();
            match enter(&path, Path::new("/memory"), "x", "t", Some("own")).unwrap() {
                Place::Turn(_, notes) => notes,
                Place::Folded => panic!("the second run waits"),
            }
        });
        receive.recv().unwrap();
        while std::fs::read_to_string(next_file(state.path())).unwrap_or_default() != "t" {
            thread::sleep(Duration::from_millis(1));
        }
        for number in 0..14 {
            let note = format!("n{:02}", number % 3);
            assert!(matches!(enter(state.path(), dir, "x", "other", Some(&note)).unwrap(), Place::Folded));
        }
        assert!(matches!(enter(state.path(), dir, "x", "t", None).unwrap(), Place::Folded));
        drop(first);
        assert_eq!(waiting.join().unwrap(), ["n00", "n01", "n02"]);
        assert!(matches!(enter(state.path(), dir, "x", "t", None).unwrap(), Place::Turn(_, notes) if notes.is_empty()));
    }

    fn next_file(state: &Path) -> std::path::PathBuf {
        let files = std::fs::read_dir(state.join("runs")).unwrap().flatten().map(|entry| entry.path());
        files.into_iter().find(|path| path.extension().is_some_and(|part| part == "next")).unwrap()
    }

    #[test]
    fn folders_do_not_wait_for_each_other() {
        let state = tempfile::tempdir().unwrap();
        let one = enter(state.path(), Path::new("/a"), "x", "t", None).unwrap();
        assert!(matches!(enter(state.path(), Path::new("/b"), "x", "t", None).unwrap(), Place::Turn(..)));
        assert!(matches!(one, Place::Turn(..)));
    }
}
