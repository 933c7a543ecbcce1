//! Strict copies of what goes over the wire: a member that is renamed, added or lost fails here.

use serde_json::{Value, json};

use crate::support::{COMMANDS, NOW, Place};

/// Members of each layer; a `?` ends the name of one that may be missing.
const LAYERS: [(&str, &[&str]); 6] = [
    ("load", &["root", "version", "files", "tokens", "layers", "window", "profiles?", "why?"]),
    (
        "index",
        &[
            "dir",
            "state",
            "native",
            "text",
            "lines",
            "bytes",
            "characters",
            "truncated_by",
            "lost",
            "memories",
            "beyond?",
            "logs?",
            "candidates?",
            "check?",
            "proposed?",
        ],
    ),
    ("extract", &["state", "reason?", "operations", "session_rules", "refused", "needs", "cursor?", "usage?"]),
    ("recall", &["selector", "state", "reason?", "fallback?", "memories", "passed_over", "budget", "usage?", "why?"]),
    (
        "compact",
        &[
            "state",
            "trigger?",
            "reason?",
            "tokens_before",
            "tokens_after",
            "context_tokens",
            "threshold",
            "budget?",
            "window",
            "blocks",
            "summaries",
            "writer?",
            "usage?",
            "restored",
            "plan?",
            "reloaded?",
            "until_touched",
            "skills",
            "skill_bodies?",
            "dropped",
            "loss?",
            "pins",
            "given_back?",
            "originals?",
            "expanded?",
            "snapshot?",
            "epoch",
        ],
    ),
    ("age", &["index_age_days", "memories", "actions", "done?", "unreached?", "history?", "usage?"]),
];

/// Members of the items of their lists.
const ITEMS: &[(&str, &[&str])] = &[
    (
        "/load/files",
        &[
            "path",
            "layer",
            "scope",
            "priority",
            "kind",
            "state",
            "reason",
            "native?",
            "parent?",
            "depth?",
            "globs?",
            "matched_by?",
            "bytes",
            "tokens",
            "share",
            "sha256",
            "sections?",
            "text?",
        ],
    ),
    ("/load/files/0/sections", &["heading", "class"]),
    ("/load/layers", &["layer", "files", "tokens", "share", "budget?"]),
    (
        "/index/memories",
        &[
            "path",
            "dir?",
            "name",
            "description",
            "type?",
            "modified?",
            "modified_source",
            "age_days?",
            "bytes",
            "triggers?",
            "superseded_by?",
            "is_listed",
        ],
    ),
    ("/index/lost", &["line", "path?", "text"]),
    ("/index/beyond", &["path", "dir?", "bytes"]),
    ("/index/proposed/changes", &["action", "code", "message", "line?", "path?", "from?", "to?"]),
    (
        "/recall/memories",
        &["path", "dir?", "name", "type?", "score", "why", "age_days?", "note?", "cites?", "text", "truncated_by?"],
    ),
    ("/recall/passed_over", &["path", "why"]),
    (
        "/recall/why",
        &["path", "outcome", "reason", "score?", "least_score?", "share?", "least_share?", "words?", "behind?"],
    ),
    ("/recall/why/0/behind", &["path", "score"]),
    (
        "/extract/operations",
        &[
            "op",
            "path?",
            "target?",
            "type",
            "name",
            "description",
            "body",
            "why",
            "sources",
            "sha256?",
            "was?",
            "triggers?",
            "reinforces?",
            "superseded_by?",
            "outcome?",
        ],
    ),
    ("/compact/summaries", &["id", "level", "text", "covers", "entries?"]),
    ("/compact/blocks", &["first", "messages", "tokens", "state", "turns", "folded", "summary?"]),
    ("/compact/restored", &["path", "tokens", "state", "text?", "reason?"]),
    ("/compact/window", &["holder", "before", "after"]),
    (
        "/age/memories",
        &["path", "state", "of?", "age_days", "modified_source", "note?", "findings", "strength", "terms?", "cites?"],
    ),
    ("/age/memories/0/terms/parts", &["what", "count", "days", "value"]),
    ("/age/memories/0/cites", &["kind", "what", "verdict", "moved_to?"]),
    ("/age/actions", &["action", "path", "into?", "reason", "sha256", "body?", "outcome?"]),
    ("/problems", &["command", "code", "severity", "message", "path?", "line?", "hint?"]),
];

fn check_members(value: &Value, members: &[&str], what: &str) {
    let found: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    for member in members.iter().filter(|member| !member.ends_with('?')) {
        assert!(found.contains(member), "{what} lacks {member}: {value}");
    }
    for name in found {
        assert!(
            members.iter().any(|member| member.trim_end_matches('?') == name),
            "{what} has {name}, which nobody knows"
        );
    }
}

/// A document in which every layer has something to say.
fn rich(place: &Place) -> Value {
    place.write("proj/lib/x.go", "package lib");
    place.write("proj/CLAUDE.md", "Use pnpm.").write("proj/.claude/rules/a.md", "---\npaths: \"*.ts\"\n---\nR");
    place.write("proj/.claude/rules/b.md", "---\npaths: **/*.rs\n---\nR");
    let index: String = (0..250).map(|number| format!("- [M{number}](m{number}.md) — x\n")).collect();
    place.write("memory/MEMORY.md", &index);
    for number in 0..4 {
        place.write(
            &format!("memory/m{number}.md"),
            &format!("---\nname: m{number}\ndescription: the tests of part {number} use postgres\ntype: feedback\nmodified: 2026-01-0{}\n---\nUse `src/none{number}.rs` with postgres in tests.\n", number + 1),
        );
    }
    place.write(
        "memory/old.md",
        "---\nname: old\ndescription: the tests use postgres\nsuperseded_by: m1.md\n---\nOld postgres tests.\n",
    );
    let mut messages = Vec::new();
    for number in 0..40 {
        let said = if number == 0 {
            "Remember: never deploy on Fridays.".to_owned()
        } else {
            format!("Please look at file {number}.")
        };
        messages.push(json!({"role": "user", "uuid": format!("u{number}"), "content": said}));
        messages
            .push(json!({"role": "assistant", "uuid": format!("a{number}"), "content": "I looked at it. ".repeat(40)}));
    }
    messages.push(json!({"role": "user", "uuid": "last", "content": "which database do the tests use?"}));
    json!({
        "cwd": place.project(), "memory_dir": place.memory(), "prompt": "which database do the tests use?", "now": NOW,
        "messages": messages, "budget": 2500, "trigger": "manual", "files": ["lib/x.go"],
    })
}

#[test]
fn every_member_on_the_wire_is_known() {
    let place = Place::new();
    let mut line = rich(&place).to_string();
    for command in COMMANDS {
        let options: &[&str] = match command {
            "mem-index" => &["--diff", "--max-files", "4"],
            "mem-recall" => &["--why", "m3", "--max-files", "3"],
            _ => &[],
        };
        let ran = place.run(command, options, &line);
        assert_eq!(ran.status, 0, "{command}: {}", ran.stderr);
        line = ran.stdout;
    }
    let document: Value = serde_json::from_str(&line).unwrap();
    for (key, members) in LAYERS {
        check_members(&document[key], members, key);
    }
    for (pointer, members) in ITEMS {
        let items = document.pointer(pointer).and_then(Value::as_array).unwrap();
        assert!(!items.is_empty(), "{pointer} is empty, so nothing is checked");
        items.iter().for_each(|item| check_members(item, members, pointer));
    }
}

#[test]
fn the_schema_names_every_member() {
    let place = Place::new();
    let schema = place.run("mem-load", &["--schema"], "").document();
    for (key, members) in LAYERS {
        let properties = &schema["properties"][key]["properties"];
        for member in members {
            assert!(properties[member.trim_end_matches('?')].is_object(), "the schema lacks {key}.{member}");
        }
    }
}
