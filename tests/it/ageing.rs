//! A set of labelled folders from other walks of life than those the rules were made on: states, duplicates,
//! look-alikes, contradictions, in English and Chinese. What is protected must never be taken away.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::Place;

const NOW: &str = "2026-11-30T12:00:00+00:00";

/// `name | type | day | description | body` a line, and `= name state [of]` for what is right; `!` protects it.
/// `@ path text` is a file of the project, `+ name count day` notes uses.
const FOLDERS: [&str; 9] = [
    "@ wards/rota.py def plan_night_shift(): pass
@ docs/handover.md x
beds | project | 2026-11-20 | Ward 4 has 18 beds | Ward 4 has 18 beds since the rebuild.
beds_old | project | 2026-03-01 | Ward 4 has 24 beds | Ward 4 has 24 beds.
visit | feedback | 2025-01-05 | Visitors are addressed by their surname | Address visitors by their surname, never by the first name.
visit2 | feedback | 2026-11-02 | Address visitors by surname, not first name | Visitors are always addressed by surname, never by first name.
rota | project | 2026-11-01 | The night rota is made by plan_night_shift | `plan_night_shift()` in `wards/rota.py` makes the night rota.
meds | reference | 2026-10-20 | Drug list is in docs/formulary.md | The drug list is `docs/formulary.md`.
flu | project | 2026-09-01 | Flu clinic runs until 15 October | The flu clinic runs until 15 October 2026 in room 2.
head | user | 2024-02-01 | Head nurse of ward 4 | The user is head nurse of ward 4.
= beds fresh !
= beds_old contradicted beds
= visit2 fresh,duplicate
~ visit visit2
= rota fresh,dormant !
= meds dangling !
= flu expired
= head fresh,stale !",
    "@ 种植/灌溉.py def 开阀(): pass
水泵 | project | 2026-11-22 | 一号棚水泵功率 3 千瓦 | 一号棚的水泵功率是 3 千瓦。
水泵旧 | project | 2026-05-02 | 一号棚水泵功率 2 千瓦 | 一号棚的水泵功率是 2 千瓦。
水泵二 | project | 2026-11-22 | 二号棚水泵功率 5 千瓦 | 二号棚的水泵功率是 5 千瓦。
称呼 | feedback | 2026-11-01 | 回复里不要用表情符号 | 回复里不要用表情符号，客户觉得不正式。
称呼重 | feedback | 2026-10-01 | 不要在回复里使用表情符号 | 不要在回复里使用表情符号，客户会觉得不正式。
展会 | project | 2026-08-20 | 农博会筹备 | 农博会筹备到2026年9月20日结束。
灌溉 | project | 2026-11-10 | 灌溉脚本位置 | 灌溉脚本在 `种植/灌溉.py`。
大棚图 | reference | 2026-11-10 | 大棚图纸位置 | 大棚图纸在 `图纸/大棚.dwg`。
= 水泵 fresh !
= 水泵旧 contradicted 水泵
= 水泵二 fresh !
~ 称呼重 称呼
= 展会 expired
= 灌溉 fresh !
= 大棚图 dangling !",
    "@ src/level.gd func spawn_boss(): pass
fps | project | 2026-11-15 | Target frame rate is 60 on consoles | The console build targets 60 frames a second.
fps_pc | project | 2026-11-15 | Target frame rate is 144 on desktop | The desktop build targets 144 frames a second.
art | feedback | 2026-11-10 | Sprites are exported as PNG | Export sprites as PNG.
sound | feedback | 2026-11-10 | Sounds are exported as OGG | Export sounds as OGG.
boss | project | 2026-11-12 | Boss fights start in spawn_boss | Boss fights start in `spawn_boss()`.
boss2 | project | 2026-11-12 | Mini bosses start in spawn_miniboss | Mini bosses start in `spawn_miniboss()`.
demo | project | 2026-06-01 | Demo branch frozen until the fair | The demo branch is frozen until 28 August, when the fair opens.
stack | project | 2026-11-20 | Tools are written in JavaScript/Node.js | Our tools are JavaScript/Node.js and/or Python 3.12, see https://tools.example/docs/a.html.
old | reference | 2025-12-01 | Composer contact sheet | The composer's contacts are in the studio binder.
used | reference | 2025-12-01 | Shader bible | The shader bible is on the red shelf.
+ used 30 2026-11-20
= fps fresh !
= fps_pc fresh !
= art fresh !
= sound fresh !
= boss fresh !
= boss2 dangling !
= demo expired
= stack fresh !
= old stale
= used fresh !",
    "crane | project | 2026-11-25 | The harbour crane lifts 40 tonnes | The harbour crane lifts at most 40 tonnes now.
crane1 | project | 2026-02-01 | The harbour crane lifts 30 tonnes | The harbour crane lifts at most 30 tonnes.
crane2 | project | 2026-06-01 | The harbour crane lifts 35 tonnes | The harbour crane lifts at most 35 tonnes.
gate | feedback | 2026-11-20 | Trucks may not enter through gate B | Trucks never enter through gate B.
gate_old | feedback | 2026-04-20 | Trucks enter through gate B | Trucks enter through gate B.
gate_c | feedback | 2026-11-20 | Trucks enter through gate C at night | At night trucks enter through gate C.
lunch | user | 2026-01-01 | The user starts at six and eats at eleven | The user starts work at six and eats at eleven.
audit | project | 2026-10-05 | Customs audit until next Friday | Customs audit until next Friday; no containers are moved from block 7.
link | project | 2026-11-21 | Block 7 plan | Block 7 is refilled once [[audit]] is over.
= crane fresh !
= crane1 contradicted crane
= crane2 contradicted crane
= gate fresh !
= gate_old contradicted gate
= gate_c fresh !
= lunch fresh,stale !
= audit expired
= link fresh !",
    "开馆 | project | 2026-11-20 | 博物馆周一闭馆 | 博物馆每周一闭馆。
开馆旧 | project | 2026-04-20 | 博物馆周二闭馆 | 博物馆每周二闭馆。
讲解 | feedback | 2026-11-01 | 讲解词用简体中文 | 讲解词一律用简体中文写。
说明牌 | feedback | 2026-11-01 | 说明牌用繁体中文 | 说明牌一律用繁体中文写。
闪光 | feedback | 2026-11-10 | 展厅内禁止使用闪光灯 | 展厅内禁止使用闪光灯。
闪光旧 | feedback | 2026-02-10 | 展厅内可以使用闪光灯 | 展厅内可以使用闪光灯。
特展 | project | 2026-08-01 | 青铜特展 | 青铜特展10月31日前结束，期间不换展柜。
年票 | project | 2026-08-01 | 年票规则 | 每年3月1日前要续年票。
馆长 | user | 2025-01-01 | 馆长 | 用户是馆长，喜欢先看结论。
= 开馆 fresh !
= 开馆旧 contradicted 开馆
= 讲解 fresh !
= 说明牌 fresh !
= 闪光 fresh !
= 闪光旧 contradicted 闪光
= 特展 expired
= 年票 stale
= 馆长 fresh,stale !",
    "oven | feedback | 2026-11-12 | Preheat the deck oven for forty minutes | Preheat the deck oven for forty minutes. **Why:** the stone is thick.
oven2 | feedback | 2026-10-12 | The deck oven needs forty minutes of preheating | Give the deck oven forty minutes of preheating; its stone is thick.
proof | feedback | 2026-11-12 | Proof the dough for forty minutes | Proof the dough for forty minutes.
flour | reference | 2026-11-15 | Rye flour comes from the Halden mill | Rye flour comes from the Halden mill.
spelt | reference | 2026-11-15 | Spelt flour comes from the Ostby mill | Spelt flour comes from the Ostby mill.
sugar | project | 2026-11-25 | Croissants no longer get sugar glaze but egg wash | Croissants get egg wash, no longer sugar glaze.
sugar_old | project | 2026-05-25 | Croissants get sugar glaze | Croissants get sugar glaze.
strike | project | 2026-09-28 | Milk strike | Use oat milk through the end of October 2026, the dairy is on strike.
lesson | feedback | 2026-11-01 | Check the scale every morning | Check the scale every morning. **Why:** on 2026-02-11 it was off by 40 grams.
since | project | 2026-11-01 | New till since 2026-03-01 | The new till has been in use since 2026-03-01.
~ oven2 oven
= proof fresh !
= flour fresh !
= spelt fresh !
= sugar fresh !
= sugar_old contradicted sugar
= strike expired
= lesson fresh !
= since fresh,dormant !",
    "@ rules/offside.md x
@ package.json {\"scripts\":{\"score\":\"x\"}}
pitch | project | - | The pitch is watered at noon | The pitch is watered at noon.
score | feedback | 2026-11-20 | Keep the score with npm run score | Keep the score with `npm run score`.
stats | feedback | 2026-11-20 | Make the statistics with npm run stats | Make the statistics with `npm run stats`.
rule | reference | 2026-11-20 | Offside rule | See rules/offside.md for offside.
gone | reference | 2026-11-20 | Handball rule | `rules/handball.md` was removed in May; ask the referee.
ahead | project | 2027-02-01 | New stand | The new stand has 200 seats.
super | project | 2026-10-20 | Old coach | Coach Berg trains on Mondays.
coach | project | 2026-11-20 | New coach | Coach Lind trains on Thursdays.
= pitch unknown
= score fresh !
= stats dangling !
= rule fresh !
= gone fresh !
= ahead fresh !
= super fresh,dormant !
= coach fresh !",
    "小区门 | project | 2026-11-21 | 北门夜间十一点关闭 | 北门夜间十一点关闭，十一点以后走南门。
快递 | reference | 2026-11-21 | 快递柜在三号楼 | 快递柜在三号楼楼下。
快递二 | reference | 2026-11-21 | 信报箱在三号楼 | 信报箱在三号楼楼下。
电话 | project | 2026-11-22 | 物业电话 5550 1234 | 物业电话改为 5550 1234。
电话旧 | project | 2026-03-22 | 物业电话 5550 9876 | 物业电话是 5550 9876。
装修 | feedback | 2026-11-11 | 装修通知要提前三天发 | 装修通知至少提前三天发给住户。
装修重 | feedback | 2026-10-11 | 提前三天给住户发装修通知 | 给住户的装修通知至少要提前三天发。
停水 | project | 2026-11-02 | 停水通知 | 截至11月8日，五号楼停水。
宠物 | feedback | 2026-11-20 | 遛狗不要进草坪 | 遛狗不要进草坪。
= 小区门 fresh !
= 快递 fresh !
= 快递二 fresh !
= 电话 fresh !
= 电话旧 contradicted 电话
~ 装修重 装修
= 停水 expired
= 宠物 fresh !",
    "tide | project | 2026-11-20 | Survey boat leaves at low tide | The survey boat leaves at low tide.
tide2 | project | 2026-11-19 | The survey boat leaves at low tide | The survey boat leaves at low tide.
buoy7 | reference | 2026-11-20 | Buoy 7 reports on channel 12 | Buoy 7 reports on channel 12.
buoy8 | reference | 2026-11-20 | Buoy 8 reports on channel 14 | Buoy 8 reports on channel 14.
unit | feedback | 2026-11-20 | Depths are given in metres | Give depths in metres.
unit_t | feedback | 2026-11-20 | Temperatures are given in Celsius | Give temperatures in Celsius.
salt | feedback | 2026-11-24 | Do not round salinity | Do not round salinity values.
salt_old | feedback | 2026-05-24 | Round salinity to one digit | Round salinity values to one digit.
crew | user | 2023-01-01 | Oceanographer, dislikes long reports | The user is an oceanographer and dislikes long reports.
~ tide2 tide
= buoy7 fresh !
= buoy8 fresh !
= unit fresh !
= unit_t fresh !
= salt fresh !
= salt_old contradicted,fresh
= crew fresh,stale !",
];

struct Folder {
    place: Place,
    want: BTreeMap<String, (Vec<String>, Option<String>)>,
    groups: Vec<(String, String)>,
    protected: Vec<String>,
    access: Vec<Value>,
}

fn lay_out(text: &str) -> Folder {
    let mut folder = Folder {
        place: Place::new(),
        want: BTreeMap::new(),
        groups: Vec::new(),
        protected: Vec::new(),
        access: Vec::new(),
    };
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[0] {
            "@" => drop(folder.place.write(&format!("proj/{}", words[1]), &words[2..].join(" "))),
            "+" => folder.access.push(json!({"path": format!("{}.md", words[1]), "count": words[2].parse::<u64>().unwrap(), "last": format!("{}T00:00:00Z", words[3])})),
            "~" => folder.groups.push((format!("{}.md", words[1]), format!("{}.md", words[2]))),
            "=" => {
                let states = words[2].split(',').map(str::to_owned).collect();
                let of = words.get(3).filter(|word| **word != "!").map(|word| format!("{word}.md"));
                folder.want.insert(format!("{}.md", words[1]), (states, of));
                if words.last() == Some(&"!") {
                    folder.protected.push(format!("{}.md", words[1]));
                }
            }
            _ => memory(&folder.place, line),
        }
    }
    folder
}

fn memory(place: &Place, line: &str) {
    let parts: Vec<&str> = line.splitn(5, " | ").collect();
    let [name, kind, day, description, body] = parts.as_slice() else { panic!("{line}") };
    let modified = if *day == "-" { String::new() } else { format!("modified: {day}\n") };
    let path = format!("memory/{name}.md");
    place.write(
        &path,
        &format!("---\nname: {name}\ndescription: \"{description}\"\ntype: {kind}\n{modified}---\n\n{body}\n"),
    );
    if *day == "-" {
        let file = std::fs::File::options().write(true).open(place.top().join(&path)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    }
}

/// Returns how many were right of how many, what was wrong, and what protected ones a plan would take away.
fn judge(text: &str) -> (usize, usize, Vec<String>, Vec<String>) {
    let folder = lay_out(text);
    let document = json!({"memory_dir": folder.place.memory(), "cwd": folder.place.project(), "now": NOW, "access": folder.access});
    let ran = folder.place.run("mem-age", &[], document.to_string());
    let age = ran.document()["age"].clone();
    let by_path: BTreeMap<String, &Value> = age["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| (memory["path"].as_str().unwrap().to_owned(), memory))
        .collect();
    let (mut right, mut wrong) = (0, Vec::new());
    let mut check = |is_right: bool, words: String| if is_right { right += 1 } else { wrong.push(words) };
    for (path, (states, of)) in &folder.want {
        let memory = by_path[path];
        let is_state = states.iter().any(|state| memory["state"] == state.as_str());
        let is_of = of.is_none() || memory["of"].as_str() == of.as_deref();
        check(
            is_state && is_of,
            format!("{path}: {} of {}, wanted {states:?} {of:?} {}", memory["state"], memory["of"], memory["findings"]),
        );
    }
    for (goes, stays) in &folder.groups {
        let is_of = |one: &str, other: &str| by_path[one]["state"] == "duplicate" && by_path[one]["of"] == other;
        let is_right = is_of(goes, stays) != is_of(stays, goes);
        check(
            is_right,
            format!("{goes} and {stays} are not seen as one: {} {}", by_path[goes]["state"], by_path[stays]["state"]),
        );
    }
    let removes = |action: &&Value| ["archive", "merge"].iter().any(|verb| action["action"] == *verb);
    let removed = age["actions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(removes)
        .map(|action| action["path"].as_str().unwrap().to_owned());
    let harmed = removed.filter(|path| folder.protected.contains(path)).collect();
    (right, folder.want.len() + folder.groups.len(), wrong, harmed)
}

#[test]
fn folders_from_other_walks_of_life_are_judged_right_and_nothing_protected_goes() {
    let (mut right, mut all) = (0, 0);
    let mut told = Vec::new();
    for text in FOLDERS {
        let (folder_right, folder_all, wrong, harmed) = judge(text);
        assert_eq!(harmed, Vec::<String>::new());
        right += folder_right;
        all += folder_all;
        told.extend(wrong);
    }
    let score = right as f64 / all as f64;
    assert!(score >= 0.94, "{right} of {all}:\n{}", told.join("\n"));
}
