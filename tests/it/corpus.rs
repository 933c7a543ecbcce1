//! Real instruction trees, memory folders, transcripts and hook inputs, where a copy lies beside the checkout.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{COMMANDS, NOW, Place, checkout};

fn corpus() -> Option<PathBuf> {
    Some(checkout().join("../shared/corpus"))
        .filter(|corpus| corpus.is_dir())
        .map(|corpus| corpus.canonicalize().unwrap())
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Runs all six on the documents, one a line, and checks that each answers every one of them.
fn check(documents: &[Value]) {
    let place = Place::new();
    let input: String = documents.iter().map(|document| document.to_string() + "\n").collect();
    for command in COMMANDS {
        let ran = place.run(command, &["--now", NOW, "-j", "2"], &input);
        let answers = ran.documents();
        assert_eq!(answers.len(), documents.len(), "{command}: {}", ran.stderr);
        for (document, answer) in documents.iter().zip(&answers) {
            let is_answered = answer[&command[4..]].is_object();
            let is_stated = answer["failed"]["code"].is_string() && answer["failed"]["code"] != "internal-error";
            assert!(is_answered || is_stated, "{command} on {document}: {answer}");
            for (key, value) in document.as_object().unwrap() {
                let is_ours = key == "messages" && command == "mem-compact";
                assert!(is_ours || &answer[key] == value, "{command} changed {key}");
            }
        }
        assert!(ran.status == 0 || answers.iter().any(|answer| answer.get("failed").is_some()), "{command}");
    }
}

#[test]
fn every_instruction_tree_is_answered() {
    let Some(corpus) = corpus() else { return };
    let documents: Vec<Value> = folders(&corpus.join("instructions"))
        .iter()
        .map(|folder| json!({"cwd": folder, "prompt": "how do I run the tests?", "files": ["src/index.ts", "README.md"]}))
        .collect();
    assert!(documents.len() > 50);
    check(&documents);
}

#[test]
fn every_memory_folder_is_answered() {
    let Some(corpus) = corpus() else { return };
    let mut documents: Vec<Value> = Vec::new();
    for top in [corpus.join("memory"), corpus.join("recall")] {
        for folder in folders(&top).iter().flat_map(|folder| [vec![folder.clone()], folders(folder)].concat()) {
            documents.push(json!({"memory_dir": folder, "cwd": folder, "prompt": "what did we decide about testing?"}));
        }
    }
    assert!(documents.len() > 3);
    check(&documents);
}

#[test]
fn every_transcript_is_answered() {
    let Some(corpus) = corpus() else { return };
    let found =
        [files(&corpus.join("transcripts"), "jsonl"), files(&corpus.join("transcripts-real"), "jsonl")].concat();
    assert!(found.len() > 20);
    let documents: Vec<Value> =
        found.iter().map(|path| json!({"transcript_path": path, "session_id": "s", "trigger": "manual"})).collect();
    check(&documents);
}

#[test]
fn every_hook_input_is_answered_by_the_contract() {
    let Some(corpus) = corpus() else { return };
    let found = files(&corpus.join("hooks"), "json");
    assert!(found.len() > 30);
    let documents: Vec<Value> =
        found.iter().map(|path| serde_json::from_slice(&fs::read(path).unwrap()).unwrap()).collect();
    check(&documents);
    let place = Place::new();
    for document in &documents {
        for command in COMMANDS {
            let ran = place.run(command, &["--format", "hook", "--now", NOW], document.to_string());
            assert!(ran.status <= 1, "{command} {document}");
            if !ran.stdout.is_empty() {
                let answer = ran.document();
                assert_eq!(answer["hookSpecificOutput"]["hookEventName"], document["hook_event_name"]);
                assert!(ran.stdout.encode_utf16().count() <= 10_001);
            }
        }
    }
}

/// Returns what a service would refuse in these messages.
fn faults(messages: &[Value]) -> Vec<String> {
    let ids = |message: &Value, kind: &str, key: &str| {
        let blocks = message["content"].as_array().cloned().unwrap_or_default();
        let own = blocks.iter().filter(|block| block["type"] == kind);
        let mut ids: Vec<String> = own.map(|block| block[key].as_str().unwrap_or_default().to_owned()).collect();
        ids.sort();
        ids
    };
    let mut faults = Vec::new();
    if messages[0]["role"] != "user" {
        faults.push("the first is not the user's".into());
    }
    for pair in messages.windows(2) {
        if pair[0]["role"] == pair[1]["role"] {
            faults.push("two of one role".into());
        }
        if ids(&pair[0], "tool_use", "id") != ids(&pair[1], "tool_result", "tool_use_id") {
            faults.push(format!("calls and results differ: {} {}", pair[0], pair[1]));
        }
    }
    faults
}

#[test]
fn every_transcript_folds_into_a_valid_request_within_small_windows() {
    let Some(corpus) = corpus() else { return };
    let found =
        [files(&corpus.join("transcripts"), "jsonl"), files(&corpus.join("transcripts-real"), "jsonl")].concat();
    let place = Place::new();
    for window in [200_000, 32_000, 8_000] {
        let documents: String = found
            .iter()
            .map(|path| json!({"transcript_path": path, "window": {"context_tokens": window}}).to_string() + "\n")
            .collect();
        let ran = place.run("mem-compact", &["--now", NOW, "-j", "2"], &documents);
        for (path, answer) in found.iter().zip(ran.documents()) {
            let compact = &answer["compact"];
            if compact["state"] == "over-budget" {
                assert!(compact["reason"].is_string(), "{}", path.display());
            } else if let Some(messages) = answer["messages"].as_array() {
                assert!(compact["tokens_after"].as_u64() <= compact["threshold"].as_u64(), "{}", path.display());
                let faults = faults(messages);
                assert!(faults.is_empty(), "{} at {window}: {faults:?}", path.display());
            }
        }
    }
}

#[test]
fn every_summary_of_a_transcript_leads_back_to_its_messages() {
    let Some(corpus) = corpus() else { return };
    let place = Place::new();
    for path in files(&corpus.join("transcripts-real"), "jsonl") {
        let document = json!({"transcript_path": path, "trigger": "manual", "window": {"context_tokens": 8_000}});
        let folded = place.answer("mem-compact", &["--hot-turns", "0"], &document.to_string());
        for summary in folded["compact"]["summaries"].as_array().unwrap() {
            let id = summary["id"].as_str().unwrap();
            let answer = place.answer("mem-compact", &["--expand", id], &folded.to_string());
            let expanded = &answer["compact"]["expanded"];
            assert_eq!(expanded["missing"], json!([]), "{}", path.display());
            if summary["level"] == 1 {
                let covers = summary["covers"].as_array().unwrap();
                let found: Vec<&Value> =
                    expanded["messages"].as_array().unwrap().iter().map(|message| &message["uuid"]).collect();
                assert!(!found.is_empty() && found.iter().all(|id| covers.contains(id)), "{}", path.display());
            }
        }
    }
}

/// Returns what the user typed in the record of this id, of any form of session file.
fn typed_in(text: &str, id: &str) -> String {
    let is_ours = |record: &&Value| record["uuid"] == id || record["id"] == id;
    let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let whole: Option<Value> = serde_json::from_str(text).ok();
    let messages = whole.iter().flat_map(|whole| whole["messages"].as_array().into_iter().flatten());
    let Some(record) = lines.iter().chain(messages).find(is_ours) else { return String::new() };
    let is_hosts = record["isMeta"] == true || record["isCompactSummary"] == true || record["isSidechain"] == true;
    if is_hosts || record["type"] != "user" {
        return String::new();
    }
    let content = if record["message"].is_object() { &record["message"]["content"] } else { &record["content"] };
    let blocks = content.as_array().into_iter().flatten().filter(|block| block["type"] == "text");
    let texts: Vec<&str> =
        content.as_str().into_iter().chain(blocks.filter_map(|block| block["text"].as_str())).collect();
    texts.join("\n").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn of_every_transcript_only_the_users_own_words_are_kept() {
    let Some(corpus) = corpus() else { return };
    let place = Place::new();
    let mut paths = files(&corpus.join("transcripts"), "jsonl");
    paths.extend(files(&corpus.join("transcripts"), "json"));
    paths.extend(files(&corpus.join("transcripts-real"), "jsonl"));
    let documents: Vec<Value> =
        paths.iter().map(|path| json!({"transcript_path": path, "memory_dir": place.memory()})).collect();
    let input: String = documents.iter().map(|document| document.to_string() + "\n").collect();
    let ran = place.run("mem-extract", &["--now", NOW], &input);
    let answers = ran.documents();
    assert_eq!(answers.len(), paths.len(), "{}", ran.stderr);
    for (path, answer) in paths.iter().zip(&answers) {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        assert!(answer["extract"]["state"].is_string(), "{}: {answer}", path.display());
        for operation in answer["extract"]["operations"].as_array().unwrap() {
            for source in operation["sources"].as_array().unwrap() {
                let typed = typed_in(&text, source["message_id"].as_str().unwrap());
                let quote: Vec<&str> = source["quote"].as_str().unwrap().split_whitespace().collect();
                let head: String = quote.join(" ").chars().take(40).collect();
                let head = head.trim_end_matches('…');
                assert!(typed.contains(head), "{}: {operation}", path.display());
                assert!(!head.starts_with('<') && !head.starts_with("[Request"), "{operation}");
            }
        }
    }
}
