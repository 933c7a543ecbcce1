//! Which memories may be chosen at all, whatever they say.

use std::path::Path;

use globset::{Glob, GlobSet, GlobSetBuilder};
use mem_store::moment::parse_date;
use mem_store::{Memory, Moment};
use mem_types::Failure;
use mem_types::recall::PassedOver;

use crate::Args;
use crate::seen::{Seen, shown_path};
use crate::tools;

/// Seconds of a day: the last day on which a memory holds counts to its end.
const DAY: i64 = 86_400;

/// The rules by which memories are kept out of the ranking.
pub struct Candidates<'a> {
    args: &'a Args,
    own: Option<&'a Path>,
    seen: &'a Seen,
    tools: &'a [String],
    now: &'a Moment,
    excluded: Option<GlobSet>,
}

impl<'a> Candidates<'a> {
    /// Returns the rules.
    ///
    /// # Errors
    /// With `bad-value` when a pattern to exclude is none.
    pub fn new(
        args: &'a Args,
        own: Option<&'a Path>,
        seen: &'a Seen,
        tools: &'a [String],
        now: &'a Moment,
    ) -> Result<Self, Failure> {
        Ok(Self { excluded: patterns(&args.exclude)?, args, own, seen, tools, now })
    }

    /// Returns the places of those that may be ranked, and an entry for each of the others.
    pub fn sort_out(&self, memories: &[Memory]) -> (Vec<usize>, Vec<PassedOver>) {
        let (mut eligible, mut passed_over) = (Vec::with_capacity(memories.len()), Vec::new());
        for (place, memory) in memories.iter().enumerate() {
            match self.obstacle(memory) {
                Some(why) => passed_over.push(crate::passed_over(memory, why)),
                None => eligible.push(place),
            }
        }
        (eligible, passed_over)
    }

    /// Returns why a memory may not be chosen.
    pub fn obstacle(&self, memory: &Memory) -> Option<String> {
        if self.excluded.as_ref().is_some_and(|patterns| patterns.is_match(&memory.path)) {
            return Some("excluded by --exclude".into());
        }
        if !self.args.types.is_empty() && !self.has_type(memory) {
            return Some(format!("its type is {}", memory.kind.as_deref().unwrap_or("not given")));
        }
        if !self.args.with_superseded
            && let Some(why) = self.is_over(memory)
        {
            return Some(why);
        }
        if let Some(tool) = tools::how_to_of(memory, self.tools) {
            return Some(format!("a how-to of {tool}, which was used lately"));
        }
        if self.seen.is_empty() {
            return None;
        }
        let dir = foreign_dir(memory, self.own);
        self.seen.has(&shown_path(dir.as_deref(), &memory.path)).then(|| "shown before in this session".into())
    }

    fn has_type(&self, memory: &Memory) -> bool {
        let kind = memory.kind.as_deref().unwrap_or_default();
        self.args.types.iter().any(|wanted| wanted.trim().eq_ignore_ascii_case(kind))
    }

    fn is_over(&self, memory: &Memory) -> Option<String> {
        if let Some(successor) = memory.superseded_by.as_ref().filter(|successor| !successor.trim().is_empty()) {
            return Some(format!("superseded by {successor}"));
        }
        if memory.is_superseded() {
            return Some("superseded, with nothing in its place".into());
        }
        let expires = memory.expires.as_ref()?;
        let end = parse_date(expires)?.as_second().saturating_add(DAY);
        (self.now.timestamp().as_second() >= end).then(|| format!("expired on {expires}"))
    }
}

/// Returns the folder of a memory that is not in one's own.
pub fn foreign_dir(memory: &Memory, own: Option<&Path>) -> Option<String> {
    (Some(memory.folder.as_path()) != own).then(|| memory.folder.to_string_lossy().into_owned())
}

/// Compiled only when there is one: it costs more than the ranking of a small folder.
fn patterns(globs: &[String]) -> Result<Option<GlobSet>, Failure> {
    if globs.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(Glob::new(glob).map_err(|error| bad_pattern(glob, &error))?);
    }
    set.build().map(Some).map_err(|error| bad_pattern(&globs.join(" "), &error))
}

fn bad_pattern(glob: &str, error: &globset::Error) -> Failure {
    Failure::new("bad-value", format!("--exclude '{glob}' is no pattern: {}", error.kind()))
}
