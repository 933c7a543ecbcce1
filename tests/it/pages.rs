//! Man pages and README: every option has its paragraph, every option named is real, and examples run as printed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{COMMANDS, Place, checkout, feed, program};

fn page(name: &str) -> String {
    let path = checkout().join("man").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the long options that `--help` lists.
fn long_options(command: &str) -> BTreeSet<String> {
    let help = Place::new().run(command, &["--help"], "").stdout;
    let mut options = BTreeSet::new();
    for line in help.lines().map(str::trim_start).filter(|line| line.starts_with('-')) {
        let words = line.split([' ', ',', '=', '[']).filter_map(|word| word.strip_prefix("--"));
        options.extend(words.take(1).map(str::to_owned));
    }
    assert!(options.len() > 15, "{command}: {options:?}");
    options
}

/// Returns the long options that a page names.
fn named_options(page: &str) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for line in page.lines().filter(|line| line.starts_with('.')) {
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            if word == "Fl"
                && let Some(option) = words.next().and_then(|word| word.strip_prefix('-'))
            {
                named.insert(option.to_owned());
            }
        }
    }
    named
}

#[test]
fn every_option_is_in_its_page_and_every_option_in_a_page_is_real() {
    let mut all = BTreeSet::new();
    for command in COMMANDS {
        let options = long_options(command);
        let named = named_options(&page(&format!("{command}.1")));
        let missing: Vec<_> = options.difference(&named).collect();
        let invented: Vec<_> = named.difference(&options).collect();
        assert!(missing.is_empty() && invented.is_empty(), "{command}.1 lacks {missing:?} and invents {invented:?}");
        all.extend(options);
    }
    let invented: Vec<_> = named_options(&page("mem.7")).difference(&all).cloned().collect();
    assert!(invented.is_empty(), "mem.7 invents {invented:?}");
}

#[test]
fn pages_pass_the_lint() {
    if Command::new("mandoc").arg("-h").output().is_err() {
        return; // .ci/run installs it.
    }
    let pages: Vec<_> = fs::read_dir(checkout().join("man")).unwrap().flatten().map(|entry| entry.path()).collect();
    let lint = Command::new("mandoc").args(["-T", "lint", "-W", "warning"]).args(pages).output().unwrap();
    assert!(lint.status.success(), "{}", String::from_utf8_lossy(&lint.stdout));
}

/// A block of example lines: `$ command` followed by what it prints.
fn examples_of_page(page: &str) -> Vec<Vec<String>> {
    let mut blocks = Vec::new();
    let mut open: Option<Vec<String>> = None;
    for line in page.lines() {
        if line.starts_with(".Bd -literal") {
            open = Some(Vec::new());
        } else if line == ".Ed" {
            blocks.extend(open.take());
        } else if let Some(block) = &mut open {
            block.push(line.replace("\\-", "-").replace("\\e", "\\").replace("\\(aq", "'").replace("\\&", ""));
        }
    }
    blocks.into_iter().filter(|block| block.iter().any(|line| line.starts_with("$ "))).collect()
}

fn examples_of_readme(readme: &str) -> Vec<Vec<String>> {
    let mut blocks = Vec::new();
    let mut open: Option<Vec<String>> = None;
    for line in readme.lines() {
        match (&mut open, line) {
            (None, "```console") => open = Some(Vec::new()),
            (Some(_), "```") => blocks.extend(open.take()),
            (Some(block), line) => block.push(line.to_owned()),
            (None, _) => {}
        }
    }
    blocks
}

/// The project in which examples are run.
fn scratch() -> Place {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "Use pnpm.\n");
    place.write(
        "proj/memory/MEMORY.md",
        "- [Test database](test-database.md) — integration tests use a real postgres\n",
    );
    place.write(
        "proj/memory/test-database.md",
        "---\nname: Test database\ndescription: integration tests use a real postgres\ntype: feedback\nmodified: 2026-11-01\n---\nTests run against a real postgres, never against a mock.\n",
    );
    place
}

/// Runs a block with `sh` and compares what is printed; a line `...` stands for any lines.
fn check(block: &[String], origin: &str) {
    let place = scratch();
    let folder = Path::new(program("mem-load")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let mut lines = block.iter().peekable();
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix("$ ") else { panic!("{origin}: '{line}' belongs to no command") };
        let mut script = first.to_owned();
        while script.ends_with('\\') {
            script.push('\n');
            script.push_str(lines.next().unwrap());
        }
        let mut expected = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ")) {
            expected.push(line.clone());
        }
        let mut process = place.command("sh");
        process.env("PATH", &path).env("COLUMNS", "80").args(["-c", &script]);
        let ran = feed(process, b"");
        assert_eq!(ran.status, 0, "{origin}: {script}\n{}", ran.stderr);
        if !expected.is_empty() {
            let printed = ran.stdout.replace(&place.project().to_string_lossy().into_owned(), "/home/ada/proj");
            assert!(
                fits(&expected, &printed),
                "{origin}: $ {script}\nprinted\n{printed}\nexpected\n{}",
                expected.join("\n")
            );
        }
    }
}

fn fits(expected: &[String], printed: &str) -> bool {
    let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
    fn from(expected: &[String], printed: &[&str]) -> bool {
        match expected.split_first() {
            None => printed.is_empty(),
            Some((line, rest)) if line == "..." => (0..=printed.len()).any(|skipped| from(rest, &printed[skipped..])),
            Some((line, rest)) => printed.first() == Some(&line.trim_end()) && from(rest, &printed[1..]),
        }
    }
    from(expected, &printed)
}

#[test]
fn examples_in_pages_run_as_printed() {
    let mut count = 0;
    for entry in fs::read_dir(checkout().join("man")).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        for block in examples_of_page(&page(&name)) {
            check(&block, &name);
            count += 1;
        }
    }
    assert!(count >= 6, "{count}");
}

#[test]
fn examples_in_the_readme_run_as_printed() {
    let readme = fs::read_to_string(checkout().join("README.md")).unwrap();
    let blocks = examples_of_readme(&readme);
    assert!(blocks.len() >= 3, "{}", blocks.len());
    for block in blocks {
        check(&block, "README.md");
    }
}
