//! DELETE.

use sqlparser::ast::{Delete, FromTable};
use varve_types::Result;

use crate::bind::target::{Verb, head_exprs};
use crate::bind::update::Changed;
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
        let other_dialect =
            !tables.is_empty() || output.is_some() || !order_by.is_empty() || limit.is_some();
        refuse(other_dialect, "this form of DELETE", position)?;
        let FromTable::WithFromKeyword(targets) = from else {
            return Err(unsupported_at("DELETE without FROM", position));
        };
        let [target] = targets.as_slice() else {
            return Err(unsupported_at("DELETE from several tables", position));
        };
        let (name, alias, only) = self.target_table(target)?;
        let mut target = self.target(name, only, Verb::Delete)?;
        let using = using.as_deref().unwrap_or_default();
        let Changed {
            plan,
            names,
            mut others,
        } = self.changed_rows(&mut target, alias, using, selection.as_ref())?;
        let returning = self.returning(returning.as_deref(), &names)?;
        let mut exprs = head_exprs(&target.table, &target.members);
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
            members: target.members,
            source,
            assigned: Vec::new(),
            checks: Vec::new(),
            returning,
        }))
    }
}
