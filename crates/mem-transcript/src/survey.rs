//! Reads a session file from its start to its end and notes of each record where it stands and what it hangs on.
//!
//! Files are written by programs that are killed, on disks that fill up: half lines, two objects on one line, runs of NUL
//! bytes. Every record that is whole is used, whatever stands around it. What lies before the last root of the
//! conversation is forgotten on the way, so that a file of a gigabyte costs the memory of its live part.

use std::io::{self, Read};

use serde_json::Deserializer;

use crate::envelope::{Envelope, Id, Tool, id};
use crate::json::{self, Object};
use crate::problem::Problems;
use crate::source::{Line, Lines};
use crate::transcript::{Format, is_known};

/// Lines above this size are told: reading them is slow for whoever reads line by line.
const LONG_LINE: usize = 8_000_000;
/// How often a record is looked for behind a damaged one on the same line.
const RESUMPTIONS: usize = 4;

/// What a record is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A message of the conversation.
    Message,
    /// Everything before it was compacted.
    Boundary,
    /// Neither; the thread may lead through it.
    Other,
}

/// Where a record stands, and what it takes to thread it.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub offset: u64,
    pub length: usize,
    pub line: usize,
    pub sort: Sort,
    pub uuid: Option<Id>,
    pub parent: Option<Id>,
    pub is_sidechain: bool,
    pub is_summary: bool,
    pub answer: Option<Id>,
    pub tools: Box<[Tool]>,
}

/// What a compaction carried over.
#[derive(Debug, Clone, Default)]
pub(crate) struct Carried {
    pub uuids: Vec<Id>,
    /// First and last of a stretch of the old thread.
    pub segment: Option<(Id, Id)>,
}

/// What was found in a session file.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub entries: Vec<Entry>,
    /// What the last compaction among the entries carried over.
    pub carried: Carried,
    /// Whether anything was forgotten on the way.
    pub is_forgetful: bool,
    pub records: usize,
    pub messages: usize,
    pub sidechain: usize,
    pub compactions: usize,
    pub session: Option<String>,
    pub agent: Option<String>,
    pub problems: Problems,
    kinds: Kinds,
    keeps_all: bool,
}

/// Signs of who wrote the file.
#[derive(Debug, Default)]
struct Kinds {
    claude: bool,
    codex: bool,
    gemini: bool,
    bare: bool,
    whole: bool,
}

/// Returns what is in a session file, without what lies before its last root.
///
/// # Errors
/// When the source cannot be read.
pub(crate) fn survey(source: impl Read) -> io::Result<Survey> {
    read(source, Survey::default())
}

/// The same with all that lies before, for threads that lead there.
///
/// # Errors
/// When the source cannot be read.
pub(crate) fn survey_all(source: impl Read) -> io::Result<Survey> {
    read(source, Survey { keeps_all: true, ..Survey::default() })
}

fn read(source: impl Read, mut survey: Survey) -> io::Result<Survey> {
    let mut lines = Lines::new(source);
    while let Some(line) = lines.next()? {
        survey.read_line(&line);
    }
    Ok(survey)
}

impl Survey {
    /// Returns who wrote the file.
    pub(crate) fn format(&self) -> Format {
        match &self.kinds {
            Kinds { claude: true, .. } => Format::ClaudeCode,
            Kinds { codex: true, .. } => Format::Codex,
            Kinds { gemini: true, .. } => Format::Gemini,
            Kinds { bare: true, .. } => Format::Messages,
            _ if self.records == 0 => Format::Empty,
            _ => Format::Unknown,
        }
    }

    /// Returns whether the file seems to be one JSON text and not a record a line.
    pub(crate) fn may_be_one_text(&self) -> bool {
        !self.kinds.claude && !self.kinds.codex && (self.kinds.whole || self.problems.is_any() || self.records == 0)
    }

    fn read_line(&mut self, line: &Line<'_>) {
        if line.is_too_long {
            self.problems.add("long-line", "a line of the transcript is longer than can be read", line.number);
            return;
        }
        let mut bytes = line.bytes;
        let mut skipped = 0;
        if line.number == 1 && bytes.starts_with(b"\xEF\xBB\xBF") {
            skipped = 3;
            bytes = &bytes[3..];
        }
        if memchr::memchr(0, bytes).is_some() {
            self.problems.add("bad-line", "NUL bytes in a line of the transcript", line.number);
            let bare = without_padding(bytes);
            skipped += bare.start;
            bytes = &bytes[bare];
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        if bytes.len() > LONG_LINE {
            self.problems.add("long-line", "a line of the transcript is longer than 8 MB", line.number);
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            self.problems.add("bad-line", "a line of the transcript is no UTF-8", line.number);
            return;
        };
        let offset = line.offset + skipped as u64;
        match Envelope::read(text) {
            Some(envelope) => self.push(&envelope, text, offset, line.number),
            None => self.read_objects(text, offset, line.number),
        }
    }

    fn read_objects(&mut self, text: &str, offset: u64, line: usize) {
        let mut rest = text;
        let mut found = 0;
        for _ in 0..=RESUMPTIONS {
            let mut stream = Deserializer::from_str(rest).into_iter::<Object<'_>>();
            let mut is_broken = false;
            let mut start = 0;
            let before = text.len() - rest.len();
            while let Some(object) = stream.next() {
                let Ok(members) = object else {
                    is_broken = true;
                    break;
                };
                found += 1;
                let end = stream.byte_offset();
                self.push(&Envelope::of(&members), &rest[start..end], offset + (before + start) as u64, line);
                start = end;
            }
            if !is_broken {
                break;
            }
            self.problems.add("bad-line", "a line of the transcript is no JSON", line);
            let Some(next) = next_record(rest, stream.byte_offset()) else { break };
            rest = next;
        }
        if found > 1 {
            self.problems.add("bad-line", "several objects on one line of the transcript", line);
        }
    }

    fn push(&mut self, envelope: &Envelope<'_>, text: &str, offset: u64, line: usize) {
        self.records += 1;
        let Some(kind) = envelope.kind.as_deref() else {
            self.push_untyped(envelope, text, offset, line);
            return;
        };
        self.note_kind(kind, envelope, line);
        note_last(&mut self.session, envelope.session.as_deref());
        note_last(&mut self.agent, envelope.agent.as_deref());
        let sort = match kind {
            "user" | "assistant" | "gemini" => Sort::Message,
            "system" if envelope.is_boundary => Sort::Boundary,
            _ => Sort::Other,
        };
        self.messages += usize::from(sort == Sort::Message);
        self.sidechain += usize::from(sort == Sort::Message && envelope.is_sidechain);
        self.compactions += usize::from(sort == Sort::Boundary || kind == "compacted" && envelope.has_payload);
        if sort == Sort::Boundary {
            self.carried = carried(text);
        }
        let is_codex = self.kinds.codex && !self.kinds.claude;
        if !self.keeps_all && (is_root(envelope, sort) || is_codex && kind == "compacted") {
            self.forget(sort == Sort::Boundary);
        }
        if sort != Sort::Other || envelope.uuid.is_some() || is_codex {
            self.entries.push(entry(envelope, sort, offset, text.len(), line));
        }
    }

    fn push_untyped(&mut self, envelope: &Envelope<'_>, text: &str, offset: u64, line: usize) {
        if envelope.has_role && envelope.has_content {
            self.kinds.bare = true;
            self.messages += 1;
            self.entries.push(entry(envelope, Sort::Message, offset, text.len(), line));
        } else if envelope.has_messages {
            self.kinds.whole = true;
        } else if self.kinds.gemini {
            self.entries.push(entry(envelope, Sort::Other, offset, text.len(), line));
        } else {
            self.problems.add("bad-line", "a line of the transcript is no record", line);
        }
    }

    fn note_kind(&mut self, kind: &str, envelope: &Envelope<'_>, line: usize) {
        let is_codex = matches!(kind, "session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted");
        let is_gemini = matches!(kind, "user" | "gemini" | "info" | "error" | "warning");
        let has_envelope = envelope.uuid.is_some() || envelope.session.is_some() || envelope.has_leaf;
        self.kinds.codex |= is_codex && envelope.has_payload;
        self.kinds.claude |= is_known(kind) && has_envelope;
        self.kinds.gemini |= is_gemini && envelope.has_id && envelope.has_content && !has_envelope;
        if !(is_known(kind) || is_codex || is_gemini && envelope.has_id) {
            self.problems.add("unknown-record", "records of a type that is not known here", line);
        }
    }

    /// Forgets what lies before a root; of what a compaction carried over, all is kept.
    fn forget(&mut self, is_boundary: bool) {
        if self.entries.is_empty() {
            return;
        }
        self.is_forgetful = true;
        if !is_boundary {
            self.entries.clear();
            return;
        }
        let kept = crate::thread::carried(&self.entries, &self.carried);
        let mut kept = kept.into_iter().peekable();
        let mut at = 0;
        self.entries.retain(|_| {
            let is_kept = kept.next_if_eq(&at).is_some();
            at += 1;
            is_kept
        });
    }
}

/// Whether a new tree begins here: what was before can only come back when a later record hangs on it.
fn is_root(envelope: &Envelope<'_>, sort: Sort) -> bool {
    sort == Sort::Boundary || sort == Sort::Message && envelope.is_root && !envelope.is_sidechain
}

fn entry(envelope: &Envelope<'_>, sort: Sort, offset: u64, length: usize, line: usize) -> Entry {
    Entry {
        offset,
        length,
        line,
        sort,
        uuid: envelope.uuid,
        parent: envelope.parent,
        is_sidechain: envelope.is_sidechain,
        is_summary: envelope.is_summary,
        answer: envelope.answer,
        tools: envelope.tools.as_slice().into(),
    }
}

fn note_last(last: &mut Option<String>, text: Option<&str>) {
    if let Some(text) = text.filter(|text| last.as_deref() != Some(*text)) {
        *last = Some(text.to_owned());
    }
}

fn carried(text: &str) -> Carried {
    let record = json::object(text).unwrap_or_default();
    let Some(metadata) = record.get("compactMetadata").and_then(json::object) else { return Carried::default() };
    if let Some(kept) = metadata.get("preservedMessages").and_then(json::object) {
        let uuids = kept.get("uuids").and_then(json::list).unwrap_or_default();
        let uuids = uuids.into_iter().filter_map(json::string).map(|uuid| id(&uuid)).collect();
        return Carried { uuids, segment: None };
    }
    let segment = metadata.get("preservedSegment").and_then(json::object).unwrap_or_default();
    let ends = segment.text("headUuid").zip(segment.text("tailUuid"));
    Carried { uuids: Vec::new(), segment: ends.map(|(head, tail)| (id(&head), id(&tail))) }
}

/// NUL bytes stand before or behind a record, where a block of the disk was not written.
fn without_padding(bytes: &[u8]) -> std::ops::Range<usize> {
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(start, |last| last + 1);
    start..end
}

/// Finds where another record may begin behind a damaged one.
fn next_record(text: &str, from: usize) -> Option<&str> {
    let rest = text.get(from + 1..)?;
    let at = ["{\"parentUuid\":", "{\"type\":\"user\"", "{\"type\":\"assistant\""]
        .iter()
        .filter_map(|opening| rest.find(opening))
        .min()?;
    Some(&rest[at..])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const USER: &str = r#"{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":"hi"}}"#;
    const ANSWER: &str =
        r#"{"parentUuid":"a","type":"assistant","uuid":"b","message":{"role":"assistant","content":"yo"}}"#;

    fn check(bytes: &[u8], uuids: &[&str], troubles: &[(&str, usize)]) {
        let survey = survey_all(bytes).unwrap();
        let found: Vec<_> = survey.entries.iter().map(|entry| entry.uuid.unwrap()).collect();
        assert_eq!(found, uuids.iter().map(|uuid| id(uuid)).collect::<Vec<_>>());
        for entry in &survey.entries {
            let text = &bytes[entry.offset as usize..][..entry.length];
            assert!(json::object(std::str::from_utf8(text).unwrap()).is_some());
        }
        let problems = survey.problems.finish();
        let met: Vec<_> = problems.iter().map(|problem| (problem.message, problem.places[0])).collect();
        assert_eq!(met, troubles);
    }

    #[test]
    fn half_a_last_line_costs_only_itself() {
        let file = format!("{USER}\n{ANSWER}\n{}", &USER[..40]);
        check(file.as_bytes(), &["a", "b"], &[("a line of the transcript is no JSON", 3)]);
    }

    #[test]
    fn two_objects_on_a_line_are_both_used() {
        let file = format!("{USER}{ANSWER}\n");
        check(file.as_bytes(), &["a", "b"], &[("several objects on one line of the transcript", 1)]);
    }

    #[test]
    fn a_record_behind_half_a_record_is_used() {
        let file = format!("{}{ANSWER}\n", &USER[..40]);
        check(file.as_bytes(), &["b"], &[("a line of the transcript is no JSON", 1)]);
    }

    #[test]
    fn nul_bytes_are_taken_off() {
        let file = format!("\0\0\0{USER}\n\0\0\n{ANSWER}\0\n");
        check(file.as_bytes(), &["a", "b"], &[("NUL bytes in a line of the transcript", 1)]);
    }

    #[test]
    fn only_a_newline_ends_a_line() {
        let file = format!("\u{feff}{}\r\n\n", USER.replace("hi", "h\u{2028}i\u{85}"));
        check(file.as_bytes(), &["a"], &[]);
    }

    #[test]
    fn lists_numbers_and_bytes_that_are_no_text_are_counted() {
        check(b"[1,2]\n", &[], &[("a line of the transcript is no record", 1)]);
        check(b"12\n", &[], &[("a line of the transcript is no JSON", 1)]);
        check(b"{\"type\":\"\xff\"}\n", &[], &[("a line of the transcript is no UTF-8", 1)]);
    }

    #[test]
    fn a_deeply_nested_line_does_no_harm() {
        let deep = format!("{{\"type\":\"user\",\"x\":{}\n{USER}", "[".repeat(200_000));
        check(deep.as_bytes(), &["a"], &[("a line of the transcript is no JSON", 1)]);
    }

    #[test]
    fn what_lies_before_the_last_root_is_forgotten() {
        let file = format!("{USER}\n{ANSWER}\n").repeat(50);
        assert_eq!(survey(file.as_bytes()).unwrap().entries.len(), 2);
        assert_eq!(survey(file.as_bytes()).unwrap().messages, 100);
    }
}
