//! Why one file is in or out, step by step: what people look for when a rule is not followed.

use std::path::{Path, PathBuf};

use mem_types::Problem;
use mem_types::load::{FileState, LoadedFile, Why};

/// Where the session stands.
pub struct Place<'a> {
    /// The current folder.
    pub cwd: &'a Path,
    /// The user's configuration folder.
    pub config: Option<PathBuf>,
    /// How many files were touched.
    pub touched: usize,
}

/// Returns why the file at `path`, absolute, is in or out.
pub fn explain(path: &Path, place: &Place<'_>, files: &[LoadedFile], problems: &[Problem]) -> Why {
    let own: Vec<&LoadedFile> = files.iter().filter(|file| Path::new(&file.path) == path).collect();
    let mut why = Why { path: path.to_string_lossy().into_owned(), state: "absent".into(), steps: Vec::new() };
    for file in &own {
        listed(file, place, files, &mut why);
    }
    if own.is_empty() {
        absent(path, place, &mut why.steps);
    }
    let about = problems.iter().filter(|problem| problem.path.as_deref() == Some(&why.path));
    let about: Vec<String> = about
        .map(|problem| {
            let line = problem.line.map(|line| format!(" in line {line}")).unwrap_or_default();
            format!("a problem is reported of it{line}: {}: {}", problem.code, problem.message)
        })
        .collect();
    // What decides stands last.
    let last = why.steps.len().saturating_sub(1);
    why.steps.splice(last..last, about);
    why
}

fn listed(file: &LoadedFile, place: &Place<'_>, files: &[LoadedFile], why: &mut Why) {
    why.steps.push(format!("found: {} of layer {}, {} bytes", file.kind, file.layer.name(), file.bytes));
    why.steps.extend(came_by(file));
    match file.state {
        FileState::Active => {
            why.state = "active".into();
            why.steps.extend(scope(file, place));
            why.steps.push(standing(file, files));
        }
        FileState::Waiting => {
            why.state = "waiting".into();
            why.steps.extend(scope(file, place));
            why.steps.push("out for now: it waits until a file is touched that its patterns mean".into());
        }
        FileState::Skipped | FileState::Other => {
            why.state = "skipped".into();
            why.steps.push(format!("left out: {}", file.reason));
        }
    }
}

fn came_by(file: &LoadedFile) -> Option<String> {
    let touched = file.matched_by.as_deref().unwrap_or_default();
    match file.reason.as_str() {
        "session_start" => Some("it lies where a session looks at its start".into()),
        "nested_traversal" => Some(format!("its folder holds {touched}, which was touched")),
        "include" => Some(match &file.parent {
            Some(parent) => format!("{parent} imports it"),
            None => "a loaded file imports it".into(),
        }),
        "compact" => Some("it was loaded again after compaction".into()),
        _ => None,
    }
}

fn scope(file: &LoadedFile, place: &Place<'_>) -> Option<String> {
    if file.scope != "paths" {
        return (file.kind == "rule").then(|| "it has no 'paths', so it needs no touched file that matches".into());
    }
    let patterns = file.globs.join(", ");
    Some(match &file.matched_by {
        Some(touched) => format!("its patterns are {patterns}; {touched}, which was touched, matches"),
        None if place.touched == 0 => format!("its patterns are {patterns}; no file was touched yet"),
        None => format!("its patterns are {patterns}; of {} touched files none matches", place.touched),
    })
}

fn standing(file: &LoadedFile, files: &[LoadedFile]) -> String {
    let active: Vec<&LoadedFile> = files.iter().filter(|file| file.state == FileState::Active).collect();
    let number = active.iter().position(|other| other.path == file.path).map_or(0, |place| place + 1);
    let over = active.iter().filter(|other| other.priority > file.priority).count();
    let weight = match over {
        0 => "no other file counts more".to_owned(),
        1 => "1 file of a higher layer counts more where the two differ".to_owned(),
        over => format!("{over} files of higher layers count more where they differ"),
    };
    format!(
        "in: number {number} of {}, {} tokens, {:.0} % of all instructions; {weight}",
        active.len(),
        file.tokens,
        file.share * 100.0
    )
}

/// Says what keeps a file that was not found from being found.
fn absent(path: &Path, place: &Place<'_>, steps: &mut Vec<String>) {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !path.exists() {
        steps.push("there is no such file".into());
        steps.extend(path.parent().filter(|folder| !folder.is_dir()).map(|_| "nor is there its folder".into()));
        return;
    }
    if path.is_dir() {
        steps.push("it is a folder; name a file".into());
        return;
    }
    steps.push("the file is there, and nothing that is loaded names it".into());
    if let Some(owner) = folder_of_rules(path) {
        if !name.ends_with(".md") {
            steps.push(format!("out: rules are the files '*.md' exactly, and this one is '{name}'"));
            return;
        }
        steps.push(position(owner, place));
        return;
    }
    let holder = path.parent().unwrap_or(path);
    let in_claude = holder.file_name().is_some_and(|folder| folder == ".claude");
    let known = match name.as_str() {
        "CLAUDE.md" | "AGENTS.md" => true,
        "CLAUDE.local.md" => !in_claude,
        _ => false,
    };
    if !known {
        steps.push(unknown_name(&name, in_claude));
        return;
    }
    let owner = if in_claude { holder.parent().unwrap_or(holder) } else { holder };
    if name == "AGENTS.md" {
        steps.push("AGENTS.md is read where no folder on the way has a CLAUDE.md or CLAUDE.local.md".into());
    }
    steps.push(position(owner, place));
}

/// Returns the folder for which a file in `.claude/rules` or below it is a rule.
fn folder_of_rules(path: &Path) -> Option<&Path> {
    let rules = path.ancestors().skip(1).find(|folder| folder.ends_with(".claude/rules"))?;
    rules.parent()?.parent()
}

fn unknown_name(name: &str, in_claude: bool) -> String {
    let lower = name.to_lowercase();
    if name == "CLAUDE.local.md" && in_claude {
        return "out: CLAUDE.local.md counts beside the project's CLAUDE.md, not in .claude".into();
    }
    if matches!(lower.as_str(), "claude.md" | "claude.local.md" | "agents.md") {
        return format!("out: '{name}' is not read, the case of the letters counts: CLAUDE.md, CLAUDE.local.md");
    }
    "out: no file of this name is looked for; it comes when a loaded file imports it with '@', or as a rule in \
     .claude/rules"
        .into()
}

fn position(owner: &Path, place: &Place<'_>) -> String {
    let cwd = place.cwd.display();
    if place.config.as_ref().is_some_and(|config| owner.starts_with(config)) {
        return "out: of the user's configuration folder only CLAUDE.md and rules/ are looked at".into();
    }
    if place.cwd.starts_with(owner) {
        return format!(
            "out: its folder lies on the way to {cwd}, but another file of the same kind or a setting keeps it out"
        );
    }
    if owner.starts_with(place.cwd) {
        let touched = match place.touched {
            0 => "no file was touched yet".to_owned(),
            count => format!("none of the {count} touched files does"),
        };
        return format!(
            "out for now: its folder lies below {cwd}, so it comes when a touched file lies in it; {touched}"
        );
    }
    format!("out: its folder is not {cwd}, nor above or below it")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_was_not_found_says_what_keeps_it_out() {
        let top = tempfile::tempdir().unwrap();
        let cwd = top.path().join("proj");
        let place = Place { cwd: &cwd, config: None, touched: 0 };
        for (path, wanted) in [
            ("proj/claude.md", "the case of the letters"),
            ("proj/.claude/CLAUDE.local.md", "not in .claude"),
            ("proj/.claude/rules/a.mdc", "'*.md' exactly"),
            ("proj/docs/x.md", "no file of this name"),
            ("proj/sub/CLAUDE.md", "no file was touched yet"),
            ("other/CLAUDE.md", "nor above or below"),
            ("proj/sub", "it is a folder"),
        ] {
            let path = top.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            if !path.is_dir() {
                std::fs::write(&path, "x").unwrap();
            }
            let why = explain(&path, &place, &[], &[]);
            assert!(why.steps.last().unwrap().contains(wanted), "{path:?}: {:?}", why.steps);
            assert_eq!(why.state, "absent");
        }
        let why = explain(&cwd.join("none/CLAUDE.md"), &place, &[], &[]);
        assert_eq!(why.steps, ["there is no such file", "nor is there its folder"]);
    }
}
