//! A program that answers: the question on its stdin, the answer on its stdout.

use std::time::Duration;

use mem_exec::{Fault, Program};
use mem_types::asking::Usage;

use crate::fault::Unanswered;
use crate::model::{Answer, Question};

/// Largest answer of a program.
const LARGEST: usize = 8 << 20;
/// Tells what the program starts that a command of ours asks it: hooks of an agent in there have nothing to do.
const MARK: &str = "MEM_ASKED_BY";

/// Asks the program of a command line.
///
/// # Errors
/// When it does not end with 0 in time.
pub fn ask(command: &str, question: &Question, deadline: Duration) -> Result<Answer, Unanswered> {
    let told = |fault: Fault| Unanswered::Program(fault.code(), fault.to_string());
    let late = |fault: Fault| match fault {
        Fault::Late(..) => Unanswered::Late(deadline.as_secs()),
        fault => told(fault),
    };
    let program = Program::parse(command).map_err(told)?;
    let output = program
        .input(as_text(question).into_bytes())
        .deadline(deadline)
        .limit(LARGEST)
        .with_keys()
        .variable(MARK, "mem")
        .run()
        .map_err(late)?;
    let text = String::from_utf8_lossy(&output).into_owned();
    if text.trim().is_empty() {
        return Err(Unanswered::Unreadable("the program printed nothing".into()));
    }
    Ok(Answer { text, is_cut: false, usage: Usage { requests: 1, ..Usage::default() } })
}

fn as_text(question: &Question) -> String {
    let schema = question.schema.map(|schema| format!("\n\nAnswer with JSON of this schema only:\n{schema}\n"));
    format!("{}\n\n{}{}", question.system, question.prompt, schema.unwrap_or_default())
}
