//! What the characters of a text cost in model tokens: the numbers behind [`super::estimate`].
//!
//! They are a non-negative least-squares fit, held near the mean of each class, to the true counts of `o200k_base` over
//! instruction files, memories and transcripts, code in a dozen languages, interface texts in ninety languages, and
//! numbers, hashes and base64 that were made for it. All are thousandths of a token.

/// Kinds of characters that cost differently. A character of several bytes is known by its first.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Class {
    Start,
    Lower,
    Upper,
    Digit,
    Blank,
    LineEnd,
    Mark,
    Control,
    /// Signs such as `§`, and scripts that are rare.
    Lead2,
    /// `é`, `ü` and others of Latin-1.
    Accent,
    /// `ł`, `ş`, `č`.
    LatinExtended,
    /// `ơ`, `ư`.
    Horn,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    /// The scripts of India, and Thai.
    Indic,
    /// Most of Vietnamese; Georgian, Khmer.
    LeadE1,
    /// Dashes, quotation marks, arrows, lines of boxes.
    Sign,
    /// Japanese syllables, and Chinese punctuation.
    Kana,
    Han,
    Hangul,
    FullWidth,
    Lead4,
    /// Further bytes of a character, by what they tell about it: here nothing.
    Further,
    /// Dashes and quotation marks among the signs, Chinese punctuation among the syllables.
    Further80,
    /// Thai.
    FurtherB8,
    /// Vietnamese.
    FurtherBa,
}

/// The classes that a byte may have.
const CLASSES: usize = 28;
/// The classes of the first byte of a character.
pub(super) const FIRST: usize = 24;
/// Classes in the table of bytes take so many bits; above them stand [`DENSE`] and [`MARK`].
pub(super) const CLASS_BITS: u8 = 0x1f;
/// Marks the bytes of base64 and hexadecimal numbers.
pub(super) const DENSE: u8 = 0x20;
/// Marks the bytes of which several in a row are hardly more than one: `====`.
pub(super) const MARK: u8 = 0x40;

/// What each further of several equal marks costs.
pub(super) const REPEATED: u32 = 22;
/// What a traditional Chinese character costs more than others: the pieces of a tokenizer are mostly simplified.
pub(super) const TRADITIONAL_MORE: u32 = 682;
/// What 64 bytes of base64 cost.
pub(super) const BASE64: u32 = 43658;
/// What 64 bytes of a hexadecimal number cost.
pub(super) const HEXADECIMAL: u32 = 36493;

/// The class of each byte, with its marks.
pub(super) static BYTES: [u8; 256] = bytes();

const fn bytes() -> [u8; 256] {
    let mut bytes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let class = class_of(byte as u8) as u8;
        let is_dense = (byte as u8).is_ascii_alphanumeric()
            || matches!(byte as u8, b'+' | b'/' | b'_' | b'=' | b'-' | b'\n' | b'\r');
        let mark = if class == Class::Mark as u8 { MARK } else { 0 };
        bytes[byte] = class | mark | if is_dense { DENSE } else { 0 };
        byte += 1;
    }
    bytes
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
        0x80 => Class::Further80,
        0xb8 | 0xb9 => Class::FurtherB8,
        0xba | 0xbb => Class::FurtherBa,
        0x81..=0xbf => Class::Further,
        0xc3 => Class::Accent,
        0xc4 | 0xc5 => Class::LatinExtended,
        0xc6 => Class::Horn,
        0xce | 0xcf => Class::Greek,
        0xd0..=0xd3 => Class::Cyrillic,
        0xd4..=0xd7 => Class::Hebrew,
        0xd8..=0xdb => Class::Arabic,
        0xc0..=0xdf => Class::Lead2,
        0xe0 => Class::Indic,
        0xe1 => Class::LeadE1,
        0xe2 => Class::Sign,
        0xe3 => Class::Kana,
        0xe4..=0xe9 => Class::Han,
        0xea..=0xee => Class::Hangul,
        0xef => Class::FullWidth,
        0xf0..=0xff => Class::Lead4,
    }
}

/// Returns whether a character is one of those that only traditional Chinese writes, of the common ones.
pub(super) fn is_traditional(character: u32) -> bool {
    let place = character as usize;
    TRADITIONAL.get(place / 64).is_some_and(|bits| bits >> (place % 64) & 1 == 1)
}

/// A bit for each character up to the last Chinese one.
static TRADITIONAL: [u64; 0xa000 / 64] = traditional();

const fn traditional() -> [u64; 0xa000 / 64] {
    let text = TRADITIONAL_TEXT.as_bytes();
    let mut bits = [0; 0xa000 / 64];
    let mut at = 0;
    while at + 2 < text.len() {
        let character = han(text[at], text[at + 1], text[at + 2]) as usize;
        bits[character / 64] |= 1 << (character % 64);
        at += 3;
    }
    bits
}

/// Returns the character that three bytes of UTF-8 spell.
pub(super) const fn han(first: u8, second: u8, third: u8) -> u32 {
    ((first & 0x0f) as u32) << 12 | ((second & 0x3f) as u32) << 6 | (third & 0x3f) as u32
}

const TRADITIONAL_TEXT: &str = "這個們為時會來說對與後過還開關點無電機動學體發當實現問題應樣數據庫檔碼設計處見長門間頭進運行業務東車馬風書讀寫語話請謝謂誰請講訊號單戶導連線\
     網絡緩記憶結構環境變圖標檢測試驗證錯誤類別選項預覽總確認將從讓給經已種級約終紅綠藍黃麼嗎師傳遞傑億優儲則劃剛創劇勞勢區協參雙賣買質費資貨責敗\
     貿賬賽買轉輸輕較載農邊達遠適遲選還郵鄉醫釋針銀鋼錄鍵鎖鏡閉閱陽際隨險離難靈順須領頻顆顯飛養驅體齊龍執報場塊壓壞聲復夠夥奪獎婦媽孫寧審寬層屬島\
     帶幫幣廠廢廣張強彈彙徑徹恆懷態慣戰戲戶揮換損搖擇擊擔據擴攜擬敵數斷於時晉曆書榮樂樓標權歲歷歸殺氣決沒況淚淨減測渦湯滅滿漁漢潔濃濟災爐爭爺牆獨\
     獲環產畫畢異療盡監盤眾礎確禮禦離種稱穩窩競筆節範築簡籤糧緊緒線編績織繼續羅聯聽職脫腦臉臨舉舊蘭處虛蟲裝補複視覺觀觸計訂討訓託訪訴診詞詢該詳認\
     誌誤調談論諸證識譯議護譜豐貝負貢軌軍軟農遺鄰醒釋鐘鐵閃閒隊陣陳陸隱雜雞雲頁預頗頸顏願額風餘館駕騎驗鬆鬧鳥鹽麥點黨";

/// What a byte costs by its class, behind a character of another class. Not read behind the classes of further bytes.
#[rustfmt::skip]
static COSTS: [[u16; CLASSES]; FIRST] = [
    // Behind Start.
    [0, 143, 641, 663, 63, 719, 790, 3969, 1489, 1401, 1174, 0, 419, 327, 447, 343, 400, 379, 1266, 669, 740, 685, 859, 339, 0, 0, 0, 0],
    // Behind Lower.
    [0, 54, 435, 1051, 363, 1184, 707, 3969, 1445, 1286, 1378, 0, 417, 318, 443, 342, 399, 0, 1334, 905, 638, 685, 940, 339, 0, 0, 0, 0],
    // Behind Upper.
    [0, 326, 127, 1020, 499, 1272, 1170, 3969, 1482, 1514, 1231, 0, 417, 318, 444, 342, 399, 174, 1268, 683, 708, 684, 812, 339, 0, 0, 0, 0],
    // Behind Digit.
    [0, 845, 512, 205, 167, 1392, 797, 3969, 1456, 1396, 1176, 0, 417, 316, 444, 341, 399, 383, 1694, 741, 910, 682, 870, 339, 0, 0, 0, 0],
    // Behind Blank.
    [0, 491, 488, 1819, 7, 807, 885, 3969, 1390, 1408, 641, 3, 140, 140, 397, 184, 284, 301, 890, 681, 1083, 725, 816, 398, 0, 0, 0, 0],
    // Behind LineEnd.
    [0, 953, 548, 870, 826, 0, 636, 3969, 1503, 1392, 1165, 0, 421, 322, 452, 340, 419, 395, 1365, 667, 1035, 684, 861, 339, 0, 0, 0, 0],
    // Behind Mark.
    [0, 667, 343, 960, 252, 202, 359, 3888, 1490, 1411, 1150, 0, 536, 1093, 569, 449, 456, 458, 1209, 805, 530, 697, 1073, 353, 0, 0, 0, 0],
    // Behind Control.
    [0, 195, 193, 664, 59, 720, 604, 3969, 1489, 1401, 1176, 0, 417, 316, 444, 341, 399, 383, 1266, 688, 749, 686, 859, 339, 0, 0, 0, 0],
    // Behind Lead2.
    [0, 154, 206, 671, 4, 744, 668, 3969, 1459, 1399, 1175, 0, 417, 279, 434, 329, 399, 401, 1266, 688, 749, 686, 859, 339, 0, 0, 2, 0],
    // Behind Accent.
    [0, 0, 183, 664, 134, 722, 795, 3969, 1488, 1477, 1145, 1, 417, 316, 444, 341, 399, 384, 1266, 688, 749, 686, 859, 339, 0, 3, 101, 36],
    // Behind LatinExt.
    [0, 377, 176, 664, 176, 623, 825, 3969, 1487, 1295, 720, 0, 417, 316, 444, 341, 399, 0, 1267, 688, 749, 686, 859, 339, 0, 1, 2, 68],
    // Behind Horn.
    [0, 52, 195, 664, 56, 720, 685, 3969, 1489, 1401, 1176, 0, 417, 316, 444, 341, 399, 0, 1266, 688, 749, 686, 859, 339, 0, 0, 0, 0],
    // Behind Greek.
    [0, 201, 193, 664, 0, 729, 646, 3969, 1489, 1401, 1176, 0, 446, 316, 444, 341, 399, 383, 1265, 688, 749, 686, 859, 339, 18, 0, 0, 65],
    // Behind Cyrillic.
    [0, 195, 193, 668, 192, 734, 1086, 3969, 1526, 1401, 1176, 0, 417, 0, 444, 341, 399, 383, 1268, 688, 749, 686, 859, 339, 309, 108, 0, 15],
    // Behind Hebrew.
    [0, 198, 192, 664, 136, 736, 680, 3969, 1486, 1401, 1176, 0, 417, 316, 330, 341, 399, 383, 1265, 688, 749, 686, 859, 339, 70, 0, 0, 0],
    // Behind Arabic.
    [0, 195, 193, 664, 15, 731, 658, 3969, 1491, 1401, 1176, 0, 417, 316, 444, 195, 399, 383, 1308, 688, 749, 686, 859, 339, 147, 0, 0, 27],
    // Behind Indic.
    [0, 195, 193, 664, 3, 754, 656, 3969, 1489, 1401, 1176, 0, 417, 316, 444, 341, 304, 383, 1258, 688, 749, 686, 859, 339, 50, 0, 55, 0],
    // Behind LeadE1.
    [0, 0, 194, 664, 0, 744, 719, 3969, 1510, 1402, 1176, 0, 417, 316, 444, 341, 400, 456, 1288, 688, 749, 686, 859, 339, 0, 123, 61, 0],
    // Behind Sign.
    [0, 324, 229, 657, 0, 690, 888, 3969, 1492, 1399, 1176, 0, 417, 323, 448, 390, 399, 401, 842, 651, 656, 684, 901, 336, 217, 0, 1, 2],
    // Behind Kana.
    [0, 280, 253, 670, 0, 1339, 745, 3969, 1489, 1401, 1176, 0, 417, 316, 444, 341, 399, 383, 1250, 510, 869, 686, 848, 339, 36, 0, 506, 0],
    // Behind Han.
    [0, 191, 132, 764, 57, 1385, 700, 3969, 1490, 1401, 1176, 0, 417, 316, 444, 341, 399, 383, 1201, 671, 423, 686, 657, 339, 119, 0, 477, 0],
    // Behind Hangul.
    [0, 195, 194, 666, 40, 720, 746, 3969, 1489, 1401, 1176, 0, 417, 316, 444, 341, 399, 383, 1264, 688, 749, 631, 859, 339, 0, 0, 38, 2],
    // Behind FullWidth.
    [0, 241, 167, 625, 85, 715, 735, 3969, 1489, 1401, 1176, 0, 417, 316, 444, 341, 399, 383, 1259, 695, 743, 686, 866, 339, 60, 0, 46, 0],
    // Behind Lead4.
    [0, 195, 193, 664, 121, 722, 690, 3969, 1489, 1401, 1176, 0, 417, 316, 444, 341, 399, 383, 1262, 688, 749, 686, 864, 335, 196, 0, 0, 4],
];

/// What a byte costs: index `32 * class of the character before + own class`.
pub(super) static COST: [u16; 1024] = padded();

const fn padded() -> [u16; 1024] {
    let mut padded = [0; 1024];
    let mut before = 0;
    while before < FIRST {
        let mut class = 0;
        while class < CLASSES {
            padded[before * 32 + class] = COSTS[before][class];
            class += 1;
        }
        before += 1;
    }
    padded
}
