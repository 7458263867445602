//! The H2O.ai db-benchmark: ten group-by and five join queries over generated G1 and J1 tables.

use std::fmt::Write;
use std::path::Path;

use super::generate::Chance;
use super::judge::{Stage, text};
use super::known::Known;
use crate::archive::SourceFile;
use crate::engine::{Client, failure};
use crate::run::Judged;

/// Rows of the group-by table and groups of its small keys.
const GROUP_ROWS: u64 = 10_000;
const GROUP_KEYS: u64 = 100;
/// Rows of the joins' left table and of the big one; the medium one has a thousandth.
const JOIN_ROWS: u64 = 10_000;
const JOIN_SMALL_ROWS: u64 = 10;

const ANSWERS: &str = include_str!("../../answers/h2o.txt");

const GROUP_COLUMNS: &str = "id1 TEXT, id2 TEXT, id3 TEXT, id4 INTEGER, id5 INTEGER, id6 INTEGER, \
    v1 INTEGER, v2 INTEGER, v3 DOUBLE PRECISION";

const JOIN_TABLES: [(&str, &str); 4] = [
    (
        "x",
        "id1 INTEGER, id2 INTEGER, id3 INTEGER, id4 TEXT, id5 TEXT, id6 TEXT, v1 DOUBLE PRECISION",
    ),
    ("small", "id1 INTEGER, id4 TEXT, v2 DOUBLE PRECISION"),
    (
        "medium",
        "id1 INTEGER, id2 INTEGER, id4 TEXT, id5 TEXT, v2 DOUBLE PRECISION",
    ),
    (
        "big",
        "id1 INTEGER, id2 INTEGER, id3 INTEGER, id4 TEXT, id5 TEXT, id6 TEXT, v2 DOUBLE PRECISION",
    ),
];

/// Runs the queries, or with a folder writes their answers into it.
pub fn run(
    client: &mut Client,
    files: &[SourceFile],
    folder: Option<&Path>,
) -> Result<Vec<Judged>, String> {
    let mut known = Known::new(ANSWERS, folder);
    let mut stage = Stage::new(client);
    make(&mut stage, "x_group", GROUP_COLUMNS, group_rows());
    for (table, columns) in JOIN_TABLES {
        make(&mut stage, table, columns, join_rows(table));
    }
    for (folder, count) in [("group", 10), ("join", 5)] {
        for number in 1..=count {
            let path = format!("h2oai/{folder}/queries/q{number:02}.sql");
            let Some(sql) = text(files, &path) else {
                continue;
            };
            let sql = postgres(&String::from_utf8_lossy(sql));
            stage.query(&path, 1, &sql, |answer| known.wrong(&path, answer));
        }
    }
    known.save("h2o")?;
    Ok(stage.judged)
}

/// DuckDB's spelling in PostgreSQL's: the result is answered, not kept, and quantiles are
/// percentiles.
fn postgres(sql: &str) -> String {
    sql.trim()
        .trim_start_matches("CREATE TEMP TABLE ans AS ")
        .replace(
            "quantile_cont(v3, 0.5)",
            "percentile_cont(0.5) WITHIN GROUP (ORDER BY v3)",
        )
}

fn make(stage: &mut Stage, table: &str, columns: &str, rows: String) {
    stage.make(&format!("CREATE TABLE {table} ({columns})"));
    let loaded = stage.load(
        &format!("COPY {table} FROM STDIN (FORMAT csv)"),
        rows.into_bytes(),
    );
    stage
        .causes
        .note(&format!("CREATE TABLE {table} ()"), failure(&loaded));
}

fn group_rows() -> String {
    let (mut chance, mut text) = (Chance::new(1), String::new());
    let (few, many) = (GROUP_KEYS, GROUP_ROWS / GROUP_KEYS);
    for _ in 0..GROUP_ROWS {
        let _ = writeln!(
            text,
            "id{:03},id{:03},id{:010},{},{},{},{},{},{}.{:06}",
            chance.to(few),
            chance.to(few),
            chance.to(many),
            chance.to(few),
            chance.to(few),
            chance.to(many),
            chance.to(5),
            chance.to(15),
            chance.to(100) - 1,
            chance.to(1_000_000) - 1,
        );
    }
    text
}

fn join_rows(table: &str) -> String {
    let (small, medium) = (JOIN_SMALL_ROWS, JOIN_ROWS / 1_000);
    let (mut chance, mut text) = (Chance::new(2), String::new());
    let rows = match table {
        "small" => small,
        "medium" => medium,
        _ => JOIN_ROWS,
    };
    for row in 1..=rows {
        let value = format!("{}.{:03}", chance.to(100) - 1, chance.to(1_000) - 1);
        // One in ten keys has no partner.
        let (one, two, three) = match table {
            "small" => (row, 0, 0),
            "medium" => (chance.to(small), row, 0),
            "big" => (chance.to(small), chance.to(medium), row),
            _ => {
                let (small, medium) = (small * 10 / 9, medium * 10 / 9);
                (
                    chance.to(small),
                    chance.to(medium),
                    chance.to(JOIN_ROWS * 10 / 9),
                )
            }
        };
        let _ = match table {
            "small" => writeln!(text, "{one},id{one},{value}"),
            "medium" => writeln!(text, "{one},{two},id{one},id{two},{value}"),
            _ => writeln!(
                text,
                "{one},{two},{three},id{one},id{two},id{three},{value}"
            ),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{group_rows, join_rows, postgres};

    #[test]
    fn rows_have_the_columns_of_their_tables() {
        assert!(
            group_rows()
                .lines()
                .all(|line| line.split(',').count() == 9)
        );
        for (table, columns) in [("x", 7), ("small", 3), ("medium", 5), ("big", 7)] {
            let rows = join_rows(table);
            assert!(
                rows.lines().all(|line| line.split(',').count() == columns),
                "{table}"
            );
        }
    }

    #[test]
    fn queries_are_spelt_as_postgresql_spells_them() {
        let sql = "CREATE TEMP TABLE ans AS SELECT quantile_cont(v3, 0.5) AS m FROM t;\n";
        let wanted = "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v3) AS m FROM t;";
        assert_eq!(postgres(sql), wanted);
    }
}
