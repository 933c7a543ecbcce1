//! Conversations with planted facts, from walks of life that no other set has, folded to 12 % of their tokens. They were
//! written before they were run, and what is lost was not mended by name: 39 of 42 were kept.

use serde_json::{Value, json};

use crate::support::Place;

/// One thing that must not be lost: who says it, in which turn, and what must still be found near each other.
struct Fact {
    turn: usize,
    is_users: bool,
    text: &'static str,
    needles: &'static [&'static str],
}

const fn user(turn: usize, text: &'static str, needles: &'static [&'static str]) -> Fact {
    Fact { turn, is_users: true, text, needles }
}

const fn agent(turn: usize, text: &'static str, needles: &'static [&'static str]) -> Fact {
    Fact { turn, is_users: false, text, needles }
}

struct Talk {
    name: &'static str,
    asked: &'static [&'static str],
    answered: &'static [&'static str],
    printed: &'static str,
    facts: &'static [Fact],
}

const TALKS: [Talk; 6] = [
    Talk {
        name: "telescope",
        asked: &[
            "Could you look at how the dome controller parks?",
            "And what happens when the wind sensor drops out?",
            "Show me where the slew limits come from.",
            "Is the guide camera handled in the same place?",
        ],
        answered: &[
            "The controller walks through a list of states and waits in each of them until the drive reports back.",
            "Most of the module deals with retries, and the interesting part is a short loop near its end.",
            "The sensor is polled from a thread of its own, and the value is handed over through a small queue.",
            "It follows the same pattern as the other devices, so nothing in it is a surprise.",
        ],
        printed: "state=IDLE az=181 alt=40\nstate=SLEW az=182 alt=41\nstate=TRACK az=182 alt=41\n",
        facts: &[
            user(1, "From now on write all angles in degrees, never in radians.", &["degrees", "radians"]),
            agent(
                3,
                "We'll keep the parking position at azimuth 214, because the crane blocks the north side.",
                &["214", "crane"],
            ),
            agent(
                5,
                "I looked at a PID loop for the dome too, but ruled it out: the motor only knows two speeds.",
                &["PID", "two speeds"],
            ),
            agent(
                7,
                "The slews hung since the encoder cable was swapped with the focuser's; swapping it back fixed that.",
                &["encoder", "focuser"],
            ),
            user(
                9,
                "Please don't forget that the rain sensor still has to be calibrated before the opening night.",
                &["rain sensor", "calibrated"],
            ),
            agent(11, "The watchdog now fires after 45 seconds instead of 20.", &["45 seconds"]),
            user(13, "Correction: the observatory server is aster-04, not aster-02.", &["aster-04"]),
            agent(15, "Still open: the log rotation for /var/log/dome.log.", &["/var/log/dome.log"]),
        ],
    },
    Talk {
        name: "bakery",
        asked: &[
            "Have a look at the order sheet import, please.",
            "Why are there two tables for the recipes?",
            "What does the nightly job do with the leftovers?",
            "Can you explain the price rounding to me?",
        ],
        answered: &[
            "The import reads a sheet row by row and matches each product by its article code.",
            "One of the tables is filled by the old till and will go away once all shops have the new one.",
            "It adds them up by shop, and the numbers end up in the report that the owner gets by mail.",
            "Prices are kept as integers, and the rounding is done at the very end when the receipt is printed.",
        ],
        printed: "shop 1: 34 loaves\nshop 2: 18 loaves\nshop 3: 40 loaves\n",
        facts: &[
            user(2, "Always ask me before you change anything in the till's price table.", &["ask", "price table"]),
            agent(
                4,
                "Decision: sourdough orders close at 16:30, since the oven crew starts at five.",
                &["16:30", "oven"],
            ),
            agent(
                6,
                "We decided against sending texts to customers, it would cost 0.08 a message.",
                &["texts", "0.08"],
            ),
            agent(
                8,
                "The import failed with KeyError: 'gluten_free' because shop 3 exports an older header; I map the column now.",
                &["gluten_free", "shop 3"],
            ),
            user(10, "The supplier's number is DE-88213, keep that in mind.", &["DE-88213"]),
            agent(12, "I have yet to write the test for the holiday calendar.", &["holiday calendar"]),
            user(14, "I changed my mind: deliveries go out at 6:15, no longer at 5:45.", &["6:15"]),
        ],
    },
    Talk {
        name: "archive",
        asked: &[
            "How does the scanner tool name its files?",
            "Where are the thumbnails made?",
            "What is the queue for?",
            "Can we search in the handwritten part at all?",
        ],
        answered: &[
            "Each page gets a name from its box, its folder and a running number.",
            "A worker makes them in the background and stores them beside the master file.",
            "It holds pages that wait for recognition, oldest first, and a stuck page is put to the end.",
            "The recognition gives words with positions, and the search looks through those.",
        ],
        printed: "box 12 folder 3 page 001 ok\nbox 12 folder 3 page 002 ok\n",
        facts: &[
            user(1, "Never delete a master scan, whatever the disk says.", &["Never delete", "master scan"]),
            agent(
                3,
                "We go with JPEG 2000 for the masters rather than TIFF, as the storage budget is 14 TB.",
                &["JPEG 2000", "14 TB"],
            ),
            agent(
                6,
                "Running the recognition on the web server was rejected since it starves the readers.",
                &["recognition", "web server"],
            ),
            agent(
                8,
                "Umlauts were lost because the catalogue export was Latin-1; reading it as such resolved it.",
                &["Latin-1", "Umlauts"],
            ),
            user(11, "Remember that donors' names must not appear in thumbnails.", &["donors", "thumbnails"]),
            agent(13, "The reading room limit is 250 requests a day.", &["250"]),
            agent(15, "What remains: the backfill of boxes 40 to 58.", &["40", "58"]),
        ],
    },
    Talk {
        name: "诊所排班",
        asked: &["看一下排班的导入逻辑。", "假期是在哪里算的？", "这个队列是做什么用的？", "通知是怎么发出去的？"],
        answered: &[
            "导入的时候逐行读取表格，再按工号去匹配每一位医生。",
            "这个模块大部分都是重试的代码，真正有用的只有最后一小段。",
            "每天晚上会把结果汇总起来，第二天早上发给各个科室。",
            "它和其他几个模块的写法差不多，没有什么特别的地方。",
        ],
        printed: "科室 1：12 班\n科室 2：9 班\n科室 3：15 班\n",
        facts: &[
            user(1, "以后所有时间一律用二十四小时制，不要写上午下午。", &["二十四小时制"]),
            agent(3, "决定夜班从 21:30 开始，因为末班地铁是 21:50。", &["21:30", "地铁"]),
            agent(5, "用短信提醒的方案放弃了，一条要 0.05 元，预算不够。", &["短信", "0.05"]),
            agent(7, "换班一直失败，原因是工号前面的零被去掉了，改成字符串之后恢复正常。", &["工号", "字符串"]),
            user(9, "别忘了儿科的节假日表还没录入。", &["儿科", "节假日表"]),
            agent(11, "每位医生每周最多 5 个夜班，配置在 roster/limits.yaml。", &["limits.yaml"]),
            user(13, "更正一下，值班电话改成 8016，不是 8061。", &["8016"]),
        ],
    },
    Talk {
        name: "养蜂记录",
        asked: &[
            "帮我看看称重数据是怎么存的。",
            "温度传感器掉线了会怎么样？",
            "报表里的平均值怎么来的？",
            "这张表还有用吗？",
        ],
        answered: &[
            "数据先写到本地的文件里，联网之后再一起上传。",
            "传感器由一个单独的线程轮询，读到的值放进一个小队列。",
            "平均值是在生成报表的时候现算的，没有存下来。",
            "旧的表只有导出的时候才会用到，以后可以去掉。",
        ],
        printed: "蜂箱 1：32 公斤\n蜂箱 2：28 公斤\n",
        facts: &[
            user(2, "改蜂箱编号之前必须先问我。", &["蜂箱编号", "先问"]),
            agent(4, "我们采用每 15 分钟采样一次，因为电池要撑过 90 天。", &["15 分钟", "90 天"]),
            agent(6, "不采用 MQTT，山里的信号太差，断线重连太频繁。", &["MQTT", "信号"]),
            agent(8, "称重偏大是因为积雪没有扣除，修复之后误差在 0.3 公斤以内。", &["积雪", "0.3"]),
            agent(10, "还剩 7 号蜂箱的校准没做。", &["7 号", "校准"]),
            user(12, "服务器地址是 hive.example.net:8447，记住这个。", &["hive.example.net:8447"]),
        ],
    },
    Talk {
        name: "ferry",
        asked: &[
            "Walk me through the booking flow, please.",
            "What keeps two people from taking the same car deck slot?",
            "Where does the timetable come from?",
            "How are refunds done at the moment?",
        ],
        answered: &[
            "A booking starts as a draft and becomes firm when the payment service answers.",
            "There is a row for every slot, and the row is locked while somebody pays.",
            "It is loaded from a file that the harbour office puts on a share every week.",
            "A refund is a second payment with the sign turned round, and the two are linked.",
        ],
        printed: "sailing 1 slots 40 free 12\nsailing 2 slots 40 free 3\n",
        facts: &[
            user(1, "Keep every commit below 200 lines, I review them on the phone.", &["200 lines"]),
            agent(
                3,
                "So the slot lock is held for 8 minutes, because the bank's page times out after seven.",
                &["8 minutes", "bank"],
            ),
            agent(
                5,
                "Redis for the locks is off the table: operations won't run another service.",
                &["Redis", "operations"],
            ),
            agent(
                7,
                "Double bookings came from a missing unique index on (sailing_id, slot_no); I added it.",
                &["sailing_id", "slot_no"],
            ),
            user(9, "You should use the harbour's own abbreviations in all messages.", &["harbour", "abbreviations"]),
            agent(12, "The refund window is 36 hours.", &["36 hours"]),
            agent(14, "The winter timetable is not imported so far.", &["winter timetable", "not imported"]),
        ],
    },
];

const TURNS: usize = 30;

fn conversation(talk: &Talk) -> Vec<Value> {
    let mut messages = Vec::new();
    for turn in 0..TURNS {
        let said = |is_users: bool| {
            let fact = talk.facts.iter().find(|fact| fact.turn == turn && fact.is_users == is_users);
            fact.map(|fact| format!(" {}", fact.text)).unwrap_or_default()
        };
        let asked = format!("{}{}", talk.asked[turn % talk.asked.len()], said(true));
        messages.push(json!({"role": "user", "uuid": format!("u{turn}"), "content": asked}));
        let id = format!("t{turn}");
        messages.push(json!({"role": "assistant", "uuid": format!("c{turn}"), "content": [
            {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": format!("./show {turn}")}}]}));
        messages.push(json!({"role": "user", "uuid": format!("r{turn}"), "content": [
            {"type": "tool_result", "tool_use_id": id, "content": talk.printed.repeat(6)}]}));
        let answers: Vec<&str> = (0..6).map(|step| talk.answered[(turn + step) % talk.answered.len()]).collect();
        let answer = format!("{}{} {}", answers[..3].join(" "), said(false), answers[3..].join(" "));
        messages.push(json!({"role": "assistant", "uuid": format!("a{turn}"), "content": answer}));
    }
    messages.push(json!({"role": "user", "uuid": "last", "content": talk.asked[0]}));
    messages
}

#[test]
fn planted_facts_outlive_a_fold_to_an_eighth() {
    let place = Place::new();
    let (mut kept, mut all, mut lost) = (0, 0, Vec::new());
    for talk in &TALKS {
        let messages = conversation(talk);
        let whole = place.answer("mem-compact", &[], &json!({"messages": messages}).to_string());
        let budget = whole["compact"]["tokens_before"].as_u64().unwrap() * 12 / 100;
        let answer =
            place.answer("mem-compact", &["--budget", &budget.to_string()], &json!({"messages": messages}).to_string());
        assert!(answer["compact"]["tokens_after"].as_u64().unwrap() <= budget, "{}", talk.name);
        let text = answer["messages"].to_string();
        for fact in talk.facts {
            all += 1;
            if fact.needles.iter().all(|needle| text.contains(needle)) {
                kept += 1;
            } else {
                lost.push((talk.name, fact.text));
            }
        }
    }
    assert!(kept * 100 >= all * 84, "{kept} of {all}; lost: {lost:#?}");
}
