//! Words that need their neighbours to be understood, and words for people and places.

/// Words in which 别 is not "don't".
pub const OTHER_BIE: &str =
    "特别; 区别; 别的; 别人; 类别; 级别; 分别; 个别; 别名; 识别; 判别; 差别; 性别; 别处; 鉴别; 告别; 别忘";

/// Words in which 要 is not "must".
pub const OTHER_YAO: &str = "主要; 需要; 重要; 不要; 只要; 要是; 要么; 要求; 摘要; 概要; 必要; 要不; 想要; 要点; 纪要; 快要; 将要; \
    首要; 扼要";

/// Words in which 都 is not "all".
pub const OTHER_DOU: &str = "首都; 成都; 都市; 一直都";

/// Words in which 用 is not "use".
pub const OTHER_YONG: &str = "用户; 作用; 费用; 应用; 引用; 调用; 不用; 没用; 有用; 信用; 用例; 占用; 停用; 通用; 用途; 常用; 采用过; \
    混用; 用过";

/// Words after 我 that tell of the speaker's trade or experience.
pub const SELF: &str = "我…没用过; 我…没写过; 我…没碰过; 我…没接触过; 我…没学过; 我分不清; 我看不清; 我听不清; 我看不见; 我是; 我做…年; 我做了; 我写了; 我干了; 我搞了; 我学了; 我教了; 我当了; 我主要; 我平时写; 我平时做; \
    我一直写; 我一直做; 我一直在做; 我负责; 我没用过; 我没写过; 我没接触过; 我没碰过; 我没学过; 我没做过; \
    我不会; 我不懂; 我不熟; 我不太懂; 我不太熟; 我不太会; 我刚学; 我刚上手; 我刚入; 我刚用; 我刚写; 出身; \
    我在…上班; 我在…任职; 我在…当; 我在…做; 我当…年; 我干…年; 我写…年; 我教…年; 我搞…年; 我用…年; 我刚开始; \
    我刚接触; 我刚转; 我第一次; 第一次用; 第一次碰; 第一次写; 第一次接触; 第一次做; 我出身; 我的本行; \
    我的专业; 我本行; 我专业; 科班; 我以前是; 我以前做; 我以前写; 我原来是; 我原来做; 我之前做; 我之前是; \
    我之前一直; 我从…转; 转行; 半路出家; 我学的是; 我色弱; 我色盲; 色弱; 色盲; 我近视; 我视力; 我眼睛; \
    我听力; 读屏; 我在…工作; 我在做; 我管; 我带; 我懂; 我熟悉; 我精通; 我擅长; 只会看不会写; 我只会; \
    我只懂; 我只用过; 我母语; 我的母语; 我英语不; 我英文不; 我的时区; 我住在; 我人在; 我是新手; 我…新手; 我…零基础; 我…外行; \
    我…门外汉; 我…入门; 本人; 一窍不通; 是短板; 我熟，; 我熟。; 我不识; 一看就头大; 绕不清; 是自己摸索; 我不是会计; 我不是程序; 我不是专业; 我不是…出身; 我不是搞; 我不是学; 我不是做; 我学的; 我编; 我写…十; 我上夜班; 我只管; 我刚转; 我老本行; 我做的是; 生疏; 头一回; 这几年…写; 这五年…写; 的译者; 我教; 我研究";

/// Places outside the code in which a team keeps things.
pub const PLACES: &str = "面板; 看板; 群; 频道; 表格; 工单; 平台; 系统里; 后台; 日历; 邮件组; 手册; 门户; 官网; 内网; 大盘; 台账; \
    登记表; 排班表; 值班表; 目录里; 公告栏; 论坛; 监控; 工作台; 档案; 系统; 表里";

/// Places that are named, or can only be outside.
pub const NAMED: &str = "知识库; 禅道; 飞书; 钉钉; 语雀; 企微; 企业微信; 腾讯文档; 石墨; 共享盘; 网盘; 共享文档; 在线文档; \
    文档库; wiki; Wiki; WIKI; Confluence; Grafana; Jira; JIRA; jira; Notion; Slack; Sentry; Kibana; Linear; \
    TAPD; Teambition; 那一页; 这一页; 那页; 仪表盘; 仪表板; 公盘; 多维表; 石墨文档; 印象笔记; Zotero; \
    Figma; figma; 蓝湖; 坚果云; 百度网盘; 微信群; 钉钉群; Overleaf; 看板「; 」群; 」频道";

/// Verbs of work on a kind of thing: how it is written, marked, kept, checked.
pub const WORK: &str = "要注明; 要写; 要标; 要附; 要用; 要按; 要留; 要放; 要带; 要交; 要填; 要查; 要测; 要转; 要能; 要给; 要走; \
    须; 得写; 得用; 得附; 得标; 得按; 应写; 应当; 应该; 不要; 不能; 不许; 不准; 别写; 别用; 别放; 别给; 不写; 不用; 不放; 不带; \
    用; 写成; 写明; 写; 注明; 标; 附; 按; 放; 保留; 留; 走; 进; 跑; 记; 交; 填; 转成; 转到; 转过; 照; 译; 画; 取; 只讲";

/// How a topic begins that is a person, or no topic.
pub const PERSONS: [char; 12] = ['我', '你', '您', '他', '她', '咱', '把', '请', '再', '帮', '来', '谁'];

/// Verbs of keeping things somewhere.
pub const KEPT: &str =
    "存在; 归档在; 归档到; 登在; 登记在; 记在; 放在; 收在; 挂在; 贴在; 维护在; 汇总在; 都在; 写在; 发在; 建在";

/// How an order of one deed begins.
pub const DEEDS: &str = "我要; 我想要; 我需要; 别动; 别碰; 别跑; 别改; 别删; 不要动; 不要碰; 不要改; \
    先别; 这里; 让; 把; 给; 跑; 看; 改一下; 加; 删; 写个; 写一; 提交; 修; \
    查; 重启; 合并; 部署; 推; 生成; 总结; 翻译; 继续; 杀; 连; 试; 打开; 列; \
    画一; 画个; 做个; 做一; 找; 搜; 更新; 回滚; 安装; 换一; 补; 记得加; 记得改; \
    记得删; 别忘了加; 别忘了改; 别忘了删; 别忘加";
