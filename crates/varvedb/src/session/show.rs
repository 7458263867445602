//! SHOW.

use std::sync::Arc;

use varve_catalog::Field;
use varve_types::{Batch, Column, LogicalType, Result, Value};

use super::settings::{self, SETTINGS, Scope};
use super::{Session, other_settings};
use crate::ResultSet;

impl Session {
    /// One setting, or all of them with what they are.
    pub(super) fn show(&mut self, name: Option<&str>) -> Result<ResultSet> {
        let scope = self.scope();
        Ok(match name {
            Some(name) if other_settings::is_other(name) => {
                let value = other_settings::show(&scope.session.others, name);
                let value = value.ok_or_else(|| settings::unknown(name))?;
                texts(&[name], &[vec![value]])
            }
            Some(name) => {
                let setting = settings::find(name)?;
                texts(&[setting.name], &[vec![setting.show(&scope)]])
            }
            None => {
                let lines = all_settings(&scope).into_iter().map(Vec::from);
                let lines: Vec<Vec<String>> = lines.collect();
                texts(&["name", "setting", "description"], &lines)
            }
        })
    }
}

/// All settings: names, values and what they are, in the order of the names.
pub(super) fn all_settings(scope: &Scope<'_>) -> Vec<[String; 3]> {
    let line = |setting: &settings::Setting| {
        let description = setting.description.to_owned();
        [setting.name.to_owned(), setting.show(scope), description]
    };
    let mut lines: Vec<[String; 3]> = SETTINGS.iter().map(line).collect();
    let others = other_settings::all(&scope.session.others);
    lines.extend(others.map(|(name, value)| {
        let description = "Kept, and changes nothing".to_owned();
        [name.to_owned(), value, description]
    }));
    lines.sort_by_cached_key(|[name, ..]| name.to_ascii_lowercase());
    lines
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
