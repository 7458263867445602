//! A record of a corpus: where it stands, what is run, what is expected of it.

use std::sync::Arc;

use crate::engine::Outcome;

#[derive(Clone, Debug)]
pub struct Record {
    pub place: Place,
    pub sql: String,
    /// The session that runs it; one for each name.
    pub connection: String,
    pub expect: Expect,
}

/// A file and a line of it, from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: Arc<str>,
    pub line: u32,
}

#[derive(Clone, Debug)]
pub enum Expect {
    /// That it goes through.
    Ok,
    /// That it ends.
    Any,
    Error(ErrorWanted),
    Rows(RowsWanted),
    /// So many rows changed.
    Affected(u64),
    /// So many rows, whichever.
    RowCount(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorWanted {
    Any,
    /// A pattern for the message.
    Matches(String),
    /// A part of the message.
    Contains(String),
    State(String),
}

#[derive(Clone, Debug, Default)]
pub struct RowsWanted {
    /// One letter a column, as the corpus spells them.
    pub types: String,
    pub sort: Sort,
    /// Queries with the same label have the same result.
    pub label: Option<String>,
    /// Names of the columns, where they count.
    pub names: Option<Vec<String>>,
    /// What follows `----`.
    pub lines: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    #[default]
    No,
    Rows,
    Values,
}

/// What a file is made of once it is read.
#[derive(Clone, Debug)]
pub enum Step {
    Run(Box<Record>),
    /// A record that the corpus itself leaves out.
    LeftOut(Place, &'static str),
    /// The records below need something, by the words that `skips.toml` would name.
    Needs(String),
    /// The text cannot be read as its dialect.
    Broken(Place, String),
}

/// How a record ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passed,
    Skipped(String),
    Failed(Box<Failed>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Which failures belong together.
    pub class: String,
    pub expected: String,
    pub got: String,
}

impl Verdict {
    pub fn failed(class: impl Into<String>, expected: String, got: String) -> Verdict {
        let class = class.into();
        Verdict::Failed(Box::new(Failed {
            class,
            expected,
            got,
        }))
    }
}

/// What a statement answered, shortly.
pub fn outcome_text(outcome: &Outcome) -> String {
    match outcome {
        Err(failure) => format!("{}: {}", failure.state, failure.message),
        Ok(answer) => match &answer.table {
            None => "no rows".to_owned(),
            Some(table) => {
                let mut text = String::new();
                for row in table.rows.iter().take(50) {
                    let cells: Vec<&str> = row
                        .iter()
                        .map(|cell| cell.as_deref().unwrap_or("NULL"))
                        .collect();
                    text.push_str(&cells.join("\t"));
                    text.push('\n');
                }
                format!("{} rows\n{text}", table.rows.len())
            }
        },
    }
}

/// The records of a file that has nothing else.
#[cfg(test)]
pub(crate) fn records_of(steps: &[Step]) -> Vec<&Record> {
    let steps = steps.iter();
    steps
        .map(|step| match step {
            Step::Run(record) => record.as_ref(),
            other => panic!("{other:?}"),
        })
        .collect()
}
