//! ClickBench's 43 queries over ten generated rows of its table.

use std::path::Path;

use super::generate::Chance;
use super::judge::{Stage, text};
use super::known::Known;
use super::tsbs::statements;
use crate::archive::SourceFile;
use crate::engine::{Client, failure};
use crate::run::Judged;

const ROWS: u64 = 10;

const ANSWERS: &str = include_str!("../../answers/clickbench.txt");

/// Runs the queries, or with a folder writes their answers into it.
pub fn run(
    client: &mut Client,
    files: &[SourceFile],
    folder: Option<&Path>,
) -> Result<Vec<Judged>, String> {
    let mut known = Known::new(ANSWERS, folder);
    let mut stage = Stage::new(client);
    let load = text(files, "clickbench/queries/load.sql").unwrap_or_default();
    let load = String::from_utf8_lossy(load);
    // Its second statement reads the data from the network.
    let Some((_, create)) = statements(&load).into_iter().next() else {
        return Ok(Vec::new());
    };
    stage.make(&create);
    let loaded = stage.load(
        "COPY hits FROM STDIN (FORMAT csv)",
        rows(&create).into_bytes(),
    );
    stage.causes.note("CREATE TABLE hits ()", failure(&loaded));
    for number in 0..43 {
        let path = format!("clickbench/queries/q{number:02}.sql");
        if let Some(sql) = text(files, &path) {
            // DuckDB's name of a function.
            let sql = String::from_utf8_lossy(sql).replace("STRLEN(", "LENGTH(");
            stage.query(&path, 1, &sql, |answer| known.wrong(&path, answer));
        }
    }
    known.save("clickbench")?;
    Ok(stage.judged)
}

/// Rows by the types of the columns.
fn rows(create: &str) -> String {
    let columns: Vec<String> = create
        .lines()
        .filter_map(|line| line.split_whitespace().nth(1))
        .map(|ty| ty.trim_end_matches(',').to_uppercase())
        .filter(|ty| ty != "TABLE")
        .collect();
    let (mut chance, mut text) = (Chance::new(3), String::new());
    for _ in 0..ROWS {
        let cells = columns.iter().map(|ty| match ty.as_str() {
            "BIGINT" => (chance.to(3) * 435_090_932_899_640_449).to_string(),
            "INTEGER" => (60 + chance.to(3)).to_string(),
            "SMALLINT" => (chance.to(3) - 1).to_string(),
            "TIMESTAMP" => format!("2013-07-{} 12:{}:00", 13 + chance.to(3), 10 + chance.to(40)),
            // One character.
            "CHAR" => ["a", "b", "c"][chance.to(3) as usize - 1].to_owned(),
            "DATE" => format!("2013-07-{}", 13 + chance.to(3)),
            _ => {
                let words = [
                    "",
                    "http://www.google.ru/a",
                    "https://example.com/b",
                    "Google",
                ];
                words[chance.to(4) as usize - 1].to_owned()
            }
        });
        let cells: Vec<String> = cells.map(|cell| format!("\"{cell}\"")).collect();
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn a_row_has_a_value_for_each_column() {
        let create =
            "CREATE TABLE hits\n(\n    WatchID BIGINT NOT NULL,\n    Colour CHAR,\n    D Date\n)";
        let rows = rows(create);
        assert_eq!(rows.lines().count(), 10);
        assert!(rows.lines().all(|line| line.split(',').count() == 3));
        assert!(rows.contains("2013-07-1") && rows.contains(",\"a\","));
    }
}
