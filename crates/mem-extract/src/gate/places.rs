//! Where the gate may look, and what lies there that nobody is shown.

use std::path::{Path, PathBuf};

use mem_store::git::tidy;
use mem_store::held::Beneath;

use super::{No, shown};

/// Longest path that is looked at.
const LONGEST: usize = 4096;
/// Names of files that hold keys, in small letters.
const KEY_FILES: [&str; 26] = [
    ".dockercfg",
    ".envrc",
    ".git-credentials",
    ".htpasswd",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    ".s3cfg",
    ".vault-token",
    ".yarnrc.yml",
    "auth.json",
    "authorized_keys",
    "credentials",
    "hosts.yml",
    "known_hosts",
    "kubeconfig",
    "master.key",
    "passwd",
    "secret",
    "secrets",
    "shadow",
    "terraform.tfvars",
    "token",
    "wp-config.php",
];
/// How names of files that hold keys begin.
const KEY_STARTS: [&str; 10] = [
    ".env",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "credentials",
    "secrets.",
    "secret.",
    "service-account",
    "serviceaccount",
];
/// How names of files that hold keys end.
const KEY_ENDS: [&str; 15] = [
    ".asc",
    ".env",
    ".gpg",
    ".jks",
    ".kdbx",
    ".key",
    ".keystore",
    ".kubeconfig",
    ".p12",
    ".pem",
    ".pfx",
    ".ppk",
    ".tfstate",
    ".tfstate.backup",
    ".p8",
];
/// Folders whose content is nobody's business.
const KEY_FOLDERS: [&str; 10] =
    [".aws", ".azure", ".docker", ".git", ".gnupg", ".kube", ".password-store", ".ssh", ".terraform", "gcloud"];

/// A folder beneath which something may be read.
#[derive(Debug)]
struct Open {
    /// Its path by its letters, and by its links.
    names: Vec<PathBuf>,
    /// Nothing when it is not there.
    beneath: Option<Beneath>,
    /// The only file of it that is open.
    only: Option<String>,
}

/// The folders beneath which something may be read.
#[derive(Debug)]
pub struct Places {
    /// The memory folder first, then the project, then what was opened besides.
    open: Vec<Open>,
    project: PathBuf,
    memory: PathBuf,
}

/// A path that may be looked at.
#[derive(Debug)]
pub struct Spot<'a> {
    /// The folder.
    pub beneath: &'a Beneath,
    /// The path in it.
    pub path: String,
}

impl Places {
    /// Returns the places of a gate.
    #[must_use]
    pub fn new(project: &Path, memory: &Path, further: &[PathBuf]) -> Self {
        let mut open = vec![Open::folder(memory), Open::folder(project)];
        open.extend(further.iter().map(|path| Open::either(path)));
        Self { open, project: project.to_path_buf(), memory: memory.to_path_buf() }
    }

    /// Returns the project's folder, from which relative paths count.
    #[must_use]
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Returns the memory folder.
    #[must_use]
    pub fn memory(&self) -> &Path {
        &self.memory
    }

    /// Returns the spot that may be read under a path.
    ///
    /// # Errors
    /// In words, when it lies outside, or may hold keys, by its own name or by that behind its links.
    pub fn spot(&self, path: &str) -> Result<Spot<'_>, No> {
        let path = self.absolute(path)?;
        let mut refusal = No(format!("{} lies outside", shown(&path.to_string_lossy())));
        for (at, open) in self.open.iter().enumerate() {
            let Some(below) = open.below(&path) else { continue };
            if open.only.as_ref().is_some_and(|only| *only != below) {
                continue;
            }
            let Some(beneath) = &open.beneath else { return Err(No(format!("{}: no such file", shown(&below)))) };
            let is_named = open.only.is_some();
            // A memory about tokens is a memory.
            let is_memory = at == 0 && below.ends_with(".md");
            if !is_named && !is_memory && holds_keys(&below) {
                refusal = No(format!("{} may hold keys", shown(&below)));
                continue;
            }
            // What is not there has no links either; opening it says so.
            let real = beneath.real(&below).unwrap_or_else(|_| below.clone());
            let is_open = is_named || is_memory && real.ends_with(".md");
            if !is_open && holds_keys(&real) {
                refusal = No(format!("{} leads to what may hold keys", shown(&below)));
                continue;
            }
            return Ok(Spot { beneath, path: below });
        }
        Err(refusal)
    }

    /// Returns the path of a memory, relative to the memory folder.
    ///
    /// # Errors
    /// In words, when it is no path that a memory may have.
    pub fn memory_path(&self, path: &str) -> Result<String, No> {
        let path = self.absolute(path)?;
        let Some(below) = self.open[0].below(&path) else {
            return Err(No(format!("{} does not lie in the memory folder", shown(&path.to_string_lossy()))));
        };
        if below == mem_store::index_file::NAME {
            return Err(No("MEMORY.md is kept by mem itself; write the topic file, its line follows".into()));
        }
        match mem_store::change::refusal(&below) {
            Some(reason) => Err(No(format!("{}: {reason}", shown(&below)))),
            None => Ok(below),
        }
    }

    fn absolute(&self, path: &str) -> Result<PathBuf, No> {
        if path.len() > LONGEST || path.split('/').any(|part| part.len() > 255) {
            return Err(No("the path is too long".into()));
        }
        if path.contains('\0') || path.chars().any(char::is_control) {
            return Err(No("the path holds a control character".into()));
        }
        if path.starts_with('~') {
            return Err(No(format!("{}: home folders are not looked up", shown(path))));
        }
        let whole = self.project.join(path);
        // Counted by letters here; what links do to it is judged when it is opened.
        Ok(tidy(&whole))
    }
}

impl Open {
    fn folder(path: &Path) -> Self {
        let beneath = Beneath::open(path).ok();
        // A model may have seen the folder under its own name or under the one behind its links.
        let mut names = vec![tidy(path)];
        names.extend(beneath.as_ref().map(Beneath::real_root));
        names.dedup();
        Self { names, beneath, only: None }
    }

    /// A file stands for itself alone, a folder for what lies beneath it.
    fn either(path: &Path) -> Self {
        let folder = Self::folder(path);
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return folder };
        let is_keys = holds_keys(&name.to_string_lossy());
        if folder.beneath.is_some() && !is_keys {
            return folder;
        }
        Self { only: Some(name.to_string_lossy().into_owned()), ..Self::folder(parent) }
    }

    fn below(&self, path: &Path) -> Option<String> {
        let below = self.names.iter().find_map(|name| path.strip_prefix(name).ok())?;
        below.to_str().map(str::to_owned)
    }
}

/// Whether a path names something that usually holds keys.
pub fn holds_keys(path: &str) -> bool {
    let path = path.to_lowercase();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let Some(name) = parts.last() else { return false };
    parts.iter().any(|part| KEY_FOLDERS.contains(part))
        || parts.iter().any(|part| part.starts_with(".env"))
        || KEY_FILES.contains(name)
        || KEY_STARTS.iter().any(|start| name.starts_with(start))
        || KEY_ENDS.iter().any(|end| name.ends_with(end))
}
