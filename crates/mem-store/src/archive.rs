//! What was overwritten or removed, whole: `.mem/archive/<UTC time>/<path>.old`.

use std::io;

use cap_std::fs::Dir;

use crate::hash::sha256;
use crate::put::{self, Put};

/// Where it lies beneath the memory folder.
pub const FOLDER: &str = ".mem/archive";
/// Ends the name of a file in it, so that none ends in `.md`.
pub const ENDING: &str = ".old";
/// Most versions of one file in one second.
const MOST_VERSIONS: usize = 1000;

/// Keeps `bytes`, which stand at `path` beneath `folder`, and returns where.
///
/// # Errors
/// When the disk fails.
pub(crate) fn keep(folder: &Dir, stamp: &str, path: &str, bytes: &[u8]) -> io::Result<String> {
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    let parent = if parent.is_empty() { format!("{FOLDER}/{stamp}") } else { format!("{FOLDER}/{stamp}/{parent}") };
    folder.create_dir_all(&parent)?;
    let name = short(name);
    // Two versions of one file in one second must both be kept; the same version once is enough.
    for number in 0..MOST_VERSIONS {
        let kept =
            if number == 0 { format!("{parent}/{name}{ENDING}") } else { format!("{parent}/{name}.{number}{ENDING}") };
        match folder.read(&kept) {
            Ok(found) if found == bytes => return Ok(kept),
            Ok(_) => continue,
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Err(_) => {}
        }
        if put::put(folder, &kept, None, bytes)? == Put::Done {
            return Ok(kept);
        }
    }
    Err(io::Error::other("the archive of this second is full"))
}

/// Returns the bytes kept at `place`, as [`keep`] named it.
///
/// # Errors
/// When `place` is not in the archive, or the file cannot be read.
pub(crate) fn read(folder: &Dir, place: &str) -> io::Result<Vec<u8>> {
    let is_inside = place.strip_prefix(FOLDER).is_some_and(|rest| rest.starts_with('/') && !rest.contains("/../"));
    if !is_inside {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{place} is not in the archive")));
    }
    folder.read(place)
}

/// Leaves room for a number and the ending in a name of 255 bytes.
fn short(name: &str) -> String {
    const LONGEST: usize = 240;
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    let mut end = LONGEST - 20;
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}-{}.md", &name[..end], &sha256(name.as_bytes())[..8])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use cap_std::ambient_authority;

    #[test]
    fn every_version_is_kept_once() {
        let top = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(top.path().join(put::WRITING)).unwrap();
        let held = Dir::open_ambient_dir(top.path(), ambient_authority()).unwrap();
        let keep = |path: &str, text: &str| keep(&held, "t", path, text.as_bytes()).unwrap();
        assert_eq!(keep("a.md", "one"), ".mem/archive/t/a.md.old");
        assert_eq!(keep("a.md", "two"), ".mem/archive/t/a.md.1.old");
        assert_eq!(keep("a.md", "one"), ".mem/archive/t/a.md.old");
        assert_eq!(keep("sub/a.md", "one"), ".mem/archive/t/sub/a.md.old");
        let long = format!("{}.md", "长".repeat(84));
        assert_eq!(read(&held, &keep(&long, "x")).unwrap(), b"x");
        assert!(read(&held, ".mem/archive/../lock").is_err());
    }
}
