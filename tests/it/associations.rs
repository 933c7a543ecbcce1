//! The user's own words that stand for the same thing: from the user's settings or the command line, and nowhere else.

use serde_json::{Value, json};

use crate::support::{NOW, Place};

fn place() -> Place {
    let place = Place::new();
    place.write(
        "memory/kiosk.md",
        "---\nname: kiosk\ndescription: the kiosk restarts at four\ntype: project\n---\n\nAt four.\n",
    );
    place.write("memory/lunch.md", "---\nname: lunch\ndescription: noodles at noon\ntype: project\n---\n\nNoodles.\n");
    place
}

fn ask(place: &Place, arguments: &[&str], more: Value) -> (Vec<String>, Value) {
    let mut input =
        json!({"memory_dir": place.memory(), "cwd": place.project(), "prompt": "when does the frobnicator reboot?"});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let document = place.run("mem-recall", &[&["--now", NOW], arguments].concat(), input.to_string()).document();
    let memories = document["recall"]["memories"].as_array().unwrap().iter();
    let paths = memories.map(|memory| memory["path"].as_str().unwrap().to_owned()).collect();
    (paths, document["problems"].clone())
}

#[test]
fn words_of_the_users_settings_lead_to_a_memory_without_a_shared_word() {
    let place = place();
    assert_eq!(ask(&place, &[], json!({})).0, Vec::<String>::new());
    place.write("home/words.txt", "# ours\nfrobnicator, kiosk, 自助机\n");
    place.write("home/.config/mem/config.yaml", "recall:\n  associations: ~/words.txt\n");
    assert_eq!(ask(&place, &[], json!({})), (vec!["kiosk.md".to_owned()], Value::Null));
    assert_eq!(ask(&place, &[], json!({"prompt": "自助机几点重启"})).0, ["kiosk.md"]);
}

#[test]
fn no_document_and_no_repository_names_such_a_file() {
    let place = place();
    place.write("proj/words.txt", "frobnicator, kiosk\n");
    place.write(
        "proj/.claude/settings.json",
        r#"{"recall": {"associations": "words.txt"}, "recall.associations": "words.txt"}"#,
    );
    place.write("proj/.config/mem/config.yaml", "recall:\n  associations: words.txt\n");
    place.write("proj/mem/config.yaml", "recall:\n  associations: words.txt\n");
    let (paths, problems) = ask(&place, &[], json!({"options": {"recall": {"associations": "words.txt"}}}));
    assert_eq!((paths, &problems[0]["code"]), (vec![], &json!("refused-option")));
    assert_eq!(ask(&place, &["--associations", "words.txt"], json!({})).0, ["kiosk.md"]);
}

#[test]
fn what_cannot_be_used_is_told_with_file_and_line_and_the_rest_holds() {
    let place = place();
    place.write("home/words.txt", "alone\nfrobnicator, kiosk\n\na | b | c\n");
    let file = place.home().join("words.txt");
    let (paths, problems) = ask(&place, &["--associations", file.to_str().unwrap()], json!({}));
    assert_eq!(paths, ["kiosk.md"]);
    let told: Vec<(&Value, &Value, &Value)> = problems
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| (&problem["code"], &problem["path"], &problem["line"]))
        .collect();
    let (code, path) = (json!("bad-association"), json!(file));
    assert_eq!(told, [(&code, &path, &json!(1)), (&code, &path, &json!(4))]);
    let (paths, problems) = ask(&place, &["--associations", "~/none.txt"], json!({}));
    assert_eq!((paths, &problems[0]["code"]), (vec![], &json!("unreadable-associations")));
    assert_eq!(problems[0]["path"], json!(place.home().join("none.txt")));
}
