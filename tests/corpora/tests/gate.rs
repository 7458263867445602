//! What passes of the corpora keeps passing: of SQLite's sqllogictest every record that PostgreSQL
//! passes, a tenth of the files each day, and of the other families at least the share that is
//! written down here, of the large ones for a part of their files. `VARVEDB_TESTS=full` runs all.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test program stops when its own parts are missing, and takes the day from the clock"
)]

use std::time::{SystemTime, UNIX_EPOCH};

use varve_corpora::arguments::{Arguments, default_root};
use varve_corpora::family::FAMILIES;
use varve_corpora::peer::{self, PeerFailures};
use varve_corpora::report::FamilyReport;
use varve_corpora::run::run_family;
use varve_corpora::skips::{self, Skips};

/// The parts of sqllogictest, one a day.
const PARTS: usize = 10;

/// What a family passes at least.
struct Floor {
    family: &'static str,
    /// The parts of its files of which the first is run by default.
    parts: usize,
    /// Percent of the records of that part.
    part_percent: u64,
    /// Percent of all records.
    percent: u64,
}

const fn whole(family: &'static str, percent: u64) -> Floor {
    Floor {
        family,
        parts: 1,
        part_percent: percent,
        percent,
    }
}

const FLOORS: [Floor; 11] = [
    Floor {
        family: "postgres-regress",
        parts: 4,
        part_percent: 46,
        percent: 34,
    },
    Floor {
        family: "duckdb",
        parts: 4,
        part_percent: 42,
        percent: 40,
    },
    whole("risingwave", 80),
    whole("datafusion", 40),
    whole("cockroach", 46),
    whole("risinglight", 82),
    whole("gluesql", 71),
    whole("tpch", 100),
    whole("tsbs", 100),
    whole("clickbench", 100),
    whole("h2o", 100),
];

fn is_full() -> bool {
    std::env::var("VARVEDB_TESTS").is_ok_and(|value| value == "full")
}

/// The report of a family; nothing where the corpora are not beside the repository.
fn report(family: &str, part: Option<(usize, usize)>) -> Option<FamilyReport> {
    let root = default_root();
    if !root.is_dir() {
        println!("skipped: there are no corpora in {}", root.display());
        return None;
    }
    let arguments = Arguments {
        root,
        part,
        ..Arguments::default()
    };
    let family = FAMILIES.iter().find(|known| known.name == family).unwrap();
    let skips = Skips::parse(skips::REPOSITORY).unwrap();
    run_family(*family, &arguments, &skips).unwrap()
}

#[test]
fn what_postgresql_passes_of_sqllogictest_passes() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let day = usize::try_from(now.as_secs() / 86_400).unwrap();
    let part = (!is_full()).then_some((day % PARTS + 1, PARTS));
    let Some(report) = report("sqllogictest", part) else {
        return;
    };
    let peer = PeerFailures::parse(peer::REPOSITORY).unwrap();
    let is_ours = |file: &str, line| !peer.has_line("sqllogictest", file, line);
    let ours = report
        .failures
        .iter()
        .filter(|failure| is_ours(&failure.place.file, failure.place.line));
    let wrong: Vec<String> = ours
        .map(|failure| {
            let (place, class) = (&failure.place, &failure.failed.class);
            format!("{}:{} {class}", place.file, place.line)
        })
        .take(20)
        .collect();
    assert!(wrong.is_empty(), "part {part:?}: {wrong:#?}");
}

#[test]
fn the_other_corpora_pass_as_far_as_they_did() {
    let mut fallen = Vec::new();
    for floor in FLOORS {
        let (part, percent) = match floor.parts {
            parts if parts > 1 && !is_full() => (Some((1, parts)), floor.part_percent),
            _ => (None, floor.percent),
        };
        let Some(report) = report(floor.family, part) else {
            return;
        };
        let skips = Skips::parse(skips::REPOSITORY).unwrap();
        for reason in skips.reasons(floor.family).filter(|_| part.is_none()) {
            let mut seen = report.skips.keys();
            if !seen.any(|skipped| skipped.ends_with(reason)) {
                fallen.push(format!("{}: nothing is skipped: {reason}", floor.family));
            }
        }
        let totals = report.totals();
        if report.skips_too_much() || totals.passed * 100 < totals.total * percent {
            fallen.push(format!(
                "{}, part {part:?}: {totals:?}, wanted {percent}%",
                floor.family
            ));
        }
    }
    assert!(fallen.is_empty(), "{fallen:#?}");
}
