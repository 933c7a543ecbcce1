//! The patterns of a rule: taken from the front matter's value, expanded, compiled, and doubted where they can never match.

use std::borrow::Cow;
use std::path::Path;

use mem_types::Problems;

use crate::braces;
use crate::glob::{Glob, Meaning};

/// Most patterns of all rules of one document: what is over it is taken with its braces as they are.
const MAX_IN_ALL: usize = 50_000;

/// Compiles the patterns of one rule after the other.
#[derive(Debug)]
pub struct Compiler {
    meaning: Meaning,
    left: usize,
}

/// The patterns of a rule, compiled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    /// In the order in which they stand; one that cannot be read is not among them.
    pub globs: Vec<Glob>,
}

impl Compiler {
    /// Returns a compiler for patterns of this meaning.
    pub fn new(meaning: Meaning) -> Self {
        Self { meaning, left: MAX_IN_ALL }
    }

    /// Returns the patterns of the rule in `path`, relative to `base`; one that cannot be read matches nothing, which is
    /// said.
    pub fn compile(&mut self, globs: &[String], path: &str, base: &Path, problems: &mut Problems) -> Patterns {
        let mut patterns = Patterns::default();
        let mut room = braces::MAX_PATTERNS.min(self.left);
        for glob in globs {
            let glob = self.with_slashes(glob, path, problems);
            let glob = self.below(&glob, base);
            doubt(&glob, path, problems);
            for pattern in expanded(&glob, &mut room, path, problems) {
                match Glob::parse(&pattern, self.meaning) {
                    Ok(glob) => patterns.globs.push(glob),
                    Err(reason) => {
                        problems
                            .warning("bad-pattern", format!("the pattern '{glob}' matches nothing: {reason}"))
                            .path(path)
                            .hint("a literal bracket is written as '\\['");
                        break;
                    }
                }
            }
        }
        self.left = self.left.saturating_sub(patterns.globs.len());
        if !patterns.globs.is_empty() && patterns.globs.iter().all(|glob| glob.is_negated) {
            problems
                .warning("only-negations", "all patterns begin with '!': they take out and nothing brings in")
                .path(path)
                .hint("put a pattern such as '**/*' first");
        }
        patterns
    }

    /// Takes a whole path into `base` for what it means there; for the client it matches nothing.
    fn below<'a>(&self, glob: &'a str, base: &Path) -> Cow<'a, str> {
        let (sign, body) = glob.strip_prefix('!').map_or(("", glob), |body| ("!", body));
        let rest = base.to_str().filter(|base| base.len() > 1).and_then(|base| body.strip_prefix(base));
        match rest.filter(|rest| rest.starts_with('/') && self.meaning != Meaning::Client) {
            Some(rest) => Cow::Owned(format!("{sign}{rest}")),
            None => Cow::Borrowed(glob),
        }
    }

    /// Reads `src\app\*.ts` as a path of Windows: a backslash before a letter escapes nothing.
    fn with_slashes(&self, glob: &str, path: &str, problems: &mut Problems) -> String {
        if self.meaning == Meaning::Client || !has_windows_separators(glob) {
            return glob.to_owned();
        }
        problems
            .info("windows-separators", format!("the backslashes of '{glob}' are read as slashes"))
            .path(path)
            .hint("write patterns with '/'");
        glob.replace('\\', "/")
    }
}

/// Whether a backslash stands where it escapes nothing.
fn has_windows_separators(glob: &str) -> bool {
    let is_special = |next: Option<char>| next.is_none_or(|next| "[]{}!#,\\ ?".contains(next));
    let mut ends = glob.match_indices('\\').map(|(place, _)| glob[place + 1..].chars().next());
    let escapes_star = |next: Option<char>| next == Some('*') && glob.contains('/');
    glob.contains('\\') && ends.all(|next| !is_special(next) && !escapes_star(next))
}

/// Returns a pattern's alternatives, or the pattern with its braces as characters when they are too many.
fn expanded(glob: &str, room: &mut usize, path: &str, problems: &mut Problems) -> Vec<String> {
    let patterns = braces::expand(glob, *room).unwrap_or_else(|| {
        problems
            .warning(
                "too-many-alternatives",
                format!(
                    "the braces of '{}' stand for too many patterns; they are taken as they are",
                    mem_text::cut::ellipsis(glob, 80)
                ),
            )
            .path(path)
            .hint(format!("a rule may have {} patterns, written out", braces::MAX_PATTERNS));
        vec![glob.to_owned()]
    });
    *room = room.saturating_sub(patterns.len());
    patterns
}

/// Says of a pattern that can be read why it will never match.
fn doubt(glob: &str, path: &str, problems: &mut Problems) {
    let body = glob.trim_start_matches('!');
    if body.starts_with("../") || body.starts_with("~/") || has_drive(body) {
        problems
            .warning(
                "pattern-outside",
                format!("the pattern '{glob}' leads out of the folder of the rules and matches nothing"),
            )
            .path(path)
            .hint("patterns are relative to the folder that holds '.claude'");
    }
    let parts = body.split([';', ' ']).filter(|part| part.contains('*')).count();
    if parts > 1 {
        problems
            .warning("one-pattern", format!("'{glob}' is read as one pattern"))
            .path(path)
            .hint("separate patterns with commas, or make them a list");
    }
}

/// Whether a path begins with a drive of Windows, such as `C:`.
pub fn has_drive(path: &str) -> bool {
    let mut bytes = path.bytes();
    bytes.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && bytes.next() == Some(b':')
        && bytes.next().is_some_and(|separator| separator == b'/' || separator == b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(globs: &[&str], codes: &[&str]) -> Patterns {
        let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
        let mut problems = Problems::new("mem-load");
        let patterns = Compiler::new(Meaning::Gitignore).compile(&globs, "r.md", Path::new("/p"), &mut problems);
        let found: Vec<String> = problems.into_entries().into_iter().map(|problem| problem.code).collect();
        assert_eq!(found, codes, "{globs:?}");
        patterns
    }

    #[test]
    fn a_pattern_that_cannot_be_read_is_said_and_the_others_stay() {
        assert_eq!(check(&["[z-a].md", "*.rs"], &["bad-pattern"]).globs.len(), 1);
        assert_eq!(check(&["{a,b}/[", "*.rs"], &["bad-pattern"]).globs.len(), 1);
    }

    #[test]
    fn patterns_that_never_match_are_said() {
        check(&["../x/**"], &["pattern-outside"]);
        check(&["~/x", "C:\\p\\*.ts"], &["pattern-outside", "windows-separators", "pattern-outside"]);
        check(&["docs/*.md;src/**"], &["one-pattern"]);
        check(&["**/*.ts **/*.tsx"], &["one-pattern"]);
        check(&["!docs/**"], &["only-negations"]);
        check(&["dir with space/*.ts", "a/!b"], &[]);
    }

    #[test]
    fn a_whole_path_into_the_folder_is_relative_to_it() {
        assert_eq!(check(&["/p/src/**", "!/p/a"], &[]), check(&["/src/**", "!/a"], &[]));
        assert_eq!(check(&["/pq/**"], &[]), check(&["/pq/**"], &[]));
    }

    #[test]
    fn backslashes_are_slashes_unless_they_escape() {
        let windows = check(&["src\\app\\*.ts"], &["windows-separators"]);
        assert_eq!(windows, check(&["src/app/*.ts"], &[]));
        check(&["app/\\[id\\]/page.tsx"], &[]);
        check(&["\\!bang.ts"], &[]);
    }

    #[test]
    fn a_rule_has_a_thousand_patterns_at_most_and_all_rules_a_bound() {
        assert_eq!(check(&["{a,b}{a,b}{a,b}", "x"], &[]).globs.len(), 9);
        check(&[&"{a,b}".repeat(20)], &["too-many-alternatives"]);
        let mut compiler = Compiler::new(Meaning::Gitignore);
        let bomb = ["{a,b}".repeat(9)];
        let mut problems = Problems::new("mem-load");
        let compiled: usize =
            (0..1000).map(|_| compiler.compile(&bomb, "r.md", Path::new("/p"), &mut problems).globs.len()).sum();
        assert!(compiled <= MAX_IN_ALL + 1000, "{compiled}");
        assert!(!problems.is_empty());
    }
}
