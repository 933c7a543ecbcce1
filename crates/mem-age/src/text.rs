//! The plan for people: what would be done to which memory, and why, like a diff.

use mem_text::width::{self, Column, Table};
use mem_types::Page;
use mem_types::age::{Action, Age, AgedMemory, Version};

use crate::apply::PLANNED;
use crate::judge::STATES;

/// Blanks before the reason of an entry.
const REASON_INDENT: usize = 4;

/// Returns the report within the page's columns, with a line end behind each line.
pub fn render(age: &Age, page: &Page) -> String {
    if !age.history.is_empty() {
        return history(&age.history, page);
    }
    let mut out = summary(age, page);
    let planned: Vec<Entry<'_>> = age.actions.iter().map(|action| Entry::planned(age, action)).collect();
    let seen: Vec<Entry<'_>> = age.memories.iter().filter_map(|memory| Entry::seen(age, memory)).collect();
    let is_carried_out = |action: &Action| matches!(action.outcome.as_deref(), Some("written" | "unchanged"));
    let is_carried_out = age.actions.iter().any(is_carried_out);
    let heading = if is_carried_out { "plan, carried out" } else { "plan (nothing on disk is changed)" };
    section(heading, &planned, page, &mut out);
    section("also seen", &seen, page, &mut out);
    changed(age, page, &mut out);
    out
}

/// From when until when each text held, and the text.
fn history(versions: &[Version], page: &Page) -> String {
    let mut out = String::new();
    for version in versions {
        let from = version.from.as_deref().unwrap_or("no date");
        let until = version.until.as_deref().unwrap_or(if version.state == "holds" { "now" } else { "?" });
        let place = version.archived.as_ref().unwrap_or(&version.path);
        out.push_str(&lines(&format!("{from} to {until}  {place} ({})", version.state), 0, page));
        for line in version.text.lines() {
            out.push_str(&lines(line, REASON_INDENT, page));
        }
    }
    out
}

/// What changed on disk, a line a file, and where a purged memory may still stand.
fn changed(age: &Age, page: &Page, out: &mut String) {
    let is_looked_at = age.done.iter().any(|deed| deed.outcome == PLANNED);
    if !age.done.is_empty() {
        out.push_str(if is_looked_at { "\nwould be changed on disk\n" } else { "\nchanged on disk\n" });
    }
    for deed in &age.done {
        let outcome = if ["written", PLANNED].contains(&deed.outcome.as_str()) {
            String::new()
        } else {
            format!(" ({})", deed.outcome)
        };
        out.push_str(&lines(&format!("{}: {}{outcome}", deed.what, deed.path), 0, page));
    }
    if !age.unreached.is_empty() {
        out.push_str("\nnot reached\n");
    }
    for place in &age.unreached {
        out.push_str(&lines(place, 0, page));
    }
}

fn summary(age: &Age, page: &Page) -> String {
    let counts: Vec<String> = STATES
        .iter()
        .filter_map(|state| {
            let count = age.memories.iter().filter(|memory| memory.state == *state).count();
            (count > 0).then(|| format!("{count} {state}"))
        })
        .collect();
    let index = age.index_age_days.map_or("no index".to_owned(), |days| format!("index {}", days_old(days)));
    let states = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    let line = format!(
        "{} {}{states}; {index}",
        age.memories.len(),
        if age.memories.len() == 1 { "memory" } else { "memories" }
    );
    lines(&line, 0, page)
}

fn days_old(days: i64) -> String {
    match days {
        0 => "of today".to_owned(),
        1 => "of yesterday".to_owned(),
        days => format!("{days} days old"),
    }
}

struct Entry<'a> {
    sign: &'static str,
    verb: &'a str,
    path: &'a str,
    state: &'a str,
    age: String,
    reason: String,
    /// What a merge would make of the memory that stays.
    body: &'a str,
}

impl<'a> Entry<'a> {
    fn planned(age: &'a Age, action: &'a Action) -> Self {
        let memory = age.memories.iter().find(|memory| memory.path == action.path);
        let into = action.into.as_deref().filter(|into| !action.reason.contains(into));
        Self {
            sign: sign(&action.action),
            verb: &action.action,
            path: &action.path,
            state: memory.map_or("", |memory| &memory.state),
            age: memory.map_or(String::new(), days),
            reason: format!("{}{}", into.map(|into| format!("into {into}: ")).unwrap_or_default(), told(action)),
            body: action.body.as_deref().unwrap_or_default(),
        }
    }

    /// An entry for a memory about which something was seen and nothing is planned.
    fn seen(age: &'a Age, memory: &'a AgedMemory) -> Option<Self> {
        let is_planned = age.actions.iter().any(|action| action.path == memory.path);
        if is_planned || memory.findings.is_empty() && memory.state != "unknown" {
            return None;
        }
        let findings: Vec<String> =
            memory.findings.iter().map(|finding| format!("{}: {}", finding.kind, finding.evidence)).collect();
        let reason = if findings.is_empty() { "no date anywhere".to_owned() } else { findings.join("; ") };
        Some(Self {
            sign: " ",
            verb: "",
            path: &memory.path,
            state: &memory.state,
            age: days(memory),
            reason,
            body: "",
        })
    }
}

/// Returns the reason, and what came of the action when that is worth a word.
fn told(action: &Action) -> String {
    match action.outcome.as_deref() {
        Some(outcome) if !["written", "noted", PLANNED].contains(&outcome) => format!("{} [{outcome}]", action.reason),
        _ => action.reason.clone(),
    }
}

/// As in a diff: what goes, what is changed, what is only said.
fn sign(verb: &str) -> &'static str {
    match verb {
        "archive" => "-",
        "merge" | "supersede" => "~",
        "refresh" => "?",
        _ => "!",
    }
}

fn days(memory: &AgedMemory) -> String {
    memory.age_days.map_or("no date".to_owned(), |days| format!("{days} d"))
}

fn section(heading: &str, entries: &[Entry<'_>], page: &Page, out: &mut String) {
    if entries.is_empty() {
        return;
    }
    out.push_str(&format!("\n{heading}\n"));
    let mut table = Table::new(vec![
        Column::left("").least(1),
        Column::left("").least(9),
        Column::left("").shrinks(1).least(12),
        Column::left("").least(9),
        Column::right("").least(7),
    ]);
    for entry in entries {
        table.row([entry.sign, entry.verb, entry.path, entry.state, &entry.age]);
    }
    for (entry, row) in entries.iter().zip(table.render(page.columns).lines()) {
        out.push_str(&colored(entry.sign, row, page));
        out.push('\n');
        out.push_str(&lines(&entry.reason, REASON_INDENT, page));
        for line in entry.body.lines().filter(|line| !line.trim().is_empty()) {
            out.push_str(&lines(&format!("+ {line}"), REASON_INDENT, page));
        }
    }
}

/// Returns `text` folded to the page, each line indented.
fn lines(text: &str, indent: usize, page: &Page) -> String {
    let room = page.columns.saturating_sub(indent).max(8);
    let text = width::escape_line(text);
    width::wrap(&text, room)
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| format!("{}{line}\n", " ".repeat(indent)))
        .collect()
}

fn colored(sign: &str, row: &str, page: &Page) -> String {
    let code = match sign {
        "-" => "31",
        "~" => "33",
        "?" => "36",
        _ => "",
    };
    if !page.color || code.is_empty() { row.to_owned() } else { format!("\u{1b}[{code}m{row}\u{1b}[0m") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_types::age::Finding;

    fn sample() -> Age {
        let memory = |path: &str, state: &str, days: Option<i64>, kind: &str| AgedMemory {
            path: path.to_owned(),
            state: state.to_owned(),
            age_days: days,
            findings: vec![Finding {
                kind: kind.to_owned(),
                evidence: "seen in 2026年3月的事故报告里，端口 7431 已经换成 7432，别再用旧的那个".to_owned(),
            }],
            ..AgedMemory::default()
        };
        let action = |verb: &str, path: &str, into: Option<&str>| {
            Action {
            action: verb.to_owned(),
            path: path.to_owned(),
            into: into.map(str::to_owned),
            reason: "names 2026-04-03 as its last day: No non-critical merges until 3 April 2026, while mobile cuts a release".to_owned(),
            ..Action::default()
        }
        };
        Age {
            done: Vec::new(),
            unreached: Vec::new(),
            history: Vec::new(),
            usage: None,
            index_age_days: Some(3),
            memories: vec![
                memory("project_freeze.md", "expired", Some(200), "expired"),
                memory("project_封版期间不合并非紧急改动的说明与例外情况.md", "contradicted", Some(40), "contradicted"),
                memory("user.md", "fresh", Some(0), "relative-date"),
                AgedMemory { path: "none.md".to_owned(), state: "unknown".to_owned(), ..AgedMemory::default() },
            ],
            actions: vec![
                action("archive", "project_freeze.md", None),
                action("supersede", "project_封版期间不合并非紧急改动的说明与例外情况.md", Some("project_封版.md")),
            ],
        }
    }

    #[test]
    fn no_line_crosses_the_edge_of_the_page() {
        for columns in [20, 40, 60, 80, 100, 140] {
            for line in render(&sample(), &Page { columns, color: false }).lines() {
                assert!(width::columns(line) <= columns.max(40), "{columns}: {line}");
            }
        }
    }

    #[test]
    fn the_report_names_each_act_with_its_reason_and_what_else_was_seen() {
        let text = render(&sample(), &Page { columns: 80, color: false });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "4 memories: 1 expired, 1 contradicted, 1 unknown, 1 fresh; index 3 days old");
        assert_eq!(lines[2], "plan (nothing on disk is changed)");
        assert_eq!(lines[3], "-  archive    project_freeze.md                              expired       200 d");
        assert_eq!(lines[4], "    names 2026-04-03 as its last day: No non-critical merges until 3 April 2026,");
        assert!(text.contains("into project_封版.md:") && text.contains("no date anywhere"));
    }

    #[test]
    fn colour_marks_what_goes() {
        let text = render(&sample(), &Page { columns: 80, color: true });
        assert!(text.contains("\u{1b}[31m-  archive"));
    }
}
