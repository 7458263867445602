//! UPDATE.

use std::sync::Arc;

use sqlparser::ast::{Assignment, AssignmentTarget, Ident, ObjectNamePart, Update};
use varve_expr::Expr;
use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::bind::expr::ExprScope;
use crate::bind::from::full_scan;
use crate::bind::insert::is_default;
use crate::bind::literal::literal;
use crate::bind::names::fold_name;
use crate::bind::subquery::{attach, attach_conditions};
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::catalog::TableDef;
use crate::optimize::optimize;
use crate::plan::{ModifyPlan, Plan, Relation, Statement};
use crate::scope::Scope;
use crate::walk::split_conjunction;

impl Binder<'_> {
    pub(crate) fn update(&mut self, update: &Update) -> Result<Statement> {
        let Update {
            update_token: _,
            optimizer_hints: _,
            table,
            assignments,
            from,
            selection,
            returning,
            output,
            or,
            order_by,
            limit,
        } = update;
        let position = self.source.first();
        refuse(from.is_some(), "UPDATE ... FROM", position)?;
        refuse(returning.is_some(), "RETURNING", position)?;
        let other_dialect =
            output.is_some() || or.is_some() || !order_by.is_empty() || limit.is_some();
        refuse(other_dialect, "this form of UPDATE", position)?;
        let (name, alias) = self.target_table(table)?;
        let table = self.writable_table(name)?;
        let names = target_scope(&table, alias);
        let mut exprs: Vec<Expr> = table
            .columns
            .iter()
            .enumerate()
            .map(|(index, column)| Expr::Column {
                index,
                ty: column.ty,
            })
            .collect();
        let mut scope = ExprScope::with_subqueries(&names, "UPDATE");
        let mut assigned = Vec::with_capacity(assignments.len());
        for Assignment { target, value } in assignments {
            let AssignmentTarget::ColumnName(name) = target else {
                return Err(unsupported_at("SET of several columns at once", position));
            };
            let [ObjectNamePart::Identifier(ident)] = name.0.as_slice() else {
                return Err(unsupported_at(
                    "a qualified column in SET",
                    self.source.name(name),
                ));
            };
            let index = self.target_column(&table, ident)?;
            if assigned.contains(&index) {
                let message = format!(
                    "multiple assignments to same column \"{}\"",
                    fold_name(ident)
                );
                let error = Error::new(SqlState::SYNTAX_ERROR, message);
                return Err(located(error, self.source.ident(ident)));
            }
            assigned.push(index);
            let (Some(slot), Some(column)) = (exprs.get_mut(index), table.columns.get(index))
            else {
                continue;
            };
            *slot = if is_default(value) {
                literal(Value::Null, column.ty)
            } else {
                let operand = self.expr(value, &mut scope)?;
                self.assign(operand, column, self.source.expr(value))?
            };
        }
        exprs.push(position_column(&table));
        let subqueries = scope.take_subqueries();
        let source = self.changed_rows(&table, &names, selection.as_ref())?;
        let mut values: Vec<&mut Expr> = exprs.iter_mut().collect();
        let source = attach(source, &subqueries, &mut values)?;
        let source = optimize(Plan::Project {
            input: Box::new(source),
            exprs,
        });
        let mut key = table.primary_key.iter();
        let keeps_key = !table.primary_key.is_empty() && !key.any(|at| assigned.contains(at));
        Ok(Statement::Update(ModifyPlan {
            table,
            source,
            keeps_key,
        }))
    }

    /// All columns and the positions of the rows that UPDATE or DELETE changes.
    pub(crate) fn changed_rows(
        &mut self,
        table: &Arc<TableDef>,
        names: &Scope,
        selection: Option<&sqlparser::ast::Expr>,
    ) -> Result<Plan> {
        let mut conditions = Vec::new();
        let mut subqueries = Vec::new();
        if let Some(selection) = selection {
            let mut scope = ExprScope::with_subqueries(names, "WHERE");
            split_conjunction(self.filter(selection, &mut scope)?, &mut conditions);
            subqueries = scope.take_subqueries();
        }
        let columns = named_types(table);
        let mut scan = full_scan(Relation::Tree(table.tree), table.name.clone(), &columns);
        scan.table = Some(Arc::clone(table));
        scan.with_position = true;
        attach_conditions(Plan::Scan(scan), conditions, &subqueries)
    }
}

/// The names that UPDATE and DELETE may use.
pub(crate) fn target_scope(table: &TableDef, alias: Option<&Ident>) -> Scope {
    let name = alias.map_or_else(|| table.name.clone(), fold_name);
    Scope::table(name, 0, named_types(table))
}

/// The column of row positions behind all columns of a table.
pub(crate) fn position_column(table: &TableDef) -> Expr {
    Expr::Column {
        index: table.columns.len(),
        ty: LogicalType::Int8,
    }
}

fn named_types(table: &TableDef) -> Vec<(String, LogicalType)> {
    table
        .columns
        .iter()
        .map(|column| (column.name.clone(), column.ty))
        .collect()
}
