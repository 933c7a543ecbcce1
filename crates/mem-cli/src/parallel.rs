//! All documents of a process, one after another or several at once, printed in the order in which they came.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};

use mem_types::session::Shown;
use mem_types::{Document, Failure, Layer};

use crate::command_line::Arguments;
use crate::formats::Noted;
use crate::output::{Output, Reader};
use crate::progress::Meter;
use crate::run::{Outcome, Session};
use crate::stream::{Documents, Item};
use crate::{report, signals, status};

/// Where documents come from.
enum Input {
    /// One empty document: `-n`, or a terminal.
    Empty(bool),
    /// Documents as JSON.
    Stream(Box<Documents<File>>),
    /// A list of memory folders.
    Paths { reader: io::BufReader<File>, separator: u8 },
}

/// Runs the session over its input and returns the status.
pub fn run<A: Arguments, L: Layer>(session: &Session<A, L>) -> u8 {
    if session.may_write() {
        signals::finish_writing_first();
    }
    let name = format!("mem-{}", L::KEY);
    let opened = Input::open(session).and_then(|input| Ok((input, Output::open()?)));
    let ended = match opened {
        Ok((input, output)) if session.common.jobs > 1 => several(session, input, output),
        Ok((input, output)) => one_by_one(session, input, output),
        Err(error) => Err(error),
    };
    ended.unwrap_or_else(|error| {
        report::say(&name, &error.to_string());
        status::UNDONE
    })
}

impl Input {
    fn open<A: Arguments, L: Layer>(session: &Session<A, L>) -> io::Result<Self> {
        let common = &session.common;
        let stdin = io::stdin();
        let file = match &common.input {
            Some(path) => mem_store::input::open(path).map_err(|error| named(&error, &path.to_string_lossy()))?,
            None if common.no_input || (!common.paths && io::IsTerminal::is_terminal(&stdin)) => {
                return Ok(Self::Empty(false));
            }
            None => File::from(stdin.as_fd().try_clone_to_owned()?),
        };
        if common.paths {
            let separator = if common.null { 0 } else { b'\n' };
            return Ok(Self::Paths { reader: io::BufReader::new(file), separator });
        }
        let length = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
        Ok(Self::Stream(Box::new(match length {
            Some(length) => Documents::of_file(file, length),
            None => Documents::new(file),
        })))
    }

    fn next(&mut self) -> io::Result<Option<Item>> {
        match self {
            Self::Empty(is_taken) if *is_taken => Ok(None),
            Self::Empty(is_taken) => {
                *is_taken = true;
                Ok(Some(Item::Document(Box::default())))
            }
            Self::Stream(documents) => documents.next_item().map_err(|error| named(&error, "the input")),
            Self::Paths { reader, separator } => next_path(reader, *separator),
        }
    }

    /// Whether the next document would have to be waited for.
    fn would_wait(&mut self) -> bool {
        match self {
            Self::Empty(_) => false,
            Self::Stream(documents) => documents.would_wait(),
            Self::Paths { .. } => true,
        }
    }
}

/// Returns the next memory folder of the list as a document. Empty names are passed over.
fn next_path(reader: &mut impl io::BufRead, separator: u8) -> io::Result<Option<Item>> {
    loop {
        let mut name = Vec::new();
        if reader.read_until(separator, &mut name)? == 0 {
            return Ok(None);
        }
        if name.last() == Some(&separator) {
            name.pop();
        }
        if separator == b'\n' && name.last() == Some(&b'\r') {
            name.pop();
        }
        if name.is_empty() {
            continue;
        }
        return Ok(Some(match String::from_utf8(name) {
            Ok(name) => {
                let mut document = Document::default();
                document.write("memory_dir", &name);
                Item::Document(Box::new(document))
            }
            Err(_) => Item::Bad(
                Failure::new("bad-encoding", "the name of a memory folder is not UTF-8").with_hint("rename the folder"),
            ),
        }));
    }
}

fn one_by_one<A: Arguments, L: Layer>(session: &Session<A, L>, mut input: Input, output: Output) -> io::Result<u8> {
    let mut writer = Writer::new(output, session);
    let mut number = 0;
    while let Some(item) = input.next()? {
        number += 1;
        let outcome = session.answer(item, number);
        if !writer.write(outcome, || input.would_wait())? {
            break;
        }
    }
    writer.end(session)
}

/// Prints outcomes and keeps the worst status.
struct Writer {
    output: Output,
    fails_fast: bool,
    status: u8,
    /// What must be said on stderr when all is written.
    complaints: Vec<String>,
    meter: Meter,
}

impl Writer {
    fn new<A: Arguments, L: Layer>(output: Output, session: &Session<A, L>) -> Self {
        Self {
            output,
            fails_fast: session.common.fail_fast,
            status: status::ANSWERED,
            complaints: Vec::new(),
            meter: Meter::new(&format!("mem-{}", L::KEY), session.common.progress && !session.common.quiet),
        }
    }

    /// Prints one outcome; says whether to go on.
    fn write(&mut self, outcome: Outcome, would_wait: impl FnOnce() -> bool) -> io::Result<bool> {
        self.status = self.status.max(outcome.status);
        self.meter.count(outcome.status);
        if self.output.write(&outcome.printed)? == Reader::Gone {
            return Ok(false);
        }
        let must_stop = self.fails_fast && outcome.status == status::UNDONE;
        if outcome.noted.is_some() || must_stop || would_wait() {
            if self.output.flush()? == Reader::Gone {
                return Ok(false);
            }
            self.note(outcome);
        }
        Ok(!must_stop)
    }

    /// What was given is noted only once it is out, beside what other processes have noted meanwhile.
    fn note(&mut self, outcome: Outcome) {
        let Some((file, Noted { shown, frozen })) = outcome.noted else { return };
        let noted = file.change(|session| {
            if let Some(frozen) = &frozen {
                session.write("request", frozen);
            }
            let mut all: Vec<Shown> = session.try_read("shown").ok().flatten().unwrap_or_default();
            all.extend(shown.into_iter().filter(|entry| !all.contains(entry)).collect::<Vec<_>>());
            session.write("shown", &all);
        });
        if let Err(reason) = noted {
            self.complaints.push(format!("session-not-kept: {reason}"));
        }
    }

    fn end<A: Arguments, L: Layer>(mut self, session: &Session<A, L>) -> io::Result<u8> {
        self.complaints.iter().for_each(|complaint| session.say(complaint));
        self.output.flush()?;
        self.meter.end();
        Ok(self.status)
    }
}

/// A document on its way to a worker.
struct Job {
    number: u64,
    item: Item,
    /// Numbers of earlier documents that share its folder or session.
    after: Vec<u64>,
}

/// Which documents are on their way and which are done.
#[derive(Default)]
struct Progress {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Worked on, but not yet printed.
    done: std::collections::BTreeSet<u64>,
    /// All up to this number are printed.
    printed: u64,
    is_stopped: bool,
}

fn several<A: Arguments, L: Layer>(session: &Session<A, L>, mut input: Input, output: Output) -> io::Result<u8> {
    let workers = usize::from(session.common.jobs);
    let progress = Progress::default();
    let (job_sender, job_receiver) = sync_channel::<Job>(workers);
    let (outcome_sender, outcome_receiver) = sync_channel::<(u64, Outcome)>(2 * workers);
    let job_receiver = Mutex::new(job_receiver);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let outcome_sender = outcome_sender.clone();
            let (progress, job_receiver) = (&progress, &job_receiver);
            std::thread::Builder::new()
                .stack_size(16 * 1024 * 1024)
                .spawn_scoped(scope, move || work(session, progress, job_receiver, &outcome_sender))?;
        }
        drop(outcome_sender);
        let progress = &progress;
        let printing = scope.spawn(move || print_in_order(session, progress, &outcome_receiver, output));
        let read = hand_out(session, progress, &mut input, &job_sender, 2 * workers as u64);
        drop(job_sender);
        let printed = printing.join().unwrap_or_else(|_| Err(io::Error::other("the printing thread ended early")));
        read.and(printed)
    })
}

fn hand_out<A: Arguments, L: Layer>(
    session: &Session<A, L>,
    progress: &Progress,
    input: &mut Input,
    jobs: &SyncSender<Job>,
    most: u64,
) -> io::Result<()> {
    let mut last_of: HashMap<String, u64> = HashMap::new();
    let mut number = 0;
    while let Some(item) = input.next()? {
        number += 1;
        let things = match &item {
            Item::Document(document) => session.shared_things(document),
            Item::Bad(_) => Vec::new(),
        };
        let after = things.into_iter().filter_map(|thing| last_of.insert(thing, number)).collect();
        if !progress.wait_for_room(number, most) || jobs.send(Job { number, item, after }).is_err() {
            break;
        }
    }
    Ok(())
}

fn work<A: Arguments, L: Layer>(
    session: &Session<A, L>,
    progress: &Progress,
    jobs: &Mutex<Receiver<Job>>,
    outcomes: &SyncSender<(u64, Outcome)>,
) {
    loop {
        let received = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = received else { return };
        // Jobs are taken in order, so those waited for are in other workers' hands and end without this one.
        progress.wait_for(&job.after);
        let outcome = session.answer(job.item, job.number);
        progress.note_done(job.number);
        if outcomes.send((job.number, outcome)).is_err() {
            return;
        }
    }
}

fn print_in_order<A: Arguments, L: Layer>(
    session: &Session<A, L>,
    progress: &Progress,
    outcomes: &Receiver<(u64, Outcome)>,
    output: Output,
) -> io::Result<u8> {
    let mut writer = Writer::new(output, session);
    let mut early = BTreeMap::new();
    let mut next = 1;
    let mut is_open = true;
    let mut failure = None;
    while let Ok((number, outcome)) = outcomes.recv() {
        early.insert(number, outcome);
        while let Some(outcome) = early.remove(&next) {
            let goes_on = !is_open
                || writer.write(outcome, || early.is_empty()).unwrap_or_else(|error| {
                    failure = Some(error);
                    false
                });
            if !goes_on {
                is_open = false;
                progress.stop();
            }
            progress.note_printed(next);
            next += 1;
        }
    }
    failure.map_or_else(|| writer.end(session), Err)
}

impl Progress {
    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }

    fn note_done(&self, number: u64) {
        self.change(|state| {
            state.done.insert(number);
        });
    }

    fn note_printed(&self, number: u64) {
        self.change(|state| {
            state.printed = number;
            state.done.remove(&number);
        });
    }

    fn stop(&self) {
        self.change(|state| state.is_stopped = true);
    }

    /// Waits until fewer than `most` documents are in flight; says whether to go on.
    fn wait_for_room(&self, number: u64, most: u64) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |state: &mut State| !state.is_stopped && number > state.printed + most;
        let state = self.changed.wait_while(state, is_full).unwrap_or_else(PoisonError::into_inner);
        !state.is_stopped
    }

    fn wait_for(&self, numbers: &[u64]) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_done = |state: &State, number: &u64| *number <= state.printed || state.done.contains(number);
        let is_early = |state: &mut State| numbers.iter().any(|number| !is_done(state, number));
        drop(self.changed.wait_while(state, is_early));
    }
}

fn named(error: &io::Error, what: &str) -> io::Error {
    io::Error::new(error.kind(), format!("cannot read {what}: {}", mem_store::open::reason(error)))
}
