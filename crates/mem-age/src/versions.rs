//! `--history NAME`: what a memory said before, and from when until when: the memories that it replaced, those that
//! replace it, and what lies of them in the archive.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use mem_store::archived::Archived;
use mem_store::{MemoryFolder, Sight, World};
use mem_text::secrets;
use mem_types::Failure;
use mem_types::age::Version;

use crate::memory::Memory;
use crate::relations::Relations;

/// Returns the chain of changes to which the memory of that path or name belongs, the oldest first.
///
/// # Errors
/// When no memory or several have the name, or the archive cannot be read.
pub fn of(
    name: &str,
    memories: &[Memory],
    relations: &Relations,
    folder: &MemoryFolder,
    world: &World,
) -> Result<Vec<Version>, Failure> {
    let mut pages: Vec<Page> =
        memories.iter().enumerate().map(|(place, memory)| Page::here(place, memory, relations)).collect();
    if folder.exists() {
        pages.extend(archived(&folder.sight()?, folder)?);
    }
    let links = Links::of(&pages, memories, relations);
    let chain = links.chain(&named(name, &pages, &links)?);
    Ok(told(chain.into_iter().map(|place| &pages[place]).collect(), world.now().zoned().time_zone()))
}

/// One text, in the folder or the archive.
struct Page {
    memory: Memory,
    state: &'static str,
    archived: Option<Archived>,
}

impl Page {
    fn here(place: usize, memory: &Memory, relations: &Relations) -> Self {
        let state = match relations.contradicted.get(&place) {
            _ if memory.superseded.is_some() || memory.superseded_by.is_some() => "superseded",
            Some(_) => "contradicted",
            None => "holds",
        };
        Self { memory: memory.clone(), state, archived: None }
    }

    fn is_named(&self, name: &str) -> bool {
        self.memory.is_named(name) || self.memory.name == name
    }
}

/// Returns each archived text once; what is still in the folder with the same body is not among them.
fn archived(sight: &Sight<'_>, folder: &MemoryFolder) -> Result<Vec<Page>, Failure> {
    let mut pages = Vec::new();
    for file in sight.archived()?.into_iter().filter(|file| file.path != mem_store::index_file::NAME) {
        let stored = mem_store::Memory::of_bytes(&folder.dir, &file.path, &sight.read_archived(&file)?);
        let mut memory = Memory::of(&stored);
        if memory.written.is_none() {
            memory.written = sight.archived_time(&file)?;
        }
        pages.push(Page { memory, state: "archived", archived: Some(file) });
    }
    Ok(pages)
}

/// Which pages belong to one chain.
struct Links {
    beside: BTreeMap<usize, BTreeSet<usize>>,
}

impl Links {
    fn of(pages: &[Page], memories: &[Memory], relations: &Relations) -> Self {
        let mut links = Self { beside: BTreeMap::new() };
        let mut by_path: BTreeMap<&str, usize> = BTreeMap::new();
        let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
        for (place, page) in pages.iter().enumerate() {
            // Versions of one path are one memory.
            let first = *by_path.entry(&page.memory.path).or_insert(place);
            links.join(first, place);
            by_name.entry(page.memory.stem()).or_insert(place);
        }
        for (place, page) in pages.iter().enumerate() {
            let link = page.memory.superseded_by.as_deref().map(crate::memory::bare_link);
            let by = link
                .and_then(|link| by_path.get(link).or_else(|| by_name.get(link.strip_suffix(".md").unwrap_or(link))));
            by.into_iter().for_each(|by| links.join(place, *by));
        }
        for (place, replaced) in relations.contradicted.iter().filter(|(place, _)| **place < memories.len()) {
            links.join(*place, replaced.by);
        }
        links
    }

    fn join(&mut self, one: usize, other: usize) {
        self.beside.entry(one).or_default().insert(other);
        self.beside.entry(other).or_default().insert(one);
    }

    fn chain(&self, from: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut seen = from.clone();
        let mut open: Vec<usize> = from.iter().copied().collect();
        while let Some(place) = open.pop() {
            let beside = self.beside.get(&place).into_iter().flatten();
            open.extend(beside.filter(|other| seen.insert(**other)));
        }
        seen
    }
}

/// Returns the pages with that path, else those with that name, which must be of one chain.
fn named(name: &str, pages: &[Page], links: &Links) -> Result<BTreeSet<usize>, Failure> {
    let those = |fits: &dyn Fn(&Page) -> bool| -> BTreeSet<usize> {
        (0..pages.len()).filter(|place| fits(&pages[*place])).collect()
    };
    let mut found = those(&|page| page.memory.path == name);
    if found.is_empty() {
        found = those(&|page| page.is_named(name));
    }
    let Some(first) = found.first() else {
        return Err(Failure::new("no-such-memory", format!("neither folder nor archive has a memory '{name}'"))
            .with_hint("name it by its path"));
    };
    let chain = links.chain(&BTreeSet::from([*first]));
    if found.iter().any(|place| !chain.contains(place)) {
        let paths: BTreeSet<&str> = found.iter().map(|place| pages[*place].memory.path.as_str()).collect();
        let paths: Vec<&str> = paths.into_iter().collect();
        return Err(Failure::new("ambiguous-name", format!("'{name}' fits several: {}", paths.join(", ")))
            .with_hint("name it by its path"));
    }
    Ok(found)
}

/// Orders the pages by date and tells each text once, with the day on which the next one took its place.
fn told<'a>(mut pages: Vec<&'a Page>, zone: &TimeZone) -> Vec<Version> {
    // Of equal texts the one in the folder is told.
    pages.sort_by_key(|page| {
        (page.memory.written, page.archived.is_some(), page.archived.as_ref().map(|file| file.at.clone()))
    });
    let mut seen: BTreeSet<(&'a str, &'a str)> = BTreeSet::new();
    let here: BTreeSet<(&'a str, &'a str)> =
        pages.iter().filter(|page| page.archived.is_none()).map(|page| text_of(page)).collect();
    pages.retain(|page| (page.archived.is_none() || !here.contains(&text_of(page))) && seen.insert(text_of(page)));
    let day = |at: Option<Timestamp>| at.map(|at| at.to_zoned_datetime(zone.clone()).date().to_string());
    let last = pages.iter().rposition(|page| page.state == "holds");
    let mut versions = Vec::new();
    for (place, page) in pages.iter().enumerate() {
        let next = pages[place + 1..].iter().find(|next| next.memory.written > page.memory.written);
        let ended = page.archived.as_ref().and_then(|file| day_of_stamp(&file.at));
        let until = page.memory.superseded.clone().or(ended);
        let until = day(next.and_then(|next| next.memory.written)).or(until).filter(|_| Some(place) != last);
        versions.push(Version {
            path: page.memory.path.clone(),
            state: page.state.to_owned(),
            from: day(page.memory.written),
            until,
            archived: page.archived.as_ref().map(|file| file.file.clone()),
            text: secrets::mask(page.memory.body.trim()).into_owned(),
        });
    }
    versions
}

fn text_of(page: &Page) -> (&str, &str) {
    (page.memory.path.as_str(), page.memory.body.trim())
}

/// `20261130T120000Z` is 2026-11-30.
fn day_of_stamp(stamp: &str) -> Option<String> {
    let (year, rest) = stamp.split_at_checked(4)?;
    let (month, rest) = rest.split_at_checked(2)?;
    Some(format!("{year}-{month}-{}", rest.get(..2)?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn page(path: &str, written: &str, body: &str, state: &'static str) -> Page {
        let archived = (state == "archived").then(|| Archived::of("20261130T120000Z", path));
        let memory =
            Memory { path: path.to_owned(), body: body.to_owned(), written: written.parse().ok(), ..Memory::default() };
        Page { memory, state, archived }
    }

    #[test]
    fn each_text_is_told_once_and_ends_where_the_next_begins() {
        let pages = [
            page("b.md", "2026-03-01T00:00:00Z", "two", "holds"),
            page("a.md", "2026-01-01T00:00:00Z", "one", "superseded"),
            page("a.md", "2026-01-01T00:00:00Z", "one", "archived"),
            page("b.md", "2026-02-01T00:00:00Z", "old two", "archived"),
        ];
        let versions = told(pages.iter().collect(), &TimeZone::UTC);
        let flat: Vec<(&str, Option<&str>, Option<&str>)> =
            versions.iter().map(|one| (one.text.as_str(), one.from.as_deref(), one.until.as_deref())).collect();
        assert_eq!(
            flat,
            [
                ("one", Some("2026-01-01"), Some("2026-02-01")),
                ("old two", Some("2026-02-01"), Some("2026-03-01")),
                ("two", Some("2026-03-01"), None),
            ]
        );
    }

    #[test]
    fn the_last_of_an_ended_chain_ends_when_it_was_archived() {
        let pages = [page("a.md", "2026-01-01T00:00:00Z", "one", "archived")];
        assert_eq!(told(pages.iter().collect(), &TimeZone::UTC)[0].until.as_deref(), Some("2026-11-30"));
    }
}
