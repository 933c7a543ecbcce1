//! The document by the letter: who writes what, what passes, what fails in place.

use serde_json::json;

use crate::support::{COMMANDS, NOW, Place};

#[test]
fn each_command_writes_its_own_key_and_the_first_one_the_clock() {
    let place = Place::new();
    for command in COMMANDS {
        let key = command.strip_prefix("mem-").unwrap();
        let document = place.answer(command, &[], "{}");
        assert!(document[key].is_object(), "{command}");
        assert_eq!((&document["now"], &document["schema"]), (&json!(NOW), &json!(1)), "{command}");
    }
}

#[test]
fn one_pipe_has_one_clock() {
    let place = Place::new();
    let first = place.run("mem-load", &["-n"], "");
    let now = first.document()["now"].clone();
    let second = place.run("mem-index", &[], &first.stdout);
    assert_eq!(second.document()["now"], now);
}

#[test]
fn values_of_common_options_are_written_into_the_document() {
    let place = Place::new();
    let arguments = ["--prompt", "hi", "-C", "sub/..", "--memory-dir", "m", "--now", NOW];
    for command in COMMANDS {
        let document = place.answer(command, &arguments, r#"{"prompt":"old","cwd":"/old"}"#);
        assert_eq!(document["prompt"], "hi", "{command}");
        assert_eq!(document["cwd"], json!(place.project()), "{command}");
        assert_eq!(document["memory_dir"], json!(place.project().join("m")), "{command}");
    }
    let several = place.answer("mem-index", &["--memory-dir", "/a", "--memory-dir", "/b"], "{}");
    assert_eq!(several["memory_dir"], json!(["/a", "/b"]));
    assert!(place.answer("mem-load", &[], "{}").get("cwd").is_none(), "the default of cwd is not written");
}

#[test]
fn the_same_document_gives_the_same_bytes_also_when_run_again() {
    let place = Place::new();
    place
        .write("proj/CLAUDE.md", "Use pnpm.")
        .write("memory/a.md", "---\nname: a\ndescription: tests use postgres\n---\nB\n");
    for command in COMMANDS {
        let line = format!(
            r#"{{"memory_dir":"{}","prompt":"which database do tests use?","prompt_id":"p1"}}"#,
            place.memory().display()
        );
        let first = place.run(command, &["--now", NOW], &line);
        let second = place.run(command, &["--now", NOW], &line);
        assert_eq!(first, second, "{command}");
        let again = place.run(command, &[], &first.stdout);
        assert_eq!(again.stdout, first.stdout, "{command} run on its own answer");
    }
}

#[test]
fn a_command_fails_only_for_keys_that_it_writes() {
    let place = Place::new();
    for command in COMMANDS {
        let key = command.strip_prefix("mem-").unwrap();
        for (line, is_taken) in [
            (format!(r#"{{"{key}":"mine"}}"#), true),
            (format!(r#"{{"{key}":[1]}}"#), true),
            (r#"{"problems":{}}"#.to_owned(), true),
            (r#"{"session":3}"#.to_owned(), ["load", "recall", "extract", "compact"].contains(&key)),
            (format!(r#"{{"{key}":{{}}}}"#), false),
            (r#"{"error":"a hook's own","failed":true,"problems":[{"x":1}]}"#.to_owned(), false),
            (r#"{"loader":1,"indexes":2}"#.to_owned(), false),
        ] {
            let ran = place.run(command, &[], &line);
            let document = ran.document();
            assert_eq!(ran.stdout.lines().count(), 1, "{command} {line}");
            assert_eq!(document["failed"]["code"] == "key-taken", is_taken, "{command} {line}");
            assert_eq!(ran.status, if is_taken { 3 } else { 0 }, "{command} {line}");
        }
    }
}

#[test]
fn a_failed_document_is_passed_on_untouched() {
    let place = Place::new();
    let line = r#"{"a":1.0,"failed":{"command":"mem-load","code":"x","message":"y"},"z":"\u00e9"}"#;
    for command in COMMANDS {
        let ran = place.run(command, &[], line);
        assert_eq!((ran.status, ran.stdout.trim_end()), (3, line), "{command}");
    }
}

#[test]
fn a_newer_document_fails_and_loses_nothing() {
    let place = Place::new();
    let ran = place.run("mem-load", &[], r#"{"schema":2,"x":1e3}"#);
    assert_eq!((ran.status, &ran.document()["failed"]["code"]), (3, &json!("unknown-schema")));
    assert!(ran.stdout.starts_with(r#"{"schema":2,"x":1e3,"#));
}

#[test]
fn a_foreign_shape_of_a_key_that_is_only_read_counts_as_absent() {
    let place = Place::new();
    for command in COMMANDS {
        let line = r#"{"cwd":7,"prompt":[],"files":"x","messages":{"a":1},"memory_dir":3,"now":"soon","timezone":"Nowhere/X","options":[]}"#;
        let ran = place.run(command, &["--memory-dir", "/nowhere"], line);
        assert_eq!(ran.status, 0, "{command}: {}", ran.stderr);
        let document = ran.document();
        assert!(document["problems"].to_string().contains("foreign-shape"), "{command}");
        assert!(ran.stdout.contains(r#""now":"soon","#) && ran.stdout.contains(r#""messages":{"a":1}"#), "{command}");
        assert_ne!(document["now"], "soon", "the last 'now' is ours, so that the pipe has one clock");
    }
}

#[test]
fn own_problems_are_replaced_and_others_stay_as_they_came() {
    let place = Place::new();
    let line = r#"{"problems":[{"command":"mem-load","code":"old"},{"command":"other","n":1.50}],"files":7}"#;
    let ran = place.run("mem-load", &[], line);
    assert!(ran.stdout.contains(r#"{"command":"other","n":1.50}"#), "{}", ran.stdout);
    assert!(!ran.stdout.contains("\"old\"") && ran.stdout.contains("foreign-shape"), "{}", ran.stdout);
}

#[test]
fn a_value_of_the_wrong_type_in_options_fails_its_document_only() {
    let place = Place::new();
    let input = "{\"options\":{\"index\":{\"max_lines\":\"many\"}}}\n{\"options\":{\"index\":{\"max-lines\":3}}}\n";
    let ran = place.run("mem-index", &[], input);
    let documents = ran.documents();
    assert_eq!(ran.status, 3);
    assert_eq!(documents[0]["failed"]["code"], "bad-value");
    assert!(documents[1].get("failed").is_none());
}

#[test]
fn the_command_line_comes_before_the_document_before_the_environment_before_settings() {
    let place = Place::new();
    place.write("memory/MEMORY.md", "a\nb\nc\nd\ne\n").write("home/.config/mem/config.yaml", "index.max_lines: 1\n");
    let seen = |arguments: &[&str], environment: Option<&str>, line: &str| {
        let mut process = place.command(crate::support::program("mem-index"));
        process.args(["--memory-dir", "../memory"]).args(arguments);
        if let Some(value) = environment {
            process.env("MEM_INDEX_MAX_LINES", value);
        }
        let text = crate::support::feed(process, line.as_bytes()).document()["index"]["text"].clone();
        text.as_str().unwrap().split("\n\n").next().unwrap().lines().count()
    };
    let document = r#"{"options":{"index":{"max_lines":3}}}"#;
    assert_eq!(seen(&[], None, "{}"), 1);
    assert_eq!(seen(&[], Some("2"), "{}"), 2);
    assert_eq!(seen(&[], Some("2"), document), 3);
    assert_eq!(seen(&["--max-lines", "4"], Some("2"), document), 4);
}
