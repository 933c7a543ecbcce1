//! `mem-age --llm`: a model writes what comes of a merge, and nothing is taken from it that was not checked.

use serde_json::json;

use crate::forgetting::{age, read};
use crate::support::{Place, snapshot};

/// A place with two memories that say the same, and answers of a model in `model`.
fn doubles(answers: &[&str]) -> (Place, String) {
    let place = Place::new();
    let text = "Never deploy the relay on Fridays before 2026-12-24: support is thin";
    for (name, day, more) in [
        ("deploy", "2026-11-20", "Stop it by `relay stop`, see src/relay.rs."),
        ("friday", "2026-11-10", "Close port 7431."),
    ] {
        let head = format!("name: {name}\ndescription: \"{text}\"\ntype: project\nmodified: {day}\n");
        place.write(&format!("memory/{name}.md"), &format!("---\n{head}---\n\n{text}.\n\n{more}\n"));
    }
    place.write("proj/src/relay.rs", "");
    for (index, body) in answers.iter().enumerate() {
        place.write(&format!("model/{}.json", index + 1), &json!({"body": body}).to_string());
    }
    let spec = format!("replay:{}", place.top().join("model").display());
    (place, spec)
}

const MERGED: &str = "Never deploy the relay on Fridays before 2026-12-24: support is thin. `relay stop`, src/relay.rs; close port 7431.";

#[test]
fn a_model_writes_what_comes_of_a_merge() {
    // The second answer holds what the first one lost.
    for answers in [&[MERGED][..], &["Never deploy on Fridays.", MERGED]] {
        let (place, spec) = doubles(answers);
        let before = snapshot(&place.memory());
        let planned = age(&place, &["--llm", &spec], json!({}));
        assert_eq!(snapshot(&place.memory()), before);
        let action = &planned["age"]["actions"][0];
        assert_eq!((&action["action"], &action["body"]), (&json!("merge"), &json!(MERGED)), "{planned}");
        assert_eq!(planned["age"]["usage"]["requests"], answers.len(), "{planned}");
        // Carried out as it was planned, without the model.
        let plan = json!({"age": planned["age"].clone()});
        let done = age(&place, &["--apply"], plan);
        assert_eq!(done["age"]["actions"][0]["outcome"], "written", "{done}");
        let into = action["into"].as_str().unwrap();
        let text = read(&place, into).unwrap();
        assert!(text.starts_with("---\n") && text.ends_with(&format!("\n{MERGED}\n")), "{text}");
        assert_eq!(read(&place, action["path"].as_str().unwrap()), None);
    }
}

#[test]
fn a_merge_that_loses_something_is_made_without_the_model_and_said_so() {
    for (answers, code, part) in [
        (&["Never deploy on Fridays.", "Never deploy on Fridays."][..], "model-merge-refused", "loses"),
        (
            &[&*MERGED.replace("Never deploy", "Deploy"), &*MERGED.replace("Never deploy", "Deploy")],
            "model-merge-refused",
            "'not'",
        ),
        (&[&*format!("{MERGED} 99 times."), &*format!("{MERGED} 99 times.")], "model-merge-refused", "invents 99"),
        (&[], "model-not-recorded", "has no"),
    ] {
        let (place, spec) = doubles(answers);
        let done = age(&place, &["--apply", "--llm", &spec], json!({}));
        let action = &done["age"]["actions"][0];
        assert_eq!((&action["outcome"], &action["body"]), (&json!("written"), &json!(null)), "{done}");
        let problem = done["problems"].as_array().unwrap().iter().find(|problem| problem["code"] == code);
        let message = problem.unwrap_or_else(|| panic!("{done}"))["message"].as_str().unwrap();
        assert!(message.contains(part), "{message}");
        let text = read(&place, action["into"].as_str().unwrap()).unwrap();
        assert!(
            ["7431", "`relay stop`", "src/relay.rs", "2026-12-24"].iter().all(|mark| text.contains(mark)),
            "{text}"
        );
    }
    let (place, _) = doubles(&[]);
    let gone = age(&place, &["--llm", "exec:/nowhere/model"], json!({}));
    let told = gone["problems"].to_string();
    assert!(told.contains("and so are all others") && gone["age"]["actions"][0]["action"] == "merge", "{told}");
}
