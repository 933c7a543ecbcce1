//! Takes from the running thread, and from all that it starts, the right to write anywhere but in a few places.
//!
//! Defence in depth: whoever calls this must hold without it, since not every kernel has it.

use std::path::PathBuf;

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus,
    path_beneath_rules,
};

/// What became of the wish to be confined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confined {
    /// The kernel refuses all writing elsewhere.
    Wholly,
    /// The kernel refuses some of it: it is older than the rules.
    Partly,
    /// The kernel does not know this, or does not allow it; why.
    Not(String),
}

/// Confines this thread, and threads and programs that it starts from now on, to writing in `writable` and `/dev/null`.
///
/// Places that do not exist are left out: they can then not be made either.
#[must_use]
pub fn to_writing_in(writable: &[PathBuf]) -> Confined {
    match restrict(writable) {
        Ok(RulesetStatus::FullyEnforced) => Confined::Wholly,
        Ok(RulesetStatus::PartiallyEnforced) => Confined::Partly,
        Ok(RulesetStatus::NotEnforced) => Confined::Not("this kernel has no Landlock".into()),
        Err(error) => Confined::Not(error.to_string()),
    }
}

fn restrict(writable: &[PathBuf]) -> Result<RulesetStatus, RulesetError> {
    let write = AccessFs::from_write(ABI::V5);
    let places = writable.iter().cloned().chain([PathBuf::from("/dev/null")]);
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(write)?.create()?;
    Ok(ruleset.add_rules(path_beneath_rules(places, write))?.restrict_self()?.ruleset)
}
