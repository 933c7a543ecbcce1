//! Plans what to do about what was seen. Nothing here changes anything.

use std::collections::BTreeSet;

use mem_types::Problems;
use mem_types::age::{Action, AgedMemory};

use crate::memory::Memory;

/// How much a plan may take away; each is an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Files that a folder may have before the weakest are forgotten; a client looks at 200.
    pub max_files: usize,
    /// The share of the files, in percent, that one plan may archive or merge away; at least [`LEAST_REMOVALS`].
    pub max_removed_percent: usize,
}

/// So many may go by any plan, however small the folder.
pub const LEAST_REMOVALS: usize = 3;

/// Names in one problem; the rest is counted.
const NAMES_MAX: usize = 20;

/// Returns at most one action a memory, in the order of the memories. `hash` gives the SHA-256 of a file.
pub fn plan(
    memories: &[Memory],
    judged: &[AgedMemory],
    room: Room,
    asked: Vec<(usize, Action)>,
    hash: impl Fn(usize) -> Option<String>,
    problems: &mut Problems,
) -> Vec<Action> {
    let stays: BTreeSet<&str> = judged.iter().filter(|aged| aged.of.is_none()).map(|aged| aged.path.as_str()).collect();
    let mut actions: Vec<Option<Action>> =
        memories.iter().zip(judged).map(|(memory, aged)| action(memory, aged, &stays)).collect();
    let wishes: BTreeSet<usize> = asked.iter().map(|(place, _)| *place).collect();
    for (place, action) in asked {
        actions[place] = Some(action);
    }
    leave_targets_alone(&mut actions);
    forget_weakest(memories, judged, room, &mut actions, problems);
    cap_removals(room, judged, &wishes, &mut actions, problems);
    for (place, action) in actions.iter_mut().enumerate() {
        if let Some(action) = action {
            action.sha256 = hash(place).unwrap_or_default();
        }
    }
    actions.into_iter().flatten().collect()
}

fn action(memory: &Memory, aged: &AgedMemory, stays: &BTreeSet<&str>) -> Option<Action> {
    // Its own head says so already.
    if memory.superseded.is_some() {
        return None;
    }
    let has_successor = aged.of.as_deref().is_some_and(|of| stays.contains(of));
    // What a person said goes by an `expires` of its own only, not by a date in its text.
    let may_expire = !memory.is_personal() || memory.expires.is_some();
    let verb = match aged.state.as_str() {
        "expired" if may_expire && !memory.is_kept => "archive",
        "contradicted" if has_successor && !memory.is_kept => "supersede",
        "duplicate" if has_successor && !memory.is_kept => "merge",
        "stale" => "refresh",
        "expired" | "contradicted" | "duplicate" | "dangling" => "note",
        _ if aged.findings.iter().any(|finding| finding.kind == "suspect") => "note",
        _ => return None,
    };
    Some(Action {
        action: verb.to_owned(),
        path: aged.path.clone(),
        into: aged.of.clone(),
        reason: reason(aged),
        ..Action::default()
    })
}

/// The findings that carry the state, or the suspicion, in words.
fn reason(aged: &AgedMemory) -> String {
    let carries =
        |kind: &str| kind == aged.state || kind == "superseded" && aged.state == "contradicted" || kind == "suspect";
    let words: Vec<&str> = aged
        .findings
        .iter()
        .filter(|finding| carries(&finding.kind))
        .map(|finding| finding.evidence.as_str())
        .collect();
    words.join("; ")
}

/// Over the limit the weakest of what is stale or dormant goes; nothing fresh, and nothing about a person.
fn forget_weakest(
    memories: &[Memory],
    judged: &[AgedMemory],
    room: Room,
    actions: &mut [Option<Action>],
    problems: &mut Problems,
) {
    let removed = actions.iter().flatten().filter(|action| removes(action)).count();
    let excess = (memories.len() - removed).saturating_sub(room.max_files);
    if excess == 0 {
        return;
    }
    let is_over = |place: usize| memories[place].superseded.is_some();
    let is_going = |place: usize| actions[place].as_ref().is_some_and(removes);
    let has_faded =
        |place: usize| ["stale", "dormant"].contains(&judged[place].state.as_str()) && !memories[place].is_personal();
    let may_go =
        |place: &usize| !memories[*place].is_kept && !is_going(*place) && (is_over(*place) || has_faded(*place));
    let mut weakest: Vec<usize> = (0..memories.len()).filter(may_go).collect();
    // What no longer holds goes before what may still hold.
    weakest.sort_by(|one, other| {
        let strength = |place: &usize| judged[*place].strength.unwrap_or(f64::NEG_INFINITY);
        is_over(*other).cmp(&is_over(*one)).then(strength(one).total_cmp(&strength(other))).then(one.cmp(other))
    });
    for place in weakest.iter().take(excess) {
        let aged = &judged[*place];
        let reason =
            format!("{}; among the weakest of {} files, the limit is {}", reason(aged), memories.len(), room.max_files);
        actions[*place] =
            Some(Action { action: "archive".to_owned(), path: aged.path.clone(), reason, ..Action::default() });
    }
    let left = excess.saturating_sub(weakest.len());
    if left > 0 {
        let message = format!("{left} files over the limit of {} stay, as none of them is stale", room.max_files);
        problems.warning("over-capacity", message).hint("raise --max-files, or merge memories by hand");
    }
}

/// A memory into which another one goes is not taken away by the same plan.
fn leave_targets_alone(actions: &mut [Option<Action>]) {
    let targets: BTreeSet<String> = actions.iter().flatten().filter_map(|action| action.into.clone()).collect();
    let removed: BTreeSet<String> =
        actions.iter().flatten().filter(|action| removes(action)).map(|action| action.path.clone()).collect();
    for action in actions.iter_mut() {
        let goes_with = |one: &Action| one.into.as_ref().is_some_and(|into| removed.contains(into));
        if action.as_ref().is_some_and(|one| goes_with(one) && targets.contains(one.into.as_deref().unwrap_or(""))) {
            *action = None;
        }
    }
}

fn removes(action: &Action) -> bool {
    action.action == "archive" || action.action == "merge"
}

/// A plan that takes too much at once is more likely a fault than a wish.
fn cap_removals(
    room: Room,
    judged: &[AgedMemory],
    wishes: &BTreeSet<usize>,
    actions: &mut [Option<Action>],
    problems: &mut Problems,
) {
    let cap = (judged.len() * room.max_removed_percent / 100).max(LEAST_REMOVALS);
    let mut removing: Vec<usize> =
        (0..actions.len()).filter(|place| actions[*place].as_ref().is_some_and(removes)).collect();
    if removing.len() <= cap {
        return;
    }
    // What was asked for goes first, then what is over or said twice, then the weakest.
    removing.sort_by(|one, other| {
        let is_wish = |place: &usize| wishes.contains(place);
        let rank = |place: &usize| {
            (crate::judge::STATES.iter().position(|state| *state == judged[*place].state), judged[*place].strength)
        };
        let ((state, strength), (other_state, other_strength)) = (rank(one), rank(other));
        let strengths = strength.unwrap_or(f64::NEG_INFINITY).total_cmp(&other_strength.unwrap_or(f64::NEG_INFINITY));
        is_wish(other).cmp(&is_wish(one)).then(state.cmp(&other_state)).then(strengths).then(one.cmp(other))
    });
    let held: Vec<&str> = removing[cap..].iter().map(|place| judged[*place].path.as_str()).collect();
    let names = held[..held.len().min(NAMES_MAX)].join(", ");
    let more = held.len().saturating_sub(NAMES_MAX);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!(
        "{} more would go, but one plan removes at most {cap} of {} files: {names}{rest}",
        held.len(),
        judged.len()
    );
    problems.warning("removal-cap", message).hint("carry this plan out and plan again");
    for place in &removing[cap..] {
        actions[*place] = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Kind;
    use mem_types::age::Finding;

    const ROOM: Room = Room { max_files: 200, max_removed_percent: 25 };

    fn case(kind: Kind, state: &str, strength: f64) -> (Memory, AgedMemory) {
        let memory = Memory { kind: Some(kind), ..Memory::default() };
        let findings = vec![Finding { kind: state.to_owned(), evidence: format!("is {state}") }];
        (
            memory,
            AgedMemory {
                path: format!("{state}.md"),
                state: state.to_owned(),
                findings,
                strength: Some(strength),
                ..AgedMemory::default()
            },
        )
    }

    fn planned(cases: Vec<(Memory, AgedMemory)>, room: Room) -> (Vec<Action>, Problems) {
        let (memories, judged): (Vec<Memory>, Vec<AgedMemory>) = cases.into_iter().unzip();
        let mut problems = Problems::new("mem-age");
        let actions = plan(&memories, &judged, room, Vec::new(), |_| Some("hash".to_owned()), &mut problems);
        (actions, problems)
    }

    /// Beside a memory that stays in the place of those that have to have one.
    fn verb(kind: Kind, state: &str) -> Option<String> {
        let mut one = case(kind, state, 0.0);
        one.1.of = ["contradicted", "duplicate"].contains(&state).then(|| "fresh.md".to_owned());
        let (actions, _) = planned(vec![one, case(Kind::Project, "fresh", 0.0)], ROOM);
        actions.first().map(|action| action.action.clone())
    }

    #[test]
    fn each_state_has_its_act() {
        for (state, want) in [
            ("expired", Some("archive")),
            ("contradicted", Some("supersede")),
            ("duplicate", Some("merge")),
            ("dangling", Some("note")),
            ("stale", Some("refresh")),
            ("dormant", None),
            ("unknown", None),
            ("fresh", None),
        ] {
            assert_eq!(verb(Kind::Project, state).as_deref(), want, "{state}");
        }
        assert_eq!(verb(Kind::Feedback, "expired").as_deref(), Some("note"));
    }

    #[test]
    fn an_act_carries_its_reason_and_the_hash_of_its_file() {
        let (actions, _) = planned(vec![case(Kind::Project, "stale", -3.0)], ROOM);
        assert_eq!((actions[0].reason.as_str(), actions[0].sha256.as_str()), ("is stale", "hash"));
    }

    #[test]
    fn over_the_limit_the_weakest_of_what_is_stale_goes_and_nothing_of_a_person() {
        let mut cases = vec![
            case(Kind::Project, "stale", -3.0),
            case(Kind::Project, "stale", -4.0),
            case(Kind::Feedback, "fresh", -9.0),
        ];
        cases.extend((0..9).map(|_| case(Kind::Project, "fresh", 0.0)));
        let (actions, problems) = planned(cases.clone(), Room { max_files: 11, ..ROOM });
        let verbs: Vec<&str> = actions.iter().map(|action| action.action.as_str()).collect();
        assert_eq!(verbs, ["refresh", "archive"]);
        assert!(problems.is_empty());
        let (actions, problems) = planned(cases, Room { max_files: 5, ..ROOM });
        assert!(actions.iter().all(|action| action.path == "stale.md"));
        assert_eq!(problems.into_entries()[0].code, "over-capacity");
    }

    #[test]
    fn one_plan_removes_no_more_than_its_share_and_names_the_rest() {
        let mut cases: Vec<_> = (0..3).map(|_| case(Kind::Project, "duplicate", 0.0)).collect();
        cases.iter_mut().for_each(|case| case.1.of = Some("fresh.md".to_owned()));
        cases.push(case(Kind::Project, "fresh", 0.0));
        cases.extend((0..3).map(|_| case(Kind::Project, "expired", 0.0)));
        let (actions, problems) = planned(cases, ROOM);
        assert_eq!(actions.iter().map(|action| action.action.as_str()).collect::<Vec<_>>(), ["archive"; 3]);
        let problem = problems.into_entries().remove(0);
        assert_eq!(problem.code, "removal-cap");
        assert!(problem.message.contains("duplicate.md, duplicate.md, duplicate.md"));
    }
}
