//! mem-age as a program.

fn main() -> std::process::ExitCode {
    mem_cli::filter(mem_age::run)
}
