//! What a project wants remembered besides, and what never: a text file with a wish a line.
//!
//! ```text
//! - which suppliers we talk to
//! - never: names of patients
//! ```

use std::collections::BTreeSet;

use crate::cue::Cue;
use crate::reading::Read;
use crate::terms::{contained, terms};
use crate::verdict::Verdict;

/// The share of a line's words that a sentence must have to be about it.
const ENOUGH: f64 = 0.5;

/// A policy, read.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    keep: Vec<BTreeSet<String>>,
    leave: Vec<BTreeSet<String>>,
}

impl Policy {
    /// Reads a policy. Headings and blank lines say nothing.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut policy = Policy::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let line = line.trim_start_matches(['-', '*', ' ']);
            let never = ["never:", "not:", "never ", "no ", "不要记", "不记", "别记"];
            let lower = line.to_lowercase();
            let unwanted = never.iter().find_map(|word| lower.strip_prefix(word));
            let words = terms(unwanted.unwrap_or(&lower));
            match (words.is_empty(), unwanted) {
                (true, _) => {}
                (_, Some(_)) => policy.leave.push(words),
                (_, None) => policy.keep.push(words),
            }
        }
        policy
    }

    /// Whether a text is about something that this project never wants remembered.
    #[must_use]
    pub fn forbids(&self, text: &str) -> bool {
        let own = terms(text);
        self.leave.iter().any(|wish| is_about(wish, &own))
    }

    /// Judges a sentence once more by the policy.
    pub fn judge(&self, read: &mut Read) {
        if self.keep.is_empty() && self.leave.is_empty() {
            return;
        }
        let own = terms(&read.sentence.own);
        let is_kept = !matches!(read.verdict, Verdict::Nothing | Verdict::Refused(_) | Verdict::Retraction);
        if is_kept && self.leave.iter().any(|wish| is_about(wish, &own)) {
            read.verdict = Verdict::Refused("the policy does not want it");
        } else if read.verdict == Verdict::Nothing && self.keep.iter().any(|wish| is_about(wish, &own)) && tells(read) {
            read.verdict = Verdict::Project;
        }
    }
}

fn is_about(wish: &BTreeSet<String>, own: &BTreeSet<String>) -> bool {
    let shared = wish.intersection(own).count();
    shared > 0 && contained(wish, own) >= ENOUGH && shared as f64 >= wish.len() as f64 * ENOUGH
}

fn tells(read: &Read) -> bool {
    let doubts =
        [Cue::Question, Cue::Hypothetical, Cue::Sarcasm, Cue::Reported, Cue::Telic, Cue::Progress, Cue::Unneeded];
    !read.cues.any(&doubts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::{Utterance, read};

    fn check(policy: &str, text: &str, expected: Verdict) {
        let policy = Policy::parse(policy);
        let said = Utterance { id: "m".into(), text: text.into(), moment: None, before: String::new() };
        let mut reads = read(&said, false);
        reads.iter_mut().for_each(|read| policy.judge(read));
        assert_eq!(reads[0].verdict, expected, "{text}");
    }

    #[test]
    fn a_policy_adds_and_takes_away() {
        let policy = "# What we keep\n- prices of suppliers\n- never: names of patients\n- 供应商的报价\n";
        check(policy, "The supplier's price was 14 euros a metre.", Verdict::Project);
        check(policy, "What was the supplier's price?", Verdict::Nothing);
        check(policy, "供应商的报价是每米十四块。", Verdict::Project);
        check(policy, "The weather is fine.", Verdict::Nothing);
        let refused = Verdict::Refused("the policy does not want it");
        check(policy, "Remember the patient names Smith and Lee.", refused);
    }
}
