//! Compaction, by subject.

mod after;
mod due;
mod model;
mod originals;
mod request;

use serde_json::{Value, json};

use crate::support::{NOW, Place, Ran};

fn fold(place: &Place, arguments: &[&str], document: &Value) -> Value {
    place.answer("mem-compact", arguments, &document.to_string())
}

fn ran(place: &Place, arguments: &[&str], document: &Value) -> Ran {
    place.run("mem-compact", &[&["--now", NOW], arguments].concat(), document.to_string())
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

/// Returns `turns` turns of talk, about 90 tokens each, with ids.
fn talk(turns: usize) -> Vec<Value> {
    let turn = |number: usize| {
        let mut asked = user(&format!("Look at part {number} of the importer and tell me what it does."));
        let mut said = assistant(&"It reads one row after the other and hands them on. ".repeat(6));
        asked["uuid"] = json!(format!("q{number}"));
        said["uuid"] = json!(format!("a{number}"));
        [asked, said]
    };
    (0..turns).flat_map(turn).collect()
}

fn call(id: &str, name: &str, input: Value) -> Value {
    json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": input}]})
}

fn result(id: &str, content: Value) -> Value {
    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": content}]})
}

fn codes(document: &Value) -> Vec<String> {
    let problems = document["problems"].as_array().cloned().unwrap_or_default();
    problems.iter().map(|problem| problem["code"].as_str().unwrap_or_default().to_owned()).collect()
}
