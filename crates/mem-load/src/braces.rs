//! Expands `{a,b}` in patterns, within a bound: twenty pairs in a row would make a million patterns.

/// Most patterns that one may become: facts.md, Part B, section 1.7.
const MAX_PATTERNS: usize = 1000;

/// Returns what the pattern stands for, or nothing when that is more than 1,000 patterns.
pub fn expand(pattern: &str) -> Option<Vec<String>> {
    let mut open = vec![pattern.to_owned()];
    let mut done = Vec::new();
    while let Some(next) = open.pop() {
        match group(&next) {
            None => done.push(next),
            Some((start, end)) => {
                // Pushed in reverse, so that they are taken in the order in which they stand.
                for choice in choices(&next[start + 1..end]).iter().rev() {
                    open.push(format!("{}{choice}{}", &next[..start], &next[end + 1..]));
                }
            }
        }
        if done.len() + open.len() > MAX_PATTERNS {
            return None;
        }
    }
    Some(done)
}

/// Returns the first group that is closed and holds a comma.
fn group(pattern: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(start) = pattern[from..].find('{').map(|place| from + place) {
        let end = closing(&pattern[start..]).map(|length| start + length)?;
        if choices(&pattern[start + 1..end]).len() > 1 {
            return Some((start, end));
        }
        from = start + 1;
    }
    None
}

fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
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
    for (place, byte) in inner.bytes().enumerate() {
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
            ("a{,b}", vec!["a", "ab"]),
        ] {
            assert_eq!(expand(pattern), Some(expected.into_iter().map(str::to_owned).collect()), "{pattern}");
        }
    }

    #[test]
    fn a_bomb_is_refused() {
        assert_eq!(expand(&"{a,b}".repeat(20)), None);
        assert_eq!(expand(&"{".repeat(100_000)), Some(vec!["{".repeat(100_000)]));
    }
}
