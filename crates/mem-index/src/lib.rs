//! Layer 2: reads the index of a memory folder as a model would get it, lists what the folder holds, checks the one
//! against the other, and brings them together when asked.

pub mod args;
mod check;
mod content;
mod draft;
mod entry;
mod findable;
mod fit;
mod lines;
mod listing;
mod mend;
mod proposal;
mod quality;
mod shelf;
mod staged;
mod text;

use std::collections::BTreeSet;

use mem_store::index_reading::{self as reading, Limits, Unit, Warns};
use mem_store::memory::Survey;
use mem_store::{Change, MemoryFolder, Outcome, Profile, World, access, index_file};
use mem_text::secrets;
use mem_types::index::{Candidate, Index, Logs, Proposed};
use mem_types::{Answer, Document, Failure, Problems};

use crate::args::{Class, UnitChoice};
use crate::check::Checked;
use crate::content::{Content, most_files};
use crate::fit::Weights;
use crate::listing::Shelves;
use crate::proposal::Bounds;
use crate::shelf::{Place, Shelf};

pub use args::Args;

/// Returns the index of the document's memory folder, with the topic files of all its folders.
///
/// # Errors
/// With `--apply`, when the index cannot be written; with `--staged`, when git cannot be asked.
pub fn run(args: &Args, document: &Document, world: &World) -> Result<Answer<Index>, Failure> {
    let mut problems = Problems::new("mem-index");
    // A profile changes reading only: what is written follows our own rules.
    let own_world = world.clone().with_profile(Profile::Mem);
    let world = if args.apply { &own_world } else { world };
    let folders = world.memory_folders(document, &mut problems);
    let Some((own, others)) = folders.split_first() else {
        return Ok(Answer::new(Index { state: "missing".into(), ..Index::default() }, problems, text::render));
    };
    let Some(content) = Content::read(args, own, world, &mut problems)? else {
        let dir = own.dir.to_string_lossy().into_owned();
        return Ok(Answer::new(Index { dir, state: "missing".into(), ..Index::default() }, problems, text::render));
    };
    let mut of_index = problems.fresh();
    let mut index = read_index(args, own, &content, world, &mut of_index);
    index.native = world.native_memory_dir(document).is_some_and(|native| native == own.dir);
    let shelf = content.shelf(args, own);
    let listed = listed_paths(content.text(), &shelf);
    if wants_proposal(args) && own.closed.is_none() {
        let uses = access::uses(own, document, &mut problems);
        let proposed = propose(args, own, &content, &shelf, &Weights::new(&uses, world.now()), &mut problems);
        let load = document.read("load", &mut problems);
        index.check = check::run(
            &Checked { args, own, raw: content.text(), shelf: &shelf, load, now: world.now() },
            proposed.as_ref(),
            &mut problems,
        );
        index.proposed = proposed.filter(|_| args.diff || args.apply);
    } else {
        check::dangling(content.text(), &shelf, &mut problems);
        check::unlisted(args, &index, &shelf, &listed, &mut problems);
    }
    drop(shelf);
    let work = Work { args, own, others, document, world };
    let index = work.finish(index, content, listed, of_index, &mut problems)?;
    let has_findings = index.check.as_ref().is_some_and(|check| check.findings.values().any(|count| *count > 0));
    let mut answer = Answer::new(index, problems, text::render);
    answer.has_findings = has_findings;
    Ok(answer)
}

fn wants_proposal(args: &Args) -> bool {
    args.apply || args.diff || !args.check.is_empty()
}

fn limits(args: &Args, world: &World) -> Limits {
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let is_client = world.profile() == Profile::ClaudeCode;
    Limits {
        lines: size(args.max_lines),
        size: size(args.max_bytes),
        unit: if is_client || args.unit == UnitChoice::Characters { Unit::Characters } else { Unit::Bytes },
        warns: if is_client { Warns::ClaudeCode } else { Warns::Ourselves },
    }
}

fn read_index(args: &Args, own: &MemoryFolder, content: &Content, world: &World, problems: &mut Problems) -> Index {
    if let Some((code, reason)) = &own.closed {
        problems.info(code, reason);
    }
    let dir = own.dir.to_string_lossy().into_owned();
    let Some(raw) = content.raw.as_deref().filter(|_| own.closed.is_none()) else {
        return Index { dir, ..Index::default() };
    };
    if matches!(world.profile(), Profile::Gemini | Profile::Codex | Profile::Opencode) {
        problems.info("not-read", "this client does not load MEMORY.md").path(index_file::NAME);
        return Index { dir, ..Index::default() };
    }
    let text = String::from_utf8_lossy(raw);
    let mut index = reading::as_model_gets_it(&text, &limits(args, world));
    report_secrets(&text, problems);
    index.text = secrets::mask(&index.text).into_owned();
    if let Some(limit) = &index.truncated_by {
        let message = format!("MEMORY.md is over the limit of {limit}: {} entries are not seen", index.lost.len());
        problems
            .warning("index-truncated", message)
            .path(index_file::NAME)
            .hint("mem-index --diff shows an index that fits, chosen by weight; --apply writes it");
    }
    Index { dir, ..index }
}

fn report_secrets(text: &str, problems: &mut Problems) {
    for (number, line) in text.lines().enumerate() {
        if !secrets::find(line).is_empty() {
            problems
                .warning("secret", "a line of the index holds a secret; it is masked for the model")
                .path(index_file::NAME)
                .line(number + 1)
                .hint("take it out, and change it where it is used");
        }
    }
}

/// Returns the files that MEMORY.md links to, also in the part that is cut.
fn listed_paths(raw: &str, shelf: &Shelf<'_>) -> BTreeSet<String> {
    let lines = lines::of(raw);
    let links = lines.iter().flat_map(|line| &line.links);
    let places = links.map(|link| shelf.place(link.target, link.is_wiki));
    places.filter_map(|place| if let Place::Memory(path) = place { Some(path) } else { None }).collect()
}

fn propose(
    args: &Args,
    own: &MemoryFolder,
    content: &Content,
    shelf: &Shelf<'_>,
    weights: &Weights<'_>,
    problems: &mut Problems,
) -> Option<Proposed> {
    if !content.is_text() {
        problems
            .error("index-not-utf8", "MEMORY.md is not UTF-8, so nothing is proposed for it")
            .path(index_file::NAME)
            .hint("convert it, for example with iconv");
        return None;
    }
    // Nothing is made where nothing was.
    if !own.exists() && !args.staged {
        return None;
    }
    // What is written holds for every client, so it keeps to bytes unless characters were asked for.
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let unit = if args.unit == UnitChoice::Characters { Unit::Characters } else { Unit::Bytes };
    let limits = Limits { lines: size(args.max_lines), size: size(args.max_bytes), unit, warns: Warns::Ourselves };
    let bounds = Bounds { limits, line: size(args.max_line).max(40) };
    Some(proposal::of(content.text(), shelf, weights, &bounds))
}

/// What one document asks for.
struct Work<'a> {
    args: &'a Args,
    own: &'a MemoryFolder,
    others: &'a [MemoryFolder],
    document: &'a Document,
    world: &'a World,
}

impl Work<'_> {
    /// Writes the proposal when asked, and adds what is read from the folders.
    fn finish(
        &self,
        mut index: Index,
        mut content: Content,
        mut listed: BTreeSet<String>,
        mut of_index: Problems,
        problems: &mut Problems,
    ) -> Result<Index, Failure> {
        let (args, own, world) = (self.args, self.own, self.world);
        if args.apply && world.may_write() && apply(own, &content, &mut index, world)? {
            // What the answer says is what is there now.
            content.raw = own.index(&mut Problems::default()).map(|content| content.bytes);
            of_index = problems.fresh();
            let after = read_index(args, own, &content, world, &mut of_index);
            listed = listed_paths(content.text(), &content.shelf(args, own));
            index = Index { native: index.native, check: index.check, proposed: index.proposed, ..after };
        }
        problems.extend(of_index.into_entries());
        index.logs = logs(own, args.staged);
        index.candidates = candidates(own, &content, self.document, world, problems);
        Ok(self.list(index, content, &listed, problems))
    }

    /// Adds the memories of all folders.
    fn list(&self, mut index: Index, content: Content, listed: &BTreeSet<String>, problems: &mut Problems) -> Index {
        let mut memories = content.memories;
        let mut shelves = vec![Shelves { folder: &self.own.dir, files: content.files }];
        let limit = most_files(self.args);
        for other in self.others.iter().filter(|_| !self.args.staged) {
            let Survey { all: files, newest } = other.survey(limit, problems);
            memories.extend(newest);
            shelves.push(Shelves { folder: &other.dir, files });
        }
        index.state = state(self.own, &index, memories.is_empty(), self.args.staged).into();
        let (visible, beyond) = listing::visible(limit, memories, &shelves);
        listing::report_beyond(limit, &beyond, problems);
        index.beyond = beyond;
        let says_secrets = !self.args.check.contains(&Class::Secrets);
        let entry = |memory| listing::entry(memory, self.own, listed, self.world, says_secrets, problems);
        index.memories = visible.into_iter().map(entry).collect();
        index
    }
}

/// Writes the proposed index and says whether it made a difference.
fn apply(own: &MemoryFolder, content: &Content, index: &mut Index, world: &World) -> Result<bool, Failure> {
    let Some(proposed) = index.proposed.as_mut().filter(|proposed| proposed.state == "proposed") else {
        return Ok(false);
    };
    world.check_target()?;
    let change = Change::Index { from: content.text().to_owned(), to: proposed.text.clone() };
    let outcome = own.apply(&[change], world.now())?;
    let is_written = outcome.contains(&Outcome::Written);
    proposed.state = if is_written { "applied" } else { "unchanged" }.into();
    Ok(is_written)
}

fn logs(own: &MemoryFolder, is_staged: bool) -> Option<Logs> {
    let logs = if is_staged { Vec::new() } else { own.logs() };
    let last = logs.last()?.date.clone();
    let bytes = logs.iter().map(|log| log.bytes).sum();
    let paths = logs.iter().rev().map(|log| log.path.clone()).collect();
    Some(Logs { count: logs.len() as u64, bytes, last, paths })
}

/// Names the folders in which the memory of a moved project may lie, and projects that share this folder by accident.
fn candidates(
    own: &MemoryFolder,
    content: &Content,
    document: &Document,
    world: &World,
    problems: &mut Problems,
) -> Vec<Candidate> {
    if document.get("memory_dir").is_some_and(|value| value != "null") || own.closed.is_some() {
        return Vec::new();
    }
    let root = world.memory_root(document);
    for other in world.sharing_projects(&root, &own.dir) {
        problems
            .warning("slug-collision", format!("this memory folder is also that of {other}: both paths become the same name"))
            .path(own.dir.to_string_lossy())
            .hint("give one of the two a folder of its own with autoMemoryDirectory in your settings, or with --memory-dir");
    }
    if content.raw.is_some() || !content.files.is_empty() {
        return Vec::new();
    }
    let found = world.moved_memories(&root, &own.dir);
    for candidate in &found {
        problems
            .info(
                "memory-elsewhere",
                format!("{} was remembered for {}, which is no longer there", candidate.dir.display(), candidate.cwd),
            )
            .path(candidate.dir.to_string_lossy())
            .hint("if this project was moved or renamed, rename that folder, or name it with --memory-dir");
    }
    let candidate = |found: mem_store::elsewhere::Moved| Candidate {
        dir: found.dir.to_string_lossy().into_owned(),
        cwd: found.cwd,
    };
    found.into_iter().map(candidate).collect()
}

fn state(own: &MemoryFolder, index: &Index, is_bare: bool, is_staged: bool) -> &'static str {
    match &own.closed {
        Some((code, _)) => code,
        None if !own.exists() && !is_staged => "missing",
        None if index.text.trim().is_empty() && is_bare => "empty",
        None => "ok",
    }
}
