//! MERGE, and WITH before a statement that changes rows.

use std::sync::Arc;

use varve_ast::{Dml, Merge, MergeAction as Action, MergeWhen, ObjectName, With};
use varve_bind_query::context::scope::ExprScope;
use varve_catalog::model::catalog::Named;
use varve_catalog::model::table::TableDef;
use varve_expr::Expr;
use varve_plan::build::subquery::attach;
use varve_plan::build::table::{column_exprs, target_scope};
use varve_plan::optimize::{optimize, taken};
use varve_plan::plan::statement::source_of;
use varve_plan::plan::{JoinKind, MergeAction, MergeClause, MergePlan, Plan, Query, Statement};
use varve_plan::scope::error::{located, unsupported_at};
use varve_plan::scope::tables::{Scope, out_of_reach};
use varve_types::{Error, Result, SqlState};

use crate::binder::DmlBinder;
use crate::change::bind_change;

impl DmlBinder<'_, '_> {
    pub(crate) fn merge(&mut self, merge: &Merge) -> Result<Statement> {
        let Merge {
            table: target,
            source,
            condition,
            clauses,
            span: _,
        } = merge;
        let alias = self.changed_alias(target)?;
        let table = self.merged_table(&target.name)?;
        reachable(clauses)?;
        let shown = alias.map_or(&table.name, |alias| &alias.text);
        let rows = self.query.child_rows(&table, target.only.is_some(), true);
        let head = rows.plan.width();
        let schema = self.catalog.schema_name(table.schema);
        let mut names = target_scope(&table, alias).in_schema(schema);
        for table in &mut names.tables {
            table.tableoid = rows.tableoid;
        }
        let (target, children) = ((rows.plan, names), rows.children);
        let position = self.query.relation_position(source);
        let source = self.query.relation(source, self.query.outer_depth())?;
        if source.1.tables.iter().any(|other| other.name == *shown) {
            let message = format!("name \"{shown}\" specified more than once");
            let error = Error::new(SqlState::DUPLICATE_ALIAS, message);
            let detail = "The name is used both as MERGE target table and data source.";
            return Err(error.with_detail(detail));
        }
        // A row of the source is wanted without one of the target only where something is done.
        let kind = match clauses.iter().all(|clause| clause.is_matched) {
            true => JoinKind::Inner,
            false => JoinKind::Right,
        };
        let (mut plan, names) = self
            .query
            .join_on(kind, target, source, condition, position)?;
        let mut source_names = names.clone();
        source_names.tables.remove(0);
        source_names.star.retain(|column| *column >= head);
        let mut bound = Vec::with_capacity(clauses.len());
        for clause in clauses {
            let names = match clause.is_matched {
                true => &names,
                false => &source_names,
            };
            let made = self.merge_clause(&table, clause, names, &mut plan);
            bound.push(made.map_err(|error| match clause.is_matched {
                true => error,
                false => unreachable_column(error, shown),
            })?);
        }
        Ok(Statement::Merge(MergePlan {
            table,
            children,
            source: optimize(plan),
            clauses: bound,
        }))
    }

    /// The table that MERGE changes.
    fn merged_table(&mut self, name: &ObjectName) -> Result<Arc<TableDef>> {
        let written = self.query.relation_name(name)?;
        let view = match self.query.find(&written) {
            Some(Named::View(_)) => Some("views"),
            Some(Named::Table(table)) if self.catalog.view_of(table).is_some() => {
                Some("materialized views")
            }
            _ => None,
        };
        if let Some(views) = view {
            let message = format!("cannot execute MERGE on relation \"{}\"", written.name);
            let detail = format!("This operation is not supported for {views}.");
            let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
            return Err(error.with_detail(detail));
        }
        let table = self.query.writable_table(name)?;
        self.query.use_target(name, table.object);
        Ok(table)
    }

    fn merge_clause(
        &mut self,
        table: &TableDef,
        clause: &MergeWhen,
        names: &Scope,
        plan: &mut Plan,
    ) -> Result<MergeClause> {
        let MergeWhen {
            is_matched,
            condition,
            action,
            span: _,
        } = clause;
        let mut scope = ExprScope::with_subqueries(names, "MERGE WHEN conditions");
        let mut filter = match condition {
            Some(condition) => {
                let operand = self.query.expr(condition, &mut scope)?;
                let filter =
                    self.query
                        .condition(operand, "WHEN", self.query.at(condition.span))?;
                Some(varve_expr::fold_condition(filter))
            }
            None => None,
        };
        let mut action = match action {
            Action::Nothing => MergeAction::Nothing,
            Action::Delete => MergeAction::Delete,
            Action::Update(assignments) => {
                scope.clause = "UPDATE";
                let mut exprs = column_exprs(table);
                let assigned = self.assignments(table, assignments, &mut scope, &mut exprs)?;
                MergeAction::Update { exprs, assigned }
            }
            Action::Insert { columns, values } => {
                let values = values.rows.first().map(Vec::as_slice);
                scope.clause = "VALUES";
                MergeAction::Insert(self.merged_row(table, columns, values, &mut scope)?)
            }
        };
        let subqueries = scope.take_subqueries();
        let mut exprs: Vec<&mut Expr> = filter.iter_mut().collect();
        match &mut action {
            MergeAction::Update { exprs: row, .. } | MergeAction::Insert(row) => exprs.extend(row),
            MergeAction::Nothing | MergeAction::Delete => {}
        }
        *plan = attach(taken(plan), &subqueries, &mut exprs)?;
        Ok(MergeClause {
            matched: *is_matched,
            filter,
            action,
        })
    }

    /// INSERT, UPDATE, DELETE or MERGE that may read named queries.
    pub fn with_change(&mut self, with: &With, dml: &Dml) -> Result<Statement> {
        let mut changed = None;
        let query = self.query.with_ctes(with, Some(bind_change), |binder| {
            let mut statement = DmlBinder::new(binder).dml(dml)?;
            let source = source_of(&mut statement)
                .ok_or_else(|| unsupported_at("WITH before this statement", 0))?;
            let plan = taken(source);
            changed = Some(statement);
            Ok(Query {
                plan,
                fields: Vec::new(),
                untyped: Vec::new(),
            })
        })?;
        let mut changed = changed.ok_or_else(|| Error::internal("WITH before nothing"))?;
        if let Some(source) = source_of(&mut changed) {
            *source = optimize(query.plan);
        }
        Ok(changed)
    }
}

/// Refuses clauses that no row can come to.
fn reachable(clauses: &[MergeWhen]) -> Result<()> {
    for is_matched in [true, false] {
        let mut of_kind = clauses
            .iter()
            .filter(|clause| clause.is_matched == is_matched);
        let ends = of_kind.any(|clause| clause.condition.is_none());
        if ends && of_kind.next().is_some() {
            let message = "unreachable WHEN clause specified after unconditional WHEN clause";
            return Err(Error::new(SqlState::SYNTAX_ERROR, message));
        }
    }
    Ok(())
}

/// Where there is no row of the table, its columns cannot be read.
fn unreachable_column(error: Error, table: &str) -> Error {
    let missing = format!("missing FROM-clause entry for table \"{table}\"");
    if error.message() != missing {
        return error;
    }
    let position = error.fields().position.unwrap_or_default();
    located(out_of_reach(table), position)
}
