//! The lock of a memory folder: the kernel's, so that it goes with the process that holds it, however that ends.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, OpenOptions};

/// How long the lock may show no sign of work before we give up. A writer takes a few milliseconds, and on a busy
/// machine a few seconds for one file.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often we try. Long enough to leave the processor to the one that writes.
const PAUSE: Duration = Duration::from_millis(5);

/// Held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Shows those who wait that work goes on.
    pub fn show_work(&mut self) {
        sign(&mut self.file);
    }
}

/// Why there is no lock.
#[derive(Debug)]
pub enum NoLock {
    /// Another writer kept it: a sentence that says who, and for how long.
    Busy(String),
    /// The disk refused.
    Disk(io::Error),
}

/// Takes the lock file `path` beneath `folder`.
///
/// # Errors
/// When the lock is held and for 30 s nothing shows that its holder works or others come and go; or the disk refuses.
pub fn take(folder: &Dir, path: &str) -> Result<Lock, NoLock> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false);
    let mut file = folder.open_with(path, options).map_err(NoLock::Disk)?.into_std();
    let mut seen = (read(&mut file), Instant::now());
    loop {
        match file.try_lock() {
            Ok(()) => {
                sign(&mut file);
                return Ok(Lock { file });
            }
            Err(TryLockError::Error(error)) => return Err(NoLock::Disk(error)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
        // Each holder counts on, at the start and at each step: while the count changes, our turn comes.
        let words = read(&mut file);
        if words != seen.0 {
            seen = (words, Instant::now());
        }
        if seen.1.elapsed() > PATIENCE {
            return Err(NoLock::Busy(holder(&seen.0, seen.1.elapsed())));
        }
    }
}

/// The holder writes its process number and a count into the file, for those who wait. A full disk does not matter.
fn sign(file: &mut File) {
    let count = read(file).split_whitespace().nth(1).and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
    let words = format!("{} {}\n", std::process::id(), count.wrapping_add(1));
    let _ =
        file.rewind().and_then(|()| file.write_all(words.as_bytes())).and_then(|()| file.set_len(words.len() as u64));
}

fn read(file: &mut File) -> String {
    let mut words = String::new();
    let _ = file.rewind().and_then(|()| file.take(64).read_to_string(&mut words));
    words
}

fn holder(words: &str, since: Duration) -> String {
    let process = words.split_whitespace().next().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    match process {
        Some(process) => format!("process {process} has held the lock for {} s", since.as_secs()),
        None => format!("another process has held the lock for {} s", since.as_secs()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use cap_std::ambient_authority;

    #[test]
    fn a_lock_file_that_a_dead_process_left_does_not_block() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("lock"), "99999999 7\nand something else\n").unwrap();
        let held = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        let lock = take(&held, "lock").unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join("lock")).unwrap(), format!("{} 8\n", std::process::id()));
        drop(lock);
        assert!(take(&held, "lock").is_ok());
    }

    #[test]
    fn the_holder_is_named() {
        assert_eq!(holder("123 4\n", Duration::from_secs(11)), "process 123 has held the lock for 11 s");
        assert_eq!(holder("junk", Duration::from_secs(11)), "another process has held the lock for 11 s");
    }
}
