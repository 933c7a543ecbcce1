//! The window for people: who holds how much of it, before and after, and what became of the rest.

use mem_text::cut::ellipsis;
use mem_text::width::{escape_line, pad, pad_left};
use mem_types::Page;
use mem_types::compact::{Compact, Lost, WindowShare};

/// Columns of the names in front of the bars.
const NAME_COLUMNS: usize = 13;
/// Columns of a count such as `1,000,000`.
const COUNT_COLUMNS: usize = 9;

/// Returns the window for people.
pub fn render(compact: &Compact, page: &Page) -> String {
    let columns = page.columns.max(40);
    if let Some(lines) = looked_up(compact) {
        return lines.iter().map(|line| format!("{}\n", ellipsis(&escape_line(line), columns))).collect();
    }
    let mut lines = vec![headline(compact), window_line(compact)];
    if !compact.window.is_empty() {
        lines.push(String::new());
        lines.extend(bars(&compact.window, compact.threshold, columns));
    }
    if compact.loss.is_some() {
        lines.extend(details(compact));
    }
    lines.iter().map(|line| format!("{}\n", ellipsis(&escape_line(line), columns))).collect()
}

/// Returns what was looked up instead of folded: the originals of a summary, or a snapshot.
fn looked_up(compact: &Compact) -> Option<Vec<String>> {
    if compact.state == "resumed" {
        let note = compact.snapshot.clone().unwrap_or_default();
        return Some(vec![format!("resumed: the session {} as of {}, from {}", note.session_id, note.now, note.path)]);
    }
    let expanded = compact.expanded.as_ref().filter(|_| compact.state == "expanded")?;
    let mut lines = vec![format!("expanded: {} messages of {}", expanded.messages.len(), expanded.id)];
    lines.extend(expanded.messages.iter().map(|message| format!("message  {}", message.text())));
    lines.extend(
        expanded
            .missing
            .iter()
            .map(|missing| format!("missing  {}: {}", mem_types::to_json(&missing.id), missing.reason)),
    );
    Some(lines)
}

fn headline(compact: &Compact) -> String {
    let trigger = compact.trigger.as_deref().map(|trigger| format!(" ({trigger})")).unwrap_or_default();
    let (before, after) = (count(compact.tokens_before), count(compact.tokens_after));
    let state = match compact.state.as_str() {
        "over-budget" => "over budget",
        state => state,
    };
    let mut line = format!("{state}{trigger}: ");
    line += &if compact.loss.is_some() {
        let percent = compact.tokens_after * 100 / compact.tokens_before.max(1);
        format!("{before} tokens of messages became {after}, {percent} %")
    } else {
        format!("{after} tokens of messages stay as they are")
    };
    match &compact.reason {
        Some(reason) => format!("{line}; {reason}"),
        None => line,
    }
}

fn window_line(compact: &Compact) -> String {
    let budget = compact.budget.map(|budget| format!(", budget of the messages {}", count(budget))).unwrap_or_default();
    format!("window {}, folds above {}{budget}", count(compact.context_tokens), count(compact.threshold))
}

fn bars(shares: &[WindowShare], threshold: usize, columns: usize) -> Vec<String> {
    let before: usize = shares.iter().map(|share| share.before).sum();
    let after: usize = shares.iter().map(|share| share.after).sum();
    // A name, then twice a gap, a bar, a gap and a count.
    let room = columns.saturating_sub(NAME_COLUMNS + 2 * (COUNT_COLUMNS + 3)) / 2;
    let scale = before.max(after).max(1);
    let percent = |tokens: usize| format!("{} % of {}", tokens * 100 / threshold.max(1), count(threshold));
    let mut lines = vec![row("", ["before", "after"], ["", ""], room)];
    for share in shares {
        let bars = [bar(share.before, scale, room), bar(share.after, scale, room)];
        lines.push(row(&share.holder, [&bars[0], &bars[1]], [&count(share.before), &count(share.after)], room));
    }
    let shares = [percent(before), percent(after)];
    lines.push(row("in all", [&shares[0], &shares[1]], [&count(before), &count(after)], room));
    lines
}

fn row(name: &str, bars: [&str; 2], counts: [&str; 2], room: usize) -> String {
    let side =
        |bar: &str, count: &str| format!("  {} {}", pad(&ellipsis(bar, room), room), pad_left(count, COUNT_COLUMNS));
    let line = format!("{}{}{}", pad(name, NAME_COLUMNS), side(bars[0], counts[0]), side(bars[1], counts[1]));
    line.trim_end().to_owned()
}

/// Returns a bar in eighths of a column, so that small parts can be seen too.
fn bar(tokens: usize, scale: usize, columns: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (tokens as u128 * columns as u128 * 8 / scale as u128) as usize;
    let eighths = if tokens > 0 { eighths.max(1) } else { 0 };
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

fn details(compact: &Compact) -> Vec<String> {
    let messages: usize = compact.blocks.iter().map(|block| block.folded).sum();
    let count_of = |state: &str| compact.blocks.iter().filter(|block| block.state == state).count();
    let mut lines = vec![
        String::new(),
        format!(
            "folded   {messages} messages; blocks: {} warm, {} cold, {} hot",
            count_of("warm"),
            count_of("cold"),
            count_of("hot")
        ),
    ];
    for row in &compact.dropped {
        lines.push(match &row.path {
            Some(path) => format!("dropped  {path}: {}", row.reason),
            None => format!("dropped  {} {}, {} tokens: {}", row.count, row.kind, count(row.tokens), row.reason),
        });
    }
    lines.extend(losses(compact));
    lines.extend(compact.restored.iter().map(|file| match (&file.text, &file.reason) {
        (Some(_), _) => format!("file     {}, {} tokens", file.path, count(file.tokens)),
        (None, Some(reason)) => format!("file     {} by its path only: {reason}", file.path),
        (None, None) => format!("file     {} by its path only", file.path),
    }));
    lines.extend(
        compact.until_touched.iter().map(|path| format!("waits    {path}: until a file of its own is touched")),
    );
    if let Some(digest) = compact.summaries.iter().rfind(|summary| summary.level > 1) {
        lines.push(String::new());
        lines.extend(digest.text.lines().map(str::to_owned));
    }
    lines
}

fn losses(compact: &Compact) -> Vec<String> {
    let Some(loss) = &compact.loss else { return Vec::new() };
    let kinds: [(&str, &Lost); 7] = [
        ("pins", &loss.pins),
        ("wishes", &loss.wishes),
        ("open tasks", &loss.tasks),
        ("numbers", &loss.numbers),
        ("names", &loss.identifiers),
        ("errors", &loss.errors),
        ("sentences", &loss.sentences),
    ];
    let line = |(kind, lost): (&str, &Lost)| {
        let gone = if lost.lost.is_empty() { String::new() } else { format!(", gone: {}", lost.lost.join(" · ")) };
        format!("kept     {} of {} {kind}{gone}", lost.kept, lost.total)
    };
    kinds.into_iter().filter(|(_, lost)| lost.total > 0).map(line).collect()
}

/// Returns a count with its thousands parted by commas.
fn count(tokens: usize) -> String {
    let digits = tokens.to_string();
    let mut parted = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            parted.push(',');
        }
        parted.push(digit);
    }
    parted
}

#[cfg(test)]
mod tests {
    use super::*;
    use mem_text::width;
    use mem_types::compact::{Loss, Summary};

    fn compact() -> Compact {
        let share = |holder: &str, before, after| WindowShare { holder: holder.into(), before, after };
        Compact {
            state: "compacted".into(),
            trigger: Some("budget".into()),
            tokens_before: 123_456,
            tokens_after: 9_000,
            threshold: 167_000,
            window: vec![share("system", 4_000, 4_000), share("older turns", 110_000, 0), share("digest", 0, 1)],
            summaries: vec![Summary {
                level: 2,
                text:
                    "[head]\n> 数据库的端口是 8443，以后不要改，数据库的端口是 8443，以后不要改，数据库的端口是 8443。"
                        .into(),
                ..Summary::default()
            }],
            loss: Some(Loss::default()),
            ..Compact::default()
        }
    }

    #[test]
    fn no_line_is_wider_than_the_page_and_what_is_cut_is_marked() {
        for columns in [60, 80, 140] {
            let text = render(&compact(), &Page { columns, color: false });
            assert!(text.lines().all(|line| width::columns(line) <= columns), "{text}");
            assert_eq!(text.contains('…'), columns < 100, "{text}");
        }
    }

    #[test]
    fn a_small_part_has_a_bar_too() {
        let text = render(&compact(), &Page { columns: 80, color: false });
        let line = text.lines().find(|line| line.starts_with("digest")).unwrap_or_default();
        assert!(line.contains('▏') && line.ends_with(" 1"), "{line}");
    }

    #[test]
    fn counts_have_their_thousands_parted() {
        assert_eq!([count(0), count(999), count(1_000), count(1_234_567)], ["0", "999", "1,000", "1,234,567"]);
    }
}
