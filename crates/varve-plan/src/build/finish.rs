//! What is left of a SELECT above its stages: order, limit and projection.

use varve_expr::Expr;
use varve_expr::walk::same_meaning;
use varve_types::{Error, Result, SqlState, Value};

use crate::build::limit::{RowLimit, column, limited, limited_sort, sorted};
use crate::build::lock::locked_rows;
use crate::build::output::{OrderKey, Output, SortTarget};
use crate::build::routine::calls_late;
use crate::build::stage::{Distinctness, Stage};
use crate::build::subquery::attach;
use crate::plan::{Field, LockTarget, Plan, Query, SortKeyExpr};
use crate::scope::error::located;

/// What is left to compute of a SELECT above its stages.
pub struct Selected {
    /// The columns of the result.
    pub outputs: Vec<Output>,
    /// What its rows are sorted by.
    pub keys: Vec<OrderKey>,
    /// Whether equal rows are left out.
    pub distinct: Distinctness,
}

/// Order, limit and projection. Rows are ordered before they are projected, so that they can be
/// ordered by what is not in the result and only the rows that are left are computed.
pub fn finish(
    stage: Stage,
    selected: Selected,
    mut limit: RowLimit,
    targets: Vec<(LockTarget, Vec<Expr>)>,
) -> Result<Query> {
    let Selected {
        mut outputs,
        keys,
        distinct,
    } = selected;
    let fields: Vec<Field> = outputs
        .iter()
        .map(|output| Field {
            name: output.name.clone(),
            ty: output.expr.logical_type(),
        })
        .collect();
    let is_distinct = matches!(distinct, Distinctness::Rows);
    let (mut on, on_positions) = on_targets(distinct, &outputs)?;
    let mut sort_keys = Vec::with_capacity(keys.len());
    for (at, key) in keys.into_iter().enumerate() {
        let key = sort_key(key, &outputs, &fields, is_distinct)?;
        if at < on.len() && !on.iter().any(|on| same_meaning(on, &key.expr)) {
            return Err(other_order(on_positions.get(at).copied()));
        }
        sort_keys.push(key);
    }
    let untyped = outputs.iter().map(|output| output.untyped).collect();
    let Stage {
        mut plan,
        subqueries,
    } = stage;
    // Functions are called for those rows only that are left.
    if !is_distinct && on.is_empty() && calls_late(&subqueries, &outputs, &sort_keys) {
        let mut keys: Vec<&mut Expr> = sort_keys.iter_mut().map(|key| &mut key.expr).collect();
        plan = attach(plan, &subqueries, &mut keys)?;
        plan = limited_sort(plan, core::mem::take(&mut sort_keys), limit);
        limit = RowLimit::default();
    }
    let mut exprs: Vec<&mut Expr> = outputs.iter_mut().map(|output| &mut output.expr).collect();
    if !is_distinct {
        exprs.extend(sort_keys.iter_mut().map(|key| &mut key.expr));
    }
    exprs.extend(&mut on);
    let plan = attach(plan, &subqueries, &mut exprs)?;
    let exprs: Vec<Expr> = outputs.into_iter().map(|output| output.expr).collect();
    let project = |input| Plan::Project {
        input: Box::new(input),
        exprs,
    };
    let plan = if is_distinct {
        limited_sort(unique(project(plan), &fields), sort_keys, limit)
    } else if !on.is_empty() {
        let ties = sort_keys.iter().map(|key| key.expr.clone()).collect();
        let first = Plan::First {
            input: Box::new(sorted(plan, sort_keys)),
            keys: on,
        };
        project(limited(first, limit, ties))
    } else {
        project(locked_rows(plan, sort_keys, limit, targets)?)
    };
    Ok(Query {
        plan,
        fields,
        untyped,
    })
}

/// What DISTINCT ON names, each once, and where every one of its items stands.
pub fn on_targets(distinct: Distinctness, outputs: &[Output]) -> Result<(Vec<Expr>, Vec<u32>)> {
    let mut on: Vec<Expr> = Vec::new();
    let mut positions = Vec::new();
    if let Distinctness::On(targets) = distinct {
        for (target, position) in targets {
            positions.push(position);
            let target = target.into_expr(outputs)?;
            if !on.iter().any(|known| same_meaning(known, &target)) {
                on.push(target);
            }
        }
    }
    Ok((on, positions))
}

/// The error about ORDER BY that does not begin with what DISTINCT ON names.
pub fn other_order(position: Option<u32>) -> Error {
    let message = "SELECT DISTINCT ON expressions must match initial ORDER BY expressions";
    let error = Error::new(SqlState::INVALID_COLUMN_REFERENCE, message);
    located(error, position.unwrap_or_default())
}

/// An item of ORDER BY; of DISTINCT rows it is a column of the result.
pub fn sort_key(
    key: OrderKey,
    outputs: &[Output],
    fields: &[Field],
    is_distinct: bool,
) -> Result<SortKeyExpr> {
    let expr = match key.target {
        SortTarget::Output(index) if is_distinct => column(index, fields),
        SortTarget::Expr { expr, .. } if is_distinct => {
            let index = outputs
                .iter()
                .position(|output| same_meaning(&output.expr, &expr));
            let Some(index) = index else {
                let message =
                    "for SELECT DISTINCT, ORDER BY expressions must appear in select list";
                let error = Error::new(SqlState::INVALID_COLUMN_REFERENCE, message);
                return Err(located(error, key.position));
            };
            column(index, fields)
        }
        target => target.into_expr(outputs)?,
    };
    Ok(SortKeyExpr {
        expr,
        descending: key.descending,
        nulls_first: key.nulls_first,
    })
}

/// Each different row of a result once.
pub fn unique(input: Plan, fields: &[Field]) -> Plan {
    let groups = (0..fields.len()).map(|index| column(index, fields));
    Plan::Aggregate {
        input: Box::new(input),
        groups: groups.collect(),
        aggregates: Vec::new(),
    }
}

/// A condition that no row meets.
pub fn is_false(condition: &Expr) -> bool {
    matches!(
        condition,
        Expr::Literal {
            value: Value::Boolean(false),
            ..
        }
    )
}
