//! Some places of each file, and a bug that must be found.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

use varve_damagefuzz::{Settings, run};

fn settings(places: u64) -> Settings {
    Settings {
        seed: 7,
        places,
        forgets_promises: false,
    }
}

#[test]
fn nothing_is_lost_without_a_word() {
    let places = match std::env::var("VARVEDB_TESTS").as_deref() {
        Ok("full") => 2000,
        _ => 12,
    };
    let report = run(&settings(places)).unwrap();
    println!("{report}");
    assert!(report.failures.is_empty(), "{report}");
}

/// A store that keeps no promises cannot tell a log that was cut.
#[test]
fn a_store_that_forgets_what_it_promised_is_found() {
    let report = run(&Settings {
        forgets_promises: true,
        ..settings(12)
    });
    let failures = report.unwrap().failures;
    assert!(
        failures
            .iter()
            .any(|failure| failure.contains("silent loss"))
    );
}
