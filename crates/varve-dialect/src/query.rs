//! Queries: set operations, WITH, ORDER BY and LIMIT.

use sqlparser::ast::{
    Cte, Expr, LimitClause, OrderByExpr, OrderByKind, OrderBySort, Query, SetExpr, SetOperator,
    SetQuantifier,
};
use varve_types::{SqlText, sql};

use crate::expression::literal::Literal;
use crate::scope::Writer;
use crate::script::{Fault, Result};

impl Writer<'_> {
    pub(crate) fn query(&mut self, query: &Query) -> Result<SqlText> {
        let is_plain = query.fetch.is_none()
            && query.locks.is_empty()
            && query.for_clause.is_none()
            && query.settings.is_none()
            && query.format_clause.is_none()
            && query.pipe_operators.is_empty();
        if !is_plain {
            return Err(Fault::new(0, "a clause of a query that has no counterpart"));
        }
        let mut text = SqlText::default();
        if let Some(with) = &query.with {
            text.push(if with.recursive {
                "WITH RECURSIVE "
            } else {
                "WITH "
            });
            let mut tables = Vec::new();
            for table in &with.cte_tables {
                tables.push(self.cte(table)?);
            }
            text.push(sql![SqlText::joined(&tables, ", "), " "]);
        }
        text.push(self.set(&query.body)?);
        if let Some(order) = &query.order_by {
            let OrderByKind::Expressions(items) = &order.kind else {
                return Err(Fault::new(0, "ORDER BY ALL, which has no counterpart"));
            };
            text.push(sql![" ORDER BY ", self.order_items(items)?]);
        }
        if let Some(limit) = &query.limit_clause {
            text.push(self.limit(limit)?);
        }
        Ok(text)
    }

    fn cte(&mut self, table: &Cte) -> Result<SqlText> {
        if table.from.is_some() {
            return Err(Fault::new(0, "a clause of WITH that has no counterpart"));
        }
        let name = self.table_alias(&table.alias)?;
        Ok(sql![name, " AS (", self.query(&table.query)?, ")"])
    }

    /// Set operations in a row are written in a loop, however many there are.
    fn set(&mut self, body: &SetExpr) -> Result<SqlText> {
        let mut steps = Vec::new();
        let mut first = body;
        while let SetExpr::SetOperation {
            left,
            op,
            set_quantifier,
            right,
        } = first
        {
            steps.push((op, set_quantifier, right));
            first = left;
        }
        let mut text = self.set_member(first)?;
        for (op, quantifier, right) in steps.into_iter().rev() {
            text.push(match op {
                SetOperator::Union => " UNION ",
                SetOperator::Except | SetOperator::Minus => " EXCEPT ",
                SetOperator::Intersect => " INTERSECT ",
            });
            if matches!(quantifier, SetQuantifier::All) {
                text.push("ALL ");
            }
            text.push(self.set_member(right)?);
        }
        Ok(text)
    }

    fn set_member(&mut self, body: &SetExpr) -> Result<SqlText> {
        match body {
            SetExpr::Select(select) => self.select(select),
            SetExpr::Query(query) => Ok(sql!["(", self.query(query)?, ")"]),
            SetExpr::SetOperation { .. } => Ok(sql!["(", self.set(body)?, ")"]),
            SetExpr::Values(values) => {
                let mut rows = Vec::with_capacity(values.rows.len());
                for row in &values.rows {
                    rows.push(sql!["(", self.exprs(&row.content)?, ")"]);
                }
                Ok(sql!["VALUES ", SqlText::joined(&rows, ", ")])
            }
            _ => Err(Fault::new(0, "a query that has no counterpart")),
        }
    }

    /// Both sources put NULL before all other values.
    pub(crate) fn order_items(&mut self, items: &[OrderByExpr]) -> Result<SqlText> {
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            if item.with_fill.is_some() {
                return Err(Fault::new(0, "WITH FILL, which has no counterpart"));
            }
            let mut text = self.expr(&item.expr)?;
            let is_descending = match item.options.sort {
                None | Some(OrderBySort::Asc) => false,
                Some(OrderBySort::Desc) => true,
                Some(_) => return Err(Fault::new(0, "an order that has no counterpart")),
            };
            text.push(if is_descending { " DESC" } else { "" });
            let nulls_first = item.options.nulls_first.unwrap_or(!is_descending);
            text.push(match (is_descending, nulls_first) {
                (false, true) => " NULLS FIRST",
                (true, false) => " NULLS LAST",
                _ => "",
            });
            texts.push(text);
        }
        Ok(SqlText::joined(&texts, ", "))
    }

    fn limit(&mut self, clause: &LimitClause) -> Result<SqlText> {
        let (limit, offset) = match clause {
            LimitClause::LimitOffset {
                limit,
                offset,
                limit_by,
            } if limit_by.is_empty() => (limit.as_ref(), offset.as_ref().map(|o| &o.value)),
            LimitClause::OffsetCommaLimit { offset, limit } => (Some(limit), Some(offset)),
            LimitClause::LimitOffset { .. } => {
                return Err(Fault::new(0, "LIMIT BY, which has no counterpart"));
            }
        };
        let mut text = SqlText::default();
        // SQLite: a negative number is no limit.
        if let Some(limit) = limit.filter(|limit| !is_negative(limit)) {
            text.push(sql![" LIMIT ", self.expr(limit)?]);
        }
        if let Some(offset) = offset {
            text.push(sql![" OFFSET ", self.expr(offset)?]);
        }
        Ok(text)
    }
}

fn is_negative(expr: &Expr) -> bool {
    matches!(Literal::of(expr), Some(Literal::Number(number)) if number.starts_with('-'))
}
