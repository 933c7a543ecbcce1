//! Reads the part of a session file that lies before the agent's own compactions: what is no longer live.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use mem_transcript::{SessionFile, read_session};

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
    offsets.into_iter().rev().take(MOST).map(|end| read_session(Prefix { file: &mut *file, at: 0, end })).collect()
}

/// Returns the conversation as it was before the last compaction in the file, if there is one.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn before_last_compaction(file: &mut (impl Read + Seek)) -> io::Result<Option<SessionFile>> {
    let last = boundaries(file)?.pop();
    last.map(|end| read_session(Prefix { file, at: 0, end })).transpose()
}

/// Returns where the lines start that mark compactions.
fn boundaries(file: &mut (impl Read + Seek)) -> io::Result<Vec<u64>> {
    file.seek(SeekFrom::Start(0))?;
    let mut lines = BufReader::with_capacity(256 * 1024, file);
    let (mut offsets, mut start, mut line) = (Vec::new(), 0, Vec::new());
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

/// The first bytes of a file.
struct Prefix<'f, F> {
    file: &'f mut F,
    at: u64,
    end: u64,
}

impl<F: Read + Seek> Read for Prefix<'_, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let wanted = buffer.len().min(left);
        self.file.seek(SeekFrom::Start(self.at))?;
        let length = self.file.read(&mut buffer[..wanted])?;
        self.at += length as u64;
        Ok(length)
    }
}

impl<F: Read + Seek> Seek for Prefix<'_, F> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let from = |base: u64, by: i64| base.checked_add_signed(by).ok_or(io::ErrorKind::InvalidInput);
        self.at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::Current(by) => from(self.at, by)?,
            SeekFrom::End(by) => from(self.end, by)?,
        };
        Ok(self.at)
    }
}
