//! The text of a topic file: a new one, or an old one with its description and body replaced and all else kept.

use mem_store::FrontMatter;
use mem_types::extract::Operation;

/// Returns a new file. `is_nested`: the folder keeps the type below `metadata`.
pub fn new(operation: &Operation, is_nested: bool) -> String {
    let mut head = format!("name: {}\ndescription: {}\n", scalar(&operation.name), scalar(&operation.description));
    head += &if is_nested {
        format!("metadata:\n  type: {}\n", scalar(&operation.kind))
    } else {
        format!("type: {}\n", scalar(&operation.kind))
    };
    if let Some(line) = &operation.reinforces {
        head += &format!("reinforces: {}\n", scalar(line));
    }
    head += &triggers(operation);
    head += &sources(operation);
    format!("---\n{head}---\n\n{}\n", operation.body.trim())
}

/// Returns the old file with the operation's description and body; every other key keeps its lines.
pub fn rewritten(old: &str, matter: &FrontMatter, operation: &Operation, now: &str, extra: &str) -> String {
    let Some(head) = head(old) else { return with_extra(&new(operation, matter.is_nested()), extra) };
    let newline = if head.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = Vec::new();
    let mut drops_indented = false;
    for line in head.lines() {
        let is_indented = line.starts_with([' ', '\t', '-']);
        if drops_indented && is_indented {
            continue;
        }
        drops_indented = false;
        let indent = &line[..line.len() - line.trim_start().len()];
        match line.trim_start().split(':').next().unwrap_or_default() {
            "description" if indent.is_empty() => {
                lines.push(format!("description: {}", scalar(&operation.description)));
                drops_indented = true;
            }
            "sources" if indent.is_empty() && !operation.sources.is_empty() => drops_indented = true,
            "triggers" if indent.is_empty() && !operation.triggers.is_empty() => drops_indented = true,
            "modified" | "updated" => {
                lines.push(format!("{indent}{}: {now}", line.trim_start().split(':').next().unwrap_or_default()))
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.extend(format!("{extra}{}{}", triggers(operation), sources(operation)).lines().map(str::to_owned));
    let head = lines.join(newline);
    let body = operation.body.trim().replace('\n', newline);
    format!("---{newline}{head}{newline}---{newline}{newline}{body}{newline}")
}

fn with_extra(text: &str, extra: &str) -> String {
    text.replacen("\n---\n", &format!("\n{extra}---\n"), 1)
}

/// Returns the lines between the two `---`, when there are both.
fn head(text: &str) -> Option<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.split_inclusive('\n').next().filter(|line| line.trim_end() == "---")?;
    let rest = &text[first.len()..];
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(&rest[..at]);
        }
        at += line.len();
    }
    None
}

fn triggers(operation: &Operation) -> String {
    if operation.triggers.is_empty() {
        return String::new();
    }
    let lines: String = operation.triggers.iter().map(|trigger| format!("  - {}\n", scalar(trigger))).collect();
    format!("triggers:\n{lines}")
}

fn sources(operation: &Operation) -> String {
    if operation.sources.is_empty() {
        return String::new();
    }
    let line = |id: &str, quote: &str| format!("  - {}\n", quoted(&format!("{id}: {quote}")));
    let lines: String = operation.sources.iter().map(|source| line(&source.message_id, &source.quote)).collect();
    format!("sources:\n{lines}")
}

/// Returns a value as YAML reads it back: bare where that is safe, else in double quotes.
fn scalar(value: &str) -> String {
    let is_plain = value.starts_with(|c: char| c.is_alphabetic())
        && !value.ends_with(' ')
        && value.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '/' | '，' | '。' | '、'))
        && !matches!(
            value.to_ascii_lowercase().as_str(),
            "true" | "false" | "yes" | "no" | "on" | "off" | "null" | "y" | "n"
        );
    if is_plain { value.to_owned() } else { quoted(value) }
}

/// Escapes as JSON does, which YAML reads in the same way.
fn quoted(value: &str) -> String {
    mem_types::to_json(&value.replace(['\n', '\r', '\t'], " "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use mem_types::extract::Source;

    use super::*;

    fn operation(description: &str) -> Operation {
        Operation {
            name: "no-emoji".into(),
            description: description.into(),
            kind: "feedback".into(),
            body: "No emojis.".into(),
            sources: vec![Source { message_id: "u1".into(), quote: "no \"emojis\", please".into() }],
            ..Operation::default()
        }
    }

    #[test]
    fn what_is_written_is_read_back_the_same() {
        for description in
            ["plain words", "a: b # c", "*starred* {x}", "以后用中文", "yes", "- dash", "\"quoted\"", "@at"]
        {
            for is_nested in [false, true] {
                let text = new(&operation(description), is_nested);
                let parts = mem_store::front_matter::of_memory(&text);
                let matter = parts.matter.unwrap();
                assert_eq!(matter.text("description").unwrap(), description);
                assert_eq!(matter.text("type").unwrap(), "feedback");
                assert_eq!(matter.list("sources"), ["u1: no \"emojis\", please"]);
                assert!(matter.findings().is_empty(), "{text}");
                assert_eq!(parts.body.trim(), "No emojis.");
            }
        }
    }

    #[test]
    fn keys_that_we_do_not_know_survive() {
        let old = "---\nname: x\ndescription: >\n  old\n  words\nowner: me\nmetadata:\n  type: user\n  modified: 2020-01-01\n---\nold body\n";
        let matter = mem_store::front_matter::of_memory(old).matter.unwrap();
        let text = rewritten(old, &matter, &operation("new words"), "2026-10-13T00:00:00Z", "");
        let parts = mem_store::front_matter::of_memory(&text);
        let matter = parts.matter.unwrap();
        assert_eq!(matter.text("description").unwrap(), "new words");
        assert_eq!(matter.text("owner").unwrap(), "me");
        assert_eq!(matter.text("modified").unwrap(), "2026-10-13T00:00:00Z");
        assert!(!text.contains("old"));
    }
}
