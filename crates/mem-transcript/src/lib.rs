//! Reads conversations: session files of agents and the `messages` of a document, both into one form.
//!
//! Pure: bytes in, values out. What was damaged is told and passed over; what is not known passes through raw.
//! It says who really speaks, groups messages into turns and blocks, and pairs tool calls with their results.
//! What to keep or learn from a conversation is left to the commands.

mod codex;
mod document;
mod envelope;
mod gemini;
mod json;
mod message;
mod openai;
mod problem;
mod record;
mod session_file;
mod source;
mod speaker;
mod survey;
mod thread;
mod tokens;
mod tools;
mod transcript;
mod turns;

pub use document::{Messages, read_messages};
pub use message::{Kind, Message, Part, Role, Speaker, head};
pub use problem::Problem;
pub use session_file::{SessionFile, read_session, read_session_bytes};
pub use speaker::{SUMMARY_MARK, is_host_text, is_interruption, own_words, without_host_blocks};
pub use tokens::{IMAGE_TOKENS, MESSAGE_TOKENS, TOOL_TOKENS, budget_tokens, json_tokens, part_tokens, text_tokens};
pub use tools::{Pairs, Place, Touch, Unpaired, files_touched, files_written_in, recent_tools, tool_pairs};
pub use transcript::{Boundary, Format, Transcript};
pub use turns::{Block, Turn, blocks, last_typed, turns, was_interrupted};
