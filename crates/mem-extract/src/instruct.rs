//! Wishes that belong into an instruction file: "put that in CLAUDE.md". They are written only when it is allowed.

use mem_store::World;
use mem_store::append::{self, Appended};
use mem_text::{secrets, width};
use mem_types::extract::{Operation, Source};
use mem_types::{Document, Problems};

use crate::claims::Lesson;
use crate::phrase::{Words, contains};
use crate::reading::Utterance;
use crate::typed::{self, Sentence};

/// A rule that goes into an instruction file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// `project`, `local` or `user`.
    pub target: &'static str,
    /// The rule, on one line.
    pub text: String,
    /// The message and its words.
    pub source: (String, String),
}

/// Takes the wishes for an instruction file out of what was learned.
pub fn take(utterances: &[Utterance], lesson: &mut Lesson) -> Vec<Wish> {
    let mut wishes = Vec::new();
    for utterance in utterances {
        for sentence in typed::sentences(&utterance.text) {
            let Some(target) = target(&sentence) else { continue };
            for claim in &mut lesson.claims {
                claim.sayings.retain(|saying| *saying != sentence.text);
                claim.reasons.retain(|reason| *reason != sentence.text);
            }
            lesson.claims.retain(|claim| !claim.sayings.is_empty());
            lesson.session_rules.retain(|rule| rule.text != sentence.text);
            let text = rule_in(&sentence.text).or_else(|| lesson.claims.pop().map(|claim| claim.text()));
            if let Some(text) = text {
                let source = (utterance.id.clone(), sentence.text.clone());
                wishes.push(Wish { target, text: one_line(&text), source });
            }
        }
    }
    wishes
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// Returns which file a sentence wants something to be written to, if it orders that.
fn target(sentence: &Sentence) -> Option<&'static str> {
    let lower = sentence.text.to_lowercase();
    let is_local = lower.contains("claude.local.md");
    if !is_local && !["claude.md", "agents.md", "gemini.md"].iter().any(|name| lower.contains(name)) {
        return None;
    }
    let words = Words::of(&lower);
    let orders = words.have(
        "put|add|write|append|save|record|move|note it|that|this|these|to|down|in|into; add|append|put to|in|into; \
         add ? to; put ? in|into; goes|belongs in|into; should go into|in",
    ) || contains(&lower, "写进; 写到; 加到; 加进; 记到; 记进; 放进; 放到; 添加到");
    let asks = lower.trim_end().ends_with(['?', '？']) && !words.begin("can|could|would|will you");
    if !orders || asks || words.have("don't|never|not put|add|write") || contains(&lower, "不要写; 别写; 不用写")
    {
        return None;
    }
    let is_user = lower.contains("~/.claude")
        || words.have("global|personal|user-level|user; my own; all my projects")
        || contains(&lower, "全局; 个人; 用户级; 所有项目");
    Some(if is_local {
        "local"
    } else if is_user {
        "user"
    } else {
        "project"
    })
}

/// Returns the rule that stands in the sentence itself, behind a colon or in quotation marks.
fn rule_in(text: &str) -> Option<String> {
    let (before, after) = text.split_once([':', '：'])?;
    let names_file = |part: &str| part.to_lowercase().contains(".md");
    let rule = if names_file(before) { after } else { before };
    let rule = rule.trim().trim_matches(['"', '“', '”', '「', '」', '`']);
    (rule.chars().count() > 3 && !names_file(rule)).then(|| rule.to_owned())
}

/// Returns the operation for a wish.
pub fn operation(wish: &Wish) -> Operation {
    let text = secrets::mask(&wish.text).into_owned();
    Operation {
        op: "append-instruction".into(),
        target: Some(wish.target.into()),
        kind: "feedback".into(),
        name: file_name(wish.target).into(),
        description: text.clone(),
        body: format!("- {text}"),
        why: "the user wants it among the instructions".into(),
        sources: vec![Source { message_id: wish.source.0.clone(), quote: secrets::mask(&wish.source.1).into_owned() }],
        ..Operation::default()
    }
}

fn file_name(target: &str) -> &'static str {
    if target == "local" { "CLAUDE.local.md" } else { "CLAUDE.md" }
}

/// Appends to the instruction files what the operations say, when it is allowed, and notes with each what became of it.
pub fn apply(
    operations: &mut [Operation],
    is_allowed: bool,
    document: &Document,
    world: &World,
    problems: &mut Problems,
) {
    for operation in operations.iter_mut().filter(|operation| operation.op == "append-instruction") {
        operation.outcome = Some(match carry_out(operation, is_allowed, document, world, problems) {
            Ok(Appended::Written) => "written".into(),
            Ok(Appended::Unchanged) => "unchanged".into(),
            Err(reason) => format!("refused: {reason}"),
        });
    }
}

fn carry_out(
    operation: &mut Operation,
    is_allowed: bool,
    document: &Document,
    world: &World,
    problems: &mut Problems,
) -> Result<Appended, String> {
    operation.body = width::escape_controls(&operation.body).into_owned();
    let body = operation.body.trim();
    if !is_allowed {
        return Err("instruction files are changed only with --allow-instructions".into());
    }
    if body.is_empty() || body.len() > 4096 {
        return Err("an instruction is a line or a few".into());
    }
    if !secrets::find(body).is_empty() {
        return Err("it holds a secret".into());
    }
    if !operation.path.is_empty() {
        return Err("it has a target and no path".into());
    }
    let target = operation.target.as_deref().unwrap_or_default();
    let folder = match target {
        "project" | "local" => world.project_root(document, problems),
        "user" => world.config_dir().ok_or("there is no configuration folder")?,
        _ => return Err("the target is none of project, local, user".into()),
    };
    append::line(&folder, file_name(target), body).map_err(|error| mem_store::open::reason(&error))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::claims::gather;

    fn check(texts: &[&str], expected: &[(&str, &str)], claims: usize) {
        let said: Vec<Utterance> = texts
            .iter()
            .map(|text| Utterance { id: "m".into(), text: (*text).into(), moment: None, before: String::new() })
            .collect();
        let mut lesson = gather(&said);
        let wishes = take(&said, &mut lesson);
        let found: Vec<_> = wishes.iter().map(|wish| (wish.target, wish.text.as_str())).collect();
        assert_eq!(found, expected, "{texts:?}");
        assert_eq!(lesson.claims.len(), claims, "{texts:?}");
    }

    #[test]
    fn a_wish_names_its_file_and_its_rule() {
        check(
            &["Add this to CLAUDE.md: run make fmt before each commit."],
            &[("project", "run make fmt before each commit.")],
            0,
        );
        check(
            &["Never log phone numbers.", "Put that in CLAUDE.local.md."],
            &[("local", "Never log phone numbers.")],
            0,
        );
        check(&["以后提交信息都用中文写。把这条写进全局的 CLAUDE.md。"], &[("user", "以后提交信息都用中文写。")], 0);
    }

    #[test]
    fn to_speak_of_the_file_is_no_wish() {
        check(&["What does CLAUDE.md say about tests?"], &[], 0);
        check(&["Don't put it in CLAUDE.md."], &[], 0);
        check(&["You ignored the CLAUDE.md again."], &[], 0);
    }
}
