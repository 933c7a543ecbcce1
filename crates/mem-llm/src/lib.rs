//! Asks a language model: the only crate that opens a socket.
//!
//! How a command comes to ask one:
//!
//! 1. args.rs: `#[command(flatten)] pub model: mem_cli::ModelOptions,` gives it `--llm`, `--llm-url`, `--llm-record` and
//!    `--llm-timeout`, with `MEM_LLM` and so on; man/mem-X.1 names the four.
//! 2. Where the model is wanted:
//!
//! ```no_run
//! # fn example(asking: Option<mem_types::asking::Asking>) -> Option<serde_json::Value> {
//! // asking: args.model.asking(world.environment()); nothing without --llm
//! let model = mem_llm::Model::new(asking?);
//! let question = mem_llm::Question {
//!     system: "You choose memories.",
//!     prompt: "Which of these help? ...",
//!     schema: Some(r#"{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"}}},
//!                      "required":["names"],"additionalProperties":false}"#),
//!     max_tokens: 256,
//! };
//! match model.ask(&question) {
//!     Ok(reply) => reply.value,           // fits the schema's outermost level; what is inside is still to be checked
//!     Err(fault) => {
//!         let _ = (fault.code(), fault.to_string());  // a problem for `.problems`, and the offline way is taken
//!         None
//!     }
//! }
//! # }
//! ```
//!
//! `reply.usage` goes to the layer's `usage` ([`mem_types::asking::Usage`]; `add` sums several). Nothing is set up, and no
//! socket opened, before the first question. What is sent is masked; an answer is never trusted in its shape.
//! [`Model::messages`] posts a whole Messages API body as it is, for mem-extract's fork.

mod address;
mod anthropic;
mod fault;
mod http;
mod model;
mod openai;
mod program;
mod record;
mod shape;
mod taking;

pub use fault::Unanswered;
pub use model::{Model, Question, Reply, Turn};
pub use taking::json as take_json;
