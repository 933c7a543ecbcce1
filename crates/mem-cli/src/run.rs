//! One document through the command: what is checked before it, what is written into it, what is printed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use mem_store::session::SessionFile;
use mem_store::{Environment, Moment, World};
use mem_types::input::MemoryDirs;
use mem_types::{Answer, Document, Failure, Layer, Page, Problem, Problems, Severity};

use crate::command_line::{Arguments, CommandLine};
use crate::common::{Common, Format};
use crate::formats::{self, Noted, Printed};
use crate::sources::Sources;
use crate::stream::Item;
use crate::{Run, environment, report, status};

/// One process: its options, its world, and the work that it does for each document.
pub struct Session<A: Arguments, L: Layer> {
    run: Run<A, L>,
    own: A,
    /// The common options.
    pub common: Common,
    sources: Sources,
    environment: Environment,
    now: Option<Moment>,
    page: Page,
    command: String,
    comes_through_pipe: bool,
}

/// What became of one document.
pub struct Outcome {
    /// What goes to stdout.
    pub printed: Printed,
    /// The status that this document alone would end with.
    pub status: u8,
    /// What is noted in the session once it has been printed.
    pub noted: Option<(SessionFile, Noted)>,
}

impl<A: Arguments, L: Layer> Session<A, L> {
    /// Returns a session ready for its documents.
    ///
    /// # Errors
    /// In words, when an option's value makes no sense.
    pub fn new(run: Run<A, L>, line: CommandLine<A>, sources: Sources) -> Result<Self, String> {
        let now = line.common.now.as_deref().map(Moment::parse).transpose();
        let now =
            now.map_err(|_| "--now takes an RFC 3339 time with offset, such as 2026-11-30T09:00:00+08:00".to_owned())?;
        Ok(Self {
            run,
            own: line.own,
            page: environment::page(line.common.color),
            environment: environment::read(),
            command: format!("mem-{}", L::KEY),
            comes_through_pipe: !line.common.no_input && !std::io::IsTerminal::is_terminal(&std::io::stdin()),
            common: line.common,
            sources,
            now,
        })
    }

    /// Whether this run can come to write a file.
    pub fn may_write(&self) -> bool {
        !self.common.dry_run && (self.common.session.is_some() || self.own.writes())
    }

    /// Returns the memory folder or session by which documents must be worked on one after another.
    pub fn shared_things(&self, document: &Document) -> Vec<String> {
        let world = self.world(document, &mut Problems::default());
        let mut given = document.clone();
        self.write_given(&mut given);
        let folders = world.memory_folders(&given, &mut Problems::default());
        let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let mut things: Vec<String> =
            folders.first().map(|folder| format!("folder {}", real(&folder.dir).display())).into_iter().collect();
        things.extend(self.session_file(&given).map(|file| format!("session {}", file.path().display())));
        things
    }

    /// Answers one item of the input, the `number`th from 1.
    pub fn answer(&self, item: Item, number: u64) -> Outcome {
        match item {
            Item::Bad(failure) => {
                let mut document = Document::default();
                self.fail(&mut document, &failure, number);
                self.print_failed(document)
            }
            Item::Document(document) if is_failed(&document) => self.print_failed(*document),
            Item::Document(document) => self.answer_document(*document, number),
        }
    }

    fn answer_document(&self, mut document: Document, number: u64) -> Outcome {
        let mut problems = Problems::new(&self.command);
        match self.work(&mut document, &mut problems) {
            Ok(answer) => self.finish(document, answer, problems, number),
            Err(failure) => {
                drop_own(&mut document, L::KEY);
                self.write_problems(&mut document, problems.into_entries());
                self.fail(&mut document, &failure, number);
                self.print_failed(document)
            }
        }
    }

    /// Checks the document, writes into it what was given, and runs the command on it.
    fn work(&self, document: &mut Document, problems: &mut Problems) -> Result<Answer<L>, Failure> {
        check_schema(document, problems)?;
        check_own_keys(document, L::KEY, L::KEEPS || self.common.session.is_some())?;
        self.write_given(document);
        let world = self.world(document, problems);
        write_if_unreadable(document, "now", &world.now().to_rfc3339(), |now| Moment::parse(now).is_ok());
        write_if_unreadable(document, "schema", &mem_types::SCHEMA, |_| true);
        self.read_session(document, problems);
        let options = self.sources.for_document::<A>(document, problems)?;
        let own = options.as_ref().unwrap_or(&self.own);
        guarded(|| (self.run)(own, document, &world))
    }

    /// Writes the values of common options into the document, so that the rest of the pipe has them.
    fn write_given(&self, document: &mut Document) {
        if let Some(prompt) = &self.common.prompt {
            document.write("prompt", prompt);
        }
        if let Some(cwd) = &self.common.cwd {
            document.write("cwd", &self.absolute(cwd));
        }
        match self.common.memory_dir.as_slice() {
            [] => {}
            [only] => document.write("memory_dir", &self.absolute(only)),
            several => document.write("memory_dir", &several.iter().map(|dir| self.absolute(dir)).collect::<Vec<_>>()),
        }
        if let Some(now) = &self.common.now {
            document.write("now", now);
        }
    }

    fn absolute(&self, path: &Path) -> String {
        mem_store::git::tidy(&self.environment.started_in.join(path)).to_string_lossy().into_owned()
    }

    /// Returns the world at the document's `now`, in its `timezone`.
    fn world(&self, document: &Document, problems: &mut Problems) -> World {
        let of_document = document.read::<String>("now", problems).and_then(|now| match Moment::parse(&now) {
            Ok(moment) => Some(moment),
            Err(_) => {
                problems
                    .warning("foreign-shape", "'now' is passed over: it is no RFC 3339 time with an offset")
                    .hint("write it as 2026-11-30T09:00:00+08:00");
                None
            }
        });
        let now = self.now.clone().or(of_document).unwrap_or_else(Moment::of_clock);
        let zone = document.read::<String>("timezone", problems);
        let now = match zone.map(|zone| now.in_zone(&zone)) {
            Some(Ok(moment)) => moment,
            Some(Err(reason)) => {
                problems.warning("foreign-shape", format!("'timezone' is passed over: {reason}"));
                now
            }
            None => now,
        };
        let is_named = names_target(document);
        World::new(self.environment.clone(), now)
            .with_target(is_named || !self.comes_through_pipe)
            .with_writing(!self.common.dry_run)
            .with_profile(self.common.profile.into())
            .with_trust(self.common.trust_project)
            .with_session(self.session_file(document))
            .with_request(self.common.format == Format::Request)
    }

    fn session_file(&self, document: &Document) -> Option<SessionFile> {
        let chosen = self.common.session.as_ref()?;
        if chosen != Path::new("auto") {
            return Some(SessionFile::at(self.environment.started_in.join(chosen)));
        }
        let id: String = document.try_read("session_id").ok().flatten()?;
        self.environment.state_dir.as_ref().map(|dir: &PathBuf| SessionFile::by_id(dir, &id))
    }

    /// Adds the parts that the file has and the document does not: what comes in wins for reading.
    fn read_session(&self, document: &mut Document, problems: &mut Problems) {
        if self.common.session.is_none() {
            return;
        }
        let Some(file) = self.session_file(document) else {
            problems
                .warning("no-session", "nothing is kept: '--session auto' needs a session_id in the document, and HOME")
                .hint("name a file with --session FILE");
            return;
        };
        let kept = match file.read() {
            Ok(kept) => kept,
            Err(reason) => {
                problems.warning("unreadable-session", reason).hint("remove the file to start the session again");
                return;
            }
        };
        let mut session = document.get("session").and_then(|raw| Document::parse(raw).ok()).unwrap_or_default();
        for key in kept.keys() {
            if session.get(&key).is_none()
                && let Some(value) = kept.get(&key)
            {
                session.set(&key, value.to_owned());
            }
        }
        document.set("session", session.to_line());
    }

    /// Writes the answer into the document, keeps the session, and prints.
    fn finish(&self, mut document: Document, answer: Answer<L>, mut problems: Problems, number: u64) -> Outcome {
        problems.extend(answer.problems.into_entries());
        document.write(L::KEY, &answer.layer);
        if let Some(messages) = answer.messages {
            document.set("messages", messages);
        }
        let mut is_undone = answer.is_undone;
        if let Some(part) = answer.session {
            let is_kept = self.keep(&mut document, part, &mut problems);
            // An agent throws the answer away with any other status than 0, and the answer itself is right.
            is_undone |= !is_kept && self.common.format != Format::Hook;
        }
        let problems = problems.into_entries();
        let status = self.status(&problems, is_undone, answer.has_findings);
        if self.common.verbose {
            problems.iter().for_each(|problem| report::problem(number, problem));
        }
        self.write_problems(&mut document, problems);
        let text = || (answer.text)(&answer.layer, &self.page);
        self.print(document, text, status)
    }

    fn status(&self, problems: &[Problem], is_undone: bool, has_findings: bool) -> u8 {
        let has_found = problems.iter().any(|problem| problem.severity > Severity::Info);
        match (is_undone, has_findings || self.common.strict && has_found) {
            (true, _) => status::UNDONE,
            (false, true) => status::FOUND,
            (false, false) => status::ANSWERED,
        }
    }

    /// Writes the command's own part of the session into the document and its file; says whether all went well.
    fn keep(&self, document: &mut Document, part: String, problems: &mut Problems) -> bool {
        let mut session = document.get("session").and_then(|raw| Document::parse(raw).ok()).unwrap_or_default();
        session.set(L::KEY, part.clone());
        document.set("session", session.to_line());
        let Some(file) = self.session_file(document).filter(|_| !self.common.dry_run) else { return true };
        match file.merge(&[(L::KEY, part)]) {
            Ok(()) => true,
            Err(reason) => {
                self.say(&format!("session-not-kept: {reason}"));
                problems
                    .error("session-not-kept", reason)
                    .hint("name another file, or remove the one that is no session");
                false
            }
        }
    }

    /// Says on stderr what must not go unnoticed, unless quiet was asked for.
    pub fn say(&self, message: &str) {
        if !self.common.quiet {
            report::say(&self.command, message);
        }
    }

    fn write_problems(&self, document: &mut Document, own: Vec<Problem>) {
        let old = document.get("problems");
        let Some(kept) = old.map_or_else(|| Some(Vec::new()), |raw| others_problems(raw, &self.command)) else {
            return;
        };
        let was_changed = old.is_none() || kept.len() != count_items(old.unwrap_or_default());
        if own.is_empty() && (old.is_none() || !was_changed) {
            return;
        }
        let own = own.iter().map(mem_types::to_json);
        let items: Vec<String> = kept.into_iter().chain(own).collect();
        document.set("problems", format!("[{}]", items.join(",")));
    }

    fn print(&self, document: Document, text: impl Fn() -> String, status: u8) -> Outcome {
        match self.common.format {
            Format::Json => Outcome { printed: formats::as_json(&self.common, document), status, noted: None },
            Format::Text => {
                let printed = formats::for_people(&text(), &document, &self.command, &self.page);
                Outcome { printed, status, noted: None }
            }
            Format::Context | Format::Hook | Format::Request => {
                let world = self.world(&document, &mut Problems::default());
                let (printed, noted, words) = formats::for_model(&self.common, &document, &world);
                words.iter().for_each(|words| self.say(words));
                let file = self.session_file(&document).filter(|_| !self.common.dry_run && !noted.is_empty());
                Outcome { printed, status, noted: file.map(|file| (file, noted)) }
            }
        }
    }

    /// Marks the document as failed. A foreign `failed` stays where it is: ours is read, as the last of its name.
    fn fail(&self, document: &mut Document, failure: &Failure, number: u64) {
        if !self.common.quiet {
            report::failure(&self.command, number, failure);
        }
        let mut value = Document::default();
        value.write("command", &self.command);
        value.write("code", &failure.code);
        value.write("message", &failure.message);
        if let Some(hint) = &failure.hint {
            value.write("hint", hint);
        }
        document.append("failed", value.to_line());
    }

    /// A failed document is only for other commands to see: a model is given nothing of it.
    fn print_failed(&self, document: Document) -> Outcome {
        let printed = match self.common.format {
            Format::Json => formats::as_json(&self.common, document),
            Format::Request => Printed::Bytes(format!("{}\n", document.to_line()).into_bytes()),
            Format::Text | Format::Context | Format::Hook => Printed::Bytes(Vec::new()),
        };
        Outcome { printed, status: status::UNDONE, noted: None }
    }
}

/// Turns a panic into a failure of this document; its words are on stderr.
fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Failure::new("internal-error", "the command met a fault of its own; the document is unchanged")
            .with_hint("report it with this document"))
    })
}

/// Writes a value that the rest of the pipe needs. A foreign one of that name stays: ours is read, as the last.
fn write_if_unreadable<T>(document: &mut Document, key: &str, value: &T, fits: impl FnOnce(&T) -> bool)
where
    T: serde::Serialize + serde::de::DeserializeOwned,
{
    match document.try_read::<T>(key) {
        Ok(Some(read)) if fits(&read) => {}
        _ if document.get(key).is_none() => document.write(key, value),
        _ => document.append(key, mem_types::to_json(value)),
    }
}

/// Whether the document says where it belongs, in a shape that can be read.
fn names_target(document: &Document) -> bool {
    let cwd = document.try_read::<String>("cwd").ok().flatten();
    let memory = document.try_read::<MemoryDirs>("memory_dir");
    // A folder that was named and cannot be read must not be replaced by another one.
    let memory = memory.map(|dirs| dirs.map(MemoryDirs::into_list).unwrap_or_default());
    let is_readable = memory.as_ref().is_ok_and(|dirs| dirs.iter().all(|dir| !dir.is_empty()));
    let has_memory = memory.is_ok_and(|dirs| !dirs.is_empty());
    is_readable && (has_memory || cwd.is_some_and(|cwd| !cwd.is_empty()))
}

/// Whether an earlier command failed: `.failed` is an object with a command and a code.
fn is_failed(document: &Document) -> bool {
    let Some(failed) = document.get("failed").and_then(|raw| Document::parse(raw).ok()) else { return false };
    ["command", "code"].iter().all(|key| matches!(failed.try_read::<String>(key), Ok(Some(_))))
}

fn check_schema(document: &Document, problems: &mut Problems) -> Result<(), Failure> {
    match document.read::<u64>("schema", problems) {
        Some(schema) if schema > mem_types::SCHEMA => Err(Failure::new(
            "unknown-schema",
            format!("the document has schema {schema}, this version reads up to {}", mem_types::SCHEMA),
        )
        .with_hint("use a newer mem")),
        _ => Ok(()),
    }
}

/// What a command writes must not replace somebody else's value.
fn check_own_keys(document: &Document, key: &str, keeps_session: bool) -> Result<(), Failure> {
    let is_object = |raw: &str| raw.starts_with('{');
    for (name, is_ours) in [(key, true), ("session", true), ("problems", false)] {
        let Some(raw) = document.get(name).filter(|_| name != "session" || keeps_session) else { continue };
        let fits = if is_ours { is_object(raw) } else { raw.starts_with('[') };
        if !fits {
            let shape = if is_ours { "an object" } else { "a list" };
            return Err(Failure::new("key-taken", format!("'{name}' is there already and is not {shape}"))
                .with_hint(format!("rename your own '{name}' before mem-{key}")));
        }
    }
    Ok(())
}

/// An answer from an earlier run must not stay beside a failure.
fn drop_own(document: &mut Document, key: &str) {
    if document.get(key).is_some_and(|raw| raw.starts_with('{')) {
        document.remove(key);
    }
}

/// Returns the raw items that other commands reported, or nothing when `raw` is no list.
fn others_problems(raw: &str, command: &str) -> Option<Vec<String>> {
    let items: Vec<&serde_json::value::RawValue> = serde_json::from_str(raw).ok()?;
    let is_own = |item: &str| {
        let item = Document::parse(item).ok();
        item.and_then(|item| item.try_read::<String>("command").ok().flatten()).as_deref() == Some(command)
    };
    Some(items.iter().map(|item| item.get()).filter(|item| !is_own(item)).map(str::to_owned).collect())
}

fn count_items(raw: &str) -> usize {
    serde_json::from_str::<Vec<&serde_json::value::RawValue>>(raw).map_or(0, |items| items.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_failure_of_its_document() {
        let failure = guarded::<()>(|| panic!("no")).map_err(|failure| failure.code);
        assert_eq!(failure, Err("internal-error".to_owned()));
    }

    #[test]
    fn only_an_object_with_command_and_code_says_that_a_document_failed() {
        for (line, expected) in [
            (r#"{"failed":{"command":"mem-load","code":"x"}}"#, true),
            (r#"{"failed":{"command":"mem-load"}}"#, false),
            (r#"{"failed":true}"#, false),
            (r#"{"failed":"no"}"#, false),
            (r#"{}"#, false),
        ] {
            assert_eq!(Document::parse(line).is_ok_and(|document| is_failed(&document)), expected, "{line}");
        }
    }
}
