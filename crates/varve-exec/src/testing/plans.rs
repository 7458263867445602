//! Short ways to write plans down.

use varve_expr::{AggregateFunction, Expr};
use varve_plan::{AggregateCall, Plan, SortKeyExpr};
use varve_types::{CompareOp, LogicalType, Value};

pub(crate) fn column(index: usize, ty: LogicalType) -> Expr {
    Expr::Column { index, ty }
}

pub(crate) fn literal(value: Value) -> Expr {
    let ty = value.logical_type().unwrap_or(LogicalType::Int8);
    Expr::Literal { value, ty }
}

pub(crate) fn compare(left: Expr, op: CompareOp, right: Expr) -> Expr {
    let (left, right) = (Box::new(left), Box::new(right));
    Expr::Compare { op, left, right }
}

/// A sort key as SQL abbreviates it: descending puts NULLs first.
pub(crate) fn by(expr: Expr, descending: bool) -> SortKeyExpr {
    SortKeyExpr {
        expr,
        descending,
        nulls_first: descending,
    }
}

pub(crate) fn call(function: AggregateFunction, argument: Option<Expr>) -> AggregateCall {
    AggregateCall {
        function,
        args: argument.into_iter().collect(),
        distinct: false,
        order: Vec::new(),
        filter: None,
        position: 0,
    }
}

pub(crate) fn limit(input: Plan, limit: Option<i64>, offset: Option<i64>) -> Plan {
    let bound = |rows: i64| literal(Value::Int8(rows));
    Plan::Limit {
        input: Box::new(input),
        limit: limit.map(bound),
        offset: offset.map(bound),
        ties: Vec::new(),
    }
}
