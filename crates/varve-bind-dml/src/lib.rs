//! Binds statements that change rows: INSERT, UPDATE, DELETE, MERGE, COPY and TRUNCATE. The queries
//! in them are bound by `varve-bind-query`.
//!
//! Invariant: the plan gives complete rows, or positions of rows; `varve-dml` changes no others.

pub mod binder;
pub mod change;
mod conflict;
mod copy;
mod copy_options;
mod delete;
mod filled;
mod insert;
mod merge;
mod target;
pub mod through;
pub mod truncate;
mod update;

use varve_ast::Dml;
use varve_plan::plan::Statement;
use varve_types::Result;

use crate::binder::DmlBinder;

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
