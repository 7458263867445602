//! Tables are made, then each query is judged by its answer, or by going through at all.

use std::sync::Arc;

use crate::archive::SourceFile;
use crate::causes::Causes;
use crate::engine::{Answer, Client, Outcome, failure};
use crate::record::{Place, Verdict, outcome_text};
use crate::run::Judged;
use crate::slt::canonical;

/// The text of a file of a set.
pub(super) fn text<'a>(files: &'a [SourceFile], path: &str) -> Option<&'a [u8]> {
    let file = files.iter().find(|file| file.path == path)?;
    Some(&file.bytes)
}

/// The stage of a set, and what became of its queries.
pub(super) struct Stage<'a> {
    pub client: &'a mut Client,
    pub causes: Causes,
    pub judged: Vec<Judged>,
}

impl<'a> Stage<'a> {
    pub fn new(client: &'a mut Client) -> Stage<'a> {
        Stage {
            client,
            causes: Causes::default(),
            judged: Vec::new(),
        }
    }

    /// Makes something that the queries need; that it failed shows in their classes.
    pub fn make(&mut self, sql: &str) {
        let outcome = self.client.query("", sql);
        self.causes.note(sql, failure(&outcome));
    }

    pub fn load(&mut self, sql: &str, data: Vec<u8>) -> Outcome {
        self.client.copy_in("", sql, data)
    }

    /// Runs a query. `wrong` tells what is wrong with an answer.
    pub fn query(
        &mut self,
        file: &str,
        line: u32,
        sql: &str,
        wrong: impl FnOnce(&Answer) -> Option<(String, String)>,
    ) {
        let outcome = self.client.query("", sql);
        let class = self.causes.note(sql, failure(&outcome));
        let verdict = match (&outcome, class) {
            (Ok(answer), _) => match wrong(answer) {
                None => Verdict::Passed,
                Some((class, expected)) => Verdict::failed(class, expected, outcome_text(&outcome)),
            },
            (Err(_), class) => {
                let class = class.unwrap_or_default();
                Verdict::failed(class, "an answer".to_owned(), outcome_text(&outcome))
            }
        };
        let file = Arc::from(file);
        self.judged
            .push((Place { file, line }, sql.to_owned(), verdict));
    }
}

/// Compares rows with lines of cells between a separator; `in_order` says whether order counts.
pub(super) fn wrong_rows(
    answer: &Answer,
    lines: &[&str],
    separator: char,
    in_order: bool,
) -> Option<(String, String)> {
    let cells = |cells: Vec<&str>| -> Vec<String> {
        // Values of CHAR(n) are padded.
        cells
            .into_iter()
            .map(|cell| canonical(cell.trim_end()))
            .collect()
    };
    let rows = answer.table.iter().flat_map(|table| &table.rows);
    let mut got: Vec<Vec<String>> = rows
        .map(|row| {
            cells(
                row.iter()
                    .map(|cell| cell.as_deref().unwrap_or(""))
                    .collect(),
            )
        })
        .collect();
    let split = |line: &&str| {
        cells(
            line.split(separator)
                .map(|cell| cell.trim_matches('"'))
                .collect(),
        )
    };
    let mut wanted: Vec<Vec<String>> = lines.iter().map(split).collect();
    if got == wanted {
        return None;
    }
    let class = if got.len() != wanted.len() {
        "wrong count of rows"
    } else {
        got.sort();
        wanted.sort();
        match (got == wanted, in_order) {
            (true, false) => return None,
            (true, true) => "wrong order",
            (false, _) => "wrong values",
        }
    };
    Some((class.to_owned(), lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::wrong_rows;
    use crate::engine::{Answer, Column, Kind, Table};

    #[test]
    fn a_planted_answer_is_found() {
        let column = Column {
            name: "a".to_owned(),
            kind: Kind::Real,
        };
        let rows = [["1.50", "x"], ["2", "y"]];
        let row = |row: &[&str; 2]| row.iter().map(|cell| Some((*cell).to_owned())).collect();
        let answer = Answer {
            table: Some(Table {
                columns: vec![column.clone(), column],
                rows: rows.iter().map(row).collect(),
            }),
            ..Answer::default()
        };
        let class = |lines: &[&str], in_order| {
            wrong_rows(&answer, lines, '|', in_order).map(|(class, _)| class)
        };
        assert_eq!(class(&["1.5|x", "2.0|y"], true), None);
        assert_eq!(class(&["2|y", "1.5|x"], false), None);
        assert_eq!(
            class(&["2|y", "1.5|x"], true).as_deref(),
            Some("wrong order")
        );
        assert_eq!(
            class(&["1.5|x", "3|y"], true).as_deref(),
            Some("wrong values")
        );
        assert_eq!(
            class(&["1.5|x"], true).as_deref(),
            Some("wrong count of rows")
        );
    }
}
