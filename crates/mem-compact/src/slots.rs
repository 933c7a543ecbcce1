//! The slots of a digest: a later fold brings them up to date one by one, so that no summary is made of a summary.

/// What a point is about. The order is that of the digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Slot {
    /// What the conversation set out to do.
    Goal,
    /// What the user wants and corrected; pins.
    Wishes,
    /// What was decided, with the reasons.
    Decisions,
    /// Ways that were turned down.
    Rejected,
    /// Files that were changed.
    Files,
    /// What went wrong, and its cure.
    Errors,
    /// What is still to do.
    Open,
    /// The next step; only the newest one counts.
    Next,
    /// Numbers and names.
    Facts,
    /// All else that was said.
    Other,
    /// Skills that were used.
    Skills,
    /// Blocks of which only the id stands there.
    Cold,
}

/// Every slot, in the order of the digest.
pub(crate) const SLOTS: [Slot; 12] = [
    Slot::Goal,
    Slot::Wishes,
    Slot::Decisions,
    Slot::Rejected,
    Slot::Errors,
    Slot::Facts,
    Slot::Other,
    Slot::Open,
    Slot::Next,
    Slot::Skills,
    Slot::Files,
    Slot::Cold,
];

impl Slot {
    /// Returns its name in `.compact.summaries[].entries`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Slot::Goal => "goal",
            Slot::Wishes => "wishes",
            Slot::Decisions => "decisions",
            Slot::Rejected => "rejected",
            Slot::Files => "files",
            Slot::Errors => "errors",
            Slot::Open => "open",
            Slot::Next => "next",
            Slot::Facts => "facts",
            Slot::Other => "other",
            Slot::Skills => "skills",
            Slot::Cold => "cold",
        }
    }

    /// Returns the slot of this name; what is no name is `other`.
    pub(crate) fn of_name(name: &str) -> Slot {
        SLOTS.into_iter().find(|slot| slot.name() == name).unwrap_or(Slot::Other)
    }

    /// Returns the line that stands above its points, or nothing for the slots that are one line themselves.
    pub(crate) fn heading(self, is_chinese: bool) -> Option<&'static str> {
        let (english, chinese) = match self {
            Slot::Goal => ("Goal:", "目标："),
            Slot::Wishes => ("Wishes and corrections:", "要求与更正："),
            Slot::Decisions => ("Decisions:", "决定："),
            Slot::Rejected => ("Rejected:", "否决："),
            Slot::Errors => ("Errors and fixes:", "错误与修复："),
            Slot::Open => ("Open:", "未完成："),
            Slot::Next => ("Next:", "下一步："),
            Slot::Facts => ("Numbers and names:", "数字与名称："),
            Slot::Other => ("Also said:", "其他："),
            Slot::Files | Slot::Skills | Slot::Cold => return None,
        };
        Some(if is_chinese { chinese } else { english })
    }

    /// Returns the slot of which this line is the heading, in any language.
    pub(crate) fn of_heading(line: &str) -> Option<Slot> {
        SLOTS.into_iter().find(|slot| [false, true].iter().any(|&chinese| slot.heading(chinese) == Some(line)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_read_back_in_both_languages() {
        for slot in SLOTS {
            for chinese in [false, true] {
                if let Some(heading) = slot.heading(chinese) {
                    assert_eq!(Slot::of_heading(heading), Some(slot));
                }
            }
        }
        assert_eq!(Slot::of_heading("- Goal:"), None);
    }
}
