//! Some random databases, and bugs that must be found.

use varve_dumpfuzz::{Planted, run};

#[test]
fn dumps_load_and_are_sql_only() {
    let cases = match std::env::var("VARVEDB_TESTS").as_deref() {
        Ok("full") => 20_000,
        _ => 60,
    };
    let (made, found) = run(7, 0..cases, Planted::Nothing);
    assert!(found.is_none(), "{found:#?}");
    assert!(made > 20 * usize::try_from(cases).unwrap_or(0), "{made}");
}

#[test]
fn planted_bugs_are_found() {
    for planted in [Planted::PlainQuotes, Planted::LessOfIt, Planted::StaleName] {
        let (_, found) = run(7, 0..20, planted);
        assert!(found.is_some(), "{planted:?}");
    }
}
