//! Finds the memory that a person or a model names: by its path, also without folder or ending, in any case and form.

use mem_store::Memory;
use unicode_normalization::UnicodeNormalization;

/// How a name is compared: composed, in small letters, without `./`, quotes and the ending.
fn plain(name: &str) -> String {
    let name = name.trim().trim_matches(['`', '"', '\'']).trim();
    let name = name.replace('\\', "/").nfc().flat_map(char::to_lowercase).nfc().collect::<String>();
    let name = name.trim_start_matches("./");
    name.strip_suffix(".md").unwrap_or(name).to_owned()
}

/// The names of all memories, made ready once.
pub struct Names {
    /// Path and absolute path, plain, of each memory in its order.
    known: Vec<(String, String)>,
}

impl Names {
    /// Returns the names of these memories.
    pub fn of<'m>(memories: impl IntoIterator<Item = &'m Memory>) -> Self {
        let both = |memory: &Memory| (plain(&memory.path), plain(&memory.absolute().to_string_lossy()));
        Self { known: memories.into_iter().map(both).collect() }
    }

    /// Returns the place of the memory that is meant: by its whole path, else by the end of the path, if that is one only.
    pub fn find(&self, name: &str) -> Option<usize> {
        let wanted = plain(name);
        if wanted.is_empty() {
            return None;
        }
        let whole = self.known.iter().position(|(path, absolute)| *path == wanted || *absolute == wanted);
        whole.or_else(|| {
            let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|head| head.ends_with('/'));
            let mut alike =
                self.known.iter().enumerate().filter(|(_, (path, _))| ends(path, &wanted) || ends(&wanted, path));
            let first = alike.next()?.0;
            alike.next().is_none().then_some(first)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_is_found_however_its_name_is_written() {
        let names = Names {
            known: ["caf\u{e9}.md", "Team/Deploy.md", "a/x.md", "b/x.md"]
                .iter()
                .map(|path| (plain(path), plain(&format!("/m/{path}"))))
                .collect(),
        };
        for (name, place) in [
            ("cafe\u{301}.md", Some(0)),
            ("CAF\u{c9}", Some(0)),
            ("`./café.md`", Some(0)),
            ("/m/team/deploy.md", Some(1)),
            ("deploy", Some(1)),
            ("memory/team/deploy.md", Some(1)),
            ("x.md", None),
            ("b/x", Some(3)),
            ("", None),
            ("loy.md", None),
        ] {
            assert_eq!(names.find(name), place, "{name}");
        }
    }
}
