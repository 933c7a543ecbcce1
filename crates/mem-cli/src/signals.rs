//! SIGINT, SIGTERM and SIGHUP: a file that is being replaced is finished, then the process dies by the signal.

/// Sets the handlers up. Only runs that may write need them: for all others the system's own ending is right.
pub fn finish_writing_first() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            mem_store::replace::when_idle(|| {
                // The default action of these three ends the process, so this does not return.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            });
        }
    });
}
