//! What the loaded files take: of each other, of the window, and of what each layer may have.

use mem_store::hash;
use mem_types::Problems;
use mem_types::load::{FileState, InstructionLayer, LayerSize, Load, LoadedFile, Reading};

/// How much instructions may take before it is said.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Tokens of the window.
    pub window: u64,
    /// Percent of the window that all instructions may take.
    pub percent: u64,
    /// The most tokens of single layers.
    pub layers: Vec<(InstructionLayer, u64)>,
}

/// Layers from the lowest weight to the highest.
const LAYERS: [InstructionLayer; 6] = [
    InstructionLayer::Managed,
    InstructionLayer::Team,
    InstructionLayer::User,
    InstructionLayer::Project,
    InstructionLayer::Local,
    InstructionLayer::Other,
];

/// Adds up tokens and shares, hashes what is active, and says what is over a limit; nothing is cut.
pub fn add_up(root: String, files: Vec<LoadedFile>, limits: &Limits, problems: &mut Problems) -> Load {
    let Reading { version, files, tokens } = reading(files);
    let layers: Vec<LayerSize> = LAYERS.iter().filter_map(|layer| size(*layer, &files, limits)).collect();
    warn(tokens, &files, &layers, limits, problems);
    Load { root, version, files, tokens, layers, window: limits.window, ..Load::default() }
}

/// Returns the files with their shares, their tokens in all, and a hash of what is active.
pub fn reading(mut files: Vec<LoadedFile>) -> Reading {
    let is_active = |file: &&LoadedFile| file.state == FileState::Active;
    let tokens: u64 = files.iter().filter(is_active).map(|file| file.tokens).sum();
    let parts = files.iter().filter(is_active);
    let parts = parts.flat_map(|file| [file.path.as_str(), file.text.as_deref().unwrap_or_default()]);
    let version = hash::sha256_of_parts(parts);
    for file in files.iter_mut().filter(|file| file.state == FileState::Active) {
        file.share = share(file.tokens, tokens);
    }
    Reading { version, files, tokens }
}

fn size(layer: InstructionLayer, files: &[LoadedFile], limits: &Limits) -> Option<LayerSize> {
    let own: Vec<u64> = files
        .iter()
        .filter(|file| file.state == FileState::Active && file.layer == layer)
        .map(|file| file.tokens)
        .collect();
    let tokens = own.iter().sum();
    let budget = limits.layers.iter().rev().find(|(limited, _)| *limited == layer).map(|(_, most)| *most);
    (!own.is_empty()).then(|| LayerSize {
        layer,
        files: own.len() as u64,
        tokens,
        share: share(tokens, limits.window),
        budget,
    })
}

fn warn(tokens: u64, files: &[LoadedFile], layers: &[LayerSize], limits: &Limits, problems: &mut Problems) {
    let largest = |wanted: Option<InstructionLayer>| {
        let active = files.iter().filter(|file| file.state == FileState::Active);
        active.filter(|file| wanted.is_none_or(|layer| file.layer == layer)).max_by_key(|file| file.tokens)
    };
    for size in layers {
        let Some(budget) = size.budget.filter(|budget| size.tokens > *budget) else { continue };
        let path = largest(Some(size.layer)).map(|file| file.path.clone()).unwrap_or_default();
        problems
            .warning(
                "layer-over-budget",
                format!("layer {} takes {} tokens, its budget is {budget}", size.layer.name(), size.tokens),
            )
            .path(path)
            .hint("the file named is its largest; nothing was cut");
    }
    if limits.window > 0 && tokens.saturating_mul(100) > limits.window.saturating_mul(limits.percent) {
        let path = largest(None).map(|file| file.path.clone()).unwrap_or_default();
        problems
            .warning(
                "instructions-too-large",
                format!(
                    "instructions take {tokens} tokens, over {} % of a window of {}",
                    limits.percent, limits.window
                ),
            )
            .path(path)
            .hint("the file named is the largest; move what holds only for some files into rules with 'paths'");
    }
}

/// Returns a part of a whole, to three digits.
fn share(part: u64, whole: u64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
    let ratio = if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    (ratio * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_over_its_budget_and_all_over_their_share_are_told() {
        let file = |layer, tokens| LoadedFile { layer, tokens, ..LoadedFile::default() };
        let files = vec![file(InstructionLayer::User, 300), file(InstructionLayer::Project, 700)];
        let limits = Limits { window: 10_000, percent: 9, layers: vec![(InstructionLayer::Project, 699)] };
        let mut problems = Problems::new("mem-load");
        let load = add_up("/p".into(), files.clone(), &limits, &mut problems);
        let codes: Vec<String> = problems.into_entries().into_iter().map(|problem| problem.code).collect();
        assert_eq!(codes, ["layer-over-budget", "instructions-too-large"]);
        assert_eq!(load.layers.iter().map(|size| size.share).collect::<Vec<_>>(), [0.03, 0.07]);
        let mut problems = Problems::new("mem-load");
        add_up("/p".into(), files, &Limits { percent: 10, layers: Vec::new(), ..limits }, &mut problems);
        assert!(problems.is_empty());
    }
}
