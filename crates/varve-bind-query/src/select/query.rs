//! Queries as a whole: the body, then ORDER BY and LIMIT.

use varve_ast::{OrderItem, Query as AstQuery, QueryBody};
use varve_plan::build::limit::{RowLimit, column, limited, limited_sort};
use varve_plan::build::output::{Output, SortTarget};
use varve_plan::plan::{Field, Query, RowLock, SortKeyExpr};
use varve_plan::scope::error::{located, unsupported_at};
use varve_plan::scope::tables::Scope;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::context::binder::{BindChange, QueryBinder};
use crate::context::lock_clause::LockClause;
use crate::context::scope::ExprScope;

impl QueryBinder<'_> {
    /// A query. `hints` are the types that result columns without a type of their own take.
    pub fn query(&mut self, query: &AstQuery, hints: Option<&[LogicalType]>) -> Result<Query> {
        let lock_clauses = self.lock_clauses_of(query, None)?;
        self.query_with_locks(query, hints, &lock_clauses, None)
    }

    /// A query in FROM, whose rows the query around it may lock.
    pub fn locked_query(&mut self, query: &AstQuery, lock: Option<RowLock>) -> Result<Query> {
        let is_values = matches!(query.body.as_ref(), QueryBody::Values(_));
        let lock_clauses = self.lock_clauses_of(query, lock.filter(|_| !is_values))?;
        self.query_with_locks(query, None, &lock_clauses, None)
    }

    /// The query of a whole statement, whose WITH may name statements that change rows.
    pub fn whole_query(&mut self, query: &AstQuery, change: BindChange) -> Result<Query> {
        let lock_clauses = self.lock_clauses_of(query, None)?;
        self.query_with_locks(query, None, &lock_clauses, Some(change))
    }

    fn query_with_locks(
        &mut self,
        query: &AstQuery,
        hints: Option<&[LogicalType]>,
        lock_clauses: &[LockClause],
        change: Option<BindChange>,
    ) -> Result<Query> {
        const QUERY_KIB: u32 = 18;
        self.take_stack(QUERY_KIB, self.first())?;
        let bound = match &query.with {
            Some(with) => self.with_ctes(with, change, |binder| {
                binder.query_body(query, hints, lock_clauses)
            }),
            None => self.query_body(query, hints, lock_clauses),
        };
        self.stack_kib -= QUERY_KIB;
        bound
    }

    /// A query without what stands before it.
    fn query_body(
        &mut self,
        query: &AstQuery,
        hints: Option<&[LogicalType]>,
        lock_clauses: &[LockClause],
    ) -> Result<Query> {
        let AstQuery {
            with: _,
            body,
            order_by,
            limit,
            offset,
            locks: _,
            span: _,
        } = query;
        let limit = self.row_limit(limit.as_ref(), offset.as_ref(), !order_by.is_empty())?;
        let inner = match body.as_ref() {
            QueryBody::Select(select) => {
                return self.select(select, order_by, limit, hints, lock_clauses);
            }
            QueryBody::Values(values) => {
                self.refuse_row_locks(lock_clauses, "cannot be applied to VALUES")?;
                self.values(values, hints)?
            }
            QueryBody::Query(inner) if !lock_clauses.is_empty() => {
                let mut all = self.lock_clauses_of(inner, None)?;
                all.extend_from_slice(lock_clauses);
                self.query_with_locks(inner, hints, &all, None)?
            }
            other => {
                let why = "is not allowed with UNION/INTERSECT/EXCEPT";
                self.refuse_row_locks(lock_clauses, why)?;
                self.set_expression(other)?
            }
        };
        if order_by.is_empty() {
            return Ok(Query {
                plan: limited(inner.plan, limit, Vec::new()),
                ..inner
            });
        }
        let is_combined = matches!(body.as_ref(), QueryBody::Set(_));
        let keys = self.result_keys(order_by, &inner.fields, is_combined)?;
        Ok(Query {
            plan: limited_sort(inner.plan, keys, limit),
            ..inner
        })
    }

    /// What a finished result is ordered by; one of several queries only by its columns.
    fn result_keys(
        &mut self,
        order_by: &[OrderItem],
        fields: &[Field],
        is_combined: bool,
    ) -> Result<Vec<SortKeyExpr>> {
        let columns = fields.iter().map(|field| (field.name.clone(), field.ty));
        let names = Scope::table(String::new(), 0, columns.collect());
        let outputs = Output::columns(fields);
        let mut scope = ExprScope::plain(&names, "ORDER BY");
        let keys = self.order_keys(order_by, &outputs, &mut scope)?.into_iter();
        let keys = keys.map(|key| {
            let expr = match key.target {
                SortTarget::Output(index) => column(index, fields),
                SortTarget::Expr { .. } if is_combined => {
                    let message = "invalid UNION/INTERSECT/EXCEPT ORDER BY clause";
                    let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
                    return Err(located(error, key.position)
                        .with_detail(
                            "Only result column names can be used, not expressions or functions.",
                        )
                        .with_hint(
                            "Add the expression/function to every SELECT, or move the UNION into \
                             a FROM clause.",
                        ));
                }
                SortTarget::Expr { expr, .. } => expr,
            };
            Ok(SortKeyExpr {
                expr,
                descending: key.descending,
                nulls_first: key.nulls_first,
            })
        });
        keys.collect()
    }

    /// A query without ORDER BY and LIMIT of its own.
    pub fn set_expression(&mut self, body: &QueryBody) -> Result<Query> {
        match body {
            QueryBody::Select(select) => self.select(select, &[], RowLimit::default(), None, &[]),
            QueryBody::Values(values) => self.values(values, None),
            QueryBody::Query(inner) => self.query(inner, None),
            QueryBody::Set(operation) => self.set_operation(operation),
            QueryBody::Dml(_) => Err(unsupported_at("a change inside a query", self.first())),
        }
    }
}
