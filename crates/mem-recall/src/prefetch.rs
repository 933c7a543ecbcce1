//! The choice made in the background: `--prefetch` starts it, a later call with `--collect` takes it.
//!
//! What is kept between the two is the choice only, by name: the texts are read when it is collected, so that no text is
//! kept twice, and none is given that has changed or gone since.

use std::time::Duration;

use mem_exec::Background;
use mem_store::prepared::{self, Found, Prepared};
use mem_store::{Memory, World};
use mem_text::rank::{Hit, Match, Matched};
use mem_types::asking::Usage;
use mem_types::recall::{PassedOver, Recall};
use mem_types::{Document, Failure, Problem, Problems};
use serde::{Deserialize, Serialize};

use crate::candidates::Candidates;
use crate::choice::Choice;
use crate::decision::Decision;
use crate::pool::Pool;
use crate::seen::Seen;
use crate::selector::Selector;
use crate::serving::{Serving, rounded};
use crate::{Args, end, passed_over, question, tools};

/// How long the child may live.
const DEADLINE: Duration = Duration::from_secs(60);
/// A model may take so many seconds of it: the offline choice must still be kept when it hangs.
const MODEL_SECONDS: u64 = 50;
/// So many of those that were passed over are kept.
const MOST_PASSED: usize = 200;

/// What the child leaves for the call that collects.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    turn: String,
    selector: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    chosen: Vec<Chosen>,
    passed_over: Vec<PassedOver>,
    problems: Vec<Problem>,
}

/// A memory by name, with what is known of its words.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Chosen {
    folder: String,
    path: String,
    score: f64,
    words: Vec<(String, f64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passage: Option<(usize, usize)>,
}

/// Starts the choice and says so. Nothing is started for a prompt that says nothing.
///
/// # Errors
/// When the child cannot be started.
pub fn start(
    args: &Args,
    document: &Document,
    world: &World,
    recall: &mut Recall,
    problems: &mut Problems,
) -> Result<(), Failure> {
    recall.selector = Selector::of(args, world.environment()).map_or("offline", |selector| selector.name()).into();
    let question = match question::of(document, problems) {
        Ok(question) => question,
        Err(reason) => {
            end(recall, "skipped", &reason);
            return Ok(());
        }
    };
    let Some(place) = place(world, recall, problems) else { return Ok(()) };
    let environment = world.environment();
    if let Some(reason) = obstacle(world) {
        end(recall, "skipped", reason);
        return Ok(());
    }
    let child = Background::new(environment.program.clone())
        .arguments(environment.arguments.iter().cloned())
        .folder(&environment.started_in)
        .deadline(DEADLINE);
    let input = for_child(document, world, &question).to_line();
    match place.start(|| child.start(input.as_bytes())) {
        Ok(Ok(_)) => end(recall, "pending", "the choice is made in the background; --collect takes it"),
        Ok(Err(fault)) => return Err(Failure::new(fault.code(), fault.to_string())),
        Err(error) => {
            let reason = prepared::reason(&error);
            problems.error("not-started", format!("nothing can be kept beside the session: {reason}"));
            end(recall, "skipped", "nothing was started in the background");
        }
    }
    Ok(())
}

/// Returns why nothing is to be started.
fn obstacle(world: &World) -> Option<&'static str> {
    if !world.may_write() {
        return Some("nothing is started with --dry-run");
    }
    // A program that was asked to choose may be an agent with this very hook: it would ask itself for ever.
    world.environment().is_inside.then_some("nothing is started within a program that mem has started")
}

/// Returns the place beside the session's file; without one nothing can be kept, which is told.
fn place(world: &World, recall: &mut Recall, problems: &mut Problems) -> Option<Prepared> {
    let session = world.session_file().cloned();
    if session.is_none() {
        let hint = "give --session FILE, or --session auto with a session_id in the document";
        problems.error("no-session", "--prefetch and --collect meet in a session, and there is none").hint(hint);
        end(recall, "skipped", "there is no session");
    }
    session.map(Prepared::of)
}

/// The child needs no conversation, only what was asked after it.
fn for_child(document: &Document, world: &World, question: &str) -> Document {
    let mut own = document.clone();
    let tools = tools::named(document, &mut Problems::default());
    own.remove("messages");
    own.write("recent_tools", &tools);
    own.write("prompt", &question.to_owned());
    own.write("prompt_id", &world.turn(document));
    own
}

/// Makes the choice, as the child, and keeps it. What fails is kept as the reason, since nobody reads what a child prints.
pub fn work(args: &Args, document: &Document, world: &World, problems: &mut Problems) {
    let mut args = args.clone();
    args.model.llm_timeout = args.model.llm_timeout.min(MODEL_SECONDS);
    let kept = kept(&args, document, world, problems);
    let Some(place) = world.session_file().cloned().map(Prepared::of) else { return };
    // A result that cannot be written is one that is not there: the call that collects says so.
    let _ = place.finish(std::process::id(), &mem_types::to_json(&kept));
}

fn kept(args: &Args, document: &Document, world: &World, problems: &mut Problems) -> Kept {
    let turn = world.turn(document);
    let question = document.read::<String>("prompt", problems).unwrap_or_default();
    let seen = Seen::of_all_turns(document, world);
    let failed = |reason: String| Kept {
        turn: turn.clone(),
        reason: Some(reason),
        selector: "offline".into(),
        ..Kept::default()
    };
    let pool = match Pool::read(document, world, problems) {
        Ok(pool) => pool,
        Err(reason) => return failed(reason),
    };
    let decision = match Decision::of(args, world, &question, &seen, &pool, problems) {
        Ok(decision) => decision,
        Err(failure) => return failed(failure.message),
    };
    let named = decision.ranked_over();
    let Decision { eligible, passed_over, choice, .. } = decision;
    Kept {
        turn,
        reason: choice.hits.is_empty().then(|| choice.none_helps(pool.memories().len())),
        chosen: choice.hits.iter().map(|hit| Chosen::of(hit, eligible[hit.index])).collect(),
        passed_over: passed_over.into_iter().chain(named).take(MOST_PASSED).collect(),
        selector: choice.selector,
        fallback: choice.fallback,
        usage: choice.usage,
        problems: std::mem::take(problems).into_entries(),
    }
}

impl Chosen {
    fn of(hit: &Hit, memory: &Memory) -> Self {
        let word = |word: &Matched| (word.word.clone(), rounded(word.part));
        Self {
            folder: memory.folder.to_string_lossy().into_owned(),
            path: memory.path.clone(),
            score: rounded(hit.score),
            words: hit.words.iter().map(word).collect(),
            passage: hit.passage.clone().map(|range| (range.start, range.end)),
        }
    }

    fn hit(&self, index: usize) -> Hit {
        let word = |(word, part): &(String, f64)| Matched { word: word.clone(), part: *part as f32, by: Match::Word };
        Hit {
            index,
            score: self.score as f32,
            share: 0.0,
            words: self.words.iter().map(word).collect(),
            passage: self.passage.map(|(start, end)| start..end),
        }
    }
}

/// Takes what was chosen in the background and serves it; says whether it was there.
///
/// # Errors
/// With `bad-value` when a pattern to exclude is none.
pub fn collect(
    args: &Args,
    document: &Document,
    world: &World,
    seen: &Seen,
    recall: &mut Recall,
    problems: &mut Problems,
) -> Result<bool, Failure> {
    let Some(place) = place(world, recall, problems) else { return Ok(false) };
    let found = place.take(Duration::from_millis(args.wait), mem_exec::background::is_alive);
    let kept = match found {
        Ok(Found::Ready(kept)) => kept,
        Ok(Found::Pending(_)) => {
            end(recall, "late", "the choice in the background is not ready yet");
            return Ok(false);
        }
        Ok(Found::Nothing) => {
            end(recall, "skipped", "nothing was prepared in the background");
            return Ok(false);
        }
        Err(error) => {
            problems.warning(
                "unreadable-choice",
                format!("what was prepared cannot be taken: {}", prepared::reason(&error)),
            );
            end(recall, "skipped", "nothing was prepared in the background");
            return Ok(false);
        }
    };
    let Ok(kept) = serde_json::from_str::<Kept>(&kept) else {
        end(recall, "skipped", "what was prepared in the background cannot be read");
        return Ok(false);
    };
    if names_turn(document) && kept.turn != world.turn(document) {
        end(recall, "skipped", "what was prepared in the background was for another prompt");
        return Ok(false);
    }
    serve(args, document, world, seen, kept, recall, problems)?;
    Ok(true)
}

/// Some events, such as the use of a tool, name no turn in some agents: then the last choice of the session is meant.
fn names_turn(document: &Document) -> bool {
    ["prompt_id", "prompt", "messages"].iter().any(|key| document.has(key))
}

fn serve(
    args: &Args,
    document: &Document,
    world: &World,
    seen: &Seen,
    kept: Kept,
    recall: &mut Recall,
    problems: &mut Problems,
) -> Result<(), Failure> {
    recall.passed_over = kept.passed_over;
    problems.extend(kept.problems);
    let folders = world.memory_folders(document, problems);
    let own = folders.first().map(|folder| folder.dir.as_path());
    let tools = tools::used_lately(document, problems);
    let candidates = Candidates::new(args, own, seen, &tools, world.now())?;
    let (mut memories, mut hits) = (Vec::new(), Vec::new());
    for chosen in &kept.chosen {
        let folder = folders.iter().find(|folder| folder.dir.to_string_lossy() == chosen.folder);
        let memory = folder.and_then(|folder| folder.memory(&chosen.path, problems));
        match memory.map(|memory| (candidates.obstacle(&memory), memory)) {
            Some((None, memory)) => {
                hits.push(chosen.hit(memories.len()));
                memories.push(memory);
            }
            Some((Some(why), memory)) => recall.passed_over.push(passed_over(&memory, why)),
            None => recall
                .passed_over
                .push(PassedOver { path: chosen.path.clone(), why: "chosen, but it is no longer there".into() }),
        }
    }
    let choice = Choice { hits, ..Choice::default() };
    let mut serving = Serving::new(args, document, world, own, seen.bytes());
    serving.serve(&memories.iter().collect::<Vec<_>>(), &choice, recall, problems);
    recall.selector = kept.selector;
    recall.fallback = kept.fallback;
    recall.usage = kept.usage;
    match (recall.memories.is_empty(), serving.is_exhausted()) {
        (false, _) => recall.state = "selected".into(),
        (true, true) => end(recall, "budget-exhausted", "the bytes of this session are used up"),
        (true, false) => {
            let reason = kept.reason.unwrap_or_else(|| "nothing of what was chosen is to be shown now".into());
            end(recall, "nothing", &reason);
        }
    }
    Ok(())
}
