//! Takes documents from a stream of bytes: one a line, or one behind the other over any number of lines.

use std::collections::VecDeque;
use std::io::{self, Read};

use mem_types::document::NoDocument;
use mem_types::scan::{Fault, Scan, Scanner, is_blank};
use mem_types::{Document, Failure};

use crate::buffer::Buffer;

/// Bytes asked for at first; doubled while a document is not complete.
const FIRST_READ: usize = 128 * 1024;
/// Most bytes asked for at once: few enough that they are still in the processor's cache when they are scanned.
const LARGEST_READ: usize = 512 * 1024;
/// Most bytes set aside for a file at once; a longer one may hold many documents.
const LARGEST_RESERVE: u64 = 256 * 1024 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One item of the input.
#[derive(Debug)]
pub enum Item {
    /// A document.
    Document(Box<Document>),
    /// Bytes that are none, and why.
    Bad(Failure),
}

/// The documents of a stream.
pub struct Documents<R> {
    reader: R,
    buffer: Buffer,
    /// Where the document that is being read starts in the buffer.
    start: usize,
    /// Whether only white space stands before `start` on its line.
    is_at_line_start: bool,
    scanner: Scanner,
    is_at_end: bool,
    is_stopped: bool,
    /// Whether each line stands for itself, since one was cut short.
    is_by_line: bool,
    is_first_read: bool,
    read_size: usize,
    line: u64,
    ready: VecDeque<Item>,
}

impl<R: Read> Documents<R> {
    /// Returns the documents of a file of `length` bytes.
    pub fn of_file(reader: R, length: u64) -> Self {
        let room = usize::try_from(length.min(LARGEST_RESERVE)).unwrap_or(0) + FIRST_READ;
        Self { buffer: Buffer::for_file(room), ..Self::new(reader) }
    }

    /// Returns the documents that `reader` brings, as they come.
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: Buffer::new(),
            start: 0,
            is_at_line_start: true,
            scanner: Scanner::new(),
            is_at_end: false,
            is_stopped: false,
            is_by_line: false,
            is_first_read: true,
            read_size: FIRST_READ,
            line: 1,
            ready: VecDeque::new(),
        }
    }

    /// Whether the next document would have to be waited for, so that what was written should be flushed.
    pub fn would_wait(&mut self) -> bool {
        self.ready.is_empty()
            && !self.is_at_end
            && self.scanner.advance(&self.buffer.bytes()[self.start..]) == Scan::More
    }

    /// Returns the next document, or nothing at the end of the input.
    ///
    /// # Errors
    /// When reading fails.
    pub fn next_item(&mut self) -> io::Result<Option<Item>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Ok(Some(item));
            }
            if self.is_stopped {
                return Ok(None);
            }
            if self.is_first_read {
                self.skip_byte_order_mark()?;
            }
            let end = self.limit();
            match self.scanner.advance(&self.buffer.bytes()[self.start..end]) {
                Scan::Done(end) => return Ok(Some(self.take(end))),
                Scan::Bad(fault) => self.resume_after(fault),
                Scan::More if !self.is_at_end => {
                    if self.scanner.is_blank() {
                        self.forget_blanks();
                    }
                    self.read_more()?;
                }
                Scan::More => self.finish(),
            }
        }
    }

    fn read_more(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.buffer.drop_front(self.start);
            self.start = 0;
        }
        let read = self.buffer.read_from(&mut self.reader, self.read_size)?;
        self.is_at_end = read == 0;
        self.read_size = if read == self.read_size { (self.read_size * 2).min(LARGEST_READ) } else { self.read_size };
        Ok(())
    }

    fn skip_byte_order_mark(&mut self) -> io::Result<()> {
        let is_part = |bytes: &[u8]| BYTE_ORDER_MARK.starts_with(bytes) && bytes != BYTE_ORDER_MARK;
        while is_part(self.buffer.bytes()) && !self.is_at_end {
            self.read_more()?;
        }
        self.is_first_read = false;
        if self.buffer.bytes().starts_with(BYTE_ORDER_MARK) {
            self.start = BYTE_ORDER_MARK.len();
        }
        Ok(())
    }

    /// Drops white space that stands before the next document, so that an idle stream keeps no memory.
    fn forget_blanks(&mut self) {
        let blanks = &self.buffer.bytes()[self.start..];
        self.line += count_lines(blanks);
        self.is_at_line_start |= blanks.contains(&b'\n');
        self.start = self.buffer.bytes().len();
        self.scanner = Scanner::new();
    }

    /// Takes the document that ends at `end`, counted from `start`.
    fn take(&mut self, end: usize) -> Item {
        let lines = self.scanner.line_breaks();
        let members = std::mem::take(&mut self.scanner).into_members();
        let end = self.start + end;
        let before = self.buffer.bytes().len();
        let source = self.buffer.take(self.start, end);
        // Either the front of the buffer went with the document, or it was copied and is passed over.
        self.start = if self.buffer.bytes().len() == before { end } else { 0 };
        self.is_at_line_start = false;
        self.read_size = FIRST_READ;
        let line = self.line;
        self.line += lines;
        match Document::from_scan(source, members) {
            Ok(document) => Item::Document(Box::new(document)),
            Err(error) => Item::Bad(bad(error, line)),
        }
    }

    /// Decides where the stream goes on after a fault: behind a bad line, or not at all.
    fn resume_after(&mut self, fault: Fault) {
        let line_end = self.read_line_end(fault.offset);
        let text = &self.buffer.bytes()[self.start..];
        let document_start = blank_length(text);
        let is_at_line_start = self.is_at_line_start || text[..document_start].contains(&b'\n');
        let before = &text[document_start..fault.offset.max(document_start)];
        if !is_at_line_start {
            self.stop(document_start, fault);
        } else if !before.contains(&b'\n') {
            self.skip_to(line_end, document_start, fault);
        } else if let Some(next) = whole_line(text, document_start, fault.offset) {
            // The first line was cut short, and good ones were taken for its continuation.
            self.skip_to(next, document_start, fault);
        } else {
            self.stop(document_start, fault);
        }
    }

    /// Reads until the line that holds `offset` is there whole; returns where the next one begins.
    fn read_line_end(&mut self, offset: usize) -> usize {
        let mut searched = offset;
        loop {
            let text = &self.buffer.bytes()[self.start..];
            if let Some(length) = memchr::memchr(b'\n', &text[searched..]) {
                return searched + length + 1;
            }
            searched = text.len();
            // A read that fails ends the line here, and says so when the next document is asked for.
            if self.is_at_end || self.read_more().is_err() {
                return searched;
            }
        }
    }

    fn skip_to(&mut self, next: usize, document_start: usize, fault: Fault) {
        self.report(document_start, fault);
        self.line += count_lines(&self.buffer.bytes()[self.start..self.start + next]);
        self.start += next;
        self.is_at_line_start = true;
        self.scanner = Scanner::new();
    }

    fn stop(&mut self, document_start: usize, fault: Fault) {
        self.report(document_start, fault);
        self.is_stopped = true;
    }

    fn report(&mut self, document_start: usize, fault: Fault) {
        let line = self.line + count_lines(&self.buffer.bytes()[self.start..self.start + document_start]);
        self.ready.push_back(Item::Bad(bad(
            NoDocument::Syntax(fault.offset.saturating_sub(document_start), fault.message),
            line,
        )));
    }

    /// The input ends within a document. It was cut short, or its first line was, and good lines followed.
    fn finish(&mut self) {
        let text = &self.buffer.bytes()[self.start..self.limit()];
        let document_start = blank_length(text);
        if document_start == text.len() {
            return self.pass_blanks(document_start);
        }
        let fault = Fault { offset: text.len(), message: "the input ends within a document" };
        if self.is_by_line {
            let line_end = self.read_line_end(fault.offset);
            return self.skip_to(line_end, document_start, fault);
        }
        match whole_line(text, document_start, text.len()) {
            Some(next) => {
                // From here on each line stands for itself: looking on to the end for every cut line takes too long.
                self.is_by_line = true;
                self.skip_to(next, document_start, fault);
            }
            None => self.stop(document_start, fault),
        }
    }

    /// Returns the end of the bytes in which the next document is looked for.
    fn limit(&self) -> usize {
        let bytes = self.buffer.bytes();
        if !self.is_by_line {
            return bytes.len();
        }
        let from = self.start + blank_length(&bytes[self.start..]);
        memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |length| from + length)
    }

    fn pass_blanks(&mut self, count: usize) {
        self.start += count;
        self.scanner = Scanner::new();
        self.is_stopped = self.start == self.buffer.bytes().len();
    }
}

/// Returns where the first line behind the one at `start`, and up to `last`, begins that is a document by itself.
fn whole_line(text: &[u8], start: usize, last: usize) -> Option<usize> {
    let starts = memchr::memchr_iter(b'\n', &text[start..]).map(|place| start + place + 1);
    starts.take_while(|&next| next <= last).find(|&next| {
        let line_end = memchr::memchr(b'\n', &text[next..]).map_or(text.len(), |length| next + length);
        let line = &text[next..line_end];
        line.first() == Some(&b'{')
            && matches!(Scanner::new().advance(line), Scan::Done(end) if line[end..].iter().all(|&byte| is_blank(byte)))
    })
}

/// Returns how many bytes at the start are white space between JSON tokens.
fn blank_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|&byte| !is_blank(byte)).unwrap_or(bytes.len())
}

fn count_lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn bad(error: NoDocument, line: u64) -> Failure {
    match error {
        NoDocument::Encoding(offset) => {
            Failure::new("bad-encoding", format!("line {line}: byte {offset} of the document is not UTF-8"))
                .with_hint("give the document in UTF-8")
        }
        NoDocument::Syntax(offset, message) => {
            Failure::new("bad-json", format!("line {line}: no document: {message} (byte {offset})"))
                .with_hint("give JSON objects, one a line or one behind the other")
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Gives a few bytes at a time, as a slow pipe does.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    fn check(input: &[u8], expected: &[&str]) {
        for step in [1, 2, 7, 1 << 20] {
            let reader = Slow(input, step);
            let mut documents = if step == 7 { Documents::of_file(reader, 3) } else { Documents::new(reader) };
            let mut found = Vec::new();
            while let Some(item) = documents.next_item().unwrap() {
                documents.would_wait();
                found.push(match item {
                    Item::Document(document) => document.to_line(),
                    Item::Bad(failure) => {
                        format!("{} {}", failure.code, failure.message.split(':').next().unwrap_or_default())
                    }
                });
            }
            assert_eq!(found, expected, "{:?} in steps of {step}", String::from_utf8_lossy(input));
        }
    }

    #[test]
    fn documents_come_one_a_line_concatenated_or_over_many_lines() {
        check(b"", &[]);
        check(b" \n\n", &[]);
        check(b"{\"a\":1}\n{\"b\":2}", &["{\"a\":1}", "{\"b\":2}"]);
        check(b"{\"a\":1}{\"b\":2} {}\n", &["{\"a\":1}", "{\"b\":2}", "{}"]);
        check(b"\xef\xbb\xbf{\n \"a\": [\n 1\n ]\n}\n\n{\n}\n", &["{\"a\":[1]}", "{}"]);
    }

    #[test]
    fn a_bad_line_is_reported_and_the_stream_goes_on() {
        check(b"{\"a\":1}\nrubbish\n{\"b\":2}\n", &["{\"a\":1}", "bad-json line 2", "{\"b\":2}"]);
        check(b"rubbish\n{\"b\":2}\n", &["bad-json line 1", "{\"b\":2}"]);
        check(b"{\"a\":1\n{\"b\":2}\n", &["bad-json line 1", "{\"b\":2}"]);
        check(b"{\"a\":\"x\n{\"b\":2}\n", &["bad-json line 1", "{\"b\":2}"]);
        check(b"{\"a\":[1,\n{\"b\":2}\n", &["bad-json line 1", "{\"b\":2}"]);
        check(b"{\"a\":[1,\n{\"b\":2}\n{\"c\":3}\n", &["bad-json line 1", "{\"b\":2}", "{\"c\":3}"]);
        check(
            b"{\"a\":[\n{\"b\":1}\n,\n{\"c\":\n{\"d\":1}\n",
            &["bad-json line 1", "{\"b\":1}", "bad-json line 3", "bad-json line 4", "{\"d\":1}"],
        );
        check(b"\x0c{\"a\":1}\n{\"b\":2}\n", &["bad-json line 1", "{\"b\":2}"]);
        check(b"[1]\n42\n{}\n", &["bad-json line 1", "bad-json line 2", "{}"]);
        check(b"{\"a\":1}\n{\"b\"", &["{\"a\":1}", "bad-json line 2"]);
    }

    #[test]
    fn a_fault_in_concatenated_input_ends_the_run() {
        check(b"{\"a\":1} x {\"b\":2}\n{\"c\":3}", &["{\"a\":1}", "bad-json line 1"]);
        check(b"{\n\"a\": 1\n\"b\": 2\n}\n{\"c\":3}", &["bad-json line 1"]);
    }

    #[test]
    fn bytes_that_are_not_utf8_fail_only_their_document() {
        check(b"{\"a\":\"\xff\"}\n{\"b\":2}\n", &["bad-encoding line 1", "{\"b\":2}"]);
    }

    #[test]
    fn many_cut_lines_take_no_longer_than_their_number() {
        let input = b"{\"a\":[\n{\"b\":1}\n,\n".repeat(20_000);
        let mut documents = Documents::new(input.as_slice());
        let mut count = 0;
        while documents.next_item().unwrap().is_some() {
            count += 1;
        }
        assert_eq!(count, 60_000);
    }

    #[test]
    fn an_idle_stream_keeps_nothing() {
        let input = [vec![b'\n'; 1 << 20], b"{}".to_vec()].concat();
        let mut documents = Documents::new(Slow(&input, 4096));
        assert!(documents.next_item().unwrap().is_some());
        assert!(documents.buffer.bytes().len() < 1 << 19);
    }
}
