//! How many rows a plan may give: rules of thumb, for the order of joins.

use varve_expr::Expr;
use varve_types::{CompareOp, PredicateTest, Value};

use crate::plan::{JoinKind, Plan, PushedPredicate};

/// Rows of a relation of which nothing is known.
const RELATION_ROWS: f64 = 1000.0;
/// Shares of the rows that pass a test.
const EQUAL_SHARE: f64 = 0.01;
const OTHER_SHARE: f64 = 0.3;

/// The rows of a plan.
pub(super) fn rows(plan: &Plan) -> f64 {
    match plan {
        Plan::Scan(scan) => {
            let shares = scan.predicates.iter().map(predicate_share);
            (RELATION_ROWS * shares.product::<f64>()).max(1.0)
        }
        Plan::Lookup(_) => 1.0,
        Plan::Values { rows, .. } => count(rows.len()),
        Plan::Filter { input, predicate } => (rows(input) * share(predicate)).max(1.0),
        Plan::Project { input, .. }
        | Plan::Sort { input, .. }
        | Plan::First { input, .. }
        | Plan::Sample { input, .. } => rows(input),
        Plan::Window(node) => rows(&node.input),
        Plan::Lock(node) => rows(&node.input),
        Plan::Aggregate { groups, .. } if groups.is_empty() => 1.0,
        Plan::Aggregate { input, .. } => (rows(input) * OTHER_SHARE).max(1.0),
        Plan::Limit { input, limit, .. } => {
            let most = match limit {
                Some(Expr::Literal {
                    value: Value::Int8(most),
                    ..
                }) => usize::try_from(*most).map_or(f64::MAX, count),
                _ => f64::MAX,
            };
            rows(input).min(most)
        }
        Plan::Join(join) => {
            let (left, right) = (rows(&join.left), rows(&join.right));
            match join.kind {
                JoinKind::Semi | JoinKind::Anti => (left * OTHER_SHARE).max(1.0),
                JoinKind::Mark | JoinKind::Single => left,
                _ if join.equal.is_empty() => left * right,
                _ => left.max(right),
            }
        }
        Plan::Append { inputs, .. } => inputs.iter().map(rows).sum(),
        Plan::SetOperation(node) => rows(&node.left),
        Plan::With(node) => rows(&node.body),
        Plan::CteScan(_) | Plan::Recursive(_) => RELATION_ROWS,
        Plan::ProjectSet(node) => rows(&node.input) * RELATION_ROWS,
    }
}

/// The share of pairs of rows of two relations that pass a condition.
pub(super) fn join_share(condition: &Expr, largest: f64) -> f64 {
    match condition {
        Expr::Compare {
            op: CompareOp::Eq, ..
        } => 1.0 / largest.max(1.0),
        _ => OTHER_SHARE,
    }
}

fn predicate_share(predicate: &PushedPredicate) -> f64 {
    match predicate {
        PushedPredicate::Compare {
            op: CompareOp::Eq, ..
        } => EQUAL_SHARE,
        PushedPredicate::Fixed(fixed) => match &fixed.test {
            PredicateTest::Compare(CompareOp::Eq, _) => EQUAL_SHARE,
            PredicateTest::In(values) => (EQUAL_SHARE * count(values.len())).min(1.0),
            PredicateTest::IsNotNull => 1.0,
            _ => OTHER_SHARE,
        },
        PushedPredicate::In { values, .. } => (EQUAL_SHARE * count(values.len())).min(1.0),
        PushedPredicate::Compare { .. } | PushedPredicate::Prefix { .. } => OTHER_SHARE,
    }
}

fn share(condition: &Expr) -> f64 {
    match condition {
        Expr::And(items) => items.iter().map(share).product(),
        Expr::Compare {
            op: CompareOp::Eq, ..
        } => EQUAL_SHARE,
        _ => OTHER_SHARE,
    }
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::from(u32::MAX), f64::from)
}
