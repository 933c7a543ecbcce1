//! Words that mean one thing, words that mean nothing by themselves, and words that turn a sentence round.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Words of one line mean the same in working instructions; all become the first. English ones are stems.
const SYNONYMS: &[&[&str]] = &[
    &["end", "finish", "结尾", "结束", "末尾", "最后"],
    &["summary", "recap", "summariz", "summaris", "总结", "小结"],
    &["big", "larg", "major", "大"],
    &["small", "minor", "tiny", "小"],
    &["chang", "modify", "改动", "修改", "变更", "改"],
    &["answer", "reply", "respons", "respond", "回答", "回复", "答复"],
    &["deploy", "releas", "ship", "rollout", "部署", "发布", "上线"],
    &["commit", "提交"],
    &["messag", "信息", "消息"],
    &["comment", "注释"],
    &["test", "测试", "测"],
    &["databas", "db", "数据库"],
    &["option", "alternativ", "方案", "选项"],
    &["log", "日志"],
    &["port", "端口"],
    &["environ", "env", "环境"],
    &["production", "prod", "生产", "线上"],
    &["stag", "预发"],
    &["error", "错误", "报错"],
    &["fil", "文件"],
    &["document", "doc", "文档"],
    &["cod", "代码"],
    &["branch", "分支"],
    &["report", "报表", "报告"],
    &["check", "verify", "检查", "核对"],
    &["folder", "directory", "目录", "文件夹"],
    &["fix", "修复", "修"],
    &["english", "英文", "英语"],
    &["chines", "中文", "汉语"],
    &["choic", "choos", "select", "pick", "选", "选择"],
    &["show", "present", "display", "列", "列出"],
    &["dashboard", "board", "面板", "看板"],
    &["read", "look", "看", "查看"],
    &["writ", "written", "wrot", "写"],
    &["merg", "合并"],
    &["review", "评审", "审查"],
    &["languag", "语言"],
    &["interfac", "api", "接口"],
    &["servic", "服务"],
    &["config", "configuration", "configur", "set", "配置"],
    &["cach", "缓存"],
    &["backup", "备份"],
    &["password", "密码"],
    &["kept", "retain", "保留"],
    &["run", "execut", "跑", "运行", "执行"],
    &["delet", "remov", "删除", "删", "去掉"],
    &["ask", "问", "询问"],
    &["most", "maximum", "max", "under", "below", "最多", "至多", "不超过", "不要超过", "不能超过", "不得超过", "以内"],
    &["least", "minimum", "最少", "至少", "不少于"],
    &["brief", "short", "concis", "简短", "简洁", "精简"],
    &["approv", "consent", "批准", "同意"],
    &["explain", "explanat", "describ", "解释", "说明"],
    &["begin", "start", "开始"],
    &["meeting", "会议", "开会"],
    &["customer", "client", "客户"],
    &["need", "requir"],
    &["field", "行业"],
];

const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "always", "am", "an", "and", "any", "anyway", "are", "as", "at",
    "be", "been", "before", "being", "but", "by", "can", "could", "did", "do", "does", "done", "each", "every",
    "first", "for", "get", "gets", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in", "into", "is",
    "it", "its", "just", "keep", "longer", "instead", "rather", "like", "may", "me", "might", "must", "my", "now",
    "of", "off", "on", "once", "one", "only", "or", "our", "out", "please", "prefer", "prefers", "same", "shall",
    "she", "should", "since", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "those", "time", "to", "too", "until", "up", "us", "use", "used", "user", "uses", "using", "want",
    "wants", "was", "we", "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "would",
    "you", "your", "apply", "happen", "s", "see", "more", "anymore",
];

const CHINESE_STOPS: &[&str] = &[
    "一律", "必须", "应该", "需要", "每次", "所有", "统一", "用户", "自己", "以及", "或者", "然后", "因为", "所以",
    "如果", "时候", "一遍", "一次", "一个", "这个", "那个", "已经", "可以", "直接", "之前", "之后", "以后", "以前",
    "的话", "改用", "使用", "还是", "就是", "都是", "什么", "的", "了", "是", "在", "把", "要", "用", "都", "就", "也",
    "还", "再", "先", "会", "做", "给", "等", "和", "与", "及", "或", "对", "为", "以", "请", "我", "你", "他", "它",
    "们", "这", "那", "时", "后", "前", "里", "按", "让", "被",
];

/// Forbid the whole clause in which they stand.
const DENYING: &[&str] = &[
    "never",
    "don't",
    "dont",
    "doesn't",
    "no",
    "avoid",
    "forbid",
    "forbidden",
    "stop",
    "without",
    "cannot",
    "can't",
    "mustn't",
    "gone",
    "废弃",
    "弃用",
    "不要",
    "别",
    "勿",
    "禁止",
    "避免",
    "不能",
    "不得",
    "不准",
];

/// Forbid what stands behind them.
const CONTRASTING: [&str; 13] = [
    "not",
    "no longer",
    "instead of",
    "rather than",
    "isn't",
    "aren't",
    "不再",
    "而不是",
    "不是",
    "不按",
    "不用",
    "不",
    "没有",
];

/// Stems of words that tell of a change "from" one thing "to" another.
const MOVING: [&str; 8] = ["mov", "switch", "chang", "migrat", "went", "shift", "convert", "replac"];

/// Whether a word of that hash tells of a change.
pub(super) fn tells_of_change(word: u64) -> bool {
    MOVING.iter().any(|stem| super::features::hash(canonical(stem)) == word)
}

/// Whether a word, lower case, tells what is liked better.
pub(super) fn tells_of_preference(word: &str) -> bool {
    ["prefer", "favor", "favour"].iter().any(|stem| word.starts_with(stem))
}

/// What stands in Chinese between that which is left and that which is new: 从 MySQL 换成 PostgreSQL.
const BECOMES: [&str; 10] = ["换成", "改成", "改为", "改用", "变成", "变为", "迁到", "迁移到", "切换到", "换到"];

/// Returns how many bytes lie between a 从 at the start of `rest` and the word that tells what became of it, within the
/// clause.
pub(super) fn left_behind(rest: &str) -> Option<usize> {
    const MOST: usize = 120;
    let tail = rest.strip_prefix('从')?;
    let clause = crate::cut::bytes(tail, MOST).split(['，', '。', '；', '\n', ',', ';']).next()?;
    let at = BECOMES.iter().filter_map(|word| clause.find(word)).min()?;
    Some('从'.len_utf8() + at)
}

/// Returns what a stem stands for.
pub(super) fn canonical(stem: &str) -> &str {
    CANONICAL.get(stem).copied().unwrap_or(stem)
}

/// What an English word, lower case, does in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum English {
    Stop,
    Joins,
    Denies,
    Contrasts,
    /// What follows is left, up to the next "to", when the word before it tells of a change.
    Leaves,
    /// Contrasts when this word follows; else it is a stop word, or denies.
    ContrastsWith(&'static str),
    /// A number or weekday; weekdays count from 101.
    Value(u8),
    Other,
}

/// Returns what `word`, in lower case, does.
pub(super) fn english(word: &str) -> English {
    ENGLISH.get(word).copied().unwrap_or(English::Other)
}

// Looked up by hash: each is asked for each word of each memory. Made when first asked, in some 10 µs.
static CANONICAL: LazyLock<HashMap<&str, &str>> =
    LazyLock::new(|| SYNONYMS.iter().flat_map(|group| group.iter().map(|word| (*word, group[0]))).collect());

static ENGLISH: LazyLock<HashMap<&str, English>> = LazyLock::new(|| {
    let mut table: HashMap<&str, English> = STOP_WORDS.iter().map(|word| (*word, English::Stop)).collect();
    table.extend(DENYING.iter().map(|word| (*word, English::Denies)));
    table.extend([("and", English::Joins), ("but", English::Joins), ("from", English::Leaves)]);
    for entry in CONTRASTING {
        match entry.split_once(' ') {
            Some((first, second)) => table.insert(first, English::ContrastsWith(second)),
            None => table.insert(entry, English::Contrasts),
        };
    }
    table.extend(NUMBERS.iter().zip(2..).map(|(word, number)| (*word, English::Value(number))));
    for (word, number) in DAYS.iter().zip((101..).flat_map(|number| [number; 2])) {
        table.insert(word, English::Value(number));
    }
    table
});

const NUMBERS: &[&str] = &["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Each day with its plural.
const DAYS: &[&str] = &[
    "monday",
    "mondays",
    "tuesday",
    "tuesdays",
    "wednesday",
    "wednesdays",
    "thursday",
    "thursdays",
    "friday",
    "fridays",
    "saturday",
    "saturdays",
    "sunday",
    "sundays",
];

/// What a place in Chinese text begins with; the number is how many bytes it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chinese {
    /// A word that means something of its own.
    Word(&'static str, usize),
    Stop(usize),
    Denies(usize),
    Contrasts(usize),
    /// A value: a weekday or a number before a measure word.
    Value(u8, usize),
    Other,
}

impl Chinese {
    fn length(self) -> usize {
        match self {
            Self::Word(_, length) | Self::Value(_, length) => length,
            Self::Stop(length) | Self::Denies(length) | Self::Contrasts(length) => length,
            Self::Other => 0,
        }
    }
}

/// The known Chinese words by their first character.
static CHINESE: LazyLock<HashMap<char, Vec<(&str, Chinese)>>> = LazyLock::new(|| {
    let known = SYNONYMS.iter().flat_map(|group| group.iter().map(|word| (*word, Chinese::Word(group[0], word.len()))));
    let stops = CHINESE_STOPS.iter().map(|word| (*word, Chinese::Stop(word.len())));
    let denying = DENYING.iter().map(|word| (*word, Chinese::Denies(word.len())));
    let contrasting = CONTRASTING.iter().map(|word| (*word, Chinese::Contrasts(word.len())));
    let mut table: HashMap<char, Vec<(&str, Chinese)>> = HashMap::new();
    for (word, meaning) in known.chain(denying).chain(contrasting).chain(stops).filter(|(word, _)| !word.is_ascii()) {
        let first = word.chars().next().expect("every word of the lists has a character");
        table.entry(first).or_default().push((word, meaning));
    }
    table
});

/// Returns the longest known word that `rest` begins with.
pub(super) fn chinese(rest: &str) -> Chinese {
    let Some(first) = rest.chars().next() else {
        return Chinese::Other;
    };
    let known = CHINESE.get(&first).into_iter().flatten().filter(|(word, _)| rest.starts_with(word));
    let best = known.map(|(_, meaning)| *meaning).max_by_key(|meaning| meaning.length()).unwrap_or(Chinese::Other);
    match chinese_value(rest) {
        Some((value, length)) if length > best.length() => Chinese::Value(value, length),
        _ => best,
    }
}

/// 周五 and 两天 as numbers; weekdays count from 101.
fn chinese_value(rest: &str) -> Option<(u8, usize)> {
    for week in ["周", "星期", "礼拜"] {
        if let Some(day) = rest.strip_prefix(week).and_then(|tail| tail.chars().next()) {
            let index = "一二三四五六日天".chars().position(|c| c == day)?;
            return Some((101 + u8::try_from(index.min(6)).ok()?, week.len() + day.len_utf8()));
        }
    }
    let mut letters = rest.chars();
    let digit = letters.next()?;
    let measure = letters.next()?;
    let value = if digit == '两' {
        2
    } else {
        u8::try_from("零一二三四五六七八九十".chars().position(|c| c == digit)?).ok()?
    };
    // "一" counts nothing in most of its words.
    (value > 1 && "天周月年个次条行格位分秒小种家台点号度页层元人日时份倍块步".contains(measure))
        .then_some((value, digit.len_utf8()))
}

/// Returns a light stem: plural, -ing, -ed, -ment, -ly and a last e go.
pub(super) fn stem(word: &str) -> String {
    let mut stem = word.to_owned();
    if stem.len() > 4 && stem.ends_with("ies") {
        stem.truncate(stem.len() - 3);
        stem.push('y');
        return stem;
    }
    if stem.len() > 3 && stem.ends_with('s') && !stem.ends_with("ss") && !stem.ends_with("us") {
        stem.pop();
    }
    if stem.len() > 5 && stem.ends_with("ied") {
        stem.truncate(stem.len() - 3);
        stem.push('y');
        return stem;
    }
    for (suffix, least) in [("ment", 9), ("ing", 6), ("ed", 5), ("ly", 6)] {
        if stem.len() >= least && stem.ends_with(suffix) {
            stem.truncate(stem.len() - suffix.len());
            undouble(&mut stem);
            break;
        }
    }
    if stem.len() > 3 && stem.ends_with('e') {
        stem.pop();
    }
    stem
}

fn undouble(stem: &mut String) {
    let bytes = stem.as_bytes();
    if let [.., before, last] = bytes
        && before == last
        && !b"lsz".contains(last)
    {
        stem.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_synonyms_are_stems_and_stand_in_one_line_only() {
        let words: Vec<&str> = SYNONYMS.iter().flat_map(|group| group.iter().copied()).collect();
        for word in words.iter().filter(|word| word.is_ascii()) {
            assert!(stem(word) == **word || stem(&format!("{word}e")) == **word, "{word}");
            assert!(!word.ends_with('e') || word.len() < 4, "{word} loses its e");
        }
        for word in &words {
            assert_eq!(words.iter().filter(|other| other == &word).count(), 1, "{word}");
            assert_eq!(english(word), English::Other, "{word}");
        }
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            ["deploy", "deploys", "deployments"],
            ["commit", "commits", "committed"],
            ["merge", "merged", "merging"],
            ["summary", "summaries", "summary"],
            ["retry", "retries", "retried"],
        ] {
            assert_eq!(stem(forms[0]), stem(forms[1]));
            assert_eq!(stem(forms[1]), stem(forms[2]));
        }
    }
}
