//! Daily logs of a memory folder: `logs/YYYY/MM/YYYY-MM-DD.md`, written at their end only.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use cap_std::fs::{Dir, OpenOptions};

use crate::folder::MemoryFolder;
use crate::moment::Moment;

/// So much of one log is read.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// The folder of the logs.
pub const FOLDER: &str = "logs";

/// One daily log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// Relative to the memory folder.
    pub path: String,
    /// `YYYY-MM-DD`.
    pub date: String,
    /// Size on disk.
    pub bytes: u64,
}

impl MemoryFolder {
    /// Returns the daily logs, oldest first; none when the folder is missing or closed.
    #[must_use]
    pub fn logs(&self) -> Vec<Log> {
        let top = self.dir.join(FOLDER);
        let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
        if !self.exists() || !is_folder(&top) {
            return Vec::new();
        }
        let mut logs = Vec::new();
        for year in names(&top, 4) {
            for month in names(&top.join(&year), 2) {
                logs.extend(of_month(&top, &year, &month));
            }
        }
        logs.sort_by(|left, right| left.date.cmp(&right.date));
        logs
    }
}

impl MemoryFolder {
    /// Returns the text of a daily log; of a very long one its first 4 MB. Links out of the folder are not followed.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn log_text(&self, log: &Log) -> io::Result<String> {
        let held = Dir::open_ambient_dir(&self.dir, cap_std::ambient_authority())?;
        let mut bytes = Vec::new();
        held.open(&log.path)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn of_month(top: &Path, year: &str, month: &str) -> Vec<Log> {
    let Ok(entries) = fs::read_dir(top.join(year).join(month)) else { return Vec::new() };
    let log = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let date = name.strip_suffix(".md")?.to_owned();
        let is_date = date.starts_with(&format!("{year}-{month}-")) && date.parse::<jiff::civil::Date>().is_ok();
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        is_date.then(|| Log { path: format!("{FOLDER}/{year}/{month}/{name}"), date, bytes: metadata.len() })
    };
    entries.flatten().filter_map(log).collect()
}

/// Returns the folders whose name is a number of that many digits; links are not followed.
fn names(folder: &Path, digits: usize) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.len() == digits && name.bytes().all(|byte| byte.is_ascii_digit())).collect()
}

/// Returns the path of the log of a day, in the zone of the moment.
#[must_use]
pub fn path(now: &Moment) -> String {
    now.zoned().strftime("logs/%Y/%m/%Y-%m-%d.md").to_string()
}

/// Appends a line in one write and returns the log's path. A write that the disk cut short is taken back.
pub(crate) fn append(folder: &Dir, now: &Moment, line: &str) -> io::Result<String> {
    let path = path(now);
    if let Some((parent, _)) = path.rsplit_once('/') {
        folder.create_dir_all(parent)?;
    }
    let mut file = folder.open_with(&path, OpenOptions::new().append(true).read(true).create(true))?;
    let length = file.metadata()?.len();
    let text = format!("{}{}\n", if ends_within_line(&mut file, length)? { "\n" } else { "" }, line.trim_end());
    let written = file.write(text.as_bytes());
    match written {
        Ok(count) if count == text.len() => file.sync_data()?,
        result => {
            file.set_len(length)?;
            return Err(result.err().unwrap_or_else(|| io::ErrorKind::StorageFull.into()));
        }
    }
    Ok(path)
}

fn ends_within_line(file: &mut cap_std::fs::File, length: u64) -> io::Result<bool> {
    let Some(last) = length.checked_sub(1) else { return Ok(false) };
    let mut byte = [0];
    file.seek(SeekFrom::Start(last))?;
    Ok(file.read(&mut byte)? == 1 && byte != *b"\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_log_grows_at_its_end_and_is_listed_by_its_day() {
        let top = tempfile::tempdir().unwrap();
        let folder = MemoryFolder::at(top.path().join("memory"));
        let append =
            |now: &str, line: &str| folder.writer(&Moment::parse(now).unwrap()).unwrap().append_log(line).unwrap();
        assert_eq!(append("2026-11-30T23:30:00+08:00", "- 23:30 one\n"), "logs/2026/11/2026-11-30.md");
        append("2026-11-30T23:31:00+08:00", "- 23:31 two");
        append("2026-01-02T00:00:00Z", "- 00:00 early");
        fs::write(top.path().join("memory/logs/2026/11/notes.md"), "x").unwrap();
        let text = fs::read_to_string(top.path().join("memory/logs/2026/11/2026-11-30.md")).unwrap();
        assert_eq!(text, "- 23:30 one\n- 23:31 two\n");
        let dates: Vec<String> = folder.logs().into_iter().map(|log| log.date).collect();
        assert_eq!(dates, ["2026-01-02", "2026-11-30"]);
    }

    #[test]
    fn a_log_that_ends_within_a_line_is_continued_on_a_new_one() {
        let top = tempfile::tempdir().unwrap();
        let folder = MemoryFolder::at(top.path().join("memory"));
        fs::create_dir_all(top.path().join("memory/logs/2026/11")).unwrap();
        fs::write(top.path().join("memory/MEMORY.md"), "").unwrap();
        fs::write(top.path().join("memory/logs/2026/11/2026-11-30.md"), "torn").unwrap();
        folder.writer(&Moment::parse("2026-11-30T12:00:00Z").unwrap()).unwrap().append_log("- x").unwrap();
        let text = fs::read_to_string(top.path().join("memory/logs/2026/11/2026-11-30.md")).unwrap();
        assert_eq!(text, "torn\n- x\n");
    }
}
