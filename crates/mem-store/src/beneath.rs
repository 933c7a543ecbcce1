//! Reads files of a project whose paths come from elsewhere: from a conversation, from a model.

use std::path::Path;

use crate::open;

/// Returns the text of a file beneath `root`, of at most `limit` bytes.
///
/// # Errors
/// In words, when it is no such file: outside the root by its own path or by a link, a file of keys and passwords, no
/// text, or too long.
pub fn text(root: &Path, path: &Path, limit: u64) -> Result<String, String> {
    if is_secret(path) {
        return Err("a file of this name holds secrets".into());
    }
    let real = |path: &Path| path.canonicalize().map_err(|error| open::reason(&error));
    let (root, real) = (real(root)?, real(path)?);
    if !real.starts_with(&root) {
        return Err("it lies outside the project".into());
    }
    if is_secret(&real) {
        return Err("a file of this name holds secrets".into());
    }
    let content = open::read_up_to(&real, limit + 1).map_err(|error| open::reason(&error))?;
    if content.metadata.len() > limit {
        return Err(format!("{} bytes", content.metadata.len()));
    }
    match String::from_utf8(content.bytes) {
        Ok(text) if !text.contains('\0') => Ok(text),
        _ => Err("it is no text".into()),
    }
}

/// Whether a file's name says that it holds keys or passwords.
fn is_secret(path: &Path) -> bool {
    const NAMES: [&str; 9] = [
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".pgpass",
        ".htpasswd",
        "credentials",
        "credentials.json",
        "id_rsa",
        "id_ed25519",
    ];
    const ENDINGS: [&str; 6] = ["pem", "key", "p12", "pfx", "keystore", "jks"];
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    NAMES.contains(&name.as_str()) || ENDINGS.contains(&ending.as_str()) || name == ".env" || name.starts_with(".env.")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_texts_of_the_project_are_read() {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().join("p");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("a.rs"), "fn a() {}").unwrap();
        std::fs::write(root.join(".env"), "KEY=1").unwrap();
        std::fs::write(root.join("b.bin"), [0, 159, 1]).unwrap();
        std::fs::write(top.path().join("out"), "outside").unwrap();
        std::os::unix::fs::symlink(top.path().join("out"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join(".env"), root.join("plain")).unwrap();
        assert_eq!(text(&root, &root.join("a.rs"), 100).unwrap(), "fn a() {}");
        assert_eq!(text(&root, &root.join("a.rs"), 3).unwrap_err(), "9 bytes");
        for name in [".env", "b.bin", "link", "plain", "../out", "none"] {
            assert!(text(&root, &root.join(name), 100).is_err(), "{name}");
        }
    }
}
