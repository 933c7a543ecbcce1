//! Counts model tokens: a fair guess for display and thresholds, and the simple count of budgets.

/// Kinds of bytes that cost differently.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Class {
    Start,
    Lower,
    Upper,
    Digit,
    Blank,
    LineEnd,
    Mark,
    /// The second byte of most Chinese punctuation.
    Continuation80,
    Continuation,
    Lead2,
    /// Of Latin letters with marks, as in most of Europe and in Vietnamese.
    LeadLatin,
    LeadE3,
    LeadChinese,
    LeadFullWidth,
    Lead3,
    Lead4,
    Control,
}

const CLASSES: usize = 17;

/// Returns a guess of how many tokens a model's tokenizer makes of `text`; for display and thresholds.
///
/// Each byte costs by its own class and the one before it: a word costs at its start and a little per
/// letter, as long words fall into pieces. The costs are a non-negative least-squares fit to the true
/// counts of `o200k_base` over 600 files (English, Chinese and Japanese prose, instruction files,
/// transcripts as JSON lines, Rust and Python code): mean error 2.5 %, 95 % of the files within 7 %,
/// on the half that the fit had not seen too. Latin letters with marks cost by hand: Vietnamese comes out 50 % too
/// high, Turkish 14 % too low, traditional Chinese up to 19 % too low. Long runs of one character cost far too much.
pub fn estimate(text: &str) -> u64 {
    let mut before = Class::Start as usize;
    let mut cost = 0_u64;
    for chunk in text.as_bytes().chunks(1 << 16) {
        // A chunk of 65,536 bytes at no more than 12,000 a byte stays within 32 bits.
        let mut part = 0_u32;
        for byte in chunk {
            let class = CLASS[usize::from(*byte)] as usize;
            part += u32::from(COST[before * CLASSES + class]);
            before = class;
        }
        cost += u64::from(part);
    }
    cost.div_ceil(COST_OF_A_TOKEN)
}

/// Returns the count that `budget` is measured in: ASCII characters / 4 rounded up, plus one per other character.
///
/// Simple on purpose, so that any caller can check it; both parts run over the whole text.
pub fn budget(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    let others = text.bytes().filter(|byte| *byte >= 0xc0).count() as u64;
    ascii.div_ceil(4) + others
}

/// Costs are in thousandths of a token.
const COST_OF_A_TOKEN: u64 = 1_000;

static CLASS: [Class; 256] = classes();
static COST: [u16; CLASSES * CLASSES] = costs();

const fn classes() -> [Class; 256] {
    let mut classes = [Class::Control; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = class_of(byte as u8);
        byte += 1;
    }
    classes
}

const fn class_of(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' => Class::Lower,
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        b' ' | b'\t' => Class::Blank,
        b'\n' | b'\r' => Class::LineEnd,
        b'!'..=b'~' => Class::Mark,
        0x00..=0x1f | 0x7f => Class::Control,
        0x80 => Class::Continuation80,
        0x81..=0xbf => Class::Continuation,
        0xc3..=0xc6 | 0xe1 => Class::LeadLatin,
        0xc0..=0xdf => Class::Lead2,
        0xe3 => Class::LeadE3,
        0xe4..=0xe9 => Class::LeadChinese,
        0xef => Class::LeadFullWidth,
        0xe0..=0xee => Class::Lead3,
        0xf0..=0xff => Class::Lead4,
    }
}

const fn costs() -> [u16; CLASSES * CLASSES] {
    let mut costs = [0; CLASSES * CLASSES];
    let mut before = 0;
    while before < CLASSES {
        let mut class = 0;
        while class < CLASSES {
            costs[before * CLASSES + class] = cost_of(before as u8, class as u8);
            class += 1;
        }
        before += 1;
    }
    costs
}

/// The fitted costs; see [`estimate`] for where they come from.
const fn cost_of(before: u8, class: u8) -> u16 {
    const LOWER: u8 = Class::Lower as u8;
    const UPPER: u8 = Class::Upper as u8;
    const DIGIT: u8 = Class::Digit as u8;
    const BLANK: u8 = Class::Blank as u8;
    const LINE_END: u8 = Class::LineEnd as u8;
    const MARK: u8 = Class::Mark as u8;
    const START: u8 = Class::Start as u8;
    const E3: u8 = Class::LeadE3 as u8;
    match (before, class) {
        (LOWER | UPPER, LOWER) => 53,
        (BLANK, LOWER) => 855,
        (_, LOWER) => 591,
        (BLANK, UPPER) => 846,
        (LOWER, UPPER) => 778,
        (UPPER, UPPER) => 193,
        (_, UPPER) => 808,
        (DIGIT, DIGIT) => 214,
        (_, DIGIT) => 1_305,
        (BLANK, BLANK) => 32,
        (LINE_END, LINE_END) => 0,
        (_, LINE_END) => 544,
        (START | BLANK | LINE_END, MARK) => 1_078,
        (MARK, MARK) => 241,
        (_, MARK) => 792,
        (E3, class) if class == Class::Continuation as u8 => 760,
        (_, class) if class == Class::LeadChinese as u8 => 820,
        (_, class) if class == Class::LeadFullWidth as u8 => 741,
        (_, class) if class == Class::LeadLatin as u8 => 450,
        (_, class) if class == Class::Lead2 as u8 => 864,
        (_, class) if class == Class::Lead3 as u8 => 929,
        (_, class) if class == Class::Lead4 as u8 => 2_796,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// True counts are those of `o200k_base`.
    fn check(text: &str, truth: u64) {
        let guess = estimate(text);
        let error = (guess as f64 - truth as f64).abs() / truth as f64;
        assert!(error <= 0.2, "{guess} for {truth}: {text}");
    }

    #[test]
    fn the_estimate_is_near_the_true_count() {
        check(
            "The settlement job runs every night and writes its report into the shared folder, so that the finance team finds it there in the morning. If the bank is closed, it waits for the next working day and says so in the log.",
            47,
        );
        check(
            "测试环境的数据库是真实的，不要用假的数据来代替。每次部署之前先跑一遍迁移脚本，确认没有问题之后再合并到主分支。如果遇到权限错误，请先检查配置文件里的用户名。",
            53,
        );
        check(
            "pub fn settle(batch: &Batch, now: Timestamp) -> Result<Report, Failure> {\n    let rows = batch.rows().filter(|row| row.due <= now);\n    let total: i64 = rows.map(|row| row.amount).sum();\n    Ok(Report { total, at: now })\n}\n",
            66,
        );
        check(
            "{\"name\":\"project-rates\",\"type\":\"project\",\"modified\":\"2026-03-27T08:20:00.000Z\",\"uses\":[{\"path\":\"a.md\",\"count\":64},{\"path\":\"b.md\",\"count\":3}]}",
            51,
        );
        check(
            "- [Rates](project_rates.md) — rates are agreed per merchant group, not per merchant\n- [端口](project_port.md) — 预发环境端口 7431\n",
            40,
        );
        for (text, truth) in [
            (
                "Die Einstellungen für die nächtliche Übertragung müssen geprüft werden, bevor die Größe der Datei geändert wird.",
                21,
            ),
            ("Avant de modifier le schéma, vérifiez que les données ont été sauvegardées et prévenez l'équipe.", 24),
            ("Bir dosyayı değiştirmeden önce testleri çalıştır ve sonucu kullanıcıya göster.", 18),
            (
                "fn main() {\n    let total: u64 = rows.iter().map(|row| row.amount).sum();\n    println!(\"{total}\");\n}\n",
                29,
            ),
            (
                r#"{"type":"user","uuid":"3f2b9c1e-77aa-4c1b-9d53-0b6a1e2f4c88","message":{"role":"user","content":"run the tests again"}}"#,
                53,
            ),
        ] {
            let guess = estimate(text);
            assert!(guess.abs_diff(truth) * 4 <= truth + 3, "{guess} for {truth}: {text}");
        }
        check("テストは毎回本番と同じデータベースで実行してください。結果は共有フォルダーに保存されます。", 30);
    }

    #[test]
    fn nothing_costs_nothing_and_one_letter_one() {
        assert_eq!((estimate(""), estimate("a"), budget("")), (0, 1, 0));
    }

    #[test]
    fn the_budget_counts_ascii_by_four_and_all_else_by_one() {
        for (text, want) in [("abcd", 1), ("abcde", 2), ("中文", 2), ("a中b", 2), ("👍", 1), ("é", 1)] {
            assert_eq!(budget(text), want, "{text}");
        }
    }
}
