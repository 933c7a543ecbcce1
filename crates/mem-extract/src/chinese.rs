//! Reads the signs of a Chinese sentence.

mod lexicon;
mod phrases;
mod sarcasm;

use crate::cue::{Cue, Cues};
use crate::phrase::{contains, stands_alone};
use lexicon::*;
use phrases::PHRASES;

/// Returns the signs of a Chinese sentence.
pub fn read(text: &str) -> Cues {
    let mut cues = Cues::default();
    for (cue, patterns) in PHRASES {
        cues.add_if(contains(text, patterns), *cue);
    }
    read_mood(text, &mut cues);
    read_self(text, &mut cues);
    read_location(text, &mut cues);
    settle(text, &mut cues);
    cues.add_if(sarcasm::is_meant_otherwise(text, cues), Cue::Sarcasm);
    cues
}

fn read_mood(text: &str, cues: &mut Cues) {
    let ends_as_question = text.trim_end_matches(['。', '！', ' ']).ends_with(['？', '?', '吗', '呢', '么']);
    let asks = ends_as_question
        || asks_why(text)
        || contains(text, "怎么回事; 能不能; 可不可以; 是不是; 有没有; 要不要; 行不行");
    cues.add_if(asks, Cue::Question);
    cues.add_if(
        contains(text, "如果…会; 要是…会; 假如; 假设; 倘若; 万一; 会不会")
            && (asks || contains(text, "会怎; 会出; 会有什么; 假设; 假如")),
        Cue::Hypothetical,
    );
    cues.add_if(
        contains(
            text,
            "可能要; 也许; 或许; 说不定; 大概要; 要不我们; 我在想; 在考虑; 还没想好; 不确定; \
            考虑要不要",
        ),
        Cue::Hypothetical,
    );
    let start = text.trim_start_matches(['嗯', '呃', '哎', '啊', '，', ' ', '唉', '诶']);
    cues.add_if(
        ["不对", "不是", "错了", "不行", "不好", "你理解错", "这样不", "等等", "不，"]
            .iter()
            .any(|sign| start.starts_with(sign)),
        Cue::Correction,
    );
    cues.add_if(
        [
            "对，",
            "对的",
            "对！",
            "对。",
            "好，就",
            "是的",
            "没错",
            "可以，就",
            "嗯，就",
            "很好",
            "不错",
            "完美",
            "漂亮",
            "赞",
        ]
        .iter()
        .any(|sign| start.starts_with(sign))
            || start == "对",
        Cue::Approval,
    );
    let prohibits = stands_alone(text, "别", OTHER_BIE);
    cues.add_if(prohibits, Cue::Prohibition);
    // "不要嵌套三元" forbids a kind; "先别动这个" forbids one deed, now.
    let first = text.split(['，', '；', ',', '。']).next().unwrap_or_default();
    let is_definite = contains(first, "这; 那; 它; 先; 了; 现在; 还; 刚");
    read_topic(text, cues);
    cues.add_if(ends_as_request(text), Cue::Imperative);
    cues.add_if(ends_as_request(text) && contains(text, "先; 今天"), Cue::Once);
    cues.add_if(contains(start, "别; 不要; 不许; 禁止; 不准") && !is_definite && !is_deed(start), Cue::Universal);
    cues.add_if(stands_alone(text, "要", OTHER_YAO), Cue::Deontic);
    cues.add_if(stands_alone(text, "都", OTHER_DOU) && cues.any(&[Cue::Deontic, Cue::Prohibition]), Cue::Generic);
    let manner = [
        "用", "写成", "写", "按", "走", "照", "放在", "放到", "保持", "改成", "改为", "叫", "称", "以", "说", "给我",
        "回答", "解释", "先", "标", "附", "注明", "带上", "留",
    ];
    let compares =
        contains(text, "短一点; 短点; 简单点; 简短; 详细点; 少一点; 快一点; 慢一点; 细一点; 小一点; 大一点; 长一点");
    cues.add_if(compares, Cue::Imperative);
    let subordinate = ["他们", "她们", "那边", "对方", "客户", "用户"].iter().any(|other| start.starts_with(other));
    cues.add_if(manner.iter().any(|verb| text.contains(verb)) && !subordinate, Cue::Imperative);
    let uses = stands_alone(text, "用", OTHER_YONG);
    cues.add_if(
        uses || contains(text, "写成; 按; 走; 保持; 直接说; 多解释; 标注; 注明; 保留; 附上; 附"),
        Cue::Standing,
    );
    cues.add_if(is_deed(start), Cue::Telic);
    cues.add_if(!is_deed(start) && !prohibits_first(start) && !ends_as_request(text), Cue::Told);
    cues.add_if(contains(text, "保持; 尽量; 避免; 优先"), Cue::Durative);
    cues.add_if(
        contains(
            text,
            "我们都; 我们一律; 我们从不; 我们不; 我们只; 我们的…都; 我们的…一律; 咱们都; 咱们不; \
            咱们只; 我们统一; 我们这边; 我们这里; 在我们这; 我们跟…都; 我班上; 我们班; 我们店; 我们公司; 我们部门; 我们学校; 我们实验室; 我们办公室; 我们所; 本报; 本组; 本所; 本店; 本公司; 我们组; 我们团队; 团队里; 我们一般; 我们习惯; \
            我们组的习惯; 我们的习惯; 团队的习惯; 组里的习惯; 我们的规矩; 我们的做法; 咱们组; \
            咱们这",
        ),
        Cue::Convention,
    );
}

/// Whether a sentence asks for a deed, now: 先把阈值写死吧.
fn ends_as_request(text: &str) -> bool {
    text.trim_end_matches(['。', '！', '!', ' ']).ends_with('吧') && contains(text, "先; 把; 给; 就")
}

/// Reads a clause that names a kind and says how it is done: 驱动里的魔数要注明章节, 数值都放配置表.
///
/// What points at one thing, tells of something done, or has a person for its subject is none.
fn read_topic(text: &str, cues: &mut Cues) {
    for clause in text.split(['，', '；', ',', '。', '：']).map(str::trim) {
        let Some(at) = WORK.split("; ").filter_map(|verb| clause.find(verb)).min() else { continue };
        let topic = &clause[..at];
        let is_open = topic.chars().count() >= 2 && !topic.starts_with(PERSONS) && !is_deed(topic);
        let is_done = contains(clause, "了; 过; 吗; 呢; ？; 一下; 吧; 正在; 已经; 刚; 还没; 会");
        let is_pointed = contains(topic, "这; 那; 它; 本次; 今天; 现在; 当前; 先");
        if !is_open || is_done || is_pointed {
            continue;
        }
        cues.add(Cue::Generic);
        cues.add(Cue::Standing);
        cues.add(Cue::Imperative);
        let of_all = topic.ends_with(['都', '全', '只']) || contains(topic, "全部; 一律; 都要; 都得; 只能");
        cues.add_if(of_all, Cue::Universal);
        return;
    }
}

/// Whether 为什么 asks; in 解释为什么 it does not.
fn asks_why(text: &str) -> bool {
    text.match_indices("为什么").any(|(at, _)| {
        !["解释", "说明", "讲", "写", "知道", "清楚", "说", "理解", "明白", "写明"]
            .iter()
            .any(|verb| text[..at].ends_with(verb))
    })
}

fn prohibits_first(start: &str) -> bool {
    ["别", "不要", "不许", "不用", "请", "先", "用", "改", "写"].iter().any(|verb| start.starts_with(verb))
}

/// Whether a sentence orders one deed: "把…改成", "给…加", "跑一下".
fn is_deed(start: &str) -> bool {
    let start = start.trim_start_matches(['请', '你', '再', '先', '帮', '我', '来']);
    // 给领导的图 is a noun.
    let is_noun = start.strip_prefix('给').is_some_and(|rest| rest.chars().take(8).any(|c| c == '的'));
    !is_noun && DEEDS.split("; ").any(|verb| start.strip_prefix(verb).is_some_and(|rest| !rest.starts_with('的')))
}

fn read_self(text: &str, cues: &mut Cues) {
    let is_wish = contains(
        text,
        "我是说; 我是想; 我是让; 我是指; 我是要; 我是不是; 我是觉得; 我做了个; 我写了个; \
            我写了一个; 我做了一个; 我写了一; 我不会同意; 我不懂为什么; 我不懂你; 我主要是想; \
            我主要想",
    );
    cues.add_if(contains(text, SELF) && !is_wish, Cue::Role);
}

fn read_location(text: &str, cues: &mut Cues) {
    let stands = contains(
        text,
        "都进; 进到; 都提; 都走; 都记; 都发; 都在; 在…里; 在…上; 在…的; 在…那; 记在; 登在; \
            登记在; 放在; 存在; 发在; 发到; 提到; 提在; 跟踪在; 维护在; 写在; 贴在; 挂在; 以…为准; \
            统一在; 去…看; 去…查; 到…查; 到…看; 看…那; 盯; 汇总在; 归档在; 收在; 建在; 查…就; \
            找…就; 先看; 地址是; 链接是; 网址; 见; 在「; 在“",
    );
    let address = text.contains("https://") || text.contains("http://");
    let is_rule = cues.any(&[Cue::Lasting, Cue::Correction, Cue::Contrast, Cue::Change]);
    let is_place = contains(text, NAMED)
        || crate::english::names_service(&crate::phrase::Words::of(text))
        || contains(text, PLACES) && !is_rule
        || text.contains('#') && text.contains("群");
    let is_named = contains(text, NAMED) || crate::english::names_service(&crate::phrase::Words::of(text));
    let stands = stands || is_named && contains(text, "看 ; 看「; 查 ; 去 ; 翻 ");
    let stands = stands || is_kept_somewhere(text) && !cues.any(&[Cue::Prohibition, Cue::Lasting]);
    let is_place = is_place || is_kept_somewhere(text) && !cues.has(Cue::Prohibition);
    cues.add_if(stands && is_place || address && contains(text, "在; 见; 看; 是; ：; :"), Cue::Location);
}

/// Whether things are kept, by a verb of keeping, inside something, or are taken from there: 归档在 DMS 里, 以…为准.
fn is_kept_somewhere(text: &str) -> bool {
    text.split(['，', '；', ',', '。']).any(|clause| {
        let authority = clause.find('以').zip(clause.find("为准")).is_some_and(|(from, to)| from < to);
        let kept =
            KEPT.split("; ").filter_map(|verb| clause.find(verb).map(|at| &clause[at + verb.len()..])).any(|rest| {
                let inside = rest.trim_end_matches(['。', '！', ' ']).ends_with(['里', '上', '中', '内'])
                    || contains(rest, "里的; 里面; 下面; 的「; 」");
                let is_name = rest.chars().any(|c| c.is_ascii_uppercase() || matches!(c, '「' | '“' | '《'));
                inside
                    && rest.chars().count() <= 24
                    && !rest.starts_with(['这', '那', '一'])
                    && (is_name || rest.chars().filter(char::is_ascii).count() < 3)
            });
        authority && contains(clause, "里的; 「; 库; 表; 盘; 系统; 平台; 手册; 台账") || kept
    })
}

/// Whether 记住 has a subject of its own in its clause.
fn remembers_by_itself(text: &str) -> bool {
    let Some(at) = text.find("记住") else { return false };
    let clause = text[..at].rsplit(['，', '。', '；', '：', ',', '！']).next().unwrap_or_default();
    clause.chars().count() > 3 && !contains(clause, "你; 请; 帮; 我们; 大家; 务必; 一定")
}

fn settle(text: &str, cues: &mut Cues) {
    // 敌人待机的时候要面朝玩家 says how a thing behaves, and not how anybody works.
    if contains(text, "的时候要; 时要")
        && !contains(text, WORK)
        && !contains(text, "问; 说; 告诉; 提醒; 讲; 看; 查; 先")
    {
        cues.drop(Cue::Whenever);
    }
    if cues.has(Cue::Unneeded) {
        cues.drop(Cue::Remember);
    }
    // 设置窗口要记住大小 is no wish to the assistant: 记住 stands behind what remembers.
    if cues.has(Cue::Remember) && remembers_by_itself(text) {
        cues.drop(Cue::Remember);
    }
    // 一直 lasts, but it tells what a thing does, not how people work.
    // "加一个总是…的按钮" orders a button, once; what lasts must be said of the work.
    let of_the_work = contains(text, "以后; 今后; 往后; 下次; 每次; 一律; 统一; 从现在; 从今");
    if cues.has(Cue::Telic) && !of_the_work {
        cues.drop(Cue::Lasting);
    }
    cues.add_if(text.starts_with('我') && !text.starts_with("我们"), Cue::Mine);
    cues.add_if(text.ends_with('…') || text.ends_with("..."), Cue::Hypothetical);
    let is_built = contains(
        text,
        "按钮; 页面; 弹窗; 输入框; 列表页; 图标; 菜单; 导航; 标签页; 键盘; 首页; 卡片; 角标; \
            侧边栏; 底部; 顶部; 光标; 滚动; 动画",
    );
    let is_ours =
        contains(text, "我们; 咱们; 以后; 今后; 记住; 一律; 每次; 凡是; 回答; 写; 提交; 注释; 代码; 文档; 评审");
    cues.add_if(is_built && !is_ours, Cue::Product);
    // 以后 after a clause is "after": 上线以后 tells when, 以后 at its head tells that it lasts.
    if cues.has(Cue::Lasting) && only_after(text) {
        cues.drop(Cue::Lasting);
    }
    let other = contains(
        text,
        "他们组; 他们都; 他们总; 他们一律; 那边都; 那边总是; 那边一律; 隔壁组; 隔壁团队; 别的组; \
            别的团队; 其他组; 其他团队; 客户都; 友商; 竞品",
    );
    cues.add_if(other && !contains(text, "我们也; 咱们也; 你也"), Cue::OtherHabit);
}

/// Whether 以后 stands between a noun and how it is done: 留存图以后按周聚合. Behind a verb it says "after".
fn leads_a_manner(before: &str, after: &str) -> bool {
    let topic = before.rsplit(['，', '。', '；', ' ']).next().unwrap_or_default();
    let is_verb = contains(topic, "上线; 发布; 结束; 完; 了; 好; 过; 改; 开始; 合并; 部署; 搬; 切; 升级; 毕业; 入职");
    let is_manner =
        ["按", "用", "都", "要", "先", "别", "不", "写", "给", "放", "走", "只", "由", "请", "一律", "直接"]
            .iter()
            .any(|word| after.starts_with(word));
    !topic.is_empty() && topic.chars().count() <= 10 && !is_verb && is_manner
}

/// Whether the only lasting word is 以后 in the sense of "after".
fn only_after(text: &str) -> bool {
    let rest = text.replace("以后", "");
    let others =
        PHRASES.iter().find(|(cue, _)| *cue == Cue::Lasting).is_some_and(|(_, patterns)| contains(&rest, patterns));
    let heads = text.match_indices("以后").any(|(at, _)| {
        text[..at]
            .chars()
            .next_back()
            .is_none_or(|before| !before.is_alphanumeric() || "外说次点且而那但就请，从是起要吧了".contains(before))
            || leads_a_manner(&text[..at], &text[at + "以后".len()..])
    });
    !others && text.contains("以后") && !heads
}

/// Whether a text orders something, rather than tells it.
pub fn orders(text: &str, cues: Cues) -> bool {
    let start = text.trim_start_matches(['，', ' ', '。']);
    cues.any(&[Cue::Prohibition, Cue::Telic, Cue::StopHabit]) && !cues.has(Cue::Past)
        || cues.has(Cue::Deontic) && !cues.has(Cue::Reason) && !start.starts_with(['我', '他', '她'])
        || ["请", "改", "用", "写", "先", "按", "以后", "直接"].iter().any(|verb| start.starts_with(verb))
}
