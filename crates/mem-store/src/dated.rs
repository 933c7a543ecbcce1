//! When the content of a memory last changed, and who says so.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

use crate::front_matter::FrontMatter;
use crate::moment::parse_date;

/// A modification time, for which nobody but the disk speaks.
pub const MTIME: &str = "mtime";
/// No date anywhere.
pub const UNKNOWN: &str = "unknown";

/// Keys for the last change of the content, the first that fits; each at the top level and below `metadata`.
const CHANGED: [(&str, &str); 11] = [
    ("modified", "metadata.modified"),
    ("updated", "metadata.updated"),
    ("last_updated", "metadata.last_updated"),
    ("last-updated", "metadata.last-updated"),
    ("updated_at", "metadata.updated_at"),
    ("updatedAt", "metadata.updatedAt"),
    ("last_modified", "metadata.last_modified"),
    ("last-modified", "metadata.last-modified"),
    ("modified_at", "metadata.modified_at"),
    ("lastmod", "metadata.lastmod"),
    ("date", "metadata.date"),
];

/// Keys for the day on which it was made. It may have changed since, so that these are no more than its earliest day.
const MADE: [(&str, &str); 5] = [
    ("created", "metadata.created"),
    ("created_at", "metadata.created_at"),
    ("createdAt", "metadata.createdAt"),
    ("created-at", "metadata.created-at"),
    ("date_created", "metadata.date_created"),
];

/// Whether a source is the memory's own word for its last change; else git knows better, if it knows.
#[must_use]
pub fn is_own(source: &str) -> bool {
    CHANGED.iter().any(|(top, nested)| source == *top || source == *nested)
}

/// Returns the last change and its source: what the front matter says, else the file's time, which is not believed when
/// it lies before the day on which the memory was made.
pub(crate) fn changed(matter: &FrontMatter, disk: Option<SystemTime>) -> (Option<Timestamp>, &'static str) {
    if let Some((then, source)) = first(matter, &CHANGED) {
        return (Some(then), source);
    }
    match (file_time(disk), first(matter, &MADE)) {
        (Some(then), Some((made, source))) if made > then => (Some(made), source),
        (Some(then), _) => (Some(then), MTIME),
        (None, Some((made, source))) => (Some(made), source),
        (None, None) => (None, UNKNOWN),
    }
}

/// What stands below `metadata` is the client's own, and comes first.
fn first(matter: &FrontMatter, keys: &[(&'static str, &'static str)]) -> Option<(Timestamp, &'static str)> {
    keys.iter().find_map(|(top, nested)| {
        let below = matter.metadata_text(top).as_deref().and_then(parse_date).map(|then| (then, *nested));
        below.or_else(|| matter.text(top).as_deref().and_then(parse_date).map(|then| (then, *top)))
    })
}

/// A modification time of 0 is what tools write that know no better: it is no date.
fn file_time(disk: Option<SystemTime>) -> Option<Timestamp> {
    let elapsed = disk?.duration_since(UNIX_EPOCH).ok()?;
    let seconds = i64::try_from(elapsed.as_secs()).ok().filter(|&seconds| seconds > 0)?;
    Timestamp::from_second(seconds).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::memory::Memory;

    fn check(head: &str, want: Option<&str>, source: &str) {
        let text = format!("---\nname: a\n{head}\n---\nx\n");
        let memory = Memory::of_bytes("/".as_ref(), "a.md", text.as_bytes());
        let want = want.map(|then| parse_date(then).unwrap());
        assert_eq!((memory.modified, memory.modified_source), (want, source), "{head}");
    }

    #[test]
    fn the_last_change_goes_before_the_day_of_making() {
        check("created: 2026-01-01\nupdated: 2026-02-01", Some("2026-02-01"), "updated");
        check("created: \"2026-01-01T10:00:00Z\"", Some("2026-01-01T10:00:00Z"), "created");
        check("metadata:\n  created: 2026-01-01\n  updated: 2026-03-01", Some("2026-03-01"), "metadata.updated");
        check("updated: 2026-02-01\nmodified: 2026-01-15", Some("2026-01-15"), "modified");
        check("modified: 2026-02-01\nmetadata:\n  modified: 2026-01-15", Some("2026-01-15"), "metadata.modified");
        check("last_updated: 2026-02-01", Some("2026-02-01"), "last_updated");
        check("date: 2026-02-01", Some("2026-02-01"), "date");
        check("modified: soon\nupdated: 2026-02-01", Some("2026-02-01"), "updated");
        check("updated: soon", None, "unknown");
    }

    #[test]
    fn the_day_of_making_is_the_earliest_that_a_file_time_may_be() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        for (made, seconds, source) in [("2026-05-01", 1, "created"), ("2026-05-01", 1_790_000_000, "mtime")] {
            std::fs::write(&path, format!("---\nname: a\ncreated: {made}\n---\nx\n")).unwrap();
            let time = UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
            let found = crate::memory::scan(folder.path(), crate::Scan::Whole, &mut mem_types::Problems::default());
            assert_eq!(found[0].modified_source, source);
        }
        assert!(is_own("metadata.updated") && !is_own("created") && !is_own(MTIME));
    }
}
