//! Starts other programs, without a shell: with a deadline, a bound on their output and a cleaned environment.
//!
//! A program of the user's choice (`exec:CMD` of a provider, a selector, a model):
//!
//! ```no_run
//! use std::time::Duration;
//! # fn main() -> Result<(), mem_exec::Fault> {
//! let program = mem_exec::Program::parse("exec:my-selector --top 5")?;
//! let output = program.input(b"question".to_vec()).deadline(Duration::from_secs(10)).limit(1 << 20).run()?;
//! # Ok(()) }
//! ```
//!
//! `run` gives stdout of a program that ended with 0, and a [`Fault`] with its own `code()` for all else. `finish` gives
//! status, output and the tail of stderr whatever the status was. Model keys do not reach the program unless
//! [`Program::with_keys`] says so; `GIT_*` never does.
//!
//! git, by the rules of DESIGN section 4: `mem_exec::git::command(folder, "log", &["-1", "--format=%H"]).run()`, and
//! `mem_exec::git::in_hook(folder, git_dir, index_file, "diff", &["--cached", "--name-only", "-z"])` for a git hook that
//! must see the index which its commit uses.
//!
//! Our own binary in the background: [`Background`]. The child calls [`background::enter`] (mem-cli does it for all six).

pub mod background;
pub mod confine;
mod environment;
mod fault;
pub mod git;
mod program;
mod running;

pub use background::Background;
pub use environment::INSIDE;
pub use fault::Fault;
pub use program::Program;
pub use running::Finished;
