//! One question over the network: repeated when the server says that this may help, never longer than the deadline.

use std::io::Read;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use mem_text::{cut, secrets};
use reqwest::blocking::{Client, RequestBuilder, Response};
use reqwest::redirect;
use serde_json::Value;

use crate::address::Server;
use crate::fault::Unanswered;

/// Repetitions after the first try.
const MOST_REPETITIONS: u32 = 4;
/// The first wait when the server names none; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// Statuses after which the same question may be answered: facts.md, Part B, section 10.1.
const PASSING: [u16; 6] = [429, 500, 502, 503, 504, 529];
/// Largest body of an answer.
const LARGEST: u64 = 32 << 20;
/// Characters of a server's own words that are shown.
const SHOWN: usize = 200;

/// What came back with status 200, or with a 4xx that the caller may know better than to give up on.
pub struct Answered {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: String,
}

/// Posts `body` and returns the answer.
///
/// # Errors
/// With the reason, when there is no answer with status 200 within the deadline; a 400 is handed out as it is.
pub fn post(server: &Server, headers: &[(&str, &str)], body: &str, deadline: Duration) -> Result<Answered, Unanswered> {
    let end = Instant::now() + deadline;
    let late = || Unanswered::Late(deadline.as_secs());
    let client = client(server.is_local)?;
    let mut wait = FIRST_WAIT;
    let mut repetitions = 0;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(late());
        }
        let request = client.post(&server.url).timeout(left).header("content-type", "application/json");
        let request = with_key(request, server);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let response = request.body(body.to_owned()).send().map_err(|error| told(&error, deadline))?;
        let status = response.status().as_u16();
        let named = retry_after(&response);
        let text = without_key(read(response, deadline)?, status, server);
        if status == 200 || status == 400 {
            return Ok(Answered { status, body: text });
        }
        let pause = named.unwrap_or(wait);
        let is_passing = PASSING.contains(&status) && repetitions < MOST_REPETITIONS;
        if !is_passing || Instant::now() + pause >= end {
            return Err(refusal(status, &text, named));
        }
        std::thread::sleep(pause);
        repetitions += 1;
        wait *= 2;
    }
}

/// Returns what a body says that is no answer: the server's own message, else its first words. Masked and shortened.
pub fn message(body: &str) -> String {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let words = value["error"]["message"].as_str().or_else(|| value["error"].as_str()).or(value["message"].as_str());
    let words = words.map_or_else(|| without_tags(body), str::to_owned);
    let line: Vec<&str> = words.split_whitespace().collect();
    let line: String = line.join(" ").chars().filter(|character| !character.is_control()).collect();
    cut::ellipsis(&secrets::mask(&line), SHOWN).into_owned()
}

/// The reason for each status that is no answer.
pub fn refusal(status: u16, body: &str, named: Option<Duration>) -> Unanswered {
    let message = message(body);
    let told = named.map_or(message.clone(), |wait| format!("it asks to wait {} s; {message}", wait.as_secs()));
    match status {
        429 => Unanswered::RateLimited(told),
        503 | 529 => Unanswered::Overloaded(status, told),
        500..=599 => Unanswered::ServerFault(status, message),
        401..=403 => Unanswered::NoAccess(status, message),
        _ => Unanswered::Refused(status, message),
    }
}

/// The client is made once, when a model is asked. Redirects are not followed: a key must not travel on.
fn client(is_local: bool) -> Result<&'static Client, Unanswered> {
    static LOCAL: OnceLock<Result<Client, String>> = OnceLock::new();
    static FAR: OnceLock<Result<Client, String>> = OnceLock::new();
    let made = if is_local { &LOCAL } else { &FAR }.get_or_init(|| {
        // Fails only when another one was set before, and then that one serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder().redirect(redirect::Policy::none()).user_agent("mem");
        // A proxy cannot reach this machine's own servers.
        let builder = if is_local { builder.no_proxy() } else { builder };
        builder.connect_timeout(Duration::from_secs(20)).build().map_err(|error| chain(&error))
    });
    made.as_ref().map_err(|reason| Unanswered::Unreachable(reason.clone()))
}

fn with_key(request: RequestBuilder, server: &Server) -> RequestBuilder {
    let Some(key) = server.key else { return request };
    let (name, value) = if server.is_token {
        ("authorization", format!("Bearer {}", key.reveal()))
    } else {
        ("x-api-key", key.reveal().to_owned())
    };
    match reqwest::header::HeaderValue::from_str(&value) {
        Ok(mut value) => {
            value.set_sensitive(true);
            request.header(name, value)
        }
        // A key with a line break in it is none; the server will say so.
        Err(_) => request,
    }
}

/// A server that complains may repeat the key in its complaint.
fn without_key(body: String, status: u16, server: &Server) -> String {
    match server.key {
        Some(key) if status != 200 => body.replace(key.reveal(), "[key]"),
        _ => body,
    }
}

fn retry_after(response: &Response) -> Option<Duration> {
    let text = response.headers().get("retry-after")?.to_str().ok()?;
    let seconds: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds.max(0.0)).ok()
}

fn read(response: Response, deadline: Duration) -> Result<String, Unanswered> {
    let mut bytes = Vec::new();
    match response.take(LARGEST + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > LARGEST => Err(Unanswered::TooLarge),
        Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => {
            let is_late = error.kind() == std::io::ErrorKind::TimedOut
                || error
                    .get_ref()
                    .and_then(|inner| inner.downcast_ref::<reqwest::Error>())
                    .is_some_and(reqwest::Error::is_timeout);
            Err(if is_late {
                Unanswered::Late(deadline.as_secs())
            } else {
                Unanswered::Half(format!("after {} bytes", bytes.len()))
            })
        }
    }
}

fn told(error: &reqwest::Error, deadline: Duration) -> Unanswered {
    if error.is_timeout() {
        Unanswered::Late(deadline.as_secs())
    } else if error.is_connect() || error.is_builder() {
        Unanswered::Unreachable(chain(error))
    } else {
        Unanswered::Half(chain(error))
    }
}

/// Returns the innermost cause: the outer ones repeat the address.
fn chain(error: &dyn std::error::Error) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    let text = inner.to_string();
    text[..text.find(" (os error").unwrap_or(text.len())].to_lowercase()
}

fn without_tags(text: &str) -> String {
    let mut is_tag = false;
    text.chars()
        .take(20 * SHOWN)
        .filter(|&character| {
            is_tag |= character == '<';
            let shows = !is_tag;
            is_tag &= character != '>';
            shows
        })
        .collect()
}
