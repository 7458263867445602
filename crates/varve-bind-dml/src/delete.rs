//! DELETE.

use varve_ast::Delete;
use varve_plan::optimize::optimize;
use varve_plan::plan::{ModifyPlan, Plan, Statement};
use varve_types::Result;

use crate::binder::DmlBinder;
use crate::target::{Verb, head_exprs};
use crate::update::Changed;

impl DmlBinder<'_, '_> {
    pub(crate) fn delete(&mut self, delete: &Delete) -> Result<Statement> {
        let Delete {
            table,
            using,
            filter,
            returning,
            span: _,
        } = delete;
        let alias = self.changed_alias(table)?;
        let mut target = self.target(&table.name, table.only.is_some(), Verb::Delete)?;
        let Changed {
            plan,
            names,
            mut others,
        } = self.changed_rows(&mut target, alias, using, filter.as_ref())?;
        let returning = self.query.returning(returning.as_deref(), &names)?;
        let mut exprs = head_exprs(&target.table, &target.children);
        if returning.is_none() && !target.is_instead {
            exprs.drain(..target.table.columns.len());
        }
        if returning.is_some() {
            exprs.append(&mut others);
        }
        let source = optimize(Plan::Project {
            input: Box::new(plan),
            exprs,
        });
        Ok(Statement::Delete(ModifyPlan {
            table: target.table,
            children: target.children,
            source,
            assigned: Vec::new(),
            checks: Vec::new(),
            returning,
        }))
    }
}
