//! The live part of a session file, held as bytes, with an account of the rest.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use crate::problem::{Problem, Problems};
use crate::survey::{self, Entry, Survey};
use crate::thread::{self, Thread};
use crate::transcript::{Format, Transcript};
use crate::{codex, gemini, openai};

/// A file that is one JSON text is read up to this size: all of it is in memory at once.
const MOST_BYTES: u64 = 512 * 1024 * 1024;

/// The live part of a session file. The messages are read from it by [`SessionFile::transcript`].
#[derive(Debug, Default)]
pub struct SessionFile {
    /// Who wrote it.
    pub format: Format,
    /// How many records the file holds.
    pub records: usize,
    /// How many compactions the file holds.
    pub compactions: usize,
    /// Messages on branches that were left, or before the compaction.
    pub dead: usize,
    /// Messages of subagents that stand in the file of the main agent. They are not among the messages.
    pub sidechain: usize,
    /// The subagent whose own file this is.
    pub subagent: Option<String>,
    /// The session that the last record belongs to.
    pub session: Option<String>,
    /// Lines that could not be read, by kind.
    pub problems: Vec<Problem>,
    /// The live records, each with the number of its line; those of other agents as ours would be.
    pub(crate) text: String,
    pub(crate) lines: Vec<(Range<usize>, usize)>,
    pub(crate) boundary: Option<Range<usize>>,
}

/// Reads the live part of a session file of any agent that is known here. It holds no more of it than that.
///
/// # Errors
/// When the source cannot be read. What is damaged in it is among the problems.
pub fn read_session(mut source: impl Read + Seek) -> io::Result<SessionFile> {
    let mut survey = survey::survey(&mut source)?;
    if survey.may_be_one_text()
        && let Some(file) = one_text(&mut source, &survey)?
    {
        return Ok(file);
    }
    match survey.format() {
        Format::ClaudeCode => {}
        Format::Codex | Format::Gemini | Format::Messages => return foreign(&mut source, survey),
        Format::Empty | Format::Unknown => return Ok(unknown(survey)),
    }
    let mut thread = live_thread(&survey);
    if thread.has_gap && survey.is_forgetful {
        source.seek(SeekFrom::Start(0))?;
        survey = survey::survey_all(&mut source)?;
        thread = live_thread(&survey);
    }
    claude_code(&mut source, survey, &thread)
}

/// The same for a file that is in memory.
pub fn read_session_bytes(bytes: &[u8]) -> SessionFile {
    read_session(io::Cursor::new(bytes)).unwrap_or_default()
}

impl SessionFile {
    /// Returns the live messages.
    #[must_use]
    pub fn transcript(&self) -> Transcript<'_> {
        Transcript::of(self)
    }
}

/// In a subagent's own file every message is on the side.
fn is_subagent(survey: &Survey) -> bool {
    survey.sidechain > 0 && survey.sidechain == survey.messages
}

fn live_thread(survey: &Survey) -> Thread {
    thread::live(survey, is_subagent(survey))
}

fn claude_code(source: &mut (impl Read + Seek), survey: Survey, thread: &Thread) -> io::Result<SessionFile> {
    let is_subagent = is_subagent(&survey);
    let is_message = |at: &&usize| survey.entries[**at].sort == survey::Sort::Message;
    let messages: Vec<usize> = thread.live.iter().filter(is_message).copied().collect();
    let wanted: Vec<usize> = thread.boundary.into_iter().chain(messages.iter().copied()).collect();
    let (text, ranges) = read_entries(source, &survey.entries, &wanted)?;
    let boundary = thread.boundary.map(|_| ranges[0].clone());
    let ranges = ranges.into_iter().skip(usize::from(boundary.is_some()));
    let lines = ranges.zip(messages.iter().map(|at| survey.entries[*at].line)).collect();
    let aside = if is_subagent { 0 } else { survey.sidechain };
    Ok(SessionFile {
        format: Format::ClaudeCode,
        dead: (survey.messages - aside).saturating_sub(messages.len()),
        sidechain: aside,
        subagent: is_subagent.then(|| survey.agent.clone().unwrap_or_default()),
        text,
        lines,
        boundary,
        ..account(survey)
    })
}

fn account(survey: Survey) -> SessionFile {
    SessionFile {
        format: survey.format(),
        records: survey.records,
        compactions: survey.compactions,
        session: survey.session,
        problems: survey.problems.finish(),
        ..SessionFile::default()
    }
}

fn unknown(mut survey: Survey) -> SessionFile {
    if survey.format() == Format::Unknown {
        survey.problems.add("unknown-transcript", "the transcript is of no agent that is known here", 1);
    }
    account(survey)
}

/// Reads the records at these places, in the order of the list; from the file in the order of the file.
fn read_entries(
    source: &mut (impl Read + Seek),
    entries: &[Entry],
    wanted: &[usize],
) -> io::Result<(String, Vec<Range<usize>>)> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&position| entries[wanted[position]].offset);
    let mut ranges = vec![0..0; wanted.len()];
    let mut bytes = Vec::new();
    for position in order {
        let entry = &entries[wanted[position]];
        let start = bytes.len();
        bytes.resize(start + entry.length, 0);
        source.seek(SeekFrom::Start(entry.offset))?;
        source.read_exact(&mut bytes[start..])?;
        ranges[position] = start..bytes.len();
    }
    // A file that somebody writes to while it is read may hold other bytes by now.
    match String::from_utf8(bytes) {
        Ok(text) => Ok((text, ranges)),
        Err(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "it changed while it was read")),
    }
}

/// Reads a file of another agent that has a record a line: each becomes one of ours.
fn foreign(source: &mut (impl Read + Seek), survey: Survey) -> io::Result<SessionFile> {
    let wanted: Vec<usize> = (0..survey.entries.len()).collect();
    let (text, ranges) = read_entries(source, &survey.entries, &wanted)?;
    let numbers: Vec<usize> = survey.entries.iter().map(|entry| entry.line).collect();
    let records = ranges.into_iter().map(|range| &text[range]).zip(numbers);
    let total = survey.messages;
    let (format, is_forgetful) = (survey.format(), survey.is_forgetful);
    let mut file = account(survey);
    let converted: Vec<(String, usize)> = match format {
        Format::Codex => codex::records(records),
        Format::Gemini => gemini::lines(records),
        _ => openai::records(records),
    };
    take_converted(&mut file, converted);
    if !is_forgetful && format != Format::Codex {
        file.dead = total.saturating_sub(file.lines.len()).min(total);
    }
    Ok(file)
}

fn take_converted(file: &mut SessionFile, converted: Vec<(String, usize)>) {
    for (record, line) in converted {
        let start = file.text.len();
        file.text.push_str(&record);
        file.lines.push((start..file.text.len(), line));
    }
}

/// Reads a file that is one JSON text: a checkpoint, or a list of messages.
fn one_text(source: &mut (impl Read + Seek), survey: &Survey) -> io::Result<Option<SessionFile>> {
    let size = source.seek(SeekFrom::End(0))?;
    source.seek(SeekFrom::Start(0))?;
    let mut text = String::new();
    if size > MOST_BYTES || source.read_to_string(&mut text).is_err() {
        return Ok(None);
    }
    let text = text.trim_start_matches('\u{feff}').trim();
    let (format, converted) = match gemini::checkpoint(text) {
        Some(converted) => (Format::Gemini, converted),
        None => match openai::list(text) {
            Some(converted) => (Format::Messages, converted),
            None => return Ok(None),
        },
    };
    let mut file = SessionFile { format, records: 1, problems: Problems::default().finish(), ..SessionFile::default() };
    file.session = crate::json::object(text).and_then(|members| members.text("sessionId").map(Into::into));
    file.compactions = survey.compactions;
    take_converted(&mut file, converted);
    Ok(Some(file))
}
