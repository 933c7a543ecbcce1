//! Pairs of documents in `tests/cases`: `name.in.json` through the command in `name.args` gives `name.out.json`.
//!
//! `${CASE}` in any of them is the folder `name/`, copied to a temporary place for the run, or an empty folder. Its path
//! is always as long as this: some answers count the tokens of the paths in them. With `MEM_WRITE_CASES=1` the answers
//! are written to `name.out.json` for reading them over.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Place, checkout};

#[test]
fn every_case_gives_the_document_that_lies_beside_it() {
    let inputs = inputs(&checkout().join("tests/cases"));
    assert!(inputs.len() >= 8, "cases were lost: {}", inputs.len());
    for input in inputs {
        check(&input);
    }
}

fn inputs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(inputs(&path));
        } else if path.to_string_lossy().ends_with(".in.json") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn check(input: &Path) {
    let name = input.to_string_lossy().strip_suffix(".in.json").unwrap().to_owned();
    let place = Place::new();
    let case = case_folder(&place);
    copy(Path::new(&name), &case);
    let fill = |text: String| text.replace("${CASE}", &case.to_string_lossy());
    let read = |ending: &str| {
        fill(fs::read_to_string(format!("{name}.{ending}")).unwrap_or_else(|error| panic!("{name}.{ending}: {error}")))
    };
    let call = read("args");
    let mut words = call.split_whitespace();
    let command = words.next().unwrap();
    let arguments: Vec<&str> = words.collect();
    let ran = place.run(command, &arguments, read("in.json"));
    let answer: Value = ran.document();
    if std::env::var_os("MEM_WRITE_CASES").is_some() {
        let text = serde_json::to_string_pretty(&answer).unwrap().replace(&*case.to_string_lossy(), "${CASE}");
        return fs::write(format!("{name}.out.json"), text + "\n").unwrap();
    }
    let expected: Value = serde_json::from_str(&read("out.json")).unwrap();
    assert!(answer == expected, "{name}\nexpected {expected:#}\ngot {answer:#}\n{}", ran.stderr);
}

/// Bytes of the path of a case's folder.
const PATH_LENGTH: usize = 120;

fn case_folder(place: &Place) -> PathBuf {
    let top = place.top();
    let rest = PATH_LENGTH.checked_sub(top.as_os_str().len() + 1).expect("the temporary folder has a short path");
    let case = top.join("c".repeat(rest));
    fs::create_dir_all(&case).unwrap();
    case
}

fn copy(from: &Path, to: &Path) {
    let Ok(entries) = fs::read_dir(from) else { return };
    for entry in entries.flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
