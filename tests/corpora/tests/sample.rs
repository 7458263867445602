//! The runners on a real engine: a corpus of three lines a dialect with a planted wrong answer in
//! each, and a small part of the real corpora where they are beside the repository.

#![allow(
    clippy::unwrap_used,
    reason = "a test program stops when its own parts are missing"
)]

use std::path::{Path, PathBuf};

use varve_corpora::arguments::{Arguments, default_root};
use varve_corpora::family::FAMILIES;
use varve_corpora::report::Totals;
use varve_corpora::run::run_family;
use varve_corpora::skips::Skips;

fn totals(family: &str, arguments: &Arguments) -> Option<(Totals, Vec<String>)> {
    let family = FAMILIES.iter().find(|known| known.name == family).unwrap();
    let report = run_family(*family, arguments, &Skips::default()).unwrap()?;
    let classes = report.failures.iter().map(|f| f.failed.class.clone());
    Some((report.totals(), classes.collect()))
}

/// A file of SQLite's corpus of which every record passes.
const SAMPLE: &str = "index/random/1000/slt_good_3.test";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn each_runner_takes_what_is_right_and_finds_what_is_planted() {
    let root = folder("planted");
    let good = "statement ok\nCREATE TABLE t (a INT)\n\nstatement ok\nINSERT INTO t VALUES (1)\n\n\
        query I\nSELECT a FROM t\n----\n1\n\nstatement error\nSELECT b FROM t\n\n";
    let wrong = "query I\nSELECT a FROM t\n----\n2\n";
    let slt = format!("{good}{wrong}");
    write(&root, "sqllogictest/a.test", &slt);
    write(&root, "duckdb/a.test", &slt);
    write(&root, "risingwave/a.slt", &slt);
    write(&root, "datafusion/a.slt", &slt);
    write(&root, "risinglight/a.slt", &slt);
    write(&root, "cockroach/logic_test/a", &slt);
    let glue = "CREATE TABLE t (a INT)\n-- @expect: ok\n\nINSERT INTO t VALUES (1)\n\
        -- @expect: payload Insert\n-- @json: 1\n\nSELECT a FROM t\n-- @expect:\n-- | a: I64 |\n\
        -- | ------ |\n-- | 1 |\n\nSELECT b FROM t\n-- @expect: error E\n\nSELECT a FROM t\n\
        -- @expect:\n-- | a: I64 |\n-- | ------ |\n-- | 2 |\n";
    write(&root, "gluesql/a.sql", glue);
    let script = "CREATE TABLE t (a INT);\nCOPY t FROM stdin CSV;\n1\n\\.\nSELECT a\n FROM t;\n\
        SELECT b FROM t;\nSELECT a FROM t; -- planted\n";
    let output = "CREATE TABLE t (a INT);\nCOPY t FROM stdin CSV;\nSELECT a\n FROM t;\n a \n---\n 1\n\
        (1 row)\n\nSELECT b FROM t;\nERROR:  column \"b\" does not exist\nLINE 1: SELECT b FROM t;\n\
        \x20              ^\nSELECT a FROM t; -- planted\n a \n---\n 2\n(1 row)\n\n";
    write(&root, "postgres-regress/sql/a.sql", script);
    write(&root, "postgres-regress/expected/a.out", output);
    let arguments = Arguments {
        root,
        ..Arguments::default()
    };
    for family in [
        "sqllogictest",
        "duckdb",
        "risingwave",
        "datafusion",
        "risinglight",
        "cockroach",
        "gluesql",
        "postgres-regress",
    ] {
        let (totals, classes) = totals(family, &arguments).unwrap();
        assert_eq!(
            (totals.total, totals.passed, totals.failed),
            (5, 4, 1),
            "{family}: {classes:?}"
        );
        assert_eq!(classes, ["wrong values"], "{family}");
    }
}

#[test]
fn a_part_of_the_real_corpora_passes() {
    let root = default_root();
    if !root.is_dir() {
        println!("skipped: there are no corpora in {}", root.display());
        return;
    }
    let arguments = Arguments {
        root,
        file: Some(SAMPLE.to_owned()),
        ..Arguments::default()
    };
    let (totals, classes) = totals("sqllogictest", &arguments).unwrap();
    assert!(totals.total > 1_000, "{totals:?}");
    assert_eq!(totals.passed, totals.total, "{classes:?}");
}
