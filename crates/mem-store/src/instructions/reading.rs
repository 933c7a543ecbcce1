//! Reads one instruction file: what is too large, left out by a setting, or there by another name does not come.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use mem_types::load::InstructionLayer;

use super::agent::{Border, Imports};
use super::{Collector, Kind, Place, client};
use crate::open::{self, Content};

/// A larger file is skipped, as the client does: facts.md, Part B, section 1.1.
pub const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// One instruction file that is there.
#[derive(Debug)]
pub struct Found {
    /// Where it is.
    pub place: Place,
    /// Its bytes, or why it is left out.
    pub content: Result<Content, Skip>,
}

/// Why a file is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skip {
    /// It cannot be read, for this reason.
    Unreadable(String),
    /// It has so many bytes, more than [`MAX_BYTES`].
    TooLarge(u64),
    /// It is the same file as this one, which came earlier.
    Same(PathBuf),
    /// It belongs to the main checkout, of which this project is a worktree.
    MainCheckout,
    /// It links out of the project.
    LinkOutside,
    /// It lies in a folder of rules and is none: its name does not end in `.md`.
    NoRule,
    /// It is an AGENTS.md, and a CLAUDE.md is there.
    ClaudeMdThere,
    /// It is an AGENTS.md, and a setting or an option says that those do not count.
    SwitchedOff,
    /// The agent takes only one name, and a file of another one is there.
    OtherName,
    /// It lies in an added folder, and the switch for those is off.
    AddedFolder,
    /// A pattern of a settings file leaves it out.
    Excluded {
        /// The pattern.
        pattern: String,
        /// The settings file.
        file: String,
    },
    /// It is imported from outside the project.
    External,
    /// It is imported and no text: its ending, or bytes, say so.
    NotText,
    /// It is imported and holds keys or passwords.
    Secret,
}

impl Collector<'_> {
    /// Reads a file, or returns nothing when there is none.
    pub fn read(&mut self, place: Place) -> Option<Found> {
        if let Some(skip) = place.skip.clone().or_else(|| self.excluded(&place)) {
            fs::symlink_metadata(&place.path).ok()?;
            // What came by another way, as an import or under another name, is not left out.
            let first =
                fs::metadata(&place.path).ok().and_then(|metadata| self.seen.get(&identity(&metadata)).cloned());
            let skip = first.map_or(skip, Skip::Same);
            return Some(Found { place, content: Err(skip) });
        }
        if let Some(text) = self.managed_text(&place.path) {
            let metadata = fs::metadata(&place.path).ok()?;
            return Some(Found { place, content: Ok(Content { bytes: text.into_bytes(), metadata }) });
        }
        let content = match open::read_up_to(&place.path, MAX_BYTES + 1) {
            Ok(content) => self.checked(&place, content),
            // Most folders have no such file: that is no news. A link that leads nowhere is.
            Err(error) if is_absent(&error) && fs::symlink_metadata(&place.path).is_err() => return None,
            Err(error) => Err(Skip::Unreadable(open::reason(&error))),
        };
        let is_projects_own = matches!(place.layer, InstructionLayer::Project | InstructionLayer::Local);
        self.has_own |= is_projects_own && place.kind == Kind::Instructions && content.is_ok();
        Some(Found { place, content })
    }

    /// Reads a file that `importer` imports; `top` is the file at the head of the chain.
    pub fn import(&mut self, path: &Path, importer: &Place, top: &Place) -> Found {
        let place = Place { path: path.to_path_buf(), kind: Kind::Import, skip: None, ..importer.clone() };
        let skip = self.refused_import(path, importer, top).or_else(|| self.excluded(&place));
        let content = match skip {
            Some(skip) => Err(skip),
            None => match open::read_up_to(path, MAX_BYTES + 1) {
                Ok(content) if self.is_friendly() && memchr::memchr(0, head(&content.bytes)).is_some() => {
                    Err(Skip::NotText)
                }
                Ok(content) => self.checked(&place, content),
                Err(error) => Err(Skip::Unreadable(open::reason(&error))),
            },
        };
        Found { place, content }
    }

    /// Reads a file whose text is put into the one that imports it; it may come several times.
    ///
    /// # Errors
    /// With the reason, when it is refused or cannot be read.
    pub fn inlined(&mut self, path: &Path, top: &Place) -> Result<Content, Skip> {
        if self.is_external(path, top) {
            return Err(Skip::External);
        }
        match open::read_up_to(path, MAX_BYTES + 1) {
            Ok(content) if content.metadata.len() > MAX_BYTES => Err(Skip::TooLarge(content.metadata.len())),
            Ok(content) => Ok(content),
            Err(error) => Err(Skip::Unreadable(open::reason(&error))),
        }
    }

    fn is_friendly(&self) -> bool {
        matches!(self.agent.imports, Imports::Behind { is_friendly: true, .. })
    }

    fn refused_import(&mut self, path: &Path, importer: &Place, top: &Place) -> Option<Skip> {
        let is_trusted = self.agent.trust.importers.contains(&importer.layer);
        if !is_trusted && self.is_external(path, top) {
            return Some(Skip::External);
        }
        if self.is_friendly() {
            is_secret(path).then_some(Skip::Secret)
        } else {
            (!has_text_ending(path)).then_some(Skip::NotText)
        }
    }

    /// Whether a target lies outside of what its importer may bring, by where links lead.
    fn is_external(&mut self, path: &Path, top: &Place) -> bool {
        if self.choices.allow_external {
            return false;
        }
        let Some(target) = self.real.of(path) else { return false };
        let border = self.border(self.agent.trust.border).to_path_buf();
        let mut lies_in = |folder: &Path| self.real.of(folder).is_some_and(|folder| target.starts_with(folder));
        if lies_in(&border) {
            return false;
        }
        if self.agent.is_mem() {
            // What stands above the project counts for all below it: its own folder is its project.
            return !(self.cwd.starts_with(&top.base) && lies_in(&top.base));
        }
        let (world, cwd) = (self.world, &self.cwd);
        let is_claude = self.agent.trust.border == Border::Cwd;
        !(is_claude && *self.approves_external.get_or_insert_with(|| client::approves_external(world, cwd)))
    }

    fn managed_text(&self, path: &Path) -> Option<String> {
        self.client.managed_text.as_ref().filter(|(file, _)| file == path).map(|(_, text)| text.clone())
    }

    /// The organisation's files cannot be excluded.
    fn excluded(&self, place: &Place) -> Option<Skip> {
        if place.layer == InstructionLayer::Managed {
            return None;
        }
        let (pattern, file) = self.client.excluded_by(&place.path)?;
        Some(Skip::Excluded { pattern: pattern.to_owned(), file: file.to_owned() })
    }

    fn checked(&mut self, place: &Place, content: Content) -> Result<Content, Skip> {
        if content.metadata.len() > MAX_BYTES {
            return Err(Skip::TooLarge(content.metadata.len()));
        }
        if let Some(first) = self.seen.get(&identity(&content.metadata)) {
            return Err(Skip::Same(first.clone()));
        }
        if self.links_outside(place) {
            return Err(Skip::LinkOutside);
        }
        self.seen.insert(identity(&content.metadata), place.path.clone());
        Ok(content)
    }

    /// A repository must not bring somebody's files into a prompt by a link; imports and rules are looked at before.
    fn links_outside(&mut self, place: &Place) -> bool {
        let is_projects_own = matches!(place.layer, InstructionLayer::Project | InstructionLayer::Local);
        let is_asked = !self.agent.trust.links_outside && !self.choices.allow_external;
        is_asked
            && is_projects_own
            && place.kind == Kind::Instructions
            && self.is_outside_project_of(&place.base.clone(), &place.path)
    }
}

pub(super) fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

fn head(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(8192)]
}

/// Whether a file holds keys or passwords by its name.
fn is_secret(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let is_example = ["example", "sample", "template", "dist"].iter().any(|word| name.contains(word));
    let is_environment = name == ".env" || name.starts_with(".env.") || name.ends_with(".env");
    let is_key = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", ".pgpass", ".npmrc", ".pypirc"]
        .contains(&name.as_str())
        || [".pem", ".key", ".p12", ".pfx", ".keystore", ".jks"].iter().any(|ending| name.ends_with(ending));
    is_key || is_environment && !is_example || name == "credentials" || name.starts_with("credentials.")
}

/// Endings that the client takes for text, as observed: facts.md, Part A, section 4. None at all is fine, too.
const TEXT_ENDINGS: &str = " md txt text json yaml yml toml xml csv html htm css scss sass less js ts tsx jsx mjs cjs mts cts \
    py pyi pyw rb erb rake go rs java kt kts scala c cpp cc cxx h hpp hxx cs swift sh bash zsh fish ps1 bat cmd env ini cfg \
    conf config properties sql graphql gql proto vue svelte astro ejs hbs pug jade php pl pm lua r dart ex exs erl hrl clj \
    cljs cljc edn hs lhs elm ml mli f f90 f95 for cmake make makefile gradle sbt rst adoc asciidoc org tex latex lock log \
    diff patch ";

/// Whether the client takes a file for text by its ending.
#[must_use]
pub fn has_text_ending(path: &Path) -> bool {
    let Some(ending) = path.extension() else { return true };
    let ending = ending.to_string_lossy().to_lowercase();
    !ending.contains(' ') && TEXT_ENDINGS.contains(&format!(" {ending} "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_tell_text_from_the_rest() {
        for (name, expected) in [
            ("a.md", true),
            ("a.MD", true),
            ("LICENSE", true),
            (".env", true),
            ("a.png", false),
            ("a.mdx", false),
            ("a.f90", true),
        ] {
            assert_eq!(has_text_ending(Path::new(name)), expected, "{name}");
        }
        for (name, expected) in [
            (".env", true),
            (".env.local", true),
            (".env.example", false),
            ("id_rsa", true),
            ("a.pem", true),
            ("a.md", false),
        ] {
            assert_eq!(is_secret(Path::new(name)), expected, "{name}");
        }
    }
}
