//! Gives back the originals of a summary: from the transcript, the messages at hand, the snapshot, or the originals that
//! were kept. What is found nowhere is named with the places where it was looked for.

use std::collections::{HashMap, HashSet};

use mem_transcript::{Message, SessionFile, read_messages, read_session};
use mem_types::compact::{Compact, Cover, Expanded, Missing, Original, Raw, Summary};
use mem_types::{Document, Problems};

use crate::older;
use crate::snapshot::Snapshot;
use mem_store::World;

/// A message of which a summary speaks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Wanted {
    cover: Cover,
    /// The summary that names it.
    summary: String,
}

/// Where originals may be.
pub(crate) struct Places<'p> {
    pub document: &'p Document,
    pub world: &'p World,
    pub before: &'p Compact,
    pub snapshot: Option<&'p Snapshot>,
}

/// Returns the originals of a summary, or of one message, by id.
pub(crate) fn expand(id: &str, places: &Places<'_>, problems: &mut Problems) -> Expanded {
    let summaries = summaries(places);
    let wanted = wanted(id, &summaries);
    let mut search = Search { wanted: &wanted, found: vec![None; wanted.len()], looked: Vec::new() };
    search.in_transcript(places, problems);
    search.in_messages(places.document.get("messages"), "the messages at hand");
    if let Some(snapshot) = places.snapshot {
        search.in_messages(Some(snapshot.messages.text()), "the snapshot");
        search.in_originals(&snapshot.originals, "the originals of the snapshot");
    }
    search.in_originals(&places.before.originals, "'.compact.originals'");
    search.finish(id)
}

fn summaries(places: &Places<'_>) -> HashMap<String, Summary> {
    let of_snapshot = places.snapshot.iter().flat_map(|snapshot| &snapshot.summaries);
    let all = of_snapshot.chain(&places.before.summaries);
    all.map(|summary| (summary.id.clone(), summary.clone())).collect()
}

/// Returns the messages below a summary, in order, each once. What is no summary is taken for a message.
fn wanted(id: &str, summaries: &HashMap<String, Summary>) -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> = Vec::new();
    let mut seen: HashSet<Wanted> = HashSet::new();
    let mut entered: HashSet<String> = HashSet::new();
    let mut open: Vec<Wanted> = vec![Wanted { cover: Cover::Id(id.to_owned()), summary: String::new() }];
    while let Some(next) = open.pop() {
        let summary = match &next.cover {
            Cover::Id(id) => summaries.get(id),
            Cover::Index(_) => None,
        };
        match summary {
            // Each summary is entered once: a document from elsewhere may hold a cycle.
            Some(summary) if entered.insert(summary.id.clone()) => {
                let inner = summary.covers.iter().rev().cloned();
                open.extend(inner.map(|cover| Wanted { cover, summary: summary.id.clone() }));
            }
            Some(_) => {}
            None => {
                if seen.insert(next.clone()) {
                    wanted.push(next);
                }
            }
        }
    }
    wanted
}

struct Search<'w> {
    wanted: &'w [Wanted],
    /// For each that is wanted the message, as JSON.
    found: Vec<Option<String>>,
    looked: Vec<String>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.found.iter().all(Option::is_some)
    }

    fn take<'m>(&mut self, messages: impl Iterator<Item = &'m Message<'m>>) {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let wanted = self.wanted;
        for (place, wanted) in wanted.iter().enumerate() {
            if let Cover::Id(id) = &wanted.cover
                && self.found[place].is_none()
            {
                places.insert(id, place);
            }
        }
        for message in messages {
            for place in message.uuids().filter_map(|uuid| places.get(uuid).copied()) {
                self.found[place] = Some(message.to_json().into_owned());
            }
        }
    }

    fn in_transcript(&mut self, places: &Places<'_>, problems: &mut Problems) {
        let path = places.document.read::<String>("transcript_path", problems).filter(|path| !path.is_empty());
        let Some(path) = path else { return };
        let path = places.world.resolve(&path, &places.world.cwd(places.document, problems));
        self.looked.push(path.to_string_lossy().into_owned());
        let Some(mut file) = mem_store::transcript::open(&path, problems) else { return };
        let live = read_session(&file).unwrap_or_default();
        self.in_session(&live);
        if !self.is_over() {
            let older = older::before_compactions(&mut file).unwrap_or_default();
            older.iter().for_each(|session| self.in_session(session));
        }
    }

    fn in_session(&mut self, session: &SessionFile) {
        let transcript = session.transcript();
        self.take(transcript.messages.iter());
    }

    fn in_messages(&mut self, raw: Option<&str>, place: &str) {
        let Some(raw) = raw.filter(|raw| !self.is_over() && *raw != "null") else { return };
        self.looked.push(place.to_owned());
        let read = read_messages(raw);
        self.take(read.messages.iter());
    }

    fn in_originals(&mut self, originals: &[Original], place: &str) {
        if self.is_over() {
            return;
        }
        self.looked.push(place.to_owned());
        let mut by_id: HashMap<String, &Original> = HashMap::new();
        let mut by_index: HashMap<(&str, usize), &Original> = HashMap::new();
        for original in originals {
            match original.index {
                Some(index) => drop(by_index.insert((&original.summary, index), original)),
                None => {
                    let list = format!("[{}]", original.message.text());
                    let read = read_messages(&list);
                    by_id.extend(read.messages.iter().flat_map(Message::uuids).map(|id| (id.to_owned(), original)));
                }
            }
        }
        for (place, wanted) in
            self.wanted.iter().enumerate().filter(|(place, _)| self.found[*place].is_none()).collect::<Vec<_>>()
        {
            let original = match &wanted.cover {
                Cover::Id(id) => by_id.get(id),
                Cover::Index(index) => by_index.get(&(wanted.summary.as_str(), *index)),
            };
            self.found[place] = original.map(|original| original.message.text().to_owned());
        }
    }

    /// Lines of one answer are one message, which is given once.
    fn finish(self, id: &str) -> Expanded {
        let places = if self.looked.is_empty() {
            "nowhere: no transcript, snapshot or originals".into()
        } else {
            self.looked.join(", ")
        };
        let mut given: HashSet<String> = HashSet::new();
        let mut expanded = Expanded { id: id.to_owned(), ..Expanded::default() };
        for (wanted, found) in self.wanted.iter().zip(self.found) {
            match found {
                Some(json) => {
                    if given.insert(json.clone()) {
                        expanded.messages.extend(Raw::new(mem_types::surrogates::mended(&json).into_owned()));
                    }
                }
                None => {
                    let reason = format!("not in {places}");
                    expanded.missing.push(Missing { id: wanted.cover.clone(), reason });
                }
            }
        }
        expanded
    }
}

/// Returns the folded messages themselves, each with the summary of its block.
pub(crate) fn originals(messages: &[Message<'_>], summaries: &[Summary]) -> Vec<Original> {
    let mut places: HashMap<Cover, usize> = HashMap::new();
    for (at, message) in messages.iter().enumerate() {
        places.extend(message.uuids().map(|uuid| (Cover::Id(uuid.to_owned()), at)));
        if message.uuids().next().is_none() {
            places.insert(Cover::Index(at), at);
        }
    }
    let mut originals = Vec::new();
    let mut taken: HashSet<usize> = HashSet::new();
    for summary in summaries.iter().filter(|summary| summary.level == 1) {
        for cover in &summary.covers {
            let Some(&at) = places.get(cover) else { continue };
            if !taken.insert(at) {
                continue;
            }
            let json = mem_types::surrogates::mended(&messages[at].to_json()).into_owned();
            let index = matches!(cover, Cover::Index(_)).then_some(at);
            originals.extend(Raw::new(json).map(|message| Original { summary: summary.id.clone(), index, message }));
        }
    }
    originals
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(id: &str, covers: &[&str]) -> (String, Summary) {
        let covers = covers.iter().map(|id| Cover::Id((*id).to_owned())).collect();
        (id.to_owned(), Summary { id: id.into(), level: 1, covers, ..Summary::default() })
    }

    fn check(id: &str, summaries: &[(String, Summary)], expected: &[&str]) {
        let summaries: HashMap<String, Summary> = summaries.iter().cloned().collect();
        let found: Vec<String> = wanted(id, &summaries)
            .into_iter()
            .map(|wanted| match wanted.cover {
                Cover::Id(id) => id,
                Cover::Index(index) => index.to_string(),
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_digest_leads_to_the_messages_of_its_blocks_in_order() {
        let all = [summary("d", &["a", "b"]), summary("a", &["1", "2"]), summary("b", &["3"])];
        check("d", &all, &["1", "2", "3"]);
        check("b", &all, &["3"]);
        check("7", &all, &["7"]);
    }

    #[test]
    fn summaries_that_cover_each_other_end() {
        check("a", &[summary("a", &["b", "1"]), summary("b", &["a", "2"])], &["2", "1"]);
    }
}
