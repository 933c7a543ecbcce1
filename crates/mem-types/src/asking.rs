//! How a language model is asked: which one, where, with which key, for how long; and what it cost.
//!
//! Values only. mem-cli fills them in from options and environment, mem-llm alone acts on them.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Which model is asked, as `--llm` spells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spec {
    /// `anthropic:NAME`: a server with the Messages API.
    Anthropic(String),
    /// `openai:NAME`: a server with the chat completions API, such as Ollama, llama.cpp or vLLM.
    OpenAi(String),
    /// `exec:COMMAND`: a program that takes the question on stdin and prints the answer.
    Exec(String),
    /// `replay:DIR`: answers that were recorded, or written by hand.
    Replay(PathBuf),
}

impl Spec {
    /// Returns the model that `text` names, or nothing for `off`.
    ///
    /// # Errors
    /// In words, when it has none of the five forms.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let (kind, rest) = (kind.trim(), rest.trim());
        if kind == "off" && rest.is_empty() {
            return Ok(None);
        }
        if !matches!(kind, "anthropic" | "openai" | "exec" | "replay") {
            return Err("a model is anthropic:NAME, openai:NAME, exec:COMMAND, replay:DIR or off".into());
        }
        if rest.is_empty() {
            return Err(format!("'{kind}:' names nothing behind the colon"));
        }
        Ok(Some(match kind {
            "anthropic" => Self::Anthropic(rest.into()),
            "openai" => Self::OpenAi(rest.into()),
            "exec" => Self::Exec(rest.into()),
            _ => Self::Replay(rest.into()),
        }))
    }
}

/// A key. It can be used, but not printed: `Debug` hides it, and it is never serialized.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Returns a key, or nothing for an empty text.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// Returns the key itself, for the header of a request and nothing else.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[key]")
    }
}

/// What the environment says about one kind of service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Service {
    /// `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`.
    pub key: Option<Key>,
    /// `ANTHROPIC_AUTH_TOKEN`: sent as a bearer's token where there is no key.
    pub token: Option<Key>,
    /// `ANTHROPIC_BASE_URL`, `OPENAI_BASE_URL`.
    pub url: Option<String>,
}

/// What the environment says about services that answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Services {
    /// For `anthropic:`.
    pub anthropic: Service,
    /// For `openai:`.
    pub openai: Service,
    /// `MEM_LLM_KEY`: the key of whatever `--llm-url` names; it goes before the others.
    pub key: Option<Key>,
}

/// Which model is to be asked, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// The model.
    pub spec: Spec,
    /// Where its server is, when that was said.
    pub url: Option<String>,
    /// Where questions and answers are recorded, masked.
    pub record: Option<PathBuf>,
    /// How long one question may take in all, with its repetitions.
    pub deadline: Duration,
    /// Keys and addresses from the environment.
    pub services: Services,
}

/// What asking a model has cost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// The model that answered, by its own words where it says so.
    pub model: String,
    /// How many questions were answered.
    pub requests: u64,
    /// Tokens of the questions, those from a cache included.
    pub input_tokens: u64,
    /// Tokens of the answers.
    pub output_tokens: u64,
    /// Tokens of the questions that came from the service's cache.
    pub cached_tokens: u64,
}

impl Usage {
    /// Adds what another question has cost.
    pub fn add(&mut self, other: &Self) {
        if !other.model.is_empty() {
            self.model.clone_from(&other.model);
        }
        self.requests += other.requests;
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(other.cached_tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_named_by_its_kind_and_what_follows() {
        assert_eq!(Spec::parse("off"), Ok(None));
        assert_eq!(Spec::parse("openai:qwen3:8b"), Ok(Some(Spec::OpenAi("qwen3:8b".into()))));
        assert_eq!(Spec::parse("exec:llm -m 'x y'"), Ok(Some(Spec::Exec("llm -m 'x y'".into()))));
        for wrong in ["", "anthropic", "anthropic:", "gpt-5", "off:x", "exec: "] {
            assert!(Spec::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_key_is_not_printed() {
        let services = Services { key: Key::new("sk-1234"), ..Services::default() };
        assert!(!format!("{services:?}").contains("1234"));
        assert_eq!(Key::new("  "), None);
    }
}
