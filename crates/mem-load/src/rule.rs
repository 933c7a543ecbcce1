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

/// Whether a file has a scope of its own, and how it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Only text.
    Text,
    /// A rule.
    Rule,
    /// A rule as the client reads it, which makes less of a head that is no YAML.
    ClientRule,
}

/// Returns the text and scope of a file.
pub fn parse(raw: &str, role: Role, path: &str, problems: &mut Problems) -> Parsed {
    let raw = if raw.contains('\r') { raw.replace("\r\n", "\n") } else { raw.to_owned() };
    let parts = front_matter::of_instructions(&raw);
    let text = parts.body.trim().to_owned();
    let matter = parts.matter.unwrap_or_default();
    for finding in matter.findings() {
        problems.warning(finding.code, &finding.message).path(path).line(finding.line);
    }
    let scope = match role {
        Role::Text => Scope::Always,
        Role::Rule => scope(&matter, path, problems),
        Role::ClientRule if matter.is_repaired() => scope_of_client(&matter),
        Role::ClientRule => scope(&matter, path, problems),
    };
    Parsed { text, scope }
}

fn scope(matter: &FrontMatter, path: &str, problems: &mut Problems) -> Scope {
    let Some(paths) = matter.get("paths") else {
        note_foreign_key(matter, path, problems);
        return Scope::Always;
    };
    let patterns = if matter.is_repaired() { unrepaired(paths) } else { patterns(paths) };
    if patterns.is_empty() {
        problems
            .info("empty-paths", "'paths' names no pattern, so the rule applies always")
            .path(path)
            .hint("name patterns such as \"src/**/*.ts\", or remove the key");
    }
    // A rule for every path is a rule without paths.
    if patterns.iter().all(|pattern| pattern == "**") { Scope::Always } else { Scope::Paths(patterns) }
}

/// The client puts a value that is no YAML in quotes as it stands, an opening quote or bracket included; a list it gives
/// up, and the rule applies always: facts.md, Part A, section 5.
fn scope_of_client(matter: &FrontMatter) -> Scope {
    match matter.get("paths") {
        Some(Value::String(text)) if !text.trim().is_empty() => Scope::Paths(split(text)),
        _ => Scope::Always,
    }
}

/// Keys by which other tools, or a slip, say what a rule is for.
const FOREIGN_KEYS: [&str; 9] =
    ["globs", "glob", "path", "Paths", "PATHS", "applyTo", "fileMatchPattern", "filePatterns", "files"];

fn note_foreign_key(matter: &FrontMatter, path: &str, problems: &mut Problems) {
    let Some(key) = FOREIGN_KEYS.into_iter().find(|key| matter.get(key).is_some()) else { return };
    let code = if key == "globs" { "globs-not-read" } else { "paths-misspelled" };
    problems
        .info(code, format!("the rule has '{key}', which agents that read this folder ignore; it applies always"))
        .path(path)
        .hint("rename the key to 'paths'");
}

/// Takes a comma string, a list, or a list of comma strings. Numbers, null and empty text are no patterns.
fn patterns(paths: &Value) -> Vec<String> {
    match paths {
        Value::String(text) if !is_number(text) => split(text),
        Value::Array(items) => items.iter().filter_map(Value::as_str).flat_map(split).collect(),
        _ => Vec::new(),
    }
}

/// A head that is no YAML was read line by line: brackets around a list, quotes and comments are still there.
fn unrepaired(paths: &Value) -> Vec<String> {
    let items: Vec<&str> = match paths {
        Value::String(text) => vec![in_list(without_comment(text))],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(without_comment).collect(),
        _ => Vec::new(),
    };
    items.into_iter().filter(|text| !is_number(text)).flat_map(split).map(|part| unquoted(&part).to_owned()).collect()
}

fn in_list(text: &str) -> &str {
    let inner = text.strip_prefix('[').map(|rest| rest.strip_suffix(']').unwrap_or(rest));
    // `[id]/page.tsx` is a pattern, `[a, b]` and `["a"]` are lists, also when the bracket is not closed.
    let is_list = |inner: &&str| !inner.contains(']') || text.ends_with(']');
    inner.filter(is_list).unwrap_or(text)
}

fn without_comment(text: &str) -> &str {
    text.find(" # ").map_or(text, |place| &text[..place]).trim()
}

/// Takes quotes off, also a single one that nobody closed.
fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`']).trim()
}

fn is_number(text: &str) -> bool {
    let text = text.trim();
    text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e'))
        && text.parse::<f64>().is_ok()
}

/// Splits at commas and line ends outside braces.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for character in text.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' | '\n' if depth == 0 => {
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
        let parsed = parse(raw, Role::Rule, "r.md", &mut problems);
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
        for head in ["", "paths: \"**\"\n", "paths: [\"**\", \"**\"]\n"] {
            check(&format!("---\n{head}---\nR"), None, &[]);
        }
        for head in ["paths:", "paths: []", "paths: \"\"", "paths: 7", "paths: true", "paths: {a: b}", "paths: \" , \""]
        {
            check(&format!("---\n{head}\n---\nR"), None, &["empty-paths"]);
        }
        check("---\nglobs: \"api/**\"\n---\nR", None, &["globs-not-read"]);
        check("---\nPaths: \"api/**\"\n---\nR", None, &["paths-misspelled"]);
        check("---\napplyTo: \"api/**\"\n---\nR", None, &["paths-misspelled"]);
    }

    #[test]
    fn patterns_that_are_no_yaml_are_kept_and_said() {
        for (head, expected) in [
            ("paths: **/*.ts", &["**/*.ts"][..]),
            ("paths: *.ts, *.tsx", &["*.ts", "*.tsx"]),
            ("paths: {src,lib}/**/*.ts", &["{src,lib}/**/*.ts"]),
            ("paths: {src,lib}/**, docs/*.md", &["{src,lib}/**", "docs/*.md"]),
            ("paths:\n  - *.css", &["*.css"]),
            ("paths:\n- **/*.ts\n- src/**", &["**/*.ts", "src/**"]),
            ("paths:\n  - \"**/*.ts\" # types\n  - *.js # rest", &["**/*.ts", "*.js"]),
            ("paths: [**/*.ts, \"a/*.js\"]", &["**/*.ts", "a/*.js"]),
            ("paths: \"**/*.ts\", \"**/*.tsx\"", &["**/*.ts", "**/*.tsx"]),
            ("paths: [id]/page.tsx", &["[id]/page.tsx"]),
            ("paths: \"src/**", &["src/**"]),
            ("paths: [src/**\nfoo: : bar", &["src/**"]),
            ("description: a: b\npaths: \"src/**\"", &["src/**"]),
            ("paths: @app/**", &["@app/**"]),
            ("paths: `src/**`", &["src/**"]),
            ("paths:\n  - \"**/*.ts\"\n  - !**/*.d.ts", &["**/*.ts", "!**/*.d.ts"]),
            ("paths:\n  - &x/**\n  - %y/**", &["&x/**", "%y/**"]),
            ("paths: !**/*.d.ts, x", &["!**/*.d.ts", "x"]),
            ("paths:\n\t- src/**", &["src/**"]),
        ] {
            check(&format!("---\n{head}\n---\nR"), Some(expected), &["front-matter-repaired"]);
        }
    }

    #[test]
    fn the_client_makes_less_of_a_head_that_is_no_yaml() {
        for (head, expected) in [
            ("paths: **/*.ts", Some(vec!["**/*.ts"])),
            ("paths: {src,lib}/**, x", Some(vec!["{src,lib}/**", "x"])),
            ("paths: \"src/**", Some(vec!["\"src/**"])),
            ("paths: [src/**\nfoo: : bar", Some(vec!["[src/**"])),
            ("paths:\n  - **/*.ts", None),
        ] {
            let raw = format!("---\n{head}\n---\nR");
            let scope = parse(&raw, Role::ClientRule, "r.md", &mut Problems::default()).scope;
            let patterns = |patterns: Vec<&str>| Scope::Paths(patterns.into_iter().map(str::to_owned).collect());
            assert_eq!(scope, expected.map_or(Scope::Always, patterns), "{head}");
        }
    }

    #[test]
    fn odd_forms_that_are_yaml_are_read_as_such() {
        for (head, expected) in [
            ("paths: src/**/*.ts # types", &["src/**/*.ts"][..]),
            ("paths: >\n  src/**,\n  docs/*.md", &["src/**", "docs/*.md"]),
            ("paths: |\n  src/**\n  docs/*.md", &["src/**", "docs/*.md"]),
            ("paths:\n  - 'a/[id]/*.ts'\n  - .github/**", &["a/[id]/*.ts", ".github/**"]),
            ("paths: [src/**, 7, null, lib/**]", &["src/**", "lib/**"]),
            ("paths: 'src/**'\npaths: 'docs/**'", &["docs/**"]),
            ("paths: nan", &["nan"]),
        ] {
            check(&format!("---\n{head}\n---\nR"), Some(expected), &[]);
        }
    }
}
