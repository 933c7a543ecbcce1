//! The index for people: where it is, how full it is, and what the folder holds.

use mem_text::table::{Column, Table};
use mem_text::width;
use mem_types::Page;
use mem_types::index::Index;

/// Returns the index for people.
pub fn render(index: &Index, page: &Page) -> String {
    let dir = width::escape_line(&index.dir);
    let mut text = format!("Memory folder  {}\n", if dir.is_empty() { "none" } else { &dir });
    text += &format!("State          {}{}\n", index.state, remark(index));
    if index.lines > 0 {
        let cut = index.truncated_by.as_ref().map(|by| format!(", cut by the limit of {by}")).unwrap_or_default();
        let lines = if index.lines == 1 { "line" } else { "lines" };
        text += &format!("MEMORY.md      {} {lines}, {} bytes{cut}\n", index.lines, index.bytes);
    }
    if !index.memories.is_empty() {
        text.push('\n');
        text += &memories(index, page);
    }
    if !index.lost.is_empty() {
        text += &lost(index, page);
    }
    text
}

fn remark(index: &Index) -> &'static str {
    match index.state.as_str() {
        "missing" => " (nothing has been remembered here yet)",
        "empty" => " (the folder holds no memories)",
        _ => "",
    }
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
