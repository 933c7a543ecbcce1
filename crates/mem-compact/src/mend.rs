//! Makes a valid request of the messages that stay: each call followed by its result, roles that alternate, no half
//! surrogate pairs, nothing empty. What is valid already keeps its bytes.

use std::borrow::Cow;
use std::collections::HashSet;

use mem_transcript::{Kind, Message, Part, Role, head};
use mem_types::surrogates::mended;
use serde_json::json;

use crate::shape;

/// Stands for a result that nobody recorded.
const NO_RESULT: &str = "[no result of this call was recorded]";

/// A message of the request.
#[derive(Debug, Clone)]
pub(crate) struct Sent<'m> {
    pub role: Role,
    /// The whole message as JSON.
    pub json: Cow<'m, str>,
    /// Its content as blocks, where it was changed.
    blocks: Option<Vec<Cow<'m, str>>>,
    /// What it was made of, if it was not put in here.
    source: Option<&'m Message<'m>>,
    /// The last message that the user typed: nothing is put into it.
    is_typed: bool,
    /// Its ids, and those of messages that were joined into it.
    ids: Vec<&'m str>,
    timestamp: Option<&'m str>,
}

/// What had to be mended, for the problems.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Mended {
    /// Calls that got a placeholder for a result.
    pub unanswered: usize,
    /// Results that became text, since their call is gone.
    pub orphans: usize,
    /// Messages with blocks that cannot stand where they stood, became texts, or were empty.
    pub rewritten: usize,
    /// Messages in which half a surrogate pair stood.
    pub halves: usize,
    /// Messages that were joined to the one before, which is of the same role.
    pub joined: usize,
    /// Short answers that were put between two messages of the user.
    pub parted: usize,
    /// Results that were moved behind their calls.
    pub moved: usize,
    /// Whether the model spoke first, and got a message before it.
    pub is_begun: bool,
    /// Elements that are no messages, or have no content: their place among the messages, and their bytes.
    pub left_out: Vec<(usize, usize)>,
}

/// Returns these messages as a valid request, and what was mended. `typed` is the last typed message among them.
///
/// `acknowledgement` is put between two messages of the user where joining them would change the typed one. The first
/// message may be the model's: the caller puts something before it.
pub(crate) fn mend<'m>(
    messages: &[&'m Message<'m>],
    typed: Option<usize>,
    acknowledgement: &str,
) -> (Vec<Sent<'m>>, Mended) {
    let mut report = Mended::default();
    let in_order = with_results_behind_calls(messages);
    report.moved = in_order.iter().enumerate().filter(|&(place, &at)| at < place).count();
    let mut sent: Vec<Sent<'m>> = Vec::with_capacity(messages.len());
    let mut open: Vec<&str> = Vec::new();
    for (position, &at) in in_order.iter().enumerate() {
        let message = messages[at];
        let Some(mut next) = first_form(message, Some(at) == typed, &mut report) else {
            report.left_out.push((at, message.raw.map_or(0, str::len)));
            continue;
        };
        if message.role == Role::Assistant {
            let calls = ids(message, true);
            report.rewritten += next.without_twins(&open, &calls);
            calls.into_iter().for_each(|id| {
                if !open.contains(&id) {
                    open.push(id);
                }
            });
        } else {
            let results = ids(message, false);
            report.orphans += next.without_orphans(&open, &results);
            open.retain(|id| !results.contains(id));
            let goes_on = in_order.get(position + 1).is_some_and(|&behind| {
                messages[behind].role != Role::Assistant
                    && ids(messages[behind], false).iter().any(|id| open.contains(id))
            });
            if !goes_on {
                report.unanswered += next.put_results(&mut open);
                answer_open(&mut sent, &mut open, &mut report);
            }
        }
        push(&mut sent, next, acknowledgement, &mut report);
    }
    answer_open(&mut sent, &mut open, &mut report);
    (sent, report)
}

/// Returns the indexes of the messages, each result directly behind the messages that call for it.
fn with_results_behind_calls(messages: &[&Message<'_>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(messages.len());
    let mut calls: HashSet<&str> = HashSet::new();
    let mut at = 0;
    while at < messages.len() {
        if messages[at].role == Role::Assistant {
            calls.extend(ids(messages[at], true));
            order.push(at);
            at += 1;
            continue;
        }
        let end = (at..messages.len()).find(|&next| messages[next].role == Role::Assistant).unwrap_or(messages.len());
        let answers = |&index: &usize| ids(messages[index], false).iter().any(|id| calls.contains(id));
        let (results, others): (Vec<usize>, Vec<usize>) = (at..end).partition(answers);
        order.extend(results.into_iter().chain(others));
        calls.clear();
        at = end;
    }
    order
}

/// Returns the ids of the calls or results that can stand in a message of this role.
fn ids<'m>(message: &'m Message<'_>, calls: bool) -> Vec<&'m str> {
    let of = |part: &'m Part<'_>| match &part.kind {
        Kind::ToolUse { id, name, .. } if calls && message.role == Role::Assistant && !name.is_empty() => {
            Some(id.as_ref())
        }
        Kind::ToolResult { id, .. } if !calls && message.role != Role::Assistant => Some(id.as_ref()),
        _ => None,
    };
    message.parts.iter().filter_map(of).filter(|id| !id.is_empty()).collect()
}

/// Returns a message as it goes out when nothing around it needs mending, or nothing when it is none.
fn first_form<'m>(message: &'m Message<'m>, is_typed: bool, report: &mut Mended) -> Option<Sent<'m>> {
    if message.parts.iter().all(shape::is_blank) {
        return None;
    }
    let role = if message.role == Role::Assistant { Role::Assistant } else { Role::User };
    let mut sent = Sent {
        role,
        json: Cow::Borrowed(""),
        blocks: None,
        source: Some(message),
        is_typed,
        ids: message.uuids().collect(),
        timestamp: message.timestamp.as_deref(),
    };
    if shape::is_valid(message) {
        sent.json = match message.to_json() {
            Cow::Borrowed(raw) => mended(raw),
            Cow::Owned(raw) => Cow::Owned(raw),
        };
        report.halves += usize::from(message.raw.is_some_and(|raw| raw != sent.json));
    } else {
        report.rewritten += 1;
        sent.set_blocks(results_first(shape::blocks(message)));
    }
    Some(sent)
}

impl<'m> Sent<'m> {
    /// Returns its tokens, counted as `budget` does.
    pub(crate) fn tokens(&self) -> usize {
        match (&self.blocks, self.source) {
            (None, Some(message)) => mem_transcript::budget_tokens(message),
            _ => {
                let list = format!("[{}]", self.json);
                mem_transcript::read_messages(&list).messages.iter().map(mem_transcript::budget_tokens).sum()
            }
        }
    }

    fn set_blocks(&mut self, blocks: Vec<Cow<'m, str>>) {
        let role = if self.role == Role::Assistant { "assistant" } else { "user" };
        let head = head(&self.ids, self.timestamp);
        self.json = Cow::Owned(format!("{{{head}\"role\":\"{role}\",\"content\":[{}]}}", blocks.join(",")));
        self.blocks = Some(blocks);
    }

    fn take_blocks(&self) -> Vec<Cow<'m, str>> {
        match (&self.blocks, self.source) {
            (Some(blocks), _) => blocks.clone(),
            (None, Some(message)) => shape::blocks(message),
            (None, None) => Vec::new(),
        }
    }

    /// Turns calls of an id that is called already into texts; returns 1 when there are any.
    fn without_twins(&mut self, open: &[&str], calls: &[&str]) -> usize {
        let mut seen: HashSet<&str> = open.iter().copied().collect();
        if calls.iter().all(|id| seen.insert(id)) {
            return 0;
        }
        let mut seen: HashSet<&str> = open.iter().copied().collect();
        let is_twin = |part: &'m Part<'m>| matches!(&part.kind, Kind::ToolUse { id, .. } if !seen.insert(id));
        self.with_texts_for(is_twin);
        1
    }

    /// Turns results without an open call, and second results of one call, into texts; returns how many.
    fn without_orphans(&mut self, open: &[&str], results: &[&str]) -> usize {
        let open: HashSet<&str> = open.iter().copied().collect();
        let mut seen: HashSet<&str> = HashSet::new();
        if results.iter().all(|id| open.contains(id) && seen.insert(id)) {
            return 0;
        }
        let mut seen: HashSet<&str> = HashSet::new();
        let is_orphan = |part: &'m Part<'m>| match &part.kind {
            Kind::ToolResult { id, .. } => !id.is_empty() && (!open.contains(id.as_ref()) || !seen.insert(id)),
            _ => false,
        };
        self.with_texts_for(is_orphan)
    }

    /// Turns these blocks into texts; returns how many.
    fn with_texts_for(&mut self, mut is_meant: impl FnMut(&'m Part<'m>) -> bool) -> usize {
        let Some(message) = self.source else { return 0 };
        let mut count = 0;
        let mut block = |part: &'m Part<'m>| {
            let is_meant = is_meant(part);
            count += usize::from(is_meant);
            if is_meant { shape::as_text(part) } else { shape::block(part, message) }
        };
        let parts = message.parts.iter().filter(|part| !shape::is_blank(part));
        let blocks = parts.map(&mut block).collect();
        self.set_blocks(results_first(blocks));
        count
    }

    /// Puts placeholders for results that are missing before the rest; returns how many. The typed message stays whole.
    fn put_results(&mut self, open: &mut Vec<&str>) -> usize {
        if open.is_empty() || self.is_typed {
            return 0;
        }
        let mut blocks: Vec<Cow<'m, str>> = open.iter().map(|id| Cow::Owned(no_result(id))).collect();
        blocks.extend(self.take_blocks());
        self.set_blocks(results_first(blocks));
        std::mem::take(open).len()
    }
}

fn no_result(id: &str) -> String {
    json!({"type": "tool_result", "tool_use_id": id, "content": NO_RESULT, "is_error": true}).to_string()
}

/// The API wants results before anything else in a message.
fn results_first(blocks: Vec<Cow<'_, str>>) -> Vec<Cow<'_, str>> {
    let is_result = |block: &Cow<'_, str>| shape::type_of(block).as_deref() == Some("tool_result");
    let (mut results, rest): (Vec<_>, Vec<_>) = blocks.into_iter().partition(is_result);
    results.extend(rest);
    results
}

/// Adds a message with placeholders for what is still unanswered.
fn answer_open(sent: &mut Vec<Sent<'_>>, open: &mut Vec<&str>, report: &mut Mended) {
    if open.is_empty() {
        return;
    }
    report.unanswered += open.len();
    let results: Vec<String> = open.iter().map(|id| no_result(id)).collect();
    open.clear();
    let mut answer = put_in(Role::User, String::new());
    answer.set_blocks(results.into_iter().map(Cow::Owned).collect());
    sent.push(answer);
}

/// Adds a message; one of the same role as the last is joined to it, unless it is the typed one.
fn push<'m>(sent: &mut Vec<Sent<'m>>, next: Sent<'m>, acknowledgement: &str, report: &mut Mended) {
    let is_same = sent.last().is_some_and(|last| last.role == next.role);
    match sent.last_mut() {
        Some(last) if is_same && !last.is_typed && !next.is_typed => {
            let mut blocks = last.take_blocks();
            blocks.extend(next.take_blocks());
            last.ids.extend(&next.ids);
            last.timestamp = last.timestamp.or(next.timestamp);
            last.set_blocks(if last.role == Role::User { results_first(blocks) } else { blocks });
            report.joined += 1;
        }
        Some(_) if is_same => {
            let text = json!({"role": "assistant", "content": acknowledgement}).to_string();
            sent.push(put_in(Role::Assistant, text));
            sent.push(next);
            report.parted += 1;
        }
        _ => sent.push(next),
    }
}

/// Returns a message that nobody said.
pub(crate) fn put_in<'m>(role: Role, json: String) -> Sent<'m> {
    let (ids, timestamp) = (Vec::new(), None);
    Sent { role, json: Cow::Owned(json), blocks: None, source: None, is_typed: false, ids, timestamp }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_transcript::{last_typed, read_messages};
    use serde_json::Value;

    fn check(messages: &str, expected: &str) {
        let read = read_messages(messages);
        let all: Vec<&Message<'_>> = read.messages.iter().collect();
        let (sent, _) = mend(&all, last_typed(&read.messages), "Read.");
        let json: Vec<&str> = sent.iter().map(|sent| sent.json.as_ref()).collect();
        let found: Value = serde_json::from_str(&format!("[{}]", json.join(","))).unwrap_or_default();
        let expected: Value = serde_json::from_str(expected).unwrap_or(Value::Bool(false));
        assert_eq!(found, expected);
    }

    const CALL: &str = r#"{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}]}"#;
    const RESULT: &str = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}"#;
    const ASKED: &str = r#"{"role":"user","content":"read it"}"#;
    const SAID: &str = r#"{"role":"assistant","content":"done"}"#;

    #[test]
    fn what_is_valid_stays_as_it_is() {
        let valid = format!("[{ASKED},{CALL},{RESULT},{SAID}]");
        check(&valid, &valid);
    }

    #[test]
    fn a_call_without_result_gets_a_placeholder() {
        let none = format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":"{NO_RESULT}","is_error":true}}]}}"#
        );
        check(&format!("[{ASKED},{CALL}]"), &format!("[{ASKED},{CALL},{none}]"));
        let typed = r#"{"role":"user","content":"stop"}"#;
        let read = r#"{"role":"assistant","content":"Read."}"#;
        check(&format!("[{ASKED},{CALL},{typed}]"), &format!("[{ASKED},{CALL},{none},{read},{typed}]"));
    }

    #[test]
    fn a_result_stands_behind_its_call_even_if_the_user_spoke_first() {
        let typed = r#"{"role":"user","content":"stop"}"#;
        let read = r#"{"role":"assistant","content":"Read."}"#;
        check(&format!("[{ASKED},{CALL},{typed},{RESULT}]"), &format!("[{ASKED},{CALL},{RESULT},{read},{typed}]"));
    }

    #[test]
    fn a_result_without_its_call_becomes_a_text() {
        let text = format!(r#"{{"role":"user","content":[{{"type":"text","text":"{}\nx"}}]}}"#, shape::NO_CALL);
        check(&format!("[{RESULT},{SAID},{ASKED}]"), &format!("[{text},{SAID},{ASKED}]"));
    }

    #[test]
    fn half_a_surrogate_pair_is_mended_and_what_is_empty_goes() {
        check(
            r#"[{"role":"user","content":""},{"role":"user","content":"a\ud83d"}]"#,
            r#"[{"role":"user","content":"a\ufffd"}]"#,
        );
        check("[1]", "[]");
    }

    #[test]
    fn an_answer_in_two_messages_becomes_one() {
        let first = r#"{"role":"assistant","content":"a"}"#;
        check(
            &format!("[{ASKED},{first},{SAID}]"),
            &format!(
                r#"[{ASKED},{{"role":"assistant","content":[{{"type":"text","text":"a"}},{{"type":"text","text":"done"}}]}}]"#
            ),
        );
    }
}
