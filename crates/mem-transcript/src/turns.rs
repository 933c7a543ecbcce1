//! Groups messages: into turns, which start where the user typed, and turns into blocks, which are whole groups of
//! question and answer.

use std::ops::Range;

use crate::message::{Kind, Message};
use crate::speaker::{is_interruption, own_words};

/// One typed message and all up to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Indexes of its messages.
    pub messages: Range<usize>,
    /// Index of the message that the user typed; nothing for what stands before the first one.
    pub typed: Option<usize>,
}

/// One or more turns that belong together: a question, its answer, and the short words that only carry it on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Indexes into the list of turns.
    pub turns: Range<usize>,
    /// Indexes of its messages.
    pub messages: Range<usize>,
}

/// Writes the number of its turn into every message.
pub(crate) fn number(messages: &mut [Message<'_>]) {
    for (index, turn) in turns(messages).iter().enumerate() {
        for message in &mut messages[turn.messages.clone()] {
            message.turn = index;
        }
    }
}

/// Returns the turns of a conversation. What stands before the first typed message is a turn of its own.
pub fn turns(messages: &[Message<'_>]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        match turns.last_mut() {
            // Several typed messages in a row are one: the user wrote on before the model answered.
            Some(turn) if !message.is_typed() || turn_is_only_typed(messages, turn) => {
                turn.messages.end = index + 1
            }
            _ => turns.push(Turn {
                messages: index..index + 1,
                typed: message.is_typed().then_some(index),
            }),
        }
    }
    turns
}

fn turn_is_only_typed(messages: &[Message<'_>], turn: &Turn) -> bool {
    turn.typed.is_some() && messages[turn.messages.end - 1].is_typed()
}

/// Returns the blocks of a conversation: a turn joins the one before it when its words ask for nothing new.
pub fn blocks(messages: &[Message<'_>], turns: &[Turn]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (index, turn) in turns.iter().enumerate() {
        match blocks.last_mut() {
            Some(block) if carries_on(messages, turn) => {
                block.turns.end = index + 1;
                block.messages.end = turn.messages.end;
            }
            _ => blocks.push(Block {
                turns: index..index + 1,
                messages: turn.messages.clone(),
            }),
        }
    }
    blocks
}

/// Words such as `ok`, `go on` or `继续`: short, without a number or a question, and no work was done for them.
fn carries_on(messages: &[Message<'_>], turn: &Turn) -> bool {
    let Some(typed) = turn.typed else {
        return false;
    };
    let words = own_words(&messages[typed]);
    let is_short = words.split_whitespace().count() <= 3 && words.len() <= 24;
    let asks = words.contains(|letter: char| {
        letter.is_ascii_digit() || matches!(letter, '?' | '？' | '.' | '/' | '_')
    });
    let calls = messages[turn.messages.clone()].iter().any(|message| {
        message
            .parts
            .iter()
            .any(|part| matches!(part.kind, Kind::ToolUse { .. } | Kind::Image { .. }))
    });
    is_short && !asks && !calls && !words.is_empty()
}

/// Returns whether the user stopped the model in this turn.
pub fn was_interrupted(messages: &[Message<'_>], turn: &Turn) -> bool {
    messages[turn.messages.clone()].iter().any(is_interruption)
}

/// Returns the index of the last message that the user typed.
pub fn last_typed(messages: &[Message<'_>]) -> Option<usize> {
    messages.iter().rposition(Message::is_typed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_messages;

    fn list(messages: &[(&str, &str)]) -> String {
        let items: Vec<_> = messages
            .iter()
            .map(|(role, text)| format!(r#"{{"role":"{role}","content":"{text}"}}"#))
            .collect();
        format!("[{}]", items.join(","))
    }

    fn check(messages: &[(&str, &str)], turn_starts: &[usize], block_starts: &[usize]) {
        let json = list(messages);
        let read = read_messages(&json);
        let turns = turns(&read.messages);
        let blocks = blocks(&read.messages, &turns);
        let starts: Vec<_> = turns.iter().map(|turn| turn.messages.start).collect();
        assert_eq!(starts, turn_starts);
        let starts: Vec<_> = blocks.iter().map(|block| block.messages.start).collect();
        assert_eq!(starts, block_starts);
        let covered: usize = blocks.iter().map(|block| block.messages.len()).sum();
        assert_eq!(covered, messages.len());
    }

    #[test]
    fn a_turn_reaches_to_the_next_typed_message() {
        let messages = [
            ("user", "Why does it fail?"),
            ("assistant", "A"),
            ("user", "继续"),
            ("assistant", "B"),
            ("user", "Use port 80"),
            ("assistant", "C"),
        ];
        check(&messages, &[0, 2, 4], &[0, 4]);
    }

    #[test]
    fn what_stands_before_the_first_typed_message_is_a_turn_of_its_own() {
        let reminder = "<system-reminder>x</system-reminder>";
        check(
            &[("assistant", "hello"), ("user", reminder), ("user", "Why?")],
            &[0, 2],
            &[0, 2],
        );
    }

    #[test]
    fn typed_messages_in_a_row_are_one_turn() {
        check(
            &[
                ("user", "one thing"),
                ("user", "and another?"),
                ("assistant", "A"),
            ],
            &[0],
            &[0],
        );
        check(&[], &[], &[]);
    }

    #[test]
    fn an_interruption_is_seen_in_its_turn() {
        let json = list(&[
            ("user", "go"),
            ("assistant", "A"),
            ("user", "[Request interrupted by user]"),
            ("user", "stop that"),
        ]);
        let read = read_messages(&json);
        let turns = turns(&read.messages);
        assert!(was_interrupted(&read.messages, &turns[0]));
        assert!(!was_interrupted(&read.messages, &turns[1]));
        assert_eq!(last_typed(&read.messages), Some(3));
    }
}
