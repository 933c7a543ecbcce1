//! With a model: what it is asked, and what is taken from it.

use super::*;

/// Answers each connection with the next of these bodies, and returns what was asked.
fn serve(answers: Vec<(u16, String)>) -> (u16, std::thread::JoinHandle<Vec<String>>) {
    use std::io::{BufRead, BufReader, Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let thread = std::thread::spawn(move || {
        let mut asked = Vec::new();
        for (status, body) in answers {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
            }
            let mut question = vec![0; length];
            reader.read_exact(&mut question).unwrap();
            asked.push(String::from_utf8(question).unwrap());
            let mut stream = stream;
            let head = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(body.as_bytes()).unwrap();
        }
        asked
    });
    (port, thread)
}

fn answered(content: &Value) -> String {
    json!({"choices": [{"message": {"role": "assistant", "content": content.to_string()}, "finish_reason": "stop"}]})
        .to_string()
}

#[test]
fn c03_a_question_that_is_too_long_loses_its_oldest_blocks() {
    let too_long = || (400, json!({"error": {"message": "prompt is too long: 900 tokens > 300 maximum"}}).to_string());
    let digest = json!({"entries": [{"slot": "goal", "text": "Understand the importer.", "from": [2]}], "blocks": []});
    // Each try is two questions: one with a schema, and one in words for servers that know none.
    let (port, server) = serve(vec![too_long(), too_long(), too_long(), too_long(), (200, answered(&digest))]);
    let place = Place::new();
    let url = format!("http://127.0.0.1:{port}/v1");
    let answer = fold(&place, &["--force", "--llm", "openai:m", "--llm-url", &url], &json!({"messages": talk(20)}));
    let asked = server.join().unwrap();
    assert!(asked[0].len() > asked[2].len() && asked[2].len() > asked[4].len());
    let last = asked[4].split("<conversation>").nth(1).unwrap();
    assert!(last.starts_with("\\n# block ") && last.split("\\n").nth(2).unwrap().contains("] user:"), "{last}");
    assert_eq!(answer["compact"]["writer"], "model");
    assert!(answer["messages"][0]["content"].as_str().unwrap().contains("Understand the importer."));
    assert!(codes(&answer).contains(&"model-question-cut".into()));
    let (port, server) = serve((0..6).map(|_| too_long()).collect());
    let url = format!("http://127.0.0.1:{port}/v1");
    let answer = fold(&place, &["--force", "--llm", "openai:m", "--llm-url", &url], &json!({"messages": talk(20)}));
    server.join().unwrap();
    assert_eq!(answer["compact"]["writer"], "rules");
    assert!(codes(&answer).contains(&"model-question-too-long".into()));
}

#[test]
fn c02_images_do_not_reach_the_model() {
    let digest = json!({"entries": [{"slot": "goal", "text": "Look at the picture.", "from": [0]}], "blocks": []});
    let (port, server) = serve(vec![(200, answered(&digest))]);
    let data = "QUJD".repeat(50_000);
    let mut messages = vec![
        json!({"role": "user", "content": [{"type": "text", "text": "This is what I see."},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}]}),
        assistant("I see it."),
    ];
    messages.extend(talk(5));
    let url = format!("http://127.0.0.1:{port}/v1");
    fold(&Place::new(), &["--force", "--llm", "openai:m", "--llm-url", &url], &json!({"messages": messages}));
    let asked = server.join().unwrap();
    assert!(!asked[0].contains("QUJDQUJD") && asked[0].contains("[image/png, 150000 bytes]"));
}

#[test]
fn a_model_that_loses_a_pin_is_asked_again_and_then_replaced() {
    let entry = |text: &str| json!({"entries": [{"slot": "wishes", "text": text, "from": [0]}], "blocks": [{"block": 0, "points": ["It was about port 8443."]}]});
    let messages =
        [vec![user("Always use port 8443 for the tests."), assistant(&"It is as you say. ".repeat(60))], talk(8)]
            .concat();
    let pins = json!(["the build number is 77"]);
    let place = Place::new();
    let ask = |answers: Vec<Value>| {
        let (port, server) = serve(answers.iter().map(|answer| (200, answered(answer))).collect());
        let url = format!("http://127.0.0.1:{port}/v1");
        let document = json!({"messages": messages, "pins": pins});
        let answer = fold(&place, &["--force", "--llm", "openai:m", "--llm-url", &url], &document);
        (answer, server.join().unwrap())
    };
    let whole = entry("Always use port 8443 for the tests. And: the build number is 77");
    let (answer, asked) = ask(vec![entry("Something about ports."), whole]);
    assert_eq!(answer["compact"]["writer"], "model");
    assert!(
        asked[1].contains("do not stand in the entries word for word") && asked[1].contains("the build number is 77")
    );
    assert_eq!(answer["compact"]["loss"]["pins"], json!({"total": 1, "kept": 1}));
    assert_eq!(answer["compact"]["usage"]["requests"], 2);
    assert_eq!(answer["compact"]["summaries"][0]["text"], "- It was about port 8443.");
    let (answer, asked) = ask(vec![entry("a"), entry("b"), entry("c")]);
    assert_eq!((answer["compact"]["writer"].as_str(), asked.len()), (Some("rules"), 3));
    assert!(codes(&answer).contains(&"model-lost-pins".into()));
    assert!(answer["messages"][0]["content"].as_str().unwrap().contains("Always use port 8443"));
}
