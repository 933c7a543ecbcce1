//! The options of the four commands that can ask a language model. mem-load and mem-index have none of them.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use mem_store::Environment;
use mem_types::asking::{Asking, Spec};

/// Names of these options: `MEM_LLM` holds for all commands, `MEM_RECALL_LLM` for one and goes before it.
pub const IDS: [&str; 4] = ["llm", "llm_url", "llm_record", "llm_timeout"];

/// Which model is asked, and how. Nothing is asked without `--llm`.
///
/// A command that asks flattens this into its args.rs (`#[command(flatten)] pub model: mem_cli::ModelOptions`), names
/// the four options in its man page, and asks with `args.model.asking(world.environment())`; see mem-llm.
#[derive(Debug, Clone, Default, Args)]
pub struct ModelOptions {
    /// Ask a model: anthropic:NAME, openai:NAME, exec:COMMAND, replay:DIR, or off
    #[arg(long, value_name = "SPEC", value_parser = checked)]
    pub llm: Option<String>,

    /// Where the model's server is; for openai: also Ollama, llama.cpp, vLLM
    #[arg(long, value_name = "URL", value_parser = address)]
    pub llm_url: Option<String>,

    /// Keep each question and answer in DIR, secrets masked, for replay:DIR
    #[arg(long, value_name = "DIR")]
    pub llm_record: Option<PathBuf>,

    /// Seconds that one question may take in all
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub llm_timeout: u64,
}

impl ModelOptions {
    /// Returns which model is to be asked and how, or nothing when none is. Relative folders count from where we were
    /// started.
    #[must_use]
    pub fn asking(&self, environment: &Environment) -> Option<Asking> {
        let spec = match Spec::parse(self.llm.as_deref()?).ok()?? {
            Spec::Replay(dir) => Spec::Replay(environment.started_in.join(dir)),
            spec => spec,
        };
        Some(Asking {
            spec,
            url: self.llm_url.clone(),
            record: self.llm_record.as_ref().map(|dir| environment.started_in.join(dir)),
            deadline: Duration::from_secs(self.llm_timeout),
            services: environment.services.clone(),
        })
    }
}

fn checked(text: &str) -> Result<String, String> {
    Spec::parse(text).map(|_| text.to_owned())
}

fn address(text: &str) -> Result<String, String> {
    let text = text.trim().trim_end_matches('/');
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    match rest {
        Some(rest) if !rest.is_empty() && !rest.starts_with('/') => Ok(text.to_owned()),
        _ => Err("an address begins with http:// or https://".into()),
    }
}
