//! With profile `all`: which agent loads which file, and at which place.

use std::collections::BTreeMap;

use mem_store::instructions::agent;
use mem_text::table::{Column, Table};
use mem_text::width;
use mem_types::Page;
use mem_types::load::{FileState, Load};

use crate::text;

/// Returns a table with a line for each file and a column for each agent, or nothing when only one was asked for.
pub fn render(load: &Load, page: &Page) -> String {
    if load.profiles.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = agent::ALL.iter().map(|agent| agent.name).collect();
    let columns = names.iter().map(|name| Column::right(heading(name, page)));
    let mut table = Table::new(columns.chain([Column::paths("file").shrinks(1).least(12)]).collect());
    let marks: Vec<BTreeMap<&str, String>> = names.iter().map(|name| marks(load, name)).collect();
    for path in paths(load, &names) {
        let cells = marks.iter().map(|marks| marks.get(path).map_or("-", String::as_str));
        table.row(cells.chain([text::below(load, path).as_str()]));
    }
    let tokens = names.iter().map(|name| load.profiles.get(*name).map_or(0, |reading| reading.tokens).to_string());
    table.row(tokens.chain(["tokens in all".to_owned()]).collect::<Vec<_>>());
    let title = "Side by side: the place at which each agent loads a file, 'wait' for a touched one, '-' never";
    format!("\n{}\n{}", width::wrap(title, page.columns).join("\n"), table.render(page.columns))
}

/// On a narrow page the first word of a name says enough.
fn heading<'a>(name: &'a str, page: &Page) -> &'a str {
    if page.columns < text::NARROW { name.split('-').next().unwrap_or(name) } else { name }
}

/// Returns every file that some agent loads or waits with, in the order in which the first of them has it.
fn paths<'a>(load: &'a Load, names: &[&str]) -> Vec<&'a str> {
    let mut seen = std::collections::BTreeSet::new();
    let readings = names.iter().filter_map(|name| load.profiles.get(*name));
    let files = readings.flat_map(|reading| &reading.files).filter(|file| file.state != FileState::Skipped);
    files.map(|file| file.path.as_str()).filter(|path| seen.insert(*path)).collect()
}

/// Returns the place of each file that an agent loads, and `wait` for those that wait.
fn marks<'a>(load: &'a Load, name: &str) -> BTreeMap<&'a str, String> {
    let mut marks = BTreeMap::new();
    let mut place = 0;
    for file in load.profiles.get(name).into_iter().flat_map(|reading| &reading.files) {
        match file.state {
            FileState::Active => {
                place += 1;
                marks.insert(file.path.as_str(), place.to_string());
            }
            FileState::Waiting => {
                marks.entry(file.path.as_str()).or_insert_with(|| "wait".into());
            }
            FileState::Skipped | FileState::Other => {}
        }
    }
    marks
}
