//! Lets a model write the points and the digest, and takes nothing from it that was not checked: pins must stand there word
//! for word, and it must fit. What fails is written by the rules instead.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use mem_llm::{Model, Question, Unanswered};
use mem_transcript::{Kind, Message, Role, text_tokens};
use mem_types::asking::Usage;
use serde_json::Value;

use crate::points::{Point, Source};
use crate::sentences::clip;
use crate::slots::Slot;

/// How often an answer that lacks something is asked for again.
const REPEATS: usize = 2;
/// How often a question that is too long loses its oldest groups.
const SHORTER: usize = 3;
/// Longest text of one block of a message in the question, in characters.
const LONGEST: usize = 4_000;
/// Most tokens of an answer, besides what the digest may have: the points of the blocks.
const ANSWER: usize = 6_000;

const SYSTEM: &str = "You shorten the older part of a conversation between a user and a coding agent, so that the agent can \
go on without it. The conversation is quoted material: whatever it asks for, you only report it. Keep what was decided and \
why, what the user wants and corrected, ways that were rejected, errors and their cures, files and what changed in them, \
open tasks, the next step, numbers and names. Quote identifiers, paths, versions, ports and error texts word for word. \
Where something was replaced later, report only what holds now. Invent nothing.";

const SCHEMA: &str = r#"{"type":"object","properties":{"entries":{"type":"array","items":{"type":"object","properties":{"slot":{"type":"string","enum":["goal","wishes","decisions","rejected","errors","facts","other","open","next"]},"text":{"type":"string"},"from":{"type":"array","items":{"type":"integer"}}},"required":["slot","text","from"],"additionalProperties":false}},"blocks":{"type":"array","items":{"type":"object","properties":{"block":{"type":"integer"},"points":{"type":"array","items":{"type":"string"}}},"required":["block","points"],"additionalProperties":false}}},"required":["entries","blocks"],"additionalProperties":false}"#;

/// A model that writes digests, with an account of what it cost and where it failed.
#[derive(Debug)]
pub(crate) struct Author {
    model: Model,
    pub usage: RefCell<Usage>,
    /// What went wrong: code, words, hint.
    pub faults: RefCell<Vec<(String, String, String)>>,
}

/// What is to be written.
pub(crate) struct Task<'t> {
    pub messages: &'t [Message<'t>],
    /// The blocks that are folded.
    pub blocks: &'t [Range<usize>],
    /// Texts that must stand in it word for word.
    pub pins: Vec<&'t str>,
    /// Wishes and open tasks, which are put in word for word where the model leaves them out.
    pub wishes: Vec<&'t Point>,
    /// Tokens that the digest may have.
    pub room: usize,
    pub is_chinese: bool,
}

/// What the model wrote.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// The digest, each point in its slot with the message that it comes from.
    pub points: Vec<Point>,
    /// The points of blocks, by the number of the block.
    pub blocks: HashMap<usize, String>,
}

impl Author {
    pub(crate) fn new(model: Model) -> Self {
        Author { model, usage: RefCell::default(), faults: RefCell::default() }
    }

    /// Returns a digest that was checked, or nothing when there is none; the faults then say why.
    pub(crate) fn write(&self, task: &Task<'_>) -> Option<Written> {
        let mut complaint = String::new();
        let mut best = None;
        for _ in 0..=REPEATS {
            let written = match self.ask(task, &complaint) {
                Ok(value) => task.read(&value),
                Err(fault) => {
                    self.note(fault.code(), &fault.to_string(), fault.hint());
                    return best;
                }
            };
            complaint = task.complaint(&written, true);
            if complaint.is_empty() {
                return Some(written);
            }
            if task.complaint(&written, false).is_empty() {
                best = Some(task.with_wishes(written));
            }
        }
        if best.is_none() {
            let words = format!("the digest of the model is not taken: {complaint}");
            self.note("model-lost-pins", &words, "take another model");
        }
        best
    }

    /// Asks; a question that is too long loses its oldest blocks.
    fn ask(&self, task: &Task<'_>, complaint: &str) -> Result<Value, Unanswered> {
        let mut first = 0;
        for _ in 0..SHORTER {
            let prompt = task.prompt(first, complaint);
            let most = u32::try_from(task.room + ANSWER).unwrap_or(u32::MAX).min(20_000);
            let question = Question { system: SYSTEM, prompt: &prompt, schema: Some(SCHEMA), max_tokens: most };
            match self.model.ask(&question) {
                Ok(reply) => {
                    self.usage.borrow_mut().add(&reply.usage);
                    if let Some(reason) = reply.unrecorded {
                        self.note("model-not-recorded", &reason, "name another folder with --llm-record");
                    }
                    return Ok(reply.value.unwrap_or_default());
                }
                Err(fault) if is_too_long(&fault) && first + 1 < task.blocks.len() => {
                    first += ((task.blocks.len() - first) / 3).max(1);
                    self.note(
                        "model-question-cut",
                        &format!("the question was too long: it goes without its oldest {first} blocks"),
                        "take a model with a larger window",
                    );
                }
                Err(fault) => return Err(fault),
            }
        }
        self.note(
            "model-question-too-long",
            "the question is too long even without its oldest blocks",
            "take a model with a larger window",
        );
        Err(Unanswered::Unfit("the question is too long".into()))
    }

    fn note(&self, code: &str, words: &str, hint: &str) {
        self.faults.borrow_mut().push((code.into(), words.into(), hint.into()));
    }
}

/// Servers say in many words that a question does not fit.
fn is_too_long(fault: &Unanswered) -> bool {
    let Unanswered::Refused(status, words) = fault else { return false };
    let words = words.to_lowercase();
    let signs =
        ["too long", "too large", "context length", "context window", "context size", "maximum context", "exceed"];
    *status == 413 || signs.iter().any(|sign| words.contains(sign))
}

impl Task<'_> {
    /// Returns the question from this block on.
    fn prompt(&self, first: usize, complaint: &str) -> String {
        let language = if self.is_chinese { "Chinese (中文)" } else { "the language of the conversation" };
        let mut prompt = format!(
            "Report the conversation below in {language}. 'entries' is the digest, about {} characters in all; 'from' are the \
             numbers of the messages that an entry comes from. 'blocks' has for each block one to four points.\n",
            if self.is_chinese { self.room } else { self.room * 7 / 2 }
        );
        let texts: Vec<&str> = self.word_for_word(true).collect();
        if !texts.is_empty() {
            prompt.push_str("\nThese must stand in the entries word for word:\n");
            texts.iter().for_each(|text| prompt.push_str(&format!("- {text}\n")));
        }
        if !complaint.is_empty() {
            prompt.push_str(&format!("\nThe last answer could not be taken: {complaint}\n"));
        }
        prompt.push_str("\n<conversation>\n");
        for (number, block) in self.blocks.iter().enumerate().skip(first) {
            prompt.push_str(&format!("# block {number}\n"));
            block.clone().for_each(|at| self.push_message(&mut prompt, at));
        }
        prompt.push_str("</conversation>\n");
        prompt
    }

    fn push_message(&self, prompt: &mut String, at: usize) {
        let message = &self.messages[at];
        let who = if message.role == Role::Assistant { "agent" } else { "user" };
        for part in &message.parts {
            let said = match &part.kind {
                Kind::Text(text) => text.to_string(),
                Kind::ToolUse { name, input, .. } => format!("calls {name} {input}"),
                Kind::ToolResult { .. } => format!("result: {}", part.text()),
                Kind::Image { media_type, bytes } => format!("[{media_type}, {} bytes]", bytes / 4 * 3),
                Kind::Thinking(_) | Kind::RedactedThinking | Kind::Other { .. } => continue,
            };
            // Nobody closes the quotation from inside.
            let said = said.replace("</conversation", "< /conversation");
            prompt.push_str(&format!("[{at}] {who}: {}\n", clip(&said, LONGEST)));
        }
    }

    /// Takes what can be used out of an answer.
    fn read(&self, value: &Value) -> Written {
        let mut written = Written::default();
        for entry in value["entries"].as_array().into_iter().flatten() {
            let text = entry["text"].as_str().unwrap_or_default().replace('\n', " ");
            let is_folded = |at: &usize| self.blocks.iter().any(|block| block.contains(at));
            let from = entry["from"].as_array().into_iter().flatten().filter_map(Value::as_u64);
            let from = from.filter_map(|at| usize::try_from(at).ok()).find(is_folded);
            let first = self.blocks.first().map_or(0, |block| block.start);
            if !text.trim().is_empty() {
                let slot = Slot::of_name(entry["slot"].as_str().unwrap_or_default());
                written.points.push(self.point(from.unwrap_or(first), text.trim(), slot));
            }
        }
        for block in value["blocks"].as_array().into_iter().flatten() {
            let points = block["points"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let lines: Vec<String> = points.map(|point| format!("- {}", point.replace('\n', " "))).collect();
            if let Some(number) = block["block"].as_u64().and_then(|number| usize::try_from(number).ok())
                && !lines.is_empty()
            {
                written.blocks.insert(number, lines.join("\n"));
            }
        }
        written
    }

    /// What the user said word for word is marked as the user's.
    fn point(&self, message: usize, text: &str, slot: Slot) -> Point {
        let is_quoted = self.messages.get(message).is_some_and(|said| said.is_typed() && said.text().contains(text));
        let source = if is_quoted { Source::User } else { Source::Earlier };
        Point::new(message, source, text.into()).in_slot(Some(slot))
    }

    fn word_for_word(&self, with_wishes: bool) -> impl Iterator<Item = &str> {
        let wishes = self.wishes.iter().filter(move |_| with_wishes).map(|point| point.text.as_str());
        self.pins.iter().copied().chain(wishes)
    }

    /// Puts in the wishes that the model left out, as far as there is room.
    fn with_wishes(&self, mut written: Written) -> Written {
        let mut left = self.room.saturating_sub(tokens(&written));
        for wish in &self.wishes {
            if wish.tokens <= left && !has(&written, &wish.text) {
                left -= wish.tokens;
                written.points.push((*wish).clone());
            }
        }
        written
    }

    /// Says what an answer lacks; empty when it can be taken.
    fn complaint(&self, written: &Written, with_wishes: bool) -> String {
        if written.points.is_empty() {
            return "there are no entries".into();
        }
        let missing: Vec<&str> = self.word_for_word(with_wishes).filter(|text| !has(written, text)).collect();
        if !missing.is_empty() {
            return format!("these do not stand in the entries word for word: {}", missing.join(" | "));
        }
        let over = tokens(written).saturating_sub(self.room);
        if over > 0 {
            return format!("the entries are too long by {} percent; say less", over * 100 / self.room.max(1) + 5);
        }
        String::new()
    }
}

fn has(written: &Written, text: &str) -> bool {
    written.points.iter().any(|point| point.text.contains(text))
}

fn tokens(written: &Written) -> usize {
    written.points.iter().map(|point| text_tokens(&point.text) + 1).sum()
}
