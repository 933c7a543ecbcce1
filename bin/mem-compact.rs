//! mem-compact as a program.

fn main() -> std::process::ExitCode {
    mem_cli::filter(mem_compact::run)
}
