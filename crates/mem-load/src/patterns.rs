//! The patterns of a rule, with the meaning that they have in .gitignore.

use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use mem_types::Problems;

use crate::braces;

/// Patterns relative to the folder that holds `.claude`.
pub struct Patterns {
    base: PathBuf,
    matcher: Gitignore,
}

impl Patterns {
    /// Returns the patterns of the rule in `path`; one that cannot be read matches nothing, which is said.
    pub fn new(base: &Path, globs: &[String], path: &str, problems: &mut Problems) -> Self {
        let mut builder = GitignoreBuilder::new(base);
        builder.case_insensitive(true).expect("the option itself cannot fail");
        for glob in globs {
            for pattern in expanded(glob, path, problems) {
                if builder.add_line(None, &pattern).is_err() {
                    problems
                        .warning("bad-pattern", format!("the pattern '{glob}' cannot be read and matches nothing"))
                        .path(path)
                        .hint("a range in brackets goes upwards, and a literal bracket is written as '\\['");
                }
            }
        }
        let matcher = builder.build().unwrap_or_else(|_| Gitignore::empty());
        Self { base: base.to_path_buf(), matcher }
    }

    /// Whether a file, given by its absolute path, is meant.
    ///
    /// A file in a folder that is meant as a whole cannot be taken out again, as in git.
    pub fn match_file(&self, path: &Path) -> bool {
        let Ok(relative) = path.strip_prefix(&self.base) else { return false };
        let folders: Vec<&Path> =
            relative.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()).collect();
        folders.iter().rev().any(|folder| self.matcher.matched(folder, true).is_ignore())
            || self.matcher.matched(relative, false).is_ignore()
    }
}

/// Returns a pattern's alternatives in the spelling of .gitignore.
fn expanded(glob: &str, path: &str, problems: &mut Problems) -> Vec<String> {
    let patterns = braces::expand(glob).unwrap_or_else(|| {
        problems
            .warning(
                "too-many-alternatives",
                format!("the braces of '{glob}' stand for over 1,000 patterns; they are taken as they are"),
            )
            .path(path);
        vec![glob.replace('{', "\\{").replace('}', "\\}")]
    });
    patterns.iter().map(|pattern| in_gitignore(pattern)).collect()
}

/// `sub/**` means the folder itself; `./a` is `/a`; a `#` at the start is no comment here.
fn in_gitignore(pattern: &str) -> String {
    let (negation, rest) = match pattern.strip_prefix('!') {
        Some(rest) => ("!", rest),
        None => ("", pattern),
    };
    let anchored = rest.strip_prefix("./").map(|rest| format!("/{rest}"));
    let rest = anchored.as_deref().unwrap_or(rest);
    // Cutting the end may take the only slash away, which anchors the pattern.
    let rest = match rest.strip_suffix("/**") {
        Some(folder) if !folder.contains('/') && !folder.is_empty() && !folder.contains("**") => format!("{folder}/"),
        Some(folder) if !folder.is_empty() && !folder.ends_with("**") => folder.to_owned(),
        _ => rest.to_owned(),
    };
    let rest = if rest.starts_with('#') { format!("\\{rest}") } else { rest };
    format!("{negation}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(globs: &[&str], path: &str, expected: bool) {
        let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
        let patterns = Patterns::new(Path::new("/p"), &globs, "r.md", &mut Problems::default());
        assert_eq!(patterns.match_file(Path::new(path)), expected, "{globs:?} {path}");
    }

    #[test]
    fn patterns_mean_what_they_mean_in_gitignore() {
        check(&["*.ts"], "/p/src/app/main.ts", true);
        check(&["*.TS"], "/p/src/app/main.ts", true);
        check(&["src"], "/p/src/app/main.ts", true);
        check(&["src/**"], "/p/src/app/main.ts", true);
        check(&["app/*.ts"], "/p/src/app/main.ts", false);
        check(&["/src/**"], "/p/lib/src/main.ts", false);
        check(&["src/*"], "/p/src/app/main.ts", true);
        check(&[".github/**"], "/p/.github/workflows/ci.yml", true);
        check(&["**/*.{ts,tsx}"], "/p/a/b.tsx", true);
        check(&["./src/**"], "/p/src/a.rs", true);
        check(&["app/\\[id\\]/page.tsx"], "/p/app/[id]/page.tsx", true);
    }

    #[test]
    fn a_negation_takes_out_files_but_not_from_a_whole_folder() {
        check(&["**/*.ts", "!**/*.d.ts"], "/p/a.d.ts", false);
        check(&["**/*.ts", "!**/*.d.ts"], "/p/a.ts", true);
        check(&["src/app/*.ts", "!src/app/main.ts"], "/p/src/app/main.ts", false);
        check(&["src/**", "!src/app/main.ts"], "/p/src/app/main.ts", true);
        check(&["!src/**"], "/p/src/a.ts", false);
    }

    #[test]
    fn files_outside_the_base_are_never_meant() {
        check(&["**/*.ts"], "/q/a.ts", false);
        check(&["../q/**"], "/q/a.ts", false);
    }

    #[test]
    fn a_pattern_that_cannot_be_read_is_said_and_the_others_work() {
        let globs = ["[z-a].md".to_owned(), "*.rs".to_owned()];
        let mut problems = Problems::new("mem-load");
        let patterns = Patterns::new(Path::new("/p"), &globs, "r.md", &mut problems);
        assert!(patterns.match_file(Path::new("/p/a.rs")));
        assert_eq!(problems.len(), 1);
    }
}
