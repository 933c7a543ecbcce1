//! What is asked: the prompt, else the last words that the user typed.

use mem_text::prompt;
use mem_types::{Document, Problems};

/// Returns the question.
///
/// # Errors
/// With the reason, when there is nothing to look for.
pub fn of(document: &Document, problems: &mut Problems) -> Result<String, String> {
    let given = document.read::<String>("prompt", problems);
    let question = given.or_else(|| last_typed(document)).ok_or("the document has no prompt and no user message")?;
    match prompt::silence(&question) {
        Some(silence) => Err(silence.reason().to_owned()),
        None => Ok(question),
    }
}

fn last_typed(document: &Document) -> Option<String> {
    let read = mem_transcript::read_messages(document.get("messages").filter(|raw| raw.starts_with('['))?);
    let last = mem_transcript::last_typed(&read.messages)?;
    Some(mem_transcript::own_words(&read.messages[last]).into_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(line: &str, expected: Result<&str, &str>) {
        let question = of(&Document::parse(line).unwrap(), &mut Problems::new("mem-recall"));
        assert_eq!(question.as_deref().map_err(String::as_str), expected, "{line}");
    }

    #[test]
    fn the_prompt_comes_before_the_messages() {
        check(r#"{"prompt":"deploy?","messages":[{"role":"user","content":"tests?"}]}"#, Ok("deploy?"));
        check(r#"{"messages":[{"role":"user","content":"tests?"},{"role":"assistant","content":"ok"}]}"#, Ok("tests?"));
    }

    #[test]
    fn a_prompt_that_says_nothing_is_no_question() {
        check(r#"{"prompt":"继续"}"#, Err("the prompt names nothing to look for"));
        check(r#"{"prompt":"/compact"}"#, Err("the prompt is a slash command"));
        check(r#"{}"#, Err("the document has no prompt and no user message"));
    }
}
