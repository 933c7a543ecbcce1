//! The sections of an instruction file: each heading with what kind of rule stands below it.

use std::ops::Range;
use std::sync::LazyLock;

use mem_text::markdown::Outline;
use mem_types::load::{Section, SectionClass};

/// Words of headings and of rules by what they are about; Chinese ones are looked for inside of text.
const CONSTRAINTS: &[&str] = &[
    "never",
    "must",
    "forbidden",
    "prohibited",
    "constraint",
    "constraints",
    "required",
    "requirement",
    "requirements",
    "don't",
    "dont",
    "limits",
    "limit",
    "security",
    "safety",
    "policy",
    "policies",
    "boundaries",
    "restrictions",
    "invariants",
    "mandatory",
    "禁止",
    "不要",
    "不得",
    "必须",
    "严禁",
    "约束",
    "限制",
    "安全",
    "红线",
    "禁令",
    "切勿",
    "不可",
];
const STYLES: &[&str] = &[
    "style",
    "styles",
    "styling",
    "naming",
    "names",
    "format",
    "formatting",
    "indent",
    "indentation",
    "convention",
    "conventions",
    "quotes",
    "tone",
    "language",
    "comments",
    "imports",
    "lint",
    "linting",
    "typography",
    "wording",
    "prefer",
    "patterns",
    "idioms",
    "风格",
    "命名",
    "格式",
    "缩进",
    "规范",
    "约定",
    "注释",
    "语气",
    "措辞",
    "排版",
];
const PROCESSES: &[&str] = &[
    "workflow",
    "workflows",
    "process",
    "processes",
    "steps",
    "step",
    "build",
    "building",
    "test",
    "tests",
    "testing",
    "deploy",
    "deployment",
    "release",
    "releases",
    "commit",
    "commits",
    "review",
    "reviews",
    "pr",
    "prs",
    "run",
    "running",
    "commands",
    "command",
    "setup",
    "install",
    "installation",
    "before",
    "after",
    "checklist",
    "pull",
    "branch",
    "branches",
    "ci",
    "migration",
    "migrations",
    "流程",
    "步骤",
    "构建",
    "测试",
    "部署",
    "发布",
    "提交",
    "评审",
    "运行",
    "命令",
    "安装",
    "分支",
    "合并",
    "上线",
    "迁移",
];

/// The words in Latin letters with what they are about, by their first letter.
static BY_LETTER: LazyLock<[Vec<(&str, SectionClass)>; 26]> = LazyLock::new(|| {
    let mut letters: [Vec<(&str, SectionClass)>; 26] = Default::default();
    let lists =
        [(CONSTRAINTS, SectionClass::Constraint), (STYLES, SectionClass::Style), (PROCESSES, SectionClass::Process)];
    for (list, class) in lists {
        for word in list.iter().filter(|word| word.is_ascii()) {
            letters[usize::from(word.as_bytes()[0] - b'a')].push((*word, class));
        }
    }
    letters
});

/// Returns the sections of a text as a model gets it, in order; text above the first heading is one without a name.
pub fn of(text: &str) -> Vec<Section> {
    let outline = Outline::of(text);
    let mut sections = Vec::new();
    let first = outline.headings.first().map_or(text.len(), |heading| heading.start);
    if !text[..first].trim().is_empty() {
        sections.push(section(text, &outline, String::new(), 0..first));
    }
    for (number, heading) in outline.headings.iter().enumerate() {
        let end = outline.headings.get(number + 1).map_or(text.len(), |next| next.start);
        sections.push(section(text, &outline, title(&text[heading.clone()]), heading.end..end));
    }
    sections
}

/// What the heading says counts; where it says nothing, what stands below it.
fn section(text: &str, outline: &Outline, heading: String, body: Range<usize>) -> Section {
    let below = || {
        let first = outline.text.partition_point(|range| range.start < body.start);
        let parts = outline.text[first..].iter().take_while(|range| range.end <= body.end);
        let mut counts = Counts::default();
        parts.for_each(|range| counts.add(&text[range.clone()]));
        counts.class()
    };
    let mut of_heading = Counts::default();
    of_heading.add(&heading);
    let class = Some(of_heading.class()).filter(|class| *class != SectionClass::Other).unwrap_or_else(below);
    Section { heading, class }
}

/// Returns a heading without its marks: `## A ##`, or a line over `===`.
fn title(heading: &str) -> String {
    let line = heading.trim().lines().next().unwrap_or_default();
    line.trim_matches(['#', ' ', '\t', '*', '_', '`']).to_owned()
}

#[derive(Default)]
struct Counts {
    constraint: usize,
    style: usize,
    process: usize,
}

impl Counts {
    fn add(&mut self, text: &str) {
        let is_in_word = |character: char| character.is_alphanumeric() || character == '\'';
        for word in text.split(|character: char| !is_in_word(character)).filter(|word| !word.is_empty()) {
            if word.is_ascii() {
                self.count_ascii(word);
            } else {
                self.count(|list| list.iter().filter(|known| !known.is_ascii() && word.contains(*known)).count());
            }
        }
    }

    /// Most words are none of these, and the first letter and the length say so.
    fn count_ascii(&mut self, word: &str) {
        let first = word.as_bytes()[0].to_ascii_lowercase();
        if !first.is_ascii_lowercase() {
            return;
        }
        for (known, class) in &BY_LETTER[usize::from(first - b'a')] {
            if known.len() == word.len() && known.eq_ignore_ascii_case(word) {
                match class {
                    SectionClass::Constraint => self.constraint += 1,
                    SectionClass::Style => self.style += 1,
                    SectionClass::Process | SectionClass::Other => self.process += 1,
                }
            }
        }
    }

    fn count(&mut self, occurs: impl Fn(&[&str]) -> usize) {
        self.constraint += occurs(CONSTRAINTS);
        self.style += occurs(STYLES);
        self.process += occurs(PROCESSES);
    }

    /// The most words decide; a constraint weighs more than a process, and that more than style.
    fn class(&self) -> SectionClass {
        let most = self.constraint.max(self.process).max(self.style);
        if most == 0 {
            SectionClass::Other
        } else if self.constraint == most {
            SectionClass::Constraint
        } else if self.process == most {
            SectionClass::Process
        } else {
            SectionClass::Style
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use SectionClass::{Constraint, Other, Process, Style};

    fn check(text: &str, expected: &[(&str, SectionClass)]) {
        let found = of(text);
        let found: Vec<(&str, SectionClass)> =
            found.iter().map(|section| (section.heading.as_str(), section.class)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn headings_are_found_where_markdown_has_them() {
        check(
            "Intro.\n\n# Code style\n\n```sh\n# not a heading\n```\n\n## Never\n\n> # quoted\n\nWorkflow\n---\n1. x\n",
            &[("", Other), ("Code style", Style), ("Never", Constraint), ("Workflow", Process)],
        );
        check("# `make` **it** ##\n", &[("make` **it", Other)]);
        check("", &[]);
    }

    #[test]
    fn what_stands_below_decides_where_the_heading_says_nothing() {
        check("# Database\n\nYou must not drop tables.\n", &[("Database", Constraint)]);
        check("# 数据库\n\n迁移之前先运行测试。\n", &[("数据库", Process)]);
        check("# 命名规范\n\n不要缩写。\n", &[("命名规范", Style)]);
        check("# Notes\n\n```\nnever must test\n```\n", &[("Notes", Other)]);
        check("- Use two blanks of indentation\n", &[("", Style)]);
    }
}
