//! The bytes that have been read and not yet become documents.
//!
//! A large file is read into memory of its own, for which the system is asked for large pages: a fault for each of
//! 12,000 small ones costs more than reading 48 MB.

use std::io::{self, Read};
use std::sync::Arc;

use mem_types::document::Source;
use memmap2::{Advice, MmapMut};

/// A shorter file is not worth pages of its own.
const LEAST_MAPPED: usize = 4 * 1024 * 1024;

/// Bytes in order; read at the end, taken from the front.
pub struct Buffer {
    memory: Memory,
}

enum Memory {
    Heap(Vec<u8>),
    /// The pages, and how many bytes of them are filled.
    Pages(MmapMut, usize),
}

/// Pages that have become a document's source.
struct Filled {
    pages: MmapMut,
    length: usize,
}

impl AsRef<[u8]> for Filled {
    fn as_ref(&self) -> &[u8] {
        &self.pages[..self.length]
    }
}

impl Buffer {
    /// Returns an empty buffer for input of unknown length.
    pub fn new() -> Self {
        Self { memory: Memory::Heap(Vec::new()) }
    }

    /// Returns an empty buffer with room for so many bytes of a file.
    pub fn for_file(room: usize) -> Self {
        let pages = (room >= LEAST_MAPPED).then(|| MmapMut::map_anon(room).ok()).flatten();
        let Some(pages) = pages else { return Self { memory: Memory::Heap(Vec::with_capacity(room)) } };
        // Where the system has no large pages, small ones do.
        #[cfg(target_os = "linux")]
        let _ = pages.advise(Advice::HugePage);
        Self { memory: Memory::Pages(pages, 0) }
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.memory {
            Memory::Heap(bytes) => bytes,
            Memory::Pages(pages, length) => &pages[..*length],
        }
    }

    /// Takes so many bytes off the front.
    pub fn drop_front(&mut self, count: usize) {
        match &mut self.memory {
            Memory::Heap(bytes) => drop(bytes.drain(..count)),
            Memory::Pages(pages, length) => {
                pages.copy_within(count..*length, 0);
                *length -= count;
            }
        }
    }

    /// Reads once, at most so many bytes; 0 is the end of the input.
    ///
    /// # Errors
    /// When reading fails.
    pub fn read_from(&mut self, reader: &mut impl Read, most: usize) -> io::Result<usize> {
        if let Memory::Pages(pages, length) = &mut self.memory {
            if *length < pages.len() {
                let end = pages.len().min(*length + most);
                let read = read_once(reader, &mut pages[*length..end])?;
                *length += read;
                return Ok(read);
            }
            // The file has grown, or one document is larger than what was set aside.
            self.memory = Memory::Heap(pages.to_vec());
        }
        let Memory::Heap(bytes) = &mut self.memory else { return Ok(0) };
        let before = bytes.len();
        bytes.resize(before + most, 0);
        let read = read_once(reader, &mut bytes[before..]);
        bytes.truncate(before + *read.as_ref().unwrap_or(&0));
        read
    }

    /// Takes the first `end` bytes as the source of a document.
    ///
    /// When they are most of the buffer they are taken with their memory, and what stands behind them is copied.
    pub fn take(&mut self, start: usize, end: usize) -> Source {
        let length = self.bytes().len();
        if start > 0 || end <= length / 2 {
            return Arc::new(self.bytes()[start..end].to_vec());
        }
        let rest = self.bytes()[end..].to_vec();
        match std::mem::replace(&mut self.memory, Memory::Heap(rest)) {
            Memory::Heap(mut bytes) => {
                bytes.truncate(end);
                Arc::new(bytes)
            }
            Memory::Pages(pages, _) => Arc::new(Filled { pages, length: end }),
        }
    }
}

fn read_once(reader: &mut impl Read, room: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(room) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn bytes_come_out_as_they_went_in_wherever_they_are_kept() {
        for room in [10, LEAST_MAPPED] {
            let mut buffer = Buffer::for_file(room);
            let mut input: &[u8] = b"0123456789";
            while buffer.read_from(&mut input, 4).unwrap() > 0 {}
            buffer.drop_front(2);
            assert_eq!(buffer.bytes(), b"23456789");
            assert_eq!((*buffer.take(1, 3)).as_ref(), b"34");
            assert_eq!((*buffer.take(0, 6)).as_ref(), b"234567");
            assert_eq!(buffer.bytes(), b"89");
        }
    }

    #[test]
    fn a_file_that_is_longer_than_was_thought_is_read_whole() {
        let text = vec![b'x'; LEAST_MAPPED + 100];
        let mut buffer = Buffer::for_file(LEAST_MAPPED);
        let mut input: &[u8] = &text;
        while buffer.read_from(&mut input, 1 << 20).unwrap() > 0 {}
        assert_eq!(buffer.bytes(), text);
    }
}
