//! Extraction: what is a wish at all, what takes another one's place, and what only looks like one.

use serde_json::{Value, json};

use crate::support::Place;

fn extract(place: &Place, input: &Value) -> Value {
    let mut input = input.clone();
    input["memory_dir"] = json!(place.memory());
    input["cwd"] = json!(place.project());
    place.answer("mem-extract", &[], &input.to_string())["extract"].clone()
}

fn said(text: &str) -> Value {
    json!({"messages": [{"role": "user", "uuid": "u1", "content": text}, {"role": "assistant", "uuid": "a1", "content": "Understood."}]})
}

/// Checks that nothing of these messages is kept.
fn nothing_is_kept(texts: &[&str]) {
    let place = Place::new();
    for text in texts {
        let plan = extract(&place, &said(text));
        assert_eq!(plan["operations"], json!([]), "{text}: {plan}");
    }
}

/// Returns the body of the only memory that a message makes.
fn only_body(place: &Place, text: &str) -> String {
    let plan = extract(place, &said(text));
    let operations = plan["operations"].as_array().unwrap();
    assert_eq!(operations.len(), 1, "{text}: {plan}");
    operations[0]["body"].as_str().unwrap().to_owned()
}

#[test]
fn a_text_to_be_worked_on_is_no_wish() {
    nothing_is_kept(&[
        "Translate this into German: \"Always wear a helmet and never ride alone.\"",
        "Please translate the following into English: 以后一律用中文写提交信息。",
        "Proofread this: From now on we always ship on Friday.",
        "Can you proofread this sentence for me? We always deliver within two days.",
        "For the example text use: We never sell your data and always encrypt it.",
        "In my short story the captain says: always keep the lamp lit, never leave the bridge.",
        "把下面这句翻成英文：我们一律不退款。",
        "润色一下这句话：今后我们所有订单一律包邮。",
    ]);
    let place = Place::new();
    assert_eq!(only_body(&place, "Rule for captions: always in italics."), "Rule for captions: always in italics.");
}

#[test]
fn what_is_said_in_mockery_is_no_wish() {
    nothing_is_kept(&[
        "Great, always break the build, why don't you.",
        "Oh yes, please always push straight to main, what a great idea.",
        "Always skip the backups. What could possibly go wrong?",
        "真棒，以后都直接删库好了。",
        "对对对，以后都不用测试，反正出了事也不是你背锅。",
    ]);
    let place = Place::new();
    assert!(only_body(&place, "Great, and never break the public API.").contains("public API"));
}

#[test]
fn of_a_rule_corrected_in_the_same_breath_only_the_last_value_is_kept() {
    let place = Place::new();
    for (text, expected) in [
        ("Always use pnpm. Actually no, use npm.", "Always use npm."),
        ("Actually, forget that: use npm from now on.", "use npm from now on"),
        ("From now on indent with spaces. Scratch that, tabs.", "From now on indent with tabs."),
        ("以后都用pnpm。算了，还是用npm吧。", "以后都用npm。"),
    ] {
        assert_eq!(only_body(&place, text), expected);
    }
    place.write(
        "memory/pm.md",
        "---\nname: pm\ndescription: Use pnpm for installs\ntype: feedback\n---\nUse pnpm for installs.\n",
    );
    let plan = extract(&place, &said("Forget about pnpm, use npm from now on."));
    assert_eq!(
        (&plan["operations"][0]["op"], &plan["operations"][0]["path"]),
        (&json!("update"), &json!("pm.md")),
        "{plan}"
    );
    assert!(plan["operations"][0]["body"].as_str().unwrap().contains("Until 2026-"), "{plan}");
}

#[test]
fn a_reason_is_not_cut_in_the_middle_of_its_clause() {
    let place = Place::new();
    let body = only_body(&place, "请不要再用mock了，上次因为mock出了事故。");
    assert_eq!(body, "请不要再用mock了。\n\n**Why:** 上次因为mock出了事故。");
}

#[test]
fn a_weekday_of_the_project_gets_its_date() {
    let place = Place::new();
    let input = json!({"timezone": "Asia/Shanghai", "now": "2026-10-20T09:00:00+08:00", "messages": [
        {"role": "user", "timestamp": "2026-10-13T15:50:00Z", "content": "Heads up: we're freezing merges after Thursday."},
    ]});
    let plan = extract(&place, &input);
    assert!(plan["operations"][0]["body"].as_str().unwrap().contains("2026-10-15"), "{plan}");
    assert_eq!(plan["operations"][0]["type"], "project", "{plan}");
}

#[test]
fn numbers_and_phrases_that_are_secret_by_themselves_are_never_kept() {
    let place = Place::new();
    for (text, secret) in [
        ("Remember: my passphrase is correct horse battery staple.", "horse"),
        ("Remember that the vault opens with the passphrase correct horse battery staple.", "horse"),
        ("Always pay test orders with card 4111 1111 1111 1111.", "1111"),
        ("Remember my SSN, it's 123-45-6789.", "6789"),
        ("记住我的身份证号是11010519491231002X。", "19491231"),
        ("记住：WiFi密码kT9mm2xz。", "kT9mm2xz"),
    ] {
        let plan = extract(&place, &said(text));
        assert!(!plan.to_string().contains(secret), "{text}: {plan}");
        assert_eq!(plan["operations"], json!([]), "{text}: {plan}");
    }
}
