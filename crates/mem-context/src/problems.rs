//! What was left out or repaired, for people.

use mem_text::width;
use mem_types::{Page, Problem, Severity};

/// Returns the problems that `command` reported, one paragraph each, or an empty text.
#[must_use]
pub fn problems_text(problems: &[Problem], command: &str, page: &Page) -> String {
    let own: Vec<&Problem> = problems.iter().filter(|problem| problem.command == command).collect();
    if own.is_empty() {
        return String::new();
    }
    let mut text = String::from("\nProblems\n");
    for problem in own {
        text += &paragraph(problem, page);
    }
    text
}

fn paragraph(problem: &Problem, page: &Page) -> String {
    let severity = match problem.severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let place = match (&problem.path, problem.line) {
        (Some(path), Some(line)) => format!(" [{path}:{line}]"),
        (Some(path), None) => format!(" [{path}]"),
        _ => String::new(),
    };
    let hint = problem.hint.as_ref().map(|hint| format!(" → {hint}")).unwrap_or_default();
    let sentence = format!("{severity}: {}: {}{place}{hint}", problem.code, problem.message);
    let sentence = width::escape_line(&sentence).into_owned();
    let lines = width::wrap(&sentence, page.columns.saturating_sub(4));
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        text += if number == 0 { "  " } else { "    " };
        text += line;
        text.push('\n');
    }
    text
}
