//! The name of a project's folder below `projects/`: its path with everything but letters and digits dashed out.

/// Longest slug before it is cut and hashed, in UTF-16 units: facts.md, Part A, section 6.
const MAX_UNITS: usize = 200;

/// Returns the slug of an absolute path.
///
/// Each UTF-16 unit outside `[A-Za-z0-9]` becomes a dash. A longer slug than 200 units is cut there and followed by a
/// dash and the path's hash (32-bit `h * 31 + unit` over all units, its absolute value in base 36).
#[must_use]
pub fn slug(path: &str) -> String {
    let units: Vec<u16> = path.encode_utf16().collect();
    let dashed = |unit: &u16| match u8::try_from(*unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        _ => '-',
    };
    if units.len() <= MAX_UNITS {
        return units.iter().map(dashed).collect();
    }
    let cut: String = units[..MAX_UNITS].iter().map(dashed).collect();
    format!("{cut}-{}", base36(hash(&units)))
}

fn hash(units: &[u16]) -> u32 {
    units.iter().fold(0_i32, |hash, &unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit))).unsigned_abs()
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_that_is_no_letter_or_digit_is_a_dash() {
        for (path, expected) in [
            ("/home/ada/.config/x", "-home-ada--config-x"),
            ("/a.b/c d", "-a-b-c-d"),
            ("E:\\Mat_Lab", "E--Mat-Lab"),
            ("/tmp/日本", "-tmp---"),
            ("/tmp/😀", "-tmp---"),
        ] {
            assert_eq!(slug(path), expected);
        }
    }

    #[test]
    fn a_long_path_is_cut_and_hashed() {
        let path = format!("/{}", "a".repeat(250));
        let slug = slug(&path);
        assert!(slug.starts_with(&format!("-{}-", "a".repeat(199))));
        assert!(slug.len() > 201 && slug.len() <= 208, "{slug}");
    }
}
