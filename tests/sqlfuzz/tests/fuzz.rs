//! A few thousand queries, seeds that failed once, and bugs that must be found.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failure fails the test"
)]

use varve_expr::planted::{Planted, plant};
use varve_sqlfuzz::arguments::{Arguments, CaseName};
use varve_sqlfuzz::chance::Chance;
use varve_sqlfuzz::oracle::{Case, Oracle, Verdict};
use varve_sqlfuzz::run::{known_functions, run};
use varve_sqlfuzz::stage::Stage;
use varve_sqlfuzz::world::World;

fn parsed(text: &str) -> Arguments {
    Arguments::parse(text.split_whitespace().map(str::to_owned)).unwrap()
}

#[test]
fn no_answer_is_wrong() {
    let wanted = match std::env::var("VARVEDB_TESTS").as_deref() {
        Ok("full") => "--seed 100 --queries 1000000",
        _ => "--seed 100 --queries 3000 --seconds 600",
    };
    let report = run(&parsed(wanted)).unwrap();
    println!("{report}");
    assert!(report.found.is_empty());
}

/// Each line of the file is a case, and what it once found.
#[test]
fn seeds_that_failed_once_pass() {
    let lines = include_str!("../seeds.txt").lines();
    let names = lines.filter_map(|line| CaseName::parse(line.split('#').next().unwrap()));
    let mut arguments = parsed("--quick");
    arguments.cases = names.collect();
    assert!(!arguments.cases.is_empty());
    let report = run(&arguments).unwrap();
    assert!(report.found.is_empty(), "{report}");
}

/// A planted bug is found by one of the first cases of an oracle.
fn finds(bug: Planted, oracle: Oracle) {
    let functions = known_functions();
    plant(Some(bug));
    let found = (1..100).find_map(|seed| {
        let mut stage = Stage::new(World::new(seed), None);
        (0..100).find_map(|index| {
            let chance = Chance::of_case(seed, index);
            let case = Case::new(oracle, chance, &stage.world, &functions)?;
            match case.check(&mut stage) {
                Verdict::Failed(message) => Some(message),
                _ => None,
            }
        })
    });
    plant(None);
    let message = found.unwrap_or_else(|| panic!("{bug:?} is not found"));
    println!("{bug:?}: {message}");
}

#[test]
fn a_wrong_not_is_found_by_partitions() {
    finds(Planted::NotOfNull, Oracle::Tlp);
}

#[test]
fn a_wrong_scan_is_found_by_counting() {
    finds(Planted::OpenBound, Oracle::Norec);
}

#[test]
fn a_wrong_function_is_found_by_a_pivot() {
    finds(Planted::FirstOfCoalesce, Oracle::Pqs);
}
