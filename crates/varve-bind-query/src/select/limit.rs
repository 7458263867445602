//! LIMIT, OFFSET and FETCH.

use varve_ast::{Expr as Ast, ExprKind, Limit};
use varve_expr::Expr;
use varve_plan::build::limit::RowLimit;
use varve_plan::build::operand::{CastContext, literal};
use varve_plan::build::subquery::attach;
use varve_plan::optimize::push_down::one_row;
use varve_plan::plan::Plan;
use varve_plan::scope::error::located;
use varve_plan::scope::tables::Scope;
use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;

impl QueryBinder<'_> {
    pub(crate) fn row_limit(
        &mut self,
        limit: Option<&Limit>,
        offset: Option<&Ast>,
        is_ordered: bool,
    ) -> Result<RowLimit> {
        let mut rows = RowLimit::default();
        if let Some(Limit::Rows(count)) = limit {
            rows.limit = self.row_count(count, "LIMIT", &mut rows.computed)?;
        }
        if let Some(count) = offset {
            rows.offset = self.row_count(count, "OFFSET", &mut rows.computed)?;
        }
        let Some(Limit::Fetch {
            rows: count,
            with_ties,
        }) = limit
        else {
            return Ok(rows);
        };
        if *with_ties && !is_ordered {
            let message = "WITH TIES cannot be specified without ORDER BY clause";
            return Err(Error::new(SqlState::SYNTAX_ERROR, message));
        }
        rows.with_ties = *with_ties;
        rows.limit = match count {
            Some(count) => self.row_count(count, "FETCH", &mut rows.computed)?,
            None => Some(literal(Value::Int8(1), LogicalType::Int8)),
        };
        Ok(rows)
    }

    /// A number of rows; `None` for NULL, which means no limit.
    fn row_count(
        &mut self,
        ast: &Ast,
        clause: &'static str,
        computed: &mut Vec<(usize, Plan)>,
    ) -> Result<Option<Expr>> {
        let position = self.at(ast.span);
        let names = Scope::default();
        let mut scope = ExprScope::with_subqueries(&names, clause);
        // Columns of the queries around this one are values here.
        let operand = self.expr(ast, &mut scope);
        let operand = operand.map_err(|error| match &ast.kind {
            ExprKind::Column(_) => {
                let message = format!("argument of {clause} must not contain variables");
                located(
                    Error::new(SqlState::INVALID_COLUMN_REFERENCE, message),
                    position,
                )
            }
            _ => error,
        })?;
        let shown = operand.ty().unwrap_or(LogicalType::Text);
        let expr = self
            .convert(
                operand,
                LogicalType::Int8,
                CastContext::Assignment,
                position,
            )?
            .ok_or_else(|| {
                let error = Error::new(
                    SqlState::DATATYPE_MISMATCH,
                    format!("argument of {clause} must be type bigint, not type {shown}"),
                );
                located(error, position)
            })?;
        let mut expr = varve_expr::fold(expr);
        let subqueries = scope.take_subqueries();
        if !subqueries.is_empty() {
            let input = attach(one_row(), &subqueries, &mut [&mut expr])?;
            let slot = self.new_slot();
            let plan = Plan::Project {
                input: Box::new(input),
                exprs: vec![expr],
            };
            computed.push((slot, plan));
            expr = Expr::Outer {
                slot,
                ty: LogicalType::Int8,
            };
        }
        let unlimited = matches!(
            &expr,
            Expr::Literal {
                value: Value::Null,
                ..
            }
        );
        Ok((!unlimited).then_some(expr))
    }
}
