//! Glob and Grep: over what may be read, bounded in files, bytes and lines.

use globset::GlobBuilder;
use regex::RegexBuilder;
use serde_json::Value;

use super::files::failed;
use super::places::{Spot, holds_keys};
use super::{Gate, No, number, shown, text};

/// Most files that are looked at.
const MOST_FILES: usize = 20_000;
/// Most names or lines that are shown.
const MOST_SHOWN: usize = 200;
/// Most bytes of one file that are searched.
const MOST_BYTES: u64 = 1 << 20;
/// Most bytes that are searched in all.
const MOST_SEARCHED: usize = 64 << 20;
/// Most memory of a compiled pattern.
const MOST_PATTERN: usize = 1 << 20;
/// Longest line that is shown whole.
const LONGEST_LINE: usize = 300;

impl Gate {
    /// Returns the names of files that fit a pattern.
    pub(super) fn glob(&self, input: &Value) -> Result<String, No> {
        let pattern = text(input, "pattern")?;
        let spot = self.places.spot(input["path"].as_str().unwrap_or("."))?;
        let matcher = matcher(pattern)?;
        let found: Vec<String> = self.files(&spot)?.filter(|path| matcher.is_match(below(path, &spot.path))).collect();
        let mut lines: Vec<String> = found.iter().take(MOST_SHOWN).map(|path| whole(&spot, path)).collect();
        if found.len() > MOST_SHOWN {
            lines.push(format!("[{} more]", found.len() - MOST_SHOWN));
        }
        Ok(if lines.is_empty() { "No files found".into() } else { lines.join("\n") })
    }

    /// Returns the files, lines or counts that a pattern is found in.
    pub(super) fn grep(&self, input: &Value) -> Result<String, No> {
        let pattern = text(input, "pattern")?;
        let spot = self.places.spot(input["path"].as_str().unwrap_or("."))?;
        let matcher = input["glob"].as_str().map(matcher).transpose()?;
        let search = RegexBuilder::new(pattern)
            .case_insensitive(input["-i"].as_bool().unwrap_or_default())
            .size_limit(MOST_PATTERN)
            .dfa_size_limit(MOST_PATTERN)
            .build()
            .map_err(|_| No("the pattern is no regular expression, or too large a one".into()))?;
        let mode = input["output_mode"].as_str().unwrap_or("files_with_matches");
        let most = number(input, "head_limit").unwrap_or(MOST_SHOWN).min(MOST_SHOWN);
        let mut lines = Vec::new();
        let mut searched = 0;
        for path in self.files(&spot)? {
            let fits = matcher.as_ref().is_none_or(|matcher| matcher.is_match(below(&path, &spot.path)));
            if !fits || searched > MOST_SEARCHED || lines.len() >= most {
                continue;
            }
            let Ok((bytes, _)) = spot.beneath.read(&path, MOST_BYTES) else { continue };
            searched += bytes.len();
            let content = String::from_utf8_lossy(&bytes);
            let found = content.lines().enumerate().filter(|(_, line)| search.is_match(line));
            let name = whole(&spot, &path);
            match mode {
                "content" => {
                    lines.extend(found.take(most).map(|(at, line)| format!("{name}:{}:{}", at + 1, part(line))))
                }
                "count" => {
                    lines.extend(Some(found.count()).filter(|count| *count > 0).map(|count| format!("{name}:{count}")))
                }
                _ => lines.extend({ found }.next().map(|_| name)),
            }
        }
        lines.truncate(most);
        Ok(if lines.is_empty() { "No matches found".into() } else { lines.join("\n") })
    }

    /// Returns the files below a spot that may be shown, or the spot itself when it is a file.
    fn files(&self, spot: &Spot<'_>) -> Result<impl Iterator<Item = String> + use<>, No> {
        let entry = spot.beneath.look(&spot.path).map_err(|error| failed(&spot.path, &error))?;
        let is_file = entry.is_file;
        let found = if is_file { vec![spot.path.clone()] } else { spot.beneath.files(&spot.path, MOST_FILES).0 };
        Ok(found.into_iter().filter(move |path| is_file || !holds_keys(path)))
    }
}

fn matcher(pattern: &str) -> Result<globset::GlobMatcher, No> {
    if pattern.len() > 1000 || pattern.matches('{').count() > 8 {
        return Err(No("the pattern is too long".into()));
    }
    // A pattern without a folder means names anywhere, as people expect of it.
    let pattern = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
    let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|_| No(format!("'{}' is no pattern", shown(&pattern))))
}

fn below<'p>(path: &'p str, start: &str) -> &'p str {
    path.strip_prefix(start).map_or(path, |rest| rest.trim_start_matches('/'))
}

fn whole(spot: &Spot<'_>, path: &str) -> String {
    mem_text::width::escape_line(&spot.beneath.root().join(path).to_string_lossy()).into_owned()
}

fn part(line: &str) -> &str {
    mem_text::cut::bytes(line, LONGEST_LINE)
}
