//! A place of its own for each test, and the commands run in it as a user would.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The six commands in the order of the pipe; mem-age stands beside it.
pub const COMMANDS: [&str; 6] = ["mem-load", "mem-index", "mem-recall", "mem-extract", "mem-compact", "mem-age"];

/// The moment that counts as now in tests.
pub const NOW: &str = "2026-11-30T12:00:00+00:00";

/// Returns the built program.
pub fn program(command: &str) -> &'static str {
    match command {
        "mem-load" => env!("CARGO_BIN_EXE_mem-load"),
        "mem-index" => env!("CARGO_BIN_EXE_mem-index"),
        "mem-recall" => env!("CARGO_BIN_EXE_mem-recall"),
        "mem-extract" => env!("CARGO_BIN_EXE_mem-extract"),
        "mem-compact" => env!("CARGO_BIN_EXE_mem-compact"),
        "mem-age" => env!("CARGO_BIN_EXE_mem-age"),
        other => panic!("no command {other}"),
    }
}

/// The folder of the checkout.
pub fn checkout() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A home and a project in a temporary folder.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// Returns an empty home and an empty project.
    pub fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(place.home()).unwrap();
        fs::create_dir_all(place.project()).unwrap();
        place
    }

    pub fn top(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub fn home(&self) -> PathBuf {
        self.top().join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.top().join("proj")
    }

    pub fn memory(&self) -> PathBuf {
        self.top().join("memory")
    }

    /// Returns the folder below `home` in which an agent keeps the project's memory.
    pub fn own_memory(&self) -> String {
        let project = self.project();
        let dashed = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
        format!("home/.claude/projects/{}/memory", project.to_string_lossy().chars().map(dashed).collect::<String>())
    }

    /// Writes a file below the place, such as `proj/CLAUDE.md`.
    pub fn write(&self, path: &str, text: &str) -> &Self {
        let path = self.top().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Returns a command that knows this place and nothing else of the machine.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("MEM_MANAGED_DIR", self.top().join("managed"))
            .env("RUST_BACKTRACE", "0")
            .current_dir(self.project());
        command
    }

    /// Runs a mem command on `input`.
    pub fn run(&self, command: &str, arguments: &[&str], input: impl AsRef<[u8]>) -> Ran {
        let mut process = self.command(program(command));
        process.args(arguments);
        feed(process, input.as_ref())
    }

    /// Runs a mem command on one document at the tests' moment and returns the document that comes out.
    pub fn answer(&self, command: &str, arguments: &[&str], input: &str) -> Value {
        let ran = self.run(command, &[&["--now", NOW], arguments].concat(), input);
        assert_eq!(ran.status, 0, "{command} {arguments:?}: {}", ran.stderr);
        ran.document()
    }
}

/// What a process left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// Returns the one document on stdout.
    pub fn document(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the documents on stdout, one a line.
    pub fn documents(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Runs a process with `input` on its stdin.
pub fn feed(mut process: Command, input: &[u8]) -> Ran {
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = process.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // In a thread, so that neither side waits for the other. A process that does not read is no fault here.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    ran(&output)
}

pub fn ran(output: &Output) -> Ran {
    Ran {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout.clone()).unwrap(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Returns every file and folder below `folder` with its bytes, sorted: equal before and after means untouched.
pub fn snapshot(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        let Ok(entries) = fs::read_dir(&next) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            let kind = entry.file_type().unwrap();
            let bytes = if kind.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            if kind.is_dir() {
                open.push(path.clone());
            }
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}
