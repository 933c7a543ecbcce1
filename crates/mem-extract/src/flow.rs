//! How runs share a memory folder: in the background, one at a time, late ones folded into one that waits.

use std::path::Path;
use std::time::Duration;

use mem_store::queue::{self, Place};
use mem_store::{MemoryFolder, World};
use mem_types::extract::{Extract, ExtractSession};
use mem_types::{Answer, Document, Failure, Problems};

use crate::args::Args;
use crate::{finish, learn, text};

/// How long a run may work on in the background.
const DEADLINE: Duration = Duration::from_secs(600);
/// By which the runs of this command find each other.
const NAME: &str = "extract";

/// Starts this command once more in the background, with the same document, and returns at once.
///
/// # Errors
/// When it cannot be started.
pub fn detach(document: &Document, world: &World) -> Result<Extract, Failure> {
    let environment = world.environment();
    let started = mem_exec::Background::new(environment.program.clone())
        .arguments(without_input(&environment.arguments))
        .folder(&environment.started_in)
        .deadline(DEADLINE)
        .start(document.to_line().as_bytes());
    match started {
        Ok(process) => Ok(Extract {
            state: "detached".into(),
            reason: Some(format!("works on in the background as process {process}")),
            ..Extract::default()
        }),
        Err(fault) => Err(Failure::new(fault.code(), fault.to_string())),
    }
}

/// The child gets one document on stdin, whatever the parent read.
fn without_input(arguments: &[std::ffi::OsString]) -> Vec<std::ffi::OsString> {
    let mut kept = Vec::new();
    let mut skips = false;
    for argument in arguments {
        let word = argument.to_string_lossy();
        if std::mem::take(&mut skips) {
            continue;
        }
        match word.as_ref() {
            "-i" | "--input" => skips = true,
            "-n" | "--no-input" | "--paths" | "-0" => {}
            _ if word.starts_with("--input=") || word.starts_with("-i") => {}
            _ => kept.push(argument.clone()),
        }
    }
    kept
}

/// Learns and writes when it is our turn; a run that came while another one waited already is folded into that one.
///
/// # Errors
/// As `run` with `--apply`.
pub fn in_turn(
    args: &Args,
    document: &Document,
    world: &World,
    folder: &MemoryFolder,
    mut problems: Problems,
) -> Result<Answer<Extract>, Failure> {
    let own = transcript(document);
    let (turn, others) = match place(document, world, &folder.dir, own.as_deref(), &mut problems) {
        Some(Place::Folded) => return Ok(Answer::new(folded(), problems, text::render)),
        Some(Place::Turn(turn, notes)) => (Some(turn), notes),
        None => (None, Vec::new()),
    };
    let mut session = world.session_part::<ExtractSession>(document, "extract").unwrap_or_default();
    let extract = learn(args, document, world, folder, &mut session, &mut problems);
    let mut answer = finish(args, document, world, folder, extract, problems)?.keep(&session);
    for note in others {
        take_over(args, &note, own.as_deref(), world, folder, &mut answer)?;
    }
    drop(turn);
    Ok(answer)
}

fn place(document: &Document, world: &World, dir: &Path, own: Option<&str>, problems: &mut Problems) -> Option<Place> {
    // Without a target nothing will be written, so there is nothing to wait for.
    world.check_target().ok()?;
    let state_dir = world.environment().state_dir.as_ref()?;
    let content = own.map_or_else(|| mem_store::hash::sha256(document.to_line().as_bytes()), str::to_owned);
    let note = own.map(|_| note(document));
    match queue::enter(state_dir, dir, NAME, &content, note.as_deref()) {
        Ok(place) => Some(place),
        Err(error) => {
            let reason = mem_store::open::reason(&error);
            problems.info("no-queue", format!("runs on this folder cannot wait for each other: {reason}"));
            None
        }
    }
}

/// Returns the session file that is all that the document brings; one with words of its own cannot be left to others.
fn transcript(document: &Document) -> Option<String> {
    let brings_words = ["messages", "remember", "prompt"].iter().any(|key| document.has(key));
    let path: String = document.try_read("transcript_path").ok().flatten()?;
    (!brings_words && !path.is_empty()).then_some(path)
}

fn note(document: &Document) -> String {
    let mut note = Document::default();
    for key in ["transcript_path", "cwd", "session_id"] {
        if let Some(raw) = document.get(key) {
            note.set(key, raw.to_owned());
        }
    }
    note.to_line()
}

fn folded() -> Extract {
    Extract {
        state: "folded".into(),
        reason: Some("another run on this memory folder waits already and reads this conversation, too".into()),
        ..Extract::default()
    }
}

/// Reads the conversation of a run that was folded into this one. Its own cursor stays where it was.
fn take_over(
    args: &Args,
    note: &str,
    own: Option<&str>,
    world: &World,
    folder: &MemoryFolder,
    answer: &mut Answer<Extract>,
) -> Result<(), Failure> {
    let Ok(document) = Document::parse(note) else { return Ok(()) };
    if transcript(&document).as_deref() == own {
        return Ok(());
    }
    let mut problems = answer.problems.fresh();
    let extract = learn(args, &document, world, folder, &mut ExtractSession::default(), &mut problems);
    let other = finish(args, &document, world, folder, extract, problems)?;
    answer.problems.extend(other.problems.into_entries());
    answer.is_undone |= other.is_undone;
    answer.layer.operations.extend(other.layer.operations);
    answer.layer.refused.extend(other.layer.refused);
    if other.layer.state == "applied" {
        answer.layer.state = other.layer.state;
        answer.layer.reason = None;
    }
    Ok(())
}
