//! Cuts what was said into sentences, the smallest piece that a fold keeps or drops.

/// Returns the sentences of a text, trimmed, without code blocks, list marks and empty ones.
///
/// A sentence ends at `。！？`, at `.!?` with white space behind it, and at the end of a line.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
        } else if !in_code {
            cut(without_mark(line), &mut found);
        }
    }
    found
}

/// Takes list marks, heading marks and quotation marks off the start of a line.
fn without_mark(line: &str) -> &str {
    let marks = line.trim_start_matches(['-', '*', '#', '>', '•', '+']);
    if marks.len() < line.len() && (marks.is_empty() || marks.starts_with([' ', '\t'])) {
        return marks.trim_start();
    }
    let digits = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    match digits.strip_prefix(". ").or_else(|| digits.strip_prefix(") ")) {
        Some(rest) if digits.len() < line.len() && line.len() - digits.len() <= 2 => rest.trim_start(),
        _ => line,
    }
}

fn cut<'t>(line: &'t str, found: &mut Vec<&'t str>) {
    let mut start = 0;
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let end = at + letter.len_utf8();
        let ends = match letter {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => {
                letters.peek().is_none_or(|(_, next)| next.is_whitespace()) && !is_abbreviation(&line[start..at])
            }
            _ => false,
        };
        if ends {
            push(&line[start..end], found);
            start = end;
        }
    }
    push(&line[start..], found);
}

/// A full stop behind `e.g`, `vs` or a single letter ends no sentence.
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|letter: char| letter.is_whitespace() || letter == '(').next().unwrap_or(before);
    matches!(word, "e.g" | "i.e" | "vs" | "etc" | "approx" | "resp" | "cf" | "No") || word.chars().count() == 1
}

fn push<'t>(sentence: &'t str, found: &mut Vec<&'t str>) {
    let sentence = sentence.trim();
    if sentence.chars().any(char::is_alphanumeric) {
        found.push(sentence);
    }
}

/// Returns the text, cut at a character boundary with a mark when it is longer than so many characters.
pub(crate) fn clip(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(sentences(text), expected, "{text}");
    }

    #[test]
    fn sentences_end_where_a_reader_sees_it() {
        check("Use v2.8.3. Not 2.9! Why?", &["Use v2.8.3.", "Not 2.9!", "Why?"]);
        check("用分存储。不要用浮点！可以吗？好", &["用分存储。", "不要用浮点！", "可以吗？", "好"]);
        check("Take one, e.g. this. Done", &["Take one, e.g. this.", "Done"]);
    }

    #[test]
    fn lists_and_code_lose_their_marks() {
        check("- one\n* two\n3. three\n## four\n```\ncode();\n```\n--\n", &["one", "two", "three", "four"]);
        check("-5 degrees\n2024. was good", &["-5 degrees", "2024.", "was good"]);
    }

    #[test]
    fn a_clipped_text_says_so() {
        assert_eq!(clip("数据库端口", 3), "数据库…");
        assert_eq!(clip("port", 4), "port");
    }
}
