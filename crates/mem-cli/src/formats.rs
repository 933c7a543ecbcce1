//! From an answered document to the bytes that are printed.

use mem_context::Placement;
use mem_store::World;
use mem_types::session::{Frozen, Shown};
use mem_types::{Document, Page};

use crate::common::{Common, Format};

/// What is printed for one document.
#[derive(Debug)]
pub enum Printed {
    /// The document itself, written without a copy.
    Line(Box<Document>),
    /// Bytes, perhaps none.
    Bytes(Vec<u8>),
}

/// What is noted in the session once an answer has been printed.
#[derive(Debug, Default)]
pub struct Noted {
    /// Memories that it shows.
    pub shown: Vec<Shown>,
    /// What the next request must repeat.
    pub frozen: Option<Frozen>,
}

impl Noted {
    /// Whether there is nothing to note.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty() && self.frozen.is_none()
    }
}

/// Returns what is printed for a document in formats that show it to a model, what is to be noted, and words about it.
pub fn for_model(common: &Common, document: &Document, world: &World) -> (Printed, Noted, Vec<String>) {
    let placement = Placement { has_guide: !common.no_guide, has_native: common.include_native };
    let rendered = match common.format {
        Format::Hook => mem_context::hook(document, placement),
        Format::Request if common.session.is_some() => {
            mem_context::request_in_session(document, placement, turn_of(common, document, world))
        }
        Format::Request => mem_context::request(document, placement),
        _ => mem_context::context(document, placement),
    };
    let turn = world.turn(document);
    let epoch = world.epoch(document);
    let shown = rendered.shown.into_iter().map(|shown| Shown { turn: turn.clone(), epoch, ..shown }).collect();
    let mut text = rendered.text;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    (Printed::Bytes(text.into_bytes()), Noted { shown, frozen: rendered.frozen }, rendered.notes)
}

fn turn_of(common: &Common, document: &Document, world: &World) -> mem_context::Turn {
    let is_cleared = document.try_read::<String>("source").ok().flatten().as_deref() == Some("clear");
    mem_context::Turn {
        before: world.session_part(document, "request"),
        epoch: world.epoch(document),
        refreshes: common.refresh || is_cleared,
    }
}

/// Returns the text for people: the layer, then what was left out.
pub fn for_people(layer: &str, document: &Document, command: &str, page: &Page) -> Printed {
    let problems: Vec<mem_types::Problem> = document.try_read("problems").ok().flatten().unwrap_or_default();
    let text = format!("{layer}{}", mem_context::problems_text(&problems, command, page));
    Printed::Bytes(text.into_bytes())
}

/// Returns the document as JSON, indented when asked.
pub fn as_json(common: &Common, document: Document) -> Printed {
    if common.pretty { Printed::Bytes(document.to_pretty().into_bytes()) } else { Printed::Line(Box::new(document)) }
}
