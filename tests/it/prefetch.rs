//! The choice in the background: started by one call, taken by a later one, and nothing left behind.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{NOW, Place, Ran, checkout, feed, program};

const PROMPT: &str = "how do we deploy with the blue script?";

fn folder() -> Place {
    let place = Place::new();
    place.write(
        "memory/deploy.md",
        "---\nname: deploy\ndescription: deploy with the blue script\ntype: feedback\n---\n\nblue.sh\n",
    );
    place.write(
        "memory/night.md",
        "---\nname: night\ndescription: who is called after midnight\ntype: project\n---\n\nDana.\n",
    );
    place
}

/// A model that answers once the file `go` is there.
fn waiting_model(place: &Place, answer: &str) -> String {
    let top = place.top();
    let script = format!(
        "#!/bin/sh\ncat >/dev/null\nwhile [ ! -e {0}/go ]; do sleep 0.02; done\ncat <<'END'\n{answer}\nEND\n",
        top.display()
    );
    place.write("model.sh", &script);
    fs::set_permissions(top.join("model.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    format!("exec:{}", top.join("model.sh").display())
}

fn go(place: &Place) {
    place.write("go", "");
}

fn event(place: &Place, turn: &str, more: Value) -> String {
    let mut event =
        json!({"session_id": "s1", "prompt_id": turn, "memory_dir": place.memory(), "cwd": place.project()});
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event.to_string()
}

fn run(place: &Place, arguments: &[&str], input: &str) -> Ran {
    let ran = place.run("mem-recall", &[&["--now", NOW, "--session", "auto"], arguments].concat(), input);
    assert_eq!(ran.status, 0, "{ran:?}");
    ran
}

fn prefetch(place: &Place, llm: &str) -> Value {
    run(place, &["--prefetch", "--llm", llm], &event(place, "p1", json!({"prompt": PROMPT}))).document()
}

fn collect(place: &Place, turn: &str, wait: &str) -> Value {
    run(place, &["--collect", "--wait", wait], &event(place, turn, json!({}))).document()
}

fn outcome(document: &Value) -> (&str, Vec<&str>) {
    let memories = document["recall"]["memories"].as_array().unwrap().iter();
    (document["recall"]["state"].as_str().unwrap(), memories.map(|memory| memory["path"].as_str().unwrap()).collect())
}

fn sessions(place: &Place) -> PathBuf {
    place.home().join(".local/state/mem/sessions")
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_is_chosen_in_the_background_is_late_then_there_then_taken() {
    let place = folder();
    let llm = waiting_model(&place, r#"{"paths": ["night.md"]}"#);
    let started = prefetch(&place, &llm);
    assert_eq!((outcome(&started), &started["recall"]["selector"]), (("pending", vec![]), &json!("model")));
    assert_eq!(outcome(&collect(&place, "p1", "0")), ("late", vec![]));
    let kept = sessions(&place).join(".s1.json.recall");
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    go(&place);
    let collected = collect(&place, "p1", "30000");
    assert_eq!(outcome(&collected), ("selected", vec!["night.md"]), "{collected:#}");
    assert_eq!(collected["recall"]["memories"][0]["text"], "Dana.");
    assert_eq!(collected["recall"]["selector"], "model");
    assert_eq!(
        collected["recall"]["passed_over"][0],
        json!({"path": "deploy.md", "why": "the model did not choose it"})
    );
    let again = collect(&place, "p1", "0");
    assert_eq!(
        (outcome(&again).0, &again["recall"]["reason"]),
        ("skipped", &json!("nothing was prepared in the background"))
    );
    assert_eq!(names(&sessions(&place)), [".s1.json.lock", "s1.json"]);
}

#[test]
fn the_offline_choice_can_be_prepared_too() {
    let place = folder();
    run(&place, &["--prefetch"], &event(&place, "p1", json!({"prompt": PROMPT})));
    let collected = collect(&place, "p1", "30000");
    assert_eq!(outcome(&collected), ("selected", vec!["deploy.md"]));
    assert_eq!(collected["recall"]["memories"][0]["why"][0]["word"], "deploy");
}

#[test]
fn a_model_that_fails_leaves_the_offline_choice_and_its_reason() {
    let place = folder();
    run(
        &place,
        &["--prefetch", "--llm", "exec:sleep 30", "--llm-timeout", "1"],
        &event(&place, "p1", json!({"prompt": PROMPT})),
    );
    let collected = collect(&place, "p1", "30000");
    assert_eq!(outcome(&collected), ("selected", vec!["deploy.md"]));
    assert!(collected["recall"]["fallback"].as_str().unwrap().contains("within 1 s"), "{collected:#}");
    assert_eq!(collected["problems"][0]["code"], "model-late");
}

#[test]
fn what_was_chosen_for_another_prompt_is_not_given() {
    let place = folder();
    go(&place);
    let llm = waiting_model(&place, r#"{"paths": ["night.md"]}"#);
    prefetch(&place, &llm);
    let collected = collect(&place, "p2", "30000");
    let reason = "what was prepared in the background was for another prompt";
    assert_eq!((outcome(&collected).0, &collected["recall"]["reason"]), ("skipped", &json!(reason)));
    // An event that names no turn takes what is there.
    prefetch(&place, &llm);
    let input = json!({"session_id": "s1", "memory_dir": place.memory()}).to_string();
    let collected = run(&place, &["--collect", "--wait", "30000"], &input).document();
    assert_eq!(outcome(&collected).0, "selected");
}

#[test]
fn texts_are_read_when_they_are_collected() {
    let place = folder();
    go(&place);
    place.write("memory/old.md", "---\nname: old\ndescription: old days\n---\n\nOld.\n");
    prefetch(&place, &waiting_model(&place, r#"{"paths": ["deploy", "night", "old"]}"#));
    while !fs::read_to_string(sessions(&place).join(".s1.json.recall")).is_ok_and(|kept| kept.contains("prepared")) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    fs::remove_file(place.memory().join("deploy.md")).unwrap();
    place.write("memory/night.md", "---\nname: night\ndescription: who is called\n---\n\nErin.\n");
    place.write("memory/old.md", "---\nname: old\ndescription: old days\nsuperseded_by: night.md\n---\n\nOld.\n");
    let collected = collect(&place, "p1", "0");
    assert_eq!(
        (outcome(&collected), &collected["recall"]["memories"][0]["text"]),
        (("selected", vec!["night.md"]), &json!("Erin."))
    );
    let passed = collected["recall"]["passed_over"].as_array().unwrap();
    assert!(passed.contains(&json!({"path": "deploy.md", "why": "chosen, but it is no longer there"})), "{passed:?}");
    assert!(passed.contains(&json!({"path": "old.md", "why": "superseded by night.md"})), "{passed:?}");
}

#[test]
fn what_somebody_put_beside_the_session_names_no_other_file() {
    let place = folder();
    place
        .write("memory/.mem/x.md", "---\nname: x\n---\nHIDDEN")
        .write("secret.md", "SECRET")
        .write("memory/notes.txt", "TXT");
    std::os::unix::fs::symlink(place.top().join("secret.md"), place.memory().join("link.md")).unwrap();
    run(&place, &["--prefetch"], &event(&place, "p1", json!({"prompt": PROMPT})));
    collect(&place, "p1", "30000");
    let memory = place.memory().display().to_string();
    let chosen: Vec<Value> =
        ["../secret.md", ".mem/x.md", "link.md", "notes.txt", "/etc/passwd", "a\u{0}.md", "", "./deploy.md"]
            .iter()
            .map(|path| json!({"folder": memory, "path": path}))
            .chain([json!({"folder": place.top(), "path": "secret.md"})])
            .collect();
    let kept = sessions(&place).join(".s1.json.recall");
    fs::write(&kept, json!({"prepared": {"turn": "p1", "selector": "model", "chosen": chosen}}).to_string()).unwrap();
    let collected = collect(&place, "p1", "0");
    assert_eq!(outcome(&collected), ("nothing", vec![]), "{collected:#}");
    for text in ["SECRET", "HIDDEN", "root:", "TXT"] {
        assert!(!collected.to_string().contains(text), "{text}");
    }
    for broken in ["[1", "{\"prepared\":7}", "{\"prepared\":{\"chosen\":7}}", "\u{0}", "{}"] {
        fs::write(&kept, broken).unwrap();
        assert_eq!(outcome(&collect(&place, "p1", "0")).0, "skipped", "{broken}");
    }
}

#[test]
fn without_a_session_a_question_or_leave_nothing_is_started() {
    let place = folder();
    let input = json!({"memory_dir": place.memory(), "prompt": PROMPT}).to_string();
    for call in [&["--prefetch"][..], &["--collect"], &["--prefetch", "--session", "auto"]] {
        let document = place.answer("mem-recall", call, &input);
        assert_eq!(document["recall"]["reason"], "there is no session", "{call:?}");
        assert!(document["problems"].to_string().contains("no-session"));
    }
    run(&place, &["--prefetch", "--dry-run"], &event(&place, "p1", json!({"prompt": PROMPT})));
    for prompt in ["ok", "继续", "<task-notification>x</task-notification>"] {
        let document = run(&place, &["--prefetch"], &event(&place, "p1", json!({"prompt": prompt}))).document();
        assert_eq!(document["recall"]["state"], "skipped", "{prompt}");
    }
    assert!(!sessions(&place).exists());
    assert_eq!(place.run("mem-recall", &["--prefetch", "--collect"], "{}").status, 2);
}

#[test]
fn many_rounds_leave_no_file() {
    let place = folder();
    go(&place);
    let llm = waiting_model(&place, r#"{"paths": ["night.md"]}"#);
    for round in 0..12 {
        prefetch(&place, &llm);
        if round % 3 == 0 {
            // Overtaken before it was taken.
            prefetch(&place, &llm);
        }
        collect(&place, "p1", "30000");
    }
    assert_eq!(names(&sessions(&place)), [".s1.json.lock", "s1.json"]);
}

/// Runs `bin/mem-hook` for an event, with a model named in the environment.
fn hook(place: &Place, llm: &str, name: &str, input: &str) -> Ran {
    let mut process = place.command("sh");
    process.env("MEM_BIN", Path::new(program("mem-load")).parent().unwrap()).env("MEM_LLM", llm);
    process.arg(checkout().join("bin/mem-hook")).arg(name);
    feed(process, input.as_bytes())
}

#[test]
fn a_hook_gives_what_the_words_find_at_once_and_what_a_model_finds_at_the_next_tool() {
    let place = folder();
    let llm = waiting_model(&place, r#"{"paths": ["deploy.md", "night.md"]}"#);
    let prompt = event(&place, "p1", json!({"hook_event_name": "UserPromptSubmit", "prompt": PROMPT}));
    let said = hook(&place, &llm, "UserPromptSubmit", &prompt);
    assert_eq!((said.status, said.stdout.contains("blue.sh"), said.stdout.lines().count()), (0, true, 1), "{said:?}");
    let tool = event(&place, "p1", json!({"hook_event_name": "PostToolUse", "tool_name": "Bash"}));
    let early = hook(&place, &llm, "PostToolUse", &tool);
    assert_eq!((early.status, early.stdout.as_str()), (0, ""), "the model is not ready, and nobody waits: {early:?}");
    go(&place);
    let given = (0..2000).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        let ran = hook(&place, &llm, "PostToolUse", &tool);
        assert_eq!(ran.status, 0, "{ran:?}");
        (!ran.stdout.is_empty()).then_some(ran.stdout)
    });
    let given: Value = serde_json::from_str(&given.unwrap()).unwrap();
    let context = given["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(
        context.contains("Dana.") && !context.contains("blue.sh"),
        "what was given already is not repeated: {context}"
    );
    assert_eq!(hook(&place, &llm, "PostToolUse", &tool).stdout, "");
}

#[test]
fn a_hook_within_a_program_that_was_asked_asks_nobody() {
    let place = folder();
    let asked = place.top().join("asked");
    let prompt = event(&place, "p1", json!({"hook_event_name": "UserPromptSubmit", "prompt": PROMPT}));
    let mut process = place.command(program("mem-recall"));
    process.env("MEM_INSIDE", "1").args(["--prefetch", "--session", "auto", "--llm"]);
    process.arg(format!("exec:touch {}", asked.display()));
    let ran = feed(process, prompt.as_bytes());
    assert_eq!((ran.status, ran.document()["recall"]["state"].as_str()), (0, Some("skipped")));
    assert!(!asked.exists() && !sessions(&place).exists());
}
