//! Counts what was taken out of the messages, by kind, with its size.

use std::collections::BTreeMap;

use mem_transcript::{Kind, Message, Part, Speaker, part_tokens};
use mem_types::compact::Dropped;

/// Returns what the folded messages held, by kind. Of texts the points stand in the digest.
pub(crate) fn of_messages<'m, 'a: 'm>(folded: impl Iterator<Item = &'m Message<'a>>) -> Vec<Dropped> {
    let mut kinds: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
    for message in folded {
        for part in &message.parts {
            let entry = kinds.entry(kind(message, part)).or_default();
            entry.0 += 1;
            entry.1 += part_tokens(part);
        }
    }
    let reason = |kind: &str| if kind == "text" { "folded to points" } else { "folded" };
    let row = |(kind, (count, tokens)): (&str, (usize, usize))| Dropped {
        kind: kind.into(),
        count,
        tokens,
        path: None,
        reason: reason(kind).into(),
    };
    kinds.into_iter().map(row).collect()
}

fn kind(message: &Message<'_>, part: &Part<'_>) -> &'static str {
    match &part.kind {
        Kind::Text(_) if message.speaker == Speaker::Host => "host",
        Kind::Text(_) => "text",
        Kind::Thinking(_) | Kind::RedactedThinking => "thinking",
        Kind::ToolUse { .. } => "tool_use",
        Kind::ToolResult { .. } => "tool_result",
        Kind::Image { .. } => "image",
        Kind::Other { .. } => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_transcript::read_messages;

    #[test]
    fn everything_is_counted_by_kind() {
        let json = r#"[{"role":"user","content":[{"type":"text","text":"abcd"},{"type":"image"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"abcd"}]},{"role":"user","content":"<system-reminder>x</system-reminder>"}]"#;
        let dropped = of_messages(read_messages(json).messages.iter());
        let rows: Vec<_> = dropped.iter().map(|row| (row.kind.as_str(), row.count, row.tokens)).collect();
        assert_eq!(rows, [("host", 1, 9), ("image", 1, 1500), ("text", 1, 1), ("thinking", 1, 1)]);
    }
}
