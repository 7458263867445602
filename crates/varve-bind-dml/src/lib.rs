//! Binds statements that change rows, with the queries in them by `varve-bind-query`.

pub mod binder;
pub mod change;
pub mod conflict;
pub mod copy;
pub mod copy_options;
pub mod delete;
pub mod filled;
pub mod insert;
pub mod merge;
pub mod target;
pub mod through;
pub mod truncate;
pub mod update;

use varve_ast::Dml;
use varve_types::Result;

use crate::binder::DmlBinder;
use varve_plan::plan::Statement;

impl DmlBinder<'_, '_> {
    /// A statement that changes rows.
    pub fn dml(&mut self, dml: &Dml) -> Result<Statement> {
        match dml {
            Dml::Insert(insert) => self.insert(insert),
            Dml::Update(update) => self.update(update),
            Dml::Delete(delete) => self.delete(delete),
            Dml::Merge(merge) => self.merge(merge),
        }
    }
}
