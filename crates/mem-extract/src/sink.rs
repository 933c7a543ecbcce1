//! Writes what was learned into the daily log of the memory folder, a bullet each, and reads such bullets again.

use jiff::ZonedDateTime;
use mem_store::{MemoryFolder, World};
use mem_types::extract::Operation;
use mem_types::{Failure, Problems};

use crate::apply;
use crate::claims::{self, Claim, Type};
use crate::conversation::Conversation;
use crate::reading::Utterance;

/// What stands before the reason, and before the case in which it holds.
const WHY: &str = "**Why:**";
const HOW: &str = "**How to apply:**";

/// Appends the operations to the log of the day and notes with each what became of it. Returns whether something was
/// not done. What the log of the day holds already is not written again.
///
/// # Errors
/// When the folder is no memory folder, or cannot be made, locked or written.
pub fn append(
    operations: &mut [Operation],
    folder: &MemoryFolder,
    world: &World,
    problems: &mut Problems,
) -> Result<bool, Failure> {
    let writer = folder.writer(world.now())?;
    let path = mem_store::logs::path(world.now());
    let old = writer.read(&path)?.unwrap_or_default();
    let old = String::from_utf8_lossy(&old).into_owned();
    for operation in operations.iter_mut().filter(|one| !matches!(one.op.as_str(), "none" | "append-instruction")) {
        apply::make_visible(operation);
        operation.outcome = Some(match apply::refusal(operation) {
            Some(reason) => {
                apply::mask(operation);
                format!("refused: {reason}")
            }
            None if old.contains(&bullet(operation)) => "unchanged".into(),
            None => {
                writer.append_log(&format!("- {} {}", world.now().zoned().strftime("%H:%M"), bullet(operation)))?;
                "written".into()
            }
        });
        operation.path = path.clone();
    }
    Ok(apply::report(operations, problems))
}

fn bullet(operation: &Operation) -> String {
    let body: Vec<&str> = operation.body.split_whitespace().collect();
    format!("[{}] {}", operation.kind, body.join(" "))
}

/// Reads the daily logs: bullets with a type are memories as they stand; others are read as if the user had said them.
pub fn read(folder: &MemoryFolder, world: &World, problems: &mut Problems) -> Conversation {
    let mut conversation = Conversation::default();
    for log in folder.logs() {
        let text = match folder.log_text(&log) {
            Ok(text) => text,
            Err(error) => {
                let reason = mem_store::open::reason(&error);
                problems.warning("unreadable-log", format!("a daily log cannot be read: {reason}")).path(log.path);
                continue;
            }
        };
        for (number, line) in text.lines().enumerate() {
            take_line(line, &format!("{}:{}", log.path, number + 1), &log.date, world, &mut conversation);
        }
    }
    conversation
}

fn take_line(line: &str, id: &str, date: &str, world: &World, conversation: &mut Conversation) {
    let Some(text) = line.trim_start().strip_prefix("- ") else { return };
    let (time, text) = match text.split_once(' ').filter(|(time, _)| time.len() == 5 && time.as_bytes()[2] == b':') {
        Some((time, rest)) => (time, rest),
        None => ("12:00", text),
    };
    let moment = moment(date, time, world);
    match typed(text) {
        Some((kind, text)) => conversation.noted.push(noted(kind, text, id, moment)),
        None => {
            conversation.typed += 1;
            let (id, text) = (id.to_owned(), text.to_owned());
            conversation.utterances.push(Utterance { id, text, moment, before: String::new() });
        }
    }
}

fn moment(date: &str, time: &str, world: &World) -> Option<ZonedDateTime> {
    let at: jiff::civil::DateTime = format!("{date}T{time}:00").parse().ok()?;
    at.to_zoned_datetime(world.now().zoned().time_zone().clone()).ok()
}

fn typed(text: &str) -> Option<(Type, &str)> {
    let (kind, rest) = text.strip_prefix('[')?.split_once("] ")?;
    Some((Type::of(kind)?, rest))
}

fn noted(kind: Type, text: &str, id: &str, moment: Option<ZonedDateTime>) -> Claim {
    let (rest, how) = text.split_once(HOW).map_or((text, None), |(rest, how)| (rest, Some(how.trim())));
    let (rule, why) = rest.split_once(WHY).map_or((rest, None), |(rule, why)| (rule, Some(why.trim())));
    let rule = match how {
        // The case stands in the rule already when the rule begins or ends with it.
        Some(how) if !rule.contains(how) => format!("{} ({how})", rule.trim()),
        _ => rule.trim().to_owned(),
    };
    claims::noted(kind, rule, why.map(str::to_owned), id, moment)
}
