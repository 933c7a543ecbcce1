//! Cuts a session file into lines while it is read, so that no more of it is held than one line.

use std::io::{self, Read};

/// How much is read at once.
const BLOCK: usize = 256 * 1024;
/// A line beyond this size is passed over: it holds no message that a model ever saw.
const LONGEST_LINE: usize = 256 * 1024 * 1024;

/// One line, without its newline.
pub(crate) struct Line<'b> {
    pub bytes: &'b [u8],
    /// Where it starts in the file.
    pub offset: u64,
    /// Counted from 1.
    pub number: usize,
    /// Whether it was longer than can be held; then there are no bytes.
    pub is_too_long: bool,
}

/// The lines of a source. Only `\n` ends a line: U+2028 may stand in a text.
pub(crate) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    /// The part of the buffer that is filled and not given out.
    start: usize,
    end: usize,
    /// Where in the buffer no newline was found yet.
    scanned: usize,
    /// Where the buffer's first byte stands in the file.
    offset: u64,
    number: usize,
    is_over: bool,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(source: R) -> Self {
        let buffer = vec![0; BLOCK];
        Lines { source, buffer, start: 0, end: 0, scanned: 0, offset: 0, number: 0, is_over: false }
    }

    /// Returns the next line.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let mut dropped = false;
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[self.scanned..self.end]) {
                let end = self.scanned + at;
                return Ok(Some(self.give(end, end + 1, dropped)));
            }
            self.scanned = self.end;
            if self.is_over {
                let is_nothing = self.start == self.end && !dropped;
                return Ok((!is_nothing).then(|| self.give(self.end, self.end, dropped)));
            }
            self.make_room(&mut dropped);
            self.fill()?;
        }
    }

    fn give(&mut self, end: usize, next: usize, is_too_long: bool) -> Line<'_> {
        self.number += 1;
        let start = std::mem::replace(&mut self.start, next);
        self.scanned = next;
        let offset = self.offset + start as u64;
        let bytes = if is_too_long { &[][..] } else { &self.buffer[start..end] };
        Line { bytes, offset, number: self.number, is_too_long }
    }

    fn make_room(&mut self, dropped: &mut bool) {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.offset += self.start as u64;
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            if self.buffer.len() >= LONGEST_LINE {
                *dropped = true;
                self.offset += self.end as u64;
                self.end = 0;
            } else {
                self.buffer.resize(self.buffer.len() * 2, 0);
            }
        }
        self.scanned = self.end;
    }

    fn fill(&mut self) -> io::Result<()> {
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(read) => {
                    self.end += read;
                    self.is_over = read == 0;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(text: &str, expected: &[(&str, u64)]) {
        let mut lines = Lines::new(text.as_bytes());
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push((String::from_utf8(line.bytes.to_vec()).unwrap(), line.offset));
        }
        let found: Vec<_> = found.iter().map(|(text, offset)| (text.as_str(), *offset)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_know_where_they_start() {
        check("a\nbc\n\nd", &[("a", 0), ("bc", 2), ("", 5), ("d", 6)]);
        check("", &[]);
        check("a\u{2028}b\r\n", &[("a\u{2028}b\r", 0)]);
    }

    #[test]
    fn a_line_longer_than_a_block_is_whole() {
        let long = "x".repeat(BLOCK * 3 + 7);
        check(&format!("a\n{long}\nb"), &[("a", 0), (&long, 2), ("b", long.len() as u64 + 3)]);
    }
}
