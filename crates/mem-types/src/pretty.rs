//! Indents JSON text for reading; every token keeps its bytes.

use crate::scan::plain_length;

/// Returns the JSON text with one member or item a line, two blanks a level.
#[must_use]
pub fn indented(json: &str) -> String {
    let bytes = json.as_bytes();
    let mut text = Vec::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let mut position = 0;
    while position < bytes.len() {
        let byte = bytes[position];
        let mut end = position + 1;
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => {}
            b'{' | b'[' => {
                text.push(byte);
                let next = bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace());
                // An empty pair stays together.
                if next.is_some_and(|&next| next == b'}' || next == b']') {
                    end = position + 1 + bytes[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                    text.push(bytes[end]);
                    end += 1;
                } else {
                    depth += 1;
                    new_line(&mut text, depth);
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut text, depth);
                text.push(byte);
            }
            b',' => {
                text.push(byte);
                new_line(&mut text, depth);
            }
            b':' => text.extend_from_slice(b": "),
            b'"' => {
                end = after_string(bytes, position);
                text.extend_from_slice(&bytes[position..end]);
            }
            _ => text.push(byte),
        }
        position = end;
    }
    String::from_utf8(text).expect("tokens were copied whole")
}

/// Deeper levels than this share one indent, so that a deep value does not grow by the square of its depth.
const DEEPEST_INDENT: usize = 64;

fn new_line(text: &mut Vec<u8>, depth: usize) {
    text.push(b'\n');
    text.resize(text.len() + 2 * depth.min(DEEPEST_INDENT), b' ');
}

/// Returns the offset behind the string that starts at `position`.
pub(crate) fn after_string(bytes: &[u8], position: usize) -> usize {
    let mut position = position + 1;
    loop {
        position += plain_length(&bytes[position.min(bytes.len())..]);
        match bytes.get(position) {
            Some(b'\\') => position += 2,
            Some(b'"') => return position + 1,
            Some(_) => position += 1,
            None => return bytes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_keep_their_bytes_when_indented() {
        let json = r#"{"a":[1.0e5,{}, [ ]],"b":"x, {\" y"}"#;
        assert_eq!(indented(json), "{\n  \"a\": [\n    1.0e5,\n    {},\n    []\n  ],\n  \"b\": \"x, {\\\" y\"\n}");
    }
}
