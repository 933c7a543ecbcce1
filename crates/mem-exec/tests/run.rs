//! Programs that behave, and programs that do not.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mem_exec::{Fault, Program};

fn shell(script: &str) -> Program {
    Program::new("sh").arguments(["-c", script])
}

fn script(folder: &Path, name: &str, text: &str, mode: u32) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn words_are_split_without_a_shell() {
    let output = Program::parse("exec:printf '%s|' 'a b' $HOME '*' ; x").unwrap().run().unwrap();
    assert_eq!(output, b"a b|$HOME|*|;|x|");
    assert!(matches!(Program::parse("exec:'open"), Err(Fault::NotReadable(_))));
    assert!(matches!(Program::parse("exec:  "), Err(Fault::NotReadable(_))));
}

#[test]
fn each_way_to_fail_has_its_own_word() {
    let folder = tempfile::tempdir().unwrap();
    let plain = script(folder.path(), "plain", "#!/bin/sh\n", 0o644);
    let no_program = script(folder.path(), "data", "\0\x01\x02", 0o755);
    let code = |program: Program| program.run().unwrap_err().code();
    assert_eq!(code(Program::new("no-such-program-anywhere")), "program-not-found");
    assert_eq!(code(Program::new(folder.path().join("gone"))), "program-not-found");
    assert_eq!(code(Program::new(plain)), "program-not-executable");
    assert_eq!(code(Program::new(folder.path())), "program-not-executable");
    assert_eq!(code(Program::new(no_program)), "program-not-executable");
    assert_eq!(code(shell("sleep 30").deadline(Duration::from_millis(100))), "program-late");
    assert_eq!(code(Program::new("yes").limit(1000)), "program-output-too-large");
    assert_eq!(code(shell("exit 7")), "program-failed");
    assert_eq!(code(shell("kill -9 $$")), "program-killed");
}

#[test]
fn what_a_program_complains_of_is_told_without_its_secrets() {
    let secret = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zaB3dE");
    let fault = shell(&format!("echo 'no access with {secret}' >&2; exit 3")).run().unwrap_err();
    let Fault::Failed(_, 3, tail) = &fault else { panic!("{fault:?}") };
    assert!(tail.starts_with("no access with [secret"), "{tail}");
    let long = shell("yes complaint | head -c 300000 >&2; exit 1").run().unwrap_err().to_string();
    assert!(long.len() < 600, "{}", long.len());
}

#[test]
fn large_input_and_large_output_pass_at_once() {
    let input = vec![b'x'; 3 << 20];
    let output = Program::new("cat").input(input.clone()).run().unwrap();
    assert_eq!(output.len(), input.len());
    assert_eq!(shell("exit 0").input(input).run().unwrap(), b"", "input that is not read is no fault");
    assert_eq!(Program::new("cat").run().unwrap(), b"", "no input is an end, not a wait");
}

#[test]
fn the_first_bytes_can_be_enough() {
    let finished = Program::new("yes").first(10).finish().unwrap();
    assert!(finished.was_cut);
    assert_eq!(finished.output, b"y\ny\ny\ny\ny\n");
    assert_eq!(Program::new("yes").first(4).run().unwrap(), b"y\ny\n");
}

#[test]
fn at_the_deadline_all_that_was_started_ends() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let late = shell(&format!("(sleep 1; echo x > {}) & wait", mark.display())).deadline(Duration::from_millis(200));
    let start = Instant::now();
    assert!(matches!(late.run(), Err(Fault::Late(..))));
    assert!(start.elapsed() < Duration::from_millis(900));
    std::thread::sleep(Duration::from_millis(1300));
    assert!(!mark.exists(), "a grandchild went on");
}

#[test]
fn what_a_program_leaves_behind_does_not_hold_us_up() {
    let start = Instant::now();
    let output = shell("sleep 5 & echo done").run().unwrap();
    assert_eq!(output, b"done\n");
    assert!(start.elapsed() < Duration::from_secs(3));
}

#[test]
fn a_program_that_closes_its_streams_is_waited_for() {
    let finished = shell("exec >&- 2>&-; sleep 0.2; exit 5").finish().unwrap();
    assert_eq!(finished.status, Some(5));
}

#[test]
fn the_environment_is_cleaned() {
    // The test's own environment cannot be changed safely, so a child with these variables starts the real test.
    let run = |program: Program| String::from_utf8(program.run().unwrap()).unwrap();
    let bare = run(Program::new("env").bare().variable("OWN", "1"));
    assert!(bare.contains("PATH=") && bare.contains("OWN=1") && !bare.contains("CARGO_"), "{bare}");
    let git = run(Program::new("env").variable("GIT_DIR", "/x"));
    assert!(git.contains("GIT_DIR=/x"), "what is set on purpose stays");
    assert!(!git.lines().any(|line| line.starts_with("GIT_") && !line.starts_with("GIT_DIR=")));
}

#[test]
fn a_program_starts_in_its_folder_and_is_found_from_ours() {
    let folder = tempfile::tempdir().unwrap();
    let output = Program::new("pwd").folder(folder.path().canonicalize().unwrap()).run().unwrap();
    assert_eq!(String::from_utf8(output).unwrap().trim(), folder.path().canonicalize().unwrap().to_str().unwrap());
    script(folder.path(), "trap-of-the-folder", "#!/bin/sh\necho trap\n", 0o755);
    let trap = Program::new("trap-of-the-folder").folder(folder.path());
    assert!(matches!(trap.run(), Err(Fault::NotFound(_))));
}

#[test]
fn many_programs_at_once_do_not_hold_each_others_streams() {
    std::thread::scope(|scope| {
        for number in 0..16 {
            scope.spawn(move || {
                let text = format!("{number}").into_bytes();
                assert_eq!(Program::new("cat").input(text.clone()).run().unwrap(), text);
            });
        }
    });
}

#[test]
fn a_background_child_has_its_input_and_none_of_our_streams() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let text = format!(
        "cat > {0}.tmp; echo \"$MEM_BACKGROUND\" >> {0}.tmp; ls -l /proc/self/fd/0 /proc/self/fd/2 >> {0}.tmp; mv {0}.tmp {0}",
        mark.display()
    );
    let started = mem_exec::Background::new("/bin/sh".into())
        .arguments(["-c", text.as_str()])
        .deadline(Duration::from_secs(7))
        .start(&vec![b'x'; 1 << 20]);
    assert!(started.unwrap() > 0);
    let end = Instant::now() + Duration::from_secs(10);
    while !mark.exists() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    let seen = fs::read_to_string(&mark).unwrap();
    assert!(seen.trim_start_matches('x').starts_with("7000\n"), "{}", &seen[seen.len().min(1 << 20)..]);
    assert!(!seen.contains("pipe:"), "{}", &seen[1 << 20..]);
}
