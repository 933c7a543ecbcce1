//! Stops folding that does not help: after three failures in a row, or when the window is full again at once, three times.

use mem_types::compact::Compact;

use crate::gather::Session;

/// So many failures in a row open the circuit.
const FAILURES: u32 = 3;
/// A window that is full again within so many turns was refilled at once.
pub(crate) const SOON: usize = 3;
/// So many refills in a row are thrash.
pub(crate) const REFILLS: u32 = 3;

/// Returns the state and the reason with which nothing is folded, or nothing when folding may go on.
///
/// What the user asks for is always tried. `of_agent` are the refills that the agent's own compactions show.
pub(crate) fn refusal(session: &Session, of_agent: u32, is_asked: bool) -> Option<(&'static str, String)> {
    if is_asked {
        return None;
    }
    if session.failures >= FAILURES {
        let reason =
            format!("circuit open: {} folds in a row failed; a manual fold that succeeds closes it", session.failures);
        return Some(("circuit-open", reason));
    }
    let refills = session.refills.max(of_agent);
    (refills >= REFILLS).then(|| ("thrash", thrash(refills)))
}

/// Says how often the window was full again at once.
pub(crate) fn thrash(refills: u32) -> String {
    format!(
        "thrash: the window was full again within {SOON} turns, {refills} times in a row; what fills it is not old talk"
    )
}

/// Writes into the session how this answer went. The same turn asked again is not counted again.
pub(crate) fn note(
    session: &mut Session,
    compact: &Compact,
    turn: &str,
    turns_since: Option<usize>,
    kept_turns: usize,
) {
    let is_tried = matches!(compact.state.as_str(), "compacted" | "over-budget");
    if !is_tried || session.turn == turn {
        return;
    }
    session.turn = turn.to_owned();
    let is_failed =
        compact.state == "over-budget" || compact.loss.as_ref().is_some_and(|loss| !loss.pins.lost.is_empty());
    session.failures = if is_failed { session.failures.saturating_add(1) } else { 0 };
    let is_asked = matches!(compact.trigger.as_deref(), Some("manual" | "force"));
    let is_soon = turns_since.is_some_and(|turns| turns <= SOON);
    session.refills = if is_soon && !is_asked { session.refills.saturating_add(1) } else { 0 };
    session.kept_turns = kept_turns;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(state: &str, trigger: &str) -> Compact {
        Compact { state: state.into(), trigger: Some(trigger.into()), ..Compact::default() }
    }

    #[test]
    fn three_failures_open_the_circuit_and_a_success_closes_it() {
        let mut session = Session::default();
        for turn in ["1", "2", "2", "2", "3"] {
            assert!(refusal(&session, 0, false).is_none());
            note(&mut session, &answer("over-budget", "threshold"), turn, None, 0);
        }
        assert_eq!(refusal(&session, 0, false).map(|(state, _)| state), Some("circuit-open"));
        assert!(refusal(&session, 0, true).is_none());
        note(&mut session, &answer("compacted", "manual"), "4", None, 0);
        assert!(refusal(&session, 0, false).is_none());
    }

    #[test]
    fn a_window_that_is_full_again_at_once_is_thrash_the_third_time() {
        let mut session = Session::default();
        for (turn, since) in [("1", None), ("2", Some(2)), ("3", Some(3)), ("4", Some(1))] {
            assert!(refusal(&session, 0, false).is_none());
            note(&mut session, &answer("compacted", "threshold"), turn, since, 0);
        }
        assert_eq!(refusal(&session, 0, false).map(|(state, _)| state), Some("thrash"));
        note(&mut session, &answer("compacted", "manual"), "5", Some(1), 0);
        assert!(refusal(&session, 0, false).is_none());
    }

    #[test]
    fn a_window_that_lasts_is_no_thrash() {
        let mut session = Session { refills: 2, ..Session::default() };
        note(&mut session, &answer("compacted", "budget"), "1", Some(4), 0);
        assert_eq!(session.refills, 0);
    }
}
