//! The JSON Schema of the document, as `--schema` prints it.

/// Returns the JSON Schema (draft 2020-12) of the document.
#[must_use]
pub fn document() -> &'static str {
    include_str!("document.schema.json")
}
