//! `varve-bench`: the benchmarks as a program.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    varve_bench::command::main()
}

#[cfg(target_arch = "wasm32")]
fn main() {}
