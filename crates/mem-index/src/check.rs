//! The checks: what is found becomes a problem with its remedy, and is counted by its class.

use std::collections::{BTreeMap, BTreeSet};

use mem_store::{Memory, MemoryFolder, Moment, index_file};
use mem_types::index::{Check, Index, Proposed, ProposedChange};
use mem_types::load::Load;
use mem_types::{Problem, Problems, Severity};

use crate::args::{Args, Class};
use crate::shelf::{Shelf, wants_line};
use crate::{lines, mend, proposal, quality};

/// Most names in one sentence.
const MOST_NAMES: usize = 5;

/// What is checked.
pub struct Checked<'a, 's> {
    /// The options.
    pub args: &'a Args,
    /// One's own folder.
    pub own: &'a MemoryFolder,
    /// MEMORY.md as it is.
    pub raw: &'a str,
    /// The files.
    pub shelf: &'a Shelf<'s>,
    /// The instructions that are loaded, when mem-load was asked before.
    pub load: Option<Load>,
    /// The moment that counts as now.
    pub now: &'a Moment,
}

/// Reports what the wanted checks find; returns the counts, or nothing when no check was asked for.
pub fn run(checked: &Checked<'_, '_>, proposed: Option<&Proposed>, problems: &mut Problems) -> Option<Check> {
    let mut findings = BTreeMap::new();
    for class in [Class::Drift, Class::Size, Class::Quality, Class::Secrets] {
        let is_wanted = checked.args.check.contains(&class);
        // Without a check, a proposal explains itself; only links that lead nowhere are told as ever.
        let found = if is_wanted { find(class, checked, proposed) } else { Vec::new() };
        if is_wanted {
            let count = found.iter().filter(|problem| problem.severity > Severity::Info).count();
            findings.insert(class.word().to_owned(), count as u64 + u64::from(is_masked(class, checked)));
        }
        problems.extend(found);
    }
    if checked.args.check.is_empty() {
        dangling(checked.raw, checked.shelf, problems);
        problems.extend(proposed.iter().flat_map(|proposed| &proposed.changes).filter(|change| goes(change)).map(gone));
    }
    for path in proposed.iter().flat_map(|proposed| &proposed.left_out) {
        problems
            .info("not-listed", "a memory has no index line: the index is full of what weighs more")
            .path(path)
            .hint("shorten the index by hand, or let mem-age plan what may go");
    }
    (!checked.args.check.is_empty()).then(|| Check { remedy: remedy(checked, &findings), findings })
}

/// Reports the links of the index that lead nowhere.
pub fn dangling(raw: &str, shelf: &Shelf<'_>, problems: &mut Problems) {
    problems.extend(proposal::dangling(raw, shelf).iter().map(finding));
}

/// Says in one sentence which files the index does not name, and whether it has room for them.
pub fn unlisted(args: &Args, index: &Index, shelf: &Shelf<'_>, listed: &BTreeSet<String>, problems: &mut Problems) {
    let missing: Vec<&str> = shelf
        .files()
        .filter(|file| wants_line(file) && !listed.contains(&file.path))
        .map(|file| file.path.as_str())
        .collect();
    if missing.is_empty() {
        return;
    }
    let count = missing.len() as u64;
    let names = missing[..missing.len().min(MOST_NAMES)].join(", ");
    let more = missing.len().saturating_sub(MOST_NAMES);
    let and_more = if more == 0 { String::new() } else { format!(" and {more} more") };
    // A line has as many bytes as its limit has characters, or four times as many.
    let most = count.saturating_mul(args.max_line).saturating_mul(4);
    let has_room =
        index.lines.saturating_add(count) <= args.max_lines && index.bytes.saturating_add(most) <= args.max_bytes;
    problems
        .info("not-listed", format!("{count} memories have no index line: {names}{and_more}"))
        .path(index_file::NAME)
        .hint(if has_room {
            "mem-index --diff shows the lines that are missing; --apply adds them"
        } else {
            "mem-index --diff shows which of the missing lines find room, by weight, and names the others; --apply \
             adds those that do"
        });
}

fn find(class: Class, checked: &Checked<'_, '_>, proposed: Option<&Proposed>) -> Vec<Problem> {
    let changes = proposed.map(|proposed| proposed.changes.as_slice()).unwrap_or_default();
    let memories: Vec<&Memory> = checked.shelf.memories().collect();
    match class {
        Class::Drift => {
            let mut found: Vec<Problem> = changes.iter().filter(|change| !is_size(change)).map(finding).collect();
            found.extend(in_text(checked));
            found
        }
        Class::Size => {
            changes.iter().filter(|change| is_size(change)).map(finding).chain(too_large(checked, proposed)).collect()
        }
        Class::Quality => quality::check(&memories, checked.load.as_ref(), checked.now),
        Class::Secrets => quality::secrets_in(&memories),
    }
}

fn is_size(change: &ProposedChange) -> bool {
    matches!(change.code.as_str(), "line-too-long" | "no-room")
}

/// Whether the index itself holds a secret, which is reported whatever is checked.
fn is_masked(class: Class, checked: &Checked<'_, '_>) -> bool {
    class == Class::Secrets && !mem_text::secrets::find(checked.raw).is_empty()
}

/// A change that is proposed is a finding that it would mend.
fn finding(change: &ProposedChange) -> Problem {
    let mut problems = Problems::new("mem-index");
    let path =
        if change.action == "add" { change.path.as_deref().unwrap_or(index_file::NAME) } else { index_file::NAME };
    let problem = problems.warning(&change.code, &change.message).path(path).hint(hint(change));
    if let Some(line) = change.line {
        problem.line(usize::try_from(line).unwrap_or(usize::MAX));
    }
    problem.clone()
}

/// Whether a line goes whose file is there, or that is text.
fn goes(change: &ProposedChange) -> bool {
    change.action == "remove" && !change.code.starts_with("dangling")
}

/// A line that goes for other reasons than its file is named, too.
fn gone(change: &ProposedChange) -> Problem {
    let mut problem = Problem { severity: Severity::Info, ..finding(change) };
    if let Some(from) = &change.from {
        problem.message += &format!(" ({} bytes)", from.len());
    }
    problem
}

fn hint(change: &ProposedChange) -> &'static str {
    match (change.action.as_str(), change.code.as_str()) {
        ("add", _) => "mem-index --apply adds the line",
        ("remove", "no-room") => "mem-index --apply takes the line out; the file stays",
        ("remove", "dangling-archived" | "dangling-entry") => {
            "mem-index --apply takes the line out; or bring the file back"
        }
        ("remove", _) => "mem-index --apply takes the line out",
        (_, "line-too-long") => "mem-index --apply cuts it at a word; or say it shorter",
        _ => "mem-index --apply mends the line",
    }
}

/// Links outside of entries: reported, and left to their writer.
fn in_text(checked: &Checked<'_, '_>) -> Vec<Problem> {
    let mut problems = Problems::new("mem-index");
    for line in lines::of(checked.raw) {
        if let Some(target) = mend::dead_in_text(&line, checked.shelf) {
            problems
                .info("dangling-text", format!("a sentence links to '{target}', which is not there"))
                .path(index_file::NAME)
                .line(line.number)
                .hint("mend the sentence; mem-index changes entries only");
        }
        if let Some(target) = mend::outside_in(&line, checked.shelf) {
            problems
                .info("dangling-outside", format!("a line links to '{target}', which lies outside the memory folder"))
                .path(index_file::NAME)
                .line(line.number)
                .hint("a model is not led there; put the file itself into the folder");
        }
    }
    problems.into_entries()
}

/// What is over a limit and stays so: text between the entries that no rule may take out.
fn too_large(checked: &Checked<'_, '_>, proposed: Option<&Proposed>) -> Vec<Problem> {
    let mut problems = Problems::new("mem-index");
    let Some(proposed) = proposed else { return Vec::new() };
    let measured = mem_store::index_reading::measured(&proposed.text).full;
    let (lines, bytes) = (measured.lines().count() as u64, measured.len() as u64);
    let size = match checked.args.unit {
        crate::args::UnitChoice::Bytes => bytes,
        crate::args::UnitChoice::Characters => measured.encode_utf16().count() as u64,
    };
    if lines > checked.args.max_lines || size > checked.args.max_bytes {
        problems
            .warning("index-too-large", format!("MEMORY.md has {lines} lines and {bytes} bytes that are no entries or are pinned, and is over its limit"))
            .path(index_file::NAME)
            .hint("move its text into a topic file, and leave one line for it");
    }
    problems.into_entries()
}

/// Returns what to type to mend what was found, when something can be mended.
fn remedy(checked: &Checked<'_, '_>, findings: &BTreeMap<String, u64>) -> Option<String> {
    let count = |class: Class| findings.get(class.word()).copied().unwrap_or(0);
    if findings.values().all(|count| *count == 0) {
        return None;
    }
    let dir = quoted(&checked.own.dir.to_string_lossy());
    let mend = format!("mem-index -n --memory-dir {dir} --apply");
    let is_mendable = count(Class::Drift) + count(Class::Size) > 0;
    Some(match (is_mendable, checked.args.staged) {
        (true, true) => format!("{mend} && git add {dir}"),
        (true, false) => mend,
        (false, true) => format!("edit the files named, then: git add {dir}"),
        (false, false) => "edit the files named".into(),
    })
}

/// Returns a path as a shell takes it.
fn quoted(path: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-+@%:,".contains(character);
    if path.chars().all(is_plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}
