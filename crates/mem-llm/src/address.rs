//! Where a server is, and whether a key may go there.

use mem_types::asking::{Asking, Key, Service, Spec};

use crate::fault::Unanswered;

const ANTHROPIC: &str = "https://api.anthropic.com";
const OPENAI: &str = "https://api.openai.com";

/// A server with the key that may be sent to it.
pub struct Server<'a> {
    /// The whole address of the interface.
    pub url: String,
    /// The key, when there is one for this address.
    pub key: Option<&'a Key>,
    /// Whether the key is a bearer's token.
    pub is_token: bool,
    /// Whether the server is on this machine; then no proxy is asked.
    pub is_local: bool,
}

/// Returns the server of a model.
///
/// # Errors
/// When the service's own server is meant and there is no key for it.
pub fn of(asking: &Asking) -> Result<Server<'_>, Unanswered> {
    let is_anthropic = matches!(asking.spec, Spec::Anthropic(_));
    let services = &asking.services;
    let (service, standard, path, variable) = if is_anthropic {
        (&services.anthropic, ANTHROPIC, "messages", "ANTHROPIC_API_KEY")
    } else {
        (&services.openai, OPENAI, "chat/completions", "OPENAI_API_KEY")
    };
    let base = asking.url.as_deref().or(service.url.as_deref()).unwrap_or(standard).trim_end_matches('/');
    let is_local = is_local(base);
    let (key, is_token) = match key(asking, service, base, is_local) {
        Some((key, is_token)) => (Some(key), is_token || !is_anthropic),
        None if base == standard => return Err(Unanswered::NoKey(variable)),
        None => (None, false),
    };
    Ok(Server { url: whole(base, path), key, is_token, is_local })
}

/// `MEM_LLM_KEY` goes wherever the user points; the keys of the services not over an open line to another machine.
fn key<'a>(asking: &'a Asking, service: &'a Service, base: &str, is_local: bool) -> Option<(&'a Key, bool)> {
    if let Some(key) = &asking.services.key {
        return Some((key, false));
    }
    if !is_local && !base.starts_with("https://") {
        return None;
    }
    service.key.as_ref().map(|key| (key, false)).or_else(|| service.token.as_ref().map(|token| (token, true)))
}

/// People write the address with `/v1` and without, and some with the whole path.
fn whole(base: &str, path: &str) -> String {
    let last = base.rsplit('/').next().unwrap_or_default();
    let is_version = last.len() > 1 && last.starts_with('v') && last[1..].chars().all(|digit| digit.is_ascii_digit());
    if base.ends_with(path) {
        base.to_owned()
    } else if is_version {
        format!("{base}/{path}")
    } else {
        format!("{base}/v1/{path}")
    }
}

/// Whether the host is this machine.
fn is_local(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.strip_prefix('[').map_or_else(
        || host.split(':').next().unwrap_or_default(),
        |inner| inner.split(']').next().unwrap_or_default(),
    );
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mem_types::asking::Services;
    use std::time::Duration;

    fn asking(spec: &str, url: Option<&str>, services: Services) -> Asking {
        let spec = Spec::parse(spec).unwrap().unwrap();
        Asking { spec, url: url.map(str::to_owned), record: None, deadline: Duration::from_secs(1), services }
    }

    fn with_openai_key() -> Services {
        let openai = Service { key: Key::new("k"), ..Service::default() };
        Services { openai, ..Services::default() }
    }

    #[test]
    fn addresses_are_taken_with_version_and_without() {
        for (base, expected) in [
            ("http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions"),
            ("http://localhost:8080/", "http://localhost:8080/v1/chat/completions"),
            ("https://x.example/openai/v1/chat/completions", "https://x.example/openai/v1/chat/completions"),
        ] {
            assert_eq!(of(&asking("openai:m", Some(base), Services::default())).unwrap().url, expected);
        }
    }

    #[test]
    fn a_services_own_server_needs_its_key_and_others_do_not() {
        assert!(matches!(of(&asking("openai:m", None, Services::default())), Err(Unanswered::NoKey(_))));
        assert!(matches!(of(&asking("anthropic:m", None, with_openai_key())), Err(Unanswered::NoKey(_))));
        assert!(of(&asking("openai:m", None, with_openai_key())).unwrap().key.is_some());
        assert!(of(&asking("openai:m", Some("http://localhost:1"), Services::default())).unwrap().key.is_none());
    }

    #[test]
    fn a_services_key_does_not_travel_over_an_open_line() {
        let to = |url: &str| of(&asking("openai:m", Some(url), with_openai_key())).unwrap().key.is_some();
        assert!(to("https://proxy.example") && to("http://127.0.0.1:9/v1") && to("http://[::1]:9"));
        assert!(
            !to("http://gpu.example:8000")
                && !to("http://localhost.evil.example")
                && !to("http://127.0.0.1@evil.example")
        );
        let services = Services { key: Key::new("own"), ..Services::default() };
        assert!(of(&asking("openai:m", Some("http://gpu.example:8000"), services)).unwrap().key.is_some());
    }
}
