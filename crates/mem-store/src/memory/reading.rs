//! Reads topic files beneath the held folder, side by side, no more of each than is asked for.

use std::fs::File;
use std::io;
use std::io::Read;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use mem_types::Problems;

use super::{Memory, Scan};
use crate::front_matter;
use crate::open::{self, O_NONBLOCK};

/// Most lines of a head: facts.md, Part B, section 4.
const HEAD_LINES: usize = 30;
/// Bytes in which nearly every head ends.
const FIRST_BYTES: usize = 4 * 1024;
/// Most bytes in which these lines are sought.
const HEAD_BYTES: usize = 16 * 1024;
/// Most bytes of one memory; a larger file is named and left out.
const MAX_BYTES: u64 = 1024 * 1024;
/// Fewer files than this are read faster than a thread is started for them.
const FILES_A_THREAD: usize = 100;
/// Most threads that read: what is waited for is the kernel, and it does not get faster with more.
const MOST_THREADS: usize = 4;

/// Reads parts of the list side by side; what comes back has the order of the list.
pub(super) fn in_parts<T: Send>(
    folder: &Path,
    files: &[String],
    scan: Scan,
    problems: &mut Problems,
    read: impl Fn(&mut Reader<'_>, &[String], &mut Problems) -> Vec<T> + Sync,
) -> Vec<T> {
    if files.is_empty() {
        return Vec::new();
    }
    let held = match Dir::open_ambient_dir(folder, ambient_authority()) {
        Ok(held) => held,
        Err(error) => {
            let message = format!("cannot read in a folder: {}", open::reason(&error));
            problems.warning("unreadable-folder", message).path(folder.to_string_lossy());
            return Vec::new();
        }
    };
    let threads = (files.len() / FILES_A_THREAD).clamp(1, MOST_THREADS);
    let (held, read) = (&held, &read);
    let read_part = move |part: &[String], problems: &mut Problems| {
        let mut reader = Reader { folder, held, scan, buffer: Vec::with_capacity(HEAD_BYTES) };
        read(&mut reader, part, problems)
    };
    let mut parts = files.chunks(files.len().div_ceil(threads));
    let first = parts.next().unwrap_or_default();
    std::thread::scope(|scope| {
        let others: Vec<_> = parts
            .map(|part| {
                let mut problems = problems.fresh();
                scope.spawn(move || (read_part(part, &mut problems), problems))
            })
            .collect();
        let mut all = read_part(first, problems);
        for other in others {
            let (found, found_problems) = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            all.extend(found);
            problems.extend(found_problems.into_entries());
        }
        all
    })
}

/// Reads one file after the other.
pub(super) struct Reader<'a> {
    folder: &'a Path,
    held: &'a Dir,
    scan: Scan,
    buffer: Vec<u8>,
}

impl Reader<'_> {
    /// Returns the memory at `path`; nothing, and a problem that names it, when it cannot be read.
    pub(super) fn read(&mut self, path: &str, problems: &mut Problems) -> Option<Memory> {
        // A line feed in a name would forge lines of the index, which a model reads with full weight.
        if path.chars().any(char::is_control) {
            problems
                .warning("unreadable-memory", "a memory is left out: its file name holds control characters")
                .path(path)
                .hint("rename the file");
            return None;
        }
        let (length, changed) = match self.fill(path) {
            Ok(found) => found,
            Err(error) => {
                let message = format!("a memory is left out: {}", open::reason(&error));
                problems.warning("unreadable-memory", message).path(path);
                return None;
            }
        };
        if length > MAX_BYTES {
            let message = format!("a memory of {length} bytes is left out, the limit is {MAX_BYTES}");
            problems.warning("memory-too-large", message).path(path).hint("split it");
            return None;
        }
        let text = decode(&self.buffer, self.scan, path, problems);
        let memory = Memory::new(self.folder, path.to_owned(), length, changed, text);
        for finding in memory.matter.findings() {
            problems.info(finding.code, &finding.message).path(path).line(finding.line);
        }
        Some(memory)
    }

    /// Fills the buffer with what is asked of the file; returns its length and when it was changed.
    fn fill(&mut self, path: &str) -> io::Result<(u64, Option<std::time::SystemTime>)> {
        let mut file = self.open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(open::no_file(&metadata));
        }
        let length = metadata.len();
        self.buffer.clear();
        if length <= MAX_BYTES {
            let most = if self.scan == Scan::Whole { usize::MAX } else { HEAD_BYTES };
            let first = if self.scan == Scan::Whole { most } else { FIRST_BYTES };
            let wanted = usize::try_from(length).unwrap_or(usize::MAX);
            read_to(&mut file, &mut self.buffer, wanted.min(first))?;
            if first < wanted && lines(&self.buffer) < HEAD_LINES {
                read_to(&mut file, &mut self.buffer, wanted.min(most))?;
            }
        }
        Ok((length, metadata.modified().ok()))
    }

    /// Opens a file beneath the folder. A FIFO must not wait for a writer.
    fn open(&self, path: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(O_NONBLOCK);
        match self.held.open_with(path, &options) {
            // An absolute link that leads to a place within the folder: the walk has looked where it leads.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none() => {
                let inside = self.folder.join(path).canonicalize()?;
                let inside = inside.strip_prefix(self.folder.canonicalize()?).map_err(|_| error)?;
                self.held.open_with(inside, &options).map(cap_std::fs::File::into_std)
            }
            result => result.map(cap_std::fs::File::into_std),
        }
    }
}

/// Reads until the buffer holds `wanted` bytes or the file ends. That it ends there is not asked for once more.
fn read_to(file: &mut File, buffer: &mut Vec<u8>, wanted: usize) -> io::Result<()> {
    let mut filled = buffer.len();
    buffer.resize(wanted, 0);
    while filled < wanted {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(filled);
    Ok(())
}

fn lines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).count()
}

/// Returns the text without BOM and CR; invalid bytes become U+FFFD, which is said.
pub(super) fn decode(bytes: &[u8], scan: Scan, path: &str, problems: &mut Problems) -> String {
    let bytes = if scan == Scan::Heads { head(bytes) } else { bytes };
    let text = String::from_utf8_lossy(bytes);
    // A head may end within a character.
    if scan == Scan::Whole && matches!(text, std::borrow::Cow::Owned(_)) {
        problems.info("not-utf8", "bytes that are not UTF-8 are shown as U+FFFD").path(path);
    }
    let has_mark = text.starts_with('\u{feff}');
    if !has_mark && memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return text.into_owned();
    }
    front_matter::without_bom(&text).replace("\r\n", "\n")
}

/// Returns the first lines, whole ones unless the first is longer than everything that was read.
fn head(bytes: &[u8]) -> &[u8] {
    let ends = memchr::memchr_iter(b'\n', bytes);
    match ends.take(HEAD_LINES).last() {
        Some(end) => &bytes[..=end],
        None => bytes,
    }
}
