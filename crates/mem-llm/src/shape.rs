//! Whether an answer is what was asked for: the outermost level of a JSON Schema.

use serde_json::Value;

/// Returns why `value` does not fit the outermost level of `schema`, or nothing when it does.
///
/// Type, required members and the types of members are looked at. What stands inside them is the caller's to check, so
/// that one bad item does not spoil the good ones.
pub fn misfit(value: &Value, schema: &Value) -> Option<String> {
    if let Some(reason) = type_misfit(value, schema) {
        return Some(format!("it is {reason}"));
    }
    let missing = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    for name in missing {
        if value.get(name).is_none() {
            return Some(format!("'{name}' is missing"));
        }
    }
    let members = schema["properties"].as_object().into_iter().flatten();
    members
        .filter_map(|(name, schema)| Some((name, value.get(name)?, schema)))
        .find_map(|(name, member, schema)| type_misfit(member, schema).map(|reason| format!("'{name}' is {reason}")))
}

fn type_misfit(value: &Value, schema: &Value) -> Option<String> {
    let wanted: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let actual = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let fits = wanted.iter().any(|name| *name == actual || *name == "number" && actual == "integer");
    (!fits).then(|| format!("of type {actual}, not {}", wanted.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_outermost_level_is_checked() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "array"}, "b": {"type": "number"}}});
        assert_eq!(misfit(&json!({"a": [1], "b": 2}), &schema), None);
        assert_eq!(misfit(&json!({"a": "none"}), &schema).as_deref(), Some("'a' is of type string, not array"));
        assert_eq!(misfit(&json!({}), &schema).as_deref(), Some("'a' is missing"));
        assert_eq!(misfit(&json!([]), &schema).as_deref(), Some("it is of type array, not object"));
    }
}
