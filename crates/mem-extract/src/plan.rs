//! From what was learned to operations on memories: new ones, changed ones, those that say it already, those that no
//! longer hold.

use mem_store::Moment;
use mem_text::{cut, secrets};
use mem_types::extract::{Extract, Operation, Refused, SessionRule, Source};

use crate::claims::{self, Claim, Lesson, Type};
use crate::compare::{self, Known, Memory, Outcome};
use crate::conversation::Conversation;
use crate::instruct;
use crate::retraction;
use crate::terms::{contained, terms};
use crate::wording::{self, Draft};

/// How wide a quotation may be.
const QUOTE_COLUMNS: usize = 160;
/// How much of an old text the plan shows.
const OLD_COLUMNS: usize = 600;

/// Returns the plan for a conversation.
///
/// What is known is read only when there is something to set against it: most turns teach nothing.
pub fn plan(
    conversation: &Conversation,
    known: impl FnOnce() -> Known,
    rules_before: &[SessionRule],
    now: &Moment,
) -> Extract {
    let mut lesson = claims::gather_by(&conversation.utterances, &conversation.policy);
    lesson.claims.extend(conversation.noted.iter().cloned());
    let wishes = instruct::take(&conversation.utterances, &mut lesson);
    if let Some(wish) = &conversation.remember {
        claims::remember(wish, &mut lesson);
    }
    let day = now.zoned().date().to_string();
    let mut extract = Extract::default();
    let is_idle = lesson.claims.is_empty() && lesson.withdrawn.is_empty() && wishes.is_empty();
    let known = if is_idle { Known::default() } else { known() };
    for claim in &lesson.claims {
        add(&mut extract, claim, &known, &day);
    }
    for wish in &wishes {
        if known.instructions.iter().flat_map(|text| text.lines()).any(|line| compare::repeats(&wish.text, line)) {
            extract.refused.push(refused(&wish.text, "already in instructions", &wish.source.0));
        } else {
            extract.operations.push(instruct::operation(wish));
        }
    }
    for claim in &lesson.withdrawn {
        withdraw(&mut extract, claim, &known, &day);
    }
    extract
        .refused
        .splice(0..0, lesson.refused.iter().map(|refusal| refused(&refusal.text, refusal.reason, &refusal.id)));
    extract.refused.extend(conversation.quarantined.iter().map(|found| {
        refused(&found.text, &format!("stands in the output of {}, and is not the user's wish", found.tool), &found.id)
    }));
    extract.needs = needs(&lesson, rules_before);
    extract.session_rules = session_rules(&lesson, rules_before);
    if extract.operations.is_empty() && extract.session_rules.len() == rules_before.len() {
        extract.reason = Some(nothing_because(conversation, &extract).into());
    }
    extract
}

/// Refuses by name what is beyond the limit.
pub fn limit(extract: &mut Extract, most: u64) {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    while extract.operations.len() > most
        && let Some(operation) = extract.operations.pop()
    {
        let id = operation.sources.first().map(|source| source.message_id.clone());
        let reason = format!("beyond --max-operations {most}");
        extract.refused.push(Refused { text: operation.description, reason, message_id: id });
    }
}

fn nothing_because(conversation: &Conversation, extract: &Extract) -> &'static str {
    if conversation.utterances.is_empty() && conversation.noted.is_empty() && conversation.remember.is_none() {
        "the user has typed nothing since the last time"
    } else if !extract.refused.is_empty() {
        "nothing that was said may be kept"
    } else {
        "nothing that was said lasts"
    }
}

fn add(extract: &mut Extract, claim: &Claim, known: &Known, day: &str) {
    let draft = wording::word(claim);
    let operation = match compare::compare(claim, &draft, known) {
        Outcome::Create => create(&extract.operations, known, claim, draft),
        Outcome::Reinforces(line) => {
            Operation { reinforces: Some(line), ..create(&extract.operations, known, claim, draft) }
        }
        Outcome::Same(at) => same(&known.memories[at], claim),
        Outcome::Update(at) => update(&known.memories[at], claim, &draft, day),
        Outcome::InInstructions => {
            let id = claim.sources.first().map(|source| source.id.as_str()).unwrap_or_default();
            extract.refused.push(refused(&claim.text(), "already in instructions", id));
            return;
        }
    };
    // Two sentences about one memory become one change, and the later one holds.
    extract
        .operations
        .retain(|other| other.path != operation.path || matches!(other.op.as_str(), "create" | "append-instruction"));
    extract.operations.push(operation);
}

fn create(planned: &[Operation], known: &Known, claim: &Claim, draft: Draft) -> Operation {
    let is_taken = |path: &str| {
        let same = |other: &str| other.eq_ignore_ascii_case(path);
        planned.iter().any(|operation| same(&operation.path)) || known.memories.iter().any(|memory| same(&memory.path))
    };
    Operation {
        op: "create".into(),
        path: free_path(&draft.path, is_taken),
        kind: draft.kind.word().into(),
        name: draft.name,
        description: draft.description,
        body: draft.body,
        why: draft.why,
        sources: sources(claim),
        ..Operation::default()
    }
}

pub(crate) fn free_path(path: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let stem = path.trim_end_matches(".md");
    let mut free = path.to_owned();
    for number in 2.. {
        if !is_taken(&free) {
            break;
        }
        free = format!("{stem}_{number}.md");
    }
    free
}

fn same(memory: &Memory, claim: &Claim) -> Operation {
    Operation { op: "none".into(), why: "a memory says it already".into(), sources: sources(claim), ..of(memory) }
}

fn update(memory: &Memory, claim: &Claim, draft: &Draft, day: &str) -> Operation {
    let kind = Type::of(&memory.kind).unwrap_or(draft.kind);
    Operation {
        op: "update".into(),
        kind: kind.word().into(),
        description: draft.description.clone(),
        body: compare::updated_body(draft, memory, day),
        why: draft.why.clone(),
        sources: sources(claim),
        sha256: memory.sha256.clone(),
        was: Some(cut::ellipsis(&memory.body.replace('\n', " "), OLD_COLUMNS).into_owned()),
        ..of(memory)
    }
}

fn withdraw(extract: &mut Extract, claim: &Claim, known: &Known, day: &str) {
    let Some(at) = compare::withdrawn(claim, &known.memories) else { return };
    let memory = &known.memories[at];
    let masked = secrets::mask(&claim.text()).into_owned();
    let quote = cut::ellipsis(&masked, QUOTE_COLUMNS);
    extract.operations.retain(|other| other.path != memory.path);
    let is_to_go = retraction::wants_it_gone(&claim.text());
    extract.operations.push(Operation {
        op: if is_to_go { "archive" } else { "supersede" }.into(),
        body: if is_to_go { memory.body.clone() } else { wording::ended(&memory.body, day, &quote) },
        why: if is_to_go { "to be forgotten, says the user" } else { "taken back by the user" }.into(),
        sources: sources(claim),
        sha256: memory.sha256.clone(),
        was: Some(cut::ellipsis(&memory.body.replace('\n', " "), OLD_COLUMNS).into_owned()),
        ..of(memory)
    });
}

pub(crate) fn of(memory: &Memory) -> Operation {
    Operation {
        path: memory.path.clone(),
        kind: memory.kind.clone(),
        name: memory.name.clone(),
        description: memory.description.clone(),
        body: memory.body.clone(),
        ..Operation::default()
    }
}

fn sources(claim: &Claim) -> Vec<Source> {
    let source = |source: &claims::Source| Source { message_id: source.id.clone(), quote: shortened(&source.quote) };
    claim.sources.iter().map(source).collect()
}

fn refused(text: &str, reason: &str, id: &str) -> Refused {
    Refused {
        text: shortened(text),
        reason: reason.into(),
        message_id: Some(id.into()).filter(|id: &String| !id.is_empty()),
    }
}

fn shortened(text: &str) -> String {
    cut::ellipsis(&secrets::mask(&text.replace('\n', " ")), QUOTE_COLUMNS).into_owned()
}

/// Returns the session's rules with those of now, each once.
fn session_rules(lesson: &Lesson, before: &[SessionRule]) -> Vec<SessionRule> {
    let mut rules = before.to_vec();
    for rule in &lesson.session_rules {
        let rule = SessionRule { text: secrets::mask(&rule.text).into_owned(), message_id: rule.id.clone() };
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    rules
}

/// Returns what must be asked: what was surprising about a list, and whether what was said twice for once is to last.
fn needs(lesson: &Lesson, before: &[SessionRule]) -> Vec<String> {
    let mut needs: Vec<String> = lesson.needs.iter().map(|(_, need)| (*need).to_owned()).collect();
    let mut earlier: Vec<String> = before.iter().map(|rule| rule.text.clone()).collect();
    for rule in &lesson.session_rules {
        let is_again = earlier.iter().any(|text| contained(&terms(text), &terms(&rule.text)) >= 0.6);
        if is_again && !before.iter().any(|old| old.message_id == rule.id && old.text == rule.text) {
            needs.push(format!("said more than once for now only: '{}'; is it to last?", shortened(&rule.text)));
        }
        earlier.push(rule.text.clone());
    }
    needs
}
