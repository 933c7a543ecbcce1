//! A write that is killed, or that the disk refuses, at one system call after another. The long form is
//! `tests/proof/faults`; this is a part of it that runs wherever strace does.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use crate::support::{NOW, Place, feed, program};

const OLD: &str = "---\nname: b\ndescription: tests need postgres\ntype: user\n---\nOld.\n";
const INDEX: &str = "# Mine\n- [b](b.md) — tests need postgres\n- [Gone](gone.md)\n";

/// Runs mem-index --apply with a fault in it and returns its status.
fn apply(place: &Place, fault: &str) -> i32 {
    let mut process = place.command("strace");
    process.args(["-f", "-qq", "-o", "/dev/null", "-e", fault]).arg(program("mem-index"));
    process.args(["-n", "--apply", "--memory-dir", "../memory", "--now", NOW]);
    feed(process, b"").status
}

fn start() -> Place {
    let place = Place::new();
    place.write("memory/b.md", OLD).write("memory/MEMORY.md", INDEX);
    place.write("memory/a.md", "---\nname: a\ndescription: deploys go out on Mondays\ntype: feedback\n---\nNew.\n");
    place
}

fn check(place: &Place, fault: &str) {
    assert_eq!(fs::read_to_string(place.memory().join("b.md")).unwrap(), OLD, "{fault}");
    let text = fs::read_to_string(place.memory().join("MEMORY.md")).unwrap();
    let new = "# Mine\n- [b](b.md) — tests need postgres\n- [a](a.md) — deploys go out on Mondays\n";
    assert!(text == INDEX || text == new, "{fault}: {text}");
    let ran = place.run("mem-index", &["-n", "--apply", "--memory-dir", "../memory", "--now", NOW], "");
    assert_eq!(ran.status, 0, "{fault}: {}", ran.stderr);
    assert_eq!(fs::read_to_string(place.memory().join("MEMORY.md")).unwrap(), new, "{fault}");
    if let Ok(left) = fs::read_dir(place.memory().join(".mem/writing")) {
        // Without a further write nobody need have cleared away what was left.
        assert!(left.count() <= 1, "{fault}");
    }
}

fn can_trace() -> bool {
    let traced = Command::new("strace").args(["-qq", "-e", "trace=none", "true"]).output();
    traced.is_ok_and(|output| output.status.success())
}

const PLAN: &str = r#"{"memory_dir":"../memory","extract":{"state":"planned","operations":[
    {"op":"create","path":"one.md","type":"user","name":"one","description":"first of three","body":"First."},
    {"op":"create","path":"two.md","type":"user","name":"two","description":"second of three","body":"Second."},
    {"op":"create","path":"three.md","type":"user","name":"three","description":"third of three","body":"Third."}]}}"#;

/// Carries the plan out with a fault in it; what is told as written must be there, and what is not told so must be said.
fn carried_out(fault: &str) -> bool {
    let place = Place::new();
    place.write("memory/MEMORY.md", "# Mine\n");
    let mut process = place.command("strace");
    process.args(["-f", "-qq", "-o", "/dev/null", "-e", fault]).arg(program("mem-extract"));
    process.args(["--apply", "--now", NOW]);
    let ran = feed(process, PLAN.replace('\n', "").as_bytes());
    if ran.stderr.starts_with("mem-extract: No space left") {
        assert_eq!(ran.status, 3, "{fault}");
        return false; // It was the answer itself that could not be written at once.
    }
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let index = fs::read_to_string(place.memory().join("MEMORY.md")).unwrap();
    let is_there = |path: &str| place.memory().join(path).exists() && index.contains(&format!("({path})"));
    if answer.get("failed").is_some() {
        assert_eq!(ran.status, 3, "{fault}");
        assert_eq!(index, "# Mine\n", "{fault}: {answer}");
        return false;
    }
    let operations = answer["extract"]["operations"].as_array().unwrap();
    for operation in operations {
        let (path, outcome) = (operation["path"].as_str().unwrap(), operation["outcome"].as_str().unwrap_or("none"));
        // What failed may stand there, too: that it lasts is then not known.
        assert!(outcome != "written" || is_there(path), "{fault}: {path} is {outcome}");
        assert!(outcome != "none", "{fault}: {answer}");
    }
    let failed = operations.iter().filter(|operation| operation["outcome"] != "written").count();
    assert_eq!(ran.status, if failed == 0 { 0 } else { 3 }, "{fault}: {answer}");
    failed > 0
}

#[test]
fn what_was_done_before_the_disk_refused_is_told() {
    if !can_trace() {
        return;
    }
    let mut partly = 0;
    for call in ["write", "fsync", "renameat2", "renameat"] {
        for position in 1..=14 {
            partly += usize::from(carried_out(&format!("inject={call}:error=ENOSPC:when={position}")));
        }
    }
    assert!(partly >= 5, "{partly}");
}

#[test]
fn a_write_that_is_killed_or_refused_leaves_whole_files() {
    if !can_trace() {
        return; // No strace, or it may not trace here.
    }
    let mut reached: BTreeMap<&str, usize> = BTreeMap::new();
    for call in ["write", "fsync", "renameat2", "renameat", "mkdirat", "unlinkat", "fchmod", "ftruncate"] {
        for effect in ["signal=KILL", "error=ENOSPC"] {
            for position in 1..=12 {
                let fault = format!("inject={call}:{effect}:when={position}");
                let place = start();
                let status = apply(&place, &fault);
                check(&place, &fault);
                if status == 0 && effect == "signal=KILL" {
                    break; // The call is not made so often.
                }
                *reached.entry(effect).or_default() += 1;
                if status == 0 && position > 6 {
                    break;
                }
            }
        }
    }
    assert!(reached["signal=KILL"] >= 8, "{reached:?}");
}
