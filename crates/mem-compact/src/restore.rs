//! Reads again what helps to find one's way after a fold: the files used last, the plan, the skills. What is too long for
//! its share is named by its path.

use std::path::{Path, PathBuf};

use mem_store::{World, beneath};
use mem_text::tokens::estimate;
use mem_text::{cut, secrets};
use mem_transcript::{Kind, Message};
use mem_types::Document;
use mem_types::Problems;
use mem_types::compact::{KeptText, RestoredFile};
use serde_json::Value;

use crate::files::{self, LeftOut};

/// Most tokens of one file, and of one skill: facts.md, Part B, section 7.2.
const EACH: usize = 5_000;
/// Most tokens of all files.
const FILES: usize = 50_000;
/// Most tokens of all skills.
const SKILLS: usize = 25_000;
/// A file of more bytes has more tokens than a file may have, whatever it holds.
const MOST_BYTES: u64 = 200_000;

/// What is given back after a fold.
#[derive(Debug, Default)]
pub(crate) struct Restored {
    pub files: Vec<RestoredFile>,
    pub left_out: Vec<LeftOut>,
    pub plan: Option<KeptText>,
    pub skill_bodies: Vec<KeptText>,
}

/// What is asked for, and the tokens that there are for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room<'r> {
    pub tokens: usize,
    /// The skills that were used, the last one last.
    pub skills: &'r [String],
    pub wants_bodies: bool,
}

/// Reads what is given back after a fold of these messages.
pub(crate) fn restore(document: &Document, world: &World, messages: &[Message<'_>], room: Room<'_>) -> Restored {
    let problems = &mut Problems::default();
    let root = world.project_root(document, problems);
    let named: Vec<String> =
        world.touched_files(document, problems).iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let folders = world.memory_folders(document, problems);
    let memory = folders.first().map(|folder| folder.dir.to_string_lossy().into_owned());
    // Outside the project nothing is looked up: the paths come from the conversation.
    let exists = |path: &str| world.exists_beneath(&root, path).unwrap_or(true);
    let (files, left_out) = files::last_used(messages, &named, &root.to_string_lossy(), memory.as_deref(), exists);
    let mut left = room.tokens.min(FILES);
    let plan = plan(messages, world).inspect(|plan| left = left.saturating_sub(plan.tokens));
    let files = files.into_iter().map(|file| with_text(file, &root, &mut left)).collect();
    let skill_bodies = if room.wants_bodies { bodies(room.skills, &root, world, left) } else { Vec::new() };
    Restored { files, left_out, plan, skill_bodies }
}

fn with_text(file: RestoredFile, root: &Path, left: &mut usize) -> RestoredFile {
    let text = match beneath::text(root, &root.join(&file.path), MOST_BYTES) {
        Ok(text) => text,
        Err(reason) => return RestoredFile { reason: Some(reason), ..file },
    };
    let text = secrets::mask(&text).into_owned();
    let tokens = usize::try_from(estimate(&text)).unwrap_or(usize::MAX);
    let limit = EACH.min(*left);
    if tokens > limit {
        return RestoredFile { reason: Some(format!("{tokens} tokens, over the limit of {limit}")), ..file };
    }
    *left -= tokens;
    RestoredFile { state: "content".into(), tokens, text: Some(text), ..file }
}

/// Returns the plan that was agreed on last: what the model laid before the user, else the file that it wrote it to.
fn plan(messages: &[Message<'_>], world: &World) -> Option<KeptText> {
    let folder = world.config_dir()?.join("plans");
    messages.iter().rev().flat_map(|message| message.parts.iter().rev()).find_map(|part| match &part.kind {
        Kind::ToolUse { name, input, .. } if name.eq_ignore_ascii_case("exitplanmode") => {
            let input: Value = serde_json::from_str(input).ok()?;
            kept("", "", input.get("plan")?.as_str()?)
        }
        Kind::ToolUse { name, input, .. } if matches!(&**name, "Write" | "Edit") => {
            let input: Value = serde_json::from_str(input).ok()?;
            let path = PathBuf::from(input.get("file_path")?.as_str()?);
            let text =
                beneath::text(&folder, Some(&path).filter(|path| path.starts_with(&folder))?, MOST_BYTES).ok()?;
            kept("", &path.to_string_lossy(), &text)
        }
        _ => None,
    })
}

/// Returns the texts of the skills used last, as many as there is room for.
fn bodies(skills: &[String], root: &Path, world: &World, left: usize) -> Vec<KeptText> {
    let mut left = left.min(SKILLS);
    let mut bodies = Vec::new();
    for name in skills.iter().rev() {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if !name.bytes().all(is_name) {
            continue;
        }
        let places = [Some(root.join(".claude/skills")), world.config_dir().map(|config| config.join("skills"))];
        let read = |folder: PathBuf| {
            let path = folder.join(name).join("SKILL.md");
            let text = beneath::text(&folder, &path, MOST_BYTES).ok()?;
            kept(name, &path.to_string_lossy(), &text)
        };
        let Some(body) = places.into_iter().flatten().find_map(read).filter(|body| body.tokens <= left) else {
            continue;
        };
        left -= body.tokens;
        bodies.push(body);
    }
    bodies
}

/// Returns a text, cut at a line where it is too long, with its secrets masked.
fn kept(name: &str, path: &str, text: &str) -> Option<KeptText> {
    let text = secrets::mask(text.trim()).into_owned();
    let mut short: &str = &text;
    let mut bytes = EACH * 5;
    while estimate(short) as usize > EACH {
        short = cut::at_newline(&text, bytes.min(text.len()));
        bytes = bytes * 4 / 5;
    }
    let text = short.to_owned();
    let tokens = estimate(&text) as usize;
    (!text.is_empty()).then(|| KeptText { name: name.into(), path: path.into(), tokens, text })
}
