//! The Messages API: the body of a question, and what an answer says.

use mem_types::asking::Usage;
use serde_json::{Value, json};

use crate::fault::Unanswered;
use crate::http;
use crate::model::{Answer, Question};

/// The version of the interface that is spoken.
pub const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// Returns the body of a question, with the schema where the server is to hold the model to it. The first `lasting` bytes
/// of the prompt are marked for the service's cache.
pub fn body(model: &str, question: &Question, lasting: usize, schema: Option<&Value>) -> Value {
    let content = match question.prompt.split_at_checked(lasting) {
        Some((before, prompt)) if !before.is_empty() => json!([
            {"type": "text", "text": before, "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": prompt},
        ]),
        _ => Value::from(question.prompt),
    };
    let mut body = json!({
        "model": model,
        "max_tokens": question.max_tokens,
        "system": question.system,
        "messages": [{"role": "user", "content": content}],
    });
    if let Some(schema) = schema {
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
    }
    body
}

/// Returns the text of an answer with what it cost.
///
/// # Errors
/// When the body is no message, or the model declined.
pub fn answer(body: &str) -> Result<Answer, Unanswered> {
    let value = message(body)?;
    let blocks = value["content"].as_array().into_iter().flatten();
    let text: String =
        blocks.filter(|block| block["type"] == "text").filter_map(|block| block["text"].as_str()).collect();
    if value["stop_reason"] == "refusal" {
        return Err(Unanswered::Declined(http::message(&text)));
    }
    Ok(Answer { text, is_cut: value["stop_reason"] == "max_tokens", usage: usage(&value) })
}

/// Returns the message in a body.
///
/// # Errors
/// When there is none.
pub fn message(body: &str) -> Result<Value, Unanswered> {
    match serde_json::from_str::<Value>(body) {
        Ok(value) if value["content"].is_array() => Ok(value),
        _ => Err(Unanswered::Unreadable(http::message(body))),
    }
}

/// Tokens that were read from the cache or written into it are counted apart by this service; we count them all as input.
pub fn usage(message: &Value) -> Usage {
    let count = |name: &str| message["usage"][name].as_u64().unwrap_or_default();
    let (read, written) = (count("cache_read_input_tokens"), count("cache_creation_input_tokens"));
    Usage {
        model: message["model"].as_str().unwrap_or_default().into(),
        requests: 1,
        input_tokens: count("input_tokens").saturating_add(read).saturating_add(written),
        output_tokens: count("output_tokens"),
        cached_tokens: read,
    }
}
