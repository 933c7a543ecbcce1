//! The choice as people read it.

use mem_text::table::{Column, Table};
use mem_text::{cut, width};
use mem_types::Page;
use mem_types::recall::{AskedAbout, PassedOver, Recall, RecallBudget, RecalledMemory, Why};

/// Lines of a memory's text that are shown.
const MOST_LINES: usize = 4;
/// Words of the prompt that are shown for a memory.
const MOST_WORDS: usize = 6;
/// What was passed over is shown up to so many lines; JSON has all.
const MOST_PASSED: usize = 10;
/// Blanks before what belongs to a memory.
const INDENT: usize = 3;

/// Returns the choice for people: what helps and why, what was passed over, what was spent.
pub fn render(recall: &Recall, page: &Page) -> String {
    let mut text = head(recall, page);
    text += &chooser(recall, page);
    for (number, memory) in recall.memories.iter().enumerate() {
        text += &format!("\n{}", one(number + 1, memory, page));
    }
    text += &passed_over(&recall.passed_over, page);
    text += &asked(&recall.why, page);
    if !recall.memories.is_empty() {
        text += &budget(&recall.budget, recall.memories.len(), page);
    }
    text
}

fn head(recall: &Recall, page: &Page) -> String {
    let reason = recall.reason.as_deref().unwrap_or_default();
    let line = match (recall.state.as_str(), recall.memories.len()) {
        ("selected", 1) => "Recall: 1 memory helps with this prompt.".to_owned(),
        ("selected", count) => format!("Recall: {count} memories help with this prompt, best first."),
        (state, _) => format!("Recall: {state}: {reason}."),
    };
    wrapped(&line, 0, page)
}

/// Says who chose, when somebody else than the ranking was asked.
fn chooser(recall: &Recall, page: &Page) -> String {
    if let Some(reason) = &recall.fallback {
        return wrapped(&format!("Chosen offline: {reason}."), 0, page);
    }
    let Some(usage) = &recall.usage else {
        return if recall.selector == "program" {
            "Chosen by the program of --selector.\n".into()
        } else {
            String::new()
        };
    };
    let (tokens_in, tokens_out) = (grouped(usage.input_tokens), grouped(usage.output_tokens));
    let cached = grouped(usage.cached_tokens);
    let line = format!("Chosen by {}: {tokens_in} tokens in ({cached} from the cache), {tokens_out} out.", usage.model);
    wrapped(&line, 0, page)
}

fn one(number: usize, memory: &RecalledMemory, page: &Page) -> String {
    let name = width::escape_line(&memory.name).into_owned();
    let title = bold(&cut::ellipsis(&name, page.columns.saturating_sub(4)), page);
    let mut text = format!("{number}. {title}\n");
    text += &wrapped(&facts(memory), INDENT, page);
    text += &wrapped(&format!("why: {}", words(&memory.why)), INDENT, page);
    for cite in &memory.cites {
        let state = match cite.state.as_str() {
            "fresh" => "is in the project",
            "stale" => "is not in the project now",
            _ => "cannot be checked",
        };
        text += &wrapped(&format!("cites {}: {state}", cite.path), INDENT, page);
    }
    if let Some(note) = &memory.note {
        text += &wrapped(&format!("note: {note}"), INDENT, page);
    }
    text + &excerpt(&memory.text, page)
}

fn facts(memory: &RecalledMemory) -> String {
    let age = match memory.age_days {
        None => "of unknown age".to_owned(),
        Some(..=0) => "today".to_owned(),
        Some(1) => "yesterday".to_owned(),
        Some(days) => format!("{days} days old"),
    };
    let kind = memory.kind.as_deref().unwrap_or("no type");
    let place = memory.dir.as_ref().map_or(memory.path.clone(), |dir| format!("{dir}/{}", memory.path));
    format!("{place} · {kind} · {age} · {} bytes · score {:.1}", grouped(memory.text.len() as u64), memory.score)
}

fn words(all: &[Why]) -> String {
    let words: Vec<String> = all.iter().take(MOST_WORDS).map(|why| format!("{} {:.1}", why.word, why.score)).collect();
    let more = all.len().saturating_sub(MOST_WORDS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", words.join(", "))
}

/// Returns the first lines of the text behind a bar.
fn excerpt(text: &str, page: &Page) -> String {
    let room = page.columns.saturating_sub(INDENT + 2).max(10);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let all: Vec<String> =
        lines.flat_map(|line| width::wrap(&width::escape_line(line), room)).take(MOST_LINES + 1).collect();
    let mut out = String::new();
    for (index, line) in all.iter().take(MOST_LINES).enumerate() {
        let is_cut = index + 1 == MOST_LINES && all.len() > MOST_LINES;
        let line = if is_cut { format!("{} …", cut::columns(line, room.saturating_sub(2))) } else { line.clone() };
        out += &format!("{}│ {}\n", " ".repeat(INDENT), line.trim_end());
    }
    out
}

fn passed_over(passed: &[PassedOver], page: &Page) -> String {
    if passed.is_empty() {
        return String::new();
    }
    let mut table = Table::new(vec![Column::left("").shrinks(1).least(20), Column::left("").least(20)]).indent(INDENT);
    for entry in passed.iter().take(MOST_PASSED) {
        table.row([entry.path.as_str(), entry.why.as_str()]);
    }
    let mut text = format!("\nPassed over: {}\n{}", passed.len(), table.render(page.columns));
    if passed.len() > MOST_PASSED {
        text += &wrapped(&format!("… and {} more, all in the JSON", passed.len() - MOST_PASSED), INDENT, page);
    }
    text
}

/// Tells of each memory that was asked about what became of it.
fn asked(all: &[AskedAbout], page: &Page) -> String {
    let mut text = String::new();
    for about in all {
        text += &format!("\n{}", wrapped(&format!("{}: {}: {}", about.path, about.outcome, about.reason), 0, page));
        if let (Some(score), Some(share), Some(floor)) = (about.score, about.share, about.least_share) {
            let needed = about.least_score.map(|least| format!(", needed {least:.1}")).unwrap_or_default();
            let line = format!(
                "score {score:.1}{needed}; {:.0} % of a full match, needed {:.0} %",
                share * 100.0,
                floor * 100.0
            );
            text += &wrapped(&line, INDENT, page);
        }
        if !about.words.is_empty() {
            text += &wrapped(&format!("words: {}", words(&about.words)), INDENT, page);
        }
        if !about.behind.is_empty() {
            let before: Vec<String> = about.behind.iter().map(|one| format!("{} {:.1}", one.path, one.score)).collect();
            text += &wrapped(&format!("before it: {}", before.join(", ")), INDENT, page);
        }
    }
    text
}

fn budget(budget: &RecallBudget, files: usize, page: &Page) -> String {
    let percent = (budget.used_session_bytes * 100).checked_div(budget.session_bytes).unwrap_or(100);
    let line = format!(
        "Budget: {files} of {} files, {} bytes; session {} of {} bytes ({percent} %)",
        budget.max_files,
        grouped(budget.used_bytes),
        grouped(budget.used_session_bytes),
        grouped(budget.session_bytes)
    );
    format!("\n{}", wrapped(&line, 0, page))
}

/// Returns the text broken to the page, each line behind so many blanks.
fn wrapped(text: &str, indent: usize, page: &Page) -> String {
    let lines = width::wrap(&width::escape_line(text), page.columns.saturating_sub(indent).max(10));
    lines.iter().map(|line| format!("{}{}\n", " ".repeat(indent), line.trim_end())).collect()
}

fn bold(text: &str, page: &Page) -> String {
    if page.color { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// Returns a number with a comma before each three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_types::recall::Citation;

    fn answer() -> Recall {
        let memory = RecalledMemory {
            path: "project_数据库回滚超时与值班约定以及其他说明.md".into(),
            name: "数据库回滚超时：超过五分钟就叫值班的人，不要自己重启，先看监控面板再决定，并且在群里说明".into(),
            kind: Some("project".into()),
            score: 7.25,
            why: vec![Why { word: "回滚超时".into(), score: 5.0 }, Why { word: "timeout".into(), score: 2.25 }],
            age_days: Some(12),
            note: Some("an observation from 12 days ago; what it says may have changed since".into()),
            cites: vec![Citation { path: "src/db/a_rather_long_name_of_a_file.rs".into(), state: "stale".into() }],
            text: "上次回滚超时，订单表锁了二十分钟。".repeat(12) + "\nline \u{1b}[31m two\n",
            ..RecalledMemory::default()
        };
        let passed_over =
            PassedOver { path: "feedback_long_name_of_a_memory.md".into(), why: "others answer better".into() };
        Recall {
            state: "selected".into(),
            memories: vec![memory],
            passed_over: vec![passed_over; 12],
            budget: RecallBudget {
                max_files: 5,
                session_bytes: 61_440,
                used_bytes: 1200,
                used_session_bytes: 30_720,
                ..RecallBudget::default()
            },
            ..Recall::default()
        }
    }

    #[test]
    fn nothing_is_wider_than_the_page_and_cuts_are_marked() {
        for columns in [40, 80, 140] {
            let text = render(&answer(), &Page { columns, color: false });
            for line in text.lines() {
                assert!(width::columns(line) <= columns, "{columns}: {line}");
            }
            assert!(text.contains('…') && text.contains("and 2 more"), "{text}");
            assert!(!text.contains('\u{1b}'), "control characters are shown, not sent");
            assert!(text.contains("session 30,720 of 61,440 bytes (50 %)") || columns == 40, "{text}");
        }
    }

    #[test]
    fn an_empty_choice_says_why() {
        let recall =
            Recall { state: "skipped".into(), reason: Some("the prompt is empty".into()), ..Recall::default() };
        assert_eq!(render(&recall, &Page { columns: 80, color: false }), "Recall: skipped: the prompt is empty.\n");
    }
}
