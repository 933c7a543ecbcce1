//! `--restore NAME`: finds the last archived version of a memory and brings it back.

use mem_store::archived::Archived;
use mem_store::{Moment, Sight, Upkeep, front_matter, index_file};
use mem_types::Failure;
use mem_types::age::Deed;

use crate::apply;

/// Brings the last archived version of a memory back, and its line in the index.
///
/// # Errors
/// When the archive has no memory or several with this name, or the disk fails.
pub fn restore(name: &str, upkeep: &Upkeep<'_>, now: &Moment) -> Result<Vec<Deed>, Failure> {
    let sight = upkeep.sight()?;
    let last = find(name, &sight)?;
    let text = String::from_utf8_lossy(&sight.read_archived(&last)?).into_owned();
    let done = upkeep.bring_back(&last, &last.path, &index_line(&last.path, &text), now)?;
    Ok(apply::deeds("restored", &done.files))
}

/// Returns the last archived version of the one memory that has this path, stem or name.
///
/// # Errors
/// When there is none, or there are several.
pub fn find(name: &str, sight: &Sight<'_>) -> Result<Archived, Failure> {
    let archived = sight.archived()?;
    let mut fits: Vec<&Archived> = archived.iter().filter(|file| is_named(file, name)).collect();
    if fits.is_empty() {
        for file in &archived {
            if file.path != index_file::NAME && name_of(&sight.read_archived(file)?).as_deref() == Some(name) {
                fits.push(file);
            }
        }
    }
    let Some(last) = fits.last() else {
        return Err(Failure::new("not-in-archive", format!("the archive has no memory '{name}'"))
            .with_hint("the archive lies in .mem/archive of the memory folder"));
    };
    if fits.iter().any(|file| file.path != last.path) {
        let mut paths: Vec<&str> = fits.iter().map(|file| file.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        return Err(Failure::new("ambiguous-name", format!("'{name}' fits several: {}", paths.join(", ")))
            .with_hint("name it by its path"));
    }
    if let Some(reason) = mem_store::change::refusal(&last.path) {
        return Err(Failure::new("bad-name", format!("'{}' cannot be restored: {reason}", last.path)));
    }
    Ok((*last).clone())
}

/// Whether an archived file is of the memory with this path or stem.
fn is_named(file: &Archived, name: &str) -> bool {
    file.path != index_file::NAME && (file.path == name || file.path.strip_suffix(".md") == Some(name))
}

fn name_of(bytes: &[u8]) -> Option<String> {
    front_matter::of_memory(&String::from_utf8_lossy(bytes)).matter?.text("name")
}

fn index_line(path: &str, text: &str) -> String {
    let matter = front_matter::of_memory(text).matter.unwrap_or_default();
    let title = matter.text("name").unwrap_or_else(|| mem_store::memory::stem(path).to_owned());
    index_file::line(&title, path, &matter.text("description").unwrap_or_default())
}
