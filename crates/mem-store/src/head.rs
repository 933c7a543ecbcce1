//! Edits of a memory file's head that leave every other byte alone.

/// Returns `text` with the top-level keys given, each on a line of its own at the end of the head.
///
/// Lines that had the key before go. A file without a head gets one. Values are quoted where YAML needs it.
#[must_use]
pub fn with_keys(text: &str, keys: &[(&str, &str)]) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let added: String = keys.iter().map(|(key, value)| format!("{key}: {}{newline}", scalar(value))).collect();
    let mark = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    let rest = &text[mark.len()..];
    let mut lines = rest.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else {
        let gap = if rest.is_empty() { "" } else { newline };
        return format!("{mark}---{newline}{added}---{newline}{gap}{rest}");
    };
    let head: Vec<&str> = lines.by_ref().take_while(|line| line.trim_end() != "---").collect();
    let length: usize = first.len() + head.iter().map(|line| line.len()).sum::<usize>();
    // A head that is never closed: the keys come first, where every reader looks.
    if length >= rest.len() {
        let top = head.len().min(keys.len());
        return format!("{mark}{first}{added}{}{}", without(&head[..top], keys), head[top..].concat());
    }
    let kept: String = without(&head, keys);
    format!("{mark}{first}{kept}{added}{}", &rest[length..])
}

/// The lines of the head without the keys and what is indented below them.
fn without(head: &[&str], keys: &[(&str, &str)]) -> String {
    let mut drops = false;
    let mut kept = String::new();
    for line in head {
        let is_below = line.starts_with([' ', '\t', '-']) && !line.trim().is_empty();
        if drops && is_below {
            continue;
        }
        let key = line.split(':').next().unwrap_or_default();
        drops = line.contains(':') && keys.iter().any(|(name, _)| *name == key);
        if !drops {
            kept.push_str(line);
        }
    }
    kept
}

/// Returns a value as YAML reads it back: bare where that is safe, else in double quotes.
#[must_use]
pub fn scalar(value: &str) -> String {
    const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    let is_safe = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '/' | '，' | '。' | '、');
    let is_plain = value.starts_with(char::is_alphanumeric)
        && !value.ends_with(' ')
        && value.chars().all(is_safe)
        && !value.starts_with(|c: char| c.is_numeric()) | is_date(value)
        && !WORDS.contains(&value.to_ascii_lowercase().as_str());
    if is_plain { value.to_owned() } else { mem_types::to_json(&value.replace(['\n', '\r', '\t'], " ")) }
}

fn is_date(value: &str) -> bool {
    value.parse::<jiff::civil::Date>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_set_and_all_else_keeps_its_bytes() {
        let keys = [("superseded", "2026-11-30"), ("superseded_by", "b.md")];
        for (old, new) in [
            ("---\nname: a\n---\n\nBody", "---\nname: a\nsuperseded: 2026-11-30\nsuperseded_by: b.md\n---\n\nBody"),
            (
                "---\r\nname: a\r\n---\r\nx",
                "---\r\nname: a\r\nsuperseded: 2026-11-30\r\nsuperseded_by: b.md\r\n---\r\nx",
            ),
            (
                "---\nsuperseded_by:\n  - old.md\nname: a\n---\nx",
                "---\nname: a\nsuperseded: 2026-11-30\nsuperseded_by: b.md\n---\nx",
            ),
            ("just text\n", "---\nsuperseded: 2026-11-30\nsuperseded_by: b.md\n---\n\njust text\n"),
            ("---\nname: a\nno end", "---\nsuperseded: 2026-11-30\nsuperseded_by: b.md\nname: a\nno end"),
        ] {
            assert_eq!(with_keys(old, &keys), new);
            assert_eq!(with_keys(&with_keys(old, &keys), &keys).matches("b.md").count(), 1);
        }
    }

    #[test]
    fn a_value_is_read_back_as_it_was() {
        for value in ["b.md", "a: b #c", "部署.md", "yes", "12", "*x*", "2026-11-30"] {
            let text = with_keys("---\nname: n\n---\n", &[("superseded_by", value)]);
            let matter = crate::front_matter::of_memory(&text).matter.unwrap_or_default();
            assert_eq!(matter.text("superseded_by").as_deref(), Some(value), "{text}");
        }
    }
}
