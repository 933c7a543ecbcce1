//! The loaded files for people: who is in, who is out, why, and what each takes.

use mem_text::table::{Column, Table};
use mem_text::width;
use mem_types::Page;
use mem_types::load::{FileState, Load, LoadedFile};

/// Returns the files as tables: active, waiting, skipped.
pub fn render(load: &Load, page: &Page) -> String {
    let active = of_state(load, FileState::Active);
    let mut text = format!("Project  {}\n", width::escape_line(&load.root));
    let files = if active.len() == 1 { "file" } else { "files" };
    text += &format!("Loaded   {} {files}, about {} tokens\n", active.len(), load.tokens);
    if active.is_empty() {
        text += "Nothing is loaded: write a CLAUDE.md in the project, or one for all projects in ~/.claude\n";
    } else {
        text.push('\n');
        text += &active_table(load, &active, page);
    }
    text += &other_table("Waiting for a touched file", "paths", load, FileState::Waiting, page);
    text += &other_table("Left out", "reason", load, FileState::Skipped, page);
    text
}

fn of_state(load: &Load, state: FileState) -> Vec<&LoadedFile> {
    load.files.iter().filter(|file| file.state == state).collect()
}

fn active_table(load: &Load, files: &[&LoadedFile], page: &Page) -> String {
    let mut table = Table::new(vec![
        Column::left("layer"),
        Column::left("kind").shrinks(1),
        Column::right("tokens"),
        Column::right("share"),
        Column::left("file").shrinks(2).least(24),
        Column::left("why").shrinks(3).least(15),
    ]);
    for file in files {
        let why = match &file.matched_by {
            Some(touched) => format!("{} ({})", file.reason, below(load, touched)),
            None => file.reason.clone(),
        };
        table.row([
            file.layer.name().to_owned(),
            file.kind.clone(),
            file.tokens.to_string(),
            format!("{:.0} %", file.share * 100.0),
            shown_path(load, file),
            why,
        ]);
    }
    table.render(page.columns)
}

fn other_table(title: &str, last: &str, load: &Load, state: FileState, page: &Page) -> String {
    let files = of_state(load, state);
    if files.is_empty() {
        return String::new();
    }
    let mut table = Table::new(vec![
        Column::left("layer"),
        Column::right("bytes"),
        Column::left("file").shrinks(2).least(24),
        Column::left(last).shrinks(1).least(13),
    ]);
    for file in files {
        let detail = if file.globs.is_empty() { file.reason.clone() } else { file.globs.join(", ") };
        table.row([file.layer.name().to_owned(), file.bytes.to_string(), shown_path(load, file), detail]);
    }
    format!("\n{title}\n{}", table.render(page.columns))
}

fn shown_path(load: &Load, file: &LoadedFile) -> String {
    below(load, &file.path)
}

/// Returns a path of the project relative to its root, and any other as it is.
fn below(load: &Load, path: &str) -> String {
    let relative = path.strip_prefix(&load.root).and_then(|rest| rest.strip_prefix('/'));
    relative.unwrap_or(path).to_owned()
}
