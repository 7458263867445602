//! Plans that are ordered and cut.

use varve_expr::Expr;
use varve_types::LogicalType;

use crate::plan::{Field, JoinKind, JoinNode, Plan, SortKeyExpr};

/// Column `index` of a result.
pub fn column(index: usize, fields: &[Field]) -> Expr {
    Expr::Column {
        index,
        ty: fields
            .get(index)
            .map_or(LogicalType::Text, |field| field.ty),
    }
}

/// The plan ordered by keys.
pub fn sorted(plan: Plan, keys: Vec<SortKeyExpr>) -> Plan {
    if keys.is_empty() {
        return plan;
    }
    Plan::Sort {
        input: Box::new(plan),
        keys,
    }
}

/// The plan ordered and cut.
pub fn limited_sort(plan: Plan, keys: Vec<SortKeyExpr>, limit: RowLimit) -> Plan {
    let ties = keys.iter().map(|key| key.expr.clone()).collect();
    limited(sorted(plan, keys), limit, ties)
}

/// The plan cut to a number of rows; `ties` is what its rows are ordered by.
pub fn limited(plan: Plan, limit: RowLimit, ties: Vec<Expr>) -> Plan {
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

/// How many rows a query gives; expressions of type bigint.
#[derive(Debug, Default)]
pub struct RowLimit {
    /// How many rows at most.
    pub limit: Option<Expr>,
    /// How many rows are passed over.
    pub offset: Option<Expr>,
    /// Whether those follow that the order does not tell from the last row.
    pub with_ties: bool,
    /// Plans of one row whose column is the value of a slot that the expressions read.
    pub computed: Vec<(usize, Plan)>,
}
