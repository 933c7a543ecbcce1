//! After a compaction of the agent's own: what the user had said before it, and the agent's summary does not hold.

use mem_store::World;
use mem_transcript::{Message, Speaker, read_session};
use mem_types::compact::GivenBack;
use mem_types::{Document, Problems};

use crate::older;
use crate::points::{Hold, Point, Source, points};
use crate::words::{hashes, probes};

/// Most things that are given back: a hook's answer is short.
const MOST: usize = 60;
/// A wish of which the summary has so much of its words stands there in other words.
const TOLD: f64 = 0.8;

/// Returns what was lost, pins first, then wishes and open tasks, each in the order in which it was said.
///
/// Where the agent has not written its compaction yet, all of it is given: nothing says what its summary holds.
pub(crate) fn give_back(document: &Document, pins: &[String], root: &str, world: &World) -> Vec<GivenBack> {
    let problems = &mut Problems::default();
    let path = document.read::<String>("transcript_path", problems).filter(|path| !path.is_empty());
    let Some(path) = path.map(|path| world.resolve(&path, &world.cwd(document, problems))) else { return Vec::new() };
    let Some(mut file) = mem_store::transcript::open(&path, problems) else { return Vec::new() };
    let Ok(live) = read_session(&file) else { return Vec::new() };
    let before = older::before_last_compaction(&mut file).ok().flatten();
    let now = live.transcript();
    match &before {
        Some(before) => lost(&before.transcript().messages, &now.messages, pins, root),
        None => lost(&now.messages, &[], pins, root),
    }
}

fn lost(before: &[Message<'_>], now: &[Message<'_>], pins: &[String], root: &str) -> Vec<GivenBack> {
    let now: Vec<&Message<'_>> = now.iter().collect();
    let text = crate::loss::texts(&now);
    let words: std::collections::HashSet<u64> = hashes(&text).into_iter().collect();
    let has_told = |point: &Point| {
        let own = hashes(&point.text);
        let told = own.iter().filter(|word| words.contains(word)).count();
        text.contains(&point.text)
            || (told as f64 >= own.len() as f64 * TOLD && probes(&point.text).all(|probe| text.contains(probe)))
    };
    // What a summary before said is carried over by the agent itself.
    let said = (0..before.len()).filter(|&at| before[at].speaker != Speaker::Summary);
    let points = points(before, said, &[], root);
    let pinned = pins.iter().filter(|pin| !text.contains(pin.as_str())).map(|pin| ("pin", pin.clone()));
    let is_kept = |point: &&Point| point.hold == Hold::Firm && !has_told(point);
    let kind = |point: &Point| match point.source {
        Source::Task => Some("task"),
        Source::User => Some("wish"),
        _ => None,
    };
    let firm = points.iter().filter(is_kept).filter_map(|point| Some((kind(point)?, point.text.clone())));
    pinned.chain(firm).take(MOST).map(|(kind, text)| GivenBack { kind: kind.into(), text }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_transcript::read_messages;

    #[test]
    fn what_the_summary_tells_in_other_words_is_not_given_back() {
        let before = read_messages(
            r#"[{"role":"user","content":"Always use port 8443 for the tests."},{"role":"assistant","content":"Yes."},{"role":"user","content":"以后一律用中文写提交说明。"}]"#,
        );
        let summary = read_messages(
            r#"[{"role":"user","content":"This session is being continued from a previous conversation: for the tests the user wants port 8443 to be used always."}]"#,
        );
        let found = lost(&before.messages, &summary.messages, &["keep me".into()], "/p");
        let texts: Vec<(&str, &str)> = found.iter().map(|given| (given.kind.as_str(), given.text.as_str())).collect();
        assert_eq!(texts, [("pin", "keep me"), ("wish", "以后一律用中文写提交说明。")]);
    }
}
