//! stdin and stdout: one document in, one out, in order, whatever the reader or the writer does.

use std::io::Read;
use std::process::Stdio;

use serde_json::json;

use crate::support::{COMMANDS, NOW, Place, program, ran};

#[test]
fn an_empty_pipe_is_no_document() {
    let place = Place::new();
    for command in COMMANDS {
        for input in ["", "\n\n  \n"] {
            let ran = place.run(command, &[], input);
            assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""), "{command}");
        }
    }
}

#[test]
fn one_line_goes_out_for_each_document_in_order() {
    let place = Place::new();
    for jobs in ["1", "2", "8"] {
        let input: String =
            (0..50).map(|number| format!("{{\"n\":{number}}}{}", if number % 3 == 0 { "\n" } else { " " })).collect();
        let ran = place.run("mem-load", &["-j", jobs], &input);
        let numbers: Vec<_> = ran.documents().iter().map(|document| document["n"].as_u64().unwrap()).collect();
        assert_eq!(numbers, (0..50).collect::<Vec<_>>(), "-j {jobs}");
    }
}

#[test]
fn documents_of_one_folder_are_worked_on_one_after_another() {
    let place = Place::new();
    let message = |number: u64| json!([{"role": "user", "content": format!("Remember that port {number} belongs to service {number}.")}]);
    let input: String = (0..12)
        .map(|number| {
            json!({"memory_dir": place.memory(), "cwd": place.project(), "messages": message(9000 + number)})
                .to_string()
                + "\n"
        })
        .collect();
    let ran = place.run("mem-extract", &["--apply", "-j", "6", "--now", NOW], &input);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let index = std::fs::read_to_string(place.memory().join("MEMORY.md")).unwrap();
    let files =
        std::fs::read_dir(place.memory()).unwrap().flatten().filter(|entry| entry.path().extension().is_some()).count();
    assert_eq!(index.lines().count() + 1, files, "each file has its line:\n{index}");
}

#[test]
fn a_bad_line_fails_in_its_place_and_the_stream_goes_on() {
    let place = Place::new();
    for jobs in ["1", "4"] {
        let ran = place.run("mem-load", &["-j", jobs], "{\"a\":1}\nrubbish\n{\"b\":2}\n");
        let documents = ran.documents();
        assert_eq!(ran.status, 3);
        assert_eq!(documents.len(), 3);
        assert_eq!(documents[1]["failed"]["code"], "bad-json");
        assert_eq!(documents[2]["b"], 2);
        assert!(ran.stderr.contains("mem-load: document 2: bad-json"), "{}", ran.stderr);
    }
    let fast = place.run("mem-load", &["--fail-fast"], "rubbish\n{\"b\":2}\n");
    assert_eq!((fast.status, fast.documents().len()), (3, 1));
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let place = Place::new();
    let input = format!("{{\"x\":\"{}\"}}\n", "y".repeat(100_000)).repeat(50);
    place.write("proj/in.json", &input);
    for jobs in ["1", "3"] {
        let mut process = place.command(program("mem-load"));
        let mut child =
            process.args(["-i", "in.json", "-j", jobs]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let left = ran(&child.wait_with_output().unwrap());
        assert_eq!((left.status, left.stderr.as_str()), (0, ""), "-j {jobs}");
    }
}

#[test]
fn a_list_of_folders_becomes_documents() {
    let place = Place::new();
    place.write("memory/a.md", "A").write("b c/x.md", "X");
    let (first, second) = (place.memory(), place.top().join("b c"));
    let lines = format!("{}\n{}\n", first.display(), second.display());
    let nul = lines.replace('\n', "\0");
    for (arguments, input) in [(vec!["--paths"], &lines), (vec!["--paths", "-0"], &nul)] {
        let documents = place.run("mem-index", &arguments, input).documents();
        let dirs: Vec<_> = documents.iter().map(|document| document["index"]["dir"].clone()).collect();
        assert_eq!(dirs, [json!(first), json!(second)]);
    }
}

#[test]
fn a_wrong_call_is_status_2_and_says_so_on_stderr_only() {
    let place = Place::new();
    for arguments in [vec!["--no-such"], vec!["--now", "soon"], vec!["-j", "0"], vec!["--format", "xml"], vec!["-i"]] {
        let ran = place.run("mem-load", &arguments, "{}");
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.stderr.starts_with("mem-load: "), "{}", ran.stderr);
    }
    let missing = place.run("mem-load", &["-i", "none.json"], "");
    assert_eq!((missing.status, missing.stdout.as_str()), (3, ""));
    assert!(missing.stderr.contains("none.json"), "{}", missing.stderr);
}

#[test]
fn strict_turns_a_problem_into_status_1() {
    let place = Place::new();
    assert_eq!(place.run("mem-load", &["--strict"], "{}").status, 0);
    assert_eq!(place.run("mem-load", &["--strict"], r#"{"files":7}"#).status, 1);
}

#[test]
fn control_characters_reach_no_terminal() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "a \u{1b}[31m b\u{202e}").write("proj/.claude/rules/\u{1b}x.md", "R");
    place.write("memory/a.md", "---\nname: \"\u{1b}]0;x\"\ndescription: deploy \u{1b}[2J\n---\nbody\n");
    let line = format!(r#"{{"memory_dir":"{}","prompt":"deploy \u001b[1m"}}"#, place.memory().display());
    for command in COMMANDS {
        for format in ["text", "context"] {
            let ran = place.run(command, &["--format", format, "-v"], &line);
            let seen = ran.stdout + &ran.stderr;
            assert!(!seen.contains('\u{1b}') && !seen.contains('\u{202e}'), "{command} {format}: {seen:?}");
        }
    }
    let bad = place.run("mem-load", &[], "\u{1b}[31m\n");
    assert!(!bad.stderr.contains('\u{1b}'));
}

#[test]
fn help_version_schema_and_completions_are_printed() {
    let place = Place::new();
    for command in COMMANDS {
        assert!(place.run(command, &["--help"], "").stdout.contains("Examples:"), "{command}");
        assert!(place.run(command, &["--version"], "").stdout.starts_with(command), "{command}");
        let schema: serde_json::Value = serde_json::from_str(&place.run(command, &["--schema"], "").stdout).unwrap();
        assert_eq!(schema["type"], "object", "{command}");
        for shell in ["bash", "zsh", "fish"] {
            assert!(place.run(command, &["--completions", shell], "").stdout.contains(command), "{command} {shell}");
        }
    }
}

#[test]
fn pretty_output_is_the_same_document() {
    let place = Place::new();
    let line = r#"{"a":[1.0e5,{"b":"x, y"}],"now":"2026-11-30T12:00:00Z"}"#;
    let flat = place.run("mem-load", &[], line);
    let pretty = place.run("mem-load", &["--pretty"], line);
    assert_eq!(flat.document(), pretty.document());
    assert!(pretty.stdout.contains("1.0e5") && pretty.stdout.lines().count() > 5);
    assert_eq!(place.run("mem-load", &[], &pretty.stdout).stdout, flat.stdout);
}
