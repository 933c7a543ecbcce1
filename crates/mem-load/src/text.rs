//! The loaded files for people: who is in, who is out, why, and what each takes.

use mem_text::table::{Column, Table};
use mem_text::width;
use mem_types::Page;
use mem_types::load::{FileState, Load, LoadedFile, Why};

use crate::side_by_side;

/// On a narrower page the columns that say least are left out.
pub(crate) const NARROW: usize = 76;

/// Returns the files as tables: active, waiting, skipped; or the steps for the one file that was asked about.
pub fn render(load: &Load, page: &Page) -> String {
    if let Some(why) = &load.why {
        return steps(load, why, page);
    }
    let active = of_state(load, FileState::Active);
    let mut text = headed("Project", &width::escape_line(&load.root), page);
    let files = if active.len() == 1 { "file" } else { "files" };
    let loaded = format!("{} {files}, about {} tokens{}", active.len(), load.tokens, of_window(load));
    text += &headed("Loaded", &loaded, page);
    text += &layers(load, page);
    if active.is_empty() {
        let advice = "Nothing is loaded: write a CLAUDE.md in the project, or one for all projects in ~/.claude";
        text += &(width::wrap(advice, page.columns).join("\n") + "\n");
    } else {
        text.push('\n');
        text += &active_table(load, &active, page);
    }
    text += &other_table("Waiting for a touched file", "paths", load, FileState::Waiting, page);
    text += &other_table("Left out", "reason", load, FileState::Skipped, page);
    text += &side_by_side::render(load, page);
    text
}

/// Returns how one file came in or was kept out.
fn steps(load: &Load, why: &Why, page: &Page) -> String {
    let mut text = format!("{}: {}\n", width::escape_line(&below(load, &why.path)), why.state);
    for (number, step) in why.steps.iter().enumerate() {
        let lines = width::wrap(&width::escape_line(step), page.columns.saturating_sub(5));
        for (line_number, line) in lines.iter().enumerate() {
            let head = if line_number == 0 { format!("{:>3}. ", number + 1) } else { " ".repeat(5) };
            text += &format!("{head}{line}\n");
        }
    }
    text
}

fn of_window(load: &Load) -> String {
    match load.tokens.saturating_mul(1000).checked_div(load.window) {
        Some(share) if load.tokens > 0 => {
            format!(", {}.{} % of a window of {}", share / 10, share % 10, load.window)
        }
        _ => String::new(),
    }
}

/// Returns what each layer takes, when there is more than one or one has a budget.
fn layers(load: &Load, page: &Page) -> String {
    if load.layers.len() < 2 && load.layers.iter().all(|size| size.budget.is_none()) {
        return String::new();
    }
    let sizes = load.layers.iter().map(|size| match size.budget {
        Some(budget) => format!("{} {} of {budget}", size.layer.name(), size.tokens),
        None => format!("{} {}", size.layer.name(), size.tokens),
    });
    headed("Layers", &sizes.collect::<Vec<_>>().join(", "), page)
}

/// Returns words behind a heading, further lines below the first.
fn headed(heading: &str, words: &str, page: &Page) -> String {
    let lines = width::wrap(words, page.columns.saturating_sub(9));
    let heads = std::iter::once(heading).chain(std::iter::repeat(""));
    lines.iter().zip(heads).map(|(line, head)| format!("{head:<9}{line}\n")).collect()
}

fn of_state(load: &Load, state: FileState) -> Vec<&LoadedFile> {
    load.files.iter().filter(|file| file.state == state).collect()
}

/// Returns the active files, in the order in which the model gets them.
fn active_table(load: &Load, files: &[&LoadedFile], page: &Page) -> String {
    let is_narrow = page.columns < NARROW;
    let mut columns = vec![Column::left("layer")];
    if !is_narrow {
        columns.extend([Column::left("scope"), Column::right("prio")]);
    }
    columns.push(Column::right("tokens"));
    if !is_narrow {
        columns.push(Column::right("share"));
    }
    // Numbers are whole, whatever becomes of paths and reasons.
    let room = page.columns.saturating_sub(if is_narrow { 34 } else { 55 });
    let paths = Column::paths("file").shrinks(2).least(room.min(page.columns * 2 / 5));
    columns.extend([paths, Column::left("why").shrinks(3).least(15)]);
    let mut table = Table::new(columns);
    for file in files {
        let mut row = vec![file.layer.name().to_owned()];
        if !is_narrow {
            row.extend([file.scope.clone(), file.priority.to_string()]);
        }
        row.push(file.tokens.to_string());
        if !is_narrow {
            row.push(format!("{:.0} %", file.share * 100.0));
        }
        row.extend([below(load, &file.path), why(load, file)]);
        table.row(row);
    }
    table.render(page.columns)
}

fn why(load: &Load, file: &LoadedFile) -> String {
    match &file.matched_by {
        Some(touched) => format!("{} ({})", file.reason, below(load, touched)),
        None => file.reason.clone(),
    }
}

fn other_table(title: &str, last: &str, load: &Load, state: FileState, page: &Page) -> String {
    let files = of_state(load, state);
    if files.is_empty() {
        return String::new();
    }
    let mut table = Table::new(vec![
        Column::left("layer"),
        Column::right(if state == FileState::Waiting { "tokens" } else { "bytes" }),
        Column::paths("file").shrinks(2).least(page.columns * 2 / 5),
        Column::left(last).shrinks(1).least(13),
    ]);
    for file in files {
        let size = if state == FileState::Waiting { file.tokens } else { file.bytes };
        let detail = if file.globs.is_empty() { file.reason.clone() } else { file.globs.join(", ") };
        table.row([file.layer.name().to_owned(), size.to_string(), below(load, &file.path), detail]);
    }
    format!("\n{title}\n{}", table.render(page.columns))
}

/// Returns a path of the project relative to its root, and any other as it is.
pub(crate) fn below(load: &Load, path: &str) -> String {
    let relative = path.strip_prefix(&load.root).and_then(|rest| rest.strip_prefix('/'));
    relative.unwrap_or(path).to_owned()
}
