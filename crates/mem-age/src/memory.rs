//! A memory as this command judges it: what it says, of which kind it is, and since when.

use jiff::Timestamp;
use mem_store::dated;

/// The four kinds of memories; another word, or none, is no kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// How to work, from corrections and confirmations.
    Feedback,
    /// Who the user is.
    User,
    /// What goes on in the project.
    Project,
    /// Where to look.
    Reference,
}

impl Kind {
    /// Returns the kind that a front matter word names.
    pub fn parse(word: &str) -> Option<Self> {
        match word.trim().to_ascii_lowercase().as_str() {
            "feedback" => Some(Self::Feedback),
            "user" => Some(Self::User),
            "project" => Some(Self::Project),
            "reference" => Some(Self::Reference),
            _ => None,
        }
    }
}

/// What is judged.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Relative to the folder.
    pub path: String,
    /// Nothing when the front matter has none or another word.
    pub kind: Option<Kind>,
    /// One line.
    pub description: String,
    /// What follows the front matter.
    pub body: String,
    /// When its content last changed.
    pub written: Option<Timestamp>,
    /// Where that is from: a key of the front matter such as `modified`, else `git`, `mtime` or `unknown`.
    pub source: String,
    /// The last day on which it holds, as written.
    pub expires: Option<String>,
    /// The memory that replaces it, as written.
    pub superseded_by: Option<String>,
    /// The day from which it holds no longer, as written.
    pub superseded: Option<String>,
    /// From the front matter.
    pub name: String,
    /// Pinned or evergreen: it never fades and is never forgotten by itself.
    pub is_kept: bool,
}

impl Memory {
    /// Returns what is to be judged of a stored memory.
    pub fn of(stored: &mem_store::Memory) -> Self {
        Self {
            path: stored.path.clone(),
            kind: stored.kind.as_deref().and_then(Kind::parse),
            description: stored.description.clone(),
            body: stored.body().to_owned(),
            written: stored.modified,
            source: stored.modified_source.to_owned(),
            expires: stored.expires.clone(),
            superseded_by: stored.superseded_by.clone(),
            superseded: stored.matter.text("superseded"),
            name: stored.name.clone(),
            is_kept: ["pinned", "evergreen"].iter().any(|key| stored.matter.text(key).as_deref() == Some("true")),
        }
    }

    /// Returns everything that it says, the description first.
    pub fn text(&self) -> String {
        format!("{}\n{}", self.description, self.body)
    }

    /// Tells whether it is about a person: such a memory never goes by age alone.
    pub fn is_personal(&self) -> bool {
        matches!(self.kind, Some(Kind::Feedback | Kind::User))
    }

    /// Whether it says itself, or git does, when it was written; the date of a file says nothing sure about its text.
    pub fn has_own_date(&self) -> bool {
        self.written.is_some() && ![dated::MTIME, dated::UNKNOWN].contains(&self.source.as_str())
    }

    /// Returns the file's name without folder and ending, as links name it.
    pub fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.strip_suffix(".md").unwrap_or(name)
    }

    /// Tells whether `link` names this memory: by path, by file name, or without the ending.
    pub fn is_named(&self, link: &str) -> bool {
        let link = bare_link(link);
        !link.is_empty() && (link == self.path || link == self.stem() || link.strip_suffix(".md") == Some(self.stem()))
    }
}

/// Returns a link without its brackets.
pub fn bare_link(link: &str) -> &str {
    link.trim().trim_start_matches("[[").trim_end_matches("]]").trim_start_matches("./")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_a_memory_in_several_ways() {
        let memory = Memory { path: "sub/port.md".to_owned(), ..Memory::default() };
        for link in ["sub/port.md", "port.md", "port", "[[port]]", "./port.md "] {
            assert!(memory.is_named(link), "{link}");
        }
        for link in ["", "ports", "[[]]", "por"] {
            assert!(!memory.is_named(link), "{link}");
        }
    }

    #[test]
    fn kinds_are_the_four_words() {
        assert_eq!(Kind::parse(" Feedback "), Some(Kind::Feedback));
        assert_eq!(Kind::parse("note"), None);
    }
}
