//! One question with the list of the memories there are, and one answer.

use mem_llm::{Model, Question};
use mem_types::Problems;
use mem_types::extract::{Extract, Refused, SessionRule};
use serde_json::Value;

use super::checks::{Checks, Proposal};
use super::{InVain, Lesson, prompts};
use crate::compare::Known;

/// Most tokens of the answer.
const MOST_TOKENS: u32 = 8_000;

/// Asks, and adds to `extract` what may be kept.
pub fn run(
    model: &Model,
    lesson: &Lesson<'_>,
    known: &Known,
    extract: &mut Extract,
    problems: &mut Problems,
) -> Result<(), InVain> {
    let utterances = &lesson.conversation.utterances;
    let today = lesson.world.now().zoned().strftime("%A, %Y-%m-%d").to_string();
    let prompt = prompts::oneshot(utterances, known, &today);
    let schema = Some(prompts::ONESHOT_SCHEMA);
    let question = Question { system: prompts::ONESHOT, prompt: &prompt, schema, max_tokens: MOST_TOKENS };
    let reply = model.ask(&question).map_err(InVain)?;
    if let Some(reason) = &reply.unrecorded {
        problems.warning("not-recorded", reason.clone());
    }
    extract.usage = Some(reply.usage);
    let value = reply.value.unwrap_or_default();
    let checks =
        Checks { utterances, foreign: &[], known, policy: &lesson.conversation.policy, now: lesson.world.now() };
    for item in list(&value["memories"]) {
        checks.take(&proposal(item, utterances.len()), extract);
    }
    for item in list(&value["session_rules"]) {
        match checks.said(&[word(item, "quote")]) {
            Some(source) => {
                let rule = SessionRule { text: source.quote, message_id: source.message_id };
                if !extract.session_rules.contains(&rule) {
                    extract.session_rules.push(rule);
                }
            }
            None => extract.refused.push(Refused {
                text: super::checks::shown(&word(item, "quote")),
                reason: "the model quotes what the user did not say".into(),
                message_id: None,
            }),
        }
    }
    Ok(())
}

fn proposal(item: &Value, count: usize) -> Proposal {
    let number = word(item, "message").trim().parse().ok().or_else(|| item["message"].as_u64());
    Proposal {
        op: word(item, "op"),
        path: word(item, "path"),
        kind: word(item, "type"),
        name: word(item, "name"),
        description: word(item, "description"),
        body: word(item, "body"),
        why: word(item, "why"),
        quotes: vec![word(item, "quote")],
        message: number.and_then(|number| usize::try_from(number).ok()).filter(|number| *number < count),
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn word(item: &Value, name: &str) -> String {
    item[name].as_str().unwrap_or_default().to_owned()
}
