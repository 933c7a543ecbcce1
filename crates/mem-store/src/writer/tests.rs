//! What a writer does to the files, the archive and the index.

#![allow(clippy::unwrap_used)]
use std::fs;
use std::path::Path;

use super::*;
use crate::change::IndexLine;
use crate::hash::sha256;

fn write(path: &str, text: &str, replaces: Option<String>) -> Change {
    let line = Some(IndexLine { title: "T".into(), hook: "h".into() });
    Change::Write { path: path.into(), text: text.into(), replaces, line }
}

fn now() -> Moment {
    Moment::parse("2026-11-30T12:00:00Z").unwrap()
}

fn apply(dir: &Path, changes: &[Change]) -> Result<Vec<Outcome>, Failure> {
    MemoryFolder::at(dir.to_path_buf()).apply(changes, &now())
}

fn index(dir: &Path) -> String {
    fs::read_to_string(dir.join("MEMORY.md")).unwrap()
}

#[test]
fn a_missing_folder_is_made_and_the_memory_listed() {
    let top = tempfile::tempdir().unwrap();
    let dir = top.path().join("memory");
    assert_eq!(apply(&dir, &[write("a.md", "x", None)]).unwrap(), [Outcome::Written]);
    assert_eq!(index(&dir), "- [T](a.md) — h\n");
    assert_eq!(apply(&dir, &[write("a.md", "x", None)]).unwrap(), [Outcome::Unchanged]);
    assert_eq!(fs::read_to_string(dir.join(".mem/.gitignore")).unwrap(), "*\n");
    assert_eq!(fs::read_dir(dir.join(".mem/writing")).unwrap().count(), 0);
}

#[test]
fn what_is_overwritten_is_kept_whole_and_only_the_right_file_is() {
    let top = tempfile::tempdir().unwrap();
    let dir = top.path().join("memory");
    apply(&dir, &[write("a.md", "one", None)]).unwrap();
    for replaces in [None, Some(sha256(b"other"))] {
        assert!(matches!(apply(&dir, &[write("a.md", "two", replaces)]).unwrap()[0], Outcome::Refused(_)));
    }
    apply(&dir, &[write("a.md", "two", Some(sha256(b"one")))]).unwrap();
    assert_eq!(fs::read_to_string(dir.join("a.md")).unwrap(), "two");
    assert_eq!(fs::read_to_string(dir.join(".mem/archive/20261130T120000Z/a.md.old")).unwrap(), "one");
}

#[test]
fn what_is_removed_goes_to_the_archive_and_its_line_goes() {
    let top = tempfile::tempdir().unwrap();
    let dir = top.path().join("memory");
    apply(&dir, &[write("a.md", "one", None), write("sub/b.md", "two", None)]).unwrap();
    let remove = Change::Remove { path: "sub/b.md".into(), sha256: sha256(b"two") };
    assert_eq!(apply(&dir, std::slice::from_ref(&remove)).unwrap(), [Outcome::Written]);
    assert!(matches!(apply(&dir, &[remove]).unwrap()[0], Outcome::Refused(_)));
    assert_eq!(index(&dir), "- [T](a.md) — h\n");
    assert!(!dir.join("sub/b.md").exists());
    assert_eq!(fs::read_to_string(dir.join(".mem/archive/20261130T120000Z/sub/b.md.old")).unwrap(), "two");
}

#[test]
fn a_run_is_taken_back_with_its_lines_and_what_changed_since_is_left_alone() {
    let top = tempfile::tempdir().unwrap();
    let dir = top.path().join("memory");
    apply(&dir, &[write("a.md", "one", None), write("b.md", "two", None)]).unwrap();
    let folder = MemoryFolder::at(dir.clone());
    let mut writer = folder.writer(&now()).unwrap();
    let remove = Change::Remove { path: "b.md".into(), sha256: sha256(b"two") };
    let changes = [write("a.md", "ONE", Some(sha256(b"one"))), remove, write("c.md", "new", None)];
    assert_eq!(writer.carry_out(&changes).unwrap(), [Outcome::Written, Outcome::Written, Outcome::Written]);
    let name = writer.record("mem-age").unwrap().unwrap();
    drop(writer);
    fs::write(dir.join("MEMORY.md"), format!("# Mine\n{}", index(&dir))).unwrap();
    let outcomes = folder.writer(&now()).unwrap().undo(&name).unwrap();
    assert!(outcomes.iter().all(|(_, outcome)| *outcome == Outcome::Written), "{outcomes:?}");
    assert_eq!(fs::read_to_string(dir.join("a.md")).unwrap(), "one");
    assert_eq!(fs::read_to_string(dir.join("b.md")).unwrap(), "two");
    assert!(!dir.join("c.md").exists());
    assert_eq!(index(&dir), "# Mine\n- [T](a.md) — h\n- [T](b.md) — h\n");
    assert!(folder.writer(&now()).unwrap().undo(&name).is_err());
}

#[test]
fn an_index_that_changed_since_it_was_read_is_merged() {
    let top = tempfile::tempdir().unwrap();
    let dir = top.path().join("memory");
    apply(&dir, &[write("a.md", "x", None), write("b.md", "x", None)]).unwrap();
    let from = index(&dir);
    let to = from.replace("- [T](a.md) — h", "- [A](a.md) — better");
    fs::write(dir.join("MEMORY.md"), format!("{from}- an editor's line\n")).unwrap();
    assert_eq!(apply(&dir, &[Change::Index { from, to }]).unwrap(), [Outcome::Written]);
    assert_eq!(index(&dir), "- [A](a.md) — better\n- [T](b.md) — h\n- an editor's line\n");
}

#[test]
fn a_folder_of_other_things_is_not_written_to() {
    let top = tempfile::tempdir().unwrap();
    fs::write(top.path().join("id_rsa"), "key").unwrap();
    fs::write(top.path().join("README.md"), "# Hello").unwrap();
    let failure = apply(top.path(), &[write("a.md", "x", None)]).unwrap_err();
    assert_eq!(failure.code, "not-a-memory-folder");
    assert!(!top.path().join(".mem").exists());
}

#[test]
fn many_writers_lose_nothing_also_beside_an_editor_that_knows_no_lock() {
    let top = tempfile::tempdir().unwrap();
    let dir = top.path().join("memory");
    apply(&dir, &[write("first.md", "x", None)]).unwrap();
    std::thread::scope(|scope| {
        for number in 0..12 {
            let dir = &dir;
            scope.spawn(move || apply(dir, &[write(&format!("m{number}.md"), "x", None)]).unwrap());
        }
        for number in 0..20 {
            let new = format!("{}- editor {number}\n", index(&dir));
            fs::write(dir.join("edited"), new).unwrap();
            fs::rename(dir.join("edited"), dir.join("MEMORY.md")).unwrap();
        }
    });
    let text = index(&dir);
    assert_eq!(text.lines().filter(|line| line.contains("editor")).count(), 20, "{text}");
}

#[test]
fn a_path_that_leads_elsewhere_is_refused_alone_and_the_rest_is_done() {
    let (top, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let dir = top.path().join("memory");
    apply(&dir, &[write("a.md", "x", None)]).unwrap();
    std::os::unix::fs::symlink(outside.path(), dir.join("out")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("new.md"), dir.join("link.md")).unwrap();
    std::os::unix::fs::symlink("loop.md", dir.join("loop.md")).unwrap();
    fs::create_dir(dir.join("folder.md")).unwrap();
    let bad = ["out/b.md", "link.md", "loop.md", "folder.md", "a.md/b.md", "../c.md"];
    let mut changes = vec![write("first.md", "1", None)];
    changes.extend(bad.iter().map(|path| write(path, "2", None)));
    changes.extend(bad.iter().map(|path| Change::Remove { path: (*path).into(), sha256: sha256(b"2") }));
    changes.push(write("last.md", "3", None));
    let outcomes = apply(&dir, &changes).unwrap();
    assert_eq!((&outcomes[0], outcomes.last().unwrap()), (&Outcome::Written, &Outcome::Written));
    for (change, outcome) in changes.iter().zip(&outcomes).skip(1).take(2 * bad.len()) {
        assert!(matches!(outcome, Outcome::Refused(_)), "{change:?}: {outcome:?}");
    }
    assert_eq!(index(&dir), "- [T](a.md) — h\n- [T](first.md) — h\n- [T](last.md) — h\n");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    assert!(apply(&dir, &changes[1..2]).unwrap()[0] != Outcome::Written);
}
