//! When it folds: failures in a row, endless folds, wrong input.

use std::fs;

use super::*;

#[test]
fn c04_three_failures_open_the_circuit() {
    let place = Place::new();
    let messages = talk(20);
    for session in [json!({"failures": 3}), json!({"failures": 7})] {
        let document = json!({"messages": messages, "budget": 600, "session": {"compact": session}});
        let answer = fold(&place, &[], &document);
        assert_eq!(answer["compact"]["state"], "circuit-open");
        assert!(answer["compact"]["reason"].as_str().unwrap().contains("circuit open"));
        assert_eq!(answer["messages"], json!(messages));
        let mut by_hand = document.clone();
        by_hand["trigger"] = json!("manual");
        let answer = fold(&place, &[], &by_hand);
        assert_eq!(answer["compact"]["state"], "compacted");
        assert!(answer["session"]["compact"].get("failures").is_none(), "a success closes it");
    }
    let answer =
        fold(&place, &[], &json!({"messages": messages, "budget": 600, "session": {"compact": {"failures": 2}}}));
    assert_eq!(answer["compact"]["state"], "compacted");
}

#[test]
fn c04_what_cannot_be_folded_fails_three_times_and_not_a_fourth() {
    let place = Place::new();
    let mut session = json!({});
    for (turn, state) in ["over-budget", "over-budget", "over-budget", "circuit-open"].into_iter().enumerate() {
        let messages = [user(&format!("{turn} {}", "word ".repeat(4_000)))];
        let document =
            json!({"messages": messages, "budget": 600, "session": session, "prompt_id": format!("p{turn}")});
        let answer = fold(&place, &[], &document);
        assert_eq!(answer["compact"]["state"], state, "{turn}");
        // The same turn asked again is no further failure.
        let again = fold(
            &place,
            &[],
            &json!({"messages": messages, "budget": 600, "session": answer["session"], "prompt_id": format!("p{turn}")}),
        );
        session = again["session"].clone();
    }
}

#[test]
fn c04_a_window_that_is_full_again_at_once_is_thrash() {
    let place = Place::new();
    let (mut messages, mut session) = (talk(8), json!({}));
    let mut states = Vec::new();
    for turn in 0..5 {
        messages.push(user(&format!("And what about point {turn}? {}", "It matters a lot here. ".repeat(6))));
        messages.push(assistant(&"That one is quite another thing. ".repeat(50)));
        let document =
            json!({"messages": messages, "budget": 900, "session": session, "prompt_id": format!("p{turn}")});
        let answer = fold(&place, &[], &document);
        states.push(answer["compact"]["state"].as_str().unwrap().to_owned());
        messages = answer["messages"].as_array().unwrap().clone();
        session = answer["session"].clone();
    }
    assert_eq!(states, ["compacted", "compacted", "compacted", "compacted", "thrash"]);
}

#[test]
fn wrong_input_ends_by_where_it_came_from() {
    let place = Place::new();
    for arguments in [
        vec!["--budget", "many"],
        vec!["--budget=-5"],
        vec!["--context-tokens", "0"],
        vec!["--context-tokens", "1000", "--output-reserve-tokens", "1000"],
        vec!["--hot-turns", "-1"],
    ] {
        assert_eq!(ran(&place, &arguments, &json!({})).status, 2, "{arguments:?}");
    }
    for document in [
        json!({"budget": "many"}),
        json!({"budget": -5}),
        json!({"window": {"context_tokens": -1}}),
        json!({"window": {"context_tokens": "200k"}}),
        json!({"window": {"context_tokens": 100, "output_reserve_tokens": 100}}),
        json!({"options": {"compact": {"budget": "many"}}}),
    ] {
        let ran = ran(&place, &[], &document);
        assert_eq!(ran.status, 3, "{document}");
        assert_eq!(ran.document()["failed"]["code"], "bad-value", "{document}");
    }
}

#[test]
fn c04_compactions_of_the_agents_own_that_come_soon_are_thrash() {
    let place = Place::new();
    let boundary = |number: usize, trigger: &str| {
        json!({"type": "system", "subtype": "compact_boundary", "uuid": format!("b{number}"), "parentUuid": null, "sessionId": "s",
            "compactMetadata": {"trigger": trigger, "preTokens": 160_000}})
    };
    let turn = |number: usize, turn: usize| {
        [
            json!({"type": "user", "uuid": format!("u{number}-{turn}"), "parentUuid": if turn == 0 { format!("b{number}") } else { format!("a{number}-{}", turn - 1) }, "sessionId": "s",
                "message": {"role": "user", "content": format!("Look at part {turn} of the importer.")}}),
            json!({"type": "assistant", "uuid": format!("a{number}-{turn}"), "parentUuid": format!("u{number}-{turn}"), "sessionId": "s",
                "message": {"role": "assistant", "id": format!("m{number}-{turn}"), "content": [{"type": "text", "text": "done"}]}}),
        ]
    };
    let check = |turns: usize, trigger: &str, is_thrash: bool| {
        let mut lines: Vec<Value> = turn(0, 0).to_vec();
        for number in 1..=4 {
            lines.push(boundary(number, trigger));
            (0..turns).for_each(|at| lines.extend(turn(number, at)));
        }
        let text: String = lines.iter().map(|line| line.to_string() + "\n").collect();
        let path = place.top().join(format!("{turns}{trigger}.jsonl"));
        fs::write(&path, text).unwrap();
        let document = json!({"transcript_path": path});
        let below = fold(&place, &[], &document);
        assert_eq!(codes(&below).contains(&"thrash".to_owned()), is_thrash, "{turns} {trigger}: {below}");
        let full = fold(&place, &["--context-tokens", "20"], &document);
        assert_eq!(full["compact"]["state"] == "thrash", is_thrash, "{turns} {trigger}: {full}");
        let asked = fold(&place, &["--context-tokens", "20", "--force"], &document);
        assert_ne!(asked["compact"]["state"], "thrash");
    };
    check(2, "auto", true);
    check(5, "auto", false);
    check(2, "manual", false);
}
