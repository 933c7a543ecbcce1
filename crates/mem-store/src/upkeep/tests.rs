//! Runs that are finished, taken back, refused, and memories that come back.

#![allow(clippy::unwrap_used)]
use super::*;

fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, MemoryFolder) {
    let top = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = top.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let folder = MemoryFolder::at(top.path().to_path_buf());
    (top, folder)
}

fn now() -> Moment {
    Moment::parse("2026-11-30T12:00:00Z").unwrap()
}

fn edit(path: &str, before: Option<&str>, after: Option<&str>) -> Edit {
    let before = before.map(|text| sha256(text.as_bytes()));
    Edit { path: path.into(), before, after: after.map(str::to_owned), keeps_time: false }
}

fn text(top: &tempfile::TempDir, path: &str) -> Option<String> {
    std::fs::read_to_string(top.path().join(path)).ok()
}

const INDEX: &str = "- [A](a.md) — x\n- [B](sub/b.md) — y\n";

#[test]
fn a_run_is_carried_out_and_taken_back_with_the_same_bytes_and_times() {
    let (top, folder) = folder(&[("MEMORY.md", INDEX), ("a.md", "one"), ("sub/b.md", "two")]);
    let before = std::fs::metadata(top.path().join("sub/b.md")).unwrap().modified().unwrap();
    let upkeep = folder.upkeep(&now()).unwrap();
    let edits = vec![
        edit("a.md", Some("one"), Some("three")),
        edit("sub/b.md", Some("two"), None),
        edit("MEMORY.md", Some(INDEX), Some("- [A](a.md) — x\n")),
    ];
    let done = upkeep.carry_out(edits, &now()).unwrap();
    assert!(done.files.iter().all(|(_, outcome)| *outcome == Outcome::Written), "{done:?}");
    assert_eq!((text(&top, "a.md").as_deref(), text(&top, "sub/b.md")), (Some("three"), None));
    assert_eq!(text(&top, ".mem/archive/20261130T120000Z/sub/b.md.old").as_deref(), Some("two"));
    upkeep.undo(&now()).unwrap().unwrap();
    assert_eq!((text(&top, "a.md").as_deref(), text(&top, "sub/b.md").as_deref()), (Some("one"), Some("two")));
    assert_eq!(text(&top, "MEMORY.md").as_deref(), Some(INDEX));
    assert_eq!(std::fs::metadata(top.path().join("sub/b.md")).unwrap().modified().unwrap(), before);
    assert_eq!(upkeep.undo(&now()).unwrap(), None);
}

#[test]
fn what_a_killed_run_noted_is_finished_and_filed_once() {
    let (top, folder) = folder(&[("MEMORY.md", ""), ("a.md", "one"), ("b.md", "two")]);
    let upkeep = folder.upkeep(&now()).unwrap();
    let steps = ["a.md", "b.md"].map(|path| {
        let before = if path == "a.md" { Some("one") } else { Some("two") };
        upkeep.step(&edit(path, before, Some("new")), "20261130T120000Z").unwrap().unwrap()
    });
    let record = Record { at: "20261130T120000Z".into(), steps: steps.to_vec(), undoes: None };
    upkeep.note(&record).unwrap();
    assert!(folder.has_pending());
    std::fs::write(top.path().join("a.md"), "new").unwrap();
    drop(upkeep);
    let upkeep = folder.upkeep(&now()).unwrap();
    assert_eq!(upkeep.finish().unwrap().unwrap().files.len(), 2);
    assert_eq!(text(&top, "b.md").as_deref(), Some("new"));
    assert!(!folder.has_pending());
    // The kill came after the filing and before the note was removed.
    upkeep.note(&record).unwrap();
    upkeep.finish().unwrap();
    assert_eq!(records(upkeep.held()).unwrap().len(), 1);
}

#[test]
fn a_file_that_is_another_one_is_refused_and_one_that_changed_since_stays() {
    let (top, folder) = folder(&[("MEMORY.md", INDEX), ("a.md", "one"), ("sub/b.md", "two")]);
    let upkeep = folder.upkeep(&now()).unwrap();
    for path in ["../x.md", ".mem/x.md", "a.txt"] {
        let done = upkeep.carry_out(vec![edit(path, None, Some("x"))], &now()).unwrap();
        assert!(matches!(done.files[0].1, Outcome::Refused(_)), "{path}");
    }
    let done = upkeep.carry_out(vec![edit("a.md", Some("other"), None)], &now()).unwrap();
    assert!(matches!(done.files[0].1, Outcome::Refused(_)));
    let edits = vec![
        edit("a.md", Some("one"), None),
        edit("sub/b.md", Some("two"), Some("three")),
        edit("MEMORY.md", Some(INDEX), Some("- [B](sub/b.md) — y\n")),
    ];
    upkeep.carry_out(edits, &now()).unwrap();
    std::fs::write(top.path().join("sub/b.md"), "mine").unwrap();
    std::fs::write(top.path().join("MEMORY.md"), "- [C](c.md)\n").unwrap();
    let done = upkeep.undo(&now()).unwrap().unwrap();
    assert!(done.files.iter().any(|(path, outcome)| path == "sub/b.md" && matches!(outcome, Outcome::Refused(_))));
    assert_eq!(text(&top, "a.md").as_deref(), Some("one"));
    assert_eq!(text(&top, "sub/b.md").as_deref(), Some("mine"));
    let index = text(&top, "MEMORY.md").unwrap();
    assert!(index.starts_with("- [C](c.md)\n") && index.contains("(a.md)"), "{index}");
}

#[test]
fn an_archived_memory_comes_back_with_its_line() {
    let (top, folder) = folder(&[("MEMORY.md", INDEX), ("a.md", "one"), ("sub/b.md", "two")]);
    let upkeep = folder.upkeep(&now()).unwrap();
    let edits = vec![edit("sub/b.md", Some("two"), None), edit("MEMORY.md", Some(INDEX), Some("- [A](a.md) — x\n"))];
    upkeep.carry_out(edits, &now()).unwrap();
    let archived = upkeep.sight().unwrap().archived().unwrap();
    let file = archived.iter().find(|file| file.path == "sub/b.md").unwrap();
    upkeep.bring_back(file, "sub/b.md", "- [B](sub/b.md)", &now()).unwrap();
    assert_eq!(text(&top, "sub/b.md").as_deref(), Some("two"));
    assert_eq!(text(&top, "MEMORY.md").as_deref(), Some("- [A](a.md) — x\n- [B](sub/b.md)\n"));
}
