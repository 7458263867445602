//! Four thousand crash points and the other scenarios, seeds that failed once, and bugs that must
//! be found. `VARVEDB_TESTS=full` runs twenty times as many seeds.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failure of the simulation fails the test"
)]

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use varve_sim::{Bug, Report, Scenario, run};

/// All seeds of a scenario, in as many threads as there are cores.
fn run_all(seeds: Range<u64>, scenario: Scenario) -> Report {
    let next = AtomicU64::new(seeds.start);
    let total = Mutex::new(Report::default());
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            match run(seed, scenario, Bug::None) {
                Ok(report) => total.lock().unwrap().add(report),
                Err(failure) => panic!(
                    "{failure}\n{}\nreplay: cargo run --release -p varve-sim -- --seeds {seed} --scenario {scenario} --trace",
                    failure.trace.join("\n")
                ),
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    total.into_inner().unwrap()
}

fn seeds(count: u64) -> Range<u64> {
    match std::env::var("VARVEDB_TESTS").as_deref() {
        Ok("full") => 0..count * 20,
        _ => 0..count,
    }
}

#[test]
fn no_crash_loses_what_was_promised() {
    let mut report = Report::default();
    let wanted = seeds(4_000).end;
    for first in (0..).step_by(2) {
        report.add(run_all(first..first + 2, Scenario::Crash));
        if report.crashes >= wanted {
            break;
        }
    }
    println!("{} crash points", report.crashes);
}

#[test]
fn no_failing_call_breaks_a_promise() {
    run_all(seeds(1), Scenario::Fault);
}

#[test]
fn a_full_storage_breaks_no_promise() {
    run_all(seeds(3), Scenario::Full);
}

#[test]
fn no_dropped_task_breaks_a_promise() {
    run_all(seeds(1), Scenario::Drop);
}

#[test]
fn a_fenced_handle_commits_nothing() {
    run_all(seeds(6), Scenario::Fence);
}

/// Each line of the file is a seed, its scenario, and what it once found.
#[test]
fn seeds_that_failed_once_pass() {
    for line in include_str!("regressions.txt").lines() {
        let line = line.split('#').next().unwrap();
        let mut words = line.split_whitespace();
        let (Some(seed), Some(scenario)) = (words.next(), words.next()) else {
            continue;
        };
        let seed = seed.parse().unwrap();
        run_all(seed..seed + 1, scenario.parse().unwrap());
    }
}

/// A planted bug is found by one of the first seeds.
fn finds(bug: Bug, scenario: Scenario, what: &str) {
    let found = (0..20).find_map(|seed| run(seed, scenario, bug).err());
    let failure = found.unwrap_or_else(|| panic!("{bug:?} is not found"));
    println!("{bug:?}: {failure}");
    assert!(failure.message.contains(what), "{failure}");
    assert!(!failure.trace.is_empty());
}

#[test]
fn an_ignored_guard_is_found() {
    finds(Bug::GuardIgnored, Scenario::Fence, "");
}

#[test]
fn a_skipped_sweep_is_found() {
    finds(Bug::SweepSkipped, Scenario::Crash, "nobody accounts for");
}

#[test]
fn a_deletion_lost_in_a_compaction_is_found() {
    finds(Bug::DeletionLost, Scenario::Fault, "");
}
