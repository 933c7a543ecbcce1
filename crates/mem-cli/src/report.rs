//! Words for people, on stderr: one line each, control characters escaped.

use std::io::Write;

use mem_types::{Failure, Problem, Severity};

/// Says that the call was wrong or the process cannot go on.
pub fn say(command: &str, message: &str) {
    write_line(&format!("{command}: {message}"));
}

/// Says that a document failed.
pub fn failure(command: &str, number: u64, failure: &Failure) {
    let hint = failure.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    write_line(&format!("{command}: document {number}: {}: {}{hint}", failure.code, failure.message));
}

/// Tells a problem of a document.
pub fn problem(number: u64, problem: &Problem) {
    let place = match (&problem.path, problem.line) {
        (Some(path), Some(line)) => format!(" [{path}:{line}]"),
        (Some(path), None) => format!(" [{path}]"),
        _ => String::new(),
    };
    let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    let severity = match problem.severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let Problem { command, code, message, .. } = problem;
    write_line(&format!("{command}: document {number}: {severity}: {code}: {message}{place}{hint}"));
}

/// Lets a panic say one line in our form; what it interrupts is answered as failed.
pub fn take_over_panics(key: &'static str) {
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(|place| format!(" at {}:{}", place.file(), place.line())).unwrap_or_default();
        let payload = panic.payload();
        let message = payload.downcast_ref::<&str>().copied();
        let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no words");
        write_line(&format!("mem-{key}: internal error{place}: {message}"));
    }));
}

fn write_line(line: &str) {
    let line = mem_text::width::escape_controls(line);
    // When stderr is gone there is nobody to tell.
    crate::progress::aside(|| {
        let _ = writeln!(std::io::stderr().lock(), "{line}");
    });
}
