//! Joining, reasons, later words and what is taken back.

#![allow(clippy::unwrap_used)]
use super::*;

/// Reads a conversation of (assistant before, user) and returns what is kept, as `type: sayings | reasons`.
fn kept(said: &[(&str, &str)]) -> Vec<String> {
    let moment: ZonedDateTime = "2026-10-13T10:20:00+02:00[Europe/Berlin]".parse().unwrap();
    let utterances: Vec<Utterance> = said
        .iter()
        .enumerate()
        .map(|(at, (before, text))| Utterance {
            id: at.to_string(),
            text: (*text).into(),
            moment: Some(moment.clone()),
            before: (*before).into(),
        })
        .collect();
    let lesson = gather(&utterances);
    lesson
        .claims
        .iter()
        .map(|claim| format!("{}: {} | {}", claim.kind.word(), claim.text(), claim.reasons.join(" ")))
        .collect()
}

#[test]
fn a_reason_may_follow_in_the_next_sentence_or_in_the_next_message() {
    assert_eq!(
        kept(&[("", "Never push to main. The nightly job deploys it.")]),
        ["feedback: Never push to main. | The nightly job deploys it."]
    );
    let said = [
        ("", "Don't use mocks for the clock tests, inject it."),
        ("Sure. Is there a reason?", "They hid a bug in March."),
    ];
    let expected = "feedback: Don't use mocks for the clock tests, inject it. | They hid a bug in March.";
    assert_eq!(kept(&said), [expected]);
}

#[test]
fn the_later_word_wins() {
    let said = [("", "From now on use four spaces in YAML."), ("", "Hmm. Make that two spaces for YAML, always.")];
    assert_eq!(kept(&said), ["feedback: From now on use two spaces for YAML, always. | "]);
    let said = [("", "以后接口文档用表格写。"), ("", "改成用列表写接口文档吧，以后都这样。")];
    assert_eq!(kept(&said).len(), 1);
}

#[test]
fn a_value_corrected_in_the_same_breath_is_the_only_one() {
    let npm = ["feedback: Always use npm. | "];
    assert_eq!(kept(&[("", "Always use pnpm. Actually no, use npm.")]), npm);
    assert_eq!(kept(&[("", "Always use pnpm, no wait, npm.")]), npm);
    assert_eq!(kept(&[("", "Always use pnpm. Scratch that. Use npm.")]), npm);
    assert_eq!(kept(&[("", "Always use pnpm."), ("ok", "Actually, forget that: npm.")]), npm);
    let alone = ["feedback: use npm from now on | "];
    assert_eq!(kept(&[("I'll use pnpm.", "Actually, forget that: use npm from now on.")]), alone);
    let npm = ["feedback: 以后都用npm。 | "];
    assert_eq!(kept(&[("", "以后都用pnpm。"), ("好", "算了，还是用npm吧")]), npm);
    assert_eq!(kept(&[("", "以后都用pnpm，算了，还是用npm吧。")]), npm);
    let next = ("", "Actually, let me look at the failing test.");
    assert_eq!(kept(&[("", "Always use pnpm."), next]), ["feedback: Always use pnpm. | "]);
}

#[test]
fn what_is_taken_back_is_gone_in_whole_or_in_part() {
    let rule = ("", "From now on prefix branches with the ticket number.");
    assert_eq!(kept(&[rule, ("", "Forget what I said about branch names.")]), [""; 0]);
    assert_eq!(kept(&[("", "以后变量名都用拼音"), ("", "开玩笑的，别当真")]), [""; 0]);
    let two = ("", "For the future: put flags in the flag service, and prefix them with the team name.");
    let left = kept(&[two, ("", "Forget what I said about the prefix, the service adds it.")]);
    assert_eq!(left, ["feedback: For the future: put flags in the flag service | "]);
}

#[test]
fn a_bare_yes_keeps_what_was_confirmed_or_nothing() {
    let said = [("I would open one pull request per module, in dependency order.", "Yes exactly, keep doing that.")];
    assert_eq!(kept(&said), ["feedback: Yes exactly, keep doing that. | "]);
    assert_eq!(kept(&[("ok", "Yes exactly, keep doing that.")]), [""; 0]);
}

#[test]
fn a_list_of_rules_takes_its_head_to_every_item() {
    let said = [("", "Please remember:\n- no emojis in commits\n- releases are tagged with a v")];
    assert_eq!(kept(&said).len(), 2);
}

#[test]
fn of_a_list_of_deeds_only_the_surprise_is_kept() {
    let said = [("", "Save the list of PRs: 1, 2, 3. What surprised me is that 1 and 2 clashed.")];
    assert_eq!(kept(&said), ["project: What surprised me is that 1 and 2 clashed. | "]);
    assert_eq!(kept(&[("", "Save the list of PRs to memory: 1, 2, 3.")]), [""; 0]);
}

#[test]
fn hostile_text_is_no_trouble() {
    let long = "always ".repeat(5_000) + &"从…开始，".repeat(5_000);
    for text in ["", "\u{0}", "'", "don't", "no", "，，，", "以后", "a, b, c, d", "?!?!", long.as_str()] {
        kept(&[("", text)]);
    }
}
