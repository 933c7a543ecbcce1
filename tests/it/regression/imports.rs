//! Imports: what is one, where it leads, in which order it comes, and what is said of those that lead nowhere.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Place;

fn answer(place: &Place, input: &Value) -> Value {
    place.answer("mem-load", &[], &input.to_string())
}

/// Returns the texts of the active files below the place, by path relative to it.
fn active(document: &Value) -> Vec<String> {
    let files = document["load"]["files"].as_array().unwrap().iter().filter(|file| file["state"] == "active");
    files.map(|file| file["text"].as_str().unwrap().to_owned()).collect()
}

/// Returns the code and the last part of each problem's path, with the line.
fn problems(document: &Value) -> Vec<(String, u64)> {
    let problems = document["problems"].as_array().cloned().unwrap_or_default();
    problems
        .iter()
        .map(|problem| (problem["code"].as_str().unwrap().to_owned(), problem["line"].as_u64().unwrap_or_default()))
        .collect()
}

fn file<'a>(document: &'a Value, name: &str) -> &'a Value {
    let mut files = document["load"]["files"].as_array().unwrap().iter();
    files.find(|file| file["path"].as_str().unwrap().ends_with(name)).unwrap_or(&Value::Null)
}

fn said(code: &str, line: u64) -> (String, u64) {
    (code.to_owned(), line)
}

#[test]
fn l01_closing_marks_behind_a_path_are_taken_off() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "Read @docs/a.md, then @docs/b.md: and (@docs/c.md).\n读@docs/d.md，再说。");
    for name in ["a", "b", "c", "d"] {
        place.write(&format!("proj/docs/{name}.md"), &name.to_uppercase().repeat(3));
    }
    let document = answer(&place, &json!({}));
    assert_eq!(active(&document)[1..], ["AAA", "BBB", "CCC", "DDD"]);
    assert_eq!(document["load"]["files"].as_array().unwrap().len(), 5);
    assert_eq!(problems(&document), []);
    let import = file(&document, "docs/b.md");
    assert_eq!(
        (&import["kind"], &import["depth"], &import["reason"]),
        (&json!("import"), &json!(1), &json!("include"))
    );
    assert_eq!(import["parent"], json!(place.project().join("CLAUDE.md")));
}

#[test]
fn l02_a_file_above_the_session_imports_its_neighbour() {
    let place = Place::new();
    place.write("proj/.git/HEAD", "ref: refs/heads/main\n").write("proj/CLAUDE.md", "@shared/style.md");
    place.write("proj/shared/style.md", "STYLE").write("proj/pkg/web/x", "");
    let below = json!({"cwd": place.project().join("pkg/web")});
    assert_eq!(active(&answer(&place, &below)), ["@shared/style.md", "STYLE"]);
    std::fs::remove_dir_all(place.project().join(".git")).unwrap();
    assert_eq!(active(&answer(&place, &below)), ["@shared/style.md", "STYLE"]);
}

#[test]
fn l03_each_hop_is_relative_to_the_file_in_which_it_stands() {
    let place = Place::new();
    place
        .write("proj/CLAUDE.md", "@a/one.md")
        .write("proj/a/one.md", "@two.md @a/two.md")
        .write("proj/a/two.md", "TWO");
    let document = answer(&place, &json!({}));
    assert_eq!(active(&document), ["@a/one.md", "@two.md @a/two.md", "TWO"]);
    assert_eq!(file(&document, "a/two.md")["parent"], json!(place.project().join("a/one.md")));
    assert_eq!(file(&document, "a/a/two.md")["state"], "skipped");
    assert_eq!(problems(&document), [said("import-missing", 1)]);
}

#[test]
fn l04_blanks_in_paths_are_escaped() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "@docs/team\\ rules.md\n@\"docs/team rules.md\"\n@docs/team rules.md");
    place.write("proj/docs/team rules.md", "T");
    let document = answer(&place, &json!({}));
    assert_eq!(active(&document)[1..], ["T"]);
    assert_eq!(problems(&document), [said("import-missing", 3)]);
    assert!(document["problems"][0]["message"].as_str().unwrap().contains("docs/team"));
}

#[test]
fn l05_nothing_is_imported_in_code() {
    let place = Place::new();
    let text = "```ts\n@Injectable()\n@x.md\n```\n\n~~~\n@x.md\n~~~\n\n- a\n\n  ```\n  @x.md\n  ```\n\n`@x.md` ``a ` @x.md``\n\n    @x.md\n\nnpx -y @scope/pkg and @Component, ask @team";
    place.write("proj/CLAUDE.md", text).write("proj/x.md", "X");
    let ran = place.run("mem-load", &[], "{}");
    assert_eq!((active(&ran.document()).len(), ran.stderr.as_str()), (1, ""));
    assert_eq!(problems(&ran.document()), [said("import-not-found", 20)]);
}

#[test]
fn l07_mail_addresses_are_no_imports() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "Ask ada@notes.md or (all @example.org).").write("proj/notes.md", "N");
    let document = answer(&place, &json!({}));
    assert_eq!(active(&document).len(), 1);
    assert_eq!(problems(&document), []);
}

#[test]
fn l08_imports_in_html_are_followed_and_said() {
    let place = Place::new();
    place
        .write("proj/CLAUDE.md", "<context>\n@a.md\n</context>\n\n@b.md")
        .write("proj/a.md", "A")
        .write("proj/b.md", "B");
    let document = answer(&place, &json!({}));
    assert_eq!(active(&document)[1..], ["A", "B"]);
    assert_eq!(problems(&document), [said("import-in-html", 2)]);
    let exact = place.answer("mem-load", &["--profile", "claude-code"], "{}");
    assert_eq!(active(&exact)[1..], ["B"]);
    assert_eq!(file(&exact, "a.md")["reason"], "html-block");
}

#[test]
fn l10_users_may_import_from_anywhere_and_projects_only_when_allowed() {
    let place = Place::new();
    let outside = place.top().join("ext/org.md");
    place.write("ext/org.md", "ORG").write("home/.claude/CLAUDE.md", &format!("@{}", outside.display()));
    assert_eq!(active(&answer(&place, &json!({})))[1..], ["ORG"]);
    std::fs::remove_file(place.home().join(".claude/CLAUDE.md")).unwrap();
    place.write("proj/CLAUDE.md", &format!("@{}", outside.display()));
    std::os::unix::fs::symlink(&outside, place.project().join("link.md")).unwrap();
    place.write("proj/CLAUDE.local.md", "@link.md @../ext/org.md");
    let document = answer(&place, &json!({"options": {"load": {"allow_external": true}}}));
    assert_eq!(active(&document).len(), 2);
    assert_eq!(file(&document, "org.md")["reason"], "external");
    assert_eq!(file(&document, "link.md")["reason"], "external");
    let codes: Vec<String> = problems(&document).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes.iter().filter(|code| *code == "import-external").count(), 2);
    assert!(codes.contains(&"refused-option".to_owned()));
    let allowed = place.answer("mem-load", &["--allow-external"], "{}");
    assert!(active(&allowed).contains(&"ORG".to_owned()));
}

#[test]
fn l12_many_imports_circles_and_diamonds_end_with_each_file_once() {
    let place = Place::new();
    let more: String = (0..60).map(|number| format!("\n@m{number}.md")).collect();
    place.write("proj/CLAUDE.md", &format!("@a.md @b.md{more}"));
    place.write("proj/a.md", "@c.md @CLAUDE.md").write("proj/b.md", "@c.md").write("proj/c.md", "@c.md C");
    for number in 0..60 {
        place.write(&format!("proj/m{number}.md"), "one line");
    }
    let start = Instant::now();
    let document = answer(&place, &json!({}));
    assert!(start.elapsed() < Duration::from_secs(5));
    let texts = active(&document);
    assert_eq!(texts.len(), 64);
    assert_eq!(texts[1..4], ["@c.md @CLAUDE.md", "@c.md C", "@c.md"]);
    let codes: Vec<String> = problems(&document).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["import-cycle", "import-cycle", "import-again"]);
}

#[test]
fn the_hops_have_an_end_that_is_said() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "@d1.md");
    for depth in 1..8 {
        place.write(&format!("proj/d{depth}.md"), &format!("D{depth} @d{}.md", depth + 1));
    }
    let document = answer(&place, &json!({}));
    assert_eq!(active(&document).len(), 6);
    assert_eq!(file(&document, "d5.md")["depth"], 5);
    assert_eq!(file(&document, "d6.md")["state"], "skipped");
    assert_eq!(problems(&document), [said("import-too-deep", 1)]);
}

#[test]
fn folders_binaries_and_keys_are_refused_with_a_reason() {
    let place = Place::new();
    place
        .write("proj/CLAUDE.md", "@docs/ @logo.png @.env @Makefile @docs/x.mdx\n@gone.md")
        .write("proj/docs/x.mdx", "MDX");
    place.write("proj/logo.png", "\u{0}PNG").write("proj/.env", "TOKEN=1").write("proj/Makefile", "all:");
    let document = answer(&place, &json!({}));
    assert_eq!(active(&document)[1..], ["all:", "MDX"]);
    let codes = ["import-folder", "import-not-text", "import-secret", "import-missing"];
    assert_eq!(problems(&document).iter().map(|(code, _)| code.as_str()).collect::<Vec<_>>(), codes);
    assert_eq!(file(&document, ".env")["bytes"], 7);
    assert!(!document.to_string().contains("TOKEN"));
}

#[test]
fn imports_of_a_rule_wait_with_it_and_come_behind_it() {
    let place = Place::new();
    place.write("proj/.claude/rules/a.md", "---\npaths: \"*.ts\"\n---\nR\n@../../inc.md").write("proj/inc.md", "INC");
    let waiting = answer(&place, &json!({}));
    assert_eq!((active(&waiting).len(), &file(&waiting, "inc.md")["state"]), (0, &json!("waiting")));
    let touched = answer(&place, &json!({"files": ["x.ts"]}));
    assert_eq!(active(&touched), ["R\n@../../inc.md", "INC"]);
    place.write("proj/CLAUDE.md", "@inc.md");
    let both = answer(&place, &json!({"files": ["x.ts"]}));
    assert_eq!(active(&both), ["@inc.md", "INC", "R\n@../../inc.md"]);
}

#[test]
fn comments_go_and_code_keeps_them() {
    let place = Place::new();
    place.write(
        "proj/CLAUDE.md",
        "---\na: b\n---\n<!-- note\n@n.md -->\n\n# T\n\n\n\n```\n<!-- c -->\n\n\n```\n\n<!-- open\n@n.md\n",
    );
    place.write("proj/n.md", "N").write("proj/.claude/rules/c.md", "<!-- only -->\n");
    let document = answer(&place, &json!({}));
    assert_eq!(active(&document)[0], "# T\n\n```\n<!-- c -->\n\n\n```\n\n<!-- open\n@n.md");
    assert_eq!(file(&document, "c.md")["reason"], "empty");
}

#[test]
fn l08_comments_and_code_within_html_import_nothing() {
    let place = Place::new();
    place.write("proj/d.md", "D").write("proj/e.md", "E");
    for text in [
        "<div>\nx\n</div>\n<!-- @d.md -->\n\n@e.md",
        "<div>\nx\n</div><!-- @d.md -->\n\n@e.md",
        "<details>\n<!--\n@d.md\n-->\n</details>\n\n@e.md",
        "- <div>\n  <!-- @d.md -->\n  </div>\n\n@e.md",
        "<pre>\n@d.md\n</pre>\n\n@e.md",
        "<p><code>@d.md</code></p>\n\n@e.md",
        "x <!-- @d.md --> y\n\n@e.md",
    ] {
        place.write("proj/CLAUDE.md", text);
        let document = answer(&place, &json!({}));
        assert_eq!((&active(&document)[1..], problems(&document)), (&["E".to_owned()][..], vec![]), "{text}");
    }
}

#[test]
fn l12_a_circle_is_told_with_its_files() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "@a.md").write("proj/a.md", "@docs/b.md").write("proj/docs/b.md", "@c.md");
    place.write("proj/docs/c.md", "see @../a.md");
    let document = answer(&place, &json!({}));
    assert_eq!(problems(&document), [said("import-cycle", 1)]);
    let project = place.project().display().to_string();
    let circle = format!("{project}/a.md → {project}/docs/b.md → {project}/docs/c.md → {project}/a.md");
    assert!(document["problems"][0]["message"].as_str().unwrap().contains(&circle), "{}", document["problems"]);
}

#[test]
fn l31_an_import_that_links_nowhere_or_in_a_circle_is_told() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "@loop and @gone and @ok.md").write("proj/ok.md", "OK");
    std::os::unix::fs::symlink("loop", place.project().join("loop")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.project().join("gone")).unwrap();
    let document = answer(&place, &json!({}));
    assert_eq!(active(&document)[1..], ["OK"]);
    assert_eq!(file(&document, "loop")["state"], "skipped");
    assert_eq!(file(&document, "gone")["reason"], "no such file");
    assert_eq!(document["problems"].as_array().unwrap().len(), 2);
}
