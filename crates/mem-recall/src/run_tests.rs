//! From a document and a folder to the answer.

#![allow(clippy::unwrap_used)]

use super::*;
use mem_store::{Environment, Moment};

struct Place {
    top: tempfile::TempDir,
}

impl Place {
    fn new(memories: &[(&str, &str)]) -> Self {
        let top = tempfile::tempdir().unwrap();
        for (path, text) in memories {
            std::fs::create_dir_all(top.path().join("memory")).unwrap();
            std::fs::write(top.path().join("memory").join(path), text).unwrap();
        }
        Self { top }
    }

    fn run(&self, args: &Args, members: &str) -> Answer<Recall> {
        let dir = self.top.path().join("memory");
        let line = format!(r#"{{"memory_dir":"{}","prompt_id":"p9",{members}}}"#, dir.display());
        let environment = Environment { started_in: self.top.path().into(), ..Environment::default() };
        let world = World::new(environment, Moment::parse("2026-11-30T12:00:00Z").unwrap());
        run(args, &Document::parse(&line).unwrap(), &world).unwrap()
    }

    fn recall(&self, args: &Args, members: &str) -> Recall {
        self.run(args, members).layer
    }
}

fn paths(recall: &Recall) -> Vec<&str> {
    recall.memories.iter().map(|memory| memory.path.as_str()).collect()
}

fn why_not(recall: &Recall, path: &str) -> String {
    recall.passed_over.iter().find(|passed| passed.path == path).map(|passed| passed.why.clone()).unwrap_or_default()
}

const DEPLOY: &str = "---\nname: deploy\ndescription: deploy with the blue script\ntype: feedback\n---\n";

#[test]
fn a_text_is_cut_at_the_limits_and_says_so() {
    let long_line = format!("{DEPLOY}{}", "部署".repeat(4000));
    let many_lines = format!("{DEPLOY}{}", "a\n".repeat(500));
    let place = Place::new(&[("long.md", &long_line), ("many.md", &many_lines)]);
    let recall = place.recall(&Args::default(), r#""prompt":"how do we deploy with the script?""#);
    let of = |path: &str| recall.memories.iter().find(|memory| memory.path == path).unwrap();
    assert!(of("long.md").text.len() <= 4096 && of("long.md").text.len() > 4000);
    assert_eq!(of("long.md").truncated_by.as_deref(), Some("bytes"));
    assert_eq!(of("many.md").text.lines().count(), 200);
    assert_eq!(of("many.md").truncated_by.as_deref(), Some("lines"));
    assert!(of("many.md").note.as_deref().unwrap().contains("many.md"));
}

#[test]
fn five_files_a_turn_and_the_rest_is_named() {
    let files: Vec<String> = (0..8).map(|number| format!("m{number}.md")).collect();
    let memories: Vec<(&str, &str)> = files.iter().map(|file| (file.as_str(), DEPLOY)).collect();
    let recall = Place::new(&memories).recall(&Args::default(), r#""prompt":"deploy with the script""#);
    assert_eq!(paths(&recall), ["m0.md", "m1.md", "m2.md", "m3.md", "m4.md"]);
    assert_eq!(why_not(&recall, "m7.md"), "the list was full: --max-files 5");
}

#[test]
fn the_bytes_of_a_session_are_never_exceeded() {
    let text = format!("{DEPLOY}{}", "a line of words\n".repeat(100));
    let place = Place::new(&[("a.md", &text)]);
    let session = |bytes: u64| {
        format!(
            r#""prompt":"deploy script","session":{{"recall":{{"shown":[{{"path":"x.md","bytes":{bytes},"turn":"p1"}}]}}}}"#
        )
    };
    let fits = place.recall(&Args::default(), &session(59_000));
    assert_eq!((fits.state.as_str(), fits.memories.len()), ("selected", 1));
    assert!(fits.budget.used_session_bytes <= 61_440);
    let answer = place.run(&Args::default(), &session(61_000));
    assert_eq!(answer.layer.state, "budget-exhausted");
    assert_eq!(answer.problems.into_entries()[0].code, "session-budget-exhausted");
}

#[test]
fn secrets_are_masked_before_the_text_is_cut() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let text = format!("{DEPLOY}deploy {token}\npassword: hunter2\n");
    let recall = Place::new(&[("a.md", &text)]).recall(&Args::default(), r#""prompt":"deploy script""#);
    assert!(!recall.memories[0].text.contains("a1B2") && !recall.memories[0].text.contains("hunter2"));
}

#[test]
fn the_best_passage_is_given_although_it_lies_behind_the_limit() {
    let filler = "Partner sends orders in batches at night.\n".repeat(200);
    let text =
        format!("---\nname: a\ndescription: webhooks\n---\n# Start\n\n{filler}\nDana rotates the webhook secret.\n");
    let recall =
        Place::new(&[("a.md", &text)]).recall(&Args::default(), r#""prompt":"who rotates the webhook secret?""#);
    let text = &recall.memories[0].text;
    assert!(text.starts_with("# Start") && text.contains("[…]") && text.contains("Dana rotates"), "{text}");
    assert!(text.len() <= 4096);
}

#[test]
fn what_is_over_or_not_wanted_is_left_out_with_a_reason() {
    let place = Place::new(&[
        ("a.md", &DEPLOY.replace("type: feedback", "superseded_by: b.md")),
        ("b.md", &DEPLOY.replace("type: feedback", "expires: 2026-11-29")),
        ("c.md", &DEPLOY.replace("type: feedback", "expires: 2026-11-30")),
        ("d.md", DEPLOY),
        ("sub.md", DEPLOY),
    ]);
    let args = Args { exclude: vec!["s*.md".into()], ..Args::default() };
    let recall = place.recall(&args, r#""prompt":"deploy script""#);
    assert_eq!(paths(&recall), ["d.md", "c.md"]);
    assert_eq!(why_not(&recall, "a.md"), "superseded by b.md");
    assert_eq!(why_not(&recall, "b.md"), "expired on 2026-11-29");
    assert_eq!(why_not(&recall, "sub.md"), "excluded by --exclude");
    let all = place.recall(&Args { with_superseded: true, ..Args::default() }, r#""prompt":"deploy script""#);
    assert_eq!(all.memories.len(), 5);
    let typed = place.recall(&Args { types: vec!["Feedback".into()], ..args }, r#""prompt":"deploy script""#);
    assert_eq!(paths(&typed), ["d.md"]);
}

#[test]
fn a_pattern_that_is_none_fails_the_document() {
    let world = World::new(Environment::default(), Moment::parse("2026-11-30T12:00:00Z").unwrap());
    let args = Args { exclude: vec!["a[".into()], ..Args::default() };
    let document = Document::parse(r#"{"memory_dir":"/nowhere","prompt":"deploy"}"#).unwrap();
    assert_eq!(run(&args, &document, &world).err().map(|failure| failure.code).as_deref(), Some("bad-value"));
}

#[test]
fn of_a_tool_used_lately_the_how_to_is_passed_over_and_the_warning_stays() {
    let place = Place::new(&[
        (
            "linear_howto.md",
            "---\nname: linear usage\ndescription: How to create issues with the Linear server\ntype: reference\n---\n",
        ),
        (
            "linear_trap.md",
            "---\nname: linear trap\ndescription: Linear issues lose their labels, a known gotcha\ntype: reference\n---\n",
        ),
    ]);
    for used in [
        r#""recent_tools":["Bash","mcp__linear__create_issue"]"#,
        r#""messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"mcp__linear__create_issue","input":{}}]}]"#,
    ] {
        let recall = place.recall(&Args::default(), &format!(r#""prompt":"create Linear issues",{used}"#));
        assert_eq!(paths(&recall), ["linear_trap.md"], "{used}");
        assert_eq!(why_not(&recall, "linear_howto.md"), "a how-to of linear, which was used lately");
    }
    assert_eq!(place.recall(&Args::default(), r#""prompt":"create Linear issues""#).memories.len(), 2);
}

#[test]
fn why_not_names_the_floor_the_cut_and_what_was_before_it() {
    let place = Place::new(&[
        (
            "best.md",
            "---\nname: deploy script\ndescription: deploy with the blue script\ntriggers: [deploy script]\n---\ndeploy script\n",
        ),
        ("weak.md", "---\nname: kitchen\ndescription: the coffee machine has a script of its own\n---\n"),
        ("old.md", &DEPLOY.replace("type: feedback", "superseded_by: best.md")),
        ("none.md", "---\nname: lunch\ndescription: noodles at noon\n---\n"),
    ]);
    let why = ["best", "weak.md", "OLD.md", "none", "gone.md"].map(str::to_owned).to_vec();
    let args = Args { why, ..Args::default() };
    let recall = place.recall(&args, r#""prompt":"how do we deploy with the blue script?""#);
    let told: Vec<(&str, &str)> =
        recall.why.iter().map(|about| (about.path.as_str(), about.outcome.as_str())).collect();
    assert_eq!(
        told,
        [
            ("best.md", "chosen"),
            ("weak.md", "passed-over"),
            ("old.md", "not-ranked"),
            ("none.md", "passed-over"),
            ("gone.md", "not-found")
        ]
    );
    let weak = &recall.why[1];
    assert!(weak.score.unwrap() > 0.0 && weak.least_score.unwrap() > weak.score.unwrap(), "{weak:?}");
    assert!(weak.share.is_some() && weak.least_share.is_some());
    assert_eq!((weak.words[0].word.as_str(), weak.behind[0].path.as_str()), ("script", "best.md"));
    assert_eq!(recall.why[2].reason, "superseded by best.md");
    assert_eq!(recall.why[3].reason, "shares no word with the prompt");
    let skipped = place.recall(&args, r#""prompt":"ok""#);
    assert_eq!((skipped.why.len(), skipped.why[0].reason.as_str()), (5, "the prompt names nothing to look for"));
}

#[test]
fn choices_are_recorded_when_asked_and_only_then() {
    let place = Place::new(&[("a.md", DEPLOY), ("b.md", "---\nname: b\ndescription: lunch\n---\n")]);
    let record = place.top.path().join("memory/.mem/access.jsonl");
    place.recall(&Args::default(), r#""prompt":"deploy script""#);
    assert!(!record.exists());
    let args = Args { record: true, ..Args::default() };
    place.recall(&args, r#""prompt":"deploy script""#);
    let text = std::fs::read_to_string(&record).unwrap();
    assert_eq!(text, "{\"path\":\"a.md\",\"count\":1,\"last\":\"2026-11-30T12:00:00+00:00\"}\n");
    place.recall(&args, r#""prompt":"ok""#);
    assert_eq!(std::fs::read_to_string(&record).unwrap(), text);
    std::fs::remove_file(&record).unwrap();
    std::fs::create_dir(&record).unwrap();
    let answer = place.run(&args, r#""prompt":"deploy script""#);
    assert!(answer.is_undone);
    assert_eq!(answer.problems.into_entries()[0].code, "use-not-recorded");
}
