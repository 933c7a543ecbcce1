//! Measures the rules on two sets of conversations: one that they were mended against, one that they never were.
//!
//! `cargo test -p mem-extract --test sets -- --nocapture` prints the scores, and every conversation that went wrong.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use mem_extract::Args;
use mem_store::{Environment, Moment, World};
use mem_types::Document;
use mem_types::extract::Operation;
use serde_json::{Value, json};

/// A conversation with what must come out of it.
#[derive(Default)]
struct Case {
    messages: Vec<Value>,
    /// Type and parts of each memory; each part is one of several words.
    expected: Vec<(String, Vec<String>)>,
}

#[derive(Default)]
struct Score {
    right: usize,
    wrong: usize,
    missed: usize,
    negatives: usize,
    false_saves: usize,
}

impl Score {
    fn f1(&self) -> f64 {
        2.0 * self.right as f64 / (2 * self.right + self.wrong + self.missed) as f64
    }

    fn false_share(&self) -> f64 {
        self.false_saves as f64 / self.negatives as f64
    }
}

fn cases(text: &str) -> Vec<Case> {
    let blocks = text.split("\n\n").map(|block| {
        let mut case = Case::default();
        let mut lines = block.lines().filter(|line| !line.starts_with('#')).peekable();
        while let Some(line) = lines.next() {
            let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
            match mark {
                "u" | "a" => {
                    let mut content = rest.to_owned();
                    // What follows without a mark of ours belongs to the message.
                    while let Some(more) = lines.next_if(|line| {
                        !["u ", "a ", "> feedback", "> user", "> project", "> reference"]
                            .iter()
                            .any(|mark| line.starts_with(mark))
                    }) {
                        content.push('\n');
                        content.push_str(more);
                    }
                    let role = if mark == "u" { "user" } else { "assistant" };
                    case.messages.push(json!({"role": role, "content": content}));
                }
                _ => {
                    let mut parts = rest.split(" & ").map(str::to_lowercase);
                    case.expected.push((parts.next().unwrap(), parts.collect()));
                }
            }
        }
        case
    });
    blocks.filter(|case| !case.messages.is_empty()).collect()
}

fn operations(case: &Case) -> Vec<Operation> {
    let now = Moment::parse("2026-10-13T10:20:00+02:00").unwrap();
    let world = World::new(Environment { started_in: "/nowhere".into(), ..Environment::default() }, now);
    let document = json!({"cwd": "/nowhere", "memory_dir": "/nowhere/memory", "messages": case.messages});
    let args = Args { every: 1, max_operations: 20, ..Args::default() };
    let answer = mem_extract::run(&args, &Document::parse(&document.to_string()).unwrap(), &world).unwrap();
    answer.layer.operations
}

fn is_met(expected: &(String, Vec<String>), operation: &Operation) -> bool {
    let text = format!("{} {} {}", operation.name, operation.description, operation.body).to_lowercase();
    let has = |part: &String| part.split('|').any(|word| text.contains(word));
    expected.0.split('|').any(|kind| kind == operation.kind) && expected.1.iter().all(has)
}

fn measure(name: &str, text: &str) -> Score {
    let mut score = Score::default();
    for case in cases(text) {
        let found = operations(&case);
        let right = case.expected.iter().filter(|expected| found.iter().any(|one| is_met(expected, one))).count();
        let wrong = found.len().saturating_sub(right);
        score.right += right;
        score.wrong += wrong;
        score.missed += case.expected.len() - right;
        score.negatives += usize::from(case.expected.is_empty());
        score.false_saves += usize::from(case.expected.is_empty() && !found.is_empty());
        if wrong > 0 || right < case.expected.len() {
            let said = case.messages.iter().filter(|message| message["role"] == "user");
            let said: Vec<_> = said.map(|message| message["content"].as_str().unwrap()).collect();
            let found: Vec<_> = found.iter().map(|one| format!("{}: {}", one.kind, one.body)).collect();
            println!("{name}: {said:?}\n    wanted {:?}\n    found {found:?}", case.expected);
        }
    }
    println!(
        "{name}: F1 {:.3} (right {} wrong {} missed {}), false saves {:.3} ({} of {})",
        score.f1(),
        score.right,
        score.wrong,
        score.missed,
        score.false_share(),
        score.false_saves,
        score.negatives
    );
    score
}

#[test]
fn the_set_that_the_rules_were_mended_against_is_read_well() {
    let score = measure("first", include_str!("sets/first.txt"));
    assert!(score.f1() >= 0.9 && score.false_share() <= 0.05);
}

#[test]
fn a_set_that_the_rules_never_saw_is_read_well_enough() {
    let score = measure("second", include_str!("sets/second.txt"));
    assert!(score.f1() >= 0.75 && score.false_share() <= 0.1);
}

#[test]
fn sentences_of_many_trades_are_told_apart() {
    let score = measure("trades", include_str!("sets/trades.txt"));
    assert!(score.f1() >= 0.95 && score.false_share() <= 0.05);
}
