//! The bytes of frames and dictionaries on each instruction set that this machine has.

#![cfg(not(target_arch = "wasm32"))]

use std::process::Command;

use structured_zstd::{CpuLevel, active_cpu_kernel_name, active_match_kernel_name};
use varve_tests_zstd::hashes;

const GOLDEN: &str = include_str!("../golden.txt");
/// Set in a process that runs [`the_list_is_golden`] again, with kernels no better than this.
const CEILING: &str = "VARVE_ZSTD_CEILING";
/// Kernels are chosen for the whole process, so lesser ones run in others, on one level of each
/// strategy.
const STRATEGIES: [u8; 7] = [1, 3, 5, 8, 13, 16, 18];

/// After a change that is meant to change bytes: copy what it prints.
#[test]
fn the_list_is_golden() {
    let ceiling = std::env::var(CEILING).ok();
    let levels: Vec<u8> = if let Some(ceiling) = &ceiling {
        structured_zstd::set_cpu_ceiling(ceiling.parse().unwrap()).unwrap();
        STRATEGIES.to_vec()
    } else {
        (1..=19).collect()
    };
    let list = hashes(&levels).unwrap();
    println!(
        "{} {}",
        active_cpu_kernel_name(),
        active_match_kernel_name()
    );
    let golden: Vec<&str> = GOLDEN.lines().collect();
    let changed: Vec<&str> = list.lines().filter(|line| !golden.contains(line)).collect();
    assert!(changed.is_empty(), "{changed:#?}\nthe whole list:\n{list}");
    if ceiling.is_none() {
        assert_eq!(list, GOLDEN);
    }
}

#[test]
fn lesser_kernels_give_the_same_bytes() {
    let x86 = [
        CpuLevel::Scalar,
        CpuLevel::Sse2,
        CpuLevel::Sse42,
        CpuLevel::Bmi2,
    ];
    let levels = if cfg!(target_arch = "x86_64") {
        &x86[..]
    } else {
        &x86[..1]
    };
    for level in levels {
        let again = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_list_is_golden", "--nocapture"])
            .env(CEILING, level.name())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&again.stdout);
        assert!(again.status.success(), "{level}: {said}");
        assert!(said.contains("1 passed"), "{level}: {said}");
    }
}
