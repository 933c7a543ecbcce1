//! What a look at the loaded files finds: too long, hiding text, of two projects at once, rules for files that are not there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use mem_store::git::{self, Roots};
use mem_store::{Project, World};
use mem_types::Problems;
use mem_types::load::{FileState, InstructionLayer, LoadedFile};

use crate::contradictions;
use crate::glob::Meaning;
use crate::patterns::Compiler;
use crate::touched::Touched;

/// Longer files are followed less: facts.md, Part B, section 1.1.
const MAX_LINES: usize = 200;

/// Looks at one file as it is on disk.
pub fn file(raw: &str, path: &str, problems: &mut Problems) {
    let lines = raw.lines().count();
    if lines > MAX_LINES {
        problems
            .warning(
                "long-file",
                format!("{lines} lines are over {MAX_LINES}, and the longer a file, the less of it is followed"),
            )
            .path(path)
            .hint("move what holds only for some files into rules with 'paths'");
    }
    hidden_text(raw, path, problems);
}

fn hidden_text(raw: &str, path: &str, problems: &mut Problems) {
    let raw = raw.strip_prefix('\u{feff}').unwrap_or(raw);
    let mut hidden = mem_text::width::hidden(raw);
    let Some((place, first)) = hidden.next() else { return };
    let count = 1 + hidden.count();
    let line = raw[..place].matches('\n').count() + 1;
    problems
        .warning(
            "hidden-text",
            format!("{count} characters cannot be seen, the first is U+{:04X}, {}", u32::from(first), kind(first)),
        )
        .path(path)
        .line(line)
        .hint("a model reads them: look at the file with 'cat -v' and take them out");
}

fn kind(character: char) -> &'static str {
    match u32::from(character) {
        0x061c | 0x200e..=0x200f | 0x202a..=0x202e | 0x2066..=0x2069 => "which turns the direction of text",
        0xe0000..=0xe007f => "a tag character, which can spell a hidden sentence",
        0x200b..=0x200d | 0x2060..=0x2064 | 0xfeff => "of no width",
        0x00..=0x1f | 0x7f..=0x9f => "a control character",
        _ => "which shows nothing",
    }
}

/// Looks at all files together.
pub fn all(files: &[LoadedFile], problems: &mut Problems) {
    contradictions::report(files, problems);
    nested_projects(files, problems);
}

/// Files of several git work trees reach one folder when a project lies within another.
fn nested_projects(files: &[LoadedFile], problems: &mut Problems) {
    let mut projects: BTreeMap<PathBuf, (PathBuf, &str)> = BTreeMap::new();
    let (mut roots, mut seen) = (Roots::default(), BTreeSet::new());
    for file in files.iter().filter(|file| is_of_walk(file)) {
        let Some(root) = Path::new(&file.path).parent().and_then(|folder| roots.of(folder)) else { continue };
        if seen.insert(root.clone()) {
            // The folder around a bare repository and its worktrees are one project.
            let repository = git::at(&root).repository;
            projects.entry(repository.canonicalize().unwrap_or(repository)).or_insert((root, &file.path));
        }
    }
    let mut roots: Vec<(PathBuf, &str)> = projects.into_values().collect();
    roots.sort();
    let [(_, outer), _, ..] = roots.as_slice() else { return };
    let listed: Vec<String> = roots.iter().map(|(root, _)| root.display().to_string()).collect();
    problems
        .info(
            "nested-projects",
            format!("{} projects give their instructions to one folder: {}", roots.len(), listed.join(", ")),
        )
        .path(*outer)
        .hint("start above the inner project only for work on both, or exclude the files of the outer one");
}

/// Whether a file came because of where it lies on the way from the root to the current folder.
fn is_of_walk(file: &LoadedFile) -> bool {
    file.state != FileState::Skipped
        && file.reason != "nested_traversal"
        && matches!(file.layer, InstructionLayer::Project | InstructionLayer::Local)
        && matches!(file.kind.as_str(), "instructions" | "rule")
}

/// A rule with `paths`.
pub struct ScopedRule {
    /// Absolute, as reached.
    pub path: String,
    /// The folder to which its patterns are relative.
    pub base: PathBuf,
    /// Its patterns, as read.
    pub globs: Vec<String>,
}

/// Looks for rules that no file of the project can bring; this walks the project, so only when a check is asked for.
pub fn unmatched_rules(rules: &[ScopedRule], root: &Path, meaning: Meaning, world: &World, problems: &mut Problems) {
    if rules.is_empty() {
        return;
    }
    let project = Project::at(root.to_path_buf());
    let listing = project.listing();
    if !listing.is_whole {
        problems
            .info("check-incomplete", "the project is too large to look for rules that match no file")
            .path(root.to_string_lossy());
        return;
    }
    let mut files = Touched::new(world, listing.files.iter().map(|file| root.join(file)).collect());
    let mut compiler = Compiler::new(meaning);
    // A rule of a folder above is for other projects too.
    for rule in rules.iter().filter(|rule| rule.base.starts_with(root)) {
        let patterns = compiler.compile(&rule.globs, &rule.path, &rule.base, &mut Problems::default());
        let is_there = |glob: &String| project.has(glob.trim_start_matches('/'));
        if files.first_match(&rule.base, &patterns, meaning).is_none() && !rule.globs.iter().any(is_there) {
            problems
                .warning("rule-matches-nothing", format!("no file of the project matches {}", rule.globs.join(", ")))
                .path(&rule.path)
                .hint("mend the patterns, or remove the rule; files that git ignores were not looked at");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, expected: &[(&str, Option<u64>)]) {
        let mut problems = Problems::new("mem-load");
        file(raw, "/p/CLAUDE.md", &mut problems);
        let entries = problems.into_entries();
        let found: Vec<(&str, Option<u64>)> =
            entries.iter().map(|problem| (problem.code.as_str(), problem.line)).collect();
        assert_eq!(found, expected, "{raw:?}");
    }

    #[test]
    fn long_files_and_hidden_text_are_told() {
        check("a\n", &[]);
        check(&"a\n".repeat(200), &[]);
        check(&"a\n".repeat(201), &[("long-file", None)]);
        check("a\nb\u{200b}c\u{202e}\n", &[("hidden-text", Some(2))]);
        check("\u{feff}a\r\nb\r\n", &[]);
        check("a\n\u{e0041}\u{e0042}", &[("hidden-text", Some(2))]);
        check("نص عربي 👨‍👩‍👧 中文", &[]);
    }
}
