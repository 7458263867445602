//! Every statement of our own, cut and changed a little, and a bug that must be found.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

use varve_parser::steps;
use varve_parserfuzz::check::{Outcome, check};
use varve_parserfuzz::run::{Amount, run};
use varve_parserfuzz::statements::statements;

#[test]
fn every_text_comes_to_an_end() {
    let is_full = std::env::var("VARVEDB_TESTS").as_deref() == Ok("full");
    let amount = Amount {
        seed: 1,
        cuts: if is_full { 1000 } else { 12 },
        changes: if is_full { 100 } else { 6 },
        failures_max: 5,
    };
    let statements = statements(None).unwrap();
    assert!(statements.len() > 1000, "{} statements", statements.len());
    let report = run(&statements, amount);
    println!("{report}");
    assert!(report.failures.is_empty(), "{report}");
}

#[test]
fn a_loop_that_does_not_see_the_end_is_found() {
    let texts = [
        "create schema s create table t $",
        "grant select on large object $",
        "create function f() returns int begin atomic select 1; $",
        "do 'begin perform 1; $'",
    ];
    for text in texts {
        assert!(matches!(check(text), Outcome::Ended(_)), "{text}");
    }
    steps::plant(true);
    let texts = texts.map(str::to_owned);
    let amount = Amount {
        seed: 1,
        cuts: 100,
        changes: 0,
        failures_max: 1,
    };
    let report = run(&texts, amount);
    steps::plant(false);
    assert!(!report.failures.is_empty(), "{report}");
}
