//! How far a run is, for a person at a terminal: one line on stderr that is drawn over, and a last one with the counts.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{report, status};

/// The line that is on the screen, so that other words on stderr do not run into it.
static LINE: OnceLock<ProgressBar> = OnceLock::new();

/// Counts documents; silent unless it was asked for and stderr is a terminal.
pub struct Meter {
    line: Option<ProgressBar>,
    command: String,
    start: Instant,
    done: u64,
    failed: u64,
}

impl Meter {
    /// Returns a meter for a run of `command`, such as `mem-age`.
    pub fn new(command: &str, is_wanted: bool) -> Self {
        let is_shown = is_wanted && std::io::IsTerminal::is_terminal(&std::io::stderr());
        let line = is_shown.then(|| LINE.get_or_init(|| spinner(command)).clone());
        Self { line, command: command.to_owned(), start: Instant::now(), done: 0, failed: 0 }
    }

    /// Counts a document by its status.
    pub fn count(&mut self, document_status: u8) {
        self.done += 1;
        self.failed += u64::from(document_status == status::UNDONE);
        if let Some(line) = &self.line {
            line.set_position(self.done);
            if self.failed > 0 {
                line.set_message(format!("{} not done", self.failed));
            }
        }
    }

    /// Takes the line away and says how it went.
    pub fn end(&self) {
        let Some(line) = &self.line else { return };
        line.finish_and_clear();
        let documents = if self.done == 1 { "document" } else { "documents" };
        let seconds = self.start.elapsed().as_secs_f64();
        let message = format!("{} {documents}, {} not done, {seconds:.1} s", self.done, self.failed);
        report::say(&self.command, &message);
    }
}

fn spinner(command: &str) -> ProgressBar {
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    let style = ProgressStyle::with_template("{prefix} {spinner} {pos} documents, {per_sec}, {elapsed} {msg}");
    if let Ok(style) = style {
        line.set_style(style);
    }
    line.set_prefix(command.to_owned());
    line.enable_steady_tick(Duration::from_millis(200));
    line
}

/// Runs `print`, which writes to stderr, with the line out of its way.
pub fn aside(print: impl FnOnce()) {
    match LINE.get() {
        Some(line) => line.suspend(print),
        None => print(),
    }
}
