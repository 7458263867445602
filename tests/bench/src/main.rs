//! `varve-bench`: the benchmarks as a program.

fn main() {}
