//! Brings the index and the files together: links that lead nowhere, double entries, hooks that no longer fit, files
//! without a line, and the marks of an index that was replaced by an excerpt.

use std::collections::BTreeMap;

use mem_store::Memory;
use mem_store::index_file::{self, Link};
use mem_text::similar::{self, Features};

use crate::draft::{Draft, Drafts};
use crate::entry;
use crate::shelf::{Dangling, Place, Shelf, wants_line};

/// Likeness of two hooks from which a differing number or name matters.
const SAME_MATTER: f64 = 0.5;

/// Mends the links that lead nowhere: to where their file is now, else the entry goes.
pub fn links(drafts: &mut Drafts<'_>, shelf: &Shelf<'_>) {
    for at in 0..drafts.all.len() {
        let Some(line) = drafts.all[at].line.clone() else { continue };
        if !line.is_entry {
            continue;
        }
        let places: Vec<Place> = line.links.iter().map(|link| shelf.place(link.target, link.is_wiki)).collect();
        let is_dead = |place: &Place| matches!(place, Place::Nowhere(Dangling::Archived | Dangling::Unknown));
        if !line.is_pinned && places.iter().all(is_dead) {
            let (link, place) = (&line.links[0], &places[0]);
            drafts.remove(at, code(place), sentence(link, place), Some(link.target.to_owned()));
            continue;
        }
        // From the right, so that the places of those before stay true.
        for (link, place) in line.links.iter().zip(&places).rev() {
            if let Place::Nowhere(dangling) = place {
                let to = mended(&drafts.all[at].text, link, dangling);
                drafts.change(at, code(place), sentence(link, place), to);
            }
        }
        if let ([_], [Place::Nowhere(Dangling::Case(to) | Dangling::NormalForm(to) | Dangling::Moved(to))]) =
            (line.links.as_slice(), places.as_slice())
        {
            drafts.all[at].owner = Some(to.clone());
        }
    }
}

fn mended(text: &str, link: &Link<'_>, dangling: &Dangling) -> String {
    let replaced =
        |range: &std::ops::Range<usize>, by: &str| format!("{}{by}{}", &text[..range.start], &text[range.end..]);
    match dangling {
        Dangling::Case(to) | Dangling::NormalForm(to) | Dangling::Moved(to) if link.is_wiki => {
            replaced(&link.target_range, to.strip_suffix(".md").unwrap_or(to))
        }
        Dangling::Case(to) | Dangling::NormalForm(to) | Dangling::Moved(to) => replaced(&link.target_range, to),
        Dangling::Archived | Dangling::Unknown => {
            replaced(&link.range, link.title.rsplit('|').next().unwrap_or(link.title))
        }
    }
}

/// The code of a link that leads nowhere: `dangling-` and its kind.
fn code(place: &Place) -> &'static str {
    match place {
        Place::Nowhere(Dangling::Case(_)) => "dangling-case",
        Place::Nowhere(Dangling::NormalForm(_)) => "dangling-normal-form",
        Place::Nowhere(Dangling::Moved(_)) => "dangling-moved",
        Place::Nowhere(Dangling::Archived) => "dangling-archived",
        _ => "dangling-entry",
    }
}

fn sentence(link: &Link<'_>, place: &Place) -> String {
    let target = link.target;
    match place {
        Place::Nowhere(Dangling::Case(to)) => format!("an index line links to '{target}', the file is called '{to}'"),
        Place::Nowhere(Dangling::NormalForm(to)) => {
            format!("an index line links to '{target}', the file's name '{to}' has other code points for these letters")
        }
        Place::Nowhere(Dangling::Moved(to)) => format!("an index line links to '{target}', which is now '{to}'"),
        Place::Nowhere(Dangling::Archived) => format!("an index line links to '{target}', which is in the archive"),
        _ => format!("an index line links to '{target}', which is not there"),
    }
}

/// Takes out the lines that say that something was left out: an index that was replaced by an excerpt.
pub fn excerpt_marks(drafts: &mut Drafts<'_>) {
    for at in 0..drafts.all.len() {
        let draft = &drafts.all[at];
        let is_mark = draft.line.as_ref().is_some_and(|line| line.links.is_empty()) && is_excerpt_mark(&draft.text);
        if is_mark && !draft.is_gone && !draft.is_pinned() {
            let message =
                "a line says that the rest is unchanged, but it is gone: the index was replaced by an excerpt";
            drafts.remove(at, "excerpt-mark", message.into(), None);
        }
    }
}

/// Whether a line stands for text that was left out: `[... rest unchanged ...]`, `（其余不变）`.
fn is_excerpt_mark(line: &str) -> bool {
    const WORDS: [&str; 7] = [
        "rest unchanged",
        "remaining unchanged",
        "rest of file",
        "rest of the file",
        "rest of the index",
        "其余不变",
        "其余内容不变",
    ];
    let bare = line.trim().trim_start_matches(['-', '*', ' ']);
    let has_mark = ["[", "(", "（", "【", "<!--", "...", "…", "//", "#"].iter().any(|mark| bare.starts_with(mark));
    let lower = bare.to_lowercase().replace("remains ", "").replace("is ", "");
    has_mark && bare.chars().count() < 80 && WORDS.iter().any(|words| lower.contains(words))
}

/// Leaves each file one line: the pinned one, else the one that says most of what its description says.
pub fn doubles(drafts: &mut Drafts<'_>, shelf: &Shelf<'_>) {
    let mut lines: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, draft) in drafts.all.iter().enumerate().filter(|(_, draft)| draft.is_entry()) {
        if let Some(owner) = &draft.owner {
            lines.entry(owner.clone()).or_default().push(at);
        }
    }
    for (path, places) in lines.into_iter().filter(|(_, places)| places.len() > 1) {
        let Some(memory) = shelf.memory(&path) else { continue };
        let features = Features::of(&memory.description);
        let score = |at: usize| {
            let draft: &Draft<'_> = &drafts.all[at];
            let likeness = similar::compare(&Features::of(entry::hook(&draft.text)), &features);
            (draft.is_pinned(), likeness.score.max(likeness.overlap))
        };
        // The first of those that are equally good stays.
        let best = places
            .iter()
            .copied()
            .rev()
            .max_by(|left, right| score(*left).partial_cmp(&score(*right)).unwrap_or(std::cmp::Ordering::Equal));
        for at in places.into_iter().filter(|at| Some(*at) != best) {
            if !drafts.all[at].is_pinned() {
                drafts.remove(at, "double-entry", format!("another line names '{path}' already"), Some(path.clone()));
            }
        }
    }
}

/// Gives entries whose words no longer say what their file says the file's description.
pub fn stale_hooks(drafts: &mut Drafts<'_>, shelf: &Shelf<'_>, most: usize) {
    for at in 0..drafts.all.len() {
        let draft = &drafts.all[at];
        let memory = draft.owner.as_deref().and_then(|path| shelf.memory(path));
        let Some(memory) = memory.filter(|memory| draft.is_free_entry() && !memory.description.is_empty()) else {
            continue;
        };
        let Some(why) = staleness(entry::hook(&draft.text), memory) else { continue };
        let to = entry::with_hook(&draft.text, memory, most);
        if to != draft.text {
            drafts.change(at, "stale-hook", format!("an index line {why} the description of '{}'", memory.path), to);
        }
    }
}

fn staleness(hook: &str, memory: &Memory) -> Option<&'static str> {
    let said = entry::one_line(&memory.description);
    let begun = hook.trim_end_matches('…').trim_end();
    if begun.is_empty() || said.starts_with(begun) {
        return None;
    }
    let likeness = similar::compare(&Features::of(hook), &Features::of(&said));
    if likeness.signs_differ {
        return Some("says the opposite of");
    }
    if likeness.values_differ && likeness.overlap >= SAME_MATTER {
        return Some("has another number than");
    }
    let own = entry::content_words(hook);
    let theirs = entry::content_words(&format!("{} {} {}", memory.name, memory.path, memory.text));
    (own.len() >= 2 && own.iter().all(|word| !theirs.contains(word))).then_some("shares no word with")
}

/// Gives each file that has none a line, behind the last entry of its own kind.
pub fn orphans(drafts: &mut Drafts<'_>, shelf: &Shelf<'_>, most: usize) {
    let listed = drafts.listed(shelf);
    let unlisted = shelf.files().filter(|file| wants_line(file) && !listed.contains(&file.path));
    let orphans: Vec<&Memory> = unlisted.filter_map(|file| shelf.memory(&file.path)).collect();
    let mut last: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    let mut last_entry = None;
    for (at, draft) in drafts.all.iter().enumerate().filter(|(_, draft)| draft.is_entry()) {
        last_entry = Some(at);
        if let Some(memory) = draft.owner.as_deref().and_then(|path| shelf.memory(path)) {
            last.insert(memory.kind.as_deref(), at);
        }
    }
    // From the last place to the first, so that places stay true; those of one place in the order of their paths.
    let mut placed: Vec<(Option<usize>, &Memory)> =
        orphans.into_iter().map(|memory| (last.get(&memory.kind.as_deref()).copied().or(last_entry), memory)).collect();
    placed.sort_by(|left, right| {
        right
            .0
            .is_none()
            .cmp(&left.0.is_none())
            .then_with(|| right.0.cmp(&left.0))
            .then_with(|| right.1.path.cmp(&left.1.path))
    });
    let end = drafts.all.len().checked_sub(1);
    for (after, memory) in placed {
        drafts.add(after.or(end), &memory.path, entry::of(memory, most));
    }
}

/// Returns the name of a file that an index line may name without being an entry, and that is not there.
#[must_use]
pub fn dead_in_text<'a>(line: &'a crate::lines::Line<'_>, shelf: &Shelf<'_>) -> Option<&'a str> {
    let dead = |link: &&Link<'_>| matches!(shelf.place(link.target, link.is_wiki), Place::Nowhere(_));
    line.links.iter().filter(|_| !line.is_entry).find(dead).map(|link| link.target)
}

/// Whether an index line's target stands for a file of this folder at all.
#[must_use]
pub fn outside_in(line: &crate::lines::Line<'_>, shelf: &Shelf<'_>) -> Option<String> {
    let outside = |link: &&Link<'_>| shelf.place(link.target, link.is_wiki) == Place::Outside;
    line.links.iter().find(outside).map(|link| link.target.to_owned())
}

/// Returns how many characters of a line are title, path and hook, for a message about its length.
#[must_use]
pub fn parts_of(text: &str) -> (usize, usize, usize) {
    let count = |text: &str| text.chars().count();
    index_file::entry(text)
        .map_or((0, 0, count(text)), |entry| (count(entry.title), count(entry.target), count(entry.hook)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_an_excerpt_are_known() {
        for line in [
            "[... rest unchanged ...]",
            "... (rest of file unchanged)",
            "<!-- rest of the index -->",
            "（其余不变）",
            "[remaining unchanged]",
        ] {
            assert!(is_excerpt_mark(line), "{line}");
        }
        for line in ["- [Rest](rest.md) — unchanged", "The rest of the file is here.", "# Rest"] {
            assert!(!is_excerpt_mark(line), "{line}");
        }
    }

    #[test]
    fn a_hook_is_stale_when_it_says_something_else() {
        let memory = Memory::of_bytes(
            "/m".as_ref(),
            "port.md",
            b"---\nname: port\ndescription: the staging server listens on port 9090\n---\nBody about ingress.\n",
        );
        for (hook, expected) in [
            ("the staging server listens on port 9090", None),
            ("the staging server…", None),
            ("where staging listens", None),
            ("notes on ingress and staging", None),
            ("the staging server listens on port 8080", Some("has another number than")),
            ("which colour the buttons have", Some("shares no word with")),
            ("", None),
        ] {
            assert_eq!(staleness(hook, &memory), expected, "{hook}");
        }
    }
}
