//! Takes JSON out of what a model wrote: out of think blocks, code fences and prose.

use serde_json::Value;

/// Longest answer that is searched.
const LONGEST: usize = 4 << 20;
/// Most places at which JSON may begin that are tried.
const MOST_TRIES: usize = 2000;
/// Blocks in which models think aloud.
const THINKING: [(&str, &str); 3] =
    [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>")];

/// Returns the JSON in `text` that `fits`, else any object or list in it, else nothing.
///
/// The whole text is tried first, then code fences, then each `{` and `[` from the front.
#[must_use]
pub fn json(text: &str, fits: impl Fn(&Value) -> bool) -> Option<Value> {
    let text = without_thinking(mem_text::cut::bytes(text, LONGEST));
    let mut spare = None;
    let mut consider = |value: Value| {
        if !value.is_object() && !value.is_array() {
            return None;
        }
        if fits(&value) {
            return Some(value);
        }
        spare.get_or_insert(value);
        None
    };
    if let Some(found) = whole(text.trim()).and_then(&mut consider) {
        return Some(found);
    }
    for fence in fences(&text) {
        if let Some(found) = whole(fence).and_then(&mut consider) {
            return Some(found);
        }
    }
    let mut from = 0;
    for _ in 0..MOST_TRIES {
        let Some(place) = text[from..].find(['{', '[']).map(|place| from + place) else { break };
        let mut values = serde_json::Deserializer::from_str(&text[place..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                from = place + values.byte_offset().max(1);
                if let Some(found) = consider(value) {
                    return Some(found);
                }
            }
            _ => from = place + 1,
        }
    }
    spare
}

fn whole(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// Returns `text` without what stands in think blocks. One that is never closed hides nothing: some models forget it.
fn without_thinking(text: &str) -> String {
    let mut rest = text.to_owned();
    for (open, close) in THINKING {
        let mut kept = String::with_capacity(rest.len());
        let mut left = rest.as_str();
        while let Some((before, behind)) = left.split_once(open) {
            let Some((_, behind)) = behind.split_once(close) else { break };
            kept.push_str(before);
            left = behind;
        }
        // Servers that cut the opening mark off leave the closing one.
        let left = left.rsplit_once(close).map_or(left, |(_, behind)| behind);
        kept.push_str(left);
        rest = kept;
    }
    rest
}

/// Returns what stands between lines of three backticks.
fn fences(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").skip(1).step_by(2).map(|block| {
        let first = block.lines().next().unwrap_or_default();
        let is_language = !first.contains(['{', '[']);
        if is_language { block[first.len()..].trim() } else { block.trim() }
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn check(text: &str, expected: Value) {
        assert_eq!(json(text, Value::is_object), Some(expected), "{text}");
    }

    #[test]
    fn json_is_found_wherever_models_put_it() {
        let wanted = json!({"names": ["a"]});
        let plain = r#"{"names": ["a"]}"#;
        check(plain, wanted.clone());
        check(&format!("```json\n{plain}\n```"), wanted.clone());
        check(&format!("```\n{plain}\n```\nHope this helps!"), wanted.clone());
        check(&format!("Sure! Here is [the] {{list}}: {plain} Anything else?"), wanted.clone());
        check(&format!("<think>maybe {{\"names\": [\"b\"]}} or not</think>\n{plain}"), wanted.clone());
        check(&format!("maybe {{\"names\": [\"b\"]}}</think>{plain}"), wanted.clone());
        check(&format!("<think>{plain}"), wanted.clone());
        check(&format!("[1, 2] {plain}"), wanted.clone());
        check(&format!("当然：{plain}。"), wanted);
    }

    #[test]
    fn what_holds_no_json_gives_none() {
        for text in ["", "no", "<html><body>502</body></html>", "\"text\"", "7", "{", "{\"a\":", "```json\n```"] {
            assert_eq!(json(text, |_| true), None, "{text}");
        }
    }

    #[test]
    fn hostile_answers_take_no_long_time() {
        let start = std::time::Instant::now();
        for text in ["{".repeat(1 << 20), "[".repeat(1 << 20), "{\"a\":".repeat(200_000), "[0,".repeat(300_000)] {
            assert_eq!(json(&text, |_| true), None);
        }
        assert!(start.elapsed().as_secs() < 20);
    }
}
