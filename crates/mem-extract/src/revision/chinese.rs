//! Revisions in Chinese.

use super::Revision;

/// Marks and sounds that open a sentence.
const FILLERS: [char; 16] = ['嗯', '呃', '哎', '啊', '哦', '诶', '唉', '，', ',', ' ', '：', ':', '。', '—', '…', '、'];
/// Heads that may as well answer the assistant.
const WEAK: &str = "不不不; 不不; 不是; 不";
/// Heads that can only mean that what was said no longer counts.
const STRONG: &str = "不对不对; 不对; 错了; 说错了; 我说错了; 搞错了; 我搞错了; 记错了; 我记错了; 口误; 改主意了; 我改主意了; 我改主意; \
    想了想; 我想了想; 又想了想; 再想想; 仔细想想; 等等; 等一下; 等下; 更正一下; 更正; 纠正一下; 纠正; 应该说; 我是说; 我的意思是";
/// Heads that take back in so many words.
const TAKING_BACK: &str = "算了算了; 算了; 收回刚才的话; 我收回刚才的话; 收回; 刚才那条不算; 刚才的不算; 刚才说的不算; 刚才那句不算; 当我没说; \
    忘掉刚才说的; 忘掉刚才那条; 忘了刚才说的; 别管刚才说的; 刚才那条作废; 刚才说的作废; 作废; 撤回; 取消刚才那条; 刚才那条取消";
/// What may stand before what is chosen.
const CHOOSING: &str = "那还是; 还是; 那就; 就; 那; 应该是; 是";
/// What chooses and stands before a bare value.
const CHANGING: &str = "改成; 改为; 改回; 换成; 换回; 换为; 换";
/// Verbs of a manner.
const MANNER: &str =
    "使用; 采用; 写成; 写; 用; 走; 按; 照; 叫; 放在; 放; 标; 记; 画成; 画; 译成; 译; 存; 跑; 说; 讲; 回; 选; 以";
/// What says that a rule lasts, at its head.
const LASTING: [&str; 12] =
    ["从现在起", "从今以后", "从今天起", "从现在开始", "以后", "今后", "往后", "每次", "下次", "一律", "统一", "默认"];

pub(super) fn read(sentence: &str) -> Option<Revision> {
    let mut rest = sentence.trim_start_matches(FILLERS);
    let (mut is_weak, mut is_strong, mut takes_back) = (false, false, false);
    while let Some((head, back, strong)) = head(rest) {
        let behind = &rest[head.len()..];
        // 不要, 不对称: the head of another word.
        if !behind.starts_with(FILLERS)
            && !behind.is_empty()
            && !starts_with_any(behind, CHOOSING)
            && !starts_with_any(behind, CHANGING)
        {
            break;
        }
        takes_back |= back;
        is_strong |= strong;
        is_weak = true;
        rest = behind.trim_start_matches(FILLERS);
    }
    let bare = rest.trim_end_matches(['。', '！', '!', '.', ' ', '～']);
    // 还是用npm吧 revises by itself.
    let chooses_again = bare.starts_with("还是") && bare.ends_with(['吧', '好']);
    if !(is_weak || is_strong || chooses_again) {
        return None;
    }
    let is_asked = bare.ends_with(['吧', '吗', '呢', '？', '?']) && !bare.ends_with('吧');
    if is_asked {
        return None;
    }
    let mut content = bare.trim_end_matches('了').trim_end_matches("好").trim_end_matches('吧');
    if let Some(word) = longest(content, CHOOSING) {
        content = content[word.len()..].trim_start();
    }
    content = content.strip_prefix("改用").map_or(content, |_| &content["改".len()..]);
    Some(Revision { content: content.to_owned(), takes_back, is_strong: is_strong || takes_back })
}

fn head(text: &str) -> Option<(&'static str, bool, bool)> {
    let back = longest(text, TAKING_BACK).map(|head| (head, true, true));
    let strong = longest(text, STRONG).map(|head| (head, false, true));
    let weak = longest(text, WEAK).map(|head| (head, false, false));
    [back, strong, weak].into_iter().flatten().max_by_key(|(head, ..)| head.len())
}

fn longest(text: &str, words: &'static str) -> Option<&'static str> {
    words.split("; ").filter(|word| text.starts_with(word)).max_by_key(|word| word.len())
}

fn starts_with_any(text: &str, words: &str) -> bool {
    words.split("; ").any(|word| text.starts_with(word))
}

pub(super) fn apply(old: &str, revision: &Revision) -> Option<String> {
    let content = revision.content.trim();
    let clause = old.split(['，', '；', '。', '！', '（']).next().unwrap_or(old).trim();
    let value = longest(content, CHANGING).map(|word| content[word.len()..].trim());
    let is_about_one =
        ["这里", "这儿", "那里", "这个", "那个", "这行", "这段"].iter().any(|word| content.contains(word));
    if content.is_empty() || is_about_one || content.starts_with(['我', '你', '他', '她']) {
        return None;
    }
    match value {
        Some(value) => replaced(clause, last_verb(clause)?, value),
        None => match longest(content, MANNER) {
            Some(verb) => match clause.rfind(verb).filter(|at| !is_denied(clause, *at)) {
                Some(at) => replaced(clause, (at, verb), &content[verb.len()..]),
                None => {
                    let shares = !crate::terms::terms(old).is_disjoint(&crate::terms::terms(content));
                    (shares || revision.takes_back || revision.is_strong).then(|| lasting(clause, content))
                }
            },
            None if crate::reading::signs(content).any(&[crate::cue::Cue::Prohibition, crate::cue::Cue::Deontic]) => {
                let shares = !crate::terms::terms(old).is_disjoint(&crate::terms::terms(content));
                shares.then(|| lasting(clause, content))
            }
            None if content.chars().count() <= 8 && !content.contains(['，', '了', '没', '还', '差']) => {
                replaced(clause, last_verb(clause)?, content)
            }
            None => None,
        },
    }
}

fn is_denied(clause: &str, at: usize) -> bool {
    clause[..at].ends_with(['不', '别', '勿', '没'])
}

/// Returns the last verb of a manner, the longest that stands there.
fn last_verb(clause: &str) -> Option<(usize, &'static str)> {
    let places = MANNER.split("; ").filter_map(|verb| clause.rfind(verb).map(|at| (at, verb)));
    places.max_by_key(|(at, verb)| (at + verb.len(), verb.len()))
}

fn replaced(clause: &str, (at, verb): (usize, &str), value: &str) -> Option<String> {
    (!value.is_empty()).then(|| format!("{}{}。", &clause[..at + verb.len()], value.trim()))
}

/// Puts what says that a rule lasts in front of what takes its place.
fn lasting(clause: &str, content: &str) -> String {
    let has_own = LASTING.iter().any(|word| content.contains(word));
    let head = LASTING.iter().find(|word| clause.contains(*word)).filter(|_| !has_own).copied().unwrap_or_default();
    format!("{head}{content}。")
}
