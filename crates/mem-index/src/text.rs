//! The index for people: where it is, how full it is, what the folder holds, and what would be mended.

use mem_text::table::{Column, Table};
use mem_text::width;
use mem_types::Page;
use mem_types::index::{Index, Proposed};

/// Returns the index for people.
pub fn render(index: &Index, page: &Page) -> String {
    let dir = width::escape_line(&index.dir);
    let mut text = format!("Memory folder  {}\n", if dir.is_empty() { "none" } else { &dir });
    text += &format!("State          {}{}\n", index.state, remark(index));
    if index.lines > 0 {
        let cut = index.truncated_by.as_ref().map(|by| format!(", cut by the limit of {by}")).unwrap_or_default();
        let lines = if index.lines == 1 { "line" } else { "lines" };
        let (count, bytes, characters) = (index.lines, index.bytes, index.characters);
        let units = if bytes == characters { String::new() } else { format!(" = {characters} characters") };
        text += &format!("MEMORY.md      {count} {lines}, {bytes} bytes{units}{cut}\n");
    }
    if let Some(logs) = &index.logs {
        let word = if logs.count == 1 { "log" } else { "logs" };
        text += &format!("Daily logs     {} {word}, {} bytes, the last of {}\n", logs.count, logs.bytes, logs.last);
    }
    for candidate in &index.candidates {
        let (dir, cwd) = (width::escape_line(&candidate.dir), width::escape_line(&candidate.cwd));
        text += &format!("Perhaps here   {dir}\n               of {cwd}, which is no longer there\n");
    }
    if let Some(proposed) = &index.proposed {
        text += &proposal(proposed, page);
    } else if !index.memories.is_empty() && index.check.is_none() {
        text.push('\n');
        text += &memories(index, page);
    }
    if !index.lost.is_empty() {
        text += &lost(index, page);
    }
    text + &check(index)
}

fn remark(index: &Index) -> &'static str {
    match index.state.as_str() {
        "missing" => " (nothing has been remembered here yet)",
        "empty" => " (the folder holds no memories)",
        _ => "",
    }
}

/// A diff, line by line as `diff -u` prints it, and why each line goes or changes.
fn proposal(proposed: &Proposed, page: &Page) -> String {
    if proposed.state == "unchanged" {
        return "Proposal       none: MEMORY.md is true to its files and within its limits\n".into();
    }
    let done = if proposed.state == "applied" { "done" } else { "with --apply" };
    let mut text = format!("Changes        {}, {done}\n\n", proposed.changes.len());
    for line in proposed.diff.lines() {
        text += &coloured(&width::escape_controls(line), page);
        text.push('\n');
    }
    text += "\nWhy\n";
    let mut table =
        Table::new(vec![Column::right("line"), Column::left("does"), Column::left("reason").shrinks(1)]).indent(2);
    for change in &proposed.changes {
        let line = change.line.map_or_else(|| "new".into(), |line| line.to_string());
        table.row([line, change.action.clone(), change.message.clone()]);
    }
    text += &table.render(page.columns);
    if !proposed.left_out.is_empty() {
        text +=
            &format!("\nWithout a line for want of room: {} memories, the least in weight\n", proposed.left_out.len());
    }
    text
}

fn coloured(line: &str, page: &Page) -> String {
    let code = match line.as_bytes().first() {
        _ if !page.color || line.starts_with("---") || line.starts_with("+++") => return line.to_owned(),
        Some(b'+') => 32,
        Some(b'-') => 31,
        Some(b'@') => 36,
        _ => return line.to_owned(),
    };
    format!("\x1b[{code}m{line}\x1b[0m")
}

fn memories(index: &Index, page: &Page) -> String {
    let mut table = Table::new(vec![
        Column::left("type").shrinks(1),
        Column::right("age"),
        Column::right("bytes"),
        Column::left("listed"),
        Column::left("file").shrinks(2).least(16),
        Column::left("description").shrinks(3).least(16),
    ]);
    for memory in &index.memories {
        let file = match &memory.dir {
            Some(dir) => format!("{dir}/{}", memory.path),
            None => memory.path.clone(),
        };
        table.row([
            memory.kind.clone().unwrap_or_else(|| "-".into()),
            memory.age_days.map_or_else(|| "?".into(), |days| format!("{days} d")),
            memory.bytes.to_string(),
            if memory.is_listed { "yes" } else { "no" }.into(),
            file,
            memory.description.clone(),
        ]);
    }
    table.render(page.columns)
}

fn lost(index: &Index, page: &Page) -> String {
    let mut text = String::from("\nNot seen by a model\n");
    let mut table = Table::new(vec![Column::right("line"), Column::left("entry").shrinks(1)]).indent(2);
    for lost in &index.lost {
        table.row([lost.line.to_string(), lost.text.clone()]);
    }
    text += &table.render(page.columns);
    text
}

fn check(index: &Index) -> String {
    let Some(check) = &index.check else { return String::new() };
    let counts: Vec<String> = check.findings.iter().map(|(class, count)| format!("{class} {count}")).collect();
    let mut text = format!("Checked        {}\n", counts.join(", "));
    if let Some(remedy) = &check.remedy {
        text += &format!("To mend        {}\n", width::escape_line(remedy));
    }
    text
}
