//! A message of a request whose tokens keep their bytes unless something is put into it.

use mem_types::{Document, to_json};
use serde_json::json;
use serde_json::value::RawValue;

/// A message whose tokens are kept unless something is put into it.
pub(crate) struct Message {
    raw: String,
    document: Option<Document>,
}

impl Message {
    pub(crate) fn new(raw: &str) -> Self {
        let mut document = Document::parse(raw).ok();
        if let Some(document) = &mut document {
            document.remove("uuid");
            document.remove("timestamp");
            document.remove("joined");
        }
        Self { raw: raw.to_owned(), document }
    }

    pub(crate) fn of_user(text: &str) -> Self {
        Self::new(&json!({"role": "user", "content": text}).to_string())
    }

    pub(crate) fn is_user(&self) -> bool {
        let role = self.document.as_ref().and_then(|document| document.try_read::<String>("role").ok().flatten());
        role.as_deref() == Some("user")
    }

    /// Whether this is a user message of just this text.
    pub(crate) fn says(&self, text: &str) -> bool {
        if !self.is_user() {
            return false;
        }
        let texts: Vec<String> = self.blocks().iter().filter_map(|block| text_of(block)).collect();
        texts.last().is_some_and(|last| last == text)
    }

    /// Whether one of its blocks is just this text.
    pub(crate) fn has_text(&self, text: &str) -> bool {
        self.blocks().iter().any(|block| text_of(block).as_deref() == Some(text))
    }

    pub(crate) fn blocks(&self) -> Vec<String> {
        let content = self.document.as_ref().and_then(|document| document.get("content"));
        content.map(content_blocks).unwrap_or_default()
    }

    /// Puts a block before all others but tool results, which the API wants at the front.
    pub(crate) fn put_first(&mut self, block: String) {
        let mut blocks = self.blocks();
        let place = blocks.iter().take_while(|block| type_of(block).as_deref() == Some("tool_result")).count();
        blocks.insert(place, block);
        self.set_blocks(&blocks);
    }

    pub(crate) fn put_last(&mut self, block: String) {
        let mut blocks = self.blocks();
        blocks.push(block);
        self.set_blocks(&blocks);
    }

    fn set_blocks(&mut self, blocks: &[String]) {
        if let Some(document) = &mut self.document {
            document.set("content", format!("[{}]", blocks.join(",")));
        }
    }

    pub(crate) fn into_json(self) -> String {
        self.document.map_or(self.raw, |document| document.to_line())
    }
}

/// Returns a content as raw blocks: a string is one text block, a list its items.
pub(crate) fn content_blocks(raw: &str) -> Vec<String> {
    if let Ok(blocks) = serde_json::from_str::<Vec<&RawValue>>(raw) {
        return blocks.iter().map(|block| block.get().to_owned()).collect();
    }
    match mem_types::parse_value::<String>(raw) {
        Ok(Some(text)) if !text.is_empty() => {
            vec![format!("{{\"type\":\"text\",\"text\":{}}}", raw_or_mended(raw, &text))]
        }
        _ => Vec::new(),
    }
}

/// Keeps the spelling of a string as it came; one with half a surrogate pair is mended, or no service would take it.
fn raw_or_mended(raw: &str, text: &str) -> String {
    if serde_json::from_str::<String>(raw).is_ok() { raw.to_owned() } else { to_json(&text) }
}

pub(crate) fn text_of(block: &str) -> Option<String> {
    Document::parse(block).ok()?.try_read("text").ok().flatten()
}

fn type_of(block: &str) -> Option<String> {
    Document::parse(block).ok()?.try_read("type").ok().flatten()
}
