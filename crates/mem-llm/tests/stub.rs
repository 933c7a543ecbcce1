//! A server on the loopback address that answers as it is told, and the model's answers to it.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mem_llm::{Model, Question, Reply, Unanswered};
use mem_types::asking::{Asking, Key, Service, Services, Spec};

const SCHEMA: &str =
    r#"{"type":"object","properties":{"names":{"type":"array"}},"required":["names"],"additionalProperties":false}"#;

/// What the server does with a connection.
#[derive(Clone)]
enum Does {
    /// Status, further header lines, body.
    Answer(u16, &'static str, String),
    /// Says that more comes than comes.
    Breaks,
    /// Closes without a word.
    Closes,
    /// Says nothing for a while.
    Waits(u64),
    /// Drips a byte at a time.
    Drips,
}

struct Stub {
    url: String,
    seen: Arc<Mutex<Vec<String>>>,
}

/// Serves the given answers one after another, the last one for ever.
fn stub(answers: Vec<Does>) -> Stub {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&seen);
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let does = answers[number.min(answers.len() - 1)].clone();
            let heard = Arc::clone(&heard);
            std::thread::spawn(move || serve(stream.unwrap(), &does, &heard));
        }
    });
    Stub { url, seen }
}

fn serve(mut stream: TcpStream, does: &Does, heard: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    let length = head.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    heard.lock().unwrap().push(head + &String::from_utf8(body).unwrap());
    let answer = match does {
        Does::Answer(status, headers, body) => {
            format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len())
        }
        Does::Breaks => "HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n{\"content\":[".to_owned(),
        Does::Closes => String::new(),
        Does::Waits(seconds) => {
            std::thread::sleep(Duration::from_secs(*seconds));
            String::new()
        }
        Does::Drips => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n");
            for _ in 0..200 {
                if stream.write_all(b" ").is_err() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            String::new()
        }
    };
    let _ = stream.write_all(answer.as_bytes());
}

fn message(text: &str) -> Does {
    let text = serde_json::to_string(text).unwrap();
    let body = format!(
        r#"{{"type":"message","model":"claude-x","content":[{{"type":"text","text":{text}}}],"stop_reason":"end_turn","usage":{{"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":5}}}}"#
    );
    Does::Answer(200, "", body)
}

fn error(status: u16, headers: &'static str) -> Does {
    let body = r#"{"type":"error","error":{"type":"x","message":"no room for key-12345"}}"#;
    Does::Answer(status, headers, body.to_owned())
}

fn asking(spec: &str, url: &str) -> Asking {
    let key = Key::new("key-12345");
    Asking {
        spec: Spec::parse(spec).unwrap().unwrap(),
        url: Some(url.to_owned()),
        record: None,
        deadline: Duration::from_secs(3),
        services: Services {
            anthropic: Service { key: key.clone(), ..Service::default() },
            openai: Service { key, ..Service::default() },
            key: None,
        },
    }
}

fn ask(asking: Asking) -> Result<Reply, Unanswered> {
    let question = Question { system: "choose", prompt: "which?", schema: Some(SCHEMA), max_tokens: 100 };
    Model::new(asking).ask(&question)
}

fn check(answers: Vec<Does>, code: &str, questions: usize) {
    let stub = stub(answers);
    let fault = ask(asking("anthropic:m", &stub.url)).unwrap_err();
    assert_eq!(fault.code(), code, "{fault}");
    assert!(!fault.to_string().contains("key-12345"), "{fault}");
    assert_eq!(stub.seen.lock().unwrap().len(), questions, "{code}");
}

#[test]
fn an_answer_is_taken_with_what_it_cost() {
    let stub = stub(vec![message("Sure!\n```json\n{\"names\":[\"a\"]}\n```")]);
    let reply = ask(asking("anthropic:m", &stub.url)).unwrap();
    assert_eq!(reply.value.unwrap()["names"][0], "a");
    let usage = reply.usage;
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (100, 90, 5));
    assert_eq!(usage.model, "claude-x");
    let seen = stub.seen.lock().unwrap()[0].clone();
    assert!(seen.starts_with("POST /v1/messages "), "{seen}");
    for part in ["x-api-key: key-12345", "anthropic-version: 2023-06-01", "\"output_config\"", "\"max_tokens\":100"] {
        assert!(seen.contains(part), "{part} is missing in {seen}");
    }
}

#[test]
fn a_server_of_the_other_kind_answers_too() {
    let body = r#"{"model":"qwen","choices":[{"finish_reason":"stop","message":{"reasoning_content":"hm","content":"<think>{}</think>{\"names\":[]}"}}],"usage":{"prompt_tokens":7,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}}"#;
    let stub = stub(vec![Does::Answer(200, "", body.into())]);
    let reply = ask(asking("openai:m", &format!("{}/v1", stub.url))).unwrap();
    let usage = reply.usage;
    assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (7, 4, 3));
    let seen = stub.seen.lock().unwrap()[0].clone();
    assert!(seen.starts_with("POST /v1/chat/completions ") && seen.contains("authorization: Bearer key-12345"));
    assert!(seen.contains("\"response_format\""));
}

#[test]
fn each_failure_has_its_own_reason_and_only_passing_ones_are_repeated() {
    check(vec![error(401, "")], "model-no-access", 1);
    check(vec![error(404, "")], "model-request-refused", 1);
    check(vec![error(413, "")], "model-request-refused", 1);
    check(vec![error(307, "location: http://127.0.0.1:1/\r\n")], "model-request-refused", 1);
    check(vec![error(529, "retry-after: 0\r\n")], "model-overloaded", 5);
    check(vec![error(429, "retry-after: 0.01\r\n")], "model-rate-limited", 5);
    check(
        vec![Does::Answer(502, "retry-after: 0\r\n", "<html><h1>Bad gateway</h1></html>".into())],
        "model-server-fault",
        5,
    );
    check(vec![Does::Answer(200, "", "<html><h1>Welcome</h1></html>".into())], "model-answer-unreadable", 1);
    check(vec![Does::Breaks], "model-half-answer", 1);
    check(vec![Does::Closes], "model-half-answer", 1);
    check(vec![message("{\"names\": \"none\"}")], "model-answer-misfit", 1);
    check(vec![message("I cannot say.")], "model-no-json", 1);
    let refusal = r#"{"content":[],"stop_reason":"refusal"}"#;
    check(vec![Does::Answer(200, "", refusal.into())], "model-declined", 1);
    let cut = r#"{"content":[{"type":"text","text":"{\"names\":[\"a"}],"stop_reason":"max_tokens"}"#;
    check(vec![Does::Answer(200, "", cut.into())], "model-cut-off", 1);
}

#[test]
fn a_closed_port_is_told_at_once() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let start = Instant::now();
    let fault = ask(asking("anthropic:m", &format!("http://127.0.0.1:{port}"))).unwrap_err();
    assert_eq!(fault.code(), "model-unreachable");
    assert!(fault.to_string().contains("refused"), "{fault}");
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn nothing_takes_longer_than_the_deadline() {
    for does in [Does::Waits(9), Does::Drips, error(429, "retry-after: 60\r\n"), error(529, "retry-after: 2\r\n")] {
        let stub = stub(vec![does]);
        let start = Instant::now();
        let asking = Asking { deadline: Duration::from_secs(1), ..asking("anthropic:m", &stub.url) };
        let code = ask(asking).unwrap_err().code();
        assert!(["model-late", "model-rate-limited", "model-overloaded"].contains(&code), "{code}");
        assert!(start.elapsed() < Duration::from_millis(2500), "{code}");
    }
}

#[test]
fn after_a_wait_the_same_question_may_be_answered() {
    let stub = stub(vec![error(529, "retry-after: 0\r\n"), error(429, ""), message("{\"names\":[]}")]);
    assert!(ask(asking("anthropic:m", &stub.url)).is_ok());
    let seen = stub.seen.lock().unwrap();
    assert_eq!((seen.len(), &seen[0]), (3, &seen[2]));
}

#[test]
fn a_server_that_knows_no_schemas_is_asked_in_words() {
    let refusal = r#"{"error":{"message":"response_format is not supported"}}"#;
    let stub = stub(vec![Does::Answer(400, "", refusal.into()), message("{\"names\":[]}")]);
    assert!(ask(asking("anthropic:m", &stub.url)).is_ok());
    let seen = stub.seen.lock().unwrap();
    assert!(!seen[1].contains("output_config") && seen[1].contains("Answer with JSON of this schema only"));
}

#[test]
fn secrets_do_not_leave_and_are_not_recorded() {
    use std::os::unix::fs::PermissionsExt;
    let secret = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zaB3dE");
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("kept");
    let stub = stub(vec![message(&format!("{{\"names\":[\"{secret}\"]}}"))]);
    let asking = Asking { record: Some(record.clone()), ..asking("anthropic:m", &stub.url) };
    let prompt = format!("my token is {secret}");
    let question = Question { system: "", prompt: &prompt, schema: Some(SCHEMA), max_tokens: 100 };
    let reply = Model::new(asking.clone()).ask(&question).unwrap();
    assert_eq!(reply.unrecorded, None);
    assert!(!stub.seen.lock().unwrap()[0].contains(&secret));
    let file = std::fs::read_dir(&record).unwrap().next().unwrap().unwrap();
    let text = std::fs::read_to_string(file.path()).unwrap();
    assert!(!text.contains(&secret) && !text.contains("key-12345") && text.contains("[secret"), "{text}");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);

    let replay = Asking { spec: Spec::Replay(record), record: None, ..asking };
    let again = Model::new(replay).ask(&question).unwrap();
    assert!(again.value.unwrap()["names"][0].as_str().unwrap().contains("[secret"));
}

#[test]
fn answers_can_be_written_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let replay = || asking(&format!("replay:{}", folder.path().display()), "http://127.0.0.1:1");
    assert_eq!(ask(replay()).unwrap_err().code(), "model-not-recorded");
    std::fs::write(folder.path().join("answer.txt"), "Here: {\"names\":[\"b\"]}").unwrap();
    assert_eq!(ask(replay()).unwrap().value.unwrap()["names"][0], "b");
    std::fs::write(folder.path().join("2.json"), "{\"names\":[\"second\"]}").unwrap();
    let model = Model::new(replay());
    let question = Question { system: "", prompt: "?", schema: Some(SCHEMA), max_tokens: 9 };
    let names: Vec<_> = (0..3).map(|_| model.ask(&question).unwrap().value.unwrap()["names"][0].clone()).collect();
    assert_eq!(names, ["b", "second", "b"]);
}

#[test]
fn a_program_answers_and_fails_with_its_own_words() {
    let of = |command: &str| ask(Asking { deadline: Duration::from_secs(1), ..asking(command, "http://127.0.0.1:1") });
    let reply = of("exec:sh -c 'cat >/dev/null; echo {\\\"names\\\":[\\\"c\\\"]}'").unwrap();
    assert_eq!((reply.value.unwrap()["names"][0].as_str(), reply.usage.requests), (Some("c"), 1));
    assert_eq!(of("exec:no-such-model").unwrap_err().code(), "program-not-found");
    assert_eq!(of("exec:sh -c 'exit 3'").unwrap_err().code(), "program-failed");
    assert_eq!(of("exec:sleep 20").unwrap_err().code(), "model-late");
    assert_eq!(of("exec:true").unwrap_err().code(), "model-answer-unreadable");
}

#[test]
fn a_whole_body_is_posted_byte_for_byte() {
    let stub = stub(vec![message("done")]);
    let body = r#"{ "model":"m", "messages":[{"role":"user","content":"\u00e9  x"}],"max_tokens":1.0e1 }"#;
    let turn = Model::new(asking("anthropic:m", &stub.url)).messages(body).unwrap();
    assert_eq!(turn.message["content"][0]["text"], "done");
    assert!(stub.seen.lock().unwrap()[0].ends_with(&format!("\r\n\r\n{body}")));
    let fault = Model::new(asking("openai:m", &stub.url)).messages(body).unwrap_err();
    assert_eq!(fault.code(), "model-unfit");
}
