//! Format `hook`: the answer for the event that the document names, by the contract of the agent.
//!
//! Context goes only where the agent puts it before the model: SessionStart, UserPromptSubmit, PreToolUse, PostToolUse
//! and PostToolBatch. For every other event nothing is printed: on Stop context keeps an agent running, on PreCompact
//! it becomes instructions, on SessionEnd it is an error.

use mem_types::Document;
use mem_types::compact::GivenBack;
use mem_types::load::LoadedFile;
use mem_types::recall::{Recall, RecalledMemory};
use mem_types::session::Shown;

use crate::context::shown;
use crate::layers::{Layers, section};
use crate::{Placement, Rendered, memories};

/// Most characters of an answer, in UTF-16 units: facts.md, Part A, section 7. What is longer goes to a file instead.
const MAX_UNITS: usize = 10_000;

/// Events whose answer reaches the model.
const EVENTS: [&str; 5] = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch"];

/// Returns the hook's answer: one line of JSON, or nothing.
#[must_use]
pub fn hook(document: &Document, placement: Placement) -> Rendered {
    let event: Option<String> = document.try_read("hook_event_name").ok().flatten();
    let Some(event) = event.filter(|event| EVENTS.contains(&event.as_str())) else { return Rendered::default() };
    if is_hosts_own_prompt(document) {
        return Rendered::default();
    }
    let layers = Layers::read(document);
    let mut answer = Answer { event: &event, parts: Vec::new(), shown: Vec::new() };
    if event == "SessionStart" {
        answer.add_lost(&layers);
        answer.add_start(&layers, placement);
    } else {
        answer.add_touched(&layers, placement);
    }
    if let Some(recall) = &layers.recall {
        answer.add_memories(recall, layers.index.as_ref().map(|index| index.dir.as_str()));
    }
    answer.finish()
}

/// Agents send notices of their own through the prompt event.
fn is_hosts_own_prompt(document: &Document) -> bool {
    let prompt: Option<String> = document.try_read("prompt").ok().flatten();
    prompt.is_some_and(|prompt| prompt.trim_start().starts_with("<task-notification>"))
}

struct Answer<'a> {
    event: &'a str,
    parts: Vec<String>,
    shown: Vec<Shown>,
}

impl Answer<'_> {
    /// The agent loads most instruction files and the index of its own memory folder by itself.
    fn add_start(&mut self, layers: &Layers, placement: Placement) {
        self.add_files(layers, |file| placement.has_native || file.native == Some(false));
        let is_native = layers.index.as_ref().is_some_and(|index| index.native);
        if let Some(text) = layers.index_text().filter(|_| placement.has_native || !is_native) {
            self.add_or_name(&text, layers.index.as_ref().map(|index| format!("{}/MEMORY.md", index.dir)));
        }
    }

    /// After a compaction of the agent's own: what the user had said, and the agent's summary does not hold.
    fn add_lost(&mut self, layers: &Layers) {
        let Some(compact) = layers.compact.as_ref().filter(|compact| !compact.given_back.is_empty()) else { return };
        let line = |given: &GivenBack| format!("- ({}) {}", given.kind, given.text.replace('\n', " "));
        let lines: Vec<String> = compact.given_back.iter().map(line).collect();
        self.add_or_name(
            &format!(
                "Said before the compaction of this conversation, and not in its summary (pins, wishes of the user, open tasks):\n{}\n",
                lines.join("\n")
            ),
            None,
        );
    }

    /// What was given at the start stands in the context: only what touched files bring is new.
    fn add_touched(&mut self, layers: &Layers, placement: Placement) {
        self.add_files(layers, |file| {
            file.matched_by.is_some() && (placement.has_native || file.native == Some(false))
        });
    }

    fn add_files(&mut self, layers: &Layers, wanted: impl Fn(&LoadedFile) -> bool) {
        for (file, text) in layers.active_files().filter(|(file, _)| wanted(file)) {
            self.add_or_name(&section(file, &memories::neutral(text)), Some(file.path.clone()));
        }
    }

    /// Adds whole memories, best first, as long as there is room; the rest by their paths.
    fn add_memories(&mut self, recall: &Recall, dir: Option<&str>) {
        if recall.memories.is_empty() || !self.add(memories::LEAD.into()) {
            return;
        }
        for memory in &recall.memories {
            if self.add(memories::one(memory, dir)) {
                self.shown.push(shown(memory));
            } else {
                self.add(by_path(memory, dir));
            }
        }
    }

    /// Adds a text; where it does not fit, as many of its lines as do, and the path of its file.
    fn add_or_name(&mut self, text: &str, path: Option<String>) {
        if self.add(text.to_owned()) {
            return;
        }
        let rest = path.map(|path| format!("\n\nCut for its length; the rest stands in {path}")).unwrap_or_default();
        let ends: Vec<usize> = text.match_indices('\n').map(|(end, _)| end).collect();
        // By halves: each try renders the whole answer.
        let (mut fits, mut fails) = (0, ends.len());
        while fits < fails {
            let middle = fits + (fails - fits) / 2;
            let is_small = self.add(format!("{}{rest}", &text[..ends[middle]]));
            if is_small {
                self.parts.pop();
                fits = middle + 1;
            } else {
                fails = middle;
            }
        }
        let kept = fits.checked_sub(1).map_or("", |last| &text[..ends[last]]);
        self.add(format!("{kept}{rest}"));
    }

    /// Adds a part if the answer stays within the limit with it.
    fn add(&mut self, part: String) -> bool {
        self.parts.push(mem_text::width::escape_controls(&part).into_owned());
        let fits = self.render().encode_utf16().count() <= MAX_UNITS;
        if !fits {
            self.parts.pop();
        }
        fits
    }

    fn render(&self) -> String {
        let text = self.parts.join("\n\n");
        serde_json::json!({"hookSpecificOutput": {"hookEventName": self.event, "additionalContext": text}}).to_string()
    }

    fn finish(self) -> Rendered {
        if self.parts.is_empty() {
            return Rendered::default();
        }
        Rendered { text: self.render(), shown: self.shown, ..Rendered::default() }
    }
}

fn by_path(memory: &RecalledMemory, dir: Option<&str>) -> String {
    format!("Memory not shown for its length: {} ({})", memories::path(memory, dir), memory.name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const PLACEMENT: Placement = Placement { has_guide: true, has_native: false };

    fn answer(event: &str, texts: &[String]) -> Rendered {
        let memories: Vec<serde_json::Value> = texts
            .iter()
            .enumerate()
            .map(|(number, text)| serde_json::json!({"path": format!("m{number}.md"), "name": "n", "text": text}))
            .collect();
        let line = serde_json::json!({"hook_event_name": event, "recall": {"memories": memories}}).to_string();
        hook(&Document::parse(&line).unwrap(), PLACEMENT)
    }

    #[test]
    fn only_events_that_reach_the_model_are_answered() {
        let text = ["remember".to_owned()];
        for event in EVENTS {
            let answer = answer(event, &text);
            let value: serde_json::Value = serde_json::from_str(&answer.text).unwrap();
            assert_eq!(value["hookSpecificOutput"]["hookEventName"], event);
            assert_eq!(answer.shown.len(), 1);
        }
        for event in
            ["Stop", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd", "InstructionsLoaded", "New", ""]
        {
            assert_eq!(answer(event, &text), Rendered::default(), "{event}");
        }
        assert_eq!(answer("UserPromptSubmit", &[]), Rendered::default());
    }

    #[test]
    fn of_the_instructions_only_what_the_agent_does_not_load_is_given_and_each_once() {
        let file = |name: &str, native: bool, touched: bool| {
            let matched_by = touched.then_some("/p/a.ts");
            serde_json::json!({"path": format!("/p/{name}.md"), "state": "active", "text": format!("MK_{name}"),
                               "native": native, "matched_by": matched_by})
        };
        let files =
            [file("host", true, false), file("own", false, false), file("rule", false, true), file("late", true, true)];
        let given = |event: &str, has_native: bool| {
            let line = serde_json::json!({"hook_event_name": event, "load": {"files": files}});
            let placement = Placement { has_native, ..PLACEMENT };
            let text = hook(&Document::parse(&line.to_string()).unwrap(), placement).text;
            let mut marks: Vec<&str> = Vec::new();
            for name in ["host", "own", "rule", "late"] {
                let times = text.matches(&format!("MK_{name}")).count();
                marks.extend(std::iter::repeat_n(name, times));
            }
            marks.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(given("SessionStart", false), ["own", "rule"]);
        for event in ["UserPromptSubmit", "PreToolUse", "PostToolUse"] {
            assert_eq!(given(event, false), ["rule"], "{event}");
            assert_eq!(given(event, true), ["rule", "late"], "{event}");
        }
        assert_eq!(given("SessionStart", true), ["host", "own", "rule", "late"]);
    }

    #[test]
    fn an_answer_too_long_keeps_the_paths_of_what_it_leaves_out() {
        let texts: Vec<String> = ["长", "b", "\"", "\u{1}"].iter().map(|text| text.repeat(4000)).collect();
        let answer = answer("UserPromptSubmit", &texts);
        assert!(answer.text.encode_utf16().count() <= MAX_UNITS);
        assert_eq!(answer.shown.iter().map(|shown| shown.path.as_str()).collect::<Vec<_>>(), ["m0.md", "m1.md"]);
        assert!(answer.text.contains("m2.md") && answer.text.contains("m3.md"));
    }
}
