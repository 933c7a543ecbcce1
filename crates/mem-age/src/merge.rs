//! One memory made of two that say the same: the stronger one with what only the other says.

use std::collections::BTreeSet;

use mem_store::front_matter;
use mem_text::secrets;

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

/// Says why `body` cannot stand for both files, or nothing when it can. A secret is never named.
pub fn unfit(files: &[&str], body: &str) -> Option<String> {
    if !secrets::find(body).is_empty() {
        return Some("holds a secret".to_owned());
    }
    let lost = lost(files, body);
    if lost.is_empty() {
        return None;
    }
    let hides_something = files.iter().any(|file| !secrets::find(file).is_empty());
    let lost =
        if hides_something { format!("{} marks of a memory with a secret", lost.len()) } else { lost.join(", ") };
    Some(format!("loses {lost}"))
}

/// Returns what has a digit in `body` and stands in none of the files.
pub fn invented(files: &[&str], body: &str) -> Vec<String> {
    let known: BTreeSet<String> = files.iter().flat_map(|file| marks(file)).collect();
    let has_digit = |mark: &String| mark.bytes().any(|byte| byte.is_ascii_digit());
    // A file's own word may stand in a longer one now, such as a path behind a host.
    let is_new = |mark: &String| !known.contains(mark) && !files.iter().any(|file| file.contains(mark.as_str()));
    marks(body).into_iter().filter(|mark| has_digit(mark) && is_new(mark)).collect()
}

/// Returns the numbers, dates, identifiers, paths, addresses and links of the files that `body` no longer has.
fn lost(files: &[&str], body: &str) -> Vec<String> {
    let kept: BTreeSet<String> = marks(body).into_iter().collect();
    let mut lost = BTreeSet::new();
    for file in files {
        let wanted = marks(front_matter::of_memory(file).body);
        lost.extend(wanted.into_iter().filter(|mark| !kept.contains(mark)));
    }
    lost.into_iter().collect()
}

/// What a text must not lose when it is put in other words: words with a digit, a capital inside, `_`, `/` or `.`
/// inside, what stands between back-quotes, and links.
fn marks(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() && c.is_ascii() || "_-./:@#~".contains(c);
    let words = text.split(|c: char| !is_part(c)).map(|word| word.trim_matches(['.', ':', '-', '/', '#', '~']));
    let mut found: Vec<String> = words.filter(|word| is_mark(word)).map(str::to_owned).collect();
    for (index, code) in text.split('`').enumerate() {
        if index % 2 == 1 && !code.trim().is_empty() && !code.contains('\n') {
            found.push(code.trim().to_owned());
        }
    }
    let links = text.split("[[").skip(1).filter_map(|rest| rest.split_once("]]"));
    found.extend(links.filter(|(name, _)| !name.contains('\n')).map(|(name, _)| format!("[[{name}]]")));
    found.extend(numbers_in_words(text));
    found.sort();
    found.dedup();
    found
}

/// English numbers as digits, days of the week without their plural, and Chinese numbers before what they count.
fn numbers_in_words(text: &str) -> Vec<String> {
    const NUMBERS: [(&str, &str); 20] = [
        ("two", "2"),
        ("three", "3"),
        ("four", "4"),
        ("five", "5"),
        ("six", "6"),
        ("seven", "7"),
        ("eight", "8"),
        ("nine", "9"),
        ("ten", "10"),
        ("eleven", "11"),
        ("twelve", "12"),
        ("fifteen", "15"),
        ("twenty", "20"),
        ("thirty", "30"),
        ("forty", "40"),
        ("fifty", "50"),
        ("sixty", "60"),
        ("ninety", "90"),
        ("hundred", "100"),
        ("thousand", "1000"),
    ];
    const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let lower = text.to_lowercase();
    let mut found = Vec::new();
    for word in lower.split(|c: char| !c.is_alphanumeric()) {
        let number = NUMBERS.iter().find(|(name, _)| *name == word).map(|(_, digits)| *digits);
        found.extend(
            number.or_else(|| DAYS.into_iter().find(|day| word.trim_end_matches('s') == *day)).map(str::to_owned),
        );
    }
    found.extend(chinese_numbers(text));
    found
}

/// 三十天, 两个, 周五.
fn chinese_numbers(text: &str) -> Vec<String> {
    const DIGITS: &str = "零一二两三四五六七八九十百千万亿半";
    const COUNTED: &str = "个天小分秒次年月周日号点空行条份人倍位块元级页步台层种";
    let characters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut start = 0;
    while start < characters.len() {
        let length = characters[start..].iter().take_while(|c| DIGITS.contains(**c)).count();
        let end = start + length;
        let is_day = length == 1 && start > 0 && ['周', '期', '拜'].contains(&characters[start - 1]);
        let is_count = length > 0 && characters.get(end).is_some_and(|c| COUNTED.contains(*c));
        if is_day || is_count {
            found.push(characters[start - usize::from(is_day)..end + usize::from(!is_day)].iter().collect());
        }
        start = end.max(start + 1);
    }
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
        assert_eq!(lost(&["Four retries on Fridays; [[queue]]"], "Retry then."), ["4", "[[queue]]", "friday"]);
        assert!(lost(&["Four retries on Fridays"], "Each Friday 4 retries").is_empty());
        assert_eq!(lost(&["日志保留三十天，周五清理，两个空格。"], "日志保留一阵。"), ["三十天", "两个", "周五"]);
    }
}
