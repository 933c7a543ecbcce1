//! Which files are memories, and what is read of them.

#![allow(clippy::unwrap_used)]
use std::fs;

use super::*;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn topic_files_are_found_at_every_depth_and_others_are_not() {
    let folder = folder(&[
        ("b.md", "---\nname: B\ndescription: d\ntype: user\n---\nbody\n"),
        ("sub/a.md", "text"),
        ("MEMORY.md", "- x"),
        ("logs/2026/01/2026-01-01.md", "- x"),
        (".mem/x.md", "no"),
        ("c.txt", "no"),
    ]);
    let mut problems = Problems::new("mem-index");
    let memories = scan(folder.path(), Scan::Whole, &mut problems);
    let seen: Vec<(&str, &str)> = memories.iter().map(|memory| (memory.path.as_str(), memory.body())).collect();
    assert_eq!(seen, [("b.md", "body\n"), ("sub/a.md", "text")]);
    assert_eq!((memories[0].name.as_str(), memories[1].name.as_str()), ("B", "a"));
    assert!(problems.is_empty());
}

#[test]
fn dates_of_the_front_matter_come_before_that_of_the_disk() {
    let folder = folder(&[
        ("a.md", "---\nname: a\nmodified: 2026-01-02\n---\n"),
        ("b.md", "---\nname: a\nmetadata:\n  modified: 2026-01-03T00:00:00.000Z\n---\n"),
        ("c.md", "x"),
    ]);
    let memories = scan(folder.path(), Scan::Heads, &mut Problems::default());
    let sources: Vec<&str> = memories.iter().map(|memory| memory.modified_source).collect();
    assert_eq!(sources, ["modified", "metadata.modified", "mtime"]);
}

#[test]
fn links_out_of_the_folder_are_named_and_not_followed() {
    let outside = folder(&[("secret.md", "SECRET")]);
    let folder = folder(&[("a.md", "A")]);
    std::os::unix::fs::symlink(outside.path().join("secret.md"), folder.path().join("b.md")).unwrap();
    std::os::unix::fs::symlink("a.md", folder.path().join("c.md")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("d")).unwrap();
    let mut problems = Problems::new("mem-index");
    let memories = scan(folder.path(), Scan::Whole, &mut problems);
    assert_eq!(memories.iter().map(|memory| memory.path.as_str()).collect::<Vec<_>>(), ["a.md", "c.md"]);
    assert_eq!(problems.len(), 2);
}

#[test]
fn a_head_is_thirty_lines() {
    let text = format!("---\nname: a\n---\n{}", "line\n".repeat(50));
    let folder = folder(&[("a.md", &text)]);
    let memories = scan(folder.path(), Scan::Heads, &mut Problems::default());
    assert_eq!(memories[0].text.lines().count(), 30);
}
