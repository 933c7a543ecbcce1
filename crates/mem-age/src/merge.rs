//! One memory made of two that say the same: the stronger one with what only the other says.

use std::collections::BTreeSet;

use mem_store::front_matter;

/// Returns the file `stays` with the lines of the file `other` that it does not have, at the end of its body.
pub fn with_lines_of(stays: &str, other: &str) -> String {
    let has: BTreeSet<String> = stays.lines().map(line).collect();
    let lines = front_matter::of_memory(other).body.lines();
    let missing: Vec<&str> = lines.filter(|text| !text.trim().is_empty() && !has.contains(&line(text))).collect();
    if missing.is_empty() {
        return stays.to_owned();
    }
    let newline = if stays.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = if stays.ends_with('\n') { newline.to_owned() } else { newline.repeat(2) };
    let added: String = missing.iter().map(|text| format!("{}{newline}", text.trim_end())).collect();
    format!("{stays}{gap}{added}")
}

/// A line as it is compared: without the marks around it and blanks.
fn line(text: &str) -> String {
    let bare = text.trim().trim_start_matches(['-', '*', '+', '>', '#', ' ']);
    bare.split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches(['.', '。']).to_lowercase()
}

/// Returns the file `stays` with its body replaced.
pub fn with_body(stays: &str, body: &str) -> String {
    let old = front_matter::of_memory(stays).body;
    let head = &stays[..stays.len() - old.len()];
    let gap = if head.is_empty() || old.starts_with('\n') { "\n" } else { "" };
    let gap = if head.is_empty() { "" } else { gap };
    format!("{head}{gap}{}\n", body.trim())
}

/// Returns the numbers, dates, identifiers, paths and addresses of the files that `body` no longer has.
pub fn lost(files: &[&str], body: &str) -> Vec<String> {
    let kept: BTreeSet<String> = marks(body).into_iter().collect();
    let mut lost = BTreeSet::new();
    for file in files {
        let wanted = marks(front_matter::of_memory(file).body);
        lost.extend(wanted.into_iter().filter(|mark| !kept.contains(mark)));
    }
    lost.into_iter().collect()
}

/// What a text must not lose when it is put in other words: words with a digit, a capital inside, `_`, `/` or `.`
/// inside, and what stands between back-quotes.
fn marks(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() && c.is_ascii() || "_-./:@#~".contains(c);
    let words = text.split(|c: char| !is_part(c)).map(|word| word.trim_matches(['.', ':', '-', '/', '#', '~']));
    let mut found: Vec<String> = words.filter(|word| is_mark(word)).map(str::to_owned).collect();
    for (index, code) in text.split('`').enumerate() {
        if index % 2 == 1 && !code.trim().is_empty() && !code.contains('\n') {
            found.push(code.trim().to_owned());
        }
    }
    found.sort();
    found.dedup();
    found
}

fn is_mark(word: &str) -> bool {
    let inner = word.get(1..).unwrap_or_default();
    word.len() > 1 && (inner.contains(['_', '/', '.', '@', ':']) || inner.bytes().any(|byte| byte.is_ascii_uppercase()))
        || word.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stronger_file_gets_the_lines_that_only_the_other_has() {
        let stays = "---\nname: a\n---\n\nNever deploy on Fridays.\n\n**Why:** support is thin.\n";
        let other =
            "---\nname: b\n---\nnever deploy on Fridays\n- Ask Mina before an exception.\n**Why:** support is thin.\n";
        let merged = with_lines_of(stays, other);
        assert_eq!(merged, format!("{stays}\n- Ask Mina before an exception.\n"));
        assert_eq!(with_lines_of(&merged, other), merged);
        assert_eq!(with_lines_of("a\r\nb", "c"), "a\r\nb\r\n\r\nc\r\n");
    }

    #[test]
    fn a_new_body_takes_the_place_of_the_old_one() {
        assert_eq!(with_body("---\nname: a\n---\n\nold\n", "new"), "---\nname: a\n---\n\nnew\n");
        assert_eq!(with_body("old\n", "new\n"), "new\n");
    }

    #[test]
    fn numbers_dates_identifiers_and_code_must_not_get_lost() {
        let files = ["Port 7431 since 2026-03-05, see `relay start` and src/a.rs.", "运行 reserveFunds，端口 7431。"];
        assert!(lost(&files, "7431 since 2026-03-05: `relay start`, src/a.rs, reserveFunds").is_empty());
        assert_eq!(
            lost(&files, "The port since March, see `relay start`"),
            ["2026-03-05", "7431", "reserveFunds", "src/a.rs"]
        );
    }
}
