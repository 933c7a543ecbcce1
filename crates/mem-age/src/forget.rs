//! What the document asks to forget: finds the memory that is meant and makes an action of the wish.

use mem_types::Problems;
use mem_types::age::Action;
use mem_types::input::ForgetWish;

use crate::memory::Memory;

/// Names in one problem; the rest is counted.
const NAMES_MAX: usize = 8;

/// Returns the place of each memory that is to be forgotten, with its action. A wish that fits none or several is named.
pub fn actions(wishes: Vec<ForgetWish>, memories: &[Memory], problems: &mut Problems) -> Vec<(usize, Action)> {
    let mut found: Vec<(usize, Action)> = Vec::new();
    for wish in wishes.into_iter().map(Wish::of) {
        let Some(place) = wish.place(memories, problems) else { continue };
        if let Some(action) = wish.action(&memories[place].path, memories, problems)
            && !found.iter().any(|(known, _)| *known == place)
        {
            found.push((place, action));
        }
    }
    found
}

struct Wish {
    path: Option<String>,
    name: Option<String>,
    text: Option<String>,
    how: String,
    by: Option<String>,
}

impl Wish {
    fn of(wish: ForgetWish) -> Self {
        match wish {
            ForgetWish::Words(words) => Self {
                path: Some(words.clone()),
                name: Some(words.clone()),
                text: Some(words),
                how: "archive".into(),
                by: None,
            },
            ForgetWish::Entry { path, name, text, how, by } => {
                let how = how.unwrap_or_else(|| if by.is_some() { "supersede" } else { "archive" }.into());
                Self { path, name, text, how, by }
            }
        }
    }

    fn place(&self, memories: &[Memory], problems: &mut Problems) -> Option<usize> {
        let by = |fits: &dyn Fn(&Memory) -> bool| -> Vec<usize> {
            (0..memories.len()).filter(|place| fits(&memories[*place])).collect()
        };
        let mut found = Vec::new();
        if let Some(path) = &self.path {
            found = by(&|memory| memory.path == path.trim_start_matches("./"));
        }
        if let (true, Some(name)) = (found.is_empty(), &self.name) {
            found = by(&|memory| memory.name == name.trim() || memory.is_named(name));
        }
        if let (true, Some(text)) =
            (found.is_empty(), self.text.as_deref().map(unquoted).filter(|text| !text.is_empty()))
        {
            found = by(&|memory| memory.body.contains(text) || memory.description.contains(text));
        }
        match found.as_slice() {
            [only] => Some(*only),
            [] => {
                self.report("forget-not-found", "no memory has this path, name or text", problems);
                None
            }
            several => {
                let names: Vec<&str> =
                    several.iter().take(NAMES_MAX).map(|place| memories[*place].path.as_str()).collect();
                let message = format!("{} memories fit, and none was chosen: {}", several.len(), names.join(", "));
                self.report("forget-ambiguous", &message, problems);
                None
            }
        }
    }

    fn report(&self, code: &'static str, message: &str, problems: &mut Problems) {
        let words = [&self.path, &self.name, &self.text].into_iter().flatten().next().map_or("", String::as_str);
        let words = mem_text::cut::ellipsis(words, 60);
        problems.warning(code, format!("'{words}': {message}")).hint("name it by its path");
    }

    fn action(&self, path: &str, memories: &[Memory], problems: &mut Problems) -> Option<Action> {
        if !["archive", "supersede"].contains(&self.how.as_str()) {
            let message = format!("'{}' is no way to forget that a document may ask for", self.how);
            self.report("forget-how", &message, problems);
            return None;
        }
        let by = self.by.as_ref().and_then(|by| memories.iter().find(|memory| memory.is_named(by)));
        if self.by.is_some() && by.is_none() {
            self.report("forget-not-found", "the memory that is to hold instead is not there", problems);
            return None;
        }
        Some(Action {
            action: self.how.clone(),
            path: path.to_owned(),
            into: by.map(|memory| memory.path.clone()),
            reason: "the document asks to forget it".to_owned(),
            ..Action::default()
        })
    }
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\'', '“', '”', '「', '」', '‘', '’'])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(wish: &str, want: &[(&str, &str)], code: Option<&str>) {
        let memory = |path: &str, name: &str, body: &str| Memory {
            path: path.into(),
            name: name.into(),
            body: body.into(),
            ..Memory::default()
        };
        let memories = [
            memory("port.md", "Relay port", "The relay listens on port 6101."),
            memory("sub/端口.md", "端口", "报表服务端口 7431"),
            memory("freeze.md", "Freeze", "The relay is frozen."),
        ];
        let mut problems = Problems::new("mem-age");
        let wishes = serde_json::from_str::<mem_types::input::Forget>(wish).unwrap().into_list();
        let found = actions(wishes, &memories, &mut problems);
        let got: Vec<(&str, &str)> = found.iter().map(|(_, one)| (one.action.as_str(), one.path.as_str())).collect();
        assert_eq!(got, want, "{wish}");
        let codes: Vec<String> = problems.into_entries().into_iter().map(|problem| problem.code).collect();
        assert_eq!(codes.first().map(String::as_str), code, "{wish}");
    }

    #[test]
    fn a_wish_names_a_memory_by_path_name_or_words() {
        check(r#""port.md""#, &[("archive", "port.md")], None);
        check(r#""Relay port""#, &[("archive", "port.md")], None);
        check(r#""“on port 6101”""#, &[("archive", "port.md")], None);
        check(
            r#"["端口", {"text": "frozen", "how": "supersede"}]"#,
            &[("archive", "sub/端口.md"), ("supersede", "freeze.md")],
            None,
        );
        check(r#"{"path": "port.md", "by": "freeze.md"}"#, &[("supersede", "port.md")], None);
    }

    #[test]
    fn what_fits_none_or_several_or_asks_for_more_is_named() {
        check(r#""nowhere.md""#, &[], Some("forget-not-found"));
        check(r#""The relay""#, &[], Some("forget-ambiguous"));
        check(r#"{"path": "port.md", "how": "purge"}"#, &[], Some("forget-how"));
        check(r#"{"path": "port.md", "by": "gone.md"}"#, &[], Some("forget-not-found"));
    }
}
