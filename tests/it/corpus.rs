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
