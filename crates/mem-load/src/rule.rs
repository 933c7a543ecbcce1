//! What an instruction file says: its text as a model gets it, and when it applies.

use mem_store::FrontMatter;
use mem_store::front_matter;
use mem_types::Problems;
use serde_json::Value;

/// An instruction file, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// Without front matter, BOM and CR, trimmed at both ends.
    pub text: String,
    /// When it applies.
    pub scope: Scope,
}

/// When an instruction file applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// From the start.
    Always,
    /// When a touched file matches one of these patterns.
    Paths(Vec<String>),
}

/// Returns the text and scope of a file; only rules have a scope of their own.
pub fn parse(raw: &str, is_rule: bool, path: &str, problems: &mut Problems) -> Parsed {
    let raw = if raw.contains('\r') { raw.replace("\r\n", "\n") } else { raw.to_owned() };
    let parts = front_matter::of_instructions(&raw);
    let text = parts.body.trim().to_owned();
    let matter = parts.matter.unwrap_or_default();
    for finding in matter.findings() {
        problems.warning(finding.code, &finding.message).path(path).line(finding.line);
    }
    let scope = if is_rule { scope(&matter, path, problems) } else { Scope::Always };
    Parsed { text, scope }
}

fn scope(matter: &FrontMatter, path: &str, problems: &mut Problems) -> Scope {
    let patterns = patterns(matter.get("paths"));
    if patterns.is_empty() && matter.get("paths").is_none() && matter.get("globs").is_some() {
        problems
            .info(
                "globs-not-read",
                "the rule has 'globs', which agents that read this folder ignore; it applies always",
            )
            .path(path)
            .hint("rename the key to 'paths'");
    }
    // A rule for every path is a rule without paths.
    if patterns.iter().all(|pattern| pattern == "**") { Scope::Always } else { Scope::Paths(patterns) }
}

/// Takes a comma string, a list, or a list of comma strings. Numbers, null and empty text are no patterns.
fn patterns(paths: Option<&Value>) -> Vec<String> {
    match paths {
        Some(Value::String(text)) if text.trim().parse::<f64>().is_err() => split(text),
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).flat_map(split).collect(),
        _ => Vec::new(),
    }
}

/// Splits at commas outside braces.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for character in text.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(character);
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, expected: Option<&[&str]>, codes: &[&str]) {
        let mut problems = Problems::new("mem-load");
        let parsed = parse(raw, true, "r.md", &mut problems);
        let expected = match expected {
            Some(patterns) => Scope::Paths(patterns.iter().map(|pattern| (*pattern).to_owned()).collect()),
            None => Scope::Always,
        };
        assert_eq!(parsed.scope, expected, "{raw}");
        let found: Vec<String> = problems.into_entries().into_iter().map(|problem| problem.code).collect();
        assert_eq!(found, codes, "{raw}");
        assert_eq!(parsed.text, "R", "{raw}");
    }

    #[test]
    fn patterns_are_read_in_every_form() {
        check("---\npaths: \"src/**/*.{ts,tsx}, docs/*.md\"\n---\nR\n", Some(&["src/**/*.{ts,tsx}", "docs/*.md"]), &[]);
        check("---\npaths:\n  - a/**\n  - \"b, c\"\n---\n\nR\n", Some(&["a/**", "b", "c"]), &[]);
        check("\u{feff}---\r\npaths: [\"**/*.ts\"]\r\n---\r\nR\r\n", Some(&["**/*.ts"]), &[]);
    }

    #[test]
    fn a_rule_without_patterns_applies_always() {
        for head in [
            "",
            "paths:\n",
            "paths: []\n",
            "paths: \"\"\n",
            "paths: 7\n",
            "paths: \"**\"\n",
            "paths: [\"**\", \"**\"]\n",
        ] {
            check(&format!("---\n{head}---\nR"), None, &[]);
        }
        check("---\nglobs: \"api/**\"\n---\nR", None, &["globs-not-read"]);
    }

    #[test]
    fn patterns_that_are_no_yaml_are_kept_and_said() {
        check("---\npaths: **/*.ts\n---\nR", Some(&["**/*.ts"]), &["front-matter-repaired"]);
        check("---\npaths: {src,lib}/**/*.ts\n---\nR", Some(&["{src,lib}/**/*.ts"]), &["front-matter-repaired"]);
        check("---\npaths:\n  - *.css\n---\nR", Some(&["*.css"]), &["front-matter-repaired"]);
    }
}
