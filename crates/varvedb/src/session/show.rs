//! SHOW.

use std::sync::Arc;

use varve_system_views::Field;
use varve_types::{Batch, Column, LogicalType, Result, Value};

use super::Session;
use crate::shared::result_set::ResultSet;
use varve_settings::{self as settings, all_settings};

impl Session {
    /// One setting, or all of them with what they are.
    pub(super) fn show(&mut self, name: Option<&str>) -> Result<ResultSet> {
        let scope = self.scope();
        Ok(match name {
            Some(name) => {
                let [name, value] = settings::show(&scope, name)?;
                texts(&[&name], &[vec![value]])
            }
            None => {
                let lines = all_settings(&scope).into_iter();
                let lines = lines.map(|line| vec![line.name, line.value, line.description]);
                let lines: Vec<Vec<String>> = lines.collect();
                texts(&["name", "setting", "description"], &lines)
            }
        })
    }
}

/// A few rows of text.
fn texts(names: &[&str], rows: &[Vec<String>]) -> ResultSet {
    let column = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at));
        let values: Vec<Value> = cells.map(|cell| Value::text(cell.as_str())).collect();
        Arc::new(Column::from_values(LogicalType::Text, &values))
    };
    let field = |name: &&str| Field {
        name: (*name).to_owned(),
        ty: LogicalType::Text,
    };
    ResultSet {
        fields: names.iter().map(field).collect(),
        batches: vec![Batch::new(
            (0..names.len()).map(column).collect(),
            rows.len(),
        )],
        command: "SHOW",
        ..ResultSet::default()
    }
}
