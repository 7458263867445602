//! Queries as a whole: the body, then ORDER BY and LIMIT.

use sqlparser::ast::{Fetch, LimitClause, OrderBy, Query as AstQuery, SetExpr};
use varve_expr::Expr;
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::expr::ExprScope;
use crate::bind::limit::RowLimit;
use crate::bind::lock::Claim;
use crate::bind::order::{Output, SortTarget};
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::plan::{Field, JoinKind, JoinNode, Plan, Query, SortKeyExpr};
use crate::scope::Scope;

impl Binder<'_> {
    /// A query. `hints` are the types that result columns without a type of their own take.
    pub(crate) fn query(
        &mut self,
        query: &AstQuery,
        hints: Option<&[LogicalType]>,
    ) -> Result<Query> {
        let is_values = matches!(query.body.as_ref(), SetExpr::Values(_));
        let around = self.claim_below.take().filter(|_| !is_values);
        let claims = self.claims_of(query, around)?;
        self.claiming_query(query, hints, &claims)
    }

    fn claiming_query(
        &mut self,
        query: &AstQuery,
        hints: Option<&[LogicalType]>,
        claims: &[Claim],
    ) -> Result<Query> {
        const QUERY_KIB: u32 = 18;
        self.take_stack(QUERY_KIB, self.source.first())?;
        let bound = self.bound_query(query, hints, claims);
        self.stack_kib -= QUERY_KIB;
        bound
    }

    fn bound_query(
        &mut self,
        query: &AstQuery,
        hints: Option<&[LogicalType]>,
        claims: &[Claim],
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
        refuse(for_clause.is_some(), "FOR XML or FOR JSON", position)?;
        refuse(settings.is_some(), "SETTINGS", position)?;
        refuse(format_clause.is_some(), "FORMAT", position)?;
        refuse(!pipe_operators.is_empty(), "a pipe operator", position)?;
        if let Some(with) = with {
            return self.with_ctes(with, |binder| {
                binder.query_body(body, order_by.as_ref(), limit_clause, fetch, hints, claims)
            });
        }
        self.query_body(body, order_by.as_ref(), limit_clause, fetch, hints, claims)
    }

    fn query_body(
        &mut self,
        body: &SetExpr,
        order_by: Option<&OrderBy>,
        limit_clause: &Option<LimitClause>,
        fetch: &Option<Fetch>,
        hints: Option<&[LogicalType]>,
        claims: &[Claim],
    ) -> Result<Query> {
        let limit = self.row_limit(limit_clause.as_ref(), fetch.as_ref(), order_by.is_some())?;
        let is_combined = matches!(body, SetExpr::SetOperation { .. });
        let inner = match body {
            SetExpr::Select(select) => {
                return self.select(select, order_by, limit, hints, claims);
            }
            SetExpr::Values(values) => {
                self.refuse_claims(claims, "cannot be applied to VALUES")?;
                self.values(values, hints)?
            }
            SetExpr::Query(inner) if !claims.is_empty() => {
                let mut all = self.claims_of(inner, None)?;
                all.extend_from_slice(claims);
                self.claiming_query(inner, hints, &all)?
            }
            other => {
                let why = "is not allowed with UNION/INTERSECT/EXCEPT";
                self.refuse_claims(claims, why)?;
                self.set_expression(other)?
            }
        };
        let Query {
            mut plan,
            fields,
            untyped,
            ..
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
                        SortTarget::Expr { .. } if is_combined => {
                            let error = Error::new(
                                SqlState::FEATURE_NOT_SUPPORTED,
                                "invalid UNION/INTERSECT/EXCEPT ORDER BY clause",
                            );
                            return Err(located(error, key.position)
                                .with_detail(
                                    "Only result column names can be used, not expressions or \
                                     functions.",
                                )
                                .with_hint(
                                    "Add the expression/function to every SELECT, or move the \
                                     UNION into a FROM clause.",
                                ));
                        }
                        SortTarget::Expr { expr, .. } => expr,
                    },
                    descending: key.descending,
                    nulls_first: key.nulls_first,
                });
            }
            return Ok(Query {
                plan: limited_sort(plan, keys, limit),
                fields,
                untyped,
            });
        }
        plan = limited(plan, limit, Vec::new());
        Ok(Query {
            plan,
            fields,
            untyped,
        })
    }

    /// A query without ORDER BY and LIMIT of its own.
    pub(crate) fn set_expression(&mut self, body: &SetExpr) -> Result<Query> {
        let position = self.source.first();
        match body {
            SetExpr::Select(select) => self.select(select, None, RowLimit::default(), None, &[]),
            SetExpr::Values(values) => self.values(values, None),
            SetExpr::Query(inner) => self.query(inner, None),
            SetExpr::SetOperation { .. } => self.set_operation(body),
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                Err(unsupported_at("a change inside a query", position))
            }
            SetExpr::Table(_) => Err(Error::internal("TABLE is a SELECT by now")),
        }
    }
}

/// Column `index` of a result.
pub(crate) fn column(index: usize, fields: &[Field]) -> Expr {
    Expr::Column {
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

/// The plan ordered and cut.
pub(crate) fn limited_sort(plan: Plan, keys: Vec<SortKeyExpr>, limit: RowLimit) -> Plan {
    let ties = keys.iter().map(|key| key.expr.clone()).collect();
    limited(sorted(plan, keys), limit, ties)
}

/// The plan cut to a number of rows; `ties` is what its rows are ordered by.
pub(crate) fn limited(plan: Plan, limit: RowLimit, ties: Vec<Expr>) -> Plan {
    let RowLimit {
        limit,
        offset,
        with_ties,
        computed,
    } = limit;
    if limit.is_none() && offset.is_none() {
        return plan;
    }
    let mut plan = Plan::Limit {
        input: Box::new(plan),
        limit,
        offset,
        ties: if with_ties { ties } else { Vec::new() },
    };
    for (slot, value) in computed {
        let types = plan.types();
        let ty = LogicalType::Int8;
        let mut join = JoinNode::new(JoinKind::Inner, value, plan);
        join.outer = vec![(slot, Expr::Column { index: 0, ty })];
        plan = Plan::Project {
            input: Box::new(Plan::Join(join)),
            exprs: (1..)
                .zip(types)
                .map(|(index, ty)| Expr::Column { index, ty })
                .collect(),
        };
    }
    plan
}
