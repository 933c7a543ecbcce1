//! Folds generated conversations, and a few written by hand, and looks whether the results hold.

#![allow(clippy::unwrap_used)]
use super::*;
use mem_transcript::{Role, last_typed, read_messages, text_tokens, tool_pairs};

/// A small generator of conversations: same seed, same conversation, on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Returns a conversation with parallel calls, missing results, images, thinking and odd blocks, in two languages.
fn conversation(seed: u64, turns: u64) -> String {
    let mut dice = Dice(seed);
    let mut messages = Vec::new();
    let mut push = |role: &str, content: String, with_id: bool| {
        let id = if with_id { format!("\"uuid\":\"u{}\",", messages.len()) } else { String::new() };
        messages.push(format!("{{{id}\"role\":\"{role}\",\"content\":{content}}}"));
    };
    for turn in 0..turns {
        let with_id = dice.roll(5) > 0;
        let number = dice.roll(9000) + 1000;
        push("user", asked(dice.roll(6), number), with_id);
        for step in 0..dice.roll(3) {
            let calls = dice.roll(3) + 1;
            let names: Vec<String> = (0..calls).map(|call| format!("t{turn}-{step}-{call}")).collect();
            push("assistant", calling(&names, number), with_id);
            if dice.roll(12) > 0 {
                push("user", results(&names, dice.roll(4), number), with_id);
            }
        }
        push("assistant", answered(dice.roll(5), number), with_id);
    }
    format!("[{}]", messages.join(","))
}

fn asked(kind: u64, number: u64) -> String {
    match kind {
        0 => format!("\"Always use port {number} for the tests.\""),
        1 => format!("\"以后一律用 {number} 端口，不要改。\""),
        2 => "[{\"type\":\"text\",\"text\":\"Look at this.\"},{\"type\":\"image\",\"source\":{\"media_type\":\"image/png\",\"data\":\"aaaabbbb\"}}]".into(),
        3 => "\"ok\"".into(),
        4 => format!("[{{\"type\":\"text\",\"text\":\"What is \\ud83d {number}?\"}},{{\"type\":\"odd\",\"deep\":[[[{number}]]]}}]"),
        _ => format!("\"Why does step {number} fail? {}\"", "It worked before. ".repeat(30)),
    }
}

fn calling(names: &[String], number: u64) -> String {
    let calls: Vec<_> = names
        .iter()
        .map(|id| format!("{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"Edit\",\"input\":{{\"file_path\":\"/p/src/f{number}.rs\"}}}}"))
        .collect();
    format!("[{{\"type\":\"thinking\",\"thinking\":\"hm {number}\",\"signature\":\"s\"}},{}]", calls.join(","))
}

fn results(names: &[String], kind: u64, number: u64) -> String {
    let content = match kind {
        0 => format!("\"error: E{number} no such file\""),
        1 => "[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"image\",\"source\":{\"media_type\":\"image/png\",\"data\":\"cccc\"}}]".into(),
        _ => format!("\"{}\"", "fn f() {}\\n".repeat(40)),
    };
    let results: Vec<_> = names
        .iter()
        .map(|id| format!("{{\"type\":\"tool_result\",\"tool_use_id\":\"{id}\",\"content\":{content}}}"))
        .collect();
    format!("[{}]", results.join(","))
}

fn answered(kind: u64, number: u64) -> String {
    match kind {
        0 => format!("\"It was the cache; {number} entries were stale, so I cleared it.\""),
        1 => "\"好了。\"".into(),
        2 => format!("\"Still open: the check for tenant {number}.\""),
        _ => "\"Done.\"".into(),
    }
}

fn check(json: &str, wish: &Wish, holds: impl Fn(&[Message<'_>], Option<&Fold>)) {
    let read = read_messages(json);
    let window = Window::new(&read.messages);
    holds(&read.messages, fold(&window, wish, None).as_ref());
}

fn with_budget(budget: usize) -> Wish {
    Wish { budget: Some(budget), hot_turns: 3, root: "/p".into(), ..Wish::default() }
}

fn tokens(messages: &[Message<'_>]) -> usize {
    messages.iter().map(mem_transcript::budget_tokens).sum()
}

/// Returns the id of every cover that is neither a message nor a summary.
fn unknown_covers(messages: &[Message<'_>], fold: &Fold) -> Vec<Cover> {
    let known = |cover: &Cover| match cover {
        Cover::Index(index) => *index < messages.len(),
        Cover::Id(id) => {
            messages.iter().any(|message| message.uuids().any(|own| own == id))
                || fold.summaries.iter().any(|summary| summary.id == *id)
        }
    };
    fold.summaries.iter().flat_map(|summary| &summary.covers).filter(|cover| !known(cover)).cloned().collect()
}

/// Returns where the last step of a run of tools begins.
fn last_step(messages: &[Message<'_>]) -> usize {
    let is_step = |&at: &usize| messages[at].role == Role::Assistant && messages[at - 1].role != Role::Assistant;
    (1..messages.len()).rev().find(is_step).unwrap_or(0)
}

/// Checks what a service checks: roles in turn, user first, every call answered by the next message and nothing else.
fn assert_valid(messages: &[Message<'_>], seed: u64) {
    assert_eq!(messages[0].role, Role::User, "seed {seed}");
    let ids = |message: &Message<'_>, results: bool| {
        let id = |part: &mem_transcript::Part<'_>| match &part.kind {
            mem_transcript::Kind::ToolUse { id, .. } if !results => Some(id.to_string()),
            mem_transcript::Kind::ToolResult { id, .. } if results => Some(id.to_string()),
            _ => None,
        };
        let mut ids: Vec<String> = message.parts.iter().filter_map(id).collect();
        ids.sort();
        ids
    };
    for pair in messages.windows(2) {
        assert_ne!(pair[0].role, pair[1].role, "seed {seed}");
        assert_eq!(ids(&pair[0], false), ids(&pair[1], true), "seed {seed}");
    }
    assert!(messages.last().is_none_or(|last| ids(last, false).is_empty()), "seed {seed}");
    assert!(messages.iter().all(|message| !message.parts.is_empty()), "seed {seed}");
}

#[test]
fn every_conversation_folds_into_a_valid_one_within_its_budget() {
    for seed in 0..60 {
        let json = conversation(seed, 4 + seed % 30);
        let before = tokens(&read_messages(&json).messages);
        let budget = before * (10 + (seed as usize % 5) * 15) / 100;
        check(&json, &with_budget(budget), |messages, fold| {
            let Some(fold) = fold else { return };
            let result = read_messages(&fold.messages).messages;
            assert_eq!(tokens(&result), fold.tokens, "seed {seed}");
            let typed = &messages[last_typed(messages).unwrap()];
            let least = tokens(&messages[last_step(messages)..]) + mem_transcript::budget_tokens(typed) + 250;
            assert!(
                fold.tokens <= budget.max(least),
                "seed {seed}: {} > {budget}, {least} {}",
                fold.tokens,
                fold.messages
            );
            assert_valid(&result, seed);
            let words = mem_types::surrogates::mended(typed.raw.unwrap());
            assert!(result.iter().any(|message| message.raw == Some(&words)), "seed {seed}: the last typed message");
            assert_eq!(unknown_covers(messages, fold), [], "seed {seed}");
        });
    }
}

#[test]
fn folding_what_is_folded_changes_nothing() {
    for seed in 0..12 {
        let json = conversation(seed, 12);
        let wish = Wish { hot_turns: 2, ..Wish::default() };
        check(&json, &wish, |_, fold| {
            let Some(fold) = fold else { return };
            for budget in (0..fold.tokens + 40).step_by(61) {
                let wish = Wish { earlier: fold.summaries.clone(), ..with_budget(budget) };
                check(&fold.messages, &wish, |_, second| {
                    // Within the budget nobody asks for another fold.
                    let Some(second) = second.filter(|second| second.tokens > budget) else { return };
                    check(&second.messages, &wish, |_, third| {
                        assert!(
                            third.is_none(),
                            "seed {seed} budget {budget}\n{}\n\n{}\n\n{}",
                            fold.messages,
                            second.messages,
                            third.unwrap().messages
                        )
                    });
                });
            }
            let again = Wish { earlier: fold.summaries.clone(), ..wish.clone() };
            check(&fold.messages, &again, |_, second| assert!(second.is_none(), "seed {seed}"));
        });
    }
}

#[test]
fn a_later_fold_covers_the_digest_of_the_earlier_one() {
    let first = conversation(7, 12);
    check(&first, &Wish { hot_turns: 1, ..Wish::default() }, |_, fold| {
        let fold = fold.unwrap();
        let more = conversation(8, 12).replace("\"uuid\":\"u", "\"uuid\":\"v");
        let joined = format!("{},{}", fold.messages.strip_suffix(']').unwrap(), more.strip_prefix('[').unwrap());
        let wish = Wish { hot_turns: 1, earlier: fold.summaries.clone(), ..Wish::default() };
        check(&joined, &wish, |messages, second| {
            let second = second.unwrap();
            let digest = second.summaries.last().unwrap();
            assert_eq!(digest.level, 3);
            assert_eq!(digest.covers[0], Cover::Id(fold.summaries.last().unwrap().id.clone()));
            let ids = |covers: &[Cover]| format!("{covers:?}");
            let new = &second.summaries[fold.summaries.len()..];
            let lost: Vec<_> = unknown_covers(messages, second);
            assert!(
                new.iter()
                    .all(|summary| { lost.iter().all(|cover| !ids(&summary.covers).contains(&format!("{cover:?}"))) })
            );
        });
    });
}

#[test]
fn wishes_numbers_and_pins_stand_word_for_word() {
    let filler: String = (0..30).map(|turn| format!(",{{\"role\":\"user\",\"content\":\"Check part {turn}\"}},{{\"role\":\"assistant\",\"content\":\"{}\"}}", "Nothing to see here at all. ".repeat(20))).collect();
    let json = format!(
        "[{{\"role\":\"user\",\"content\":\"以后一律用 8443 端口。\"}},{{\"role\":\"assistant\",\"content\":\"The colour of the shed is blue.\"}}{filler},{{\"role\":\"user\",\"content\":\"Go on with the last one\"}}]"
    );
    let wish = Wish { pins: vec!["the shed".into()], ..with_budget(500) };
    check(&json, &wish, |_, fold| {
        let text = &fold.unwrap().summaries.last().unwrap().text;
        assert!(text.contains("> 以后一律用 8443 端口。") && text.contains("the shed is blue"), "{text}");
        assert_eq!(fold.unwrap().loss.wishes.lost, [""; 0]);
        assert_eq!(fold.unwrap().loss.pins.kept, 1);
    });
}

#[test]
fn images_leave_a_mark_and_no_data() {
    let json = conversation(3, 30).replace("aaaabbbb", &"aaaabbbb".repeat(1000));
    check(&json, &Wish { hot_turns: 0, ..Wish::default() }, |_, fold| {
        let fold = fold.unwrap();
        assert!(!fold.messages.contains("aaaabbbb"));
        assert!(fold.summaries.iter().any(|summary| summary.text.contains("[image/png, 6000 bytes]")));
    });
}

#[test]
fn a_single_turn_is_never_folded() {
    check("[]", &with_budget(0), |_, fold| assert!(fold.is_none()));
    let json = "[{\"role\":\"user\",\"content\":\"go\"},{\"role\":\"assistant\",\"content\":\"a very long answer\"}]";
    check(json, &with_budget(1), |_, fold| assert!(fold.is_none()));
    check("[{\"role\":\"assistant\",\"content\":\"x\"}]", &with_budget(1), |_, fold| assert!(fold.is_none()));
}

#[test]
fn a_result_is_not_parted_from_its_call() {
    let call =
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Read\",\"input\":{}}]}";
    let result = "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"x\"}]}";
    let typed = "{\"role\":\"user\",\"content\":\"stop, use port 80\"}";
    let old = format!(
        "{{\"role\":\"user\",\"content\":\"{}\"}},{{\"role\":\"assistant\",\"content\":\"yes\"}}",
        "Tell me more about it. ".repeat(100)
    );
    let json = format!("[{old},{{\"role\":\"user\",\"content\":\"read\"}},{call},{typed},{result}]");
    check(&json, &Wish { hot_turns: 0, ..Wish::default() }, |_, fold| {
        let result = read_messages(&fold.unwrap().messages).messages;
        assert!(tool_pairs(&result).unpaired.is_empty());
    });
}

#[test]
fn the_count_of_a_digest_is_that_of_its_text() {
    assert_eq!(digest::message_tokens("abcd"), 4 + text_tokens("abcd"));
}
