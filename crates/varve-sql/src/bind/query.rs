//! Queries as a whole: the body, then ORDER BY and LIMIT.

use sqlparser::ast::{LockClause, Query as AstQuery, SetExpr, SetOperator};
use varve_types::{LogicalType, Result};

use crate::bind::expr::ExprScope;
use crate::bind::limit::RowLimit;
use crate::bind::order::{Output, SortTarget};
use crate::bind::{Binder, refuse, unsupported_at};
use crate::plan::{Field, Plan, Query, SortKeyExpr};
use crate::scope::Scope;

impl Binder<'_> {
    /// A query. `hints` are the types that result columns without a type of their own take.
    pub(crate) fn query(
        &mut self,
        query: &AstQuery,
        hints: Option<&[LogicalType]>,
    ) -> Result<Query> {
        self.refuse_locks(query)?;
        self.query_with(query, hints, None)
    }

    /// A query that may claim its rows.
    pub(crate) fn lockable_query(&mut self, query: &AstQuery) -> Result<Query> {
        let lock = self.lock_clauses(query)?;
        if !matches!(query.body.as_ref(), SetExpr::Select(_)) {
            self.refuse_locks(query)?;
        }
        self.query_with(query, None, lock)
    }

    fn query_with(
        &mut self,
        query: &AstQuery,
        hints: Option<&[LogicalType]>,
        lock: Option<&LockClause>,
    ) -> Result<Query> {
        let AstQuery {
            with,
            body,
            order_by,
            limit_clause,
            fetch,
            locks: _,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        let position = self.source.first();
        refuse(with.is_some(), "WITH", position)?;
        refuse(for_clause.is_some(), "FOR XML or FOR JSON", position)?;
        refuse(settings.is_some(), "SETTINGS", position)?;
        refuse(format_clause.is_some(), "FORMAT", position)?;
        refuse(!pipe_operators.is_empty(), "a pipe operator", position)?;
        let limit = self.row_limit(limit_clause.as_ref(), fetch.as_ref())?;
        let inner = match body.as_ref() {
            SetExpr::Select(select) => {
                return self.select(select, order_by.as_ref(), limit, hints, lock);
            }
            SetExpr::Values(values) => self.values(values, hints)?,
            SetExpr::Query(inner) => self.query(inner, hints)?,
            SetExpr::SetOperation { op, .. } => {
                let what = match op {
                    SetOperator::Union => "UNION",
                    SetOperator::Except | SetOperator::Minus => "EXCEPT",
                    SetOperator::Intersect => "INTERSECT",
                };
                return Err(unsupported_at(what, position));
            }
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                return Err(unsupported_at("a change inside a query", position));
            }
            SetExpr::Table(_) => return Err(unsupported_at("TABLE", position)),
        };
        let Query {
            mut plan, fields, ..
        } = inner;
        if let Some(order_by) = order_by {
            let columns: Vec<(String, LogicalType)> = fields
                .iter()
                .map(|field| (field.name.clone(), field.ty))
                .collect();
            let outputs = Output::columns(&fields);
            let names = Scope::table(String::new(), 0, columns);
            let mut scope = ExprScope::plain(&names, "ORDER BY");
            let mut keys = Vec::new();
            for key in self.order_keys(order_by, &outputs, &mut scope)? {
                keys.push(SortKeyExpr {
                    expr: match key.target {
                        SortTarget::Output(index) => column(index, &fields),
                        SortTarget::Expr { expr, .. } => expr,
                    },
                    descending: key.descending,
                    nulls_first: key.nulls_first,
                });
            }
            plan = sorted(plan, keys);
        }
        Ok(Query {
            plan: limited(plan, limit),
            fields,
            lock: None,
        })
    }
}

/// Column `index` of a result.
pub(crate) fn column(index: usize, fields: &[Field]) -> varve_expr::Expr {
    varve_expr::Expr::Column {
        index,
        ty: fields
            .get(index)
            .map_or(LogicalType::Text, |field| field.ty),
    }
}

/// The plan ordered by keys.
pub(crate) fn sorted(plan: Plan, keys: Vec<SortKeyExpr>) -> Plan {
    if keys.is_empty() {
        return plan;
    }
    Plan::Sort {
        input: Box::new(plan),
        keys,
    }
}

/// The plan cut to a number of rows.
pub(crate) fn limited(plan: Plan, limit: RowLimit) -> Plan {
    let RowLimit { limit, offset } = limit;
    if limit.is_none() && offset.is_none() {
        return plan;
    }
    Plan::Limit {
        input: Box::new(plan),
        limit,
        offset,
    }
}
