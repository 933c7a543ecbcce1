//! A stream of questions about one folder: it is read once, and yet every change is seen by the next question.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::support::{NOW, Place, program};

/// mem-recall, asked one question after the other.
struct Stream {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Stream {
    fn new(place: &Place) -> Self {
        let mut process = place.command(program("mem-recall"));
        process.args(["--now", NOW]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = process.spawn().unwrap();
        let (questions, answers) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, questions, answers }
    }

    fn ask(&mut self, place: &Place) -> Value {
        let line =
            json!({"memory_dir": place.memory(), "prompt": "how do we deploy with the blue script?"}).to_string();
        writeln!(self.questions.as_mut().unwrap(), "{line}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    fn paths(&mut self, place: &Place) -> Vec<String> {
        let answer = self.ask(place);
        let memories = answer["recall"]["memories"].as_array().unwrap().iter();
        memories.map(|memory| memory["path"].as_str().unwrap().to_owned()).collect()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.questions = None;
        self.child.wait().unwrap();
    }
}

fn memory(place: &Place, path: &str, body: &str) {
    let text = format!("---\nname: deploy\ndescription: deploy with the blue script\ntype: feedback\n---\n\n{body}\n");
    place.write(&format!("memory/{path}"), &text);
}

#[test]
fn every_change_of_the_folder_is_seen_by_the_next_question() {
    let place = Place::new();
    memory(&place, "a.md", "one");
    place.write("memory/team/x.md", "---\nname: x\ndescription: lunch\n---\n");
    let mut stream = Stream::new(&place);
    let settle = |stream: &mut Stream, expected: &[&str]| {
        for _ in 0..4 {
            assert_eq!(stream.paths(&place), expected);
        }
    };
    settle(&mut stream, &["a.md"]);
    memory(&place, "b.md", "two");
    settle(&mut stream, &["a.md", "b.md"]);
    fs::remove_file(place.memory().join("a.md")).unwrap();
    settle(&mut stream, &["b.md"]);
    fs::rename(place.memory().join("b.md"), place.memory().join("team/c.md")).unwrap();
    settle(&mut stream, &["team/c.md"]);
    memory(&place, "team/c.md", "other words of the same length");
    assert!(stream.ask(&place).to_string().contains("other words of the same length"));
    settle(&mut stream, &["team/c.md"]);
    // The folder is replaced by another of its name, and then is gone.
    fs::rename(place.memory(), place.top().join("old")).unwrap();
    memory(&place, "d.md", "four");
    settle(&mut stream, &["d.md"]);
    fs::remove_dir_all(place.memory()).unwrap();
    settle(&mut stream, &[]);
    // A link makes that nothing is kept, and changes behind it are seen.
    memory(&place, "e.md", "five");
    std::os::unix::fs::symlink("e.md", place.memory().join("f.md")).unwrap();
    settle(&mut stream, &["e.md", "f.md"]);
    fs::remove_file(place.memory().join("f.md")).unwrap();
    settle(&mut stream, &["e.md"]);
}

#[test]
fn what_is_kept_answers_as_what_is_read() {
    let place = Place::new();
    for number in 0..40 {
        memory(
            &place,
            &format!("m{number:02}.md"),
            &format!("{}\n\n部署 {number}", "filler words here ".repeat(number * 3)),
        );
    }
    place.write("memory/broken.md", "---\nname: a: b: c\n---\nblue script\n").write("memory/nul.md", "\u{fffd}");
    fs::write(place.memory().join("bytes.md"), b"---\nname: b\n---\n\xff\xfe blue").unwrap();
    let mut stream = Stream::new(&place);
    let first = stream.ask(&place);
    assert!(first["problems"].as_array().is_some_and(|problems| !problems.is_empty()));
    for number in 0..5 {
        assert_eq!(stream.ask(&place), first, "answer {number}");
    }
}
