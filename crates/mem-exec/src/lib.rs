//! Starts other programs, without a shell: with a deadline, a bound on their output and a cleaned environment.
