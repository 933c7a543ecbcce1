//! What a model proposes is kept only when it rests on words that the user typed, and passes what every plan must pass.

use std::collections::BTreeSet;

use mem_store::{Moment, change};
use mem_text::similar::{self, Features};
use mem_text::{cut, dates, secrets};
use mem_types::extract::{Extract, Operation, Refused, Source};

use crate::claims::Type;
use crate::compare::{self, Known, Memory};
use crate::policy::Policy;
use crate::reading::Utterance;
use crate::terms::{contained, terms};
use crate::{apply, naming, wording};

/// Columns of what is shown of a refused proposal, and of a quotation.
const SHOWN: usize = 160;
/// Columns of the old text that the plan shows.
const OLD_COLUMNS: usize = 600;
/// Columns of a description.
const DESCRIPTION: usize = 120;
/// Share of its terms that a memory must have in common with the words that it rests on.
const LEAST_SHARE: f64 = 0.2;
/// Letters from which on a sentence of a tool is recognised in a memory.
const LONG_SENTENCE: usize = 24;

/// One memory as a model proposes it.
#[derive(Debug, Clone, Default)]
pub struct Proposal {
    /// `create`, `update` or `supersede`.
    pub op: String,
    /// The memory that is meant; for a new one perhaps a path.
    pub path: String,
    /// The type.
    pub kind: String,
    /// The short name.
    pub name: String,
    /// The line by which it is found again.
    pub description: String,
    /// The text.
    pub body: String,
    /// Why it is to be kept.
    pub why: String,
    /// The user's words on which it rests.
    pub quotes: Vec<String>,
    /// The message that is meant, by its number among the user's.
    pub message: Option<usize>,
}

/// What proposals are held against.
pub struct Checks<'a> {
    /// What the user typed.
    pub utterances: &'a [Utterance],
    /// What tools, pages and the host said.
    pub foreign: &'a [String],
    /// Memories and instructions.
    pub known: &'a Known,
    /// What this project never wants remembered.
    pub policy: &'a Policy,
    /// The moment of the run.
    pub now: &'a Moment,
}

impl Checks<'_> {
    /// Adds the operation that a proposal becomes, or the refusal with its reason.
    pub fn take(&self, proposal: &Proposal, extract: &mut Extract) {
        match self.operation(proposal, &extract.operations) {
            Ok(operation) => {
                extract.operations.retain(|other| other.path != operation.path || other.op == "create");
                extract.operations.push(operation);
            }
            Err(reason) => {
                let hides = reason == "holds a secret";
                let text =
                    if hides { String::new() } else { shown(&format!("{}: {}", proposal.description, proposal.body)) };
                let message_id = proposal.message.map(|at| self.utterances[at].id.clone());
                extract.refused.push(Refused { text, reason, message_id });
            }
        }
    }

    /// Returns where the user typed one of the quotations.
    pub fn said(&self, quotes: &[String]) -> Option<Source> {
        quotes.iter().find_map(|quote| {
            let at = self.place(quote)?;
            Some(Source { message_id: self.utterances[at].id.clone(), quote: shown(quote) })
        })
    }

    fn operation(&self, proposal: &Proposal, planned: &[Operation]) -> Result<Operation, String> {
        self.check_fields(proposal)?;
        let Some(kind) = Type::of(proposal.kind.trim()) else {
            return Err("the type is none of feedback, user, project, reference".into());
        };
        let Some(source) = self.said(&proposal.quotes) else {
            return Err("the model quotes what the user did not say".into());
        };
        let at = proposal.quotes.iter().find_map(|quote| self.place(quote)).unwrap_or_default();
        self.check_ground(proposal, &self.utterances[at])?;
        let proposal = &self.dated(proposal, &self.utterances[at]);
        match proposal.op.as_str() {
            "create" => self.create(proposal, kind, source, planned),
            "update" => self.update(self.memory(proposal)?, proposal, source),
            "supersede" => self.supersede(self.memory(proposal)?, proposal, source),
            _ => Err("no such operation".into()),
        }
    }

    fn check_fields(&self, proposal: &Proposal) -> Result<(), String> {
        let fields = [&proposal.name, &proposal.description, &proposal.body];
        let all = fields.into_iter().chain([&proposal.why, &proposal.path]).chain(&proposal.quotes);
        if all.clone().any(|field| !secrets::find(field).is_empty() || field.contains("[secret:")) {
            return Err("holds a secret".into());
        }
        let needs_text = proposal.op != "supersede";
        if needs_text && fields.iter().any(|field| field.trim().is_empty()) {
            return Err("name, description or body is empty".into());
        }
        if fields.iter().any(|field| !field.trim().is_empty() && apply::is_placeholder(field)) {
            return Err("name, description or body is a placeholder".into());
        }
        if proposal.body.len() > apply::MOST_BODY {
            return Err("the body is longer than a memory".into());
        }
        Ok(())
    }

    /// A memory says what the user said: it shares words with the quotation or what that answers, and no sentence of it
    /// is a tool's.
    fn check_ground(&self, proposal: &Proposal, utterance: &Utterance) -> Result<(), String> {
        let text = format!("{}\n{}", proposal.description, proposal.body);
        let typed = squeezed(&self.utterances.iter().map(|said| said.text.as_str()).collect::<Vec<_>>().join("\n"));
        let is_foreign =
            crate::typed::sentences(&text).iter().map(|sentence| squeezed(&sentence.text)).any(|sentence| {
                sentence.chars().count() >= LONG_SENTENCE
                    && !typed.contains(&sentence)
                    && self.foreign.iter().any(|foreign| foreign.contains(&sentence))
            });
        if is_foreign {
            return Err("it repeats what a tool or a page said".into());
        }
        if self.policy.forbids(&text) {
            return Err("the policy does not want it".into());
        }
        let own = terms(&text);
        let mut ground: BTreeSet<String> = terms(&utterance.text);
        ground.extend(terms(&utterance.before));
        if proposal.op != "supersede" && contained(&own, &ground) < LEAST_SHARE {
            return Err("it says something else than the words that it quotes".into());
        }
        Ok(())
    }

    /// Returns the proposal with dates where it says "tomorrow", reckoned from the message that it rests on.
    fn dated(&self, proposal: &Proposal, utterance: &Utterance) -> Proposal {
        let Some(moment) = &utterance.moment else { return proposal.clone() };
        Proposal {
            description: dates::absolute(&proposal.description, moment),
            body: dates::absolute(&proposal.body, moment),
            ..proposal.clone()
        }
    }

    fn create(
        &self,
        proposal: &Proposal,
        kind: Type,
        source: Source,
        planned: &[Operation],
    ) -> Result<Operation, String> {
        let text = format!("{}\n{}", proposal.description, proposal.body);
        if let Some(memory) = self.nearest(&text) {
            return self.update(memory, proposal, source);
        }
        if planned.iter().any(|other| is_like(&text, &format!("{}\n{}", other.description, other.body))) {
            return Err("the model proposes it twice".into());
        }
        let mut lines = self.known.instructions.iter().flat_map(|text| text.lines());
        if lines.any(|line| compare::repeats(&proposal.description, line)) {
            return Err("already in instructions".into());
        }
        let name = one_line(&proposal.name);
        let wanted = naming::path(kind, &naming::name(&name), &proposal.description);
        let is_taken = |path: &str| {
            let is_same = |other: &str| other.eq_ignore_ascii_case(path);
            planned.iter().any(|other| is_same(&other.path))
                || self.known.memories.iter().any(|memory| is_same(&memory.path))
        };
        let is_usable = change::refusal(&proposal.path).is_none() && !is_taken(&proposal.path);
        let path = if is_usable { proposal.path.clone() } else { crate::plan::free_path(&wanted, is_taken) };
        Ok(Operation {
            op: "create".into(),
            path,
            kind: kind.word().into(),
            name,
            description: description(proposal),
            body: proposal.body.trim().into(),
            why: one_line(&proposal.why),
            sources: vec![source],
            ..Operation::default()
        })
    }

    fn update(&self, memory: &Memory, proposal: &Proposal, source: Source) -> Result<Operation, String> {
        if is_same_text(&proposal.body, &memory.body) {
            return Ok(Operation {
                op: "none".into(),
                why: "a memory says it already".into(),
                sources: vec![source],
                ..crate::plan::of(memory)
            });
        }
        let day = self.now.zoned().date().to_string();
        let old = memory.body.split("\n\n").find(|part| !part.trim().is_empty()).unwrap_or(&memory.description);
        let is_kept = squeezed(&proposal.body).contains(&squeezed(old));
        let body = if is_kept {
            proposal.body.trim().to_owned()
        } else {
            format!("{}\n\n{}", proposal.body.trim(), wording::until(old, &day))
        };
        let kind = Type::of(&memory.kind).or_else(|| Type::of(&proposal.kind)).unwrap_or(Type::Project);
        Ok(Operation {
            op: "update".into(),
            kind: kind.word().into(),
            description: description(proposal),
            body,
            why: one_line(&proposal.why),
            sources: vec![source],
            sha256: memory.sha256.clone(),
            was: Some(cut::ellipsis(&memory.body.replace('\n', " "), OLD_COLUMNS).into_owned()),
            ..crate::plan::of(memory)
        })
    }

    fn supersede(&self, memory: &Memory, proposal: &Proposal, source: Source) -> Result<Operation, String> {
        let day = self.now.zoned().date().to_string();
        let why =
            if proposal.why.trim().is_empty() { "taken back by the user".into() } else { one_line(&proposal.why) };
        Ok(Operation {
            op: "supersede".into(),
            body: wording::ended(&memory.body, &day, &source.quote),
            why,
            sha256: memory.sha256.clone(),
            was: Some(cut::ellipsis(&memory.body.replace('\n', " "), OLD_COLUMNS).into_owned()),
            sources: vec![source],
            ..crate::plan::of(memory)
        })
    }

    /// Models name a memory by its path, with `./` before it or without its ending, or by its name.
    fn memory(&self, proposal: &Proposal) -> Result<&Memory, String> {
        let path = proposal.path.trim().trim_start_matches("./");
        let is_meant = |memory: &&Memory| {
            memory.path == path || memory.path.trim_end_matches(".md") == path || memory.name == path
        };
        let found = self.known.memories.iter().filter(|memory| memory.holds).find(is_meant);
        found.filter(|_| !path.is_empty()).ok_or_else(|| "there is no such memory".into())
    }

    fn nearest(&self, text: &str) -> Option<&Memory> {
        let holding = self.known.memories.iter().filter(|memory| memory.holds);
        holding.into_iter().find(|memory| is_like(text, &format!("{}\n{}", memory.description, memory.body)))
    }

    /// Returns the number of the user's message in which a quotation stands. One of one word says nothing.
    fn place(&self, quote: &str) -> Option<usize> {
        let quote = squeezed(quote);
        let is_long = quote.chars().filter(|letter| letter.is_alphanumeric()).count() >= 4;
        let found = self.utterances.iter().rposition(|said| squeezed(&said.text).contains(&quote));
        found.filter(|at| is_long || !quote.is_empty() && squeezed(&self.utterances[*at].text) == quote)
    }
}

/// Returns text as a refusal shows it.
pub fn shown(text: &str) -> String {
    cut::ellipsis(&secrets::mask(&one_line(text)), SHOWN).into_owned()
}

fn description(proposal: &Proposal) -> String {
    cut::ellipsis(&one_line(&proposal.description), DESCRIPTION).into_owned()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the text in small letters, without the white space and the marks that models like to change.
pub fn squeezed(text: &str) -> String {
    let letters = text.chars().filter(|letter| !letter.is_whitespace());
    let letters = letters.map(|letter| match letter {
        '\u{2018}' | '\u{2019}' | '`' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        other => other,
    });
    letters.flat_map(char::to_lowercase).collect()
}

fn is_same_text(left: &str, right: &str) -> bool {
    squeezed(left) == squeezed(right)
}

fn is_like(left: &str, right: &str) -> bool {
    let likeness = similar::compare(&Features::of(left), &Features::of(right));
    likeness.score >= similar::SAME && !likeness.values_differ
}
