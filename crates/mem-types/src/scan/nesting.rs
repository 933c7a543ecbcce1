//! Which brackets are open, in one bit a level.

/// A stack of one bit a level: set for an object, clear for an array.
#[derive(Debug, Clone, Default)]
pub struct Nesting {
    full: Vec<u64>,
    top: u64,
    /// How many are open.
    pub depth: usize,
}

impl Nesting {
    /// Opens one.
    pub fn push(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.full.push(self.top);
        }
        self.top = self.top << 1 | u64::from(is_object);
        self.depth += 1;
    }

    /// Closes the innermost.
    pub fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.top = self.full.pop().unwrap_or_default();
        } else {
            self.top >>= 1;
        }
    }

    /// Whether the innermost is an object.
    pub fn is_object(&self) -> bool {
        self.top & 1 == 1
    }
}
