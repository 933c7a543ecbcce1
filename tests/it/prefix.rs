//! Format `request` in a session: each request begins with the bytes of the one before it, so that a cache holds.

use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::support::{NOW, Place, feed, program};

/// What happens in a turn besides that the user says something.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Event {
    Nothing,
    /// A memory is written to the folder, and its line to the index.
    MemoryWritten,
    /// A file is touched for which a rule waits.
    RuleMatches,
    /// The assistant calls a tool, whose result is the last message.
    ToolCall,
    /// An instruction file is edited.
    InstructionsEdited,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => Just(Event::Nothing),
        1 => Just(Event::MemoryWritten),
        1 => Just(Event::RuleMatches),
        1 => Just(Event::ToolCall),
        1 => Just(Event::InstructionsEdited),
    ]
}

/// A conversation that grows by a turn at a time, and the folder that it is held in.
struct Talk {
    place: Place,
    messages: Vec<Value>,
    files: Vec<Value>,
}

const TOPICS: [&str; 6] = ["database", "deploy", "colour theme", "release notes", "login page", "backup"];

impl Talk {
    fn new() -> Self {
        let place = Place::new();
        place
            .write("proj/CLAUDE.md", "# Rules\n\nUse tabs.\n")
            .write("proj/.claude/rules/typescript.md", "---\npaths: \"**/*.ts\"\n---\nNo any in TypeScript.\n")
            .write("memory/MEMORY.md", "- [Database](database.md) — tests use a real postgres\n")
            .write(
                "memory/database.md",
                "---\nname: database\ndescription: tests use a real postgres database\n---\nReal.\n",
            );
        Self { place, messages: Vec::new(), files: Vec::new() }
    }

    fn happen(&mut self, turn: usize, event: Event) {
        let topic = TOPICS[turn % TOPICS.len()];
        self.messages.push(json!({"role": "user", "content": format!("What about the {topic}, turn {turn}?")}));
        match event {
            Event::Nothing => {}
            Event::MemoryWritten => {
                let text =
                    format!("---\nname: {topic} {turn}\ndescription: how we do the {topic}\n---\nNote {turn}.\n");
                self.place.write(&format!("memory/note-{turn}.md"), &text);
                let index = self.place.memory().join("MEMORY.md");
                let old = std::fs::read_to_string(&index).unwrap();
                std::fs::write(index, format!("{old}- [{topic}](note-{turn}.md) — how we do it\n")).unwrap();
            }
            Event::RuleMatches => self.files.push(json!("src/a.ts")),
            Event::ToolCall => {
                let call = json!({"type": "tool_use", "id": format!("t{turn}"), "name": "Read", "input": {}});
                let result = json!({"type": "tool_result", "tool_use_id": format!("t{turn}"), "content": "text"});
                self.messages.push(json!({"role": "assistant", "content": [call]}));
                self.messages.push(json!({"role": "user", "content": [result]}));
            }
            Event::InstructionsEdited => {
                self.place.write("proj/CLAUDE.md", &format!("# Rules\n\nUse tabs, {turn}.\n"));
            }
        }
    }

    /// Returns the request of now, and lets the assistant answer it.
    fn request(&mut self, options: &[&str]) -> String {
        let document = json!({
            "model": "m", "max_tokens": 100, "system": "You help.",
            "tools": [{"name": "Read", "input_schema": {"type": "object"}}], "messages": self.messages,
            "cwd": self.place.project(), "memory_dir": self.place.memory(), "files": self.files, "now": NOW,
        });
        let session = self.place.top().join("session.json");
        let loaded = self.place.answer("mem-load", &[], &document.to_string());
        let indexed = self.place.answer("mem-index", &[], &loaded.to_string());
        let mut recall = self.place.command(program("mem-recall"));
        recall.args(["--format", "request"]).args(options);
        if options.is_empty() {
            recall.arg("--session").arg(session);
        }
        let ran = feed(recall, indexed.to_string().as_bytes());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        self.messages.push(json!({"role": "assistant", "content": "Here."}));
        ran.stdout
    }
}

/// Returns the request up to the end of its last user message.
fn front(request: &str) -> &str {
    let body: serde_json::Map<String, Value> = serde_json::from_str(request).unwrap();
    assert!(body.contains_key("messages"));
    #[derive(serde::Deserialize)]
    struct Body<'a> {
        #[serde(borrow)]
        messages: Vec<&'a RawValue>,
    }
    let body: Body<'_> = serde_json::from_str(request).unwrap();
    let last = body.messages.iter().rev().find(|message| message.get().contains(r#""role":"user""#)).unwrap().get();
    let end = request.rfind(last).unwrap() + last.len();
    &request[..end]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_request_begins_with_the_one_before_it(events in prop::collection::vec(event(), 30)) {
        let mut talk = Talk::new();
        let mut before: Option<String> = None;
        for (turn, event) in events.into_iter().enumerate() {
            talk.happen(turn, event);
            let request = talk.request(&[]);
            prop_assert!(request.matches("cache_control").count() <= 4);
            if let Some(before) = before {
                let front = front(&before);
                prop_assert!(request.starts_with(front), "turn {turn}, {event:?}:\n{before}\n{request}");
            }
            before = Some(request);
        }
        let last = before.unwrap();
        prop_assert!(last.contains("Use tabs") && last.contains("tests use a real postgres"));
    }
}

#[test]
fn what_comes_in_later_is_given_once_and_stays_where_it_came() {
    let mut talk = Talk::new();
    talk.happen(0, Event::Nothing);
    let first = talk.request(&[]);
    assert!(first.contains("Real."), "{first}");
    talk.happen(1, Event::RuleMatches);
    talk.request(&[]);
    talk.happen(2, Event::InstructionsEdited);
    talk.request(&[]);
    talk.happen(3, Event::Nothing);
    let last = talk.request(&[]);
    for once in ["No any in TypeScript.", "Real.", "Use tabs.", "Use tabs, 2."] {
        assert_eq!(last.matches(once).count(), 1, "{once}: {last}");
    }
}

#[test]
fn without_a_session_no_mark_stands_behind_the_first_user_message() {
    let mut talk = Talk::new();
    for turn in 0..4 {
        talk.happen(turn, Event::MemoryWritten);
        let request = talk.request(&["--no-guide"]);
        let body: Value = serde_json::from_str(&request).unwrap();
        for message in &body["messages"].as_array().unwrap()[1..] {
            assert!(!message.to_string().contains("cache_control"), "{message}");
        }
    }
}

#[test]
fn refresh_and_clear_take_the_texts_anew() {
    let mut talk = Talk::new();
    talk.happen(0, Event::Nothing);
    talk.request(&[]);
    talk.happen(1, Event::MemoryWritten);
    assert!(!talk.request(&[]).contains("note-1.md) "));
    let session = talk.place.top().join("session.json").to_string_lossy().into_owned();
    let refreshed = talk.request(&["--session", &session, "--refresh"]);
    assert!(refreshed.contains("note-1.md) "), "{refreshed}");
}
