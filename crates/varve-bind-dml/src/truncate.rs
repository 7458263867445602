//! TRUNCATE.

use std::sync::Arc;

use varve_ast::Truncate;
use varve_catalog::model::table::TableDef;
use varve_plan::plan::Statement;
use varve_types::{Error, Result, SqlState};

use crate::binder::DmlBinder;

impl DmlBinder<'_, '_> {
    /// TRUNCATE.
    pub fn truncate(&mut self, truncate: &Truncate) -> Result<Statement> {
        let mut tables: Vec<Arc<TableDef>> = Vec::with_capacity(truncate.tables.len());
        for (name, only) in &truncate.tables {
            let table = self.query.defined_table(name)?;
            if *only && table.partitioning().is_some() {
                let message = "cannot truncate only a partitioned table";
                let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
                return Err(error.with_hint(NOT_ONLY));
            }
            let inheritance = match only {
                true => vec![table],
                false => self.catalog.inheritance_of(&table),
            };
            for child in inheritance {
                if !tables.iter().any(|known| known.object == child.object) {
                    tables.push(child);
                }
            }
        }
        let named = tables.len();
        let mut at = 0;
        while let Some(parent) = tables.get(at).cloned() {
            at += 1;
            for (child, ..) in self.catalog.references_to(parent.object) {
                if tables.iter().any(|known| known.object == child.object) {
                    continue;
                }
                if !truncate.is_cascade {
                    return Err(referenced(&parent.name, &child.name));
                }
                tables.push(Arc::clone(child));
            }
        }
        let mut sequences = Vec::new();
        if truncate.restart_identity {
            let is_owned = |table: &Arc<TableDef>| {
                let owned = self.catalog.sequences.values();
                let owned = owned.filter(|sequence| {
                    let owner = sequence.owner;
                    owner.is_some_and(|(object, _)| object == table.object)
                });
                owned.cloned().collect::<Vec<_>>()
            };
            sequences.extend(tables.iter().flat_map(is_owned));
        }
        Ok(Statement::Truncate {
            tables,
            named,
            sequences,
        })
    }
}

fn referenced(parent: &str, child: &str) -> Error {
    let message = "cannot truncate a table referenced in a foreign key constraint";
    let detail = format!("Table \"{child}\" references \"{parent}\".");
    let hint = format!("Truncate table \"{child}\" at the same time, or use TRUNCATE ... CASCADE.");
    Error::new(SqlState::FEATURE_NOT_SUPPORTED, message)
        .with_detail(detail)
        .with_hint(hint)
}

/// What to do about ONLY where the tables below are meant as well.
pub const NOT_ONLY: &str = "Do not specify the ONLY keyword.";
