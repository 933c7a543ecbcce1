//! A program at work: feeds its stdin, takes its stdout and stderr, all in one thread, and never waits past the deadline.

use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use mem_text::secrets;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use crate::fault::Fault;
use crate::program::Program;

/// How long one wait for streams lasts at most: a program may end while something that it started holds them open.
const TICK: Duration = Duration::from_millis(25);
/// Bytes of stderr that are kept, the last of them.
const COMPLAINT: usize = 4096;
/// Characters of stderr that are shown.
const COMPLAINT_SHOWN: usize = 400;

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// Its status; nothing when a signal ended it.
    pub status: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What it printed on stdout.
    pub output: Vec<u8>,
    /// Whether there was more on stdout than was to be taken.
    pub was_cut: bool,
    /// The tail of its stderr on one line, masked.
    pub complaint: String,
}

/// Starts the program, and returns how it ended.
pub fn run(program: &Program) -> Result<Finished, Fault> {
    let mut command = program.command()?;
    let has_input = !program.input.is_empty();
    command.stdin(if has_input { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own, so that what it starts can be ended with it.
    command.process_group(0);
    let child = command.spawn().map_err(|error| not_started(program, &error))?;
    let mut running = Running::new(program, child).map_err(|error| system(program, &error))?;
    let ended = running.work_streams();
    if !matches!(ended, Ok(false)) {
        running.kill();
    }
    let status = running.child.wait().map_err(|error| system(program, &error))?;
    let was_cut = ended?;
    Ok(running.finished(status, was_cut))
}

struct Running<'a> {
    program: &'a Program,
    child: Child,
    end: Instant,
    input: Option<OwnedFd>,
    output: Option<OwnedFd>,
    errors: Option<OwnedFd>,
    fed: usize,
    printed: Vec<u8>,
    complaint: Vec<u8>,
}

impl<'a> Running<'a> {
    fn new(program: &'a Program, mut child: Child) -> io::Result<Self> {
        let input = child.stdin.take().map(|pipe| without_waiting(pipe.into())).transpose();
        let output = child.stdout.take().map(|pipe| without_waiting(pipe.into())).transpose();
        let errors = child.stderr.take().map(|pipe| without_waiting(pipe.into())).transpose();
        Ok(Self {
            program,
            end: Instant::now() + program.deadline,
            input: input?,
            output: output?,
            errors: errors?,
            child,
            fed: 0,
            printed: Vec::new(),
            complaint: Vec::new(),
        })
    }

    /// Works the streams until the program has ended; says whether its output was cut.
    fn work_streams(&mut self) -> Result<bool, Fault> {
        loop {
            let left = self.end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Fault::Late(self.program.shown(), self.program.deadline));
            }
            // Looked at before the streams: what it wrote before it ended is then in the pipe.
            let has_ended = self.has_ended().map_err(|error| system(self.program, &error))?;
            if !has_ended {
                self.wait(left.min(TICK)).map_err(|error| system(self.program, &error))?;
            }
            self.feed();
            self.take().map_err(|error| system(self.program, &error))?;
            if self.printed.len() > self.program.limit {
                self.printed.truncate(self.program.limit);
                let fault = Fault::TooMuch(self.program.shown(), self.program.limit);
                return if self.program.cuts { Ok(true) } else { Err(fault) };
            }
            if has_ended {
                return Ok(false);
            }
        }
    }

    /// Whether the program is dead; it is not yet buried, so that its group's number stays its own.
    fn has_ended(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(rustix::process::waitid(WaitId::Pid(pid(&self.child)), options)?.is_some())
    }

    /// Waits until a stream is ready. With all streams closed the program is about to end: then only a moment.
    fn wait(&self, time: Duration) -> io::Result<()> {
        let mut streams = Vec::new();
        streams.extend(self.input.as_ref().map(|stream| PollFd::new(stream, PollFlags::OUT)));
        streams.extend([&self.output, &self.errors].into_iter().flatten().map(|s| PollFd::new(s, PollFlags::IN)));
        let time = if self.output.is_none() && self.errors.is_none() { Duration::from_millis(1) } else { time };
        let time = rustix::event::Timespec { tv_sec: 0, tv_nsec: i64::from(time.subsec_nanos()) };
        match poll(&mut streams, Some(&time)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// A program that does not read its input has its reasons: that is no fault.
    fn feed(&mut self) {
        let Some(stream) = &self.input else { return };
        let rest = &self.program.input[self.fed..];
        match rustix::io::write(stream, rest) {
            Ok(written) if written < rest.len() => self.fed += written,
            Err(error) if is_for_later(error) => {}
            _ => self.input = None,
        }
    }

    fn take(&mut self) -> io::Result<()> {
        take(&mut self.output, &mut self.printed, self.program.limit.saturating_add(1))?;
        // Of stderr only the tail is kept, however much comes.
        take(&mut self.errors, &mut self.complaint, usize::MAX)?;
        let surplus = self.complaint.len().saturating_sub(COMPLAINT);
        self.complaint.drain(..surplus);
        Ok(())
    }

    /// Ends the program and all that it has started.
    fn kill(&mut self) {
        // Both may be gone already, and then nothing is left to do.
        let _ = rustix::process::kill_process_group(pid(&self.child), Signal::KILL);
        let _ = self.child.kill();
    }

    fn finished(self, status: ExitStatus, was_cut: bool) -> Finished {
        Finished {
            status: status.code(),
            signal: status.signal(),
            output: self.printed,
            was_cut,
            complaint: tail(&self.complaint),
        }
    }
}

/// Reads what is there, at most up to `limit` bytes in all; closes the stream at its end.
fn take(stream: &mut Option<OwnedFd>, into: &mut Vec<u8>, limit: usize) -> io::Result<()> {
    let mut piece = [0; 16 * 1024];
    // Bounded, so that a program which never stops printing does not keep us from the deadline.
    for _ in 0..64 {
        let Some(file) = stream else { return Ok(()) };
        let room = limit.saturating_sub(into.len()).min(piece.len());
        if room == 0 {
            return Ok(());
        }
        match rustix::io::read(file, &mut piece[..room]) {
            Ok(0) => *stream = None,
            Ok(count) => into.extend_from_slice(&piece[..count]),
            Err(error) if is_for_later(error) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn without_waiting(pipe: OwnedFd) -> io::Result<OwnedFd> {
    let flags = rustix::fs::fcntl_getfl(pipe.as_fd())?;
    rustix::fs::fcntl_setfl(pipe.as_fd(), flags | OFlags::NONBLOCK)?;
    Ok(pipe)
}

fn is_for_later(error: Errno) -> bool {
    error == Errno::WOULDBLOCK || error == Errno::INTR
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

/// Returns the last lines of stderr as one line, masked, without control characters.
fn tail(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let masked = secrets::mask(text.trim());
    let words: Vec<&str> = masked.split_whitespace().collect();
    let line: String = words.join(" ").chars().filter(|character| !character.is_control()).collect();
    let surplus = line.chars().count().saturating_sub(COMPLAINT_SHOWN);
    if surplus == 0 { line } else { format!("…{}", line.chars().skip(surplus).collect::<String>()) }
}

pub fn not_started(program: &Program, error: &io::Error) -> Fault {
    match error.kind() {
        ErrorKind::NotFound => Fault::NotFound(program.shown()),
        ErrorKind::PermissionDenied => Fault::NotExecutable(program.shown(), "permission denied".into()),
        _ if error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error()) => {
            Fault::NotExecutable(program.shown(), "it is no program, and names none in its first line".into())
        }
        _ => system(program, error),
    }
}

fn system(program: &Program, error: &io::Error) -> Fault {
    let text = error.to_string();
    let end = text.find(" (os error").unwrap_or(text.len());
    Fault::System(program.shown(), text[..end].to_lowercase())
}
