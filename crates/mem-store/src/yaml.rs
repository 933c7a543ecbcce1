//! The one file that knows which YAML library is used.

use serde_json::Value;

/// Returns the YAML text as a JSON value.
///
/// # Errors
/// In words with the line, when the text is no YAML or cannot be told in JSON.
pub fn parse(text: &str) -> Result<Value, String> {
    serde_yaml::from_str::<Value>(text).map_err(|error| error.to_string())
}
