//! The rules of the house: who may import whom, who may touch the world, what must be there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{COMMANDS, checkout};

/// Who may import which crates of this workspace: DESIGN section 3.
fn allowed(name: &str) -> &'static [&'static str] {
    const COMMAND: &[&str] =
        &["mem-types", "mem-text", "mem-transcript", "mem-context", "mem-store", "mem-exec", "mem-cli"];
    // These four can ask a model; the others must not even link the network.
    const ASKING: &[&str] =
        &["mem-types", "mem-text", "mem-transcript", "mem-context", "mem-store", "mem-exec", "mem-llm", "mem-cli"];
    match name {
        "mem-types" | "mem-text" => &[],
        "mem-transcript" => &["mem-types", "mem-text"],
        "mem-exec" => &["mem-text"],
        "mem-llm" => &["mem-types", "mem-text", "mem-exec", "mem-store"],
        "mem-store" => &["mem-types", "mem-text", "mem-exec"],
        "mem-context" => &["mem-types", "mem-text"],
        "mem-cli" => &["mem-types", "mem-text", "mem-context", "mem-store", "mem-exec"],
        "mem-recall" | "mem-extract" | "mem-compact" | "mem-age" => ASKING,
        name if COMMANDS.contains(&name) => COMMAND,
        _ => &[],
    }
}

fn crates() -> BTreeMap<String, PathBuf> {
    fs::read_dir(checkout().join("crates"))
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path()))
        .collect()
}

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found.sort();
    found
}

/// The part of a file that is not its tests.
fn working_part<'a>(path: &Path, text: &'a str) -> &'a str {
    let is_test = path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"));
    if is_test { "" } else { text.split("#[cfg(test)]\nmod tests").next().unwrap() }
}

#[test]
fn crates_import_only_whom_they_may() {
    for (name, folder) in crates() {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let imported: BTreeSet<&str> = manifest
            .lines()
            .filter_map(|line| line.strip_suffix(".workspace = true"))
            .filter(|import| import.starts_with("mem-"))
            .collect();
        for import in imported {
            assert!(allowed(&name).contains(&import), "{name} must not import {import}");
        }
    }
}

#[test]
fn commands_take_only_their_options_from_mem_cli() {
    for command in COMMANDS {
        for (path, text) in sources(&checkout().join("crates").join(command).join("src")) {
            let is_args = path.file_name().is_some_and(|name| name == "args.rs");
            assert!(is_args || !text.contains("mem_cli"), "{}", path.display());
        }
    }
}

#[test]
fn only_the_crates_named_in_the_design_touch_the_world() {
    // (what, where it may stand)
    const EDGES: [(&str, &[&str]); 10] = [
        ("std::fs", &["mem-store", "mem-cli"]),
        ("fs::read", &["mem-store"]),
        // mem-exec hands a child a cleaned copy of the environment; it reads nothing from it for itself.
        ("std::env", &["mem-cli", "mem-exec"]),
        ("std::net", &["mem-llm"]),
        ("reqwest", &["mem-llm"]),
        ("process::Command", &["mem-exec"]),
        ("io::stdin", &["mem-cli"]),
        ("io::stdout", &["mem-cli"]),
        ("io::stderr", &["mem-cli"]),
        ("SystemTime::now", &[]),
    ];
    for (name, folder) in crates() {
        for (path, text) in sources(&folder.join("src")) {
            for (edge, allowed) in EDGES {
                let touches = working_part(&path, &text).contains(edge);
                assert!(!touches || allowed.contains(&name.as_str()), "{} touches {edge}", path.display());
            }
            let asks_clock = working_part(&path, &text).contains("ZonedDateTime::now")
                || working_part(&path, &text).contains("Timestamp::now");
            assert!(!asks_clock || path.ends_with("mem-store/src/moment.rs"), "{} asks the clock", path.display());
        }
    }
}

#[test]
fn mains_are_three_lines() {
    for command in COMMANDS {
        let text = fs::read_to_string(checkout().join("bin").join(format!("{command}.rs"))).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with("//!")).collect();
        let library = command.replace('-', "_");
        let filter = format!("    mem_cli::filter({library}::run)");
        assert_eq!(lines, ["fn main() -> std::process::ExitCode {", filter.as_str(), "}"], "{command}");
    }
}

#[test]
fn every_crate_stands_on_the_map_and_every_file_says_what_it_is_for() {
    let map = fs::read_to_string(checkout().join("crates/README.md")).unwrap();
    for (name, folder) in crates() {
        assert!(map.contains(&format!("`{name}`")), "crates/README.md does not name {name}");
        for (path, text) in sources(&folder.join("src")) {
            assert!(text.starts_with("//! "), "{} does not say what it is for", path.display());
        }
    }
}

#[test]
fn nothing_is_left_unfinished() {
    let words = ["todo!", "unimplemented!", "FIXME", "XXX", "not implemented"];
    for (_, folder) in crates() {
        for (path, text) in sources(&folder) {
            for word in words {
                assert!(!text.contains(word), "{} has {word}", path.display());
            }
        }
    }
}
