//! Someone else chooses: a language model or a program of the user's, from a short list of heads. Whatever goes wrong
//! there, the offline choice stands and the reason is told.

mod manifest;
mod model;
mod program;

use mem_exec::Fault;
use mem_llm::{Model, Unanswered};
use mem_store::{Environment, Memory, Moment};
use mem_text::{secrets, width};
use mem_types::Problems;
use mem_types::asking::Usage;
use serde_json::Value;

use crate::Args;
use crate::names::Names;
use manifest::Manifest;

/// So many names that are in no list are told one by one.
const MOST_UNKNOWN: usize = 5;
/// Characters of such a name that are told.
const UNKNOWN_SHOWN: usize = 80;
/// So many names of an answer are looked up; no list is longer.
const MOST_NAMES: usize = 500;

/// What is wanted of a selector.
pub struct Wanted<'a> {
    /// What the user asks.
    pub question: &'a str,
    /// Tools that were used lately.
    pub tools: &'a [String],
    /// The most memories.
    pub max_files: u64,
    /// By which ages are counted.
    pub now: &'a Moment,
}

/// What a selector has chosen.
pub struct Selected {
    /// Places in the list of memories, in the selector's order, each once.
    pub places: Vec<usize>,
    /// How many memories it had to choose from.
    pub shown: usize,
    /// What it cost, where that is known.
    pub usage: Option<Usage>,
}

/// Why a selector was asked in vain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InVain {
    /// What it cost all the same.
    pub usage: Option<Usage>,
    code: &'static str,
    message: String,
    hint: &'static str,
}

/// Who chooses instead of the ranking.
pub enum Selector {
    /// `--llm`.
    Model(Box<Model>),
    /// `--selector`, with the seconds it may take.
    Program(String, u64),
}

impl Selector {
    /// Returns who was asked for, or nothing when the ranking is to choose. A program goes before a model.
    pub fn of(args: &Args, environment: &Environment) -> Option<Self> {
        match &args.selector {
            Some(command) => Some(Self::Program(command.clone(), args.model.llm_timeout)),
            None => args.model.asking(environment).map(|asking| Self::Model(Box::new(Model::new(asking)))),
        }
    }

    /// Returns the word by which the answer names it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Model(_) => "model",
            Self::Program(..) => "program",
        }
    }

    /// Asks which of `memories` help. `likely` has the places of those that are to be listed first where not all can be.
    ///
    /// # Errors
    /// With the reason, when there is no answer that can be used.
    pub fn choose(
        &self,
        wanted: &Wanted<'_>,
        memories: &[&Memory],
        likely: &[usize],
        problems: &mut Problems,
    ) -> Result<Selected, InVain> {
        let manifest = Manifest::new(memories, likely, wanted.now);
        let left = memories.len() - manifest.places.len();
        if left > 0 {
            problems.info(
                "list-cut",
                format!(
                    "the {} chose among {} of {} memories: those nearest to the prompt by their words, then the newest",
                    self.name(),
                    manifest.places.len(),
                    memories.len()
                ),
            );
        }
        let (value, usage) = match self {
            Self::Model(model) => model::ask(model, wanted, &manifest, problems)?,
            Self::Program(command, seconds) => (program::ask(command, *seconds, wanted, &manifest)?, None),
        };
        let checked = self.checked(&value, memories, &manifest.places, problems);
        let places = checked.map_err(|reason| InVain { usage: usage.clone(), ..reason })?;
        Ok(Selected { places, shown: manifest.places.len(), usage })
    }

    /// Returns the places of the names in an answer; names that are in no list are told.
    fn checked(
        &self,
        value: &Value,
        memories: &[&Memory],
        listed: &[usize],
        problems: &mut Problems,
    ) -> Result<Vec<usize>, InVain> {
        let names = value.as_array().or_else(|| value["paths"].as_array()).map(Vec::as_slice).unwrap_or_default();
        let known = Names::of(listed.iter().map(|place| memories[*place]));
        let (mut places, mut unknown) = (Vec::new(), Vec::new());
        for name in names.iter().take(MOST_NAMES) {
            let text = name.as_str().or_else(|| name["path"].as_str());
            match text.and_then(|text| known.find(text)) {
                Some(index) if places.contains(&listed[index]) => {}
                Some(index) => places.push(listed[index]),
                None => unknown.push(text.map_or_else(|| name.to_string(), str::to_owned)),
            }
        }
        for name in unknown.iter().take(MOST_UNKNOWN) {
            let name: String = name.chars().take(UNKNOWN_SHOWN).collect();
            let name = secrets::mask(&width::escape_line(&name)).into_owned();
            problems.info("unknown-name", format!("the {} named '{name}', which is not in its list", self.name()));
        }
        let more = unknown.len().saturating_sub(MOST_UNKNOWN) + names.len().saturating_sub(MOST_NAMES);
        if more > 0 {
            problems.info("unknown-name", format!("and {more} more names that are not in its list"));
        }
        if places.is_empty() && !unknown.is_empty() {
            return Err(InVain {
                usage: None,
                code: "unknown-names-only",
                message: format!("the {} named only memories that are not in its list", self.name()),
                hint: "take another one",
            });
        }
        Ok(places)
    }
}

impl InVain {
    /// Reports it, and returns its sentence.
    pub fn told(self, problems: &mut Problems) -> String {
        problems.warning(self.code, format!("{}; the offline ranking chose", self.message)).hint(self.hint);
        self.message
    }
}

impl From<Unanswered> for InVain {
    fn from(fault: Unanswered) -> Self {
        Self { usage: None, code: fault.code(), message: fault.to_string(), hint: fault.hint() }
    }
}

impl From<Fault> for InVain {
    fn from(fault: Fault) -> Self {
        Self {
            usage: None,
            code: fault.code(),
            message: fault.to_string(),
            hint: "run the selector by hand with a question on stdin",
        }
    }
}
