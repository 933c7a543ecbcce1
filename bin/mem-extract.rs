//! mem-extract as a program.

fn main() -> std::process::ExitCode {
    mem_cli::filter(mem_extract::run)
}
