//! The index in a git hook.

use crate::support::Place;

fn git(place: &Place, arguments: &[&str]) -> crate::support::Ran {
    let mut process = place.command("git");
    let folder = std::path::Path::new(crate::support::program("mem-index")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    process.env("PATH", path).args(["-c", "user.name=n", "-c", "user.email=e@example.org"]).args(arguments);
    crate::support::feed(process, b"")
}

/// A repository with a memory folder in it, and the check as its hook.
fn hooked() -> Option<Place> {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    if git(&place, &["init", "-q"]).status != 0 {
        return None; // There is no git here.
    }
    let hook =
        "#!/bin/sh\nexec mem-index -n --staged --check=drift,size,secrets --format text --memory-dir notes >&2\n";
    place.write("proj/.git/hooks/pre-commit", hook);
    std::fs::set_permissions(place.project().join(".git/hooks/pre-commit"), std::fs::Permissions::from_mode(0o755))
        .unwrap();
    place.write("proj/notes/a.md", "---\nname: a\ndescription: tests need postgres\ntype: user\n---\nx\n");
    place.write("proj/notes/MEMORY.md", "- [a](a.md) — tests need postgres\n");
    Some(place)
}

#[test]
fn a_commit_of_a_broken_index_is_refused_and_told_what_to_type() {
    let Some(place) = hooked() else { return };
    git(&place, &["add", "."]);
    let ran = git(&place, &["commit", "-qm", "good"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    place.write("proj/notes/MEMORY.md", "- [a](a.md) — tests need postgres\n- [Gone](gone.md)\n");
    // What is not staged does not matter; what is named on the command line is in an index of its own.
    assert_eq!(git(&place, &["commit", "-qm", "nothing staged", "--allow-empty"]).status, 0);
    for commit in [&["commit", "-qm", "bad", "notes/MEMORY.md"][..], &["commit", "-qam", "bad"]] {
        let ran = git(&place, commit);
        assert_ne!(ran.status, 0);
        let dir = place.project().join("notes");
        assert!(ran.stderr.contains("gone.md"), "{}", ran.stderr);
        let remedy = format!("mem-index -n --memory-dir {0} --apply && git add {0}", dir.display());
        assert!(ran.stderr.contains(&remedy), "{}", ran.stderr);
    }
    let mended = place.run("mem-index", &["-n", "--memory-dir", "notes", "--apply"], "");
    assert_eq!(mended.status, 0, "{}", mended.stderr);
    place.write("proj/notes/MEMORY.md", "# Notes\n\n- [a](a.md) — tests need postgres\n");
    assert_eq!(git(&place, &["commit", "-qam", "mended"]).status, 0);
}

#[test]
fn a_worktrees_commit_is_checked_and_a_folder_outside_is_a_warning() {
    let Some(place) = hooked() else { return };
    git(&place, &["add", "."]);
    git(&place, &["commit", "-qm", "good"]);
    let tree = place.top().join("tree");
    assert_eq!(git(&place, &["worktree", "add", "-q", &tree.to_string_lossy()]).status, 0);
    place.write("tree/notes/MEMORY.md", "- [Gone](gone.md)\n");
    let ran = git(&place, &["-C", &tree.to_string_lossy(), "commit", "-qam", "bad"]);
    assert!(ran.status != 0 && ran.stderr.contains("gone.md"), "{}", ran.stderr);
    place.write("memory/MEMORY.md", "- [Gone](gone.md)\n");
    let ran = place.run("mem-index", &["-n", "--staged", "--check", "--memory-dir", "../memory"], "");
    assert_eq!((ran.status, ran.document()["problems"][0]["code"].as_str()), (0, Some("not-in-repository")));
}
