//! Memory folders as a whole: what a client loads of them, what mending does to real ones, and many writers at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::{NOW, Place, checkout, feed, program};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn index(folder: &Path) -> String {
    fs::read_to_string(folder.join("MEMORY.md")).unwrap_or_default()
}

/// Mends a folder once and once more, and looks at what became of its lines.
fn check_mending(place: &Place, folder: &Path) {
    let name = folder.to_string_lossy().into_owned();
    let before = index(folder);
    let mend = || place.run("mem-index", &["-n", "--memory-dir", &name, "--apply", "--now", NOW], "");
    let ran = mend();
    if ran.document()["failed"]["code"] == "not-a-memory-folder" {
        // Memories in its subfolders alone make no memory folder: nothing is written there.
        assert_eq!(index(folder), before, "{name}");
        return;
    }
    assert_eq!(ran.status, 0, "{name}: {}", ran.stderr);
    let proposed = &ran.document()["index"]["proposed"];
    let after = index(folder);
    let changes = proposed["changes"].as_array().cloned().unwrap_or_default();
    let touched: Vec<u64> = changes.iter().filter_map(|change| change["line"].as_u64()).collect();
    let mut rest = after.as_str();
    for (number, line) in before.split_inclusive('\n').enumerate() {
        if !touched.contains(&(number as u64 + 1)) {
            let place = rest.find(line).unwrap_or_else(|| panic!("{name}: line {} is not as it was", number + 1));
            rest = &rest[place + line.len()..];
        }
    }
    mend();
    assert_eq!(index(folder), after, "{name}: the second time changed something");
    let checked = place.run("mem-index", &["-n", "--memory-dir", &name, "--check=drift,size", "--now", NOW], "");
    assert_eq!(checked.status, 0, "{name}: {}", checked.stdout);
}

#[test]
fn real_folders_are_mended_once_and_stay_mended() {
    let Some(corpus) = Some(checkout().join("../shared/corpus/memory")).filter(|corpus| corpus.is_dir()) else {
        return;
    };
    let place = Place::new();
    let mut count = 0;
    for entry in fs::read_dir(corpus).unwrap().flatten() {
        let folder = place.top().join(entry.file_name());
        copy(&entry.path(), &folder);
        // Some hold no index, but folders of memories in folders of their own.
        let inner: Vec<PathBuf> = fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()).collect();
        for folder in inner.into_iter().filter(|path| path.is_dir()).chain([folder]) {
            let has_memories = fs::read_dir(&folder)
                .unwrap()
                .flatten()
                .any(|entry| entry.path().extension().is_some_and(|ending| ending == "md"));
            if has_memories && fs::metadata(folder.join("README.md")).is_err() {
                check_mending(&place, &folder);
                count += 1;
            }
        }
    }
    assert!(count >= 4, "{count}");
}

#[test]
fn folders_of_every_sort_are_mended_once_and_stay_mended() {
    let types = ["feedback", "user", "project", "reference"];
    for seed in 0..12_usize {
        let place = Place::new();
        let mut lines = String::new();
        for number in 0..(40 + seed * 40) {
            let path = format!("{}m{number}.md", if number % 11 == 3 { "sub/" } else { "" });
            let description = format!("what part {number} does {}", "and why ".repeat((number * 7 + seed) % 30));
            let text = format!(
                "---\nname: memory {number}\ndescription: {description}\ntype: {}\nmodified: 2026-0{}-1{}\n---\nBody.\n",
                types[(number + seed) % 4],
                1 + number % 9,
                number % 9
            );
            if number % 13 != 5 {
                place.write(&format!("memory/{path}"), &text);
            }
            match (number + seed) % 9 {
                0 => {}
                1 => lines += &format!("- [M]({path}) — old words of part {}\n", number + 1),
                2 => lines += &format!("## Part {number}\n\n- [M]({path}) — {description}\n- [M]({path})\n\n"),
                3 => lines += &format!("* **[M{number}](./{path})**: what part {number} does\r\n"),
                4 => lines += &format!("- [M]({path}) {}\n", "数据库".repeat(number % 60)),
                _ => lines += &format!("- [M{number}]({path}) — {description}\n"),
            }
        }
        place.write("memory/MEMORY.md", &format!("{}{lines}", "\n".repeat(seed % 3)));
        check_mending(&place, &place.memory());
    }
}

fn fill(text: &str, place: &Place, slug: &str) -> String {
    text.replace("${HOME}", &place.home().to_string_lossy())
        .replace("${PROJ}", &place.project().to_string_lossy())
        .replace("${EXT}", &place.top().join("ext").to_string_lossy())
        .replace("${SLUG}", slug)
}

/// Lays the files of a case out; only text is needed for cases about memory.
fn lay_out(place: &Place, case: &Value, slug: &str) {
    for (part, folder) in [("home", "home"), ("proj", "proj"), ("ext", "ext")] {
        for (path, content) in case[part].as_object().into_iter().flatten() {
            if let Some(text) = content.as_str() {
                place.write(&format!("{folder}/{}", fill(path, place, slug)), &fill(text, place, slug));
            }
        }
    }
    fs::create_dir_all(place.top().join("ext")).unwrap();
}

#[test]
fn what_the_client_loads_as_memory_is_what_its_profile_shows() {
    let Ok(cases) = fs::read_to_string(checkout().join("../shared/conformance/claude-code.jsonl")) else { return };
    let mut compared = 0;
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let place = Place::new();
        let slug = place.own_memory();
        let slug = slug.trim_start_matches("home/.claude/projects/").trim_end_matches("/memory");
        lay_out(&place, &case, slug);
        if case["git"] == true {
            let script =
                "git init -q && git add -A && git -c user.name=n -c user.email=e@x.y commit -qm x --allow-empty";
            let mut process = place.command("sh");
            process.args(["-c", script]);
            feed(process, b"");
        }
        for run in case["runs"].as_array().unwrap() {
            if let Some(script) = run["sh"].as_str() {
                let mut process = place.command("sh");
                process.args(["-c", &fill(script, &place, slug)]);
                feed(process, b"");
                continue;
            }
            let arguments = run["args"].to_string();
            if arguments.contains("--continue") || arguments.contains("--setting-sources") || case["etc"].is_object() {
                continue;
            }
            let expected: Vec<&Value> =
                run["start"].as_array().unwrap().iter().filter(|section| section["label"] == "memory").collect();
            let cwd = place.project().join(fill(run["cwd"].as_str().unwrap_or_default(), &place, slug));
            let mut process = place.command(program("mem-index"));
            for (name, value) in run["env"].as_object().into_iter().flatten() {
                process.env(name, value.as_str().unwrap_or_default());
            }
            process.args(["--profile", "claude-code", "--now", NOW]);
            let ran = feed(process, json!({"cwd": cwd}).to_string().as_bytes());
            let found = &ran.document()["index"];
            let text = found["text"].as_str().unwrap();
            assert_eq!(text.is_empty(), expected.is_empty(), "{}: {found}", case["case"]);
            for section in expected {
                let path = format!("{}/MEMORY.md", found["dir"].as_str().unwrap());
                assert_eq!(path, fill(section["path"].as_str().unwrap(), &place, slug), "{}", case["case"]);
                for mark in section["marks"].as_array().unwrap() {
                    assert!(text.contains(mark.as_str().unwrap()), "{}: {mark}", case["case"]);
                }
                assert!(!text.contains("comment"), "{}", case["case"]);
                compared += 1;
            }
        }
    }
    assert!(compared >= 8, "{compared}");
}

/// The document with which writer `writer` saves its memory `number`.
fn remember(place: &Place, writer: usize, number: usize) -> String {
    let service = writer * 100 + number;
    let text = format!("service number {service} listens on port {}", 10_000 + service * 7);
    json!({"memory_dir": place.memory(), "remember": text}).to_string()
}

/// Returns the topic files, and how often the index names each.
fn listed(place: &Place) -> BTreeMap<String, usize> {
    let text = index(&place.memory());
    let files = fs::read_dir(place.memory()).unwrap().flatten();
    files
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".md") && name != "MEMORY.md")
        .map(|name| {
            let count = text.matches(&format!("]({name})")).count();
            (name, count)
        })
        .collect()
}

/// Looks at every file again and again: each must be whole.
fn watch(place: &Place, is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        let Ok(entries) = fs::read_dir(place.memory()) else { continue };
        for path in entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        {
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let is_index = path.ends_with("MEMORY.md");
            let is_whole =
                text.ends_with('\n') && (is_index || text.starts_with("---\n") && text.matches("\n---\n").count() == 1);
            assert!(is_whole, "{}: {text:?}", path.display());
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn many_processes_write_and_a_reader_always_sees_whole_files() {
    const WRITERS: usize = 16;
    const EACH: usize = 3;
    let place = Place::new();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (place, is_over) = (&place, &is_over);
        scope.spawn(move || watch(place, is_over));
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                scope.spawn(move || {
                    for number in 0..EACH {
                        let ran = place.run("mem-extract", &["--apply", "--now", NOW], remember(place, writer, number));
                        assert_eq!(ran.status, 0, "{}", ran.stdout);
                    }
                })
            })
            .collect();
        let ended: Vec<bool> = writers.into_iter().map(|writer| writer.join().is_ok()).collect();
        is_over.store(true, Ordering::Relaxed);
        assert!(ended.into_iter().all(|is_well| is_well));
    });
    let listed = listed(&place);
    assert_eq!(listed.len(), WRITERS * EACH);
    assert!(listed.values().all(|count| *count == 1), "{listed:?}");
    assert_eq!(fs::read_dir(place.memory().join(".mem/writing")).unwrap().count(), 0);
}

#[test]
fn an_editor_that_knows_no_lock_keeps_its_lines_and_loses_no_memory() {
    const WRITERS: usize = 4;
    const EACH: usize = 4;
    let place = Place::new();
    place.write("memory/MEMORY.md", "# Mine\n");
    let is_over = AtomicBool::new(false);
    let edited = std::thread::scope(|scope| {
        let (place, is_over) = (&place, &is_over);
        let editor = scope.spawn(move || {
            let mut number = 0;
            while !is_over.load(Ordering::Relaxed) {
                // As an editor saves: beside, and renamed over.
                let text = format!("{}- edited {number}\n", index(&place.memory()));
                fs::write(place.top().join("saved"), text).unwrap();
                fs::rename(place.top().join("saved"), place.memory().join("MEMORY.md")).unwrap();
                number += 1;
                std::thread::sleep(std::time::Duration::from_millis(3));
            }
            number
        });
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                scope.spawn(move || {
                    for number in 0..EACH {
                        let ran = place.run("mem-extract", &["--apply", "--now", NOW], remember(place, writer, number));
                        assert_eq!(ran.status, 0, "{}", ran.stdout);
                    }
                })
            })
            .collect();
        let ended: Vec<bool> = writers.into_iter().map(|writer| writer.join().is_ok()).collect();
        is_over.store(true, Ordering::Relaxed);
        assert!(ended.into_iter().all(|is_well| is_well));
        editor.join().unwrap()
    });
    let text = index(&place.memory());
    let lost: Vec<usize> = (0..edited).filter(|number| !text.contains(&format!("- edited {number}\n"))).collect();
    assert!(lost.is_empty(), "of {edited} lines {lost:?} are lost");
    // What the editor wrote over in its turn is a file without a line, and is mended.
    place.answer(
        "mem-index",
        &["--memory-dir", "../memory", "--apply", "--max-lines", "100000", "--max-bytes", "10000000"],
        "{}",
    );
    let listed = listed(&place);
    assert_eq!(listed.len(), WRITERS * EACH);
    assert!(listed.values().all(|count| *count == 1), "{listed:?}");
}
