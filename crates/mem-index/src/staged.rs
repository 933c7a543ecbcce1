//! The memory folder as the next commit would have it: the blobs in the index of git.

use std::path::Path;

use mem_exec::git;
use mem_store::index_file;
use mem_store::{Memory, MemoryFolder, World};
use mem_types::{Failure, Problems};

/// Most bytes of one blob that is looked at, as on disk.
const MAX_BYTES: usize = 1024 * 1024;
/// Most bytes of all of them.
const MOST_OUTPUT: usize = 512 * 1024 * 1024;

/// What git has in its index below a memory folder.
#[derive(Debug, Default)]
pub struct Staged {
    /// MEMORY.md.
    pub index: Option<Vec<u8>>,
    /// The topic files.
    pub memories: Vec<Memory>,
    /// Links and the like, which are not followed.
    pub links: Vec<String>,
}

/// Returns what git has in its index below the folder; nothing, with a warning, when the folder lies in no repository.
///
/// # Errors
/// When git cannot be run, or what it says cannot be read.
pub fn read(folder: &MemoryFolder, world: &World, problems: &mut Problems) -> Result<Option<Staged>, Failure> {
    let real = world.real_path(&folder.dir);
    let Some(place) = world.git(&real) else {
        outside(folder, "lies in no git repository", problems);
        return Ok(None);
    };
    let within = real.strip_prefix(&place.root).unwrap_or(Path::new("")).to_string_lossy().into_owned();
    let environment = world.environment();
    // A hook of another repository: its index says nothing about this folder.
    let is_hooks_own = world.git(&environment.started_in).is_some_and(|started| started.root == place.root);
    if environment.git_dir.is_some() && !is_hooks_own {
        outside(folder, "lies outside the repository of this commit", problems);
        return Ok(None);
    }
    let run = |subcommand: &str, arguments: &[&str], input: Vec<u8>| {
        let index_file = environment.git_index_file.as_ref().map(|file| environment.started_in.join(file));
        let git_dir = environment.git_dir.as_ref().map(|dir| environment.started_in.join(dir));
        let (git_dir, index_file) = if is_hooks_own { (git_dir, index_file) } else { (None, None) };
        let program = git::in_hook(
            &place.root,
            git_dir.as_deref().map(Path::as_os_str),
            index_file.as_deref().map(Path::as_os_str),
            subcommand,
            arguments,
        );
        program.input(input).limit(MOST_OUTPUT).run().map_err(|fault| {
            Failure::new(fault.code(), format!("git cannot tell what is staged: {fault}"))
                .with_hint("check without --staged to look at the files on disk")
        })
    };
    let spec = if within.is_empty() { ".".to_owned() } else { format!(":(top,literal){within}") };
    let listing = run("ls-files", &["--stage", "-z", "--", &spec], Vec::new())?;
    let (entries, links) = entries(&listing, &within);
    let names: String = entries.iter().map(|entry| format!("{}\n", entry.blob)).collect();
    let blobs = run("cat-file", &["--batch", "--buffer"], names.into_bytes())?;
    Ok(Some(Staged { links, ..collect(folder, &entries, &blobs, problems) }))
}

fn outside(folder: &MemoryFolder, why: &str, problems: &mut Problems) {
    problems
        .warning(
            "not-in-repository",
            format!("the memory folder {} {why}, so nothing of it is staged", folder.dir.display()),
        )
        .hint("check it without --staged, or name the folder that is committed with --memory-dir");
}

struct Entry {
    blob: String,
    path: String,
}

/// Reads `mode blob stage TAB path NUL`, and leaves out what is no Markdown file of the folder. Links come apart.
fn entries(listing: &[u8], within: &str) -> (Vec<Entry>, Vec<String>) {
    let mut links = Vec::new();
    let prefix = if within.is_empty() { String::new() } else { format!("{within}/") };
    let mut entry = |record: &[u8]| {
        let record = std::str::from_utf8(record).ok()?;
        let (head, path) = record.split_once('\t')?;
        let mut head = head.split(' ');
        let (mode, blob, stage) = (head.next()?, head.next()?, head.next()?);
        let path = path.strip_prefix(&prefix)?;
        let is_hidden = path.split('/').any(|part| part.starts_with('.'));
        let is_file = mode.starts_with("100") && stage == "0" && path.ends_with(".md") && !is_hidden;
        let is_log = path.starts_with("logs/");
        if mode == "120000" && stage == "0" && !is_hidden {
            links.push(path.to_owned());
        }
        (is_file && !is_log).then(|| Entry { blob: blob.to_owned(), path: path.to_owned() })
    };
    let entries = listing.split(|byte| *byte == 0).filter_map(&mut entry).collect();
    (entries, links)
}

/// Reads `blob type size LF bytes LF`, one for each entry in order.
fn collect(folder: &MemoryFolder, entries: &[Entry], blobs: &[u8], problems: &mut Problems) -> Staged {
    let mut staged = Staged::default();
    let mut rest = blobs;
    for entry in entries {
        let Some((bytes, behind)) = next_blob(rest) else {
            problems.warning("unreadable-memory", "git has no readable blob of a staged file").path(&entry.path);
            break;
        };
        rest = behind;
        if entry.path == index_file::NAME {
            staged.index = Some(bytes.to_vec());
        } else if bytes.len() > MAX_BYTES {
            let message = format!("a memory of {} bytes is left out, the limit is {MAX_BYTES}", bytes.len());
            problems.warning("memory-too-large", message).path(&entry.path).hint("split it");
        } else {
            staged.memories.push(Memory::of_bytes(&folder.dir, &entry.path, bytes));
        }
    }
    staged
}

fn next_blob(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let size: usize = head.rsplit(' ').next()?.parse().ok()?;
    let blob = bytes.get(end + 1..(end + 1).checked_add(size)?)?;
    Some((blob, bytes.get(end + size + 2..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_lists_is_read_and_the_rest_left_out() {
        let listing = b"100644 aa 0\tm/MEMORY.md\x00100644 bb 0\tm/sub/a b.md\x00100644 cc 0\tm/x.txt\x00120000 dd 0\tm/l.md\x00100644 ee 2\tm/c.md\x00100644 ff 0\tm/.mem/y.md\x00";
        let (found, links) = entries(listing, "m");
        let found: Vec<(String, String)> = found.into_iter().map(|entry| (entry.blob, entry.path)).collect();
        assert_eq!(links, ["l.md"]);
        assert_eq!(found, [("aa".into(), "MEMORY.md".into()), ("bb".into(), "sub/a b.md".into())]);
    }

    #[test]
    fn blobs_are_told_apart_by_their_sizes() {
        let bytes = b"aa blob 3\na\nb\nbb blob 0\n\n";
        let (first, rest) = next_blob(bytes).unwrap_or_default();
        assert_eq!(first, b"a\nb");
        assert_eq!(next_blob(rest), Some((&b""[..], &b""[..])));
        assert_eq!(next_blob(b"aa missing\n"), None);
        assert_eq!(next_blob(b"aa blob 99999999999999999999\nx"), None);
    }
}
