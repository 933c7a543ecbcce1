//! Carries a plan out: checks each operation, whoever made it, and hands what may be written to the memory folder.

use mem_store::{Change, IndexLine, MemoryFolder, Moment, Scan};
use mem_text::{cut, secrets, width};
use mem_types::extract::Operation;
use mem_types::{Failure, Problems};

use crate::claims::Type;
use crate::file;

/// Longest line of the index, in characters; mem-index warns of longer ones.
const INDEX_LINE: usize = 150;
/// Most bytes of a body that is written; a plan may come from anywhere.
pub(crate) const MOST_BODY: usize = 32 * 1024;

/// Carries the operations out and notes with each what became of it. Returns whether something was not done.
///
/// # Errors
/// When the folder is no memory folder, or cannot be made, locked or written.
pub fn apply(
    operations: &mut [Operation],
    folder: &MemoryFolder,
    now: &Moment,
    problems: &mut Problems,
) -> Result<bool, Failure> {
    let memories = folder.memories(Scan::Whole, &mut Problems::default());
    let nested = memories.iter().filter(|memory| memory.matter.is_nested()).count();
    let is_nested = nested * 2 > memories.len();
    let mut changes = Vec::new();
    let mut places = Vec::new();
    for (at, operation) in operations.iter_mut().enumerate() {
        if operation.op == "append-instruction" {
            continue;
        }
        operation.outcome = None;
        make_visible(operation);
        if let Some(reason) = refusal(operation) {
            operation.outcome = Some(format!("refused: {reason}"));
            mask(operation);
        } else if operation.op != "none" {
            if operation.op == "archive" {
                let sha256 = operation.sha256.clone().unwrap_or_default();
                changes.push(Change::Remove { path: operation.path.clone(), sha256 });
                places.push(at);
                continue;
            }
            let old = memories.iter().find(|memory| memory.path == operation.path);
            let replaces = operation.sha256.clone();
            let text = text(operation, old, is_nested, now);
            let line = Some(IndexLine { title: operation.name.clone(), hook: hook(operation) });
            changes.push(Change::Write { path: operation.path.clone(), text, replaces, line });
            places.push(at);
        }
    }
    for (at, outcome) in places.into_iter().zip(folder.apply(&changes, now)?) {
        operations[at].outcome = Some(outcome.words());
    }
    Ok(report(operations, problems))
}

/// What a terminal would obey, or nobody would see, is not written.
pub fn make_visible(operation: &mut Operation) {
    for field in [&mut operation.name, &mut operation.description] {
        *field = width::escape_line(field).into_owned();
    }
    for trigger in &mut operation.triggers {
        *trigger = width::escape_line(trigger).into_owned();
    }
    operation.body = width::escape_controls(&operation.body).into_owned();
}

/// What is refused for a secret must not show it.
pub fn mask(operation: &mut Operation) {
    let fields = [&mut operation.name, &mut operation.description, &mut operation.body, &mut operation.why];
    for field in fields.into_iter().chain(&mut operation.triggers) {
        *field = secrets::mask(field).into_owned();
    }
}

/// Returns why an operation is not carried out.
pub fn refusal(operation: &Operation) -> Option<&'static str> {
    let is_write = matches!(operation.op.as_str(), "create" | "update" | "supersede");
    let fields = [&operation.name, &operation.description, &operation.body];
    if operation.triggers.iter().any(|trigger| !secrets::find(trigger).is_empty()) {
        return Some("it holds a secret");
    }
    match operation.op.as_str() {
        "none" => return None,
        "archive" if operation.sha256.is_none() => return Some("it removes a file and does not say which (sha256)"),
        "archive" | "append-instruction" => return None,
        _ if !is_write => return Some("no such operation"),
        _ => {}
    }
    if Type::of(&operation.kind).is_none() && operation.op != "supersede" {
        Some("the type is none of feedback, user, project, reference")
    } else if fields.iter().any(|field| field.trim().is_empty()) {
        Some("name, description or body is empty")
    } else if fields.iter().any(|field| is_placeholder(field)) {
        Some("name, description or body is a placeholder")
    } else if operation.body.len() > MOST_BODY {
        Some("the body is longer than a memory")
    } else if fields.iter().any(|field| !secrets::find(field).is_empty()) {
        Some("it holds a secret")
    } else if operation.op != "create" && operation.sha256.is_none() {
        Some("it replaces a file and does not say which (sha256)")
    } else if operation.op == "create" && operation.sha256.is_some() {
        Some("a new file replaces none")
    } else {
        None
    }
}

/// Whether a field is what a template says of itself: `<short-name>`, `...`.
pub(crate) fn is_placeholder(field: &str) -> bool {
    let field = field.trim();
    field.chars().all(|character| matches!(character, '.' | '…' | '-'))
        || field.starts_with('<') && field.ends_with('>') && !field[1..].contains('<') && !field.contains('\n')
}

fn text(operation: &Operation, old: Option<&mem_store::Memory>, is_nested: bool, now: &Moment) -> String {
    let Some(old) = old.filter(|_| operation.op != "create") else { return file::new(operation, is_nested) };
    let extra = match (operation.op.as_str(), &operation.superseded_by) {
        ("supersede", Some(by)) => format!("superseded: {}\nsuperseded_by: {by}\n", now.zoned().date()),
        ("supersede", None) => format!("superseded: {}\n", now.zoned().date()),
        _ => String::new(),
    };
    file::rewritten(&old.text, &old.matter, operation, &now.to_rfc3339(), &extra)
}

/// Returns what follows the title in the index, so that the whole line keeps its length.
fn hook(operation: &Operation) -> String {
    let mark = if operation.op == "supersede" { "(no longer holds) " } else { "" };
    let taken = "- []() — ".chars().count() + width::columns(&operation.name) + operation.path.chars().count();
    let room = INDEX_LINE.saturating_sub(taken).max(20);
    cut::ellipsis(&format!("{mark}{}", operation.description), room).into_owned()
}

/// Names each refusal and returns whether there was one.
pub fn report(operations: &[Operation], problems: &mut Problems) -> bool {
    let mut is_undone = false;
    for operation in operations {
        let (size, op) = (operation.body.len(), &operation.op);
        let (code, message, hint) = match operation.outcome.as_deref() {
            Some(outcome) if outcome.starts_with("refused") => (
                "operation-refused",
                format!("{op} of {size} bytes was not written, {outcome}"),
                "plan again, or mend the operation",
            ),
            Some(outcome) if outcome.starts_with("failed") => (
                "write-failed",
                format!("{op} of {size} bytes was not finished, {outcome}"),
                "try again when it can be written",
            ),
            _ => continue,
        };
        is_undone = true;
        problems.error(code, message).path(&operation.path).hint(hint);
    }
    is_undone
}
