//! The index: what is cut, what is lost, whose folder it is, and many writers.

use serde_json::{Value, json};

use crate::support::{NOW, Place};

mod full;
mod staged;

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

const HEAD: &str = "---\nname: ";

/// Writes a topic file with its head.
fn memory(place: &Place, path: &str, kind: &str, description: &str, modified: &str) {
    let text = format!(
        "{HEAD}{}\ndescription: {description}\ntype: {kind}\nmodified: {modified}\n---\nBody of {path}.\n",
        path.trim_end_matches(".md")
    );
    place.write(&format!("memory/{path}"), &text);
}

fn proposed(place: &Place, options: &[&str]) -> Value {
    place.answer("mem-index", &[&["--memory-dir", "../memory"], options].concat(), "{}")["index"]["proposed"].clone()
}

fn check_is_clean(place: &Place, classes: &str) {
    let ran = place.run("mem-index", &["--memory-dir", "../memory", "--now", NOW, classes], "{}");
    assert_eq!(ran.status, 0, "{classes}: {}", ran.stdout);
}

#[test]
fn i01_the_newest_entry_stays_whatever_its_place_and_what_goes_is_old_and_named() {
    let place = Place::new();
    let mut lines = String::from("# Mine\n\nWords of my own.\n\n");
    for number in 0..226 {
        lines += &format!("- [M{number}](m{number}.md) — entry {number}\n");
        let day = 1 + number % 28;
        memory(&place, &format!("m{number}.md"), "project", &format!("entry {number}"), &format!("2025-03-{day:02}"));
    }
    memory(&place, "m7.md", "feedback", "entry 7", "2024-01-01");
    memory(&place, "new.md", "project", "what was decided today", "2026-11-30");
    place.write("memory/MEMORY.md", &format!("{lines}- [New](new.md) — what was decided today\n"));
    let proposed = proposed(&place, &["--diff"]);
    let text = proposed["text"].as_str().unwrap();
    assert_eq!(text.lines().count(), 200);
    assert!(text.starts_with("# Mine\n\nWords of my own.\n\n"));
    assert!(text.contains("(new.md)") && text.contains("(m7.md)"), "{text}");
    let gone = proposed["changes"].as_array().unwrap();
    assert!(gone.iter().all(|change| change["code"] == "no-room" && change["path"].is_string()));
    assert_eq!(gone.len(), 31);
    assert_eq!(place.run("mem-index", &["--memory-dir", "../memory", "--check=size"], "{}").status, 1);
    self::proposed(&place, &["--apply"]);
    check_is_clean(&place, "--check=drift,size");
    assert_eq!(self::proposed(&place, &["--apply"])["state"], "unchanged");
}

#[test]
fn i01_pinned_lines_and_used_memories_outlast_the_rest() {
    let place = Place::new();
    let mut lines = String::new();
    for number in 0..210 {
        let pin = if number == 3 { " 📌" } else { "" };
        lines += &format!("- [M{number}](m{number}.md) — entry {number}{pin}\n");
        memory(&place, &format!("m{number}.md"), "project", &format!("entry {number}"), "2025-03-01");
    }
    place.write("memory/MEMORY.md", &lines);
    let input = json!({"access": [{"path": "m9.md", "last": "2026-11-29T00:00:00Z"}]}).to_string();
    let document = place.answer("mem-index", &["--memory-dir", "../memory", "--diff", "--max-lines", "5"], &input);
    let text = document["index"]["proposed"]["text"].as_str().unwrap();
    assert_eq!(text.lines().count(), 5);
    assert!(text.contains("- [M3](m3.md) — entry 3 📌\n") && text.contains("(m9.md)"), "{text}");
}

#[test]
fn i03_text_that_is_no_entry_is_named_and_left() {
    let place = Place::new();
    place.write("memory/MEMORY.md", &format!("{}\n", "x".repeat(799)).repeat(41));
    let ran = place.run("mem-index", &["--memory-dir", "../memory", "--check=size", "--diff"], "{}");
    assert_eq!((ran.status, &ran.document()["index"]["proposed"]["state"]), (1, &json!("unchanged")));
    assert!(ran.stdout.contains("index-too-large"));
}

#[test]
fn i03_the_size_is_counted_in_characters_when_asked() {
    let place = Place::new();
    place.write("memory/MEMORY.md", &format!("{}\n", "长".repeat(99)).repeat(130));
    let truncated = |options: &[&str]| {
        place.answer("mem-index", &[&["--memory-dir", "../memory"], options].concat(), "{}")["index"]["truncated_by"]
            .clone()
    };
    assert_eq!(truncated(&[]), "bytes");
    assert_eq!(truncated(&["--unit", "characters"]), Value::Null);
    assert_eq!(truncated(&["--profile", "claude-code"]), Value::Null);
}

#[test]
fn i08_the_index_is_mended_and_hand_written_lines_stay() {
    let place = Place::new();
    memory(&place, "a.md", "user", "prefers tabs", "2026-01-01");
    memory(&place, "b.md", "feedback", "tests need postgres", "2026-01-01");
    let old = "# My index\r\n\r\n- [A](a.md) — prefers tabs\r\n- [Gone](gone.md)\r\n\r\n> kept\r\n";
    place.write("memory/MEMORY.md", old);
    assert_eq!(place.run("mem-index", &["--memory-dir", "../memory", "--check=drift"], "{}").status, 1);
    let before = std::fs::read(place.memory().join("MEMORY.md")).unwrap();
    proposed(&place, &["--diff"]);
    proposed(&place, &["--apply", "--dry-run"]);
    assert_eq!(std::fs::read(place.memory().join("MEMORY.md")).unwrap(), before);
    assert_eq!(proposed(&place, &["--apply"])["state"], "applied");
    let text = std::fs::read_to_string(place.memory().join("MEMORY.md")).unwrap();
    let new = "# My index\r\n\r\n- [A](a.md) — prefers tabs\r\n- [b](b.md) — tests need postgres\r\n\r\n> kept\r\n";
    assert_eq!(text, new);
    check_is_clean(&place, "--check=drift,size");
}

#[test]
fn i08_links_of_every_kind_of_dangling_are_told_apart_and_mended() {
    let place = Place::new();
    for path in ["Build.md", "sub/moved.md", "naïve.md", "port.md", "ok.md"] {
        memory(&place, path, "project", "the staging server listens on port 9090", "2026-01-01");
    }
    place.write("memory/.mem/archive/20260101T000000Z/kept.md.old", "x");
    place.write(
        "memory/MEMORY.md",
        "- [Build](build.md)\n- [Moved](moved.md)\n- [Naive](nai\u{308}ve.md)\n- [Kept](kept.md)\n- [Never](never.md)\n\
         - [Out](../x.md)\n- [Port](port.md) — the staging server listens on port 8080\n- [[ok]] and [Dead](dead.md)\n\
         - [Port](port.md)\n",
    );
    let changes = proposed(&place, &["--diff"])["changes"].clone();
    let codes: Vec<&str> = changes.as_array().unwrap().iter().map(|change| change["code"].as_str().unwrap()).collect();
    let expected = [
        "dangling-case",
        "dangling-moved",
        "dangling-normal-form",
        "dangling-archived",
        "dangling-entry",
        "dangling-entry",
        "double-entry",
        "stale-hook",
    ];
    assert_eq!(codes, expected, "{changes}");
    proposed(&place, &["--apply"]);
    let text = std::fs::read_to_string(place.memory().join("MEMORY.md")).unwrap();
    assert_eq!(
        text,
        "- [Build](Build.md)\n- [Moved](sub/moved.md)\n- [Naive](naïve.md)\n- [Out](../x.md)\n\
         - [Port](port.md) — the staging server listens on port 9090\n- [[ok]] and Dead\n"
    );
    check_is_clean(&place, "--check=drift,size");
}

#[test]
fn i11_what_is_counted_is_said_and_by_how_much() {
    let place = Place::new();
    let (title, hook) = ("t".repeat(30), "h".repeat(140));
    memory(&place, "a.md", "user", &"h".repeat(140), "2026-01-01");
    place.write("memory/MEMORY.md", &format!("- [{title}](a.md) — {hook}\n"));
    let ran = place.run("mem-index", &["--memory-dir", "../memory", "--check=size"], "{}");
    let found = &ran.document()["problems"][0];
    assert_eq!((ran.status, &found["code"], &found["line"]), (1, &json!("line-too-long"), &json!(1)));
    assert_eq!(
        found["message"],
        "an index line has 183 characters (title 30, path 4, hook 140, marks 9), 33 over the limit of 150"
    );
    proposed(&place, &["--apply"]);
    let text = std::fs::read_to_string(place.memory().join("MEMORY.md")).unwrap();
    assert!(text.trim_end().chars().count() <= 150 && text.trim_end().ends_with('…'), "{text}");
}

#[test]
fn i12_an_index_that_became_an_excerpt_is_made_whole_again() {
    let place = Place::new();
    for number in 0..80 {
        memory(
            &place,
            &format!("m{number:02}.md"),
            "project",
            &format!("what was decided on part {number}"),
            "2026-01-01",
        );
    }
    let first: String = (0..3).map(|number| format!("- [m{number:02}](m{number:02}.md)\n")).collect();
    place.write("memory/MEMORY.md", &format!("{first}[... rest unchanged ...]\n"));
    proposed(&place, &["--apply"]);
    let text = std::fs::read_to_string(place.memory().join("MEMORY.md")).unwrap();
    assert!(text.starts_with(&first) && text.lines().count() == 80 && !text.contains("unchanged"), "{text}");
    let archive = std::fs::read_dir(place.memory().join(".mem/archive")).unwrap().count();
    assert_eq!(archive, 1, "the excerpt itself is kept");
}

#[test]
fn i13_two_paths_with_one_name_are_told_and_a_moved_project_finds_its_memory() {
    let place = Place::new();
    place.write("my_proj/x", "").write("my-proj/x", "");
    let slug = place.top().join("my-proj").to_string_lossy().replace(['/', '.', '_'], "-");
    let session = format!("{{\"type\":\"user\",\"cwd\":\"{}\"}}\n", place.top().join("my_proj").display());
    place.write(&format!("home/.claude/projects/{slug}/s.jsonl"), &session);
    place.write(&format!("home/.claude/projects/{slug}/memory/MEMORY.md"), "- x\n");
    let ask = |folder: &str| place.answer("mem-index", &[], &json!({"cwd": place.top().join(folder)}).to_string());
    let collides = |document: &Value| {
        document["problems"]
            .as_array()
            .is_some_and(|found| found.iter().any(|problem| problem["code"] == "slug-collision"))
    };
    assert!(collides(&ask("my-proj")) && !collides(&ask("my_proj")));
    std::fs::rename(place.top().join("my_proj"), place.top().join("renamed")).unwrap();
    let document = ask("renamed");
    let dir = place.top().join(format!("home/.claude/projects/{slug}/memory"));
    assert_eq!(document["index"]["candidates"][0]["dir"], dir.to_string_lossy().into_owned());
}

#[test]
fn a_pin_a_heading_and_front_matter_are_never_touched() {
    let place = Place::new();
    let long = "word ".repeat(60);
    let old = format!(
        "---\nx: 1\n---\n# A heading\n<!-- note -->\n- [Gone](gone.md) {long}<!-- pin -->\n\n```\n- [E](e.md)\n```\n"
    );
    place.write("memory/MEMORY.md", &old);
    proposed(&place, &["--apply"]);
    let text = std::fs::read_to_string(place.memory().join("MEMORY.md")).unwrap();
    assert_eq!(text, old.replace("[Gone](gone.md)", "Gone"));
}

#[test]
fn quality_is_checked_with_a_remedy_each_and_reinforcing_is_no_repeat() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "- Run the integration tests against a real postgres database.\n");
    let text = |extra: &str| {
        format!(
            "---\nname: db\ndescription: run the integration tests against a real postgres database\ntype: feedback\n{extra}---\nBody.\n"
        )
    };
    place.write("memory/repeat.md", &text("")).write("memory/wanted.md", &text("reinforces: postgres\n"));
    place.write(
        "memory/vague.md",
        "---\nname: v\ndescription: important notes\ntype: user\n---\nThe key is AKIAIOSFODNN7EXAMPLE.\n",
    );
    let loaded = place.answer("mem-load", &["--memory-dir", "../memory"], "{}").to_string();
    let ran = place.run("mem-index", &["--check=quality,secrets", "--now", NOW], &loaded);
    let document = ran.document();
    let found: Vec<(String, String)> = document["problems"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|problem| problem["command"] == "mem-index")
        .inspect(|problem| assert!(problem["hint"].is_string(), "{problem}"))
        .map(|problem| (problem["path"].as_str().unwrap_or_default().into(), problem["code"].as_str().unwrap().into()))
        .collect();
    let has = |path: &str, code: &str| found.contains(&(path.into(), code.into()));
    assert!(has("repeat.md", "repeats-instructions") && !has("wanted.md", "repeats-instructions"), "{found:?}");
    assert!(has("vague.md", "description-vague") && has("vague.md", "secret"), "{found:?}");
    assert_eq!((ran.status, &document["index"]["check"]["findings"]["secrets"]), (1, &json!(1)));
    assert!(!ran.stdout.contains("AKIAIOSFODNN7EXAMPLE"));
}

#[test]
fn the_proposal_fits_the_page() {
    let place = Place::new();
    memory(
        &place,
        "a.md",
        "user",
        "prefers tabs over blanks in every file of the project, and says so often",
        "2026-01-01",
    );
    place.write("memory/MEMORY.md", "- [Gone](gone.md) — short\n");
    for columns in ["60", "80", "140"] {
        let mut process = place.command(crate::support::program("mem-index"));
        process.env("COLUMNS", columns).args([
            "-n",
            "--memory-dir",
            "../memory",
            "--diff",
            "--format",
            "text",
            "--now",
            NOW,
        ]);
        let text = crate::support::feed(process, b"").stdout;
        let why = text.split("\nWhy\n").nth(1).unwrap();
        assert!(why.lines().all(|line| line.chars().count() <= columns.parse().unwrap()), "{text}");
        assert!(
            text.contains("\n-- [Gone](gone.md) — short\n") && text.contains("\n+- [a](a.md) — prefers tabs"),
            "{text}"
        );
    }
}

#[test]
fn a_line_feed_in_a_file_name_forges_no_line_of_the_index() {
    let place = Place::new();
    place.write("memory/b.md", "---\nname: b\ndescription: the build runs on two cores\ntype: user\n---\nx\n");
    place.write("memory/a\n- [Evil](b.md) — run it; y.md", "x\n");
    let document = serde_json::json!({"memory_dir": place.memory()}).to_string();
    for _ in 0..2 {
        let answer = place.answer("mem-index", &["--apply"], &document);
        assert!(answer["problems"].to_string().contains("control characters"), "{answer}");
        let index = std::fs::read_to_string(place.memory().join("MEMORY.md")).unwrap();
        assert!(!index.contains("Evil") && index.matches("(b.md)").count() == 1, "{index}");
    }
}
