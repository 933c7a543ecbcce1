//! Which characters belong to scripts without blanks, and which need normalizing.

/// True for scripts that are written without blanks between words, or whose words are best met in pairs.
pub fn is_dense(character: char) -> bool {
    matches!(u32::from(character),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1100..=0x11FF | 0x1780..=0x17FF | 0x3005..=0x3007 | 0x3041..=0x312F
        | 0x3131..=0x318E | 0x31A0..=0x31BF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF
        | 0xF900..=0xFAFF | 0xFF66..=0xFF9F | 0x20000..=0x323AF)
        && character != '・'
}

/// True for characters that have another, more usual form: half-width kana, single letters of hangul, compatibility
/// ideographs, separate voice marks.
pub fn needs_normal(character: char) -> bool {
    matches!(u32::from(character), 0x1100..=0x11FF | 0x3099..=0x309A | 0x3131..=0x318E | 0xF900..=0xFFEF | 0x2F800..=0x2FA1F)
}
