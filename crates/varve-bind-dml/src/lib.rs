//! Statements that change rows.

pub(crate) mod binder;
pub(crate) mod change;
pub(crate) mod conflict;
pub(crate) mod copy;
pub(crate) mod copy_options;
pub(crate) mod delete;
pub(crate) mod filled;
pub(crate) mod insert;
pub(crate) mod merge;
pub(crate) mod target;
pub(crate) mod through;
pub(crate) mod truncate;
pub(crate) mod update;

use varve_ast::Dml;
use varve_types::Result;

use crate::bind::dml::binder::DmlBinder;
use crate::plan::Statement;

impl DmlBinder<'_, '_> {
    /// A statement that changes rows.
    pub(crate) fn dml(&mut self, dml: &Dml) -> Result<Statement> {
        match dml {
            Dml::Insert(insert) => self.insert(insert),
            Dml::Update(update) => self.update(update),
            Dml::Delete(delete) => self.delete(delete),
            Dml::Merge(merge) => self.merge(merge),
        }
    }
}
