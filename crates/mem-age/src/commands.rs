//! The commands that a project offers: scripts of package.json, targets of a Makefile, recipes of a justfile.

use std::collections::{BTreeMap, BTreeSet};

use mem_store::Project;

use crate::citations::Tool;

impl Tool {
    /// The file that lists its commands, for evidence.
    pub fn file(self) -> &'static str {
        match self {
            Self::Package => "package.json",
            Self::Make => "Makefile",
            Self::Just => "justfile",
        }
    }

    /// The command without the name.
    pub fn words(self) -> &'static str {
        match self {
            Self::Package => "npm run",
            Self::Make => "make",
            Self::Just => "just",
        }
    }

    fn is_file(self, name: &str) -> bool {
        match self {
            Self::Package => name == "package.json",
            Self::Make => matches!(name, "Makefile" | "makefile" | "GNUmakefile") || name.ends_with(".mk"),
            Self::Just => matches!(name, "justfile" | "Justfile" | ".justfile") || name.ends_with(".just"),
        }
    }
}

/// The commands of one tool, and whether all are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Offered {
    names: BTreeSet<String>,
    is_whole: bool,
}

/// The commands of a project by tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commands {
    offered: BTreeMap<Tool, Offered>,
}

impl Commands {
    /// Reads what the project offers for the tools given.
    pub fn of(project: &Project, tools: &BTreeSet<Tool>) -> Self {
        let mut commands = Self::default();
        for tool in tools {
            let files = project.listing().files.iter();
            let mine = files.filter(|file| tool.is_file(file.rsplit('/').next().unwrap_or(file)));
            for text in mine.filter_map(|file| project.text(file)) {
                let offered =
                    commands.offered.entry(*tool).or_insert_with(|| Offered { is_whole: true, ..Offered::default() });
                read(*tool, &text, offered);
            }
        }
        commands
    }

    /// Whether the tool has this command; nothing when that cannot be told.
    pub fn has(&self, tool: Tool, name: &str) -> Option<bool> {
        let offered = self.offered.get(&tool)?;
        let is_there = offered.names.contains(name);
        (is_there || offered.is_whole).then_some(is_there)
    }
}

fn read(tool: Tool, text: &str, offered: &mut Offered) {
    match tool {
        Tool::Package => scripts(text, offered),
        Tool::Make => text.lines().for_each(|line| target(line, offered)),
        Tool::Just => text.lines().for_each(|line| recipe(line, offered)),
    }
}

fn scripts(text: &str, offered: &mut Offered) {
    let Ok(package) = mem_types::Document::parse(text) else {
        offered.is_whole = false;
        return;
    };
    let scripts = package.get("scripts").and_then(|raw| mem_types::Document::parse(raw).ok());
    offered.names.extend(scripts.iter().flat_map(mem_types::Document::keys).map(|key| key.to_string()));
}

/// `name other: needs`, not `NAME := value`. Patterns and included files may offer more than is seen.
fn target(line: &str, offered: &mut Offered) {
    let hides = line.starts_with("include") || line.starts_with("-include") || line.starts_with('%');
    if hides || line.starts_with("$(") {
        offered.is_whole = false;
    }
    let Some((names, rest)) = line.split_once(':') else { return };
    if line.starts_with(['\t', ' ', '#']) || rest.starts_with('=') || names.contains('=') {
        return;
    }
    let names = if names.trim() == ".PHONY" { rest } else { names };
    offered.names.extend(names.split_whitespace().map(str::to_owned));
}

/// `name argument='x': needs`, perhaps behind `@`; `alias name := other`.
fn recipe(line: &str, offered: &mut Offered) {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["import" | "import?" | "mod", ..] => offered.is_whole = false,
        ["alias", name, ":=", ..] => drop(offered.names.insert((*name).to_owned())),
        [name, ..] if !line.starts_with([' ', '\t', '#']) && line.contains(':') && !line.contains(":=") => {
            offered.names.insert(name.trim_start_matches('@').trim_end_matches(':').to_owned());
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tool: Tool, text: &str, names: &[&str], is_whole: bool) {
        let mut offered = Offered { is_whole: true, ..Offered::default() };
        read(tool, text, &mut offered);
        assert_eq!(offered.names.iter().map(String::as_str).collect::<Vec<_>>(), names, "{text}");
        assert_eq!(offered.is_whole, is_whole, "{text}");
    }

    #[test]
    fn each_file_lists_its_commands() {
        check(Tool::Package, r#"{"name":"x","scripts":{"build":"tsc","a:b":"x"}}"#, &["a:b", "build"], true);
        check(Tool::Package, "{", &[], false);
        check(Tool::Make, "CC := gcc\n.PHONY: lint all\nall: lint\n\techo a: b\nlint:\n", &["all", "lint"], true);
        check(Tool::Make, "include other.mk\nx:\n", &["x"], false);
        check(
            Tool::Just,
            "set shell := ['sh']\n@release version='1':\n  echo x: y\nalias r := release\n",
            &["r", "release"],
            true,
        );
    }
}
