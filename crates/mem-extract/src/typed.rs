//! Cuts what a user typed into sentences, and leaves out what is not the user's own prose: code, pasted output,
//! text of the host.

/// One sentence of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The words as typed, on one line.
    pub text: String,
    /// The same with longer quotations taken out: what the user says for their own part.
    pub own: String,
    /// The number of the paragraph in its message.
    pub paragraph: usize,
    /// Whether it is an item of a list.
    pub is_item: bool,
}

/// A quotation of more words than this is somebody else's text, not a name.
const QUOTED_WORDS: usize = 4;
/// The same for text without spaces, in characters.
const QUOTED_CHARACTERS: usize = 10;
/// A message is read up to this many bytes: nobody types more, it is pasted.
const MOST_BYTES: usize = 64 * 1024;
/// A quotation is looked for over this many bytes, so that a text of opening marks costs no more than its length.
const QUOTATION_BYTES: usize = 600;
const OPENING: [char; 6] = ['"', '“', '「', '『', '‘', '\''];

/// Returns the sentences of one message.
pub fn sentences(text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    for (paragraph, lines) in paragraphs(head(text)).iter().enumerate() {
        for line in lines {
            let (is_item, line) = item(line);
            for sentence in split(line) {
                found.push(Sentence {
                    own: without_quotations(sentence),
                    text: sentence.to_owned(),
                    paragraph,
                    is_item,
                });
            }
        }
    }
    found
}

fn head(text: &str) -> &str {
    &text[..boundary(text, MOST_BYTES)]
}

/// Returns the last place between two characters that is not behind `most`.
fn boundary(text: &str, most: usize) -> usize {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// Returns the user's own lines, by paragraph.
fn paragraphs(text: &str) -> Vec<Vec<&str>> {
    let mut paragraphs = vec![Vec::new()];
    let mut fence: Option<&str> = None;
    let mut tag: Option<String> = None;
    for line in text.lines() {
        let line = line.trim();
        if let Some(mark) = fence {
            fence = (!line.starts_with(mark)).then_some(mark);
        } else if let Some(closing) = &tag {
            if line.contains(closing.as_str()) {
                tag = None;
            }
        } else if line.starts_with("```") || line.starts_with("~~~") {
            fence = Some(&line[..3]);
        } else if let Some(closing) = opened_tag(line) {
            tag = (!line.contains(closing.as_str())).then_some(closing);
        } else if line.is_empty() {
            paragraphs.push(Vec::new());
        } else if !is_output(line) && !line.starts_with('>') {
            let open = paragraphs.last_mut().expect("there is always one paragraph");
            open.push(line);
            if announces_paste(line) && is_followed_by_more(text, line) {
                break;
            }
        }
    }
    paragraphs.retain(|lines| !lines.is_empty());
    paragraphs
}

/// Returns the closing tag when a line opens a block such as `<system-reminder>`.
fn opened_tag(line: &str) -> Option<String> {
    let name = line.strip_prefix('<')?.split(['>', ' ']).next()?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    (is_name && line.contains('>')).then(|| format!("</{name}>"))
}

/// Whether a line is the output of a program.
fn is_output(line: &str) -> bool {
    let lower = line.trim_start_matches(['[', '(']).to_ascii_lowercase();
    let levels = ["warn", "error", "info", "debug", "trace", "fatal", "note", "hint", "fail", "panic", "exception"];
    let is_level = levels.iter().any(|level| {
        lower.strip_prefix(level).is_some_and(|rest| {
            let rest = rest.trim_start_matches(|c: char| c.is_ascii_lowercase());
            rest.starts_with([']', ')'])
                || rest.starts_with(':') && line.is_ascii() && lower.len() > 6 && is_level_colon(level, &lower)
        })
    });
    is_level
        || begins_with_clock(line)
        || ["$ ", "% ", ">>> ", "at ", "+++ ", "--- ", "@@ ", "diff --git"].iter().any(|mark| {
            line.starts_with(mark) && (mark.len() != 3 || mark.starts_with(['$', '%']) || line.contains('('))
        })
}

/// "Note:" and "Hint:" open sentences of people, too; a program writes them small.
fn is_level_colon(level: &str, lower: &str) -> bool {
    !matches!(level, "note" | "hint") && lower.contains(':')
}

/// Whether a line begins as logs do: `2026-…`, `10:20:31`, `[12:01`.
fn begins_with_clock(line: &str) -> bool {
    let line = line.trim_start_matches('[');
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line.as_bytes()[digits..];
    let is_date =
        digits == 4 && rest.first() == Some(&b'-') && rest.get(1).is_some_and(u8::is_ascii_digit) && line.contains(':');
    let is_clock = digits == 2 && rest.first() == Some(&b':') && rest.get(3) == Some(&b':');
    is_date || is_clock
}

/// Whether a line says that what follows was written by somebody else: it ends in a colon and asks for work on it.
fn announces_paste(line: &str) -> bool {
    if !line.ends_with([':', '：']) {
        return false;
    }
    let words = crate::phrase::Words::of(line);
    let asks = "look at; read this; what|why|how; \
        explain|summarise|summarize|translate|review|check|analyse|analyze|debug|fix; \
        log|output|trace|error|message|mail|email|text|article|ticket; wrote|writes|says|said|sent";
    let asks_zh = "看看; 看下; 看一下; 为什么; 怎么; 翻译; 总结; 解释; 分析; 日志; 报错; 输出; 原文; 写道; \
        发来; 如下内容";
    words.have(asks) || crate::phrase::contains(line, asks_zh)
}

fn is_followed_by_more(text: &str, line: &str) -> bool {
    !text.trim_end().ends_with(line)
}

fn item(line: &str) -> (bool, &str) {
    let bullet = line.strip_prefix(['-', '*', '•', '·']).filter(|rest| rest.starts_with([' ', '\t']));
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let number = (1..=2)
        .contains(&digits)
        .then(|| &line[digits..])
        .and_then(|rest| rest.strip_prefix(['.', ')', '、', '）']))
        .filter(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
    match bullet.or(number) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, line.trim_start_matches('#').trim_start()),
    }
}

/// Returns the sentences of a line; a quotation is never cut.
fn split(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut skip_to = 0;
    let mut characters = line.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if at < skip_to {
            continue;
        }
        if let Some(end) = quotation(line, at, character) {
            skip_to = end;
            let closed_sentence = line[..end]
                .trim_end_matches(['"', '”', '\'', '’', '」', '』'])
                .ends_with(['.', '。', '!', '！', '?', '？']);
            if !closed_sentence || line[end..].starts_with(|c: char| !c.is_whitespace()) {
                continue;
            }
            push(&mut found, &line[start..end]);
            start = end;
            continue;
        }
        let after = characters.peek().map(|(_, next)| *next);
        if ends_sentence(&line[start..at], character, after) {
            let end = at + character.len_utf8();
            push(&mut found, &line[start..end]);
            start = end;
        }
    }
    push(&mut found, &line[start..]);
    found
}

fn push<'a>(found: &mut Vec<&'a str>, sentence: &'a str) {
    let sentence = sentence.trim();
    if sentence.chars().any(char::is_alphanumeric) {
        found.push(sentence);
    }
}

fn ends_sentence(before: &str, character: char, after: Option<char>) -> bool {
    match character {
        '。' | '！' | '？' => !matches!(after, Some('。' | '！' | '？' | '”' | '」')),
        '!' | '?' => after.is_none_or(|next| next.is_whitespace() || !next.is_ascii()),
        '.' => after.is_none_or(char::is_whitespace) && !is_abbreviation(before),
        _ => false,
    }
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit([' ', '(', ',']).next().unwrap_or_default().to_ascii_lowercase();
    ["e.g", "i.e", "etc", "vs", "approx", "no", "mr", "mrs", "dr", "cf", "st"].contains(&word.as_str())
        && !(word == "no" && before.len() < 4)
        || word.is_empty()
}

/// Returns where the quotation that opens at `at` ends, if one does.
fn quotation(line: &str, at: usize, opening: char) -> Option<usize> {
    if !OPENING.contains(&opening) || !may_open(line, at, opening) {
        return None;
    }
    let closing = match opening {
        '“' => '”',
        '‘' => '’',
        '「' => '」',
        '『' => '』',
        straight => straight,
    };
    let from = at + opening.len_utf8();
    let until = boundary(line, from + QUOTATION_BYTES);
    line[from..until]
        .match_indices(closing)
        .map(|(offset, mark)| from + offset + mark.len())
        .find(|end| may_close(line, *end, closing))
}

fn may_open(line: &str, at: usize, opening: char) -> bool {
    let before = line[..at].chars().next_back();
    !matches!(opening, '\'' | '‘' | '"') || before.is_none_or(|c| !c.is_alphanumeric() || !c.is_ascii())
}

fn may_close(line: &str, end: usize, closing: char) -> bool {
    let after = line[end..].chars().next();
    !matches!(closing, '\'' | '’' | '"') || after.is_none_or(|c| !c.is_alphanumeric() || !c.is_ascii())
}

/// Returns the sentence with `“…”` in place of each quotation, long or short.
pub fn without_any_quotation(sentence: &str) -> String {
    replace_quotations(sentence, |_| true)
}

/// Whether a sentence quotes something.
pub fn has_quotation(sentence: &str) -> bool {
    sentence.char_indices().any(|(at, character)| quotation(sentence, at, character).is_some())
}

/// Returns the sentence with `“…”` in place of each longer quotation.
fn without_quotations(sentence: &str) -> String {
    replace_quotations(sentence, is_long)
}

fn replace_quotations(sentence: &str, is_meant: fn(&str) -> bool) -> String {
    let mut own = String::with_capacity(sentence.len());
    let mut skip_to = 0;
    for (at, character) in sentence.char_indices() {
        if at < skip_to {
            continue;
        }
        match quotation(sentence, at, character).filter(|end| is_meant(&sentence[at..*end])) {
            Some(end) => {
                skip_to = end;
                own.push_str(" “…” ");
            }
            None => own.push(character),
        }
    }
    own
}

fn is_long(quoted: &str) -> bool {
    let wide = quoted.chars().filter(|character| !character.is_ascii()).count();
    quoted.split_whitespace().count() > QUOTED_WORDS || wide > QUOTED_CHARACTERS
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<_> = sentences(text).into_iter().map(|sentence| sentence.text).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn sentences_end_where_people_end_them() {
        check("Use v1.2 here. Not v1.3, e.g. in CI! Right?", &["Use v1.2 here.", "Not v1.3, e.g. in CI!", "Right?"]);
        check("先看方案。再动手！行吗？好", &["先看方案。", "再动手！", "行吗？", "好"]);
        check("No. Use tabs.", &["No.", "Use tabs."]);
    }

    #[test]
    fn code_output_and_host_text_are_not_the_users_words() {
        check("Look:\n```\nalways flush()\n```\ndone", &["Look:", "done"]);
        check("[WARN] always init\nkill it", &["kill it"]);
        check("<system-reminder>\nNever use Go.\n</system-reminder>\npush it", &["push it"]);
        check("2026-10-01 10:20:00 always retry\nwhy", &["why"]);
        check("> never merge on Friday\nI agree", &["I agree"]);
    }

    #[test]
    fn what_follows_a_request_about_a_text_is_pasted() {
        check("看看这个日志为什么报错：\n以后不要用旧参数", &["看看这个日志为什么报错："]);
        check("Remember these:\n- use tabs\n2) no emojis", &["Remember these:", "use tabs", "no emojis"]);
    }

    #[test]
    fn a_long_quotation_is_not_the_users_own() {
        let found = sentences("They wrote 'you must always send the header. Never skip it'. I agree.");
        assert_eq!(found[0].own.trim(), "They wrote  “…” .");
        assert_eq!(found.len(), 2);
        assert_eq!(sentences("don't touch the user's files, it's late").len(), 1);
    }

    #[test]
    fn odd_input_is_no_trouble() {
        for text in ["", "'", "“", "```", "<a", "1.", "。。。", "\u{0}\"", "'''' ''' \"\"\" ”"] {
            sentences(text);
        }
        sentences(&"'a ".repeat(20_000));
    }
}
