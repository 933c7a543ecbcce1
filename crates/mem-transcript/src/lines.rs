//! Cuts a session file into records and says which lines are damaged.
//!
//! Files are written by programs that are killed, on disks that fill up: half lines, two objects on one line, runs of NUL
//! bytes. Every record that is whole is used, whatever stands around it. Only `\n` ends a line: U+2028 may stand in a text.

use std::borrow::Cow;

use serde_json::Deserializer;

use crate::json::Object;
use crate::problem::Problems;

/// Lines above this size are told: reading them is slow for whoever reads line by line.
const LONG_LINE: usize = 8_000_000;
/// How often a record is looked for behind a damaged one on the same line.
const RESUMPTIONS: usize = 4;

/// One record of a session file: what it takes to thread it. The message itself is read later, if it is live.
#[derive(Debug)]
pub(crate) struct Record<'a> {
    pub kind: Cow<'a, str>,
    pub uuid: Option<Cow<'a, str>>,
    pub parent: Option<Cow<'a, str>>,
    pub sidechain: bool,
    pub line: usize,
    pub members: Object<'a>,
}

impl Record<'_> {
    /// Returns whether the record holds a message of the conversation.
    pub(crate) fn is_message(&self) -> bool {
        matches!(self.kind.as_ref(), "user" | "assistant")
    }

    /// Returns whether everything before this record was compacted.
    pub(crate) fn is_boundary(&self) -> bool {
        self.kind == "system" && self.members.text("subtype").as_deref() == Some("compact_boundary")
    }
}

/// Returns the records of a session file in the order of the file.
pub(crate) fn records<'a>(bytes: &'a [u8], problems: &mut Problems) -> Vec<Record<'a>> {
    let mut records = Vec::new();
    let mut start = if bytes.starts_with(b"\xEF\xBB\xBF") {
        3
    } else {
        0
    };
    let mut line = 0;
    while start < bytes.len() {
        line += 1;
        let end =
            memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |length| start + length);
        read_line(&bytes[start..end], line, problems, &mut records);
        start = end + 1;
    }
    records
}

fn read_line<'a>(
    bytes: &'a [u8],
    line: usize,
    problems: &mut Problems,
    records: &mut Vec<Record<'a>>,
) {
    let padded = memchr::memchr(0, bytes).is_some();
    let bytes = if padded {
        without_padding(bytes)
    } else {
        bytes
    };
    if padded {
        problems.add("bad-line", "NUL bytes in a line of the transcript", line);
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return;
    }
    if bytes.len() > LONG_LINE {
        problems.add(
            "long-line",
            "a line of the transcript is longer than 8 MB",
            line,
        );
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => read_objects(text, line, problems, records),
        Err(_) => problems.add("bad-line", "a line of the transcript is no UTF-8", line),
    }
}

/// NUL bytes stand before or behind a record, where a block of the disk was not written.
fn without_padding(bytes: &[u8]) -> &[u8] {
    let start = bytes
        .iter()
        .position(|byte| *byte != 0)
        .unwrap_or(bytes.len());
    let end = bytes
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(start, |last| last + 1);
    &bytes[start..end]
}

fn read_objects<'a>(
    text: &'a str,
    line: usize,
    problems: &mut Problems,
    records: &mut Vec<Record<'a>>,
) {
    let mut rest = text;
    let mut found = 0;
    for _ in 0..=RESUMPTIONS {
        let mut stream = Deserializer::from_str(rest).into_iter::<Object<'a>>();
        let mut broken = false;
        for object in stream.by_ref() {
            let Ok(members) = object else {
                broken = true;
                break;
            };
            found += 1;
            push(members, line, problems, records);
        }
        if !broken {
            break;
        }
        problems.add("bad-line", "a line of the transcript is no JSON", line);
        let Some(next) = next_record(rest, stream.byte_offset()) else {
            break;
        };
        rest = next;
    }
    if found > 1 {
        problems.add(
            "bad-line",
            "several objects on one line of the transcript",
            line,
        );
    }
}

/// Finds where another record may begin behind a damaged one.
fn next_record(text: &str, from: usize) -> Option<&str> {
    let rest = text.get(from + 1..)?;
    let at = [
        "{\"parentUuid\":",
        "{\"type\":\"user\"",
        "{\"type\":\"assistant\"",
    ]
    .iter()
    .filter_map(|opening| rest.find(opening))
    .min()?;
    Some(&rest[at..])
}

fn push<'a>(
    members: Object<'a>,
    line: usize,
    problems: &mut Problems,
    records: &mut Vec<Record<'a>>,
) {
    let Some(kind) = members.text("type") else {
        problems.add("bad-line", "a line of the transcript is no record", line);
        return;
    };
    records.push(Record {
        kind,
        uuid: members.text("uuid"),
        parent: members.text("parentUuid"),
        sidechain: members.is_true("isSidechain"),
        line,
        members,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: &str =
        r#"{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":"hi"}}"#;
    const ANSWER: &str = r#"{"parentUuid":"a","type":"assistant","uuid":"b","message":{"role":"assistant","content":"yo"}}"#;

    fn check(bytes: &[u8], uuids: &[&str], troubles: &[(&str, usize)]) {
        let mut problems = Problems::default();
        let records = records(bytes, &mut problems);
        let found: Vec<_> = records
            .iter()
            .filter_map(|record| record.uuid.as_deref())
            .collect();
        assert_eq!(found, uuids);
        let problems = problems.finish();
        let met: Vec<_> = problems
            .iter()
            .map(|problem| (problem.message, problem.places[0]))
            .collect();
        assert_eq!(met, troubles);
    }

    #[test]
    fn half_a_last_line_costs_only_itself() {
        let file = format!("{USER}\n{ANSWER}\n{}", &USER[..40]);
        check(
            file.as_bytes(),
            &["a", "b"],
            &[("a line of the transcript is no JSON", 3)],
        );
    }

    #[test]
    fn two_objects_on_a_line_are_both_used() {
        let file = format!("{USER}{ANSWER}\n");
        check(
            file.as_bytes(),
            &["a", "b"],
            &[("several objects on one line of the transcript", 1)],
        );
    }

    #[test]
    fn a_record_behind_half_a_record_is_used() {
        let file = format!("{}{ANSWER}\n", &USER[..40]);
        check(
            file.as_bytes(),
            &["b"],
            &[("a line of the transcript is no JSON", 1)],
        );
    }

    #[test]
    fn nul_bytes_are_taken_off() {
        let file = format!("\0\0\0{USER}\n\0\0\n{ANSWER}\0\n");
        check(
            file.as_bytes(),
            &["a", "b"],
            &[("NUL bytes in a line of the transcript", 1)],
        );
    }

    #[test]
    fn only_a_newline_ends_a_line() {
        let file = format!("{}\r\n\n", USER.replace("hi", "h\u{2028}i\u{85}"));
        check(file.as_bytes(), &["a"], &[]);
    }

    #[test]
    fn lists_numbers_and_bytes_that_are_no_text_are_counted() {
        check(
            b"[1,2]\n",
            &[],
            &[("a line of the transcript is no record", 1)],
        );
        check(b"12\n", &[], &[("a line of the transcript is no JSON", 1)]);
        check(
            b"{\"type\":\"\xff\"}\n",
            &[],
            &[("a line of the transcript is no UTF-8", 1)],
        );
    }

    #[test]
    fn a_deeply_nested_line_does_no_harm() {
        let deep = format!("{{\"type\":\"user\",\"x\":{}\n{USER}", "[".repeat(200_000));
        check(
            deep.as_bytes(),
            &["a"],
            &[("a line of the transcript is no JSON", 1)],
        );
    }
}
