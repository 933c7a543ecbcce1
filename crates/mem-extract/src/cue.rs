//! The signs by which a sentence shows what it is, the same for every language.
//!
//! A language's reader (`english`, `chinese`) finds them; `verdict` weighs them. Neither knows the other.

/// One sign in one sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Cue {
    /// Asks for an answer.
    Question,
    /// Speaks of what might be: "if we ran …, what would …".
    Hypothetical,
    /// Says the opposite of what it means.
    Sarcasm,
    /// Holds for all times: always, never, from now on, 以后, 一律.
    Lasting,
    /// Holds for every case of a kind: "when you summarise …", 凡是.
    Whenever,
    /// Holds for now only.
    Once,
    /// Asks for it to be remembered.
    Remember,
    /// Asks for it not to be remembered.
    Unneeded,
    /// Tells somebody to do something.
    Imperative,
    /// Tells somebody to leave something.
    Prohibition,
    /// Says what must or should be.
    Deontic,
    /// Says what the speaker likes, wants or hates.
    Wish,
    /// Says how the speaker's own team does things.
    Convention,
    /// Tells the assistant to give up a habit.
    StopHabit,
    /// Rejects what was just done or said.
    Correction,
    /// Sets one thing against another: "X, not Y".
    Contrast,
    /// Says that it was said, or went wrong, before.
    Complaint,
    /// Praises.
    Approval,
    /// Speaks of a way of working, not of its outcome.
    Approach,
    /// Asks to go on in the same way.
    Keep,
    /// Gives a reason in so many words.
    Reason,
    /// Reports what somebody else says or wants.
    Reported,
    /// Agrees with what is reported.
    Endorsed,
    /// Disagrees with what is reported.
    Rejected,
    /// Describes the speaker: trade, experience, senses.
    Role,
    /// Says who owns a thing or must agree to a change.
    Ownership,
    /// Says what was decided, or to what end.
    Decision,
    /// Names something that happens to the project: release, freeze, audit.
    Event,
    /// Tells of something past.
    Past,
    /// Names what was not expected.
    Surprise,
    /// Says where outside the code something stands.
    Location,
    /// Takes back what was said.
    Retraction,
    /// Was a joke.
    Joke,
    /// Says that something is now otherwise.
    Change,
    /// Points at the thing at hand: this file, 这个函数.
    Deictic,
    /// Points back at what was said or done: that way, 这样.
    Anaphor,
    /// Orders a deed that is over when it is done: add, rename, 把…改成.
    Telic,
    /// Orders a manner that has no end: use, keep, write … in.
    Standing,
    /// Speaks of a kind of thing, not of one thing.
    Generic,
    /// Its subject is one thing that is being built.
    Product,
    /// Its subject is somebody else's habit.
    OtherHabit,
    /// Asks for a list to be kept.
    Listing,
    /// Says how far the work at hand has come.
    Progress,
    /// Turns to another matter.
    Break,
    /// Its main clause tells something; what it orders, if anything, comes after.
    Told,
    /// Orders a manner by a verb that itself lasts: keep, prefer, avoid.
    Durative,
    /// Speaks of every case: every, any, everywhere, 所有.
    Universal,
    /// Speaks of how the assistant talks: answers, explanations, tone.
    Speech,
    /// Its main clause is about the speaker alone.
    Mine,
}

/// The signs of one sentence.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Cues(u64);

impl Cues {
    /// Whether the sign was seen.
    pub fn has(self, cue: Cue) -> bool {
        self.0 & (1 << cue as u8) != 0
    }

    /// Whether one of the signs was seen.
    pub fn any(self, cues: &[Cue]) -> bool {
        cues.iter().any(|cue| self.has(*cue))
    }

    /// Notes a sign.
    pub fn add(&mut self, cue: Cue) {
        self.0 |= 1 << cue as u8;
    }

    /// Notes a sign if it is there.
    pub fn add_if(&mut self, seen: bool, cue: Cue) {
        if seen {
            self.add(cue);
        }
    }

    /// Takes a sign away.
    pub fn drop(&mut self, cue: Cue) {
        self.0 &= !(1 << cue as u8);
    }

    /// Returns those of `cues` that both sets could pass on.
    pub fn only(self, cues: &[Cue]) -> Cues {
        let mut kept = Cues::default();
        for cue in cues {
            kept.add_if(self.has(*cue), *cue);
        }
        kept
    }

    /// Returns the signs of both.
    pub fn with(self, other: Cues) -> Cues {
        Cues(self.0 | other.0)
    }
}

impl std::fmt::Debug for Cues {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(ALL.iter().filter(|cue| self.has(**cue))).finish()
    }
}

/// All signs, for those who list them.
const ALL: [Cue; 49] = [
    Cue::Question,
    Cue::Hypothetical,
    Cue::Sarcasm,
    Cue::Lasting,
    Cue::Whenever,
    Cue::Once,
    Cue::Remember,
    Cue::Unneeded,
    Cue::Imperative,
    Cue::Prohibition,
    Cue::Deontic,
    Cue::Wish,
    Cue::Convention,
    Cue::StopHabit,
    Cue::Correction,
    Cue::Contrast,
    Cue::Complaint,
    Cue::Approval,
    Cue::Approach,
    Cue::Keep,
    Cue::Reason,
    Cue::Reported,
    Cue::Endorsed,
    Cue::Rejected,
    Cue::Role,
    Cue::Ownership,
    Cue::Decision,
    Cue::Event,
    Cue::Past,
    Cue::Surprise,
    Cue::Location,
    Cue::Retraction,
    Cue::Joke,
    Cue::Change,
    Cue::Deictic,
    Cue::Anaphor,
    Cue::Telic,
    Cue::Standing,
    Cue::Generic,
    Cue::Product,
    Cue::OtherHabit,
    Cue::Listing,
    Cue::Progress,
    Cue::Break,
    Cue::Told,
    Cue::Durative,
    Cue::Universal,
    Cue::Speech,
    Cue::Mine,
];
