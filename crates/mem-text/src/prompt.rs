//! Says whether a prompt holds anything that a memory could be recalled by.

use crate::stems::is_stop_word;
use crate::words::{Kind, Splitter};

/// Why a prompt recalls nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// No text.
    Blank,
    /// `/compact` and the like: an order to the agent itself.
    SlashCommand,
    /// Text that the agent wrote in the user's place, such as `<task-notification>`.
    NotTheUsers,
    /// `ok`, `thanks`, `继续`: nothing but courtesy and assent.
    SaysNothing,
}

impl Silence {
    /// Returns the reason in words for a person.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Blank => "the prompt is empty",
            Self::SlashCommand => "the prompt is a slash command",
            Self::NotTheUsers => "the prompt was not written by the user",
            Self::SaysNothing => "the prompt names nothing to look for",
        }
    }
}

/// Returns why this prompt recalls nothing, or `None` when it is worth a search.
pub fn silence(prompt: &str) -> Option<Silence> {
    let prompt = prompt.trim_matches(|one: char| one.is_whitespace() || one == '\u{feff}' || one == '\u{200b}');
    if prompt.is_empty() {
        Some(Silence::Blank)
    } else if is_slash_command(prompt) {
        Some(Silence::SlashCommand)
    } else if HOST_TAGS.iter().any(|tag| is_tagged(prompt, tag)) {
        Some(Silence::NotTheUsers)
    } else if says_nothing(prompt) {
        Some(Silence::SaysNothing)
    } else {
        None
    }
}

/// Tags at the start of texts that agents put in the user's place.
#[rustfmt::skip]
const HOST_TAGS: &[&str] = &[
    "task-notification", "system-reminder", "local-command-stdout", "local-command-caveat",
    "command-name", "command-message", "bash-input", "bash-stdout",
];

/// Beginnings of requests that answer themselves: they need no memory, whatever word they happen to share with one.
#[rustfmt::skip]
const ALONE: &[&str] = &[
    "calculate", "compute", "convert", "define", "how do you say", "how do you spell", "recite", "solve", "spell",
    "sing", "tell a joke", "tell me a joke", "tell me a story", "translate", "what day is it", "what does the word",
    "what is the capital", "what is the population", "what is the weather", "what time is it", "what's the capital",
    "what's the population", "what's the weather", "whats the weather", "who invented", "who painted", "who won",
    "who wrote", "write a haiku", "write a joke", "write a limerick", "write a love letter", "write a poem",
    "write a song", "write a sonnet", "write a story", "write me a haiku", "write me a joke", "write me a poem",
    "write me a song", "write me a story", "compose a poem", "make up a story",
];
/// The same in Chinese, anywhere in the sentence.
#[rustfmt::skip]
const ALONE_CHINESE: &[&str] = &[
    "翻译成", "翻译一下", "译成", "译为", "写一首", "写首", "作一首", "背一首", "唐诗", "宋词", "讲个笑话", "说个笑话",
    "讲个故事", "讲一个故事", "天气怎么样", "天气如何", "天气预报", "的首都", "换算", "等于多少", "是什么意思", "造个句", "几点了",
    "星期几", "谁发明", "绕口令", "对联", "猜谜", "成语接龙",
];
/// Before the beginning may stand so much courtesy.
const COURTESY: &[&str] = &["please", "can you", "could you", "would you", "kindly", "hey", "now", "quickly", ","];

/// True for a request that answers itself: a poem, a translation of what it quotes, a sum, the weather.
pub fn stands_alone(prompt: &str) -> bool {
    let prompt = &prompt[..crate::words::boundary(prompt, 200)];
    let lower = prompt.to_lowercase();
    let mut rest = lower.trim_start();
    while let Some(after) = COURTESY.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = after.trim_start();
    }
    let begins = |start: &str| rest.strip_prefix(start).is_some_and(|after| !after.starts_with(char::is_alphanumeric));
    ALONE.iter().any(|start| begins(start)) || ALONE_CHINESE.iter().any(|part| lower.contains(part))
}

fn is_tagged(prompt: &str, tag: &str) -> bool {
    prompt
        .strip_prefix('<')
        .and_then(|rest| rest.strip_prefix(tag))
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// True for `/name` with or without arguments, false for a path such as `/etc/hosts is wrong`.
fn is_slash_command(prompt: &str) -> bool {
    let Some(rest) = prompt.strip_prefix('/') else {
        return false;
    };
    let name = rest.split_whitespace().next().unwrap_or("");
    !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || matches!(one, '-' | '_' | ':'))
}

fn says_nothing(prompt: &str) -> bool {
    // A long prompt says something, and need not be read to its end.
    if prompt.len() > 200 {
        return false;
    }
    let bare: String = prompt.chars().filter(|one| one.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if bare.is_empty() || covered(&bare) {
        return true;
    }
    let mut means = false;
    Splitter::default().each(prompt, |word| {
        means |= match word.kind {
            Kind::Part => !is_stop_word(word.text) && !ASSENT_WORDS.contains(&word.text),
            Kind::Two => !is_stop_word(word.text),
            Kind::One | Kind::Whole => false,
        };
    });
    !means
}

/// True when the text is nothing but phrases of assent, one behind the other: `好的谢谢继续吧`.
fn covered(bare: &str) -> bool {
    let mut rest = bare;
    while !rest.is_empty() {
        let Some(phrase) =
            ASSENT_PHRASES.iter().filter(|phrase| rest.starts_with(**phrase)).max_by_key(|phrase| phrase.len())
        else {
            return false;
        };
        rest = &rest[phrase.len()..];
    }
    true
}

#[rustfmt::skip]
const ASSENT_WORDS: &[&str] = &[
    "absolutely", "accept", "accepted", "ack", "agree", "agreed", "alright", "approve",
    "approved", "awesome", "bye", "cheers", "confirm", "confirmed", "continue", "cool",
    "correct", "danke", "excellent", "exactly", "fine", "go", "going", "good", "great", "hallo",
    "hmm", "hola", "job", "keep", "lgtm", "looks", "merci", "morning", "nah", "next", "nice",
    "nope", "perfect", "proceed", "resume", "right", "sounds", "stop", "super", "ta", "thx",
    "try", "ty", "wait", "way", "wonderful", "work", "works", "wow", "yep", "yup", "ahead",
];

#[rustfmt::skip]
const ASSENT_PHRASES: &[&str] = &[
    "好", "好的", "好了", "好吧", "好呀", "好啊", "好滴", "好嘞", "行",
    "行吧", "行啊", "可以", "可以的", "可以了", "没问题", "没事", "嗯", "嗯嗯",
    "哦", "噢", "是", "是的", "是吧", "对", "对的", "对了", "不", "不是",
    "不用", "不用了", "不对", "继续", "接着", "接着来", "下一步", "往下", "谢谢",
    "谢谢你", "多谢", "感谢", "谢了", "辛苦", "辛苦了", "你好", "您好", "早",
    "早上好", "晚上好", "再见", "拜拜", "收到", "明白", "明白了", "知道了",
    "了解", "懂了", "同意", "确认", "开始", "开始吧", "停", "停下", "等等",
    "等一下", "稍等", "再来", "再试", "试试", "重试", "太好了", "很好", "不错",
    "完美", "棒", "真棒", "厉害", "牛", "吧", "啊", "呀", "哈", "啦",
    "了", "的", "请", "就这样", "就这么办", "做吧", "来吧", "干吧", "はい",
    "いいえ", "ありがとう", "ありがとうございます", "続けて", "続けてください",
    "お願いします", "了解", "了解です", "わかりました", "네", "예", "아니요",
    "감사합니다", "고마워", "고마워요", "계속", "계속해", "계속해줘", "좋아",
    "좋아요",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(prompt: &str, expected: Option<Silence>) {
        assert_eq!(silence(prompt), expected, "{prompt:?}");
    }

    #[test]
    fn assent_and_courtesy_recall_nothing() {
        for prompt in [
            "ok",
            "OK!",
            "thanks a lot",
            "继续",
            "好的，继续吧",
            "谢谢！",
            "yes please",
            "👍",
            "...",
            "lgtm, go ahead",
            "网",
        ] {
            check(prompt, Some(Silence::SaysNothing));
        }
    }

    #[test]
    fn requests_that_answer_themselves_are_known() {
        for prompt in
            ["Please translate 'owl' into Dutch", "convert 3 miles to km", "给我讲个笑话", "tell me a joke about cats"]
        {
            assert!(stands_alone(prompt), "{prompt}");
        }
        for prompt in
            ["the converter fails", "conversion rate of the funnel", "翻译文件放在哪", "deploy", "singleton or not?"]
        {
            assert!(!stands_alone(prompt), "{prompt}");
        }
    }

    #[test]
    fn a_real_request_is_searched_in_any_language() {
        for prompt in [
            "部署前要跑哪些测试",
            "deploy",
            "数据库",
            "テストを直して",
            "fix it: ENOENT",
            "继续部署",
            "/etc/hosts is wrong",
            "#42",
        ] {
            check(prompt, None);
        }
    }

    #[test]
    fn what_the_user_did_not_say_is_passed_over() {
        check("", Some(Silence::Blank));
        check(" \n\u{200b}", Some(Silence::Blank));
        check("/compact keep the plan", Some(Silence::SlashCommand));
        check("<task-notification>\n<id>1</id>", Some(Silence::NotTheUsers));
        check("<div> does not close, why?", None);
    }
}
