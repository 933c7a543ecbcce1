//! Says what no longer stands in the result of a fold, so that nothing goes without a trace.

use std::collections::HashSet;

use mem_transcript::{Kind, Message};
use mem_types::compact::{Loss, Lost};

use crate::points::{Hold, Point, Source};
use crate::sentences::{clip, sentences};
use crate::words::probes;

/// How many lost things of a kind are named.
const NAMED: usize = 20;

/// Counts one more thing of a kind.
fn count(lost: &mut Lost, text: &str, is_kept: bool) {
    lost.total += 1;
    lost.kept += usize::from(is_kept);
    if !is_kept && lost.lost.len() < NAMED {
        lost.lost.push(clip(text, 160));
    }
}

/// Compares the points of what was folded with what stands in the result.
pub(crate) fn compare(
    points: &[Point],
    chosen: &[usize],
    digest: &str,
    kept: &[&Message<'_>],
    pins: &[String],
) -> Loss {
    let kept_text = texts(kept);
    let words: HashSet<&str> = probes(digest).chain(probes(&kept_text)).collect();
    // Sentence by sentence: looking for each point in the whole text would take a square of time.
    let said: HashSet<&str> = sentences(&kept_text).into_iter().collect();
    let chosen: HashSet<usize> = chosen.iter().copied().collect();
    let mut loss = Loss::default();
    for (index, point) in points.iter().enumerate() {
        count_point(&mut loss, point, chosen.contains(&index) || said.contains(point.text.as_str()));
    }
    count_probes(&mut loss, points, &words);
    for pin in pins.iter().filter(|pin| points.iter().any(|point| point.text.contains(pin.as_str()))) {
        count(&mut loss.pins, pin, digest.contains(pin.as_str()) || kept_text.contains(pin.as_str()));
    }
    loss
}

fn count_point(loss: &mut Loss, point: &Point, is_kept: bool) {
    match point.source {
        Source::User | Source::Assistant | Source::Earlier => count(&mut loss.sentences, &point.text, is_kept),
        Source::Task => count(&mut loss.tasks, &point.text, is_kept),
        Source::Tool => count(&mut loss.errors, &point.text, is_kept),
        Source::File | Source::Skill | Source::Picture | Source::Pin | Source::Cold => {}
    }
    if point.source == Source::User && point.hold == Hold::Firm {
        count(&mut loss.wishes, &point.text, is_kept);
    }
}

fn count_probes(loss: &mut Loss, points: &[Point], words: &HashSet<&str>) {
    let mut seen = HashSet::new();
    let said = points.iter().filter(|point| !matches!(point.source, Source::Picture | Source::Tool | Source::Cold));
    for probe in said.flat_map(|point| probes(&point.text)) {
        if seen.insert(probe) {
            let is_number = probe.bytes().all(|byte| !byte.is_ascii_alphabetic());
            let kind = if is_number { &mut loss.numbers } else { &mut loss.identifiers };
            count(kind, probe, words.contains(probe));
        }
    }
}

/// Returns all that a reader finds in these messages: texts, inputs and results of tools.
pub(crate) fn texts(messages: &[&Message<'_>]) -> String {
    let mut texts = String::new();
    for part in messages.iter().flat_map(|message| &message.parts) {
        match &part.kind {
            Kind::ToolUse { input, .. } => texts.push_str(input),
            _ => texts.push_str(&part.text()),
        }
        texts.push('\n');
    }
    texts
}
