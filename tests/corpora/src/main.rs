//! `corpora`: runs the corpora and prints what passes and what fails. `cargo xtask corpora` builds
//! and starts it.

#![allow(missing_docs, reason = "a program")]

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use varve_corpora::arguments::{Arguments, USAGE};
use varve_corpora::engine::Client;
use varve_corpora::peer::{self, PeerFailures};
use varve_corpora::regress::{Fixture, transcript};
use varve_corpora::report::{classes_table, skips_table, to_json, totals_table};
use varve_corpora::run::{run_family, wanted_families};
use varve_corpora::server_files::ServerFiles;
use varve_corpora::skips::{REPOSITORY, Skips};

fn main() -> ExitCode {
    let result = Arguments::parse(std::env::args().skip(1)).and_then(|arguments| run(&arguments));
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Whether no family skips more than it may.
fn run(arguments: &Arguments) -> Result<bool, String> {
    if let Some(path) = &arguments.script {
        return run_script(path, arguments);
    }
    let skips = Skips::parse(REPOSITORY)?;
    let mut reports = Vec::new();
    for family in wanted_families(arguments)? {
        match run_family(family, arguments, &skips)? {
            Some(report) => reports.push(report),
            None => eprintln!("{}: not in {}", family.name, arguments.root.display()),
        }
    }
    if reports.is_empty() {
        return Err(format!("no corpora in {}", arguments.root.display()));
    }
    let peer = PeerFailures::parse(peer::REPOSITORY)?;
    let mut text = totals_table(&reports, &peer);
    if arguments.top > 0 {
        text.push('\n');
        text.push_str(&classes_table(&reports, arguments.top));
        text.push_str("\nskipped:\n");
        text.push_str(&skips_table(&reports));
    }
    // A reader that has seen enough is no failure.
    let _ = std::io::stdout().write_all(text.as_bytes());
    if let Some(path) = &arguments.json {
        std::fs::write(path, to_json(&reports))
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    }
    if let Some(path) = &arguments.failures {
        std::fs::write(path, PeerFailures::of(&reports).to_string())
            .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    }
    let mut within = true;
    for report in reports.iter().filter(|report| report.skips_too_much()) {
        let family = report.family;
        eprintln!(
            "{}: more than {}% are skipped",
            family.name, family.skipped_percent_max
        );
        within = false;
    }
    Ok(within)
}

fn run_script(path: &Path, arguments: &Arguments) -> Result<bool, String> {
    let script = std::fs::read_to_string(path)
        .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    let limit = Duration::from_secs(arguments.seconds);
    let mut client = Client::new(arguments.backend, Vec::new(), limit);
    let fixture = Fixture {
        path: "",
        script: &script,
        outputs: Vec::new(),
        files: &ServerFiles::default(),
        setup: &[],
        skip: &|_, _| None,
    };
    let _ = std::io::stdout().write_all(transcript(&mut client, &fixture).as_bytes());
    Ok(true)
}
