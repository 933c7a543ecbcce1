//! Writes what is printed to stdout, and notices when the reader has left.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::fd::AsFd;

use crate::formats::Printed;

/// stdout, without the line buffering of the standard library, which would cut a large document into lines.
pub struct Output {
    writer: BufWriter<File>,
}

/// Whether the reader is still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// More can be written.
    Here,
    /// The pipe is closed: no error, only the end.
    Gone,
}

impl Output {
    /// Opens stdout.
    ///
    /// # Errors
    /// When stdout is closed.
    pub fn open() -> io::Result<Self> {
        let stdout = io::stdout().as_fd().try_clone_to_owned()?;
        Ok(Self { writer: BufWriter::with_capacity(64 * 1024, File::from(stdout)) })
    }

    /// Writes one answer.
    ///
    /// # Errors
    /// When writing fails for another reason than a closed pipe.
    pub fn write(&mut self, printed: &Printed) -> io::Result<Reader> {
        let written = match printed {
            Printed::Line(document) => document.write_to(&mut self.writer).and_then(|()| self.writer.write_all(b"\n")),
            Printed::Bytes(bytes) => self.writer.write_all(bytes),
        };
        gone_or(written)
    }

    /// Sends what was written on its way.
    ///
    /// # Errors
    /// As [`Output::write`].
    pub fn flush(&mut self) -> io::Result<Reader> {
        gone_or(self.writer.flush())
    }
}

fn gone_or(written: io::Result<()>) -> io::Result<Reader> {
    match written {
        Ok(()) => Ok(Reader::Here),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(error) => Err(error),
    }
}
