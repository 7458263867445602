//! VALUES.

use sqlparser::ast::{Expr as Ast, ObjectName, Values};
use varve_expr::Expr;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::data_type::type_name;
use crate::bind::expr::ExprScope;
use crate::bind::literal::{CastContext, Operand};
use crate::bind::subquery::{Subquery, attach};
use crate::bind::{Binder, located, refuse};
use crate::plan::{Field, Plan, Query};
use crate::push_down::one_row;
use crate::scope::Scope;

impl Binder<'_> {
    /// `VALUES (...), (...)` as a query.
    pub(crate) fn values(
        &mut self,
        values: &Values,
        hints: Option<&[LogicalType]>,
    ) -> Result<Query> {
        let rows = self.value_rows(values)?;
        let names = Scope::default();
        let mut columns: Vec<Vec<Operand>> = Vec::new();
        let mut scope = ExprScope::with_subqueries(&names, "VALUES");
        for (number, row) in rows.into_iter().enumerate() {
            let mut cells = Vec::with_capacity(row.len());
            for ast in row {
                match self.spread_record(ast)? {
                    Some(fields) => cells.extend(fields),
                    None => cells.push(self.expr(ast, &mut scope)?),
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
        let subqueries = scope.take_subqueries();
        let is_untyped = |column: &Vec<Operand>| column.iter().all(|cell| cell.ty().is_none());
        let untyped = columns.iter().map(is_untyped).collect();
        let mut typed = Vec::with_capacity(columns.len());
        let mut types = Vec::with_capacity(columns.len());
        for (index, column) in columns.into_iter().enumerate() {
            let hint = hints.and_then(|hints| hints.get(index)).copied();
            let unknown = column.iter().all(|operand| operand.ty().is_none());
            let (exprs, ty) = match hint.filter(|_| unknown) {
                None => self.unify(column, "VALUES", &[])?,
                Some(ty) => {
                    let mut exprs = Vec::with_capacity(column.len());
                    for operand in column {
                        let expr = self.convert(operand, ty, CastContext::Implicit, 0)?;
                        exprs.push(expr.ok_or_else(|| {
                            Error::internal("an unknown value does not take a type")
                        })?);
                    }
                    (exprs, ty)
                }
            };
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

    /// The fields of a variable that is a row, where they are written `record.*`.
    fn spread_record(&self, ast: &Ast) -> Result<Option<Vec<Operand>>> {
        let Some(name) = whole_record(ast).and_then(type_name) else {
            return Ok(None);
        };
        let fields = self.record_fields(&name.name, self.source.expr(ast))?;
        Ok(fields.map(|fields| {
            let values = fields.into_iter().map(|(_, value)| value);
            values.map(Operand::Known).collect()
        }))
    }

    /// The rows of VALUES, all of one length.
    pub(crate) fn value_rows<'v>(&self, values: &'v Values) -> Result<Vec<&'v [Ast]>> {
        let Values {
            explicit_row,
            value_keyword,
            rows,
        } = values;
        let other_dialect = *explicit_row || *value_keyword;
        refuse(other_dialect, "this form of VALUES", self.source.first())?;
        let rows: Vec<&[Ast]> = rows.iter().map(|row| row.content.as_slice()).collect();
        let width = rows.first().map_or(0, |row| row.len());
        for row in &rows {
            if row.len() != width {
                let position = row.first().map_or(0, |first| self.source.expr(first));
                return Err(other_length(position));
            }
        }
        Ok(rows)
    }
}

/// The name before `.*`.
pub(crate) fn whole_record(ast: &Ast) -> Option<&ObjectName> {
    match ast {
        Ast::QualifiedWildcard(name, _) => Some(name),
        _ => None,
    }
}

fn other_length(position: u32) -> Error {
    let message = "VALUES lists must all be the same length";
    located(Error::new(SqlState::SYNTAX_ERROR, message), position)
}

/// Rows of constants, or of what subqueries give.
pub(crate) fn value_plan(
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
