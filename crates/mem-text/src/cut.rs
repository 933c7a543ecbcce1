//! Cuts text at places where a reader does not notice: characters, lines, words.
//!
//! All functions return a part of what they were given, never more, and never cut inside a character.

use std::borrow::Cow;

use crate::width;

/// Returns the longest start of `text` that has at most `max` bytes and ends between two characters.
pub fn bytes(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let end = (0..=max).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    &text[..end]
}

/// Returns the first `max_lines` lines of `text`, with the line end of the last one.
pub fn lines(text: &str, max_lines: usize) -> &str {
    let Some(last) = max_lines.checked_sub(1) else {
        return "";
    };
    match memchr::memchr_iter(b'\n', text.as_bytes()).nth(last) {
        Some(end) => &text[..=end],
        None => text,
    }
}

/// Returns at most `max_bytes` of `text`, ending behind a line end.
///
/// A first line that is longer by itself is cut between two characters.
pub fn at_newline(text: &str, max_bytes: usize) -> &str {
    let part = bytes(text, max_bytes);
    if part.len() == text.len() {
        return text;
    }
    match memchr::memrchr(b'\n', part.as_bytes()) {
        Some(end) => &part[..=end],
        None => part,
    }
}

/// Returns `text` within `max_columns` display columns; when something went, it ends in `…`.
///
/// The cut stands at the end of a word when the last word begins in the second half of the room.
pub fn ellipsis(text: &str, max_columns: usize) -> Cow<'_, str> {
    if width::columns(text) <= max_columns {
        return Cow::Borrowed(text);
    }
    let Some(room) = max_columns.checked_sub(1) else {
        return Cow::Borrowed("");
    };
    let part = columns(text, room);
    let ends_a_word = text[part.len()..].starts_with(char::is_whitespace);
    let kept = match part.rfind(char::is_whitespace) {
        Some(space) if !ends_a_word && width::columns(&part[..space]) * 2 >= room => &part[..space],
        _ => part,
    };
    Cow::Owned(format!("{}…", kept.trim_end_matches(|c: char| c.is_whitespace() || ",;:，；：、".contains(c))))
}

/// Returns `path` within `max_columns` display columns; when something went, it begins with `…`, for the end of a path
/// says most. The cut stands at the start of a name when that leaves at least half of the room.
pub fn path(path: &str, max_columns: usize) -> Cow<'_, str> {
    if width::columns(path) <= max_columns {
        return Cow::Borrowed(path);
    }
    let Some(room) = max_columns.checked_sub(1) else {
        return Cow::Borrowed("");
    };
    let clusters: Vec<(usize, &str)> = width::clusters(path).collect();
    let (mut used, mut start) = (0, path.len());
    for (place, cluster) in clusters.into_iter().rev() {
        used += width::columns(cluster);
        if used > room {
            break;
        }
        start = place;
    }
    let part = &path[start..];
    let kept = match part.find('/') {
        Some(slash) if width::columns(&part[slash..]) * 2 >= room => &part[slash..],
        _ => part,
    };
    Cow::Owned(format!("…{kept}"))
}

/// Returns the longest start of `text` that takes at most `max` display columns.
pub fn columns(text: &str, max: usize) -> &str {
    let mut used = 0;
    for (start, cluster) in width::clusters(text) {
        used += width::columns(cluster);
        if used > max {
            return &text[..start];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_never_splits_a_character() {
        for (text, max, want) in [("abc", 2, "ab"), ("中文", 4, "中"), ("中文", 2, ""), ("é", 9, "é"), ("x", 0, "")]
        {
            assert_eq!(bytes(text, max), want, "{text} {max}");
        }
    }

    #[test]
    fn lines_keeps_the_line_end_of_the_last_line() {
        for (text, max, want) in [("a\nb\nc", 2, "a\nb\n"), ("a\nb", 5, "a\nb"), ("a", 0, ""), ("", 3, "")] {
            assert_eq!(lines(text, max), want, "{text:?} {max}");
        }
    }

    #[test]
    fn at_newline_cuts_a_line_only_when_it_is_too_long_by_itself() {
        for (text, max, want) in [("ab\ncd\n", 5, "ab\n"), ("ab\ncd", 5, "ab\ncd"), ("中文字\n", 7, "中文")] {
            assert_eq!(at_newline(text, max), want, "{text:?} {max}");
        }
    }

    #[test]
    fn ellipsis_ends_at_a_word_within_the_columns() {
        let cases = [
            ("short", 5, "short"),
            ("the quick brown fox", 13, "the quick…"),
            ("the quick brown fox", 16, "the quick brown…"),
            ("a unbelievablylongword", 10, "a unbelie…"),
            ("测试用真实数据库", 7, "测试用…"),
            ("测试用真实数据库", 8, "测试用…"),
            ("x", 0, ""),
            ("xy", 1, "…"),
        ];
        for (text, max, want) in cases {
            assert_eq!(ellipsis(text, max), want, "{text} {max}");
            assert!(width::columns(&ellipsis(text, max)) <= max);
        }
    }

    #[test]
    fn of_a_path_the_end_stays_from_a_name_on() {
        let cases = [
            ("a/b.md", 6, "a/b.md"),
            ("/home/ada/.claude/rules/go.md", 18, "…/rules/go.md"),
            ("/home/ada/.claude/rules/go.md", 22, "…/.claude/rules/go.md"),
            ("a/very-long-name-of-a-file.md", 12, "…f-a-file.md"),
            ("规则/中文规则.md", 10, "…文规则.md"),
            ("ab", 1, "…"),
            ("ab", 0, ""),
        ];
        for (text, max, want) in cases {
            assert_eq!(path(text, max), want, "{text} {max}");
            assert!(width::columns(&path(text, max)) <= max);
        }
    }
}
