//! Cuts a body into passages of a few lines.

use crate::words::boundary;

/// A passage is closed once it has this many bytes, at a line's end or, in a long line, at a sentence's.
const PASSAGE: usize = 320;

/// Returns where the passage that starts at `start` ends: behind a blank line or before a heading when it has some
/// text, behind a line when it is long enough, inside a line only when that is very long.
pub fn passage_end(body: &str, start: usize) -> usize {
    let mut end = start;
    for line in body[start..].split_inclusive('\n') {
        let size = end - start;
        if size > PASSAGE / 2 && (line.starts_with('#') || line.trim().is_empty()) {
            return end;
        }
        if size + line.len() > 2 * PASSAGE {
            return if size > 0 { end } else { sentence_end(body, start, start + line.len()) };
        }
        end += line.len();
        if end - start >= PASSAGE {
            return end;
        }
    }
    end
}

/// Returns where a long line is cut: behind a sentence, else behind a blank, else at a character.
fn sentence_end(body: &str, start: usize, line_end: usize) -> usize {
    let window = boundary(body, (start + 2 * PASSAGE).min(line_end));
    let text = &body[start..window];
    let after = |mark: &str| text.rfind(mark).map(|at| at + mark.len()).filter(|at| *at > PASSAGE / 2);
    let cut = [". ", "。", "! ", "? ", "！", "？"].iter().filter_map(|mark| after(mark)).max();
    start + cut.or_else(|| after(" ")).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_cover_the_body_and_never_split_a_character() {
        let bodies = [
            "",
            "a\n",
            "# A\n\ntext\n\n# B\n",
            &"数据库。".repeat(2000),
            &"x".repeat(5000),
            &"line of words\n".repeat(100),
        ];
        for body in bodies {
            let mut at = 0;
            while at < body.len() {
                let end = passage_end(body, at);
                assert!(end > at && body.is_char_boundary(end) && end - at <= 3 * PASSAGE);
                at = end;
            }
        }
    }
}
