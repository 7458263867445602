//! Each dialect takes its right answer and refuses a planted wrong one.

use std::sync::Arc;

use super::{Labels, check};
use crate::causes::Causes;
use crate::engine::{Answer, Column, Kind, Outcome, Table};
use crate::record::{Expect, Place, Record, RowsWanted, Sort, Verdict};
use crate::slt::Dialect;

fn rows(rows: &[&[&str]], kind: Kind) -> Outcome {
    let columns = rows.first().map_or(0, |row| row.len());
    let column = |at| Column {
        name: format!("c{at}"),
        kind,
    };
    let cell = |cell: &&str| (*cell != "NULL").then(|| (*cell).to_owned());
    Ok(Answer {
        table: Some(Table {
            columns: (0..columns).map(column).collect(),
            rows: rows
                .iter()
                .map(|row| row.iter().map(cell).collect())
                .collect(),
        }),
        ..Answer::default()
    })
}

fn passes(dialect: Dialect, types: &str, sort: Sort, lines: &[&str], outcome: &Outcome) -> bool {
    let record = Record {
        place: Place {
            file: Arc::from("f"),
            line: 1,
        },
        sql: "SELECT ORDER BY".to_owned(),
        connection: String::new(),
        expect: Expect::Rows(RowsWanted {
            types: types.to_owned(),
            sort,
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            ..RowsWanted::default()
        }),
    };
    let verdict = check(
        dialect,
        &record,
        outcome,
        &mut Labels::new(),
        &mut Causes::default(),
    );
    verdict == Verdict::Passed
}

#[test]
fn sqlite_compares_values_line_by_line() {
    let outcome = rows(&[&["2", "NULL"], &["1", "5"]], Kind::Integer);
    let lines = ["1", "5.000", "2", "NULL"];
    assert!(passes(Dialect::Sqlite, "IR", Sort::Rows, &lines, &outcome));
    assert!(!passes(Dialect::Sqlite, "IR", Sort::No, &lines, &outcome));
    let planted = ["1", "5.001", "2", "NULL"];
    assert!(!passes(
        Dialect::Sqlite,
        "IR",
        Sort::Rows,
        &planted,
        &outcome
    ));
    let hash = ["2 values hashing to 6ddb4095eb719e2a9f0a3f95677d24e0"];
    let outcome = rows(&[&["2"], &["1"]], Kind::Integer);
    assert!(passes(Dialect::Sqlite, "I", Sort::Values, &hash, &outcome));
    assert!(!passes(Dialect::Sqlite, "I", Sort::No, &hash, &outcome));
}

#[test]
fn duckdb_compares_cells() {
    let outcome = rows(&[&["t", "1.50"], &["f", "NULL"]], Kind::Boolean);
    let lines = ["true\t1.5", "0\tNULL"];
    let wrong = ["true\t1.5", "1\tNULL"];
    let outcome = match outcome {
        Ok(mut answer) => {
            let table = answer.table.as_mut().unwrap();
            table.columns[1].kind = Kind::Real;
            Ok(answer)
        }
        other => other,
    };
    assert!(passes(Dialect::DuckDb, "II", Sort::No, &lines, &outcome));
    assert!(!passes(Dialect::DuckDb, "II", Sort::No, &wrong, &outcome));
    let outcome = rows(&[&["abc"]], Kind::Other);
    assert!(passes(
        Dialect::DuckDb,
        "T",
        Sort::No,
        &["<REGEX>:a.c"],
        &outcome
    ));
    assert!(!passes(
        Dialect::DuckDb,
        "T",
        Sort::No,
        &["<REGEX>:a.d"],
        &outcome
    ));
    let two = rows(&[&["a", "b"]], Kind::Other);
    assert!(passes(Dialect::DuckDb, "TT", Sort::No, &["a", "b"], &two));
}

#[test]
fn the_others_compare_words() {
    for dialect in [
        Dialect::RisingWave,
        Dialect::RisingLight,
        Dialect::DataFusion,
        Dialect::Cockroach,
    ] {
        let outcome = rows(&[&["b c", "2.50"], &["a", "1"]], Kind::Other);
        let lines = ["a    1", "b   c  2.5"];
        assert!(passes(dialect, "TR", Sort::Rows, &lines, &outcome));
        assert!(!passes(dialect, "TR", Sort::No, &lines, &outcome));
        assert!(!passes(
            dialect,
            "TR",
            Sort::Rows,
            &["a 1", "b c 2"],
            &outcome
        ));
        assert!(!passes(dialect, "TR", Sort::Rows, &["a 1"], &outcome));
    }
}
