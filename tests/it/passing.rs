//! Foreign tokens pass all six commands, in any order, with their bytes.

use proptest::prelude::*;

use crate::support::{COMMANDS, NOW, Place};

/// A key and a value as JSON text, as strange as JSON allows.
fn member() -> impl Strategy<Value = (String, String)> {
    let key = prop_oneof![
        "[a-z]{1,6}".prop_map(|name| format!("\"x-{name}\"")),
        Just("\"error\"".to_owned()),
        Just("\"\\u0065rror\"".to_owned()),
        Just("\"键\"".to_owned()),
        Just("\"\\ud800\"".to_owned()),
        Just("\"a\\\"b\\\\\"".to_owned()),
        Just("\"\"".to_owned()),
    ];
    (key, value())
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("1.0".to_owned()),
        Just("-0".to_owned()),
        Just("1E+400".to_owned()),
        Just("123456789012345678901234567890.10".to_owned()),
        Just("\"\\ud83d\"".to_owned()),
        Just("\"\\ud83d\\ude00 \\/ \\u00e9 中文\"".to_owned()),
        Just("\"a hook's own error: {}[],:\"".to_owned()),
        Just("\"\u{2028}\u{7f}\"".to_owned()),
        "[a-z ]{0,12}".prop_map(|text| format!("\"{text}\"")),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(("[a-c]{1}", inner), 0..4).prop_map(|members| {
                let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// Spreads a document over lines where white space may stand, outside strings.
fn spread(json: &str) -> String {
    let mut text = String::new();
    let (mut in_string, mut escaped) = (false, false);
    for character in json.chars() {
        text.push(character);
        if in_string {
            in_string = escaped || character != '"';
            escaped = character == '\\' && !escaped;
        } else if character == '"' {
            in_string = true;
        } else if matches!(character, '{' | '[' | ',' | ':') {
            text.push_str("\n  ");
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn foreign_members_survive_every_order_of_the_commands(
        members in prop::collection::vec(member(), 0..8),
        order in Just(COMMANDS.to_vec()).prop_shuffle(),
        is_spread in any::<bool>(),
    ) {
        let place = Place::new();
        let members: Vec<String> = members.iter().map(|(key, value)| format!("{key}:{value}")).collect();
        let flat = format!("{{{}}}", members.join(","));
        let mut text = if is_spread { spread(&flat) } else { flat };
        for command in order {
            let ran = place.run(command, &["--now", NOW], &text);
            prop_assert_eq!(ran.status, 0, "{}: {}", command, ran.stderr);
            text = ran.stdout;
        }
        let expected = members.join(",");
        let passed = text.strip_prefix('{').unwrap();
        prop_assert!(passed.starts_with(&expected), "{}\n{}", expected, text);
    }
}
