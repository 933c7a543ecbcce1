//! The model as a command sees it: a question goes in, an answer that was checked comes out, or a reason.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use mem_text::secrets;
use mem_types::asking::{Asking, Spec, Usage};
use serde_json::{Value, json};

use crate::fault::Unanswered;
use crate::{address, anthropic, http, openai, program, record, shape, taking};

/// A question to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question<'a> {
    /// What holds for every question of this kind.
    pub system: &'a str,
    /// The question itself.
    pub prompt: &'a str,
    /// The JSON Schema of the answer, as JSON text; nothing when text is asked for.
    pub schema: Option<&'a str>,
    /// Most tokens of the answer.
    pub max_tokens: u32,
}

/// An answer that was checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The answer as it was written.
    pub text: String,
    /// The JSON in it, when a schema was given; it fits the schema's outermost level.
    pub value: Option<Value>,
    /// What it cost.
    pub usage: Usage,
    /// Why it could not be recorded, when it was to be.
    pub unrecorded: Option<String>,
}

/// The model's part of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// The whole message, as the server sent it.
    pub message: Value,
    /// What it cost.
    pub usage: Usage,
    /// Why it could not be recorded, when it was to be.
    pub unrecorded: Option<String>,
}

/// What came back, before its shape is looked at.
pub(crate) struct Answer {
    pub text: String,
    pub is_cut: bool,
    pub usage: Usage,
}

/// A model that can be asked. Making one opens nothing.
#[derive(Debug)]
pub struct Model {
    asking: Asking,
    asked: AtomicUsize,
}

impl Model {
    /// Returns the model to be asked.
    #[must_use]
    pub fn new(asking: Asking) -> Self {
        Self { asking, asked: AtomicUsize::new(0) }
    }

    /// Returns the name by which reports speak of it.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.asking.spec {
            Spec::Anthropic(name) | Spec::OpenAi(name) => name.clone(),
            Spec::Exec(command) => format!("exec:{}", secrets::mask(command)),
            Spec::Replay(_) => "replay".into(),
        }
    }

    /// Returns the model's name where the Messages API is spoken.
    #[must_use]
    pub fn messages_name(&self) -> Option<&str> {
        match &self.asking.spec {
            Spec::Anthropic(name) => Some(name),
            _ => None,
        }
    }

    /// Asks one question. Secrets in it are masked before it leaves.
    ///
    /// # Errors
    /// With the reason, when there is no answer that fits.
    pub fn ask(&self, question: &Question) -> Result<Reply, Unanswered> {
        self.ask_after("", question)
    }

    /// Asks one question whose prompt stands behind `lasting`, a text that stays the same from question to question: a
    /// service that keeps such beginnings only where they are marked is given the mark.
    ///
    /// # Errors
    /// As [`Model::ask`].
    pub fn ask_after(&self, lasting: &str, question: &Question) -> Result<Reply, Unanswered> {
        let (system, lasting) = (secrets::mask(question.system), secrets::mask(lasting));
        let prompt = format!("{lasting}{}", secrets::mask(question.prompt));
        let question = Question { system: &system, prompt: &prompt, ..*question };
        let schema: Option<Value> = question.schema.and_then(|schema| serde_json::from_str(schema).ok());
        let kept = json!({"system": question.system, "prompt": question.prompt, "schema": schema});
        let number = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        let mut answer = match &self.asking.spec {
            Spec::Anthropic(_) | Spec::OpenAi(_) => self.over_network(&question, lasting.len(), schema.as_ref())?,
            Spec::Exec(command) => program::ask(command, &question, self.asking.deadline)?,
            Spec::Replay(dir) => replayed(record::find(dir, &kept, number)?),
        };
        if answer.usage.model.is_empty() {
            answer.usage.model = self.name();
        }
        let unrecorded = self.keep(&kept, &Value::String(answer.text.clone()));
        let value = schema.map(|schema| fitting(&answer, &schema)).transpose()?;
        if value.is_none() && answer.text.trim().is_empty() {
            return Err(if answer.is_cut { Unanswered::CutOff } else { Unanswered::Unreadable("it is empty".into()) });
        }
        Ok(Reply { text: answer.text, value, usage: answer.usage, unrecorded })
    }

    /// Posts a whole Messages API body, byte for byte, and returns the model's message.
    ///
    /// # Errors
    /// With the reason, when there is no message; for models without the Messages API.
    pub fn messages(&self, body: &str) -> Result<Turn, Unanswered> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        let kept = || serde_json::from_str::<Value>(body).unwrap_or_default();
        let message = match &self.asking.spec {
            Spec::Anthropic(_) => {
                let server = address::of(&self.asking)?;
                let answered = http::post(&server, &[anthropic::VERSION], body, self.asking.deadline)?;
                if answered.status != 200 {
                    return Err(http::refusal(answered.status, &answered.body, None));
                }
                anthropic::message(&answered.body)?
            }
            Spec::Replay(dir) => match record::find(dir, &kept(), number)? {
                message @ Value::Object(_) if message["content"].is_array() => message,
                Value::String(text) => anthropic::message(&text)?,
                other => anthropic::message(&other.to_string())?,
            },
            Spec::OpenAi(_) | Spec::Exec(_) => {
                return Err(Unanswered::Unfit("it does not take the body of a Messages API request".into()));
            }
        };
        let mut usage = anthropic::usage(&message);
        if usage.model.is_empty() {
            usage.model = self.name();
        }
        let unrecorded = self.asking.record.as_ref().and_then(|_| self.keep(&kept(), &message));
        Ok(Turn { message, usage, unrecorded })
    }

    /// The first `lasting` bytes of the prompt stay the same from question to question.
    fn over_network(&self, question: &Question, lasting: usize, schema: Option<&Value>) -> Result<Answer, Unanswered> {
        let server = address::of(&self.asking)?;
        let start = Instant::now();
        let post = |body: &Value| {
            let headers: &[(&str, &str)] = if self.messages_name().is_some() { &[anthropic::VERSION] } else { &[] };
            http::post(&server, headers, &body.to_string(), self.asking.deadline.saturating_sub(start.elapsed()))
        };
        let mut answered = post(&self.body(question, lasting, schema))?;
        if answered.status == 400 && schema.is_some() {
            // Not every server and model can be held to a schema; then it is asked for in words.
            let prompt = in_words(question);
            answered = post(&self.body(&Question { prompt: &prompt, ..*question }, lasting, None))?;
        }
        if answered.status == 400 && answered.body.contains("max_completion_tokens") {
            answered = post(&openai::with_newer_limit(self.body(question, lasting, schema)))?;
        }
        if answered.status != 200 {
            return Err(http::refusal(answered.status, &answered.body, None));
        }
        if self.messages_name().is_some() { anthropic::answer(&answered.body) } else { openai::answer(&answered.body) }
    }

    fn body(&self, question: &Question, lasting: usize, schema: Option<&Value>) -> Value {
        match &self.asking.spec {
            Spec::Anthropic(name) => anthropic::body(name, question, lasting, schema),
            Spec::OpenAi(name) => openai::body(name, question, schema),
            Spec::Exec(_) | Spec::Replay(_) => Value::Null,
        }
    }

    fn keep(&self, question: &Value, answer: &Value) -> Option<String> {
        record::keep(self.asking.record.as_ref()?, question, answer).err()
    }
}

fn in_words(question: &Question) -> String {
    let schema = question.schema.unwrap_or_default();
    format!("{}\n\nAnswer with JSON of this schema only, without any other text:\n{schema}", question.prompt)
}

/// A recorded answer is its text; a message of a server, or JSON written by hand, is taken, too.
fn replayed(answer: Value) -> Answer {
    let text = match answer {
        Value::String(text) => text,
        value => match anthropic::answer(&value.to_string()) {
            Ok(answer) if value["type"] == "message" => return answer,
            _ => value.to_string(),
        },
    };
    Answer { text, is_cut: false, usage: Usage { requests: 1, ..Usage::default() } }
}

fn fitting(answer: &Answer, schema: &Value) -> Result<Value, Unanswered> {
    let found = taking::json(&answer.text, |value| shape::misfit(value, schema).is_none());
    let reason = match &found {
        None if answer.is_cut => return Err(Unanswered::CutOff),
        None => return Err(Unanswered::NoJson),
        Some(value) => shape::misfit(value, schema),
    };
    match (reason, found) {
        (None, Some(value)) => Ok(value),
        (Some(_), _) if answer.is_cut => Err(Unanswered::CutOff),
        (reason, _) => Err(Unanswered::Misfit(reason.unwrap_or_default())),
    }
}
