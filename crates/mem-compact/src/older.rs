//! Reads the part of a session file that lies before the agent's own compactions: what is no longer live.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use mem_transcript::{SessionFile, read_session};

use crate::circuit::{REFILLS, SOON};

/// Most compactions of one file that are looked behind.
const MOST: usize = 64;
/// How a line looks that marks a compaction.
const MARK: &[u8] = b"\"compact_boundary\"";

/// Returns the conversation as it was before each compaction in the file, the last one first.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn before_compactions(file: &mut (impl Read + Seek)) -> io::Result<Vec<SessionFile>> {
    let offsets = boundaries(file)?;
    offsets
        .into_iter()
        .rev()
        .take(MOST)
        .map(|end| read_session(Part { file: &mut *file, start: 0, at: 0, end }))
        .collect()
}

/// Returns the conversation as it was before the last compaction in the file, if there is one.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn before_last_compaction(file: &mut (impl Read + Seek)) -> io::Result<Option<SessionFile>> {
    let last = boundaries(file)?.pop();
    last.map(|end| read_session(Part { file, start: 0, at: 0, end })).transpose()
}

/// Returns how often in a row, up to the last one, the agent had to compact by itself within a few turns of the compaction
/// before.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn refills(file: &mut (impl Read + Seek)) -> io::Result<u32> {
    let end = file.seek(SeekFrom::End(0))?;
    let offsets = boundaries_from(file, end.saturating_sub(NEAR))?;
    let mut refills = 0;
    let mut is_manual = read_part(file, *offsets.last().unwrap_or(&end), end)?.is_manual;
    for pair in offsets.windows(2).rev().take(REFILLS as usize) {
        let part = read_part(file, pair[0], pair[1])?;
        if is_manual || part.turns > SOON {
            break;
        }
        refills += 1;
        is_manual = part.is_manual;
    }
    Ok(refills)
}

/// So many bytes at the end of a file are looked at for compactions that came soon after each other.
const NEAR: u64 = 64 << 20;

/// What lies between two compactions.
struct Between {
    /// How often the user typed.
    turns: usize,
    /// Whether the compaction at its start was asked for.
    is_manual: bool,
}

fn read_part(file: &mut (impl Read + Seek), start: u64, end: u64) -> io::Result<Between> {
    let session = read_session(Part { file, start, at: start, end })?;
    let transcript = session.transcript();
    let turns = mem_transcript::turns(&transcript.messages);
    let trigger = transcript.boundary.and_then(|boundary| boundary.trigger);
    Ok(Between {
        turns: turns.iter().filter(|turn| turn.typed.is_some()).count(),
        is_manual: trigger.as_deref() == Some("manual"),
    })
}

/// Returns where the lines start that mark compactions.
fn boundaries(file: &mut (impl Read + Seek)) -> io::Result<Vec<u64>> {
    boundaries_from(file, 0)
}

fn boundaries_from(file: &mut (impl Read + Seek), from: u64) -> io::Result<Vec<u64>> {
    file.seek(SeekFrom::Start(from))?;
    let mut lines = BufReader::with_capacity(256 * 1024, file);
    let (mut offsets, mut start, mut line) = (Vec::new(), from, Vec::new());
    loop {
        line.clear();
        let length = lines.read_until(b'\n', &mut line)?;
        if length == 0 {
            return Ok(offsets);
        }
        if memchr::memmem::find(&line, MARK).is_some() {
            offsets.push(start);
        }
        start += length as u64;
    }
}

/// A part of a file, as if it were a whole one.
struct Part<'f, F> {
    file: &'f mut F,
    start: u64,
    at: u64,
    end: u64,
}

impl<F: Read + Seek> Read for Part<'_, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let wanted = buffer.len().min(left);
        self.file.seek(SeekFrom::Start(self.at))?;
        let length = self.file.read(&mut buffer[..wanted])?;
        self.at += length as u64;
        Ok(length)
    }
}

impl<F: Read + Seek> Seek for Part<'_, F> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let from = |base: u64, by: i64| base.checked_add_signed(by).ok_or(io::ErrorKind::InvalidInput);
        self.at = match to {
            SeekFrom::Start(at) => self.start.saturating_add(at),
            SeekFrom::Current(by) => from(self.at, by)?.max(self.start),
            SeekFrom::End(by) => from(self.end, by)?.max(self.start),
        };
        Ok(self.at - self.start)
    }
}
