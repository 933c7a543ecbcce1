//! Reads one message: cuts it into sentences, reads their signs in their own language, and judges each with what
//! stands around it.

use jiff::ZonedDateTime;
use mem_text::secrets;

use crate::cue::{Cue, Cues};
use crate::days;
use crate::material;
use crate::revision;
use crate::terms::{is_wide, terms};
use crate::typed::{self, Sentence};
use crate::verdict::{Surroundings, Verdict, judge};
use crate::wording::clauses;
use crate::{chinese, english};

/// One thing that a user typed, with what came before it.
#[derive(Clone, Debug)]
pub struct Utterance {
    /// The id of its message.
    pub id: String,
    /// The words.
    pub text: String,
    /// When it was said, in the user's zone.
    pub moment: Option<ZonedDateTime>,
    /// What the assistant said right before.
    pub before: String,
}

/// A sentence with what it was judged to be.
#[derive(Clone, Debug)]
pub struct Read {
    /// The sentence.
    pub sentence: Sentence,
    /// Its signs, with those that the sentence before hands on.
    pub cues: Cues,
    /// What it is.
    pub verdict: Verdict,
}

/// Signs that a sentence without matter of its own hands to the next: "No, not like that. We always …".
const HANDED_ON: [Cue; 4] = [Cue::Correction, Cue::Complaint, Cue::Change, Cue::Approval];
/// Signs that the head of a list hands to its items.
const OF_A_HEAD: [Cue; 5] = [Cue::Lasting, Cue::Remember, Cue::Convention, Cue::Once, Cue::Unneeded];

/// Returns the sentences of an utterance, judged. `reason_follows` says that the next message gives the reason.
pub fn read(utterance: &Utterance, reason_follows: bool) -> Vec<Read> {
    let sentences = revision::part(material::without(typed::sentences(&utterance.text)));
    let own: Vec<Cues> = sentences.iter().map(|sentence| signs(&sentence.own)).collect();
    let mut handed = Cues::default();
    let mut head = Cues::default();
    let mut read = Vec::with_capacity(sentences.len());
    for (at, sentence) in sentences.iter().enumerate() {
        let mut cues = own[at].with(handed);
        if sentence.is_item {
            cues = cues.with(head);
        }
        let around = Surroundings {
            is_dated: utterance.moment.as_ref().is_some_and(|moment| days::names_day_to_come(&sentence.own, moment)),
            is_later: utterance.moment.as_ref().is_some_and(|moment| days::names_later_day(&sentence.own, moment)),
            has_reason: reason_follows
                || ends_in_telling(&sentence.own)
                || sentences
                    .get(at + 1)
                    .is_some_and(|next| next.paragraph == sentence.paragraph && is_telling(&next.own, own[at + 1])),
            says_little: terms(&sentence.own).len() < 3,
            says_nothing: terms(&sentence.own).is_empty(),
            has_secret: !secrets::find(&sentence.text).is_empty(),
        };
        let heads_a_list =
            sentence.text.ends_with([':', '：']) && sentences.get(at + 1).is_some_and(|next| next.is_item);
        let verdict = if heads_a_list { Verdict::Nothing } else { judge(cues, around) };
        handed = handed_on(verdict, cues);
        if !sentence.is_item {
            head = if sentence.text.ends_with([':', '：']) { own[at].only(&OF_A_HEAD) } else { Cues::default() };
        }
        read.push(Read { sentence: sentence.clone(), cues, verdict });
    }
    read
}

/// Returns the signs of a text, each script read by its own reader.
pub fn signs(text: &str) -> Cues {
    let has_wide = text.chars().any(is_wide);
    if !has_wide {
        return english::read(text);
    }
    let latin = text.chars().filter(char::is_ascii_alphabetic).count();
    let wide = text.chars().filter(|character| is_wide(*character)).count();
    let cues = chinese::read(text);
    if latin > wide * 6 { cues.with(english::read(text)) } else { cues }
}

fn handed_on(verdict: Verdict, cues: Cues) -> Cues {
    match verdict {
        Verdict::Nothing => cues.only(&HANDED_ON),
        Verdict::Refused(_) => cues.only(&[Cue::Listing]),
        _ => Cues::default(),
    }
}

/// Whether the last of several clauses only tells something: then it gives the reason of those before.
fn ends_in_telling(text: &str) -> bool {
    let clauses = clauses(text);
    clauses.len() > 1 && clauses.last().is_some_and(|clause| is_telling(clause, signs(clause)))
}

/// Whether a sentence tells something and asks for nothing: then it can be the reason of the one before.
pub fn is_telling(text: &str, cues: Cues) -> bool {
    let wants = cues.has(Cue::Mine) && cues.has(Cue::Deontic) && !text.chars().any(is_wide);
    let asks =
        wants || cues.any(&[Cue::Question, Cue::Hypothetical, Cue::Retraction, Cue::Joke, Cue::Break, Cue::Progress]);
    let orders = if text.chars().any(is_wide) {
        chinese::orders(text, cues)
    } else {
        cues.any(&[Cue::Imperative, Cue::Prohibition])
    };
    !asks
        && !orders
        && text.split_whitespace().count() + text.chars().filter(|character| is_wide(*character)).count() > 2
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn utterance(text: &str) -> Utterance {
        let moment = "2026-10-13T10:20:00+02:00[Europe/Berlin]".parse().unwrap();
        Utterance { id: "m".into(), text: text.into(), moment: Some(moment), before: String::new() }
    }

    /// Checks what the first sentence that says anything is.
    fn check(expected: Verdict, texts: &[&str]) {
        for text in texts {
            let reads = read(&utterance(text), false);
            let found = reads.iter().map(|read| read.verdict).find(|verdict| *verdict != Verdict::Nothing);
            let signs: Vec<_> = reads.iter().map(|read| read.cues).collect();
            assert_eq!(found.unwrap_or(Verdict::Nothing), expected, "{text} {signs:?}");
        }
    }

    #[test]
    fn what_holds_for_all_times_is_a_rule() {
        check(
            Verdict::Rule,
            &[
                "From now on, put the units on every axis.",
                "Whenever you quote the contract, name the paragraph.",
                "We never log addresses.",
                "I prefer short answers.",
                "No semicolons in this codebase, please.",
                "Stop apologising, it is noise.",
                "No, use vitest, not jest.",
                "记住：测试不要连外网。",
                "以后图都用黑白的。",
                "凡是动数据库，先问我再跑。",
                "我们组一律先写测试。",
                "千万别在生产库上试。",
                "别再用缩写了，新人看不懂。",
            ],
        );
    }

    #[test]
    fn what_is_asked_supposed_or_ordered_once_is_none() {
        check(
            Verdict::Nothing,
            &[
                "Why do we always build twice?",
                "If we never cached it, what would break?",
                "Rename the column and run the tests again.",
                "Add a button that always scrolls to the top.",
                "The dialog must never close by itself.",
                "Our users never read the manual.",
                "Maybe we should always pin versions.",
                "Write a function that never returns null.",
                "为什么每次都要等这么久？",
                "写一个永远不返回空的函数。",
                "弹窗点外面的时候不能关闭。",
                "把这个文件里所有的 foo 换成 bar。",
                "也许应该一律锁版本，还没想好。",
            ],
        );
    }

    #[test]
    fn for_now_is_not_for_ever() {
        let texts =
            ["Skip the hooks just this once.", "For now use the old key.", "这次先跳过检查。", "暂时用旧的密钥。"];
        check(Verdict::Once, &texts);
    }

    #[test]
    fn facts_of_people_projects_and_places_are_told_apart() {
        check(Verdict::User, &["I'm a nurse and only code on weekends.", "我是护士，只有周末写代码。"]);
        check(
            Verdict::Project,
            &[
                "The clinic's certificate expires next Friday.",
                "We chose SQLite because the devices are mostly offline.",
                "The firmware belongs to the hardware group now, they approve every change.",
                "下周四开始封版。",
                "固件现在归硬件组管，改动要他们同意。",
            ],
        );
        check(
            Verdict::Reference,
            &["Incidents are discussed in #ops-room.", "The design lives in Figma.", "设计稿都在 Figma 的「结算」里。"],
        );
    }

    #[test]
    fn the_words_of_others_count_only_when_the_user_agrees() {
        check(Verdict::Refused("somebody else's words"), &["The vendor says we must always send the header."]);
        check(Verdict::Refused("somebody else's words"), &["产品那边说以后弹窗都要加动画，我不同意。"]);
        check(Verdict::Rule, &["The reviewer says we should always close the file, and I agree."]);
    }

    #[test]
    fn what_is_not_meant_or_secret_is_refused() {
        check(Verdict::Refused("meant as its opposite"), &["Oh brilliant, please always delete my work."]);
        check(Verdict::Refused("not to be remembered"), &["No need to remember this, but we always deploy at noon."]);
        check(
            Verdict::Refused("holds a secret"),
            &["Always use the token sk-proj-Zq81LmN0pXv7Rt3YbH5dKc92WfUe6sGa for tests."],
        );
    }

    #[test]
    fn praise_of_a_way_is_kept_and_praise_of_an_outcome_is_not() {
        check(Verdict::Confirmed, &["Good call splitting it in three.", "先画图再写代码，这个节奏很好，保持。"]);
        check(Verdict::Nothing, &["Perfect, all green.", "Great, it works!", "很好，全绿了。", "thanks, that works"]);
    }
}
