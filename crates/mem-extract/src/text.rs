//! The plan for people: what would be written, as a diff; what holds for now; what is not kept, and why.

use mem_text::width;
use mem_types::Page;
use mem_types::extract::{Extract, Operation};

/// Returns the plan for people.
pub fn render(extract: &Extract, page: &Page) -> String {
    let mut text = format!("Extraction     {}\n", summary(extract));
    if let Some(reason) = &extract.reason {
        text += &labelled("Why            ", reason, page);
    }
    if let Some(cursor) = &extract.cursor {
        text += &format!("Read up to     message {}\n", width::escape_line(cursor));
    }
    for operation in &extract.operations {
        text.push('\n');
        text += &self::operation(operation, page);
    }
    if !extract.session_rules.is_empty() {
        text += "\nFor this session only\n";
        for rule in &extract.session_rules {
            text += &labelled("  * ", &format!("{} (message {})", rule.text, rule.message_id), page);
        }
    }
    if !extract.refused.is_empty() {
        text += "\nNot kept\n";
        for refused in &extract.refused {
            let words = if refused.text.is_empty() { String::new() } else { format!(": {}", refused.text) };
            text += &labelled("  - ", &format!("{}{words}", refused.reason), page);
        }
    }
    for need in &extract.needs {
        text += &labelled("\nTo be asked    ", need, page);
    }
    text
}

fn summary(extract: &Extract) -> String {
    let is_refused =
        |operation: &&Operation| operation.outcome.as_ref().is_some_and(|outcome| outcome.starts_with("refused"));
    let refused = extract.operations.iter().filter(is_refused).count();
    let count =
        |op: &str| extract.operations.iter().filter(|operation| operation.op == op && !is_refused(operation)).count();
    let parts: Vec<String> = [
        ("create", "new"),
        ("update", "changed"),
        ("supersede", "ended"),
        ("archive", "put away"),
        ("append-instruction", "for the instructions"),
        ("none", "known already"),
    ]
    .iter()
    .map(|(op, word)| (count(op), word))
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("{count} {word}"))
    .chain((refused > 0).then(|| format!("{refused} refused")))
    .collect();
    if parts.is_empty() { extract.state.clone() } else { format!("{}: {}", extract.state, parts.join(", ")) }
}

fn operation(operation: &Operation, page: &Page) -> String {
    let sign = match operation.op.as_str() {
        "create" | "append-instruction" => '+',
        "archive" => '-',
        "update" | "supersede" => '~',
        _ => '=',
    };
    let path = width::escape_line(&operation.path);
    let name = width::escape_line(&operation.name);
    let outcome = operation.outcome.as_ref().map(|outcome| format!(" ({})", width::escape_line(outcome)));
    let target = operation.target.as_ref().map(|target| format!("({})", width::escape_line(target)));
    let place = target.unwrap_or_else(|| format!("{path} [{}]", operation.kind));
    let head = format!("{} {place} {name}{}", operation.op, outcome.unwrap_or_default());
    let mut text = labelled(&format!("{sign} "), &head, page);
    if operation.op == "none" {
        return text + &labelled("    ", &operation.why, page);
    }
    if let Some(was) = &operation.was {
        text += &labelled("    - ", was, page);
    }
    for line in operation.body.lines() {
        text += &labelled("    + ", line, page);
    }
    if let Some(line) = &operation.reinforces {
        text += &labelled("    reinforces: ", line, page);
    }
    for source in &operation.sources {
        text += &labelled("    said: ", &format!("\"{}\" (message {})", source.quote, source.message_id), page);
    }
    text
}

/// Returns words behind a label, wrapped so that the further lines stand below the first.
fn labelled(label: &str, words: &str, page: &Page) -> String {
    let lead = label.trim_start_matches('\n');
    let room = page.columns.saturating_sub(lead.len()).max(20);
    let words = width::escape_line(words);
    let lines = width::wrap(&words, room);
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let blank = if lead.trim_end().ends_with(['+', '-']) && number > 0 { lead } else { "" };
        let lead = if number == 0 {
            label.to_owned()
        } else if blank.is_empty() {
            " ".repeat(lead.len())
        } else {
            blank.to_owned()
        };
        text += format!("{lead}{line}").trim_end();
        text.push('\n');
    }
    if lines.is_empty() {
        text = format!("{}\n", label.trim_end());
    }
    text
}
