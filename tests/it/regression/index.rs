//! The index: what is cut, what is lost, whose folder it is, and many writers.

use serde_json::{Value, json};

use crate::support::{NOW, Place};

fn index(place: &Place) -> Value {
    place.answer("mem-index", &["--memory-dir", "../memory"], "{}")["index"].clone()
}

#[test]
fn i01_the_entries_that_are_cut_are_named() {
    let place = Place::new();
    let mut lines: String = (0..229).map(|number| format!("- [M{number}](m{number}.md) — x\n")).collect();
    lines += "- [New](new.md) — today\n";
    place.write("memory/MEMORY.md", &lines);
    let index = index(&place);
    assert_eq!((index["truncated_by"].as_str(), index["lost"].as_array().unwrap().len()), (Some("lines"), 30));
    assert_eq!(index["lost"][29]["path"], "new.md");
    assert!(index["text"].as_str().unwrap().contains("limit of 200 lines"));
}

#[test]
fn i03_bytes_cut_at_a_whole_line() {
    let place = Place::new();
    place.write("memory/MEMORY.md", &format!("{}\n", "x".repeat(799)).repeat(41));
    let index = index(&place);
    assert_eq!(index["truncated_by"], "bytes");
    let text = index["text"].as_str().unwrap().split("\n\n>").next().unwrap().to_owned();
    assert!(text.lines().all(|line| line.len() == 799) && text.len() <= 25_000);
    assert_eq!(text.lines().count() + index["lost"].as_array().unwrap().len(), 41);
}

#[test]
fn i04_one_enormous_line_is_cut_within_itself() {
    let place = Place::new();
    place.write("memory/MEMORY.md", &"长".repeat(20_000));
    let index = index(&place);
    assert_eq!(
        (index["truncated_by"].as_str(), index["bytes"].as_u64(), index["characters"].as_u64()),
        (Some("bytes"), Some(60_000), Some(20_000))
    );
    assert!(index["text"].as_str().unwrap().starts_with(&"长".repeat(8_333)));
}

#[test]
fn i07_many_writers_lose_no_line() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for number in 0..20 {
            let place = &place;
            scope.spawn(move || {
                let input = json!({"memory_dir": place.memory(), "remember": format!("service number {number} listens on port {}", 9000 + number * 7)});
                let ran = place.run("mem-extract", &["--apply", "--now", NOW], input.to_string());
                assert_eq!(ran.status, 0, "{}", ran.stderr);
            });
        }
    });
    let index = std::fs::read_to_string(place.memory().join("MEMORY.md")).unwrap();
    let files = std::fs::read_dir(place.memory()).unwrap().flatten();
    let files = files.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "md")).count();
    assert_eq!((index.lines().count(), files), (20, 21), "{index}");
}

#[test]
fn i08_files_without_a_line_and_lines_without_a_file_are_seen() {
    let place = Place::new();
    place
        .write("memory/a.md", "A")
        .write("memory/b.md", "B")
        .write("memory/MEMORY.md", "- [A](a.md)\n- [Gone](gone.md)\n");
    let document = place.answer("mem-index", &["--memory-dir", "../memory"], "{}");
    let listed: Vec<_> = document["index"]["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| (memory["path"].clone(), memory["is_listed"].clone()))
        .collect();
    assert_eq!(listed, [(json!("a.md"), json!(true)), (json!("b.md"), json!(false))]);
    let dangling =
        document["problems"].as_array().unwrap().iter().find(|problem| problem["code"] == "dangling-entry").unwrap();
    assert!(dangling["message"].as_str().unwrap().contains("gone.md") && dangling["line"] == 2);
}

#[test]
fn i13_worktrees_and_subfolders_share_the_memory_of_the_main_checkout() {
    let place = Place::new();
    let tree = place.top().join("ext/w");
    place.write("proj/.git/HEAD", "ref: refs/heads/main\n").write("proj/.git/worktrees/w/commondir", "../..\n");
    place.write("proj/.git/worktrees/w/gitdir", &format!("{}/.git\n", tree.display()));
    place
        .write("ext/w/.git", &format!("gitdir: {}/.git/worktrees/w\n", place.project().display()))
        .write("ext/w/sub/x", "");
    let dir = |cwd| place.answer("mem-index", &[], &json!({"cwd": cwd}).to_string())["index"]["dir"].clone();
    assert_eq!(dir(tree.join("sub")), dir(place.project()));
    assert_ne!(dir(place.top().join("ext")), dir(place.project()));
}

#[test]
fn a_memory_that_leads_out_of_its_folder_is_not_read() {
    let place = Place::new();
    place.write("ext/secret.md", "---\nname: s\ndescription: MK_secret\n---\n").write("memory/a.md", "A");
    std::os::unix::fs::symlink(place.top().join("ext/secret.md"), place.memory().join("b.md")).unwrap();
    let ran = place.run("mem-index", &["--memory-dir", "../memory"], "{}");
    assert!(!ran.stdout.contains("MK_secret") && ran.stdout.contains("link-outside"));
}
