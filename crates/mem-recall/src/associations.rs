//! The user's own words that stand for the same thing, besides those of the ranking: a file, a group a line.

use mem_store::{World, open};
use mem_text::width;
use mem_types::Problems;

use crate::Args;

/// Most bytes of the file.
const MOST_BYTES: u64 = 1 << 20;
/// The ranking passes longer entries over: they are sentences.
const MOST_WORDS: usize = 12;
/// So many lines that are passed over are told one by one.
const MOST_TOLD: usize = 10;

/// Returns the groups that can be used; what is passed over is told with its line.
pub fn read(args: &Args, world: &World, problems: &mut Problems) -> String {
    let Some(file) = &args.associations else { return String::new() };
    let path = world.resolve(&file.to_string_lossy(), &world.environment().started_in);
    let shown = path.to_string_lossy().into_owned();
    let bytes = match open::read_up_to(&path, MOST_BYTES) {
        Ok(content) if content.metadata.len() > MOST_BYTES => {
            let size = content.metadata.len();
            return unreadable(problems, &shown, &format!("it has {size} bytes, the limit is {MOST_BYTES}"));
        }
        Ok(content) => content.bytes,
        Err(error) => return unreadable(problems, &shown, &open::reason(&error)),
    };
    let mut groups = String::new();
    let mut passed = 0;
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        match group(line) {
            Ok(group) => groups.push_str(&group),
            Err(reason) => {
                passed += 1;
                if passed <= MOST_TOLD {
                    let message = format!("a group of associated words is passed over: {reason}");
                    problems.warning("bad-association", message).path(&shown).line(number + 1);
                }
            }
        }
        groups.push('\n');
    }
    if passed > MOST_TOLD {
        let message = format!("{} more groups of associated words are passed over", passed - MOST_TOLD);
        problems.warning("bad-association", message).path(&shown);
    }
    groups
}

fn unreadable(problems: &mut Problems, path: &str, reason: &str) -> String {
    problems
        .error("unreadable-associations", format!("the user's associated words cannot be read: {reason}"))
        .path(path)
        .hint("give the file's whole path, or one that begins with ~/");
    String::new()
}

/// Returns the line as a group, or nothing for an empty line or a comment.
fn group(line: &[u8]) -> Result<String, String> {
    let line = std::str::from_utf8(line).map_err(|_| "it is not UTF-8")?;
    let line = line.trim_start_matches('\u{feff}').trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(String::new());
    }
    if line.matches('|').count() > 1 {
        return Err("it has more than one bar".into());
    }
    let entries: Vec<&str> = line.split(['|', ',', '，']).map(str::trim).filter(|entry| !entry.is_empty()).collect();
    if entries.len() < 2 {
        return Err("it has fewer than two entries; they are separated by commas".into());
    }
    for entry in entries {
        let words = entry.split_whitespace().count();
        let start: String = width::escape_line(entry).chars().take(40).collect();
        if words > MOST_WORDS {
            return Err(format!("'{start}…' has {words} words, an entry has at most {MOST_WORDS}"));
        }
        if !entry.chars().any(char::is_alphanumeric) {
            return Err(format!("'{start}' is no word"));
        }
    }
    Ok(line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_has_two_entries_at_least_and_no_sentences() {
        for (line, expected) in [
            ("kiosk, 自助机, terminal", Ok("kiosk, 自助机, terminal")),
            ("\u{feff}kiosk，自助机 | a, b\r", Ok("kiosk，自助机 | a, b")),
            ("# kiosk", Ok("")),
            ("  ", Ok("")),
            ("kiosk", Err("fewer than two")),
            ("kiosk,,", Err("fewer than two")),
            ("a | b | c", Err("more than one bar")),
            ("kiosk, --", Err("'--' is no word")),
            ("kiosk, one two three four five six seven eight nine ten eleven twelve thirteen", Err("13 words")),
        ] {
            match (group(line.as_bytes()), expected) {
                (Ok(group), Ok(wanted)) => assert_eq!(group, wanted, "{line}"),
                (Err(reason), Err(wanted)) => assert!(reason.contains(wanted), "{line}: {reason}"),
                (found, _) => panic!("{line}: {found:?}"),
            }
        }
        assert!(group(b"\xff, a").is_err());
    }
}
