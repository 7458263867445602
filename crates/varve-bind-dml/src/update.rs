//! UPDATE.

use varve_ast::{
    Access, Assignment, Expr as Ast, ExprKind, FromItem, Name, ObjectName, SelectItem,
    Target as AstTarget, Update,
};
use varve_bind_query::context::scope::ExprScope;
use varve_bind_query::expr::array::AssignedPart;
use varve_bind_query::expr::row::row_of;
use varve_catalog::model::table::{ColumnDef, TableDef};
use varve_expr::Expr;
use varve_expr::walk::{map_columns, split_conjunction};
use varve_plan::build::operand::Operand;
use varve_plan::build::subquery::{attach, attach_conditions};
use varve_plan::build::table::column_exprs;
use varve_plan::optimize::optimize;
use varve_plan::plan::utility::Message;
use varve_plan::plan::{JoinKind, JoinNode, ModifyPlan, Plan, Returning, Statement};
use varve_plan::scope::error::located;
use varve_plan::scope::tables::Scope;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::binder::DmlBinder;
use crate::insert::is_default;
use crate::target::{Target, Verb, head_exprs};

/// The rows that UPDATE or DELETE changes: all columns and the position of each, then the columns
/// of the other relations.
pub struct Changed {
    pub plan: Plan,
    /// The names of all relations.
    pub names: Scope,
    /// The columns behind the position.
    pub others: Vec<Expr>,
}

/// A column that SET assigns to, or a part of it.
struct Assigned<'t> {
    index: usize,
    column: &'t ColumnDef,
    subscripts: &'t [Access],
    /// `column.field.field`
    fields: Vec<String>,
    position: u32,
}

/// What scripts for PostgreSQL set in `pg_class` to steer its planner.
const ESTIMATES: [&str; 3] = ["reltuples", "relpages", "relallvisible"];

impl DmlBinder<'_, '_> {
    /// Whether it is an UPDATE of nothing but the estimates of `pg_class`.
    fn sets_estimates(&self, name: &ObjectName, assignments: &[Assignment]) -> Result<bool> {
        let name = self.query.relation_name(name)?;
        let is_catalog = name
            .schema
            .as_deref()
            .is_none_or(|schema| schema == "pg_catalog");
        Ok(is_catalog
            && name.name == "pg_class"
            && self.query.find(&name).is_none()
            && assignments.iter().all(sets_estimate))
    }

    pub(crate) fn update(&mut self, update: &Update) -> Result<Statement> {
        let Update {
            table,
            assignments,
            from,
            filter,
            returning,
            span: _,
        } = update;
        let alias = self.changed_alias(table)?;
        if self.sets_estimates(&table.name, assignments)? {
            let message = "estimates of pg_class are ignored: plans go by the tables themselves";
            return Ok(self.query.nothing(Message::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                message.to_owned(),
            )));
        }
        let mut target = self.target(&table.name, table.only.is_some(), Verb::Update)?;
        let Changed {
            plan,
            names,
            mut others,
        } = self.changed_rows(&mut target, alias, from, filter.as_ref())?;
        let mut scope = ExprScope::with_subqueries(&names, "UPDATE");
        let (mut exprs, assigned) = self.updated_row(&target, assignments, &mut scope)?;
        let subqueries = scope.take_subqueries();
        let Target {
            table, children, ..
        } = &target;
        exprs.extend(
            head_exprs(table, children)
                .into_iter()
                .skip(table.columns.len()),
        );
        let returning = self.updated_returning(&target, returning.as_deref(), &names)?;
        if returning.is_some() {
            exprs.append(&mut others);
        }
        if target.is_instead {
            // What the rows were before.
            exprs.extend(column_exprs(&target.table));
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
            children: target.children,
            source,
            assigned,
            returning,
        }))
    }

    /// The new values of a row of the table, and which columns get them.
    fn updated_row(
        &mut self,
        target: &Target,
        assignments: &[Assignment],
        scope: &mut ExprScope<'_>,
    ) -> Result<(Vec<Expr>, Vec<usize>)> {
        let shape = &target.shape;
        let mut exprs = column_exprs(&target.table);
        let first = target.first();
        if first == 0 {
            let assigned = self.assignments(shape, assignments, scope, &mut exprs)?;
            return Ok((exprs, assigned));
        }
        let mut values = column_exprs(shape);
        for value in &mut values {
            map_columns(value, &|index| index + first);
        }
        let given = self.assignments(shape, assignments, scope, &mut values)?;
        let places = target.assigned(&given, Verb::Update)?;
        for (at, place) in given.iter().zip(&places) {
            if let (Some(slot), Some(value)) = (exprs.get_mut(*place), values.get(*at)) {
                slot.clone_from(value);
            }
        }
        Ok((exprs, places))
    }

    /// What RETURNING gives of rows that are updated.
    fn updated_returning(
        &mut self,
        target: &Target,
        items: Option<&[SelectItem]>,
        names: &Scope,
    ) -> Result<Option<Returning>> {
        let mut returning = self.query.returning(items, names)?;
        for expr in returning
            .iter_mut()
            .flat_map(|returning| &mut returning.exprs)
        {
            *expr = target.on_table(expr.clone(), &[(target.first(), 0)])?;
        }
        Ok(returning)
    }

    /// Puts the values of SET in their places; answers which columns they are for.
    pub fn assignments(
        &mut self,
        table: &TableDef,
        assignments: &[Assignment],
        scope: &mut ExprScope<'_>,
        exprs: &mut [Expr],
    ) -> Result<Vec<usize>> {
        let mut assigned = Vec::with_capacity(assignments.len());
        for assignment in assignments {
            let Assignment {
                targets,
                is_row,
                value,
            } = assignment;
            let mut columns = Vec::with_capacity(targets.len());
            for target in targets {
                columns.push(self.assigned(table, target, &mut assigned)?);
            }
            if *is_row {
                self.assigned_row(&columns, value, scope, exprs)?;
                continue;
            }
            for target in &columns {
                if let Some(slot) = exprs.get_mut(target.index) {
                    *slot = self.assigned_value(target, slot, value, scope)?;
                }
            }
        }
        Ok(assigned.into_iter().map(|(index, _)| index).collect())
    }

    /// The column that SET names; one whose parts are assigned to may be named again.
    fn assigned<'t>(
        &self,
        table: &'t TableDef,
        target: &'t AstTarget,
        assigned: &mut Vec<(usize, bool)>,
    ) -> Result<Assigned<'t>> {
        let (name, fields) = self.target_name(table, target)?;
        let index = self.query.target_column(table, name)?;
        let is_part = !target.subscripts.is_empty() || !fields.is_empty();
        if assigned
            .iter()
            .any(|(other, part)| *other == index && !(is_part && *part))
        {
            let message = format!("multiple assignments to same column \"{}\"", name.text);
            return Err(Error::new(SqlState::SYNTAX_ERROR, message));
        }
        assigned.push((index, is_part));
        let column = table.columns.get(index);
        Ok(Assigned {
            index,
            column: column.ok_or_else(|| Error::internal("a column out of its table"))?,
            subscripts: &target.subscripts,
            fields,
            position: self.query.at(name.span),
        })
    }

    /// The name of a column that gets a value, and those of the fields of it.
    pub fn target_name<'n>(
        &self,
        table: &TableDef,
        target: &'n AstTarget,
    ) -> Result<(&'n Name, Vec<String>)> {
        let column = target.name.first();
        let fields = target.name.parts().skip(1);
        let fields: Vec<String> = fields.map(|field| field.text.clone()).collect();
        let Some(field) = fields.first() else {
            return Ok((column, fields));
        };
        let index = self.query.target_column(table, column)?;
        let ty = table.columns.get(index).map(|column| column.ty);
        if matches!(ty, Some(LogicalType::Row(_))) {
            return Ok((column, fields));
        }
        let message = format!(
            "cannot assign to field \"{field}\" of column \"{}\" because its type {} is not a \
             composite type",
            column.text,
            ty.map_or(String::new(), |ty| ty.to_string())
        );
        Err(located(
            Error::new(SqlState::DATATYPE_MISMATCH, message),
            self.query.at(column.span),
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
            self.query
                .whole_for_default(target.subscripts, self.query.at(value.span))?;
            return Ok(Self::default_value(target.column));
        }
        self.updated_value(target.column)?;
        let operand = self.query.expr(value, scope)?;
        let position = self.query.at(value.span);
        let assigned = self.assign_to(target, before, operand, position, scope)?;
        // Of a part of a value the place has another type.
        Ok(
            match target.fields.is_empty() && target.subscripts.is_empty() {
                true => self.query.open_cell(assigned, value, target.column),
                false => assigned,
            },
        )
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
            return self
                .query
                .assign_field((&column.name, before), &target.fields, operand, place);
        }
        if target.subscripts.is_empty() {
            return self.query.assign(operand, column, position);
        }
        let before = before.clone();
        let position = target.position;
        self.query.assign_part(
            before,
            &AssignedPart {
                column,
                subscripts: target.subscripts,
                position,
            },
            operand,
            scope,
        )
    }

    /// Puts the values of `(a, b) = ...` in their places.
    fn assigned_row(
        &mut self,
        columns: &[Assigned<'_>],
        value: &Ast,
        scope: &mut ExprScope<'_>,
        exprs: &mut [Expr],
    ) -> Result<()> {
        let position = self.query.at(value.span);
        if let ExprKind::Subquery(query) = &value.kind {
            return self.assigned_subquery(columns, (query, position), scope, exprs);
        }
        let values = row_of(value).ok_or_else(|| {
            let message =
                "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression";
            let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
            located(error, position)
        })?;
        if values.len() != columns.len() {
            let is_explicit = matches!(
                value.kind,
                ExprKind::Row {
                    is_explicit: true,
                    ..
                }
            );
            // The parenthesis stands before.
            let position = position.saturating_sub(u32::from(!is_explicit));
            return Err(located(other_number(), position));
        }
        for (target, value) in columns.iter().zip(values) {
            if let Some(slot) = exprs.get_mut(target.index) {
                *slot = self.assigned_value(target, slot, value, scope)?;
            }
        }
        Ok(())
    }

    /// Puts the values of `(a, b) = (SELECT ...)` in their places.
    fn assigned_subquery(
        &mut self,
        columns: &[Assigned<'_>],
        (query, position): (&varve_ast::Query, u32),
        scope: &mut ExprScope<'_>,
        exprs: &mut [Expr],
    ) -> Result<()> {
        let operands = self
            .query
            .row_subquery(query, columns.len(), position, scope);
        let operands = operands.map_err(|error| match error.position() {
            Some(at) if at == position && error.state() == SqlState::SYNTAX_ERROR => {
                located(other_number(), position)
            }
            _ => error,
        })?;
        for (at, (target, operand)) in columns.iter().zip(operands).enumerate() {
            let position = self.query.column_position(&query.body, at);
            self.updated_value(target.column)?;
            if let Some(slot) = exprs.get_mut(target.index) {
                *slot = self.assign_to(target, slot, operand, position, scope)?;
            }
        }
        Ok(())
    }

    /// The rows that a statement changes, joined with those of other relations.
    pub fn changed_rows(
        &mut self,
        target: &mut Target,
        alias: Option<&Name>,
        others: &[FromItem],
        filter: Option<&Ast>,
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
            let (other, other_names) = self.query.from(others)?;
            let types = (width..).zip(other.types());
            other_columns.extend(types.map(|(index, ty)| Expr::Column { index, ty }));
            names.append(other_names.shifted(width))?;
            plan = Plan::Join(JoinNode::new(JoinKind::Inner, plan, other));
        }
        let mut conditions = Vec::new();
        let mut subqueries = Vec::new();
        if let Some(filter) = filter {
            let mut scope = ExprScope::with_subqueries(&names, "WHERE");
            split_conjunction(self.query.filter(filter, &mut scope)?, &mut conditions);
            subqueries = scope.take_subqueries();
        }
        Ok(Changed {
            plan: attach_conditions(plan, conditions, &subqueries)?,
            names,
            others: other_columns,
        })
    }
}

/// Whether an assignment is to an estimate of `pg_class`.
fn sets_estimate(assignment: &Assignment) -> bool {
    match assignment.targets.as_slice() {
        [AstTarget { name, subscripts }] if !assignment.is_row => {
            name.qualifiers.is_empty()
                && subscripts.is_empty()
                && ESTIMATES.contains(&name.name.text.as_str())
        }
        _ => false,
    }
}

/// `42601`
fn other_number() -> Error {
    let message = "number of columns does not match number of values";
    Error::new(SqlState::SYNTAX_ERROR, message)
}
