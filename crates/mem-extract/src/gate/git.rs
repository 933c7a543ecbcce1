//! git log, git show and git status, with the flags that are listed here and no others.

use std::time::Duration;

use mem_exec::git;

use super::places::{Places, holds_keys};
use super::{No, shown};

/// How long git may take.
const DEADLINE: Duration = Duration::from_secs(10);
/// Most bytes of its output that are taken.
const MOST_OUTPUT: usize = 64 * 1024;
/// Commits that log shows when nobody says.
const COMMITS: &str = "-50";
/// Flags of log that stand alone.
const LOG_FLAGS: [&str; 12] = [
    "--oneline",
    "--stat",
    "--shortstat",
    "--name-only",
    "--name-status",
    "--graph",
    "--decorate",
    "--merges",
    "--no-merges",
    "--reverse",
    "--all",
    "-i",
];
/// Flags of log that have a value behind `=`.
const LOG_VALUES: [&str; 8] =
    ["--since=", "--until=", "--after=", "--before=", "--author=", "--grep=", "--max-count=", "--date="];
/// Flags of show.
const SHOW_FLAGS: [&str; 5] = ["--stat", "--name-only", "--name-status", "--oneline", "--no-patch"];
/// Flags of status.
const STATUS_FLAGS: [&str; 6] = ["--short", "-s", "--branch", "-b", "--porcelain", "-sb"];

/// Runs a git command of the list.
pub fn run(places: &Places, arguments: &[&str]) -> Result<String, No> {
    let Some((subcommand, rest)) = arguments.split_first() else { return Err(No("git needs a subcommand".into())) };
    let checked = match *subcommand {
        "log" => log(rest)?,
        "show" => show(places, rest)?,
        "status" => status(places, rest)?,
        other => return Err(No(format!("git {} is not open", shown(other)))),
    };
    start(places, subcommand, &checked)
}

fn log(arguments: &[&str]) -> Result<Vec<String>, No> {
    let mut checked = Vec::new();
    let mut has_limit = false;
    let mut left = arguments.iter();
    while let Some(argument) = left.next() {
        let is_count =
            |text: &str| !text.is_empty() && text.len() < 6 && text.bytes().all(|byte| byte.is_ascii_digit());
        match *argument {
            "--" => {
                checked.push("--".into());
                for path in left.by_ref() {
                    checked.push(file(path)?);
                }
            }
            "-n" => {
                let count = left.next().copied().filter(|count| is_count(count));
                checked.push(format!("-{}", count.ok_or_else(|| No("'-n' needs a number".into()))?));
                has_limit = true;
            }
            flag if LOG_FLAGS.contains(&flag) => checked.push(flag.into()),
            flag if LOG_VALUES.iter().any(|known| flag.starts_with(known)) => checked.push(flag.into()),
            flag if flag.starts_with("--format=") || flag.starts_with("--pretty=") => checked.push(format(flag)?),
            flag if flag.starts_with('-') && is_count(flag.trim_start_matches("-n").trim_start_matches('-')) => {
                has_limit = true;
                checked.push(flag.into());
            }
            flag if flag.starts_with('-') => return Err(not_open(flag)),
            revision => checked.push(self::revision(revision)?),
        }
    }
    if !has_limit {
        checked.insert(0, COMMITS.into());
    }
    Ok(checked)
}

/// Of a commit only what it touched is shown: its differences could hold what no file may show. A file of a commit is
/// shown whole, when it would be on disk.
fn show(places: &Places, arguments: &[&str]) -> Result<Vec<String>, No> {
    let mut checked = Vec::new();
    let mut has_blob = false;
    let mut has_form = false;
    for argument in arguments {
        match *argument {
            flag if SHOW_FLAGS.contains(&flag) => {
                has_form = true;
                checked.push(flag.to_owned());
            }
            flag if flag.starts_with("--format=") || flag.starts_with("--pretty=") => checked.push(format(flag)?),
            flag if flag.starts_with('-') => return Err(not_open(flag)),
            other => match other.split_once(':') {
                Some((before, path)) => {
                    let path = file(path)?;
                    // Seen from the project, so that it is judged as the file on disk would be.
                    places.spot(path.trim_start_matches("./"))?;
                    has_blob = true;
                    checked.push(format!("{}:{path}", revision(before)?));
                }
                None => checked.push(revision(other)?),
            },
        }
    }
    if !has_blob && !has_form {
        checked.insert(0, "--stat".into());
    }
    Ok(checked)
}

/// A file of a repository that is set up to go through a filter would start that filter.
fn status(places: &Places, arguments: &[&str]) -> Result<Vec<String>, No> {
    if let Some(flag) = arguments.iter().find(|flag| !STATUS_FLAGS.contains(flag)) {
        return Err(not_open(flag));
    }
    let filters = start(places, "config", &["--local", "--includes", "--name-only", "--get-regexp", r"^filter\."]);
    if filters.is_ok_and(|filters| !filters.trim().is_empty()) {
        return Err(No("this repository sets up filters, which git status would start".into()));
    }
    Ok(arguments.iter().map(|flag| (*flag).to_owned()).chain(["--ignore-submodules=all".to_owned()]).collect())
}

fn start<S: AsRef<str>>(places: &Places, subcommand: &str, arguments: &[S]) -> Result<String, No> {
    let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
    let above = places.project().parent().unwrap_or(places.project());
    let git = git::command(places.project(), subcommand, &arguments)
        .bare()
        // A repository above the project is not the project's.
        .variable("GIT_CEILING_DIRECTORIES", above)
        .variable("GIT_CONFIG_NOSYSTEM", "1")
        .variable("GIT_CONFIG_GLOBAL", "/dev/null")
        .deadline(DEADLINE)
        .first(MOST_OUTPUT);
    git.run().map(|output| String::from_utf8_lossy(&output).into_owned()).map_err(|fault| No(shown(&fault.to_string())))
}

/// Formats that check signatures would start a program, and `%x00` and the like only serve to hide something.
fn format(flag: &str) -> Result<String, No> {
    if flag.contains("%G") || flag.contains("%x") || flag.contains("%w") {
        return Err(not_open(flag));
    }
    Ok(flag.to_owned())
}

fn revision(text: &str) -> Result<String, No> {
    let begins = text.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '@');
    let is_plain = text.chars().all(|letter| letter.is_alphanumeric() || "._/^~@-+".contains(letter));
    if begins && is_plain && text.len() < 256 {
        Ok(text.to_owned())
    } else {
        Err(No(format!("'{}' is no revision", shown(text))))
    }
}

fn file(path: &str) -> Result<String, No> {
    let leaves = path.starts_with('/') || path.split('/').any(|part| part == "..");
    if path.is_empty() || path.starts_with([':', '-', '~']) || leaves || path.chars().any(char::is_control) {
        return Err(No(format!("'{}' is no path of the project", shown(path))));
    }
    if holds_keys(path) {
        return Err(No(format!("{} may hold keys", shown(path))));
    }
    Ok(path.to_owned())
}

fn not_open(flag: &str) -> No {
    No(format!("the flag '{}' is not open", shown(flag)))
}
