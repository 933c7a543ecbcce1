//! Expands `{a,b}` in patterns, within bounds: twenty pairs in a row would make a million patterns.

/// Most patterns that those of one rule may become: facts.md, Part B, section 1.7.
pub const MAX_PATTERNS: usize = 1000;
/// Most bytes that they may take together.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Most braces within each other.
const MAX_DEPTH: usize = 64;

/// Returns what the pattern stands for, or nothing when that is more than `room` patterns or braces nest too deeply.
pub fn expand(pattern: &str, room: usize) -> Option<Vec<String>> {
    if !pattern.contains('{') {
        return (room > 0).then(|| vec![pattern.to_owned()]);
    }
    if depth(pattern) > MAX_DEPTH {
        return None;
    }
    let mut open = vec![pattern.to_owned()];
    let mut done = Vec::new();
    let mut bytes = 0;
    while let Some(next) = open.pop() {
        match group(&next) {
            None => done.push(next),
            Some((start, end)) => {
                // Pushed in reverse, so that they are taken in the order in which they stand.
                for choice in choices(&next[start + 1..end]).iter().rev() {
                    bytes += next.len();
                    open.push(format!("{}{choice}{}", &next[..start], &next[end + 1..]));
                }
            }
        }
        if done.len() + open.len() > room || bytes > MAX_BYTES {
            return None;
        }
    }
    Some(done)
}

/// Returns the bytes of `text` that are not escaped, with their places.
fn marks(text: &str) -> impl Iterator<Item = (usize, u8)> {
    let mut is_escaped = false;
    text.bytes().enumerate().filter(move |(_, byte)| {
        let counts = !is_escaped;
        is_escaped = counts && *byte == b'\\';
        counts
    })
}

/// Returns how many braces are open at most.
fn depth(pattern: &str) -> usize {
    let (mut depth, mut most) = (0_usize, 0);
    for (_, byte) in marks(pattern) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        most = most.max(depth);
    }
    most
}

/// Returns the first group that is closed and holds a comma.
fn group(pattern: &str) -> Option<(usize, usize)> {
    for (start, _) in marks(pattern).filter(|(_, byte)| *byte == b'{') {
        let Some(end) = closing(&pattern[start..]).map(|length| start + length) else { continue };
        if choices(&pattern[start + 1..end]).len() > 1 {
            return Some((start, end));
        }
    }
    None
}

fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (place, byte) in marks(text) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(place);
        }
    }
    None
}

/// Splits at commas that are not in an inner group.
fn choices(inner: &str) -> Vec<&str> {
    let mut choices = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (place, byte) in marks(inner) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                choices.push(&inner[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    choices.push(&inner[start..]);
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_expanded_in_order_also_nested() {
        for (pattern, expected) in [
            ("a", vec!["a"]),
            ("{src,lib}/**", vec!["src/**", "lib/**"]),
            ("*.{ts,{js,mjs}}", vec!["*.ts", "*.js", "*.mjs"]),
            ("{a,b}{c,d}", vec!["ac", "ad", "bc", "bd"]),
            ("{a}", vec!["{a}"]),
            ("{a,b", vec!["{a,b"]),
            ("{a/{b,c}", vec!["{a/b", "{a/c"]),
            ("a{,b}", vec!["a", "ab"]),
            ("\\{a,b}", vec!["\\{a,b}"]),
            ("{中,文}.md", vec!["中.md", "文.md"]),
        ] {
            let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
            assert_eq!(expand(pattern, MAX_PATTERNS), Some(expected), "{pattern}");
        }
    }

    #[test]
    fn a_bomb_is_refused() {
        assert_eq!(expand(&"{a,b}".repeat(20), MAX_PATTERNS), None);
        assert_eq!(expand(&"{".repeat(100_000), MAX_PATTERNS), None);
        assert_eq!(expand(&format!("{}{}", "{a,".repeat(10_000), "}".repeat(10_000)), MAX_PATTERNS), None);
        assert_eq!(expand("{a,b}", 1), None);
        assert_eq!(expand(&format!("{}{{a,b}}", "x".repeat(5_000_000)), MAX_PATTERNS), None);
    }
}
