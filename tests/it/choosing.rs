//! Recall with somebody else choosing: a model or a program that answers well, badly, late, or not at all.

use std::fs;

use serde_json::{Value, json};

use crate::support::{NOW, Place, Ran};

/// The token stands in the description and in the prompt: neither may reach a model.
const TOKEN: &str = "ghp_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zaB3dE";

fn memory(place: &Place, path: &str, description: &str, kind: &str) {
    let text = format!(
        "---\nname: n\ndescription: {description}\ntype: {kind}\nmodified: 2026-11-20\n---\n\nBody of {path}.\n"
    );
    place.write(&format!("memory/{path}"), &text);
}

/// Three memories; by its words only the first helps with the prompt.
fn folder() -> Place {
    let place = Place::new();
    memory(&place, "deploy.md", "deploy with the blue script", "feedback");
    memory(&place, "caf\u{e9}.md", "espresso machine on floor two", "reference");
    memory(&place, "team/Night Watch.md", "who is called after midnight", "project");
    place
}

/// A command line for `--llm` or `--selector` that keeps what it is asked and prints `answer`.
fn printing(place: &Place, answer: &str) -> String {
    place.write("answer.txt", answer);
    let top = place.top();
    format!("exec:sh -c 'cat > {0}/asked.txt; cat {0}/answer.txt'", top.display())
}

fn choose(place: &Place, arguments: &[&str], prompt: &str) -> Ran {
    let memory = place.memory();
    let common = ["--now", NOW, "--memory-dir", memory.to_str().unwrap(), "-n", "--prompt", prompt];
    place.run("mem-recall", &[&common, arguments].concat(), "")
}

fn recall(place: &Place, arguments: &[&str], prompt: &str) -> (Value, Vec<String>) {
    let ran = choose(place, arguments, prompt);
    assert_eq!(ran.status, 0, "{ran:?}");
    let document = ran.document();
    let problems = document["problems"].as_array().into_iter().flatten();
    let codes = problems.map(|problem| problem["code"].as_str().unwrap().to_owned()).collect();
    (document["recall"].clone(), codes)
}

fn paths(recall: &Value) -> Vec<&str> {
    recall["memories"].as_array().unwrap().iter().map(|memory| memory["path"].as_str().unwrap()).collect()
}

const PROMPT: &str = "how do we deploy with the blue script?";

#[test]
fn names_are_met_however_a_model_writes_them_and_each_counts_once() {
    let place = folder();
    let answer = json!({"paths": ["TEAM/night watch", "`cafe\u{301}.md`", "./caf\u{e9}", "memory/team/Night Watch.md", "gone.md", 7]});
    let llm = printing(&place, &format!("Sure:\n```json\n{answer}\n```\n"));
    let (recall, codes) = recall(&place, &["--llm", &llm], PROMPT);
    assert_eq!(paths(&recall), ["team/Night Watch.md", "caf\u{e9}.md"], "{recall:#}");
    assert_eq!((recall["selector"].as_str(), recall["state"].as_str()), (Some("model"), Some("selected")));
    assert_eq!(codes, ["unknown-name", "unknown-name"]);
    assert_eq!(recall["usage"]["requests"], 1);
    let passed = &recall["passed_over"][0];
    assert_eq!((&passed["path"], &passed["why"]), (&json!("deploy.md"), &json!("the model did not choose it")));
}

#[test]
fn a_model_that_chooses_none_is_believed() {
    let place = folder();
    let llm = printing(&place, r#"{"paths": []}"#);
    let (recall, codes) = recall(&place, &["--llm", &llm], PROMPT);
    assert_eq!(
        (recall["state"].as_str(), recall["reason"].as_str()),
        (Some("nothing"), Some("the model chose none of 3 memories"))
    );
    assert!(codes.is_empty() && recall["fallback"].is_null());
}

#[test]
fn whatever_fails_the_offline_choice_stands_and_the_reason_is_told() {
    let place = folder();
    // What the program prints, or another command line altogether.
    let cases = [
        ("--llm", Ok("no idea"), "model-no-json"),
        ("--llm", Ok("I cannot help with that."), "model-no-json"),
        ("--llm", Ok("{\"paths\": \"deploy.md\"}"), "model-answer-misfit"),
        ("--llm", Ok(""), "model-answer-unreadable"),
        ("--llm", Ok(r#"{"paths": ["../../etc/passwd", "x"]}"#), "unknown-names-only"),
        ("--llm", Err("exec:sleep 30"), "model-late"),
        ("--llm", Err("exec:false"), "program-failed"),
        ("--llm", Err("anthropic:m"), "model-no-key"),
        ("--selector", Ok("none"), "selector-no-answer"),
        ("--selector", Err("exec:sleep 30"), "program-late"),
        ("--selector", Err("exec:no-such-program"), "program-not-found"),
        ("--selector", Err("exec:yes"), "program-output-too-large"),
    ];
    for (option, answer, code) in cases {
        let command = answer.map_or_else(str::to_owned, |answer| printing(&place, answer));
        let (recall, codes) = recall(&place, &[option, &command, "--llm-timeout", "1"], PROMPT);
        assert_eq!(paths(&recall), ["deploy.md"], "{code}: {recall:#}");
        assert_eq!(recall["selector"], "offline", "{code}");
        assert!(codes.iter().any(|found| found == code), "{code}: {codes:?}");
        assert!(recall["fallback"].as_str().is_some_and(|reason| !reason.is_empty()), "{code}");
    }
}

#[test]
fn the_question_is_head_then_list_then_prompt_and_no_secret_is_in_it() {
    let place = folder();
    memory(&place, "ci.md", &format!("the ci token is {TOKEN}"), "reference");
    let llm = printing(&place, r#"{"paths": ["deploy.md"]}"#);
    let mut asked = Vec::new();
    for prompt in ["first question about the espresso machine", "second question", &format!("is {TOKEN} right?")] {
        recall(&place, &["--llm", &llm], prompt);
        asked.push(fs::read_to_string(place.top().join("asked.txt")).unwrap());
    }
    let before = |text: &str| text.split("The user's prompt").next().unwrap().to_owned();
    assert!(asked[0].contains("[feedback] deploy.md (10 days): deploy with the blue script\n"), "{}", asked[0]);
    assert!(asked.iter().all(|text| before(text) == before(&asked[0])), "what stands before the prompt stays the same");
    assert!(asked.iter().all(|text| !text.contains("aB3dE5gH7j")), "{}", asked[2]);
}

#[test]
fn what_lasts_is_marked_for_the_services_cache() {
    use crate::model::{Stub, text};
    let place = folder();
    let stub = Stub::new(|_| text(r#"{"paths": ["night watch"]}"#));
    for prompt in [PROMPT, "and who is called at night?"] {
        let ran = choose(&place, &["--llm", "anthropic:m", "--llm-url", &stub.url], prompt);
        assert_eq!((ran.status, paths(&ran.document()["recall"])), (0, vec!["team/Night Watch.md"]), "{ran:?}");
    }
    let bodies: Vec<Value> = stub.bodies().iter().map(|body| serde_json::from_str(body).unwrap()).collect();
    let content = |number: usize, block: usize| bodies[number]["messages"][0]["content"][block].clone();
    assert_eq!(content(0, 0), content(1, 0));
    assert_eq!(content(0, 0)["cache_control"], json!({"type": "ephemeral"}));
    assert!(content(0, 0)["text"].as_str().unwrap().contains("] deploy.md (10 days): deploy with the blue script"));
    assert!(content(1, 1)["text"].as_str().unwrap().contains("and who is called at night?"));
    assert_eq!((&bodies[0]["system"], &bodies[0]["max_tokens"]), (&bodies[1]["system"], &json!(256)));
}

#[test]
fn a_large_folder_is_ranked_before_a_model_sees_it() {
    let place = folder();
    for number in 0..600 {
        memory(
            &place,
            &format!("a{number:03}.md"),
            &format!("note {number} about {}", "filler ".repeat(60)),
            "project",
        );
    }
    let llm = printing(&place, r#"{"paths": ["deploy.md", "a599.md"]}"#);
    let (recall, codes) = recall(&place, &["--llm", &llm], PROMPT);
    let asked = fs::read_to_string(place.top().join("asked.txt")).unwrap();
    let lines = asked.lines().filter(|line| line.starts_with('[')).count();
    assert!(lines <= 200 && lines > 100 && asked.len() < 40_000, "{lines} lines, {} bytes", asked.len());
    assert!(asked.contains("] deploy.md ("));
    assert_eq!(paths(&recall)[0], "deploy.md");
    assert!(codes.iter().any(|code| code == "list-cut"), "{codes:?}");
}

#[test]
fn a_model_is_not_asked_about_nothing() {
    let place = folder();
    let llm = printing(&place, r#"{"paths": ["deploy.md"]}"#);
    let asked = place.top().join("asked.txt");
    for prompt in ["ok", "继续", "/compact", "<task-notification>deploy</task-notification>"] {
        let (recall, _) = recall(&place, &["--llm", &llm], prompt);
        assert_eq!(recall["state"], "skipped", "{prompt}");
    }
    let empty = Place::new();
    recall(&empty, &["--llm", &llm], PROMPT);
    recall(&place, &["--llm", &llm, "--max-files", "0"], PROMPT);
    recall(&place, &["--llm", &llm, "--types", "user"], PROMPT);
    recall(&place, &["--llm", "off"], PROMPT);
    assert!(!asked.exists());
}

#[test]
fn a_program_gets_json_and_its_list_is_taken_with_or_without_a_name() {
    let place = folder();
    for answer in [r#"{"paths": ["caf\u00e9.md"]}"#, r#"["caf\u00e9.md"]"#] {
        let selector = printing(&place, answer);
        let (recall, _) =
            recall(&place, &["--selector", &selector, "--llm", "exec:false"], &format!("{PROMPT} {TOKEN}"));
        assert_eq!((paths(&recall).as_slice(), &recall["selector"]), (["caf\u{e9}.md"].as_slice(), &json!("program")));
    }
    let asked: Value = serde_json::from_str(&fs::read_to_string(place.top().join("asked.txt")).unwrap()).unwrap();
    assert!(asked["prompt"].as_str().unwrap().starts_with(PROMPT) && !asked.to_string().contains("aB3dE5gH7j"));
    assert_eq!(asked["max_files"], 5);
    assert_eq!(
        asked["memories"][1],
        json!({"path": "deploy.md", "type": "feedback", "age_days": 10, "description": "deploy with the blue script",
               "line": "[feedback] deploy.md (10 days): deploy with the blue script"})
    );
}

#[test]
fn a_document_names_no_model_and_no_program() {
    let place = folder();
    let input = json!({
        "memory_dir": place.memory(), "prompt": PROMPT,
        "options": {"recall": {"llm": "exec:touch x", "selector": "exec:touch x", "prefetch": true}},
    });
    let document = place.answer("mem-recall", &[], &input.to_string());
    assert_eq!(document["recall"]["selector"], "offline");
    let codes: Vec<&Value> = document["problems"].as_array().unwrap().iter().map(|problem| &problem["code"]).collect();
    assert_eq!(codes, ["refused-option"; 3]);
    assert_eq!(choose(&place, &["--selector", "my-selector"], PROMPT).status, 2);
}

#[test]
fn why_knows_what_a_model_chose() {
    let place = folder();
    let llm = printing(&place, r#"{"paths": ["team/Night Watch.md"]}"#);
    let (recall, _) =
        recall(&place, &["--llm", &llm, "--why", "deploy", "--why", "night watch"], "deploy, or who is called?");
    let told: Vec<(&str, &str)> = recall["why"]
        .as_array()
        .unwrap()
        .iter()
        .map(|about| (about["outcome"].as_str().unwrap(), about["reason"].as_str().unwrap()))
        .collect();
    assert_eq!(told[0], ("passed-over", "the model did not choose it"), "{recall:#}");
    assert_eq!(told[1].0, "chosen");
}
