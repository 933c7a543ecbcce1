//! Instruction files: rules that load always or never, files that come twice or not at all.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};

use crate::support::Place;

fn load(place: &Place, input: &Value) -> Value {
    place.answer("mem-load", &[], &input.to_string())["load"].clone()
}

/// Returns the states of all files whose path ends with `name`.
fn states(load: &Value, name: &str) -> Vec<String> {
    let files = load["files"].as_array().unwrap().iter();
    files
        .filter(|file| file["path"].as_str().unwrap().ends_with(name))
        .map(|file| file["state"].as_str().unwrap().to_owned())
        .collect()
}

fn active(load: &Value) -> Vec<String> {
    let files = load["files"].as_array().unwrap().iter().filter(|file| file["state"] == "active");
    files.map(|file| file["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn l13_patterns_that_are_no_yaml_are_read_and_said() {
    let place = Place::new();
    for (name, head) in [("a", "paths: **/*.ts"), ("b", "paths: {src,lib}/**/*.ts"), ("c", "paths:\n  - *.css")] {
        place.write(&format!("proj/.claude/rules/{name}.md"), &format!("---\n{head}\n---\n{name}"));
    }
    let document = place.answer("mem-load", &[], "{}");
    for name in ["a.md", "b.md", "c.md"] {
        assert_eq!(states(&document["load"], name), ["waiting"]);
        let said = document["problems"].as_array().unwrap().iter().any(|problem| {
            problem["code"] == "front-matter-repaired"
                && problem["path"].as_str().unwrap().ends_with(name)
                && problem["line"] == 1
        });
        assert!(said, "{name}: {}", document["problems"]);
    }
    let touched = load(&place, &json!({"files": ["src/x.ts"]}));
    assert_eq!((states(&touched, "a.md"), states(&touched, "b.md")), (vec!["active".into()], vec!["active".into()]));
}

#[test]
fn l15_commas_inside_braces_do_not_split() {
    let place = Place::new();
    place.write("proj/.claude/rules/a.md", "---\npaths: \"src/**/*.{ts,tsx}, docs/*.md\"\n---\nA");
    let load = load(&place, &json!({"files": ["src/a/b.tsx"]}));
    assert_eq!(load["files"][0]["globs"].as_array().unwrap().len(), 2);
    assert_eq!(active(&load), ["A"]);
}

#[test]
fn l16_patterns_are_relative_to_the_folder_of_the_rules() {
    let place = Place::new();
    place.write("proj/.claude/rules/a.md", "---\npaths: \"src/**\"\n---\nA").write("proj/pkg/x", "");
    let load = load(&place, &json!({"cwd": place.project().join("pkg"), "files": [place.project().join("src/a.ts")]}));
    assert_eq!(active(&load), ["A"]);
}

#[test]
fn l18_scoped_rules_of_the_user_load() {
    let place = Place::new();
    place.write("home/.claude/rules/go.md", "---\npaths: \"**/*.go\"\n---\nGO");
    assert_eq!(active(&load(&place, &json!({"files": ["cmd/m.go"]}))), ["GO"]);
    assert_eq!(active(&load(&place, &json!({"files": ["cmd/m.rs"]}))), Vec::<String>::new());
}

#[test]
fn l19_a_scoped_rule_waits_and_globs_of_other_tools_are_said() {
    let place = Place::new();
    place.write("proj/.claude/rules/a.md", "---\npaths: \"api/**\"\n---\nA");
    place.write("proj/.claude/rules/b.md", "---\nglobs: \"api/**\"\n---\nB");
    let document = place.answer("mem-load", &[], "{}");
    assert_eq!(active(&document["load"]), ["B"]);
    assert_eq!(states(&document["load"], "a.md"), ["waiting"]);
    assert!(document["load"]["files"][0].get("text").is_none());
    assert_eq!(document["problems"][0]["code"], "globs-not-read");
}

#[test]
fn l24_nothing_is_ignored_in_secret_and_negation_is_honoured() {
    let place = Place::new();
    place.write("proj/.claude/rules/a.md", "---\npaths: \"**/*.ts\"\n---\nA");
    place.write("proj/.claude/rules/b.md", "---\npaths: [\"**/*.ts\", \"!**/*.d.ts\"]\n---\nB");
    assert_eq!(active(&load(&place, &json!({"files": ["node_modules/x/i.ts"]}))), ["A", "B"]);
    assert_eq!(active(&load(&place, &json!({"files": ["x/i.d.ts"]}))), ["A"]);
}

#[test]
fn l27_the_same_file_by_two_names_comes_once() {
    let place = Place::new();
    place.write("home/dotfiles/claude/CLAUDE.md", "U");
    symlink("dotfiles/claude", place.home().join(".claude")).unwrap();
    symlink("claude", place.home().join("dotfiles/.claude")).unwrap();
    let load = load(&place, &json!({"cwd": place.home().join("dotfiles")}));
    assert_eq!(active(&load), ["U"]);
    let skipped = load["files"].as_array().unwrap().iter().filter(|file| file["state"] == "skipped");
    assert!(
        skipped.clone().count() >= 1
            && skipped.into_iter().all(|file| file["reason"].as_str().unwrap().starts_with("the same file"))
    );
}

#[test]
fn l28_the_folder_around_a_bare_repository_counts() {
    let place = Place::new();
    let top = place.top().join("ext/p");
    place.write("ext/p/.bare/HEAD", "ref: refs/heads/main\n").write("ext/p/.git", "gitdir: ./.bare\n");
    place.write("ext/p/CLAUDE.md", "PARENT").write("ext/p/main/CLAUDE.md", "OWN");
    place.write("ext/p/.bare/worktrees/main/commondir", "../..\n");
    place.write("ext/p/.bare/worktrees/main/gitdir", &format!("{}/main/.git\n", top.display()));
    place.write("ext/p/main/.git", &format!("gitdir: {}/.bare/worktrees/main\n", top.display()));
    assert_eq!(active(&load(&place, &json!({"cwd": top.join("main")}))), ["PARENT", "OWN"]);
}

#[test]
fn a_worktree_inside_the_checkout_does_not_load_the_checkouts_own_files_again() {
    let place = Place::new();
    place
        .write("proj/.git/HEAD", "ref: refs/heads/main\n")
        .write("proj/CLAUDE.md", "MAIN")
        .write("proj/CLAUDE.local.md", "LOCAL");
    let tree = place.project().join(".claude/worktrees/w1");
    place.write("proj/.git/worktrees/w1/commondir", "../..\n");
    place.write("proj/.git/worktrees/w1/gitdir", &format!("{}/.git\n", tree.display()));
    place
        .write("proj/.claude/worktrees/w1/.git", &format!("gitdir: {}/.git/worktrees/w1\n", place.project().display()));
    place.write("proj/.claude/worktrees/w1/CLAUDE.md", "TREE");
    symlink("proj", place.top().join("link")).unwrap();
    for cwd in [tree, place.top().join("link/.claude/worktrees/w1")] {
        let document = place.answer("mem-load", &[], &json!({"cwd": cwd}).to_string());
        assert_eq!(active(&document["load"]), ["LOCAL", "TREE"], "{}", cwd.display());
        assert_eq!(codes(&document), Vec::<&str>::new(), "{}", cwd.display());
        assert_eq!(document["load"]["files"][0]["state"], "skipped");
    }
}

#[test]
fn l31_one_bad_entry_drops_no_other() {
    let place = Place::new();
    place.write("proj/.claude/rules/ok.md", "OK").write("proj/.claude/rules/p.md", "P");
    let rules = place.project().join(".claude/rules");
    symlink(&rules, rules.join("x")).unwrap();
    symlink("self.md", rules.join("self.md")).unwrap();
    fs::create_dir(rules.join("d.md")).unwrap();
    fs::set_permissions(rules.join("p.md"), fs::Permissions::from_mode(0o000)).unwrap();
    let made =
        std::process::Command::new("mkfifo").arg(rules.join("fifo.md")).status().is_ok_and(|status| status.success());
    let document = place.answer("mem-load", &[], "{}");
    assert!(active(&document["load"]).contains(&"OK".to_owned()));
    let problems = document["problems"].as_array().unwrap();
    for name in ["rules/x", "self.md"] {
        assert!(
            problems.iter().any(|problem| problem["path"].as_str().unwrap().ends_with(name)),
            "{name}: {problems:?}"
        );
    }
    if made {
        assert_eq!(states(&document["load"], "fifo.md"), ["skipped"]);
    }
}

#[test]
fn l32_crlf_bom_and_odd_names_do_no_harm() {
    let place = Place::new();
    place
        .write("proj/.claude/rules/re\u{300}gle e\u{301}.md", "\u{feff}---\r\npaths: \"**/*.ts\"\r\n---\r\nR\r\nS\r\n");
    let load = load(&place, &json!({"files": ["src/a.ts", "src/a.ts", "./src/a.ts"]}));
    assert_eq!(active(&load), ["R\nS"]);
    assert!(load["files"][0]["path"].as_str().unwrap().ends_with("re\u{300}gle e\u{301}.md"));
}

#[test]
fn files_of_folders_below_come_with_a_touched_file() {
    let place = Place::new();
    place
        .write("proj/CLAUDE.md", "ROOT")
        .write("proj/a/CLAUDE.md", "A")
        .write("proj/a/b/CLAUDE.local.md", "B")
        .write("proj/c/CLAUDE.md", "C");
    assert_eq!(active(&load(&place, &json!({}))), ["ROOT"]);
    let load = load(&place, &json!({"tool_input": {"file_path": place.project().join("a/b/x.rs")}}));
    assert_eq!(active(&load), ["ROOT", "A", "B"]);
    assert_eq!(load["files"][1]["reason"], "nested_traversal");
}

#[test]
fn agents_md_counts_where_there_is_no_claude_md() {
    let place = Place::new();
    place.write("proj/AGENTS.md", "ROOT").write("proj/a/AGENTS.md", "A").write("home/.claude/CLAUDE.md", "USER");
    place.write("proj/.claude/rules/r.md", "RULE");
    let below = json!({"cwd": place.project().join("a")});
    assert_eq!(active(&load(&place, &below)), ["USER", "RULE", "ROOT", "A"]);
    place.write("proj/CLAUDE.local.md", "LOCAL");
    assert_eq!(active(&load(&place, &below)), ["USER", "RULE", "LOCAL"]);
}

#[test]
fn folders_of_rules_that_link_to_each_other_are_listed_once() {
    let place = Place::new();
    let rules = place.project().join(".claude/rules");
    for (from, to) in [("a", "b"), ("b", "a")] {
        place.write(&format!("proj/.claude/rules/{from}/{from}.md"), from);
        for number in 0..4 {
            symlink(format!("../{to}"), rules.join(from).join(number.to_string())).unwrap();
        }
    }
    let mut texts = active(&load(&place, &json!({})));
    texts.sort();
    assert_eq!(texts, ["a", "b"]);
}

#[test]
fn a_head_of_brackets_is_read_at_once() {
    let place = Place::new();
    place.write("proj/.claude/rules/d.md", &format!("---\npaths: {}\n---\nDEEP", "[".repeat(50_000)));
    let document = place.answer("mem-load", &[], "{}");
    assert_eq!(document["problems"][0]["code"], "front-matter-repaired");
}

#[test]
fn a_rule_that_links_out_of_the_project_is_not_loaded() {
    let place = Place::new();
    place
        .write("ext/secret", "SECRET")
        .write("proj/.git/HEAD", "ref: refs/heads/main\n")
        .write("proj/.claude/rules/a.md", "A");
    symlink(place.top().join("ext/secret"), place.project().join(".claude/rules/evil.md")).unwrap();
    let document = place.answer("mem-load", &[], "{}");
    assert_eq!(active(&document["load"]), ["A"]);
    assert_eq!(states(&document["load"], "evil.md"), ["skipped"]);
}

#[test]
fn a_pattern_may_mean_a_whole_path_instead_also_when_the_document_says_so() {
    let place = Place::new();
    place.write("proj/.claude/rules/a.md", "---\npaths: \"*.md\"\n---\nA");
    let input = json!({"files": ["docs/x.md"]});
    assert_eq!(active(&load(&place, &input)), ["A"]);
    let of_option = place.answer("mem-load", &["--glob", "path"], &input.to_string());
    assert_eq!(active(&of_option["load"]), Vec::<String>::new());
    let input = json!({"files": ["docs/x.md"], "options": {"load": {"glob": "path"}}});
    assert_eq!(active(&load(&place, &input)), Vec::<String>::new());
    let of_line = place.answer("mem-load", &["--glob", "gitignore"], &input.to_string());
    assert_eq!(active(&of_line["load"]), ["A"]);
}

#[test]
fn l32_touched_files_of_windows_match_whatever_the_case_of_the_drive() {
    let place = Place::new();
    place.write("proj/.claude/rules/a.md", "---\npaths: \"src/**/*.ts\"\n---\nA").write("proj/src/CLAUDE.md", "SRC");
    for input in [
        json!({"cwd": "C:\\p", "files": ["c:\\P\\src\\a.ts", "C:\\p\\src\\a.ts"]}),
        json!({"project_root": "C:\\p", "tool_input": {"file_path": "c:/P/src/a.ts"}}),
        json!({"files": ["src\\a.ts"]}),
    ] {
        assert_eq!(active(&load(&place, &input)), ["SRC", "A"], "{input}");
    }
}

#[test]
fn hostile_patterns_end_at_once_and_are_said() {
    let place = Place::new();
    let nested = format!("{}{}", "{a,".repeat(10_000), "}".repeat(10_000));
    for (name, paths, code) in [
        ("bomb", "{a,b}".repeat(20), "too-many-alternatives"),
        ("nested", nested, "too-many-alternatives"),
        ("brackets", "[".repeat(10_000), "bad-pattern"),
        ("long", "x/".repeat(500_000), "bad-pattern"),
        ("stars", "*a".repeat(1000), ""),
    ] {
        place.write(&format!("proj/.claude/rules/{name}.md"), &format!("---\npaths: \"{paths}\"\n---\nX"));
        let document = place.answer("mem-load", &[], &json!({"files": ["aaaaaaaaaaaaaaaaaaaaab"]}).to_string());
        let codes: Vec<&str> = document["problems"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|problem| problem["code"].as_str())
            .collect();
        assert!(code.is_empty() || codes.contains(&code), "{name}: {codes:?}");
    }
}

fn codes(document: &Value) -> Vec<&str> {
    document["problems"].as_array().into_iter().flatten().filter_map(|problem| problem["code"].as_str()).collect()
}

#[test]
fn an_agents_md_that_came_by_another_way_is_not_said_to_be_left_out() {
    type Make = fn(&Place);
    let makes: [Make; 4] = [
        |place| {
            place.write("proj/CLAUDE.md", "@AGENTS.md").write("proj/AGENTS.md", "A");
        },
        |place| {
            place.write("proj/CLAUDE.md", "A");
            symlink("CLAUDE.md", place.project().join("AGENTS.md")).unwrap();
        },
        |place| {
            place.write("proj/AGENTS.md", "A");
            symlink("AGENTS.md", place.project().join("CLAUDE.md")).unwrap();
        },
        |place| {
            place.write("proj/.claude/CLAUDE.md", "See @../docs/more.md").write("proj/docs/more.md", "@../AGENTS.md");
            place.write("proj/AGENTS.md", "A");
        },
    ];
    for (number, make) in makes.into_iter().enumerate() {
        let place = Place::new();
        make(&place);
        let document = place.answer("mem-load", &[], "{}");
        assert_eq!(active(&document["load"]).iter().filter(|text| *text == "A").count(), 1, "{number}: {document}");
        assert!(!codes(&document).contains(&"agents-md-not-read"), "{number}: {document}");
    }
    let place = Place::new();
    place.write("proj/CLAUDE.md", "C").write("proj/AGENTS.md", "A");
    assert_eq!(codes(&place.answer("mem-load", &[], "{}")), ["agents-md-not-read"]);
}

/// Makes a repository `bare` with a worktree `ext/p/main`; the folder around both has a `.git` file unless `bare` is it.
fn bare_layout(place: &Place, bare: &str) -> std::path::PathBuf {
    let top = place.top().join("ext/p");
    place.write(&format!("ext/p/{bare}/HEAD"), "ref: refs/heads/main\n");
    place.write(&format!("ext/p/{bare}/config"), "[core]\n\tbare = true\n");
    if bare != ".git" {
        place.write("ext/p/.git", &format!("gitdir: ./{bare}\n"));
    }
    place.write(&format!("ext/p/{bare}/worktrees/main/commondir"), "../..\n");
    place.write(&format!("ext/p/{bare}/worktrees/main/gitdir"), &format!("{}/main/.git\n", top.display()));
    place.write("ext/p/main/.git", &format!("gitdir: {}/{bare}/worktrees/main\n", top.display()));
    place.write("ext/p/CLAUDE.md", "PARENT").write("ext/p/main/CLAUDE.md", "OWN");
    top.join("main")
}

#[test]
fn l28_worktrees_around_a_bare_repository_of_any_name_are_one_project() {
    for bare in [".bare", ".git", "repo.git"] {
        let place = Place::new();
        let cwd = bare_layout(&place, bare);
        symlink("ext", place.top().join("link")).unwrap();
        for cwd in [cwd, place.top().join("link/p/main")] {
            let document = place.answer("mem-load", &[], &json!({"cwd": cwd}).to_string());
            assert_eq!(active(&document["load"]), ["PARENT", "OWN"], "{bare} {}", cwd.display());
            assert_eq!(codes(&document), Vec::<&str>::new(), "{bare} {}", cwd.display());
        }
    }
    let place = Place::new();
    place.write("proj/.git/HEAD", "ref: refs/heads/main\n").write("proj/CLAUDE.md", "OUTER");
    place.write("proj/in/.git/HEAD", "ref: refs/heads/main\n").write("proj/in/CLAUDE.md", "INNER");
    let document = place.answer("mem-load", &[], &json!({"cwd": place.project().join("in")}).to_string());
    assert_eq!(codes(&document), ["nested-projects"]);
}

#[test]
fn l32_lines_that_end_with_a_carriage_return_alone_are_lines() {
    let place = Place::new();
    place.write("proj/.claude/rules/a.md", "\u{feff}---\rpaths: \"src/**\"\r---\rA\r\rB @../../x.md\r");
    place.write("proj/CLAUDE.md", "---\rkey: value\r---\r# C\r\r\r\r```\r@x.md\r```\r").write("proj/x.md", "X");
    let waiting = load(&place, &json!({}));
    assert_eq!(active(&waiting), ["# C\n\n```\n@x.md\n```"]);
    assert_eq!(states(&waiting, "a.md"), ["waiting"]);
    let touched = load(&place, &json!({"files": ["src/x.rs"]}));
    assert_eq!(active(&touched)[1..], ["A\n\nB @../../x.md", "X"]);
}

#[test]
fn l13_keys_and_patterns_in_other_spellings_are_said_or_understood() {
    let place = Place::new();
    place.write("proj/.claude/rules/a.md", "---\npaths: `src/**`\n---\nA");
    place.write("proj/.claude/rules/b.md", &format!("---\npaths: \"{}/src/**\"\n---\nB", place.project().display()));
    place.write("proj/.claude/rules/c.md", "---\nPATHS: src/**\n---\nC");
    let document = place.answer("mem-load", &[], r#"{"files": ["src/a.ts"]}"#);
    assert_eq!(active(&document["load"]), ["C", "A", "B"]);
    assert_eq!(codes(&document), ["front-matter-repaired", "paths-misspelled"]);
    let exact = place.answer("mem-load", &["--profile", "claude-code"], r#"{"files": ["src/a.ts"]}"#);
    assert!(!active(&exact["load"]).contains(&"B".to_owned()));
}

#[test]
fn l32_windows_separators_stand_in_touched_files_and_imports() {
    let place = Place::new();
    place.write("proj/src/CLAUDE.md", "SRC").write("proj/CLAUDE.md", "see @docs\\more.md, please");
    place.write("proj/docs/more.md", "MORE");
    for path in ["src\\sub\\a.ts", "src\\sub/a.ts", ".\\src/a.ts"] {
        assert_eq!(active(&load(&place, &json!({"files": [path]})))[1..], ["MORE", "SRC"], "{path}");
    }
    let notebook = json!({"tool_input": {"notebook_path": place.project().join("src/a.ipynb")}});
    assert_eq!(active(&load(&place, &notebook))[2..], ["SRC"]);
}

#[test]
fn the_table_keeps_the_names_of_files_on_a_page_of_any_width() {
    let place = Place::new();
    let long = "a-folder-of-a-long-name/and-another-one-below-it/with-a-file.md";
    place.write("home/.claude/CLAUDE.md", "USER").write("proj/CLAUDE.md", &format!("@{long}"));
    place.write(&format!("proj/{long}"), "LONG");
    for columns in ["60", "80", "140"] {
        let mut command = place.command(crate::support::program("mem-load"));
        command.args(["-n", "--profile", "all", "--format", "text"]).env("COLUMNS", columns);
        let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let width = columns.parse().unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= width), "{columns}: {text}");
        let rows = text.lines().filter(|line| line.contains("a-file.md")).count();
        for heading in ["layer", "tokens", "opencode"] {
            assert!(text.contains(heading), "{columns}: {text}");
        }
        assert_eq!(text.contains("scope   prio  tokens  share"), width > 76, "{columns}: {text}");
        assert!(rows >= 2 && text.matches("CLAUDE.md").count() >= 4, "{columns}: {text}");
    }
}

#[test]
fn l32_the_configuration_folder_may_be_given_from_here_or_from_the_home_folder() {
    let place = Place::new();
    place
        .write("home/cfg/CLAUDE.md", "CFG")
        .write("home/cfg/rules/r.md", "RULE")
        .write("home/.claude/CLAUDE.md", "USER");
    for folder in ["../home/cfg", "~/cfg"] {
        let mut command = place.command(crate::support::program("mem-load"));
        command.args(["-n", "--now", crate::support::NOW]).env("CLAUDE_CONFIG_DIR", folder);
        let document: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        assert_eq!(active(&document["load"]), ["CFG", "RULE"], "{folder}");
        assert_eq!(document["load"]["files"][0]["path"], json!(place.home().join("cfg/CLAUDE.md")));
    }
}

#[test]
fn settings_that_are_read_otherwise_than_meant_are_said() {
    let place = Place::new();
    place.write("proj/CLAUDE.md", "PROJECT");
    place.write("home/.claude/settings.json", "\u{feff}{\"claudeMdExcludes\": [\"**/CLAUDE.md\"]}");
    assert_eq!(states(&load(&place, &json!({})), "CLAUDE.md"), ["skipped"]);
    place.write("home/.claude/settings.json", r#"{"claudeMdExcludes": "**/CLAUDE.md"}"#);
    let document = place.answer("mem-load", &[], "{}");
    assert_eq!((active(&document["load"]), codes(&document)), (vec!["PROJECT".to_owned()], vec!["bad-pattern"]));
}

#[test]
fn an_added_folder_that_is_not_read_is_told_once_and_listed_whole() {
    let place = Place::new();
    for name in ["CLAUDE.md", ".claude/rules/a.md", ".claude/rules/b.md"] {
        place.write(&format!("ext/lib/{name}"), "X");
    }
    let document = place.answer("mem-load", &["--add-dir", "../ext/lib"], "{}");
    assert_eq!(codes(&document), ["added-folder-not-read"]);
    assert_eq!(states(&document["load"], ".md"), ["skipped"; 3]);
}

#[test]
fn l32_names_may_be_composed_or_taken_apart() {
    let place = Place::new();
    for (name, import) in [("e\u{301}.md", "\u{e9}.md"), ("\u{fc}.md", "u\u{308}.md")] {
        place.write(&format!("proj/docs/{name}"), "MORE").write("proj/CLAUDE.md", &format!("@docs/{import}"));
        assert_eq!(active(&load(&place, &json!({})))[1..], ["MORE"], "{import}");
    }
    place.write("proj/.claude/rules/a.md", "---\npaths: \"caf\u{e9}/**\"\n---\nA");
    assert_eq!(active(&load(&place, &json!({"files": ["cafe\u{301}/x.ts"]})))[2..], ["A"]);
}
