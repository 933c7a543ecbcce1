//! Format `context`: everything that a model would be given, in its place, as text to look at.

use mem_text::width;
use mem_types::session::Shown;
use mem_types::{Document, Problem, Severity};
use serde_json::Value;

use crate::layers::Layers;
use crate::{GUIDE, Placement, Rendered, memories};

/// Returns what a model would be given from all keys present. Control characters are made visible.
#[must_use]
pub fn context(document: &Document, placement: Placement) -> Rendered {
    let layers = Layers::read(document);
    let prompt: Option<String> = document.try_read("prompt").ok().flatten();
    let dir = layers.index.as_ref().map(|index| index.dir.as_str());
    let recalled = layers.recall.as_ref().and_then(|recall| memories::all(recall, dir));
    let mut page = Page::default();
    if layers.is_empty() {
        page.text = nothing_yet(document, &layers);
    }
    if placement.has_guide && layers.has_memory() {
        page.section("system prompt: memory guide", GUIDE);
    }
    page.section_if("system prompt: index", layers.index_text());
    page.section_if("first user message: instructions", layers.instructions());
    page.section_if("conversation", conversation(document, &layers));
    page.section_if("beside the last user message: recalled memories", recalled);
    page.section_if("last user message", prompt.filter(|prompt| !prompt.trim().is_empty()));
    page.section_if("left out, and why", left_out(document));
    let shown = layers.recall.map(|recall| recall.memories.iter().map(shown).collect()).unwrap_or_default();
    Rendered { text: width::escape_controls(&page.text).into_owned(), shown, ..Rendered::default() }
}

/// Returns the note by which a shown memory is known later.
pub fn shown(memory: &mem_types::recall::RecalledMemory) -> Shown {
    let path = match &memory.dir {
        Some(dir) => format!("{}/{}", dir.trim_end_matches('/'), memory.path),
        None => memory.path.clone(),
    };
    Shown { path, bytes: memory.text.len() as u64, ..Shown::default() }
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn section(&mut self, title: &str, body: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text += &format!("──── {title}\n\n{}\n", body.trim_end());
    }

    fn section_if(&mut self, title: &str, body: Option<String>) {
        if let Some(body) = body {
            self.section(title, &body);
        }
    }
}

fn nothing_yet(document: &Document, layers: &Layers) -> String {
    let root = layers.load.as_ref().map(|load| load.root.clone()).filter(|root| !root.is_empty());
    let cwd: Option<String> = document.try_read("cwd").ok().flatten();
    let place = root.or(cwd).map(|place| format!(" for {place}")).unwrap_or_default();
    let mut text =
        format!("Nothing yet{place}: no instruction file and no memory was found, so a model gets the prompt alone.\n");
    text += "Write a CLAUDE.md to give it instructions";
    if let Some(index) = layers.index.as_ref().filter(|index| !index.dir.is_empty()) {
        text += &format!("; memories go to {}", index.dir);
    }
    text + ".\n"
}

/// Says how long the conversation is; its text is the caller's own.
fn conversation(document: &Document, layers: &Layers) -> Option<String> {
    let messages: Vec<Value> = document.try_read("messages").ok().flatten()?;
    if messages.is_empty() {
        return None;
    }
    let mut text = format!("{} messages of the document, word for word.", messages.len());
    if let Some(compact) = layers.compact.as_ref().filter(|compact| compact.state == "compacted") {
        text += &format!(
            "\nThe older part is folded: {} tokens before, {} after, {} summaries.",
            compact.tokens_before,
            compact.tokens_after,
            compact.summaries.len()
        );
        // Only the digest stands in the messages; the points of each block are for looking things up.
        if let Some(digest) = compact.summaries.iter().rev().find(|summary| summary.level > 1) {
            text += &format!("\n\n[{}]\n{}", digest.id, digest.text.trim_end());
        }
    }
    Some(text)
}

/// Lists what did not get in: problems that matter, and memories that were passed over.
fn left_out(document: &Document) -> Option<String> {
    let problems: Vec<Problem> = document.try_read("problems").ok().flatten().unwrap_or_default();
    let lines: Vec<String> = problems
        .iter()
        .filter(|problem| problem.severity > Severity::Info)
        .map(|problem| {
            let path = problem.path.as_ref().map(|path| format!(" [{path}]")).unwrap_or_default();
            format!("{}: {}: {}{path}", problem.command, problem.code, problem.message)
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
