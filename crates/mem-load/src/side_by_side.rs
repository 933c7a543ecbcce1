//! With profile `all`: which agent loads which file, and at which place.

use std::collections::BTreeMap;

use mem_store::instructions::agent;
use mem_text::table::{Column, Table};
use mem_types::Page;
use mem_types::load::{FileState, Load};

use crate::text;

/// Returns a table with a line for each file and a column for each agent, or nothing when only one was asked for.
pub fn render(load: &Load, page: &Page) -> String {
    if load.profiles.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = agent::ALL.iter().map(|agent| agent.name).collect();
    let columns = names.iter().map(|name| Column::right(name));
    let mut table = Table::new(columns.chain([Column::left("file").shrinks(1).least(24)]).collect());
    for path in paths(load, &names) {
        let marks = names.iter().map(|name| mark(load, name, path));
        table.row(marks.chain([text::below(load, path)]).collect::<Vec<_>>());
    }
    let tokens = names.iter().map(|name| load.profiles.get(*name).map_or(0, |reading| reading.tokens).to_string());
    table.row(tokens.chain(["tokens in all".to_owned()]).collect::<Vec<_>>());
    format!(
        "\nSide by side: the place at which each agent loads a file, 'wait' for a touched one, '-' never\n{}",
        table.render(page.columns)
    )
}

/// Returns every file that some agent loads or waits with, in the order in which the first of them has it.
fn paths<'a>(load: &'a Load, names: &[&str]) -> Vec<&'a str> {
    let mut seen = std::collections::BTreeSet::new();
    let readings = names.iter().filter_map(|name| load.profiles.get(*name));
    let files = readings.flat_map(|reading| &reading.files).filter(|file| file.state != FileState::Skipped);
    files.map(|file| file.path.as_str()).filter(|path| seen.insert(*path)).collect()
}

fn mark(load: &Load, name: &str, path: &str) -> String {
    let Some(reading) = load.profiles.get(name) else { return "-".into() };
    let active = reading.files.iter().filter(|file| file.state == FileState::Active);
    let places: BTreeMap<&str, usize> =
        active.enumerate().map(|(place, file)| (file.path.as_str(), place + 1)).collect();
    let waits = || reading.files.iter().any(|file| file.path == path && file.state == FileState::Waiting);
    match places.get(path) {
        Some(place) => place.to_string(),
        None if waits() => "wait".into(),
        None => "-".into(),
    }
}
