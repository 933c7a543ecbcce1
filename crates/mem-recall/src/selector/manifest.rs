//! The list that a selector chooses from: a line a memory, within bounds of its own.

use mem_store::{Memory, Moment};
use mem_text::{cut, secrets, width};

/// The most memories of a list.
const MOST: usize = 200;
/// The most bytes of a list, secrets masked.
const MOST_BYTES: usize = 32 * 1024;
/// The most bytes of a description in it.
const DESCRIPTION: usize = 160;

/// A list of memories.
pub struct Manifest {
    /// Places of the memories in the order of the lines.
    pub places: Vec<usize>,
    /// A head for each line.
    pub heads: Vec<Head>,
}

/// What a line is made of.
pub struct Head {
    /// Relative in one's own folder, else absolute.
    pub path: String,
    /// As written in the file; may be empty.
    pub kind: String,
    /// Whole days since its content changed.
    pub age_days: Option<i64>,
    /// On one line, masked; the name where there is none.
    pub description: String,
}

impl Manifest {
    /// Returns the list: all memories when they fit, else the likely ones and after them the newest. The lines stand in
    /// the order of the memories, so that the list stays the same from prompt to prompt.
    pub fn new(memories: &[&Memory], likely: &[usize], now: &Moment) -> Self {
        let mut chosen: Vec<(usize, Head)> = Vec::new();
        let mut bytes = 0;
        for place in in_order(memories, likely).into_iter().take(MOST) {
            let head = Head::of(memories[place], memories[0], now);
            bytes += head.line().len() + 1;
            if bytes > MOST_BYTES {
                break;
            }
            chosen.push((place, head));
        }
        chosen.sort_by_key(|(place, _)| *place);
        let (places, heads) = chosen.into_iter().unzip();
        Self { places, heads }
    }

    /// Returns the lines: `[type] path (age): description`.
    pub fn text(&self) -> String {
        self.heads.iter().map(|head| head.line() + "\n").collect()
    }
}

/// Returns all places, the likely ones first and the newest after them.
fn in_order(memories: &[&Memory], likely: &[usize]) -> Vec<usize> {
    let mut order = likely.to_vec();
    let mut is_likely = vec![false; memories.len()];
    likely.iter().for_each(|place| is_likely[*place] = true);
    let mut rest: Vec<usize> = (0..memories.len()).filter(|place| !is_likely[*place]).collect();
    rest.sort_by_key(|place| std::cmp::Reverse(memories[*place].modified));
    order.append(&mut rest);
    order
}

impl Head {
    fn of(memory: &Memory, first: &Memory, now: &Moment) -> Self {
        let is_own = memory.folder == first.folder;
        let path = if is_own { memory.path.clone() } else { memory.absolute().to_string_lossy().into_owned() };
        let description = if memory.description.trim().is_empty() { &memory.name } else { &memory.description };
        let description = secrets::mask(description);
        let words: Vec<&str> = description.split_whitespace().collect();
        Self {
            path: width::escape_line(&path).into_owned(),
            kind: memory.kind.clone().unwrap_or_default(),
            age_days: memory.modified.map(|then| now.days_since(then)),
            description: width::escape_line(cut::bytes(&words.join(" "), DESCRIPTION)).into_owned(),
        }
    }

    /// Returns the line.
    pub fn line(&self) -> String {
        let kind = if self.kind.is_empty() { "no type" } else { one_word(&self.kind) };
        format!("[{kind}] {} ({}): {}", self.path, age(self.age_days), self.description)
    }
}

/// A type is one short word; what is longer or has line ends is none.
fn one_word(kind: &str) -> &str {
    if kind.chars().all(|one| !one.is_control()) && kind.len() <= 40 { kind } else { "no type" }
}

fn age(days: Option<i64>) -> String {
    match days {
        None => "age unknown".into(),
        Some(..=0) => "today".into(),
        Some(1) => "1 day".into(),
        Some(days) => format!("{days} days"),
    }
}
