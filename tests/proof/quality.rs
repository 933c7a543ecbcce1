//! Scores the offline ranking on labelled sets, whole and without each ingredient; `tests/proof/quality` tells the forms.
#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};

use mem_text::rank::{Item, Options, Weights, rank};
use serde::Deserialize;

#[derive(Deserialize)]
struct Memory {
    #[serde(default)]
    folder: String,
    file: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    body: String,
}

#[derive(Deserialize)]
struct Query {
    #[serde(default)]
    folder: String,
    query: String,
    relevant: Vec<String>,
}

#[derive(Deserialize)]
struct Set {
    #[serde(default)]
    name: String,
    memories: Vec<Memory>,
    queries: Vec<Query>,
}

#[derive(Deserialize)]
struct Conversations {
    conversations: Vec<Conversation>,
}

#[derive(Deserialize)]
struct Conversation {
    id: String,
    sessions: Vec<Session>,
    qa: Vec<(String, Vec<String>, u32)>,
}

#[derive(Deserialize)]
struct Session {
    n: u32,
    date: String,
    #[serde(default)]
    summary: String,
    turns: Vec<(String, String, String)>,
}

type Change = fn(&mut Weights);

/// What is turned off, and how.
const ABLATIONS: [(&str, Change); 14] = [
    ("without associations", |w| w.association = 0.0),
    ("without the best passage", |w| w.passage = 0.0),
    ("without its neighbours", |w| w.neighbour = 0.0),
    ("without headings", |w| w.headings = 0.0),
    ("without names", |w| w.name = 0.0),
    ("without descriptions", |w| w.description = 0.0),
    ("without length", |w| w.length = 0.0),
    ("without near spellings", |w| w.near = 0.0),
    ("without whole identifiers", |w| w.whole = 0.0),
    ("without pairs of characters", |w| w.pair = 0.0),
    ("without single characters", |w| w.single = 0.0),
    ("without dates", |w| w.date = 0.0),
    ("without imagined memories", |w| w.background = 0.0),
    ("without abstaining", |w| (w.floor, w.evidence, w.tail, w.answered, w.gap) = (0.0, 0.0, 0.0, 0.0, 0.0)),
];

fn main() -> Result<(), Box<dyn Error>> {
    let dir = std::env::args().nth(1).ok_or("usage: tests/proof/quality SETS_DIR")?;
    for set in read(Path::new(&dir))? {
        println!("{} ({} memories, {} questions)", set.name, set.memories.len(), set.queries.len());
        println!(
            "  {:28} {:>9} {:>7} {:>9} {:>7} {:>11}",
            "", "recall@5", "ndcg@5", "precision", "empty", "false empty"
        );
        row("as it is", &set, &Weights::default(), true);
        row("heads alone", &set, &Weights::default(), false);
        for (name, change) in ABLATIONS {
            let mut weights = Weights::default();
            change(&mut weights);
            row(name, &set, &weights, true);
        }
    }
    Ok(())
}

fn read(dir: &Path) -> Result<Vec<Set>, Box<dyn Error>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(dir)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
    paths.sort();
    let mut sets = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path)?;
        let value: serde_json::Value = serde_json::from_str(&text)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match value["format"].as_str() {
            Some("recall-set/1") => {
                sets.push(Set { name: stem, ..serde_json::from_value(value)? });
            }
            Some("locomo-slice/1") => {
                let talks: Conversations = serde_json::from_value(value)?;
                sets.push(cut(&talks, format!("{stem}, a file a session"), usize::MAX));
                sets.push(cut(&talks, format!("{stem}, a file per six turns"), 6));
            }
            other => println!("{}: format {other:?} is not known, passed over", path.display()),
        }
    }
    Ok(sets)
}

/// Makes memories of `size` turns each; a rest of fewer than half goes with the one before.
fn cut(talks: &Conversations, name: String, size: usize) -> Set {
    let mut set = Set { name, memories: Vec::new(), queries: Vec::new() };
    for talk in &talks.conversations {
        let mut place = BTreeMap::new();
        for session in &talk.sessions {
            for (part, turns) in parts(&session.turns, size).into_iter().enumerate() {
                let memory = memory(talk, session, part, turns, size == usize::MAX);
                turns.iter().for_each(|turn| drop(place.insert(turn.0.clone(), memory.file.clone())));
                set.memories.push(memory);
            }
        }
        for (question, evidence, _) in &talk.qa {
            let files: BTreeSet<String> = evidence.iter().filter_map(|id| place.get(id).cloned()).collect();
            if !files.is_empty() {
                let relevant = files.into_iter().collect();
                set.queries.push(Query { folder: talk.id.clone(), query: question.clone(), relevant });
            }
        }
    }
    set
}

type Turn = (String, String, String);

fn parts(turns: &[Turn], size: usize) -> Vec<&[Turn]> {
    let size = size.min(turns.len()).max(1);
    let (mut parts, mut at) = (Vec::new(), 0);
    while at < turns.len() {
        let rest = turns.len() - at;
        let end = if rest < size + size.div_ceil(2) && rest != size { turns.len() } else { at + size };
        parts.push(&turns[at..end]);
        at = end;
    }
    parts
}

fn memory(talk: &Conversation, session: &Session, part: usize, turns: &[Turn], is_whole: bool) -> Memory {
    let said: Vec<String> = turns.iter().map(|(_, speaker, text)| format!("{speaker}: {text}")).collect();
    let day = day(&session.date);
    let (file, name) = if is_whole {
        (format!("session_{:02}_{day}.md", session.n), format!("session-{}", session.n))
    } else {
        (format!("s{:02}_part{:02}_{day}.md", session.n, part + 1), format!("session-{}-part-{}", session.n, part + 1))
    };
    let source = if is_whole && !session.summary.is_empty() { session.summary.clone() } else { said.join(" ") };
    let description = mem_text::cut::ellipsis(&source, 150).into_owned();
    let body = format!("Conversation of {}.\n\n{}", session.date, said.join("\n"));
    Memory { folder: talk.id.clone(), file, name, description, kind: "project".into(), body }
}

fn day(date: &str) -> String {
    mem_text::dates::written(date).first().map_or("undated".into(), |found| found.date.to_string())
}

#[derive(Default)]
struct Sums {
    answerable: f64,
    recall: f64,
    gain: f64,
    precision: f64,
    answered: f64,
    nothing: usize,
    empty: usize,
}

fn row(name: &str, set: &Set, weights: &Weights, with_bodies: bool) {
    let mut folders: BTreeMap<&str, Vec<Item<'_>>> = BTreeMap::new();
    for memory in &set.memories {
        folders.entry(&memory.folder).or_default().push(Item {
            path: &memory.file,
            name: &memory.name,
            description: &memory.description,
            kind: &memory.kind,
            body: if with_bodies { &memory.body } else { "" },
            ..Item::default()
        });
    }
    let options = Options { weights: *weights, ..Options::default() };
    let mut sums = Sums::default();
    for query in &set.queries {
        let items = folders.get(query.folder.as_str()).map_or(&[][..], Vec::as_slice);
        let ranking = rank(items, &query.query, &options);
        let got: Vec<bool> =
            ranking.hits.iter().map(|hit| query.relevant.iter().any(|file| file == items[hit.index].path)).collect();
        sums.add(&got, query.relevant.len());
    }
    sums.print(name);
}

impl Sums {
    fn add(&mut self, got: &[bool], relevant: usize) {
        if relevant == 0 {
            self.nothing += 1;
            self.empty += usize::from(got.is_empty());
            return;
        }
        let gain = |place: usize| 1.0 / ((place + 2) as f64).log2();
        let ideal: f64 = (0..relevant.min(5)).map(gain).sum();
        let hits = got.iter().filter(|hit| **hit).count() as f64;
        self.answerable += 1.0;
        self.recall += hits / relevant as f64;
        self.gain += got.iter().enumerate().filter(|(_, hit)| **hit).map(|(place, _)| gain(place)).sum::<f64>() / ideal;
        if !got.is_empty() {
            self.answered += 1.0;
            self.precision += hits / got.len() as f64;
        }
    }

    fn print(&self, name: &str) {
        let all = self.answerable.max(1.0);
        let empty = if self.nothing == 0 { "-".into() } else { format!("{}/{}", self.empty, self.nothing) };
        let (recall, gain) = (self.recall / all, self.gain / all);
        let (precision, false_empty) = (self.precision / self.answered.max(1.0), 1.0 - self.answered / all);
        println!("  {name:28} {recall:9.4} {gain:7.4} {precision:9.4} {empty:>7} {false_empty:11.4}");
    }
}
