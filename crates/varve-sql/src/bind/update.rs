//! UPDATE.

use std::sync::Arc;

use sqlparser::ast::{
    AccessExpr, Assignment, AssignmentTarget, Expr as Ast, Ident, ObjectName, ObjectNamePart,
    TableWithJoins, Update, UpdateTableFromKind,
};
use varve_expr::Expr;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::conflict::column_exprs;
use crate::bind::expr::ExprScope;
use crate::bind::insert::is_default;
use crate::bind::literal::Operand;
use crate::bind::names::fold_name;
use crate::bind::row::row_of;
use crate::bind::subquery::{attach, attach_conditions};
use crate::bind::target::{Target, Verb, head_exprs};
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::catalog::{ColumnDef, TableDef};
use crate::optimize::optimize;
use crate::plan::{JoinKind, JoinNode, ModifyPlan, Plan, Statement};
use crate::scope::Scope;
use crate::utility::Message;
use crate::walk::{map_columns, split_conjunction};

/// The rows that UPDATE or DELETE changes: all columns and the position of each, then the columns
/// of the other relations.
pub(crate) struct Changed {
    pub(crate) plan: Plan,
    /// The names of all relations.
    pub(crate) names: Scope,
    /// The columns behind the position.
    pub(crate) others: Vec<Expr>,
}

/// A column that SET assigns to, or a part of it.
struct Assigned<'t> {
    index: usize,
    column: &'t ColumnDef,
    subscripts: Arc<[AccessExpr]>,
    /// `column.field.field`
    fields: Vec<String>,
    position: u32,
}

/// What scripts for PostgreSQL set in `pg_class` to steer its planner.
const ESTIMATES: [&str; 3] = ["reltuples", "relpages", "relallvisible"];

impl Binder<'_> {
    /// Whether it is an UPDATE of nothing but the estimates of `pg_class`.
    fn sets_estimates(&self, name: &ObjectName, assignments: &[Assignment]) -> Result<bool> {
        let name = self.relation_name(name)?;
        let is_catalogue = name
            .schema
            .as_deref()
            .is_none_or(|schema| schema == "pg_catalog");
        Ok(is_catalogue
            && name.name == "pg_class"
            && self.find(&name).is_none()
            && assignments
                .iter()
                .all(|assignment| match &assignment.target {
                    AssignmentTarget::ColumnName(ObjectName(parts)) => match parts.as_slice() {
                        [ObjectNamePart::Identifier(ident)] => {
                            ESTIMATES.contains(&fold_name(ident).as_str())
                        }
                        _ => false,
                    },
                    AssignmentTarget::Tuple(_) => false,
                }))
    }

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
        let from = match from {
            None => &[],
            Some(UpdateTableFromKind::AfterSet(from)) => from.as_slice(),
            Some(UpdateTableFromKind::BeforeSet(_)) => {
                return Err(unsupported_at("FROM before SET", position));
            }
        };
        let other_dialect =
            output.is_some() || or.is_some() || !order_by.is_empty() || limit.is_some();
        refuse(other_dialect, "this form of UPDATE", position)?;
        let (name, alias, only) = self.target_table(table)?;
        if self.sets_estimates(name, assignments)? {
            let message = "estimates of pg_class are ignored: plans go by the tables themselves";
            return Ok(self.nothing(Message::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                message.to_owned(),
            )));
        }
        let mut target = self.target(name, only, Verb::Update)?;
        let Changed {
            plan,
            names,
            mut others,
        } = self.changed_rows(&mut target, alias, from, selection.as_ref())?;
        let Target { table, shape, .. } = &target;
        let mut exprs = column_exprs(table);
        let mut scope = ExprScope::with_subqueries(&names, "UPDATE");
        let assigned = match target.first() {
            0 => self.assignments(shape, assignments, &mut scope, &mut exprs)?,
            first => {
                let mut values = column_exprs(shape);
                for value in &mut values {
                    map_columns(value, &|index| index + first);
                }
                let given = self.assignments(shape, assignments, &mut scope, &mut values)?;
                let places = target.assigned(&given, Verb::Update)?;
                for (at, place) in given.iter().zip(&places) {
                    if let (Some(slot), Some(value)) = (exprs.get_mut(*place), values.get(*at)) {
                        slot.clone_from(value);
                    }
                }
                places
            }
        };
        let subqueries = scope.take_subqueries();
        exprs.extend(
            head_exprs(table, &target.members)
                .into_iter()
                .skip(table.columns.len()),
        );
        let mut returning = self.returning(returning.as_deref(), &names)?;
        for expr in returning
            .iter_mut()
            .flat_map(|returning| &mut returning.exprs)
        {
            *expr = target.on_table(expr.clone(), &[(target.first(), 0)])?;
        }
        if returning.is_some() {
            exprs.append(&mut others);
        }
        if target.is_instead {
            // What the rows were before.
            exprs.extend(column_exprs(table));
        }
        let mut values: Vec<&mut Expr> = exprs.iter_mut().collect();
        let plan = attach(plan, &subqueries, &mut values)?;
        let source = optimize(Plan::Project {
            input: Box::new(plan),
            exprs,
        });
        Ok(Statement::Update(ModifyPlan {
            checks: target.checks()?,
            table: target.table,
            members: target.members,
            source,
            assigned,
            returning,
        }))
    }

    /// Puts the values of SET in their places; answers which columns they are for.
    pub(crate) fn assignments(
        &mut self,
        table: &TableDef,
        assignments: &[Assignment],
        scope: &mut ExprScope<'_>,
        exprs: &mut [Expr],
    ) -> Result<Vec<usize>> {
        let mut assigned = Vec::with_capacity(assignments.len());
        for Assignment { target, value } in assignments {
            match target {
                AssignmentTarget::ColumnName(name) => {
                    let target = self.assigned(table, name, &mut assigned)?;
                    let Some(slot) = exprs.get_mut(target.index) else {
                        continue;
                    };
                    *slot = self.assigned_value(&target, slot, value, scope)?;
                }
                AssignmentTarget::Tuple(targets) => {
                    let mut columns = Vec::with_capacity(targets.len());
                    for name in targets {
                        columns.push(self.assigned(table, name, &mut assigned)?);
                    }
                    self.assigned_row(&columns, value, scope, exprs)?;
                }
            }
        }
        Ok(assigned.into_iter().map(|(index, _)| index).collect())
    }

    /// The column that SET names; one whose parts are assigned to may be named again.
    fn assigned<'t>(
        &self,
        table: &'t TableDef,
        name: &ObjectName,
        assigned: &mut Vec<(usize, bool)>,
    ) -> Result<Assigned<'t>> {
        let (ident, fields) = self.target_name(table, name)?;
        let index = self.target_column(table, ident)?;
        let (name, subscripts) = self.source.target(ident);
        let is_part = !subscripts.is_empty() || !fields.is_empty();
        if assigned
            .iter()
            .any(|(other, part)| *other == index && !(is_part && *part))
        {
            let message = format!("multiple assignments to same column \"{name}\"");
            return Err(Error::new(SqlState::SYNTAX_ERROR, message));
        }
        assigned.push((index, is_part));
        let column = table.columns.get(index);
        Ok(Assigned {
            index,
            column: column.ok_or_else(|| Error::internal("a column out of its table"))?,
            subscripts,
            fields,
            position: self.source.ident(ident),
        })
    }

    /// The name of a column that gets a value; no column has fields.
    pub(crate) fn target_name<'n>(
        &self,
        table: &TableDef,
        name: &'n ObjectName,
    ) -> Result<(&'n Ident, Vec<String>)> {
        let position = self.source.name(name);
        let parts = name.0.iter().map(|part| match part {
            ObjectNamePart::Identifier(ident) => Some(ident),
            ObjectNamePart::Function(_) => None,
        });
        let parts = parts.collect::<Option<Vec<&Ident>>>().unwrap_or_default();
        let Some((ident, fields)) = parts.split_first() else {
            return Err(unsupported_at("a function as a name", position));
        };
        let fields: Vec<String> = fields.iter().map(|field| fold_name(field)).collect();
        let Some(field) = fields.first() else {
            return Ok((ident, fields));
        };
        let index = self.target_column(table, ident)?;
        let ty = table.columns.get(index).map(|column| column.ty);
        if matches!(ty, Some(LogicalType::Row(_))) {
            return Ok((ident, fields));
        }
        let message = format!(
            "cannot assign to field \"{field}\" of column \"{}\" because its type {} is not a \
             composite type",
            fold_name(ident),
            ty.map_or(String::new(), |ty| ty.to_string())
        );
        Err(located(
            Error::new(SqlState::DATATYPE_MISMATCH, message),
            position,
        ))
    }

    fn assigned_value(
        &mut self,
        target: &Assigned<'_>,
        before: &Expr,
        value: &Ast,
        scope: &mut ExprScope<'_>,
    ) -> Result<Expr> {
        if is_default(value) {
            self.whole_for_default(&target.subscripts, self.source.expr(value))?;
            return Ok(Self::default_value(target.column));
        }
        self.updated_value(target.column)?;
        let operand = self.expr(value, scope)?;
        let position = self.source.expr(value);
        self.assign_to(target, before, operand, position, scope)
    }

    fn assign_to(
        &mut self,
        target: &Assigned<'_>,
        before: &Expr,
        operand: Operand,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Expr> {
        let column = target.column;
        if !target.fields.is_empty() {
            let place = match operand {
                Operand::Text(..) => position,
                _ => target.position,
            };
            return self.assign_field((&column.name, before), &target.fields, operand, place);
        }
        if target.subscripts.is_empty() {
            return self.assign(operand, column, position);
        }
        let before = before.clone();
        let position = target.position;
        self.assign_part(before, column, &target.subscripts, operand, position, scope)
    }

    /// Puts the values of `(a, b) = ...` in their places.
    fn assigned_row(
        &mut self,
        columns: &[Assigned<'_>],
        value: &Ast,
        scope: &mut ExprScope<'_>,
        exprs: &mut [Expr],
    ) -> Result<()> {
        let position = self.source.first();
        let mismatch = |first: u32| {
            let message = "number of columns does not match number of values";
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            // The parenthesis stands before.
            located(error, first.saturating_sub(1))
        };
        if let Ast::Subquery(query) = value {
            let position = self.source.expr(value);
            let start = self.query_start(query);
            let operands = self.row_subquery(query, columns.len(), scope);
            let operands = operands.map_err(|error| match error.position() {
                Some(at) if at + 1 == start && error.state() == SqlState::SYNTAX_ERROR => {
                    mismatch(start)
                }
                _ => error,
            })?;
            for (target, operand) in columns.iter().zip(operands) {
                self.updated_value(target.column)?;
                if let Some(slot) = exprs.get_mut(target.index) {
                    *slot = self.assign_to(target, slot, operand, position, scope)?;
                }
            }
            return Ok(());
        }
        let values = match value {
            Ast::Nested(value) if columns.len() == 1 => vec![&**value],
            value => row_of(value).ok_or_else(|| {
                let message = "source for a multiple-column UPDATE item must be a sub-SELECT or \
                               ROW() expression";
                let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
                located(error, self.source.expr(value))
            })?,
        };
        if values.len() != columns.len() {
            let first = values.first().map_or(position, |ast| self.source.expr(ast));
            return Err(mismatch(first));
        }
        for (target, value) in columns.iter().zip(values) {
            if let Some(slot) = exprs.get_mut(target.index) {
                *slot = self.assigned_value(target, slot, value, scope)?;
            }
        }
        Ok(())
    }

    /// The rows that a statement changes, joined with those of other relations.
    pub(crate) fn changed_rows(
        &mut self,
        target: &mut Target,
        alias: Option<&Ident>,
        others: &[TableWithJoins],
        selection: Option<&Ast>,
    ) -> Result<Changed> {
        let schema = self.catalog.schema_name(target.shape.schema);
        let mut names = target.names(alias).in_schema(schema);
        let mut plan = target.take_rows();
        let types = plan.types();
        let width = types.len();
        let behind = target.head();
        let others_of_row = (behind..).zip(types.into_iter().skip(behind));
        let others_of_row = others_of_row.map(|(index, ty)| Expr::Column { index, ty });
        let mut other_columns: Vec<Expr> = others_of_row.collect();
        if !others.is_empty() {
            let (other, other_names) = self.from(others)?;
            let types = (width..).zip(other.types());
            other_columns.extend(types.map(|(index, ty)| Expr::Column { index, ty }));
            names.append(other_names.shifted(width))?;
            plan = Plan::Join(JoinNode::new(JoinKind::Inner, plan, other));
        }
        let mut conditions = Vec::new();
        let mut subqueries = Vec::new();
        if let Some(selection) = selection {
            let mut scope = ExprScope::with_subqueries(&names, "WHERE");
            split_conjunction(self.filter(selection, &mut scope)?, &mut conditions);
            subqueries = scope.take_subqueries();
        }
        Ok(Changed {
            plan: attach_conditions(plan, conditions, &subqueries)?,
            names,
            others: other_columns,
        })
    }
}

/// The names that UPDATE and DELETE may use.
pub(crate) fn target_scope(table: &TableDef, alias: Option<&Ident>) -> Scope {
    let name = alias.map_or_else(|| table.name.clone(), fold_name);
    let mut names = Scope::table(name, 0, named_types(table)).hiding(&table.name);
    for known in &mut names.tables {
        known.changed = Some(table.object);
    }
    names
}

/// The columns of a table as names know them.
pub(crate) fn named_types(table: &TableDef) -> Vec<(String, LogicalType)> {
    table
        .columns
        .iter()
        .map(|column| (column.name.clone(), column.ty))
        .collect()
}
