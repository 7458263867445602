//! DELETE.

use sqlparser::ast::{Delete, FromTable};
use varve_types::Result;

use crate::bind::update::{position_column, target_scope};
use crate::bind::{Binder, refuse, unsupported_at};
use crate::optimize::optimize;
use crate::plan::{ModifyPlan, Plan, Statement};

impl Binder<'_> {
    pub(crate) fn delete(&mut self, delete: &Delete) -> Result<Statement> {
        let Delete {
            delete_token: _,
            optimizer_hints: _,
            tables,
            from,
            using,
            selection,
            returning,
            output,
            order_by,
            limit,
        } = delete;
        let position = self.source.first();
        refuse(using.is_some(), "DELETE ... USING", position)?;
        refuse(returning.is_some(), "RETURNING", position)?;
        let other_dialect =
            !tables.is_empty() || output.is_some() || !order_by.is_empty() || limit.is_some();
        refuse(other_dialect, "this form of DELETE", position)?;
        let FromTable::WithFromKeyword(targets) = from else {
            return Err(unsupported_at("DELETE without FROM", position));
        };
        let [target] = targets.as_slice() else {
            return Err(unsupported_at("DELETE from several tables", position));
        };
        let (name, alias) = self.target_table(target)?;
        let table = self.writable_table(name)?;
        let names = target_scope(&table, alias);
        let source = self.changed_rows(&table, &names, selection.as_ref())?;
        let source = optimize(Plan::Project {
            input: Box::new(source),
            exprs: vec![position_column(&table)],
        });
        Ok(Statement::Delete(ModifyPlan {
            table,
            source,
            keeps_key: false,
        }))
    }
}
