//! The shell commands that are composed of the six.

use std::path::Path;
use std::process::Command;

use crate::support::{Place, Ran, checkout, feed, program};

/// Runs a script of `bin/` with the tests' binaries in front of all others.
fn script(place: &Place, name: &str, arguments: &[&str], input: &str) -> Ran {
    let mut process = place.command("sh");
    process.env("MEM_BIN", Path::new(program("mem-load")).parent().unwrap());
    process.arg(checkout().join("bin").join(name)).args(arguments);
    feed(process, input.as_bytes())
}

fn remember_database(place: &Place) {
    place.write("proj/CLAUDE.md", "Use pnpm.\n").write("proj/.git/HEAD", "ref: refs/heads/main\n");
    place.write(
        &format!("{}/db.md", place.own_memory()),
        "---\nname: test database\ndescription: integration tests use a real postgres database\ntype: feedback\n---\nPostgres, never a mock.\n",
    );
}

#[test]
fn mem_turn_shows_what_a_model_would_be_given() {
    let place = Place::new();
    remember_database(&place);
    let ran = script(&place, "mem-turn", &["which", "database do our tests use?"], "");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    for part in ["Use pnpm.", "Postgres, never a mock.", "which database do our tests use?"] {
        assert!(ran.stdout.contains(part), "{part} is missing in\n{}", ran.stdout);
    }
    let json = script(&place, "mem-turn", &["--json", "which database do our tests use?"], "");
    assert_eq!(json.document()["recall"]["memories"][0]["path"], "db.md");
    for key in ["load", "index", "recall", "extract", "compact"] {
        assert!(json.document()[key].is_object(), "{key}");
    }
}

#[test]
fn mem_turn_says_in_an_empty_folder_that_there_is_nothing_yet() {
    let place = Place::new();
    let ran = script(&place, "mem-turn", &["hello there, which database?"], "");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("Nothing yet"), "{}", ran.stdout);
    let wrong = script(&place, "mem-turn", &[], "");
    assert_eq!((wrong.status, wrong.stdout.as_str()), (2, ""));
}

#[test]
fn mem_hook_answers_each_event_and_never_blocks() {
    let place = Place::new();
    remember_database(&place);
    for event in [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolBatch",
        "Stop",
        "SubagentStop",
        "PreCompact",
        "PostCompact",
        "SessionEnd",
        "InstructionsLoaded",
        "SubagentStart",
        "PostToolUseFailure",
        "Unheard",
    ] {
        let input = serde_json::json!({
            "hook_event_name": event, "session_id": "s1", "cwd": place.project(),
            "prompt": "which database do our tests use?", "transcript_path": "/nowhere.jsonl",
        });
        let ran = script(&place, "mem-hook", &[event], &input.to_string());
        assert_eq!(ran.status, 0, "{event}: {}", ran.stderr);
        if event == "UserPromptSubmit" {
            assert!(ran.stdout.contains("never a mock"), "{}", ran.stdout);
        }
        if ["Stop", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd", "InstructionsLoaded"].contains(&event) {
            assert_eq!(ran.stdout, "", "{event}");
        }
        let broken = script(&place, "mem-hook", &[event], "{broken");
        assert!(broken.status <= 1 && broken.stdout.is_empty(), "{event}: {broken:?}");
        let mut homeless = place.command("sh");
        homeless.env_remove("HOME").env("MEM_BIN", "/nowhere").arg(checkout().join("bin/mem-hook")).arg(event);
        assert!(feed(homeless, input.to_string().as_bytes()).status <= 1, "{event} without the commands");
    }
    assert!(script(&place, "mem-hook", &[], "{}").status <= 1);
}

#[test]
fn mem_dream_plans_by_default_applies_when_told_and_waits_between_two_dreams() {
    let place = Place::new();
    place.write("projects/x/memory/MEMORY.md", "- [freeze](freeze.md) — no merges\n");
    place.write(
        "projects/x/memory/freeze.md",
        "---\nname: freeze\ndescription: no merges\ntype: project\nmodified: 2020-01-01\n---\nFrozen until 2020-02-01.\n",
    );
    let memory = place.top().join("projects/x/memory");
    let folder = memory.to_string_lossy().into_owned();
    let before = crate::support::snapshot(&memory);
    let planned = script(&place, "mem-dream", &[&folder], "");
    assert_eq!(planned.status, 0, "{}", planned.stderr);
    assert!(planned.stdout.contains("freeze.md") && planned.stdout.contains("archive"), "{}", planned.stdout);
    assert_eq!(crate::support::snapshot(&memory), before);
    let applied = script(&place, "mem-dream", &["--apply", &folder], "");
    assert_eq!(applied.status, 0, "{}", applied.stderr);
    assert!(!memory.join("freeze.md").exists() && memory.join(".mem/dream").exists());
    let again = script(&place, "mem-dream", &["--apply", &folder], "");
    assert!(again.stdout.contains("less than 24 hours"), "{}", again.stdout);
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(48 * 3600);
    std::fs::File::options().write(true).open(memory.join(".mem/dream")).unwrap().set_modified(old).unwrap();
    for number in 0..4 {
        place.write(&format!("projects/x/s{number}.jsonl"), "{}\n");
    }
    let few = script(&place, "mem-dream", &["--apply", &folder], "");
    assert!(few.stdout.contains("4 of 5 sessions"), "{}", few.stdout);
    place.write("projects/x/s5.jsonl", "{}\n");
    assert!(!script(&place, "mem-dream", &["--apply", &folder], "").stdout.contains("passed over"));
    assert!(!script(&place, "mem-dream", &["--apply", "--force", &folder], "").stdout.contains("passed over"));
}

/// A memory folder beside transcripts, with a daily log, two memories that contradict each other, and an index.
fn folder_with_logs(place: &Place) -> std::path::PathBuf {
    let memory = place.top().join("projects/x/memory");
    let of = |name: &str, modified: &str, text: &str| {
        format!("---\nname: {name}\ndescription: {text}\ntype: project\nmodified: {modified}\n---\n{text}\n")
    };
    let (old, new) = ("The relay listens on port 7431.", "The relay listens on port 8080.");
    place.write("projects/x/memory/relay-old.md", &of("relay port", "2026-10-01", old));
    place.write("projects/x/memory/relay-new.md", &of("relay port", "2026-11-20", new));
    place.write(
        "projects/x/memory/MEMORY.md",
        &format!("- [relay port](relay-new.md) — {new}\n- [relay port](relay-old.md) — {old}\n"),
    );
    let talk = serde_json::json!({"memory_dir": memory, "cwd": place.project(), "messages": [
        {"role": "user", "uuid": "u1", "content": "Never log phone numbers, because the auditors look for them."},
        {"role": "user", "uuid": "u2", "content": "以后提交信息都用中文写。"}]});
    let logged = place.run("mem-extract", &["--apply", "--sink", "log"], talk.to_string());
    assert_eq!(logged.status, 0, "{}", logged.stderr);
    assert!(memory.join("logs").is_dir(), "{}", logged.stdout);
    memory
}

#[test]
fn mem_dream_distils_the_logs_and_what_it_has_done_stays_done() {
    let place = Place::new();
    let memory = folder_with_logs(&place);
    let folder = memory.to_string_lossy().into_owned();
    let before = crate::support::snapshot(&memory);
    let planned = script(&place, "mem-dream", &[&folder], "");
    assert_eq!((planned.status, planned.stderr.as_str()), (0, ""), "{}", planned.stdout);
    for part in ["phone numbers", "提交信息", "supersede", "relay-old.md"] {
        assert!(planned.stdout.contains(part), "{part} is missing in\n{}", planned.stdout);
    }
    assert_eq!(crate::support::snapshot(&memory), before);
    let applied = script(&place, "mem-dream", &["--apply", &folder], "");
    assert_eq!((applied.status, applied.stderr.as_str()), (0, ""), "{}", applied.stdout);
    let read = |path: &str| std::fs::read_to_string(memory.join(path)).unwrap();
    let index = read("MEMORY.md");
    assert!(index.contains("relay-new.md") && !index.contains("relay-old.md"), "{index}");
    assert!(index.contains("phone") && index.contains("提交信息") && index.lines().count() == 3, "{index}");
    assert!(read("relay-old.md").contains("superseded_by: relay-new.md"));
    // The logs stay as they are: what they taught is in topic files now.
    let of_logs = |files: Vec<(std::path::PathBuf, Vec<u8>)>| {
        files.into_iter().filter(|(path, _)| path.starts_with(memory.join("logs"))).collect::<Vec<_>>()
    };
    assert_eq!(of_logs(crate::support::snapshot(&memory)), of_logs(before));
    let settled = crate::support::snapshot(&memory);
    let again = script(&place, "mem-dream", &["--apply", "--force", &folder], "");
    assert_eq!((again.status, again.stderr.as_str()), (0, ""), "{}", again.stdout);
    assert_eq!(crate::support::snapshot(&memory), settled, "{}", again.stdout);
}

#[test]
fn mem_dream_visits_all_folders_and_one_bad_one_does_not_stop_the_rest() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.write(&format!("home/.claude/projects/{name}/memory/m.md"), "---\nname: m\ndescription: d\n---\nx\n");
    }
    place.write("home/.claude/projects/b/memory/.mem/pending.json", "no note");
    let ran = script(&place, "mem-dream", &["--all", "--apply"], "");
    assert_eq!(ran.status, 3, "{ran:?}");
    assert_eq!(ran.stdout.matches("== ").count(), 3, "{}", ran.stdout);
    assert!(ran.stderr.contains("bad-pending"), "{}", ran.stderr);
    for (name, is_done) in [("a", true), ("b", false), ("c", true)] {
        let memory = place.home().join(".claude/projects").join(name).join("memory");
        assert_eq!(memory.join("m.md").exists() && !memory.join(".mem/pending.json").exists(), is_done, "{name}");
    }
    assert_eq!(script(&place, "mem-dream", &["--what"], "").status, 2);
    assert_eq!(script(&place, "mem-dream", &["/nowhere"], "").status, 3);
    place.write(&format!("{}/own.md", place.own_memory()), "---\nname: own\ndescription: d\n---\nx\n");
    assert!(script(&place, "mem-dream", &[], "").stdout.contains("1 memory"));
}

/// The lines that the page of recipes gives for PySpark, run as printed; where Java or pyspark is missing nothing is run.
#[test]
fn spark_pipes_documents_through_mem_age() {
    let is_there = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    if !is_there("java", &["-version"]) || !is_there("python3", &["-c", "import pyspark"]) {
        return;
    }
    let page = std::fs::read_to_string(checkout().join("man/mem-recipes.7")).unwrap();
    let lines = page.split("\nPySpark").nth(1).and_then(|rest| rest.split(".Bd -literal -offset indent\n").nth(1));
    let lines = lines.and_then(|rest| rest.split(".Ed").next()).unwrap();
    let place = Place::new();
    let mut documents = String::new();
    for number in 0..20 {
        let folder = place.top().join(format!("many/{number}/memory"));
        let text = format!("---\nname: m\ndescription: d\ntype: project\nmodified: 2026-01-01\n---\nPort {number}.\n");
        place.write(&format!("many/{number}/memory/m.md"), &text);
        documents += &format!("{}\n", serde_json::json!({"memory_dir": folder, "now": crate::support::NOW}));
    }
    place.write("proj/folders.jsonl", &documents);
    place.write(
        "proj/job.py",
        &format!(
            "import os\nfrom pyspark.sql import SparkSession\n\
             spark = SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false').getOrCreate()\n{lines}\nspark.stop()\n"
        ),
    );
    let programs = Path::new(program("mem-age")).parent().unwrap();
    let mut process = place.command("python3");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(programs.to_path_buf()).chain(std::env::split_paths(&path))).unwrap();
    process.arg("job.py").env("PATH", path).env("SPARK_LOCAL_IP", "127.0.0.1");
    let ran = feed(process, b"");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let mut parts: Vec<_> = std::fs::read_dir(place.project().join("aged")).unwrap().flatten().collect();
    parts.sort_by_key(std::fs::DirEntry::file_name);
    let is_part = |part: &std::fs::DirEntry| part.file_name().to_string_lossy().starts_with("part-");
    let aged: String =
        parts.iter().filter(|part| is_part(part)).map(|part| std::fs::read_to_string(part.path()).unwrap()).collect();
    assert_eq!(aged, place.run("mem-age", &[], &documents).stdout);
    assert_eq!(aged.matches("\"state\":\"stale\"").count(), 20, "{aged}");
}

/// The quick version: the proof itself kills at every call.
#[test]
fn a_plan_that_is_killed_is_finished_by_the_next_run_and_can_be_taken_back() {
    let is_there = |program: &str| Command::new(program).arg("-V").output().is_ok();
    if !is_there("strace") || !is_there("python3") {
        return; // Said to be needed in the proof.
    }
    let mut process = Command::new("python3");
    process.arg(checkout().join("tests/proof/killed")).args(["--no-build", "--every", "97"]);
    process.env("MEM_BIN", Path::new(program("mem-age")).parent().unwrap());
    let ran = feed(process, b"");
    // Where strace may not trace, no run is killed.
    let may_not_trace = ran.stdout.starts_with("0 runs killed");
    assert!(ran.status == 0 || may_not_trace, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn scripts_pass_shellcheck() {
    if Command::new("shellcheck").arg("--version").output().is_err() {
        return; // .ci/run installs it.
    }
    let bin = std::fs::read_dir(checkout().join("bin")).unwrap().flatten().map(|entry| entry.path());
    let scripts = bin.filter(|path| path.extension().is_none()).chain([checkout().join(".ci/run")]);
    for path in scripts {
        let name = path.display();
        let checked = Command::new("shellcheck").arg(&path).output().unwrap();
        assert!(checked.status.success(), "{name}: {}", String::from_utf8_lossy(&checked.stdout));
    }
}

#[test]
fn install_puts_all_in_place_and_takes_exactly_that_out_again() {
    let place = Place::new();
    place.write("prefix/bin/other", "x");
    let prefix = place.top().join("prefix").to_string_lossy().into_owned();
    let ran = script(&place, "install", &["--prefix", &prefix], "");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let path = |name: &str| place.top().join("prefix").join(name);
    for file in [
        "bin/mem-recall",
        "bin/mem-hook",
        "bin/mem-turn",
        "share/man/man1/mem-recall.1",
        "share/man/man7/mem.7",
        "share/bash-completion/completions/mem-load",
        "share/zsh/site-functions/_mem-age",
        "share/fish/vendor_completions.d/mem-index.fish",
        "share/mem/mem.mk",
    ] {
        assert!(path(file).is_file(), "{file}");
    }
    // What was put there works from there, without the checkout.
    place.write("proj/CLAUDE.md", "Use pnpm.\n");
    let mut turn = place.command("sh");
    turn.arg(path("bin/mem-turn")).arg("which package manager?");
    assert!(feed(turn, b"").stdout.contains("Use pnpm."));
    assert_eq!(script(&place, "install", &["--prefix", &prefix], "").status, 0, "again is no fault");
    assert_eq!(script(&place, "install", &["--prefix", &prefix, "--uninstall"], "").status, 0);
    let left: Vec<_> =
        crate::support::snapshot(&place.top().join("prefix")).into_iter().map(|(path, _)| path).collect();
    assert_eq!(left, [path("bin"), path("bin/other")]);
    assert_eq!(script(&place, "install", &["--prefix", &prefix, "--uninstall"], "").status, 3);
}

#[test]
fn at_the_end_of_a_turn_what_was_learned_is_saved_in_the_background() {
    let place = Place::new();
    remember_database(&place);
    let said = "Remember that releases go out on Tuesdays.";
    let line = format!(
        r#"{{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","timestamp":"2026-11-30T10:00:00Z","message":{{"role":"user","content":"{said}"}}}}"#
    );
    place.write("talk.jsonl", &format!("{line}\n"));
    let input = serde_json::json!({
        "hook_event_name": "Stop", "session_id": "s1", "cwd": place.project(), "stop_hook_active": false,
        "transcript_path": place.top().join("talk.jsonl"),
    });
    let folder = place.top().join(place.own_memory());
    let saved = || {
        let index = std::fs::read_to_string(folder.join("MEMORY.md")).unwrap_or_default();
        index.contains("Tuesdays")
    };
    let run = |apply: bool| {
        let mut process = place.command("sh");
        process.env("MEM_BIN", Path::new(program("mem-load")).parent().unwrap());
        if apply {
            process.env("MEM_EXTRACT_APPLY", "1");
        }
        process.arg(checkout().join("bin/mem-hook")).arg("Stop");
        feed(process, input.to_string().as_bytes())
    };
    let planned = run(false);
    assert_eq!((planned.status, planned.stdout.as_str()), (0, ""), "{}", planned.stderr);
    assert!(!saved(), "nobody asked for it");
    let applied = run(true);
    assert_eq!((applied.status, applied.stdout.as_str()), (0, ""), "{}", applied.stderr);
    // The child works on when the hook has answered; it is given ample time, and usually needs none.
    for _ in 0..300 {
        if saved() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("nothing was saved in {}", folder.display());
}

/// Every hook input that a real client sent, where the shared data is there.
#[test]
fn real_hook_inputs_get_an_answer_that_the_contract_allows() {
    let folder = checkout().join("../shared/corpus/hooks");
    let Ok(inputs) = std::fs::read_dir(folder) else { return };
    let place = Place::new();
    remember_database(&place);
    for path in
        inputs.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json"))
    {
        let input = std::fs::read_to_string(&path).unwrap();
        let event =
            serde_json::from_str::<serde_json::Value>(&input).unwrap()["hook_event_name"].as_str().unwrap().to_owned();
        let ran = script(&place, "mem-hook", &[&event], &input);
        assert!(ran.status <= 1, "{}: {}", path.display(), ran.stderr);
        if ran.stdout.trim().is_empty() {
            continue;
        }
        let answer = ran.document();
        let output = &answer["hookSpecificOutput"];
        assert_eq!(output["hookEventName"], event.as_str(), "{}", path.display());
        let allowed = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch"];
        assert!(allowed.contains(&event.as_str()), "{}: {}", path.display(), ran.stdout);
        assert!(output["additionalContext"].as_str().unwrap().chars().count() <= 10_000, "{}", path.display());
    }
}
