//! The chat completions API, as its many servers speak it.

use mem_types::asking::Usage;
use serde_json::{Value, json};

use crate::fault::Unanswered;
use crate::http;
use crate::model::{Answer, Question};

/// Returns the body of a question, with the schema where the server is to hold the model to it.
pub fn body(model: &str, question: &Question, schema: Option<&Value>) -> Value {
    let mut body = json!({
        "model": model,
        "max_tokens": question.max_tokens,
        "messages": [
            {"role": "system", "content": question.system},
            {"role": "user", "content": question.prompt},
        ],
    });
    if let Some(schema) = schema {
        let format = json!({"name": "answer", "schema": schema, "strict": true});
        body["response_format"] = json!({"type": "json_schema", "json_schema": format});
    }
    body
}

/// Some models of the service take the limit by another name only.
pub fn with_newer_limit(mut body: Value) -> Value {
    if let Some(members) = body.as_object_mut()
        && let Some(limit) = members.remove("max_tokens")
    {
        members.insert("max_completion_tokens".into(), limit);
    }
    body
}

/// Returns the text of an answer with what it cost. What a model thought aloud beside it is left alone.
///
/// # Errors
/// When the body is no completion, or the model declined.
pub fn answer(body: &str) -> Result<Answer, Unanswered> {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let choice = &value["choices"][0];
    if !choice.is_object() {
        return Err(Unanswered::Unreadable(http::message(body)));
    }
    if let Some(refusal) = choice["message"]["refusal"].as_str().filter(|text| !text.is_empty()) {
        return Err(Unanswered::Declined(http::message(refusal)));
    }
    if choice["finish_reason"] == "content_filter" {
        return Err(Unanswered::Declined("the server's filter".into()));
    }
    let text = match &choice["message"]["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    };
    let count = |place: &str| value.pointer(place).and_then(Value::as_u64).unwrap_or_default();
    let usage = Usage {
        model: value["model"].as_str().unwrap_or_default().into(),
        requests: 1,
        input_tokens: count("/usage/prompt_tokens"),
        output_tokens: count("/usage/completion_tokens"),
        cached_tokens: count("/usage/prompt_tokens_details/cached_tokens"),
    };
    Ok(Answer { text, is_cut: choice["finish_reason"] == "length", usage })
}
