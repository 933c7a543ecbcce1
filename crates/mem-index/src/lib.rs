//! Layer 2: reads the index of a memory folder as a model would get it, lists what the folder holds, checks the one
//! against the other, and brings them together when asked.

pub mod args;
mod check;
mod draft;
mod entry;
mod fit;
mod lines;
mod mend;
mod proposal;
mod quality;
mod reading;
mod shelf;
mod staged;
mod text;

use std::collections::BTreeSet;

use mem_store::{Change, Memory, MemoryFolder, Outcome, Profile, Scan, World, access, index_file};
use mem_text::secrets;
use mem_types::index::{Candidate, Index, IndexedMemory, Logs, Proposed};
use mem_types::{Answer, Document, Failure, Problems};

use crate::args::{Class, UnitChoice};
use crate::check::Checked;
use crate::fit::Weights;
use crate::proposal::Bounds;
use crate::reading::{Limits, Unit, Warns};
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
    let mut index = read_index(args, own, &content, world, &mut problems);
    index.native = world.native_memory_dir(document).is_some_and(|native| native == own.dir);
    let shelf = if args.staged { Shelf::of_git(&content.memories) } else { Shelf::of_disk(own, &content.memories) };
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
        check::unlisted(&shelf, &listed, &mut problems);
    }
    let index = finish(args, own, others, index, content, &listed, document, world, &mut problems)?;
    let has_findings = index.check.as_ref().is_some_and(|check| check.findings.values().any(|count| *count > 0));
    let mut answer = Answer::new(index, problems, text::render);
    answer.has_findings = has_findings;
    Ok(answer)
}

/// What is looked at: the files on disk, or those that git would commit.
struct Content {
    raw: Option<Vec<u8>>,
    memories: Vec<Memory>,
}

impl Content {
    fn read(args: &Args, own: &MemoryFolder, world: &World, problems: &mut Problems) -> Result<Option<Self>, Failure> {
        if args.staged {
            let staged = staged::read(own, world, problems)?;
            return Ok(staged.map(|staged| Self { raw: staged.index, memories: staged.memories }));
        }
        let scan = if wants_proposal(args) { Scan::Whole } else { Scan::Heads };
        let raw = own.index(problems).map(|content| content.bytes);
        Ok(Some(Self { raw, memories: own.memories(scan, problems) }))
    }

    /// Returns MEMORY.md, empty when there is none or it is not UTF-8.
    fn text(&self) -> &str {
        self.raw.as_deref().and_then(|raw| std::str::from_utf8(raw).ok()).unwrap_or_default()
    }

    fn is_text(&self) -> bool {
        self.raw.as_deref().is_none_or(|raw| std::str::from_utf8(raw).is_ok())
    }
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

/// Writes the proposal when asked, and adds what is read from the folders.
#[allow(clippy::too_many_arguments)]
fn finish(
    args: &Args,
    own: &MemoryFolder,
    others: &[MemoryFolder],
    mut index: Index,
    mut content: Content,
    listed: &BTreeSet<String>,
    document: &Document,
    world: &World,
    problems: &mut Problems,
) -> Result<Index, Failure> {
    let mut listed = listed.clone();
    if args.apply && world.may_write() && apply(own, &content, &mut index, world)? {
        // What the answer says is what is there now.
        content.raw = own.index(&mut Problems::default()).map(|content| content.bytes);
        let after = read_index(args, own, &content, world, &mut Problems::default());
        listed = listed_paths(content.text(), &Shelf::of_disk(own, &content.memories));
        index = Index { native: index.native, check: index.check, proposed: index.proposed, ..after };
    }
    index.logs = logs(own, args.staged);
    index.candidates = candidates(own, &content, document, world, problems);
    let mut memories = content.memories;
    for other in others.iter().filter(|_| !args.staged) {
        memories.extend(other.memories(Scan::Heads, problems));
    }
    index.state = state(own, &index, &memories, args.staged).into();
    let says_secrets = !args.check.contains(&Class::Secrets);
    index.memories = visible(args, memories, problems)
        .into_iter()
        .map(|memory| entry(memory, own, &listed, world, says_secrets, problems))
        .collect();
    Ok(index)
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
    if content.raw.is_some() || !content.memories.is_empty() {
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

fn state(own: &MemoryFolder, index: &Index, memories: &[Memory], is_staged: bool) -> &'static str {
    match &own.closed {
        Some((code, _)) => code,
        None if !own.exists() && !is_staged => "missing",
        None if index.text.trim().is_empty() && memories.is_empty() => "empty",
        None => "ok",
    }
}

/// Returns the newest memories; the rest is named, one by one.
fn visible(args: &Args, mut memories: Vec<Memory>, problems: &mut Problems) -> Vec<Memory> {
    memories.sort_by(|left, right| {
        right
            .modified
            .cmp(&left.modified)
            .then_with(|| left.folder.cmp(&right.folder))
            .then_with(|| left.path.cmp(&right.path))
    });
    let limit = usize::try_from(args.max_files).unwrap_or(usize::MAX);
    for hidden in memories.iter().skip(limit) {
        problems
            .warning("beyond-visible", format!("a memory of {} bytes is not among the {limit} newest", hidden.bytes))
            .path(&hidden.path)
            .hint("let mem-age plan what may go");
    }
    memories.truncate(limit);
    memories
}

fn entry(
    memory: Memory,
    own: &MemoryFolder,
    listed: &BTreeSet<String>,
    world: &World,
    says_secrets: bool,
    problems: &mut Problems,
) -> IndexedMemory {
    let description = secrets::mask(&memory.description).into_owned();
    if description != memory.description && says_secrets {
        problems
            .warning("secret", "a description holds a secret; it is masked for the model")
            .path(&memory.path)
            .hint("take it out, and change it where it is used");
    }
    let is_own = memory.folder == own.dir;
    IndexedMemory {
        dir: (!is_own).then(|| memory.folder.to_string_lossy().into_owned()),
        is_listed: is_own && listed.contains(&memory.path),
        modified: memory.modified.map(|then| then.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()),
        age_days: memory.modified.map(|then| world.now().days_since(then)),
        modified_source: memory.modified_source.into(),
        path: memory.path,
        name: memory.name,
        description,
        kind: memory.kind,
        bytes: memory.bytes,
        triggers: memory.triggers,
        superseded_by: memory.superseded_by,
    }
}
