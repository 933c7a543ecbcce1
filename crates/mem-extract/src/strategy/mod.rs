//! The ways to learn from a conversation: by rules, by one question to a model, or by a fork of the conversation itself.
//!
//! What a model proposes goes through the same checks as what the rules find, and a few more: see `checks`.

mod checks;
mod fork;
mod forked;
mod improve;
mod oneshot;
mod prompts;

use std::path::PathBuf;

use mem_llm::{Model, Unanswered};
use mem_store::{MemoryFolder, World};
use mem_types::asking::Asking;
use mem_types::extract::{Extract, SessionRule};
use mem_types::{Document, Problems};

use crate::args::Strategy;
use crate::compare::Known;
use crate::conversation::Conversation;
use crate::plan;

/// How a model is to be used.
#[derive(Debug)]
pub struct Ways {
    /// What was asked for.
    pub strategy: Strategy,
    /// Which model is asked, if any.
    pub asking: Option<Asking>,
    /// What a fork may read besides the project and the memory folder.
    pub fork_read: Vec<PathBuf>,
}

/// What a strategy works on.
pub struct Lesson<'a> {
    /// The document.
    pub document: &'a Document,
    /// Folders and the moment.
    pub world: &'a World,
    /// The memory folder.
    pub folder: &'a MemoryFolder,
    /// What the user said since the last time.
    pub conversation: &'a Conversation,
    /// What holds for this session already.
    pub rules_before: &'a [SessionRule],
}

/// Why a model was asked in vain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InVain(pub Unanswered);

/// Returns the plan, by the strategy that was asked for or the next one that can work here.
///
/// # Errors
/// When a model was asked and gave no answer that can be used: then nothing was learned, and the conversation is to be
/// read again.
pub fn plan(
    ways: &Ways,
    lesson: &Lesson<'_>,
    known: impl FnOnce() -> Known,
    problems: &mut Problems,
) -> Result<Extract, InVain> {
    let by_rules = |conversation: &Conversation, known: &dyn Fn() -> Known| {
        plan::plan(conversation, known, lesson.rules_before, lesson.world.now())
    };
    let has_news = !lesson.conversation.utterances.is_empty();
    let Some(asking) = ways.asking.clone().filter(|_| ways.strategy != Strategy::Rules && has_news) else {
        if ways.asking.is_none() && matches!(ways.strategy, Strategy::Oneshot | Strategy::Fork) {
            let hint = "name one with --llm";
            problems.info("no-model", "no model is named, so the rules were used").hint(hint);
        }
        let known = known();
        return Ok(by_rules(lesson.conversation, &|| known.clone()));
    };
    let model = Model::new(asking.clone());
    let known = known();
    // A direct wish needs no model.
    let wishes =
        Conversation { quarantined: lesson.conversation.quarantined.clone(), ..lesson.conversation.only_remembered() };
    let mut extract = by_rules(&wishes, &|| known.clone());
    extract.reason = None;
    if ways.strategy == Strategy::Fork {
        match fork::body(lesson.document, &model) {
            Ok(body) => {
                forked::run(ways, &asking, body, lesson, &known, &mut extract, problems)?;
                return Ok(ended(extract));
            }
            Err(reason) => {
                problems
                    .info("no-fork", format!("the conversation cannot be forked: {reason}; one question was asked"));
            }
        }
    }
    oneshot::run(&model, lesson, &known, &mut extract, problems)?;
    Ok(ended(extract))
}

/// Returns a plan of better descriptions and triggers for memories that have poor ones.
///
/// # Errors
/// When the model gave no answer that can be used.
pub fn improve(
    asking: &Asking,
    folder: &MemoryFolder,
    known: &Known,
    problems: &mut Problems,
) -> Result<Extract, InVain> {
    improve::run(&Model::new(asking.clone()), folder, known, problems)
}

fn ended(mut extract: Extract) -> Extract {
    if extract.operations.is_empty() && extract.session_rules.is_empty() {
        let reason = if extract.refused.is_empty() {
            "the model found nothing that lasts"
        } else {
            "nothing that the model proposed may be kept"
        };
        extract.reason = Some(reason.into());
    }
    extract
}
