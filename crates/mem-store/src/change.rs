//! What can be asked of a memory folder's writer, and what becomes of it.

use crate::index_file;

/// One change of a memory folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Makes a topic file or replaces one, and gives it a line in the index.
    Write {
        /// Relative to the folder, ending in `.md`.
        path: String,
        /// The whole new file.
        text: String,
        /// SHA-256 of the file that this replaces; nothing for a new file.
        replaces: Option<String>,
        /// Its line in the index; nothing leaves the index as it is.
        line: Option<IndexLine>,
    },
    /// Moves a topic file whole into the archive and takes its lines out of the index.
    Remove {
        /// Relative to the folder, ending in `.md`.
        path: String,
        /// SHA-256 of the file that is meant.
        sha256: String,
    },
    /// Gives a topic file that is there its line in the index, in the place of the old one.
    List {
        /// Relative to the folder, ending in `.md`.
        path: String,
        /// The line.
        line: IndexLine,
    },
    /// Takes the lines that link to a file out of the index. The file stays, if there is one.
    Unlist {
        /// As the lines name it.
        path: String,
    },
    /// Rewrites the index. What others have changed in it since it was read is kept.
    Index {
        /// The index that the change was made for.
        from: String,
        /// The index that is wanted.
        to: String,
    },
}

/// The parts of a line of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexLine {
    /// What stands in the brackets.
    pub title: String,
    /// What follows the link.
    pub hook: String,
}

/// What became of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All of it is on disk.
    Written,
    /// All of it was there already.
    Unchanged,
    /// Nothing was done, for this reason.
    Refused(String),
    /// The disk refused, and this is what stands there now.
    Failed(String),
}

impl Outcome {
    /// Whether what was wanted is there.
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Written | Self::Unchanged)
    }

    /// Returns the outcome as answers have it: `written`, `unchanged`, or why not.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Written => "written".to_owned(),
            Self::Unchanged => "unchanged".to_owned(),
            Self::Refused(reason) => format!("refused: {reason}"),
            Self::Failed(reason) => format!("failed: {reason}"),
        }
    }
}

/// Why a path of a plan may not be used, or nothing when it may.
#[must_use]
pub fn refusal(path: &str) -> Option<&'static str> {
    let parts: Vec<&str> = path.split('/').collect();
    if path.is_empty() || path.contains(['\0', '\\']) || path.chars().any(char::is_control) {
        return Some("the path is empty or holds a character that no memory file has");
    }
    if path.starts_with('/') || path.starts_with('~') || path.get(1..2) == Some(":") {
        return Some("the path is not relative to the memory folder");
    }
    if parts.iter().any(|part| part.is_empty() || *part == "." || *part == "..") {
        return Some("the path leaves the memory folder");
    }
    if parts.iter().any(|part| part.starts_with('.')) {
        return Some("hidden files and folders are not memories");
    }
    if parts[0] == "logs" && parts.len() > 1 {
        return Some("logs/ holds daily logs, not memories");
    }
    if parts.iter().any(|part| part.len() > 255) || path.len() > 1024 {
        return Some("the path is too long");
    }
    if !path.ends_with(".md") {
        return Some("a memory's file ends in .md");
    }
    (path == index_file::NAME).then_some("MEMORY.md is the index, not a memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_folder_are_refused() {
        for path in [
            "",
            "/etc/x.md",
            "../x.md",
            "a/../../x.md",
            ".mem/x.md",
            "x.txt",
            "MEMORY.md",
            "a//b.md",
            "~/x.md",
            "C:/x.md",
            "a\0.md",
            "a\nb.md",
            "logs/x.md",
            "./a.md",
        ] {
            assert!(refusal(path).is_some(), "{path:?}");
        }
        for path in ["a.md", "sub/a.md", "测试.md", "a b.md"] {
            assert_eq!(refusal(path), None, "{path}");
        }
    }
}
