//! VALUES.

use varve_ast::{Expr as Ast, ExprKind, ObjectName, Values};
use varve_catalog::text::type_name::type_name;
use varve_expr::Expr;
use varve_plan::build::operand::{CastContext, Operand};
use varve_plan::build::subquery::{Subquery, attach};
use varve_plan::optimize::push_down::one_row;
use varve_plan::plan::{Field, Plan, Query};
use varve_plan::scope::error::located;
use varve_plan::scope::tables::Scope;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;

impl QueryBinder<'_> {
    /// `VALUES (...), (...)` as a query.
    pub fn values(&mut self, values: &Values, hints: Option<&[LogicalType]>) -> Result<Query> {
        let names = Scope::default();
        let mut scope = ExprScope::with_subqueries(&names, "VALUES");
        let columns = self.value_columns(values, &mut scope)?;
        let subqueries = scope.take_subqueries();
        let is_untyped = |column: &Vec<Operand>| column.iter().all(|cell| cell.ty().is_none());
        let untyped = columns.iter().map(is_untyped).collect();
        let mut typed = Vec::with_capacity(columns.len());
        let mut types = Vec::with_capacity(columns.len());
        for (index, column) in columns.into_iter().enumerate() {
            let hint = hints.and_then(|hints| hints.get(index)).copied();
            let (exprs, ty) = self.typed_column(column, hint)?;
            typed.push(exprs.into_iter().map(varve_expr::fold));
            types.push(ty);
        }
        let mut rows = Vec::new();
        loop {
            let row: Vec<_> = typed.iter_mut().filter_map(Iterator::next).collect();
            if row.is_empty() {
                break;
            }
            rows.push(row);
        }
        let fields = types
            .iter()
            .zip(1..)
            .map(|(ty, number)| Field {
                name: format!("column{number}"),
                ty: *ty,
            })
            .collect();
        Ok(Query {
            plan: value_plan(rows, types, &subqueries)?,
            fields,
            untyped,
        })
    }

    /// The values of each column.
    fn value_columns(
        &mut self,
        values: &Values,
        scope: &mut ExprScope<'_>,
    ) -> Result<Vec<Vec<Operand>>> {
        let rows = self.value_rows(values)?;
        let mut columns: Vec<Vec<Operand>> = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let mut cells = Vec::with_capacity(row.len());
            for ast in row {
                match self.spread_record(ast)? {
                    Some(fields) => cells.extend(fields),
                    None => cells.push(self.expr(ast, scope)?),
                }
            }
            if number == 0 {
                columns.resize_with(cells.len(), Vec::new);
            } else if cells.len() != columns.len() {
                return Err(other_length(0));
            }
            for (column, cell) in columns.iter_mut().zip(cells) {
                column.push(cell);
            }
        }
        Ok(columns)
    }

    /// The values of a column in one type: `hint` where they have none of their own.
    fn typed_column(
        &mut self,
        column: Vec<Operand>,
        hint: Option<LogicalType>,
    ) -> Result<(Vec<Expr>, LogicalType)> {
        let is_unknown = column.iter().all(|operand| operand.ty().is_none());
        let Some(ty) = hint.filter(|_| is_unknown) else {
            return self.unify(column, "VALUES", &[]);
        };
        let mut exprs = Vec::with_capacity(column.len());
        for operand in column {
            let expr = self.convert(operand, ty, CastContext::Implicit, 0)?;
            exprs.push(
                expr.ok_or_else(|| Error::internal("an unknown value does not take a type"))?,
            );
        }
        Ok((exprs, ty))
    }

    /// The fields of a variable that is a row, where they are written `record.*`.
    fn spread_record(&self, ast: &Ast) -> Result<Option<Vec<Operand>>> {
        let Some(name) = whole_record(ast).map(type_name) else {
            return Ok(None);
        };
        let fields = self.record_fields(&name.name, self.at(ast.span))?;
        Ok(fields.map(|fields| {
            let values = fields.into_iter().map(|(_, value)| value);
            values.map(Operand::Known).collect()
        }))
    }

    /// The rows of VALUES, all of one length.
    pub fn value_rows<'v>(&self, values: &'v Values) -> Result<&'v [Vec<Ast>]> {
        let rows = &values.rows;
        let width = rows.first().map_or(0, Vec::len);
        for row in rows {
            if row.len() != width {
                let position = row.first().map_or(0, |first| self.at(first.span));
                return Err(other_length(position));
            }
        }
        Ok(rows)
    }
}

/// The name before `.*`.
pub fn whole_record(ast: &Ast) -> Option<&ObjectName> {
    match &ast.kind {
        ExprKind::TableStar(name) => Some(name),
        _ => None,
    }
}

fn other_length(position: u32) -> Error {
    let message = "VALUES lists must all be the same length";
    located(Error::new(SqlState::SYNTAX_ERROR, message), position)
}

/// Rows of constants, or of what subqueries give.
pub fn value_plan(
    rows: Vec<Vec<Expr>>,
    types: Vec<LogicalType>,
    subqueries: &[Subquery],
) -> Result<Plan> {
    if subqueries.is_empty() {
        return Ok(Plan::Values { rows, types });
    }
    let mut inputs = Vec::with_capacity(rows.len());
    for mut exprs in rows {
        let mut cells: Vec<&mut Expr> = exprs.iter_mut().collect();
        let input = attach(one_row(), subqueries, &mut cells)?;
        inputs.push(Plan::Project {
            input: Box::new(input),
            exprs,
        });
    }
    Ok(Plan::Append { inputs, types })
}
