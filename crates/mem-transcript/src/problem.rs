//! What could not be read, gathered by kind so that a file with a thousand bad lines gives one entry and not a thousand.

/// How many line numbers a problem names.
const LINES_NAMED: usize = 20;

/// One kind of trouble in what was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// A short word that scripts may rely on.
    pub code: &'static str,
    /// What is wrong, for people.
    pub message: &'static str,
    /// How often it was met.
    pub count: usize,
    /// The first lines (of a session file) or indexes (of a list of messages) where it was met.
    pub places: Vec<usize>,
}

/// Gathers problems by kind, in the order in which the kinds were first met.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<Problem>);

impl Problems {
    /// Notes one more of a kind.
    pub(crate) fn add(&mut self, code: &'static str, message: &'static str, place: usize) {
        let problem = match self.0.iter_mut().position(|problem| problem.message == message) {
            Some(index) => &mut self.0[index],
            None => {
                self.0.push(Problem { code, message, count: 0, places: Vec::new() });
                let last = self.0.len() - 1;
                &mut self.0[last]
            }
        };
        problem.count += 1;
        if problem.places.len() < LINES_NAMED && problem.places.last() != Some(&place) {
            problem.places.push(place);
        }
    }

    /// Returns whether there is any.
    pub(crate) fn is_any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Returns what was gathered.
    pub(crate) fn finish(self) -> Vec<Problem> {
        self.0
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let places: Vec<String> = self.places.iter().map(usize::to_string).collect();
        let places = places.join(", ");
        match self.count {
            1 => write!(out, "{} (at {places})", self.message),
            count if count > self.places.len() => write!(out, "{} ({count} times, first at {places})", self.message),
            count => write!(out, "{} ({count} times, at {places})", self.message),
        }
    }
}
