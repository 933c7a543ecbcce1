//! Our own binary once more, in the background: in a process session of its own, with none of our streams, dead at its
//! deadline.
//!
//! The parent calls [`Background::start`] and can return at once. The child finds [`VARIABLE`] in its environment and
//! calls [`enter`] before anything else; mem-cli does both for all six commands, so that a command needs only:
//!
//! ```no_run
//! # use std::time::Duration;
//! # fn start(binary: std::path::PathBuf, arguments: Vec<std::ffi::OsString>, document: String) -> Result<(), mem_exec::Fault> {
//! // binary and arguments: world.environment().program and .arguments; is_background says that we are the child.
//! mem_exec::Background::new(binary).arguments(arguments).deadline(Duration::from_secs(300)).start(document.as_bytes())?;
//! # Ok(()) }
//! ```

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;

use crate::fault::Fault;
use crate::program::Program;
use crate::running::not_started;

/// The variable that makes a process a background child; its value is the deadline in milliseconds.
pub const VARIABLE: &str = "MEM_BACKGROUND";

/// How long a child may live when nobody says.
const DEADLINE: Duration = Duration::from_secs(120);

/// Our own binary, to be started in the background.
#[derive(Debug, Clone)]
pub struct Background {
    program: Program,
    deadline: Duration,
}

impl Background {
    /// Returns the binary without arguments, with 120 s to live.
    #[must_use]
    pub fn new(binary: PathBuf) -> Self {
        Self { program: Program::new(binary).like_ourselves(), deadline: DEADLINE }
    }

    /// Adds arguments, as they are.
    #[must_use]
    pub fn arguments(self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self { program: self.program.arguments(arguments), ..self }
    }

    /// Starts it in `folder`; else where we were started.
    #[must_use]
    pub fn folder(self, folder: impl Into<PathBuf>) -> Self {
        Self { program: self.program.folder(folder), ..self }
    }

    /// Ends it when it lives longer.
    #[must_use]
    pub fn deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// Starts it with `input` on stdin and returns its process number; waits for nothing.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(&self, input: &[u8]) -> Result<u32, Fault> {
        let system = |error: std::io::Error| Fault::System(self.program.shown(), error.to_string());
        let milliseconds = u64::try_from(self.deadline.as_millis()).unwrap_or(u64::MAX);
        let mut command = self.program.command()?;
        command.env(VARIABLE, milliseconds.to_string()).stdout(Stdio::null()).stderr(Stdio::null());
        command.stdin(holding(input).map_err(system)?);
        let child = command.spawn().map_err(|error| not_started(&self.program, &error))?;
        Ok(child.id())
    }
}

/// Returns a stdin that holds `input` already, so that nobody waits for the child to read, and nothing is on disk.
#[cfg(target_os = "linux")]
fn holding(input: &[u8]) -> std::io::Result<Stdio> {
    let memory = rustix::fs::memfd_create("mem", rustix::fs::MemfdFlags::CLOEXEC)?;
    let mut rest = input;
    while !rest.is_empty() {
        let written = rustix::io::write(&memory, rest)?;
        rest = &rest[written..];
    }
    rustix::fs::seek(&memory, rustix::fs::SeekFrom::Start(0))?;
    Ok(Stdio::from(memory))
}

/// Returns a stdin that holds `input` already: a file that no folder lists.
#[cfg(not(target_os = "linux"))]
fn holding(input: &[u8]) -> std::io::Result<Stdio> {
    use std::io::{Seek, Write};
    let mut file = tempfile::tempfile()?;
    file.write_all(input)?;
    file.rewind()?;
    Ok(Stdio::from(file))
}

/// Whether a process of this number is there.
#[must_use]
pub fn is_alive(process: u32) -> bool {
    let process = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    process.is_some_and(|process| rustix::process::test_kill_process(process).is_ok())
}

/// Makes this process a background child: its own process session, and an end of its own accord at the deadline.
///
/// What it has started by then ends with it, as far as it stands in the same process group.
pub fn enter(deadline: Duration) {
    // Fails only when we lead a group already, and then a hang-up of the terminal does not reach us either.
    let _ = rustix::process::setsid();
    std::thread::spawn(move || {
        std::thread::sleep(deadline);
        let own = rustix::process::getpid();
        let _ = rustix::process::kill_process_group(rustix::process::getpgrp(), Signal::KILL);
        let _ = rustix::process::kill_process(own, Signal::KILL);
    });
}
