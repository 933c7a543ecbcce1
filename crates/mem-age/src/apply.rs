//! Carries a plan out: checks each action against the files as they are, whoever made it, and makes edits of it.

use std::collections::BTreeMap;

use mem_store::archived::Archived;
use mem_store::{Edit, Moment, Outcome, Sight, Upkeep, front_matter, hash, head, index_file};
use mem_types::age::{Action, Deed};
use mem_types::{Failure, Problems};

use crate::merge;

/// Most bytes of a body that a merge may bring; a plan may come from anywhere.
const MOST_BODY: usize = 256 * 1024;

/// What a dry run says of that which would be written.
pub const PLANNED: &str = "planned";

/// Carries the actions out and notes with each what became of it. Returns what changed on disk.
///
/// # Errors
/// When the disk fails.
pub fn apply(
    actions: &mut [Action],
    may_remove: usize,
    upkeep: &Upkeep<'_>,
    now: &Moment,
    problems: &mut Problems,
) -> Result<Vec<Deed>, Failure> {
    let sight = upkeep.sight()?;
    let edits = check(actions, may_remove, &sight, now)?.edits(problems)?;
    for action in actions.iter_mut().filter(|action| action.outcome.as_deref() == Some(PLANNED)) {
        action.outcome = Some("written".to_owned());
    }
    if edits.is_empty() {
        return Ok(Vec::new());
    }
    let done = upkeep.carry_out(edits, now)?;
    for (path, outcome) in &done.files {
        let action =
            actions.iter_mut().find(|action| action.path == *path && action.outcome.as_deref() == Some("written"));
        if let (false, Some(action)) = (outcome.is_done(), action) {
            action.outcome = Some(outcome.words());
        }
    }
    Ok(deeds("applied", &done.files))
}

/// Checks the actions against the files as they are, notes with each what would become of it, and returns the files as
/// they would be.
///
/// # Errors
/// When the disk fails.
pub fn check<'a>(
    actions: &mut [Action],
    may_remove: usize,
    sight: &'a Sight<'a>,
    now: &Moment,
) -> Result<Desk<'a>, Failure> {
    let today = now.zoned().date().to_string();
    let mut desk = Desk { sight, files: BTreeMap::new(), archived: None, removed: 0, may_remove, today };
    for action in actions.iter_mut() {
        let outcome = desk.take(action)?;
        action.outcome = Some(outcome.words());
    }
    Ok(desk)
}

/// Returns what was done, for the answer.
pub fn deeds(what: &str, files: &[(String, Outcome)]) -> Vec<Deed> {
    let deed = |(path, outcome): &(String, Outcome)| Deed {
        what: what.to_owned(),
        path: path.clone(),
        outcome: outcome.words(),
    };
    files.iter().map(deed).collect()
}

/// Names each refusal and returns whether there was one.
pub fn report(actions: &[Action], problems: &mut Problems) -> bool {
    let mut is_undone = false;
    for action in actions {
        let Some(outcome) =
            action.outcome.as_deref().filter(|outcome| outcome.starts_with("refused") || outcome.starts_with("failed"))
        else {
            continue;
        };
        is_undone = true;
        problems
            .error("action-refused", format!("{} was not carried out, {outcome}", action.action))
            .path(&action.path)
            .hint("plan again, or mend the action");
    }
    is_undone
}

/// What became of an action.
enum Taken {
    /// It is among the edits.
    Planned,
    /// A run before this one has done it.
    Unchanged,
    /// It is for a reader.
    Noted,
    Refused(String),
}

impl Taken {
    fn words(&self) -> String {
        match self {
            Self::Planned => PLANNED.to_owned(),
            Self::Unchanged => "unchanged".to_owned(),
            Self::Noted => "noted".to_owned(),
            Self::Refused(reason) => format!("refused: {reason}"),
        }
    }
}

/// A file that the plan touches: as it is, and as it is to be.
struct Sheet {
    before: Option<String>,
    old: Option<String>,
    new: Option<String>,
}

/// The files that the plan touches, each read once.
pub struct Desk<'a> {
    sight: &'a Sight<'a>,
    files: BTreeMap<String, Sheet>,
    /// What lies in the archive, once it was asked for.
    archived: Option<Vec<Archived>>,
    removed: usize,
    may_remove: usize,
    today: String,
}

impl Desk<'_> {
    fn take(&mut self, action: &Action) -> Result<Taken, Failure> {
        let verb = action.action.as_str();
        match verb {
            "note" | "refresh" => {
                return Ok(mem_store::change::refusal(&action.path).map_or(Taken::Noted, refused));
            }
            "archive" | "supersede" | "merge" => {}
            _ => return Ok(refused("no such action")),
        }
        if let Some(reason) = self.hindrance(action)? {
            return Ok(reason);
        }
        if verb != "supersede" && self.removed >= self.may_remove {
            return Ok(refused(&format!("one plan removes at most {} files", self.may_remove)));
        }
        let taken = match verb {
            "archive" => {
                self.remove(&action.path);
                Taken::Planned
            }
            "supersede" => self.supersede(action)?,
            _ => self.merge(action)?,
        };
        Ok(taken)
    }

    /// Why the action cannot be carried out on the file as it is.
    fn hindrance(&mut self, action: &Action) -> Result<Option<Taken>, Failure> {
        if let Some(reason) = mem_store::change::refusal(&action.path) {
            return Ok(Some(refused(reason)));
        }
        if action.sha256.is_empty() {
            return Ok(Some(refused("it does not say which file it is for (sha256)")));
        }
        // One path that cannot be read, such as a link that leads out of the folder, does not spoil the plan.
        if let Err(failure) = self.sheet(&action.path) {
            return Ok(Some(refused(&format!("it cannot be read beneath the memory folder: {}", failure.message))));
        }
        let is_removal = action.action != "supersede";
        let is_gone = self.sheet(&action.path)?.before.is_none();
        let is_archived = is_removal && is_gone && self.is_archived(action)?;
        let done_already = match self.sheet(&action.path)? {
            Sheet { before: None, .. } => is_archived,
            Sheet { before: Some(hash), new: Some(_), old: Some(_) } if *hash == action.sha256 => return Ok(None),
            Sheet { old: None, .. } => return Ok(Some(refused("the file is not UTF-8; mend it first"))),
            Sheet { new: None, .. } => return Ok(Some(refused("the plan has another action for it"))),
            Sheet { old: Some(old), .. } => !is_removal && is_superseded(old, action.into.as_deref()),
        };
        if done_already {
            return Ok(Some(Taken::Unchanged));
        }
        let is_there = self.sheet(&action.path)?.before.is_some();
        let reason = if is_there { "the file has changed since this was planned" } else { "there is no such file" };
        Ok(Some(refused(reason)))
    }

    /// Whether a run before this one has archived just this file.
    fn is_archived(&mut self, action: &Action) -> Result<bool, Failure> {
        if self.archived.is_none() {
            self.archived = Some(self.sight.archived()?);
        }
        for file in self.archived.iter().flatten().filter(|file| file.path == action.path) {
            if hash::sha256(&self.sight.read_archived(file)?) == action.sha256 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn sheet(&mut self, path: &str) -> Result<&mut Sheet, Failure> {
        if !self.files.contains_key(path) {
            let bytes = self.sight.read(path)?;
            let before = bytes.as_deref().map(hash::sha256);
            let old = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
            self.files.insert(path.to_owned(), Sheet { before, new: old.clone(), old });
        }
        Ok(self.files.get_mut(path).expect("it was put there"))
    }

    fn remove(&mut self, path: &str) {
        self.removed += 1;
        if let Some(sheet) = self.files.get_mut(path) {
            sheet.new = None;
        }
    }

    fn supersede(&mut self, action: &Action) -> Result<Taken, Failure> {
        if let Some(into) = &action.into
            && let Some(reason) = self.cannot_stay(&action.path, into)?
        {
            return Ok(refused(reason));
        }
        let today = self.today.clone();
        let mut keys = vec![("superseded", today.as_str())];
        keys.extend(action.into.as_deref().map(|into| ("superseded_by", into)));
        let sheet = self.sheet(&action.path)?;
        sheet.new = sheet.new.as_deref().map(|text| head::with_keys(text, &keys));
        Ok(Taken::Planned)
    }

    fn merge(&mut self, action: &Action) -> Result<Taken, Failure> {
        let Some(into) = &action.into else { return Ok(refused("it does not say into which memory")) };
        if let Some(reason) = self.cannot_stay(&action.path, into)? {
            return Ok(refused(reason));
        }
        let other = self.sheet(&action.path)?.old.clone().unwrap_or_default();
        let stays = self.sheet(into)?.new.clone().unwrap_or_default();
        let merged = match &action.body {
            None => merge::with_lines_of(&stays, &other),
            Some(body) if body.len() > MOST_BODY => return Ok(refused("its body is longer than a memory")),
            Some(body) => match merge::unfit(&[&stays, &other], body) {
                None => merge::with_body(&stays, body),
                Some(reason) => return Ok(refused(&format!("its body {reason}"))),
            },
        };
        self.sheet(into)?.new = Some(merged);
        self.remove(&action.path);
        Ok(Taken::Planned)
    }

    /// Why `into` cannot be the memory that stays.
    fn cannot_stay(&mut self, path: &str, into: &str) -> Result<Option<&'static str>, Failure> {
        if path == into {
            return Ok(Some("a memory cannot stay in its own place"));
        }
        if mem_store::change::refusal(into).is_some() {
            return Ok(Some("what is to stay is no memory of this folder"));
        }
        let sheet = self.sheet(into)?;
        Ok(match (&sheet.before, &sheet.old, &sheet.new) {
            (None, ..) => Some("the memory that is to stay is not there"),
            (_, None, _) => Some("the memory that is to stay is not UTF-8; mend it first"),
            (_, _, None) => Some("the memory that is to stay goes by the same plan"),
            _ => None,
        })
    }

    /// Returns the edits, with that of the index last.
    fn edits(self, problems: &mut Problems) -> Result<Vec<Edit>, Failure> {
        let is_changed = |sheet: &Sheet| sheet.before.is_some() && sheet.old.is_some() && sheet.new != sheet.old;
        let mut unlisted = Vec::new();
        let mut edits = Vec::new();
        for (path, sheet) in self.files.into_iter().filter(|(_, sheet)| is_changed(sheet)) {
            let holds = sheet.new.as_deref().is_some_and(|text| !is_superseded(text, None));
            if !holds {
                unlisted.push(path.clone());
            }
            edits.push(Edit { path, before: sheet.before, after: sheet.new, keeps_time: true });
        }
        if !unlisted.is_empty() {
            edits.extend(index_edit(self.sight, &unlisted, problems)?);
        }
        Ok(edits)
    }
}

/// Takes the lines of what no longer holds out of the index.
fn index_edit(sight: &Sight<'_>, unlisted: &[String], problems: &mut Problems) -> Result<Option<Edit>, Failure> {
    let Some(bytes) = sight.read(index_file::NAME)? else { return Ok(None) };
    let before = Some(hash::sha256(&bytes));
    let Ok(old) = String::from_utf8(bytes) else {
        problems
            .warning("index-not-utf8", "the index is not UTF-8, so its lines stay")
            .path(index_file::NAME)
            .hint("mend it, then run mem-index");
        return Ok(None);
    };
    let new = unlisted.iter().fold(old.clone(), |text, path| index_file::without_line(&text, path));
    Ok((new != old).then(|| Edit { path: index_file::NAME.to_owned(), before, after: Some(new), keeps_time: false }))
}

/// Whether a memory's head says that it no longer holds, and by which memory.
fn is_superseded(text: &str, by: Option<&str>) -> bool {
    let matter = front_matter::of_memory(text).matter.unwrap_or_default();
    let says_by = by.is_none() || matter.text("superseded_by").as_deref() == by;
    matter.text("superseded").is_some() && says_by
}

fn refused(reason: &str) -> Taken {
    Taken::Refused(reason.to_owned())
}
