//! Says when a conversation has to be folded: at a threshold below the window, so that the next answer still fits.

/// What a window has when the caller does not say.
const CONTEXT_TOKENS: usize = 200_000;
/// What is reserved for the answer in a window of that size; smaller windows reserve a tenth.
const OUTPUT_RESERVE_TOKENS: usize = 20_000;
/// What stays free besides, for the turn in which the fold is noticed to be due; smaller windows keep 6.5 %.
const BUFFER_TOKENS: usize = 13_000;
/// Share of the room below the threshold that the messages may have after a fold that nobody gave a budget.
const AFTER_FOLD: (usize, usize) = (2, 5);

/// The window and where in it the fold is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// All tokens of the window.
    pub context_tokens: usize,
    /// Kept for the answer.
    pub output_reserve_tokens: usize,
    /// Above this the conversation is folded.
    pub threshold: usize,
}

impl Limits {
    /// Returns the limits of a window; a reserve that is not given is 20,000 or a tenth of the window. Fails with the
    /// reason when nothing would be left for the conversation.
    pub(crate) fn new(context: Option<usize>, reserve: Option<usize>) -> Result<Limits, String> {
        let context_tokens = context.unwrap_or(CONTEXT_TOKENS);
        let output_reserve_tokens = reserve.unwrap_or(OUTPUT_RESERVE_TOKENS.min(context_tokens / 10));
        let buffer = BUFFER_TOKENS.min(context_tokens.saturating_mul(13) / 200);
        let threshold = context_tokens.checked_sub(output_reserve_tokens).and_then(|rest| rest.checked_sub(buffer));
        match threshold {
            Some(threshold) if threshold > 0 => Ok(Limits { context_tokens, output_reserve_tokens, threshold }),
            _ => Err(format!(
                "a window of {context_tokens} tokens with {output_reserve_tokens} reserved leaves nothing for the conversation"
            )),
        }
    }

    /// Returns what the messages may have after a fold, beside parts that cannot be folded.
    pub(crate) fn room_after_fold(&self, fixed: usize) -> usize {
        self.threshold.saturating_sub(fixed) * AFTER_FOLD.0 / AFTER_FOLD.1
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(context: Option<usize>, reserve: Option<usize>, threshold: usize) {
        assert_eq!(Limits::new(context, reserve).unwrap().threshold, threshold);
    }

    #[test]
    fn the_threshold_is_the_window_without_reserve_and_buffer() {
        check(None, None, 167_000);
        check(Some(200_000), Some(20_000), 167_000);
        check(Some(1_000_000), None, 967_000);
        check(Some(8_000), None, 6_680);
    }

    #[test]
    fn a_window_without_room_is_refused() {
        assert!(Limits::new(Some(20_000), Some(20_000)).is_err());
        assert!(Limits::new(Some(0), None).is_err());
        assert!(Limits::new(Some(usize::MAX), None).is_ok());
    }
}
