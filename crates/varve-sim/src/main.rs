//! The simulation as a command: `cargo run --release -p varve-sim -- --seeds 0..100`.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use varve_sim::{Bug, Failure, Report, Scenario, run};

const USAGE: &str = "varve-sim --seeds A..B [--scenario NAME] [--bug NAME] [--trace]";

struct Options {
    seeds: core::ops::Range<u64>,
    scenario: Option<Scenario>,
    bug: Bug,
    trace: bool,
}

fn options() -> Result<Options, String> {
    let mut found = Options {
        seeds: 0..10,
        scenario: None,
        bug: Bug::None,
        trace: false,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--seeds" => found.seeds = seeds(&value()?)?,
            "--scenario" => found.scenario = Some(value()?.parse()?),
            "--bug" => found.bug = value()?.parse()?,
            "--trace" => found.trace = true,
            _ => return Err(USAGE.to_owned()),
        }
    }
    Ok(found)
}

/// `A..B`, or one seed.
fn seeds(text: &str) -> Result<core::ops::Range<u64>, String> {
    let number = |text: &str| {
        text.parse::<u64>()
            .map_err(|error| format!("{text}: {error}"))
    };
    match text.split_once("..") {
        Some((from, to)) => Ok(number(from)?..number(to)?),
        None => {
            let seed = number(text)?;
            Ok(seed..seed.saturating_add(1))
        }
    }
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::FAILURE;
        }
    };
    let scenarios = match options.scenario {
        Some(scenario) => vec![scenario],
        None => Scenario::ALL.to_vec(),
    };
    let next = AtomicU64::new(options.seeds.start);
    let total = Mutex::new(Report::default());
    let failures = Mutex::new(Vec::new());
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= options.seeds.end {
                return;
            }
            for scenario in &scenarios {
                match run(seed, *scenario, options.bug) {
                    Ok(report) => {
                        if let Ok(mut total) = total.lock() {
                            total.add(report);
                        }
                    }
                    Err(failure) => {
                        if let Ok(mut failures) = failures.lock() {
                            report_failure(seed, *scenario, &failure, options.trace);
                            failures.push(seed);
                        }
                    }
                }
            }
        }
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "the command measures itself; no run sees the clock"
    )]
    let began = std::time::Instant::now();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let seconds = began.elapsed().as_secs_f64();
    let total = total
        .lock()
        .map_or_else(|_| Report::default(), |total| *total);
    println!(
        "{} runs, {} crash points in {seconds:.1} s",
        total.runs, total.crashes
    );
    match failures.lock() {
        Ok(failures) if failures.is_empty() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn report_failure(seed: u64, scenario: Scenario, failure: &Failure, trace: bool) {
    if trace {
        for line in &failure.trace {
            eprintln!("{line}");
        }
    }
    eprintln!(
        "FAILED: {failure}\n  replay: cargo run --release -p varve-sim -- --seeds {seed} --scenario {scenario} --trace"
    );
}
