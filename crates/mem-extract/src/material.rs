//! Text that is only worked on: to be translated, proofread, put on a sign, said by somebody in a story.
//!
//! Its sentences say nothing to the assistant. What asks for the work stays, the material goes.

use crate::phrase::{Words, contains};
use crate::typed::{self, Sentence};

/// Verbs of work on a text that stands in the message.
const WORK: &str = "translate; translation of; proofread; proof-read; proof read; rephrase; reword; paraphrase; rewrite; summarise; \
    summarize; spellcheck; spell-check; polish; copyedit; copy-edit; edit; correct the grammar|spelling|punctuation; fix the \
    grammar|spelling|punctuation|wording|typos; check the grammar|spelling|punctuation|wording; check my ?; improve the \
    wording|style|flow; smooth; shorten; condense; caption; transcribe; parse; annotate; critique; make this|it sound; back-translate; \
    say this|that in; how do i|you say; what does";
/// Words that stand for the text.
const TEXTS: &str = "this; that; these; those; the following; following; my ?; the ? above|below; below; above; the text|sentence|\
    paragraph|line|passage|quote|mail|email|letter|message|note|caption|slogan|announcement|notice|abstract|blurb|poem|lyrics|verse|\
    clause|excerpt|transcript; a text|sentence|paragraph|passage|letter";
/// Nouns of a text that somebody writes, shows or performs.
const WRITINGS: &str = "text sentence paragraph line passage quote excerpt snippet caption subtitle subtitles headline slogan tagline motto \
    banner poster sign label placeholder tooltip story tale novel poem lyrics verse chorus dialogue dialog monologue script scene character \
    narrator captain villain hero heroine protagonist speech letter email e-mail mail newsletter flyer leaflet brochure advert ad blurb \
    announcement notice abstract template sample draft specimen readme copy footer header disclaimer phrase wording title joke riddle \
    fable fiction screenplay transcript chapter invitation toast eulogy obituary";
/// Verbs by which a text or a figure says something.
const SAYING: &str = "says; say; reads; read; goes; states; state; is; are; was; begins with; starts with; ends with; should read|say|be; \
    must read|say; to read; to say; saying; reading; shouts; whispers; mutters; sings; replies; runs; use; put; write; with; so far";
/// What shows that the speaker tells the assistant how to work.
const TO_THE_ASSISTANT: &str = "remember; rule; rules; convention; conventions; policy; preference; preferences; i want; i like; i prefer; i'd like you; \
    we; our; note to self; keep in mind; from now on; always; never; going forward; in future; whenever; for every; every";

const WORK_ZH: &str = "翻译; 翻成; 译成; 译为; 译一下; 译出来; 润色; 校对; 改写; 改病句; 缩写; 扩写; 仿写; 续写; 改错别字; 改语病; 总结; 概括; 朗读; 转成拼音; \
    改得通顺; 改通顺; 改得正式; 怎么翻; 怎么译; 英文怎么说; 用英语怎么说; 语法对吗; 有没有语病; 有没有错别字; 检查语法; 看看语法; 排版";
const TEXTS_ZH: &str = "这句; 这段; 这篇; 这个句子; 下面; 以下; 如下; 上面; 前面这; 这几句; 这条; 这封; 一句话; 一段话; 下文; 原文; 帮我翻译：; 翻译：; 润色：; 校对：; 这份";
const WRITINGS_ZH: &str = "故事; 小说; 台词; 剧本; 旁白; 对白; 文案; 标语; 口号; 海报; 横幅; 告示; 公告; 通知; 启事; 例文; 例句; 示例; 样例; 范文; 歌词; 诗; 邮件; 短信; \
    短文; 作文; 讲稿; 发言稿; 传单; 招牌; 说明牌; 提示语; 占位; 标题; 主角; 反派; 角色; 船长; 老板娘; 配文; 字幕; 草稿; 模板; 正文; 内容; 原文; 文本; 段落; 句子";
const TO_THE_ASSISTANT_ZH: &str =
    "规矩; 规则; 记住; 约定; 要求; 原则; 习惯; 以后; 今后; 每次; 我们; 的时候; 一律; 注意; 我希望; 偏好; 改个";

/// Returns the sentences without those that are material.
pub fn without(sentences: Vec<Sentence>) -> Vec<Sentence> {
    let mut kept: Vec<Sentence> = Vec::with_capacity(sentences.len());
    let mut in_material = false;
    let last = sentences.len().saturating_sub(1);
    for (at, mut sentence) in sentences.into_iter().enumerate() {
        if in_material && !speaks_of_the_work(&sentence.own) {
            continue;
        }
        let Some(request) = request(&sentence.own) else {
            kept.push(sentence);
            continue;
        };
        match request {
            Request::With(head) => {
                sentence.text = head.to_owned();
                sentence.own = head.to_owned();
                in_material = true;
            }
            Request::Before if at == last => kept.retain(|other| other.paragraph + 1 < sentence.paragraph.max(1)),
            Request::Before | Request::Behind => in_material = true,
            Request::Quoted => sentence.own = typed::without_any_quotation(&sentence.own),
        }
        kept.push(sentence);
    }
    kept
}

/// Where the material of a request stands.
enum Request<'a> {
    /// In the sentence, behind what asks for the work.
    With(&'a str),
    /// In the sentences behind it.
    Behind,
    /// Behind it, or before it when it is the last sentence.
    Before,
    /// In quotation marks.
    Quoted,
}

fn request(text: &str) -> Option<Request<'_>> {
    let is_work = |part: &str| contains(part, WORK_ZH) || is_work(part);
    if let Some(head) = head(text)
        && (is_work(head) && !is_lasting(head) || names_writing(head) || names_writing_zh(head))
    {
        let is_empty = head.len() + 4 > text.trim_end().len();
        return Some(if is_empty { Request::Behind } else { Request::With(head) });
    }
    if !is_work(text) {
        return None;
    }
    let names_text = contains(text, TEXTS_ZH) || Words::of(text).have(TEXTS);
    if typed::has_quotation(text) {
        return Some(Request::Quoted);
    }
    (names_text && !is_lasting(text)).then_some(Request::Before)
}

/// Returns what stands before the colon that opens something else.
fn head(text: &str) -> Option<&str> {
    let colon = text.find(['：', ':']).filter(|at| {
        let behind = &text[at + text[*at..].chars().next().map_or(1, char::len_utf8)..];
        text[*at..].starts_with('：') || behind.is_empty() || behind.starts_with([' ', '"', '“', '「'])
    })?;
    Some(&text[..colon + text[colon..].chars().next().map_or(1, char::len_utf8)])
}

/// Whether a clause orders work on a text: by a verb of that work at its head, or asked for politely.
fn is_work(part: &str) -> bool {
    let words = Words::of(part);
    let is_ordered = words.clauses().any(|clause| {
        let (rest, _) = crate::english::after_leads(clause);
        let head = rest.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(" ");
        let opens = Words::of(&head);
        opens.begin(WORK) || words.begin("can|could|would|will you; please; help me") && opens.have(WORK)
    });
    ordered_before_text(&words) && is_ordered
}

/// Whether what is worked on is a text in the message, and not a file or a habit.
fn ordered_before_text(words: &Words) -> bool {
    !words.have("this|the|that|these|those file|files|function|module|test|tests|code|class|branch|script|document|page|repo|config; the readme|changelog|docs")
}

fn is_lasting(text: &str) -> bool {
    contains(text, TO_THE_ASSISTANT_ZH) || Words::of(text).have(TO_THE_ASSISTANT)
}

/// Whether the head of a sentence presents a text: "the poster should read:", "here's my draft:".
fn names_writing(head: &str) -> bool {
    let words = Words::of(head);
    if words.have(TO_THE_ASSISTANT) {
        return false;
    }
    let flat: Vec<&str> = words.clauses().flatten().map(String::as_str).collect();
    let is_named = flat.iter().enumerate().any(|(at, word)| {
        crate::phrase::lists(WRITINGS, word)
            && (at == 0 || flat[..at].iter().rev().take(3).any(|before| is_determiner(before)) || at + 1 == flat.len())
    });
    let is_presented =
        flat.len() <= 3 || words.have(SAYING) || words.begin("here's; here is; here are; this is; these are");
    is_named && is_presented
}

fn is_determiner(word: &str) -> bool {
    crate::phrase::lists(
        "the a an this that my our your his her its following first opening closing example sample",
        word,
    )
}

fn names_writing_zh(head: &str) -> bool {
    contains(head, WRITINGS_ZH)
        && !contains(head, TO_THE_ASSISTANT_ZH)
        && (head.chars().count() <= 10 || contains(head, "写; 说; 是; 为; 印; 挂; 贴; 喊; 念; 唱; 如下; 改成; 用"))
}

/// Whether a sentence amid material tells how to work on it: "keep the translation formal".
fn speaks_of_the_work(text: &str) -> bool {
    let words = Words::of(text);
    words.have(
        "when you translate|proofread|rewrite|edit|summarise|summarize|rephrase; your translation|translations|edits|wording|summary|summaries|corrections; \
         from now on you; translations|translation; for me; remember",
    ) || contains(text, "翻译时; 翻译的时候; 译文; 润色时; 你翻; 你改; 记住")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let left: Vec<_> = without(typed::sentences(text)).into_iter().map(|sentence| sentence.own).collect();
        assert_eq!(left, expected, "{text}");
    }

    #[test]
    fn what_is_to_be_worked_on_goes() {
        check("Proofread this: From now on we always ship on Friday.", &["Proofread this:"]);
        check(
            "Can you proofread this sentence for me? We always deliver.",
            &["Can you proofread this sentence for me?"],
        );
        check("We never refund. We never ship abroad. Translate the text above.", &["Translate the text above."]);
        check("把下面这句翻成英文：我们一律不退款。", &["把下面这句翻成英文："]);
        check("The poster should read: Never feed the seals.", &["The poster should read:"]);
        check("帮我写个告示，内容是：请不要再喂猫。", &["帮我写个告示，内容是："]);
    }

    #[test]
    fn what_is_said_of_the_work_stays() {
        for text in [
            "From now on translate every release note into German.",
            "Always proofread the captions before you hand them over.",
            "Translate this file to German.",
            "Rule for captions: always in italics.",
            "以后翻译都用繁体。",
            "写通知的时候注意：一律用敬语。",
            "One thing: always run the linter first.",
        ] {
            assert_eq!(without(typed::sentences(text))[0].own, text);
        }
    }
}
