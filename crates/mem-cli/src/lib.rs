//! The edge of the process: the only place that reads stdin, writes stdout and stderr, knows the environment and the
//! clock, and picks a status. A command gives [`filter`] its `run` and is done.

mod buffer;
mod command_line;
mod common;
mod environment;
mod formats;
mod model;
mod output;
mod parallel;
mod progress;
mod report;
mod run;
mod signals;
mod sources;
mod status;
mod stream;

use std::process::ExitCode;

use mem_store::World;
use mem_types::{Answer, Document, Failure, Layer};

pub use command_line::{Arguments, command};
pub use common::{Common, Format};
pub use model::ModelOptions;

/// A command's work: from its options and a document to its layer.
pub type Run<A, L> = fn(&A, &Document, &World) -> Result<Answer<L>, Failure>;

/// Runs a command as a filter over the documents on stdin and returns its status.
///
/// 0: answered. 1: `--strict` found something. 2: called wrongly. 3: something was not done. With format `hook` only
/// 0 and 1, whatever happens: agents read 2 as "block and erase the prompt".
pub fn filter<A: Arguments, L: Layer>(run: Run<A, L>) -> ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().collect();
    let is_hook = command_line::asks_for_hook(&arguments);
    report::take_over_panics(L::KEY);
    if let Some(deadline) = environment::background() {
        mem_exec::background::enter(deadline);
    }
    let ended = std::panic::catch_unwind(|| command_line::start::<A, L>(run, arguments));
    let status = ended.unwrap_or(status::UNDONE);
    ExitCode::from(if is_hook { status.min(1) } else { status })
}
