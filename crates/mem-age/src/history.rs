//! What git knows: when the content of a memory last changed, and which commits there are. Only asked with `--git`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use mem_exec::git;
use mem_types::Problems;

/// How long git may take.
const DEADLINE: Duration = Duration::from_secs(30);
/// Most bytes of its answer that are read.
const LIMIT: usize = 64 << 20;

/// Gives each memory whose date is only that of its file the time at which its content last changed in git.
pub fn date(memories: &mut [crate::memory::Memory], folder: &Path, problems: &mut Problems) {
    let is_vague = |source: &str| !mem_store::dated::is_own(source);
    if !memories.iter().any(|memory| is_vague(&memory.source)) {
        return;
    }
    let Some(changes) = changes(folder, problems) else { return };
    for memory in memories.iter_mut().filter(|memory| is_vague(&memory.source)) {
        if let Some(time) = changes.get(&memory.path) {
            memory.written = Some(*time);
            memory.source = "git".to_owned();
        }
    }
}

/// Returns the last change of each file beneath `folder` that is as it was committed.
fn changes(folder: &Path, problems: &mut Problems) -> Option<BTreeMap<String, Timestamp>> {
    let log = ["-M", "--diff-filter=AMR", "--format=%x01%ct", "--name-status", "-z", "--relative", "--", "."];
    let output = ask(folder, "log", &log, problems)?;
    let mut changes = last_changes(&output);
    let diff = ask(folder, "diff", &["--name-only", "-z", "--relative", "HEAD", "--", "."], problems)?;
    for path in String::from_utf8_lossy(&diff).split('\0') {
        changes.remove(path);
    }
    Some(changes)
}

fn ask(folder: &Path, subcommand: &str, arguments: &[&str], problems: &mut Problems) -> Option<Vec<u8>> {
    match git::command(folder, subcommand, arguments).deadline(DEADLINE).limit(LIMIT).run() {
        Ok(output) => Some(output),
        Err(fault) => {
            problems.info("git-unanswered", format!("git tells nothing of {}: {fault}", folder.display()));
            None
        }
    }
}

/// Reads the log, newest first. A file that was only renamed has the date of its content under the old name.
fn last_changes(output: &[u8]) -> BTreeMap<String, Timestamp> {
    let text = String::from_utf8_lossy(output);
    let mut words = text.split('\0').map(|word| word.trim_start_matches('\n'));
    let mut changes = BTreeMap::new();
    let mut now_named: BTreeMap<String, String> = BTreeMap::new();
    let mut time = None;
    while let Some(word) = words.next() {
        if let Some(seconds) = word.strip_prefix('\u{1}') {
            time = seconds.trim().parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
            continue;
        }
        let (status, Some(first)) = (word, words.next().filter(|_| !word.is_empty())) else { continue };
        let second = if status.starts_with('R') { words.next() } else { None };
        let path = second.unwrap_or(first);
        let name = now_named.get(path).cloned().unwrap_or_else(|| path.to_owned());
        if changes.contains_key(&name) {
            continue;
        }
        if status == "R100" {
            now_named.insert(first.to_owned(), name);
        } else if let Some(time) = time {
            changes.insert(name, time);
        }
    }
    changes
}

/// Returns which of `commits` the repository at `root` does not have; nothing when git does not tell.
pub fn missing_commits(root: &Path, commits: &BTreeSet<String>, problems: &mut Problems) -> Option<BTreeSet<String>> {
    if commits.is_empty() {
        return None;
    }
    let list: String = commits.iter().map(|hash| format!("{hash}^{{commit}}\n")).collect();
    let git = git::command(root, "cat-file", &["--batch-check"]).input(list.into_bytes());
    match git.deadline(DEADLINE).limit(LIMIT).run() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output).into_owned();
            let lines = text.lines().filter_map(|line| line.strip_suffix(" missing"));
            Some(lines.map(|name| name.trim_end_matches("^{commit}").to_owned()).collect())
        }
        Err(fault) => {
            problems.info("git-unanswered", format!("git tells nothing of {}: {fault}", root.display()));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rename_makes_nothing_young_and_a_change_does() {
        let log = "\u{1}300\0\nR100\0old.md\0new.md\0M\0a.md\0\u{1}200\0\nM\0old.md\0\u{1}100\0\nA\0old.md\0A\0a.md\0";
        let changes: Vec<(String, i64)> =
            last_changes(log.as_bytes()).into_iter().map(|(path, time)| (path, time.as_second())).collect();
        assert_eq!(changes, [("a.md".to_owned(), 300), ("new.md".to_owned(), 200)]);
    }
}
