//! Providers: programs of the user's choice that print instructions as JSON.
//!
//! A program may fail or hang; then its last good answer in this session is used, which is said.

use std::collections::BTreeMap;
use std::time::Duration;

use mem_exec::Program;
use mem_store::{World, hash};
use mem_types::load::{FileState, InstructionLayer, LoadedFile};
use mem_types::{Document, Problems};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Args;

/// Most bytes of an answer.
const MAX_BYTES: usize = 1 << 20;

/// A text that a provider gave; also how it is kept in the session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Text {
    /// What the provider calls it.
    pub name: String,
    /// `user` or `team`.
    pub layer: String,
    /// What a model gets.
    pub text: String,
}

/// The last good answers, by the program that gave them.
pub type Kept = BTreeMap<String, Vec<Text>>;

/// Asks all providers; returns their texts as files, and changes what is kept.
pub fn ask(
    args: &Args,
    document: &Document,
    world: &World,
    kept: &mut Kept,
    problems: &mut Problems,
) -> Vec<LoadedFile> {
    let mut files = Vec::new();
    kept.retain(|provider, _| args.providers.contains(provider));
    for provider in &args.providers {
        let texts = match answer(provider, args, document, world) {
            Ok(texts) => {
                kept.insert(provider.clone(), texts.clone());
                texts
            }
            Err((code, reason)) => fall_back(provider, &code, &reason, kept, problems),
        };
        files.extend(texts.into_iter().map(|text| file(provider, text)));
    }
    files
}

fn fall_back(provider: &str, code: &str, reason: &str, kept: &Kept, problems: &mut Problems) -> Vec<Text> {
    let old = kept.get(provider);
    let instead = match old {
        Some(texts) => format!("its last good answer of {} texts is used", texts.len()),
        None => "nothing of it is loaded".into(),
    };
    let problem = problems.warning(code, format!("the provider gave no answer: {reason}; {instead}")).path(provider);
    if old.is_none() {
        problem.hint("with --session the last good answer is kept");
    }
    old.cloned().unwrap_or_default()
}

fn answer(provider: &str, args: &Args, document: &Document, world: &World) -> Result<Vec<Text>, (String, String)> {
    let of_fault = |fault: mem_exec::Fault| (fault.code().to_owned(), fault.to_string());
    let cwd = world.cwd_here(document, &mut Problems::default());
    let program = Program::parse(provider).map_err(of_fault)?;
    let program = program
        .input(question(document, world).into_bytes())
        .limit(MAX_BYTES)
        .deadline(Duration::from_secs(args.provider_timeout));
    let program = if cwd.is_dir() { program.folder(cwd) } else { program };
    let output = program.run().map_err(of_fault)?;
    let no_answer = |reason: String| ("provider-answer".to_owned(), reason);
    let value: Value =
        serde_json::from_slice(&output).map_err(|error| no_answer(format!("it printed no JSON ({error})")))?;
    texts(&value).map_err(no_answer)
}

/// Returns what a provider is told on stdin: where the session stands, in the words of the document.
fn question(document: &Document, world: &World) -> String {
    let problems = &mut Problems::default();
    let text = |key: &str| document.try_read::<String>(key).ok().flatten();
    json!({
        "cwd": world.cwd_here(document, problems),
        "project_root": world.project_root(document, problems),
        "files": world.touched_files(document, problems),
        "prompt": text("prompt"),
        "session_id": text("session_id"),
        "hook_event_name": text("hook_event_name"),
        "now": world.now().to_rfc3339(),
    })
    .to_string()
}

/// Takes a text, an object with a text, a list of these, or an object that holds such a list.
fn texts(value: &Value) -> Result<Vec<Text>, String> {
    let list = ["instructions", "texts", "files"].into_iter().find_map(|key| value.get(key));
    let items: Vec<&Value> = match list.unwrap_or(value) {
        Value::Array(items) => items.iter().collect(),
        one => vec![one],
    };
    let texts: Result<Vec<Text>, String> =
        items.iter().enumerate().map(|(number, item)| text(item, number + 1)).collect();
    Ok(texts?.into_iter().filter(|text| !text.text.is_empty()).collect())
}

fn text(item: &Value, number: usize) -> Result<Text, String> {
    let member = |key: &str| item.get(key).and_then(Value::as_str);
    let Some(text) = item.as_str().or_else(|| member("text")) else {
        return Err(format!("item {number} of its answer has no text"));
    };
    let layer = member("layer").unwrap_or("user");
    if !matches!(layer, "user" | "team") {
        return Err(format!("item {number} of its answer wants layer '{layer}'; there are user and team"));
    }
    let name = member("name").or_else(|| member("path")).map_or_else(|| number.to_string(), str::to_owned);
    Ok(Text { name, layer: layer.to_owned(), text: text.replace("\r\n", "\n").trim().to_owned() })
}

fn file(provider: &str, text: Text) -> LoadedFile {
    let layer = InstructionLayer::named(&text.layer);
    LoadedFile {
        path: format!("{provider}#{}", text.name),
        layer,
        scope: "always".into(),
        priority: layer.priority(),
        kind: "provider".into(),
        state: FileState::Active,
        reason: "session_start".into(),
        bytes: text.text.len() as u64,
        tokens: mem_text::tokens::estimate(&text.text),
        sha256: hash::sha256(text.text.as_bytes()),
        sections: crate::sections::of(&text.text),
        text: Some(text.text),
        ..LoadedFile::default()
    }
}

/// Puts what providers gave where its layer stands: behind the files of the same weight, before the project's.
pub fn insert(files: &mut Vec<LoadedFile>, provided: Vec<LoadedFile>) {
    for file in provided {
        let is_lower = |other: &LoadedFile| other.layer <= file.layer && other.matched_by.is_none();
        let place = files.iter().rposition(is_lower).map_or(0, |place| place + 1);
        files.insert(place, file);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_answer_may_have_any_of_these_shapes() {
        for (answer, expected) in [
            (json!("A"), vec![("1", "A")]),
            (json!(["A", {"name": "b", "text": " B\r\nC "}]), vec![("1", "A"), ("b", "B\nC")]),
            (json!({"text": "A"}), vec![("1", "A")]),
            (json!({"instructions": [{"path": "x.md", "text": "A", "layer": "team"}]}), vec![("x.md", "A")]),
            (json!([]), vec![]),
            (json!(["", "A"]), vec![("2", "A")]),
        ] {
            let found = texts(&answer).unwrap();
            let found: Vec<(&str, &str)> = found.iter().map(|text| (text.name.as_str(), text.text.as_str())).collect();
            assert_eq!(found, expected, "{answer}");
        }
        for answer in [json!(7), json!([{"name": "a"}]), json!({"text": "A", "layer": "managed"}), json!(null)] {
            assert!(texts(&answer).is_err(), "{answer}");
        }
    }

    #[test]
    fn what_is_provided_stands_behind_its_layer_and_before_the_project() {
        let file = |layer| LoadedFile { layer, ..LoadedFile::default() };
        use InstructionLayer::{Managed, Project, Team, User};
        let mut files = vec![file(Managed), file(User), file(Project)];
        insert(&mut files, vec![file(User), file(Team)]);
        let layers: Vec<InstructionLayer> = files.iter().map(|file| file.layer).collect();
        assert_eq!(layers, [Managed, Team, User, User, Project]);
    }
}
