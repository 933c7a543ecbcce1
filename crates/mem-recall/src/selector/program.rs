//! The question to a program of the user's: JSON on stdin, JSON on stdout.

use std::time::Duration;

use mem_exec::Program;
use mem_text::secrets;
use serde_json::{Value, json};

use super::manifest::Manifest;
use super::{InVain, Wanted};

/// The most bytes of an answer.
const MOST_BYTES: usize = 1 << 20;

/// Returns what the program answers: `{"paths": [...]}`, or the list alone.
pub fn ask(command: &str, seconds: u64, wanted: &Wanted<'_>, manifest: &Manifest) -> Result<Value, InVain> {
    let program = Program::parse(command)?;
    let output = program
        .input(question(wanted, manifest).to_string().into_bytes())
        .deadline(Duration::from_secs(seconds))
        .limit(MOST_BYTES)
        .with_keys()
        .run()?;
    let text = String::from_utf8_lossy(&output);
    let fits = |value: &Value| value.is_array() || value["paths"].is_array();
    mem_llm::take_json(&text, fits).filter(fits).ok_or(InVain {
        usage: None,
        code: "selector-no-answer",
        message: "the program printed no {\"paths\": [...]}".into(),
        hint: "run the selector by hand with a question on stdin",
    })
}

fn question(wanted: &Wanted<'_>, manifest: &Manifest) -> Value {
    let memories: Vec<Value> = manifest
        .heads
        .iter()
        .map(|head| {
            json!({
                "path": head.path, "type": head.kind, "age_days": head.age_days, "description": head.description,
                "line": head.line(),
            })
        })
        .collect();
    json!({
        "prompt": secrets::mask(wanted.question), "recent_tools": wanted.tools, "max_files": wanted.max_files,
        "memories": memories,
    })
}
