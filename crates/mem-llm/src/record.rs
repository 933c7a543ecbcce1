//! Questions and answers kept in a folder, masked, so that a pipeline can be tested without a model.
//!
//! A recording is `<hash of the question>.json` with `question` and `answer`. For `replay:DIR` answers may also be
//! written by hand: `1.json`, `2.json` and so on for the first question of a process, the second, and `answer.json` or
//! `answer.txt` for all that have none of their own. Such a file holds the answer itself.

use std::path::Path;

use mem_store::{hash, recording};
use mem_text::secrets;
use serde_json::{Value, json};

use crate::fault::Unanswered;

/// Returns the name of a question: the same for every model, since recordings are played back without one.
pub fn name(question: &Value) -> String {
    hash::sha256(masked(question).to_string().as_bytes())[..32].to_owned()
}

/// Keeps a question with its answer.
///
/// # Errors
/// In words, when the folder refuses.
pub fn keep(dir: &Path, question: &Value, answer: &Value) -> Result<(), String> {
    let text = json!({"question": masked(question), "answer": masked(answer)}).to_string() + "\n";
    recording::write(dir, &format!("{}.json", name(question)), &text)
}

/// Returns the answer to the `number`th question of this process, from 1.
///
/// # Errors
/// When there is none, or it cannot be read.
pub fn find(dir: &Path, question: &Value, number: usize) -> Result<Value, Unanswered> {
    let own = name(question);
    for file in [format!("{own}.json"), format!("{number}.json"), "answer.json".into(), "answer.txt".into()] {
        match recording::read(dir, &file) {
            Ok(Some(text)) => return Ok(answer(&text)),
            Ok(None) => {}
            Err(reason) => return Err(Unanswered::NotRecorded(reason)),
        }
    }
    Err(Unanswered::NotRecorded(format!("{} has no {own}.json and no answer.json", dir.display())))
}

/// A recording holds its answer beside the question; a file written by hand is the answer.
fn answer(text: &str) -> Value {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(mut members)) if members.contains_key("question") && members.contains_key("answer") => {
            members.remove("answer").unwrap_or_default()
        }
        Ok(value @ Value::Object(_)) => value,
        _ => Value::String(text.to_owned()),
    }
}

/// Masks every text in a value, names of members too.
fn masked(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(secrets::mask(text).into_owned()),
        Value::Array(items) => Value::Array(items.iter().map(masked).collect()),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (secrets::mask(name).into_owned(), masked(member)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}
