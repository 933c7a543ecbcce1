//! `mem-report`: one page that loads nothing, opened in a real browser where there is one.

use std::path::Path;
use std::process::Command;

use crate::support::{NOW, Place, Ran, checkout, feed, program, ran};

fn report(place: &Place, arguments: &[&str]) -> Ran {
    let mut process = place.command("sh");
    process.env("MEM_BIN", Path::new(program("mem-load")).parent().unwrap()).env("MEM_NOW", NOW);
    process.arg(checkout().join("bin/mem-report")).args(arguments);
    feed(process, b"")
}

/// A folder in which something stands in every section, and a text that would like to be a part of the page.
fn folder() -> Place {
    let place = Place::new();
    place
        .write("proj/CLAUDE.md", "# Rules\n\nUse pnpm.\n")
        .write("memory/MEMORY.md", "- [Database](db.md) — tests use a real postgres\n- [Gone](gone.md) — no more\n")
        .write(
            "memory/db.md",
            "---\nname: test database\ndescription: tests use a real postgres database </script><script>document.title='taken'</script>\n\
             type: feedback\nmodified: 2026-06-01\n---\nPostgres.\n",
        )
        .write(
            "memory/launch.md",
            "---\nname: launch\ndescription: the launch of the shop\ntype: project\nexpires: 2026-03-01\n---\nLaunch on 2026-03-01.\n",
        );
    place
}

#[test]
fn the_page_stands_alone_and_holds_the_document_of_the_six_commands() {
    let place = folder();
    let memory = place.memory().to_string_lossy().into_owned();
    let ran = report(&place, &["--memory-dir", &memory, "which database do our tests use?"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("<!doctype html>") && ran.stdout.trim_end().ends_with("</html>"));
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        let page = ran.stdout.replace("http://www.w3.org/2000/svg", "");
        assert!(!page.contains(outside), "{outside}");
    }
    let data = ran.stdout.split("id=\"document\">").nth(1).unwrap().split("</script>").next().unwrap();
    let document: serde_json::Value = serde_json::from_str(data).unwrap();
    for key in ["load", "index", "recall", "extract", "compact", "age"] {
        assert!(document[key].is_object(), "{key}");
    }
    assert_eq!(document["recall"]["memories"][0]["path"], "db.md");
    let again = report(&place, &["--memory-dir", &memory, "which database do our tests use?"]);
    assert_eq!(again.stdout, ran.stdout, "same folder, same bytes");
}

#[test]
fn a_wrong_call_says_how_it_is_called() {
    let place = Place::new();
    for arguments in [&["--no-such"][..], &["-C"]] {
        let ran = report(&place, arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.stderr.starts_with("usage:"), "{}", ran.stderr);
    }
}

fn browser() -> Option<&'static str> {
    let runs = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(runs)
}

/// Opens a page and returns what the browser made of it, and what it said.
fn open(browser: &str, place: &Place, html: &str) -> Ran {
    place.write("report.html", html);
    let output = Command::new(browser)
        .env("HOME", place.home())
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", place.top().join("browser").display()))
        .arg(format!("file://{}", place.top().join("report.html").display()))
        .output()
        .unwrap();
    ran(&output)
}

#[test]
fn a_browser_draws_it_without_an_error() {
    let Some(browser) = browser() else {
        return;
    };
    let place = folder();
    let memory = place.memory().to_string_lossy().into_owned();
    let empty = Place::new();
    let full = report(&place, &["--memory-dir", &memory, "which database do our tests use?"]);
    for (html, words) in [
        (full.stdout, ["What would be recalled", "db.md", "launch.md", "<svg", "<circle"].as_slice()),
        (report(&empty, &[]).stdout, &["No instruction file was found", "None yet"]),
    ] {
        let opened = open(browser, &place, &html);
        assert!(!opened.stderr.contains("CONSOLE"), "{}", opened.stderr);
        assert!(!opened.stdout.contains("<title>taken"), "a memory's text became a part of the page");
        let drawn = opened.stdout.split("<main").nth(1).unwrap().split("</main>").next().unwrap();
        for word in words {
            assert!(drawn.contains(word), "{word} is missing in\n{drawn}");
        }
    }
}
