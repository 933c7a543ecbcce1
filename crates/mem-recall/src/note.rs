//! What is said about a memory's age and about what was cut from it.

/// From this whole day on a memory is called an observation of its time.
const STALE_DAYS: i64 = 2;

/// Returns the note that goes with a memory, or nothing when it is fresh and whole.
pub fn of(age_days: Option<i64>, cut: Option<&Cut>, path: &str) -> Option<String> {
    let parts: Vec<String> = age(age_days).into_iter().chain(cut.map(|cut| cut.note(path))).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// What a limit has taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// `bytes` or `lines`.
    pub by: &'static str,
    /// Bytes of the text that is given.
    pub given: usize,
    /// Bytes of the whole text.
    pub whole: usize,
}

impl Cut {
    fn note(&self, path: &str) -> String {
        format!("cut: {} of {} bytes are shown, the whole is in {path}", self.given, self.whole)
    }
}

fn age(days: Option<i64>) -> Option<String> {
    match days {
        Some(days) if days >= STALE_DAYS => Some(format!(
            "an observation from {days} days ago; what it says about code or plans may have changed since, the present decides"
        )),
        Some(_) => None,
        None => Some("an observation of unknown age; what it says about code or plans may have changed since".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_stands_from_the_second_whole_day_on() {
        assert_eq!(of(Some(0), None, "a.md"), None);
        assert_eq!(of(Some(1), None, "a.md"), None);
        assert!(of(Some(2), None, "a.md").is_some_and(|note| note.contains("2 days")));
        assert!(of(None, None, "a.md").is_some_and(|note| note.contains("unknown")));
    }

    #[test]
    fn a_cut_names_the_file() {
        let cut = Cut { by: "bytes", given: 10, whole: 20 };
        assert_eq!(
            of(Some(0), Some(&cut), "a.md").as_deref(),
            Some("cut: 10 of 20 bytes are shown, the whole is in a.md")
        );
    }
}
