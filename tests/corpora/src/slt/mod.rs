//! Files of the sqllogictest kind: one reader of lines, a parser for each dialect, one comparison.

mod cells;
mod check;
mod cockroach;
mod duckdb;
mod error;
mod gluesql;
mod hash;
mod lines;
mod loops;
mod rust;
mod sqlite;

pub use cells::canonical;
pub use check::{Labels, check};
pub use hash::hash_line;
pub use lines::Lines;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::record::Step;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Sqlite,
    DuckDb,
    RisingWave,
    RisingLight,
    DataFusion,
    Cockroach,
    GlueSql,
}

/// The texts of a corpus by path, for those that include others.
pub type Texts = BTreeMap<String, Arc<str>>;

/// The steps of a file.
pub fn parse(dialect: Dialect, path: &str, texts: &Texts) -> Vec<Step> {
    let text = texts.get(path).cloned().unwrap_or_default();
    let lines = Lines::new(path, &text);
    match dialect {
        Dialect::Sqlite => sqlite::parse(lines),
        Dialect::DuckDb => duckdb::parse(lines),
        Dialect::Cockroach => cockroach::parse(lines),
        Dialect::GlueSql => gluesql::parse(lines),
        Dialect::RisingWave | Dialect::RisingLight | Dialect::DataFusion => {
            rust::parse(lines, texts, 0)
        }
    }
}
