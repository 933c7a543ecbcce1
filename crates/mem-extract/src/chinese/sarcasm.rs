//! Whether a Chinese sentence means its opposite.

use crate::cue::{Cue, Cues};
use crate::phrase::contains;

/// What nobody orders in earnest.
const HARM: &str = "删库; 删光; 全删; 都删; 搞崩; 弄崩; 弄坏; 搞坏; 搞砸; 搞乱; 毁; 跑路; 乱改; 瞎改; 瞎编; 瞎写; 乱编; 编造; 糊弄; 崩掉; 烧掉; \
    别测; 不测; 不用测; 不做测试; 别做测试; 不备份; 别备份; 不用备份; 随便改; 随便删; 随便填; 随便写; 随便编; 拍脑袋; 裸奔; \
    直接推生产; 直接上生产; 直接在生产; 在生产上试; 生产上改; 通宵; 半夜";
/// How praise opens that may be mocked.
const PRAISE: &str = "真棒; 太棒; 棒; 太好了; 好极了; 厉害; 牛; 真行; 真不错; 不错啊; 漂亮; 完美; 哇; 哎哟; 哟; 可以啊; 好主意; 高明; 高招; 妙; 赞; 佩服; 谢谢; 多谢; 行啊; 好啊; 对啊; 是啊; 真聪明; 真会";
/// Agreement said so often that it is none.
const TOO_MUCH: &str = "对对对; 好好好; 行行行; 是是是; 可以可以; 没错没错; 对对，; 呵呵; 哈哈，; 呵，";
/// What mocks whatever stands before it.
const MOCKING: &str = "反正…不是你; 反正…不是我; 反正…背锅; 谁还需要; 要什么测试; 要什么备份; 还要什么; 多省事; 多省心; 多痛快; 多刺激; \
    多好玩; 多好啊; 真是个好主意; 真是好主意; 可真聪明; 可真是; 真有你的; 岂不更; 岂不美; 才怪; 能出什么事; 能有什么问题; 会有什么问题呢; 用户最喜欢; 大家最爱; 大家都爱; 客户最爱; 最爱看…崩; \
    我最喜欢半夜; 我就喜欢半夜; 我就爱; 真贴心; 真体贴; 辛苦你了呢";

pub(super) fn is_meant_otherwise(text: &str, cues: Cues) -> bool {
    let start = text.trim_start_matches(['嗯', '呃', '，', ' ', '哦', '噢', '啊']);
    let opens = |words: &str| words.split("; ").any(|word| start.starts_with(word));
    let orders = cues.any(&[Cue::Lasting, Cue::Imperative, Cue::Prohibition, Cue::Telic, Cue::Keep]);
    let forbids = contains(text, "别…删库; 不要; 不许; 禁止; 千万别; 不能; 不准; 严禁; 绝不");
    let harms = contains(text, HARM) && !forbids;
    let mocks = contains(text, MOCKING);
    orders
        && (opens(PRAISE) && harms
            || opens(TOO_MUCH) && (harms || mocks || cues.has(Cue::Lasting))
            || harms && (mocks || text.contains("干脆")))
        || mocks && opens(PRAISE)
        || mocks && text.chars().count() <= 14 && !cues.any(&[Cue::Deontic, Cue::Prohibition])
}
