//! Layer 4: what a conversation taught, as a plan of changes to the memory folder; carried out when asked.

mod apply;
pub mod args;
mod chinese;
mod claims;
mod compare;
mod conversation;
mod cue;
mod days;
mod english;
mod file;
mod flow;
mod gate;
mod instruct;
mod known;
mod material;
mod naming;
mod numbers;
mod phrase;
mod plan;
mod policy;
mod quarantine;
mod reading;
mod retraction;
mod revision;
mod sink;
mod strategy;
mod terms;
mod text;
mod typed;
mod verdict;
mod wording;

use mem_store::{MemoryFolder, World};
use mem_types::extract::{Extract, ExtractSession, Operation};
use mem_types::{Answer, Document, Failure, Problems};

use crate::conversation::Conversation;
use crate::policy::Policy;
use crate::strategy::{InVain, Lesson};

pub use args::{Args, Strategy};

/// A policy is a page or two.
const MOST_POLICY: u64 = 64 * 1024;

/// Returns what the conversation taught since the last time, and with `--apply` writes it.
///
/// # Errors
/// With `--apply`: when nothing names the folder to write to, when it is no memory folder, or when the disk fails.
pub fn run(args: &Args, document: &Document, world: &World) -> Result<Answer<Extract>, Failure> {
    let mut problems = Problems::new("mem-extract");
    if let Some(reason) = is_not_ours(document, world) {
        return Ok(Answer::new(skipped(reason), problems, text::render));
    }
    let folders = world.memory_folders(document, &mut problems);
    let Some(folder) = folders.first() else {
        return Ok(Answer::new(skipped("there is no memory folder"), problems, text::render));
    };
    if args.apply
        && let Some(operations) = standing(document)?
    {
        let mut extract: Extract = document.read("extract", &mut problems).unwrap_or_default();
        extract.operations = operations;
        return finish(args, document, world, folder, extract, problems);
    }
    if args.detach && !world.environment().is_background {
        return Ok(Answer::new(flow::detach(document, world)?, problems, text::render));
    }
    if args.improve {
        let extract = improve(args, document, world, folder, &mut problems)?;
        return finish(args, document, world, folder, extract, problems);
    }
    if args.apply && world.may_write() {
        return flow::in_turn(args, document, world, folder, problems);
    }
    let mut session = world.session_part::<ExtractSession>(document, "extract").unwrap_or_default();
    let extract = learn(args, document, world, folder, &mut session, &mut problems);
    finish(args, document, world, folder, extract, problems).map(|answer| answer.keep(&session))
}

/// Returns a plan of better descriptions.
fn improve(
    args: &Args,
    document: &Document,
    world: &World,
    folder: &MemoryFolder,
    problems: &mut Problems,
) -> Result<Extract, Failure> {
    let Some(asking) = args.ways(world.environment()).asking else {
        return Err(
            Failure::new("no-model", "--improve asks a model, and none is named").with_hint("name one with --llm")
        );
    };
    let known = known::read(document, world, folder, problems);
    strategy::improve(&asking, folder, &known, problems)
        .map_err(|InVain(fault)| Failure::new(fault.code(), fault.to_string()).with_hint(fault.hint()))
}

/// Returns why this document is not to be read at all: it would feed on itself.
fn is_not_ours(document: &Document, world: &World) -> Option<&'static str> {
    let text = |key: &str| document.try_read::<String>(key).ok().flatten().unwrap_or_default();
    let is_active: bool = document.try_read("stop_hook_active").ok().flatten().unwrap_or_default();
    if world.environment().is_inside {
        Some("its own session: the program that runs this was started by mem")
    } else if is_active {
        Some("stop_hook_active: the agent is running because of a hook")
    } else if !text("agent_id").is_empty() || text("hook_event_name") == "SubagentStop" {
        Some("agent_id: a subagent's conversation is not the user's")
    } else {
        None
    }
}

fn skipped(reason: &str) -> Extract {
    Extract { state: "skipped".into(), reason: Some(reason.into()), ..Extract::default() }
}

/// Returns the operations of a plan that stands in the document, also when all were taken out of it by hand.
///
/// What an earlier run left that found nothing is no plan.
fn standing(document: &Document) -> Result<Option<Vec<Operation>>, Failure> {
    let Some(extract) = document.get("extract").and_then(|raw| Document::parse(raw).ok()) else { return Ok(None) };
    let operations = extract.try_read::<Vec<Operation>>("operations").map_err(|reason| {
        Failure::new("bad-plan", format!("the plan in 'extract.operations' cannot be read: {reason}"))
            .with_hint("mend it, or take 'extract' out to plan again")
    })?;
    let state = extract.try_read::<String>("state").ok().flatten().unwrap_or_default();
    let is_old_news = state == "nothing" || state == "skipped";
    Ok(operations.filter(|operations| !operations.is_empty() || !is_old_news))
}

/// Reads the conversation from the cursor on and returns the plan; moves the cursor.
fn learn(
    args: &Args,
    document: &Document,
    world: &World,
    folder: &MemoryFolder,
    session: &mut ExtractSession,
    problems: &mut Problems,
) -> Extract {
    start_turn(session, world.turn(document));
    let mut conversation = match args.from {
        Some(args::From::Logs) => sink::read(folder, world, problems),
        None => conversation::read(document, world, &folder.dir, session.before.as_deref(), problems),
    };
    conversation.policy = policy(args, world, problems);
    let mut extract = match leave_alone(args, &conversation) {
        Some((reason, is_waiting)) => {
            if !is_waiting {
                session.after = conversation.cursor.clone().or(session.before.take());
            }
            let wishes = conversation.only_remembered();
            if wishes.utterances.is_empty() && wishes.remember.is_none() {
                return Extract { cursor: session.after.clone(), ..skipped(&reason) };
            }
            let known = || known::read(document, world, folder, problems);
            plan::plan(&wishes, known, &session.rules_before, world.now())
        }
        None => {
            let rules_before = &session.rules_before;
            let lesson = Lesson { document, world, folder, conversation: &conversation, rules_before };
            match by_strategy(args, &lesson, problems) {
                Ok(extract) => {
                    session.after = conversation.cursor.clone().or_else(|| session.before.clone());
                    extract
                }
                Err(fault) => {
                    session.after = session.before.clone();
                    after_asking_in_vain(&lesson, &fault, problems)
                }
            }
        }
    };
    session.rules = extract.session_rules.clone();
    extract.cursor = session.after.clone();
    extract
}

fn by_strategy(args: &Args, lesson: &Lesson<'_>, problems: &mut Problems) -> Result<Extract, InVain> {
    let mut found = Problems::new("mem-extract");
    let known = || known::read(lesson.document, lesson.world, lesson.folder, &mut found);
    let planned = strategy::plan(&args.ways(lesson.world.environment()), lesson, known, problems);
    problems.extend(found.into_entries());
    planned
}

/// Nothing was learned, and the same messages are read again next time. Only a direct wish needs no model.
fn after_asking_in_vain(lesson: &Lesson<'_>, fault: &InVain, problems: &mut Problems) -> Extract {
    let InVain(fault) = fault;
    problems.error(fault.code(), fault.to_string()).hint(fault.hint());
    let wishes = lesson.conversation.only_remembered();
    if wishes.remember.is_none() {
        return Extract { session_rules: lesson.rules_before.to_vec(), ..skipped(&fault.to_string()) };
    }
    let known = || known::read(lesson.document, lesson.world, lesson.folder, &mut Problems::default());
    plan::plan(&wishes, known, lesson.rules_before, lesson.world.now())
}

fn policy(args: &Args, world: &World, problems: &mut Problems) -> Policy {
    let Some(path) = &args.policy else { return Policy::default() };
    let path = world.resolve(&path.to_string_lossy(), &world.environment().started_in);
    match mem_store::open::read_up_to(&path, MOST_POLICY) {
        Ok(content) => Policy::parse(&String::from_utf8_lossy(&content.bytes)),
        Err(error) => {
            let reason = mem_store::open::reason(&error);
            problems
                .warning("unreadable-policy", format!("the policy cannot be read: {reason}"))
                .path(path.to_string_lossy());
            Policy::default()
        }
    }
}

/// A rerun of the turn that was read last starts where that turn started; any other turn, where that one ended.
fn start_turn(session: &mut ExtractSession, turn: String) {
    if session.turn != turn {
        session.before = session.after.take();
        session.rules_before = std::mem::take(&mut session.rules);
        session.turn = turn;
    }
}

/// Returns why nothing is to be learned now, and whether the messages wait for the next time.
fn leave_alone(args: &Args, conversation: &Conversation) -> Option<(String, bool)> {
    if let Some(path) = &conversation.written_by_agent {
        return Some((format!("the agent wrote memory itself: {path}"), false));
    }
    let typed = conversation.typed as u64;
    if typed > 0 && typed < args.every {
        return Some((format!("{typed} of {} messages typed since the last time", args.every), true));
    }
    None
}

/// Limits the plan, carries it out when asked, and says how it went.
fn finish(
    args: &Args,
    document: &Document,
    world: &World,
    folder: &MemoryFolder,
    mut extract: Extract,
    mut problems: Problems,
) -> Result<Answer<Extract>, Failure> {
    // An error by now is that a model was asked in vain.
    let is_in_vain = problems.has_errors();
    if extract.state == "skipped" {
        let mut answer = Answer::new(extract, problems, text::render);
        answer.is_undone = is_in_vain;
        return Ok(answer);
    }
    plan::limit(&mut extract, args.max_operations);
    let has_work = extract.operations.iter().any(|operation| operation.op != "none");
    extract.state = if has_work { "planned" } else { "nothing" }.into();
    let mut is_undone = false;
    if args.apply && has_work && world.may_write() {
        world.check_target()?;
        is_undone = match args.sink {
            args::Sink::Files => apply::apply(&mut extract.operations, folder, world.now(), &mut problems)?,
            args::Sink::Log => sink::append(&mut extract.operations, folder, world, &mut problems)?,
        };
        instruct::apply(&mut extract.operations, args.allow_instructions, document, world, &mut problems);
        let is_done = |operation: &Operation| {
            matches!(operation.outcome.as_deref(), Some("written" | "unchanged")) || operation.op == "none"
        };
        extract.state = if extract.operations.iter().any(is_done) { "applied" } else { "nothing" }.into();
        if extract.state == "nothing" {
            extract.reason = Some("every operation was refused".into());
        }
    }
    let mut answer = Answer::new(extract, problems, text::render);
    answer.is_undone = is_undone || is_in_vain;
    Ok(answer)
}
